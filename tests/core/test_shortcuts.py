"""Short ways through the core lead where the long ones lead, and what is sound takes them. No time is asserted."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.vectors.lists import FORMS, random_lists

from message_history import Message, MessageHistory, Policy, RepairCode, ToolResultBlock, ToolUseBlock
from message_history.core.messages.message import make_message, make_plain_message
from message_history.core.messages.plain import pack
from message_history.core.turns import ingest, pairing
from message_history.core.turns import step as step_module
from message_history.core.turns.conversation import parts_of
from message_history.core.turns.drafts import AssistantDraft, UserDraft
from message_history.core.turns.step import Transition
from message_history.history import conversation_of

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = Policy(stub_text="Nobody knows.")
CALLS = [ToolUseBlock(str(n), "f", {"n": n}) for n in range(3)]


def lists() -> Iterator[list[Any]]:
    for kinds in FORMS.values():
        for kind in kinds:
            yield [kinds[kind]("0")]
    for _, _, _, entries, _ in random_lists(Random(1), 150):
        yield entries


def outcomes() -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for entries in lists():
        history = MessageHistory.from_list(entries)
        added = MessageHistory()
        for message in history:
            added = added.add(message)
        found.append((history.to_list(), history.repairs, added.to_list(), added.repairs))
    return found


def test_without_the_short_ways_every_list_becomes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    short = outcomes()
    for module in (step_module, ingest):
        monkeypatch.setattr(module, "move", lambda *_: None)
    monkeypatch.setattr(ingest.Ingest, "_lift", lambda self, prompt: self.add(prompt, 0))
    monkeypatch.setattr(ingest, "advance", lambda conversation, _messages, start=0, **_: (conversation, start))
    monkeypatch.setattr(pairing, "_is_paired", lambda _: False)
    monkeypatch.setattr(pairing, "_behind_clean_turns", lambda _, start: start)
    monkeypatch.setattr(Transition, "_answer_in_order", lambda *_: False)
    assert outcomes() == short


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give a list that grows with each message and each block that goes the long way."""
    taken: list[str] = []
    for kind, name in ((Transition, "apply"), (Transition, "_do"), (pairing._Plan, "read_turn")):
        whole: Any = getattr(kind, name)

        def counted(self: Any, *args: Any, whole: Any = whole, name: str = name) -> Any:
            taken.append(name)
            return whole(self, *args)

        monkeypatch.setattr(kind, name, counted)
    return taken


def answered(*calls: ToolUseBlock, text: str = "r") -> Message:
    return Message.user([ToolResultBlock(call.id, text) for call in calls])


SOUND = MessageHistory.from_list(
    [
        *(Message.user("q"), Message.assistant(["I look.", *CALLS]), answered(*CALLS), Message.assistant("Hm.")),
        *(Message.user("b"), Message.assistant(CALLS[0]), answered(CALLS[0])),
    ]
).for_send()


BLOCKS = [make_message(message.role, message.content) for message in MessageHistory.from_list(SOUND)]


@pytest.mark.parametrize("sound", [SOUND, BLOCKS], ids=["dicts", "blocks"])
@pytest.mark.parametrize("policy", [Policy(), OWN])
@pytest.mark.parametrize("prompts", [0, 1, 3])
def test_a_sound_list_is_read_the_short_way(
    prompts: int, policy: Policy, sound: list[Any], long_ways: list[str]
) -> None:
    raw: list[Any] = [*({"role": "system", "content": f"p{n}"} for n in range(prompts)), *sound]
    history = MessageHistory.from_list(raw, policy=policy, open_tail="keep")
    assert not history.repairs
    assert not long_ways
    raw.append(answered(CALLS[0], text=OWN.stub_text))
    assert bool(MessageHistory.from_list([*raw[:-2], raw[-1]], policy=OWN)[-1].results[0].is_stub)
    assert "_do" in long_ways


def test_results_that_come_in_order_are_put_in_their_places_at_once(long_ways: list[str]) -> None:
    asked = MessageHistory.from_list(SOUND[:2], open_tail="keep")
    first = asked.add(answered(CALLS[0])).add(answered(CALLS[1]))
    whole = first.add(answered(CALLS[2]))
    assert [result.tool_use_id for result in whole[-1].results] == ["0", "1", "2"]
    assert long_ways == ["apply", "apply", "apply"]
    long_ways.clear()
    assert first.add(answered(CALLS[2])) == asked.add(answered(CALLS[1])).add(answered(CALLS[0], CALLS[2]))
    for late in (answered(CALLS[0]), answered(CALLS[2], CALLS[1])):
        long_ways.clear()
        first.add(late)
        assert "_do" in long_ways


def test_a_message_of_items_is_sound_as_one_of_blocks_is() -> None:
    first, second = ("1", "f", pack({})), ("2", "f", pack({}))
    for items in ((first,), (first, second), (first, first), ("a",), (" ",), ("a", first)):
        plain = make_plain_message("assistant", items)
        assert plain.shape == make_message("assistant", plain.content).shape, items


def test_a_turn_that_is_complete_is_of_messages_and_one_that_grows_of_drafts() -> None:
    asked = MessageHistory().add_user("q").add_assistant(CALLS[:2])
    kinds: list[tuple[type, type]] = []
    for history in (
        asked.add(answered(CALLS[0])),
        asked.add(answered(CALLS[1], CALLS[0])),
        asked.add(answered(CALLS[0])).add(answered(CALLS[1])),
        asked.add(answered(CALLS[1], CALLS[0])).add_user("and?"),
        asked.add(answered(CALLS[1], CALLS[0])).add(Message("assistant", [CALLS[2], ToolResultBlock("2", "r")])),
        MessageHistory().add_user("q").add_assistant(["a", " "]),
        MessageHistory().add_user("q").add_assistant("a").add_assistant(["b", " "]),
    ):
        _, (assistant, user), _ = parts_of(conversation_of(history))
        kinds.append((type(assistant), type(user)))
    assert kinds == [
        (AssistantDraft, UserDraft),
        *[(Message, Message)] * 2,
        (Message, UserDraft),
        (Message, Message),
        (Message, type(None)),
        (AssistantDraft, type(None)),
    ]


def test_a_user_message_is_opened_once_however_much_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Message] = []
    whole = UserDraft.of

    def counted(message: Message | None) -> UserDraft:
        opened.extend([message] if message is not None else [])
        return whole(message)

    monkeypatch.setattr(UserDraft, "of", counted)
    history = MessageHistory().add_user("q").add_assistant(CALLS).add(answered(*CALLS))
    again = history.add(answered(*CALLS, *CALLS))
    assert [repair.code for repair in again.repairs] == [RepairCode.DUPLICATE_RESULT_DROPPED] * 6
    assert again[-1] is history[-1]
    assert len(opened) == 1
