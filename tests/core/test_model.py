"""A state machine that grows a plain-list model beside the history, with a fork and a reload at every step.

The model knows nothing of drafts, chunks or summaries: it keeps each turn as plain lists and works everything out anew.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest
from attrs import define, field
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.dialects.odd_pieces import PIXEL

from message_history import (
    ImageBlock,
    Message,
    MessageHistory,
    Policy,
    ProviderBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.dialects import Anthropic, OpenAIChat

IDS = ("1", "2", "call_0")


@define
class Turn:
    """One turn: what the assistant said, and what it heard."""

    assistant: list[Any] = field(factory=list)
    results: dict[int, str] = field(factory=dict)
    rest: list[str] = field(factory=list)
    user: bool = False
    quoted: list[tuple[str, str, str]] = field(factory=list)

    def calls(self) -> list[ToolUseBlock]:
        return [part for part in self.assistant if isinstance(part, ToolUseBlock)]


class Model:
    """A conversation as plain lists."""

    def __init__(self) -> None:
        self.turns = [Turn()]

    def user(self, text: str) -> None:
        self.turns[-1].rest.append(text)
        self.turns[-1].user = True

    def assistant(self, parts: list[Any]) -> None:
        if self.turns[-1].user:
            self.turns.append(Turn())
        if len(self.turns) == 1:
            self.turns[0].rest.append("BOOTSTRAP")
            self.turns.append(Turn())
        turn = self.turns[-1]
        for part in parts:
            if not isinstance(part, ToolUseBlock) or part.id not in [call.id for call in turn.calls()]:
                turn.assistant.append(part)

    def result(self, id: str, text: str) -> None:
        turn = self.turns[-1]
        mine = [n for n, call in enumerate(turn.calls()) if call.id == id]
        if mine and mine[0] not in turn.results:
            turn.results[mine[0]] = text
            turn.user = True
            return
        if mine and turn.results[mine[0]] == text:
            return
        settled = [(older, n) for older in self.turns[:-1] for n, call in enumerate(older.calls()) if call.id == id]
        stubs = [(older, n) for older, n in settled if n not in older.results]
        here = [quote for quote in turn.quoted if quote[0] == id]
        before = [quote for older in self.turns[:-1] for quote in older.quoted if quote[0] == id]
        late = [quote for quote in before + here if quote[1] == "late"]
        if not mine and not settled:
            return
        reason = "late" if len(late) < len(stubs) else "second"
        if reason == "second" and here and here[-1][2] == text:
            return
        if reason == "second" and not mine:
            older, n = settled[-1]
            if older.results.get(n) == text or (before and before[-1][2] == text):
                return
        turn.quoted.append((id, reason, text))
        turn.rest += [f"QUOTE {reason} {id}", text]
        turn.user = True

    def messages(self) -> list[tuple[str, list[str]]]:
        found: list[tuple[str, list[str]]] = []
        for turn in self.turns:
            if turn.assistant:
                found.append(("assistant", [getattr(part, "id", part) for part in turn.assistant]))
            if turn.user or turn.rest:
                answers = [turn.results.get(n, "STUB") for n in range(len(turn.calls()))]
                found.append(("user", answers + turn.rest))
        return found


def seen(history: MessageHistory) -> list[tuple[str, list[str]]]:
    """Write a history as the model writes itself."""
    found: list[tuple[str, list[str]]] = []
    for message in history:
        parts = []
        for block in message.content:
            mark = block.mark
            if isinstance(block, ToolUseBlock):
                parts.append(block.id)
            elif isinstance(block, ToolResultBlock):
                parts.append("STUB" if block.is_stub else block.text)
            elif mark is not None and mark.kind == "quote":
                parts.append(f"QUOTE {mark.reason} {mark.tool_use_id}")
            else:
                assert isinstance(block, TextBlock)
                parts.append("BOOTSTRAP" if mark is not None else block.text)
        found.append((message.role, parts))
    return found


class Conversation(RuleBasedStateMachine):
    """An agent, its user, and tools that answer when they like."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.history = MessageHistory()
        self.versions: list[tuple[MessageHistory, list[tuple[str, list[str]]]]] = []
        self.count = 0

    def next_text(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def grow(self, message: Message) -> None:
        before = self.history
        self.versions.append((before, seen(before)))
        self.history = before.add(message)
        # A fork grows elsewhere, and a reloaded history grows like the old one.
        before.add(Message.user("fork")).add(Message.assistant("fork"))
        reloaded = MessageHistory.from_list(before.to_list(), open_tail="keep")
        assert reloaded.add(message) == self.history

    @rule()
    def user_speaks(self) -> None:
        text = self.next_text()
        self.model.user(text)
        self.grow(Message.user(text))

    @rule(ids=st.lists(st.sampled_from(IDS), max_size=3), words=st.booleans())
    def assistant_speaks(self, ids: list[str], words: bool) -> None:
        parts: list[Any] = [ToolUseBlock(id, f"tool_{id}", {}) for id in ids]
        if words or not parts:
            parts.insert(0, self.next_text())
        self.model.assistant(parts)
        self.grow(Message.assistant(parts))

    @rule(id=st.sampled_from((*IDS, "ghost")), again=st.booleans())
    def tool_answers(self, id: str, again: bool) -> None:
        text = f"again {id}" if again else self.next_text()
        self.model.result(id, text)
        self.grow(Message.user(ToolResultBlock(id, text)))

    @invariant()
    def the_history_is_the_model(self) -> None:
        assert seen(self.history) == self.model.messages()

    @invariant()
    def older_versions_are_what_they_were(self) -> None:
        for version, was in self.versions[-3:]:
            assert seen(version) == was

    @invariant()
    def what_awaits_is_what_has_no_result(self) -> None:
        turn = self.model.turns[-1]
        expected = [call.id for n, call in enumerate(turn.calls()) if n not in turn.results]
        assert [call.id for call in self.history.awaiting] == expected

    @invariant()
    def what_was_sent_stays(self) -> None:
        for dialect in (Anthropic(), OpenAIChat()):
            sent = self.history.for_send(dialect)
            later = self.history.as_sent(dialect).add_assistant("reply").add_user("on").for_send(dialect)
            assert later[: len(sent)] == sent


TestConversation = Conversation.TestCase
TestConversation.settings = settings(
    settings.get_profile(settings._current_profile or "default"), stateful_step_count=25
)


@pytest.mark.parametrize(
    ("begin", "kind"),
    [(base64.b64decode(PIXEL), "image/png"), (b"GIF89a..", "image/gif"), (b"\xff\xd8\xff\xe0", "image/jpeg")],
)
def test_an_image_of_bytes_is_of_the_type_that_its_first_bytes_say(begin: bytes, kind: str) -> None:
    assert ImageBlock.from_bytes(begin).source["media_type"] == kind


def test_a_policy_shows_and_takes_its_texts_and_nothing_that_is_derived_from_them() -> None:
    assert [name for name in ("has_own_texts", "_reasons", "_denials") if name in repr(Policy())] == []
    with pytest.raises(TypeError, match="has_own_texts"):
        Policy(has_own_texts=True)  # type: ignore[call-arg]


def test_a_result_shows_that_it_is_an_error() -> None:
    assert repr(ToolResultBlock("1", "x", is_error=True)) == "ToolResultBlock('1', 'x', True)"
    assert repr(ToolResultBlock("1", "x")) == "ToolResultBlock('1', 'x')"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ((), "()"),
        ("a", "'a'"),
        ([TextBlock("a"), TextBlock("b")], "(TextBlock('a'), TextBlock('b'))"),
        ([ProviderBlock("d", {})], "(ProviderBlock('d', {}),)"),
    ],
)
def test_a_result_shows_all_that_it_holds_and_one_text_as_that(content: Any, shown: str) -> None:
    assert repr(ToolResultBlock("1", content)) == f"ToolResultBlock('1', {shown})"
