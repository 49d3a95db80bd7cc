"""What travels with messages and calls without being what the model reads: arrivals, decisions, forgotten places."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import pytest
from tests.helpers import ASKED
from tests.vectors.lists import FORMS

from message_history import (
    CallState,
    Message,
    MessageHistory,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
    windows,
)
from message_history.core.messages.arrived import Arrival, arrival
from message_history.core.messages.blocks import forgotten
from message_history.core.messages.message import with_arrivals
from message_history.core.values.json_values import FrozenDict
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.integrations.merging import merged
from message_history.integrations.state import load, save
from message_history.storage import JsonlSession

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

State = CallState
PAY = ToolUseBlock("1", "pay", {"sum": 5})
DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini(), Mistral(), Bedrock()]
REPLY = {
    "type": "message",
    "role": "assistant",
    "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "Hm."}],
}


def ends(message: Message) -> list[tuple[int, Any]]:
    return [(each.end, each.metadata.get("id")) for each in message.arrivals]


# Arrivals


def test_what_came_with_a_text_that_is_dropped_stays_before_what_followed_it() -> None:
    message = Message.user([TextBlock(" "), ToolResultBlock("1", "r")])
    history = ASKED.add(with_arrivals(message, arrival(1, {"id": "m1"})))
    assert history[2].arrivals == (Arrival(0, FrozenDict({"id": "m1"})),)


def test_each_message_that_was_joined_is_an_arrival_with_its_metadata() -> None:
    history = MessageHistory().add_user("a", metadata={"id": "m1", "at": 3}).add_user(["b", "c"], metadata={"id": "m2"})
    assert ends(history.add_user("d")[0]) == [(1, "m1"), (3, "m2")]
    assert ends(history.add_user("d").add_user("e", metadata={"id": "m5"})[0]) == [
        (1, "m1"),
        (3, "m2"),
        (4, None),
        (5, "m5"),
    ]
    assert ends(MessageHistory().add_user("a").add_user("b", metadata={"id": "m2"})[0]) == [(1, None), (2, "m2")]
    assert history[0].arrivals[0] == Arrival(1, FrozenDict({"id": "m1", "at": 3}))
    assert MessageHistory().add_user("a").add_user("b")[0].arrivals == ()
    plain = MessageHistory().add_user(["a", "b", "c"])
    assert (history, hash(history)) == (plain, hash(plain))


def test_results_and_replies_arrive_with_metadata_too() -> None:
    history = MessageHistory().add_user("q").add_response(REPLY, metadata={"id": "r1"})
    history = history.add_assistant([PAY, ToolUseBlock("2", "look", {})])
    for id in "21":
        history = history.add(Message.user(ToolResultBlock(id, "x")), metadata={"id": f"t{id}"})
    history = history.add({"role": "user", "content": "and"}, metadata={"id": "u"})
    assert ends(history[1]) == [(1, "r1")]
    assert ends(history[2]) == [(2, "t2"), (1, "t1"), (3, "u")]
    assert ends(history.add_assistant("ok")[2]) == ends(history[2])


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_the_keys_of_applications_are_metadata_and_no_repair(role: str) -> None:
    keys = {"id": "m1", "created_at": 3, "metadata": {"n": 1}}
    raw: list[dict[str, Any]] = [{"role": each, "content": each} for each in ("user", "assistant", "user")]
    raw = [{**entry, **keys} if entry["role"] == role else entry for entry in raw]
    for history in (MessageHistory.from_list(raw), MessageHistory().extend(raw)):
        assert [each.metadata for message in history for each in message.arrivals] == [keys] * (1 + (role == "user"))
        assert history.export().repairs == history.repairs == ()
        assert history.for_send(OpenAIChat()) == [{key: each[key] for key in ("role", "content")} for each in raw]
    tools = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [_call("a"), _call("b")], "id": "m1"},
        {"role": "tool", "tool_call_id": "b", "content": "1", "id": "m2"},
        {"role": "tool", "tool_call_id": "a", "content": "2", "id": "m3"},
        {"role": "user", "content": "r", "id": "m4"},
    ]
    history = MessageHistory.from_list(tools)
    assert ends(history[1]) == [(2, "m1")]
    assert sorted(ends(history[2])) == [(1, "m3"), (2, "m2"), (3, "m4")]
    assert history.export(OpenAIChat()).repairs == ()


class Elsewhere(dict[str, Any]):
    """An entry of a class that no short way takes."""


AT_ONE_LOOK: list[dict[str, Any]] = [
    {"id": "m1"},
    {"id": "m1", "created_at": 2},
    {"id": 7, "created_at": 1.5, "metadata": {"n": [1, None, {"m": True}]}},
    {"metadata": {}},
]


@pytest.mark.parametrize(
    "keys",
    [
        *AT_ONE_LOOK,
        {"id": "m1", "metadata": None},
        {"id": "m1", "name": "Ada"},
        {"id": float("nan")},
        {"id": object, "metadata": {1: 2}},
        {"id": "msg_1", "model": "m"},
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["text", "calls", "chat"])
def test_messages_with_keys_of_applications_are_read_at_one_look_as_at_two(form: str, keys: dict[str, Any]) -> None:
    called: dict[str, Any] = {"role": "assistant", "content": "b"}
    if form == "calls":
        called["content"] = [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]
    if form == "chat":
        called["tool_calls"] = [_call("a")]
    raw = [{"role": "user", "content": "a", **keys}, {**called, **keys}]
    found = [MessageHistory.from_list(raw), MessageHistory().add(raw[0]).add(raw[1])]
    slow = [Elsewhere(entry) for entry in raw]
    expected = [MessageHistory.from_list(slow), MessageHistory().add(slow[0]).add(slow[1])]
    for one, other in zip(found, expected, strict=True):
        assert one == other
        assert [message.arrivals for message in one] == [message.arrivals for message in other]
        assert one.repairs == other.repairs
        assert one.to_list() == other.to_list()
        if keys in AT_ONE_LOOK:
            assert type(getattr(one[0], "_arrivals", None)) is bytes, "it took the long way"


def _call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize("form", FORMS)
def test_no_short_list_loses_what_an_entry_says_of_itself(form: str) -> None:
    kinds = FORMS[form]
    for chosen in chain(product(kinds), product(kinds, repeat=2), product(["system"], ["system"], kinds)):
        raw = [{**kinds[kind](str(n)), "metadata": {"id": f"metadata {n}"}} for n, kind in enumerate(chosen)]
        history = MessageHistory.from_list(raw)
        held = pickle.dumps((history.to_list(), [repair.removed for repair in history.repairs]))
        assert [n for n in range(len(raw)) if f"metadata {n}".encode() not in held] == [], chosen


@pytest.mark.parametrize("said", [*product([True, False], repeat=3)])
def test_what_each_of_several_prompts_says_of_itself_is_recorded_for_its_entry(said: tuple[bool, ...]) -> None:
    raw = [{"role": "system", "content": f"p{n}", **({"id": f"m{n}"} if has else {})} for n, has in enumerate(said)]
    for rest in ([], [{"role": "user", "content": "q"}], [{"role": "assistant", "content": "a"}]):
        history = MessageHistory.from_list([*raw, *rest])
        dropped = [repair for repair in history.repairs if repair.code is RepairCode.EMPTY_MESSAGE_DROPPED]
        expected: list[Any] = [(n, 0, ({"id": f"m{n}"},)) for n, has in enumerate(said) if has]
        assert [(repair.source, repair.index, repair.removed) for repair in dropped] == expected
        assert {repair.detail for repair in dropped} <= {"the metadata of a message"}
        assert history.system == "p0\n\np1\n\np2"


def test_metadata_belongs_to_the_text_that_it_came_with_and_to_no_stub_before_it() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY).add_user("on", metadata={"id": "m1"})
    assert ends(history[2]) == [(1, None), (2, "m1")]
    refused = history.add_tool_result(history.calls[0].call, "paid").add_response(
        {**REPLY, "stop_reason": "refusal", "model": "m"}
    )
    assert [ends(message) for message in refused.without_refusals()][2:] == [[(1, None)]]


@pytest.mark.parametrize("pin", ["turn", "task"])
def test_words_that_are_pinned_keep_their_metadata(pin: Any) -> None:
    history = MessageHistory().add_user("q", metadata={"id": "m1"}).add_assistant(PAY).add_tool_result("1", "paid")
    history = history.add_assistant(PAY).add_tool_result("1", "again").add_assistant("Done.")
    assert ends(windows.drop_before(history, 3, pin=pin).history[0]) == [(1, "m1")]
    compacted = windows.compact(history, "summary", keep_from=3, pin=pin).history
    assert ends(compacted.add_user("x")[0]) == [(1, "m1")]
    assert compacted[0].text == "q\nsummary"


def test_what_came_while_a_reply_was_on_its_way_has_its_metadata_once() -> None:
    sent = MessageHistory().add_user("q").add_assistant(PAY).record_call("1", "waiting")
    now = sent.record_call("1", "denied").add_user("on", metadata={"id": "m1"})
    answered = now.add_response(REPLY, sent=sent)
    assert [each for message in answered for each in ends(message) if each[1]] == [(2, "m1")]


def test_the_id_of_a_reply_that_has_not_ended_is_no_metadata() -> None:
    begun = {key: value for key, value in REPLY.items() if key != "stop_reason"} | {"id": "msg_1", "type": "message"}
    message = MessageHistory().add_user("q").add_response(begun)[1]
    assert (message.arrivals, [each.id for each in message.replies]) == ((), ["msg_1"])


def test_metadata_must_be_a_mapping_and_none_of_it_is_lost() -> None:
    with pytest.raises(TypeError, match="metadata must be a mapping"):
        MessageHistory().add_user("a", metadata=[])  # type: ignore[arg-type]
    assert MessageHistory().add_user("a", metadata={})[0].arrivals == ()
    dropped = MessageHistory().add_user(" ", metadata={"id": "m1"})
    assert "m1" in str(dropped.repairs)
    kept = MessageHistory().add_user("a").add_user(" ", metadata={"id": "m1"})
    assert ends(kept[0]) == [(1, None), (1, "m1")]
    empty = MessageHistory().add_user("q").add_response({**REPLY, "content": []}, metadata={"id": "m1"})
    assert "m1" in str([empty.repairs, [ends(message) for message in empty]])


def talk() -> MessageHistory:
    history = MessageHistory().add_user("TOKEN", metadata={"token": "m0"})
    for n in range(1, 6):
        history = history.add_assistant([f"a{n}", PAY])
        done = Message.user(ToolResultBlock("1", "x"))
        history = history.add(done, metadata={"token": f"m{2 * n - 1}"}).add_user("u", metadata={"token": f"m{2 * n}"})
    return history


EVERY: dict[str, Callable[[MessageHistory], MessageHistory]] = {
    "list": lambda history: MessageHistory.from_list(history.to_list()),
    "pickle": lambda history: pickle.loads(pickle.dumps(history)),
    "state": lambda history: load(json.loads(json.dumps(save(history)))),
    "system": lambda history: history.with_system("Be kind."),
    "trim": lambda history: history.trim_results(older_than=99, text=""),
    "unanswered": lambda history: history.add_assistant(ToolUseBlock("9", "f", {})).without_unanswered(),
    "refusals": lambda history: history.add_response(
        {**REPLY, "stop_reason": "refusal", "model": "m"}
    ).without_refusals(keep_prompts=True),
    "sent": lambda history: history.as_sent(Anthropic()).add_assistant("so"),
    "reply": lambda history: history.add_user("x").add_response(REPLY, sent=history, dialect=Anthropic()),
    "merged": lambda history: merged(history, history.add_user("x"), history.add_user("y", metadata={"token": "mx"})),
}


@pytest.mark.parametrize("change", EVERY.values(), ids=EVERY)
def test_metadata_survives_every_operation(change: Callable[[MessageHistory], MessageHistory]) -> None:
    history = talk()
    made = change(history)
    found = [each.metadata.get("token") for message in made for each in message.arrivals if each.metadata]
    assert [token for token in found if token != "mx"] == [f"m{n}" for n in range(11)]
    for dialect in DIALECTS:
        assert not any(f'"m{n}"' in json.dumps(made.for_send(dialect)) for n in range(11))
        assert check(made.for_send(dialect), dialect) == []


def test_a_window_keeps_the_metadata_of_what_it_keeps(tmp_path: Path) -> None:
    history = talk()
    kept = history.drop_before(4)
    assert [each.metadata.get("token") for message in kept for each in message.arrivals] == [
        f"m{n}" for n in (4, *range(5, 11))
    ]
    session = JsonlSession(tmp_path / "a.jsonl")
    session.append(history)
    loaded = JsonlSession(session.path).load()
    assert [message.arrivals for message in loaded] == [message.arrivals for message in history]


@pytest.mark.parametrize("wrong", [{}, [1], [{"end": 9, "metadata": {}}], [{"end": 1}], [{"end": 1, "metadata": 2}]])
def test_what_are_no_arrivals_is_kept_as_it_is(wrong: Any) -> None:
    saved = MessageHistory().add_user("a").to_list()
    saved[0]["arrivals"] = wrong
    history = MessageHistory.from_list(saved)
    assert history[0].arrivals == ()
    assert "arrivals" in str(history.to_list())


# Decisions


def test_who_decided_and_until_when_is_kept_and_no_model_reads_it() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY)
    history = history.record_call("1", "waiting", by="TOKEN-1", until=50)
    history = history.record_call("1", "approved", by="TOKEN-2", at=datetime(2026, 1, 1, tzinfo=UTC), reason="TOKEN-3")
    started = history.record_call("1", "started", by="TOKEN-4", until=100.5)
    late = (
        started.add_user("Hurry.").add_assistant("It runs.").add_user("So?").record_call("1", "approved", by="TOKEN-5")
    )
    for made in (started, late, late.add_tool_result("1", "paid"), started.add_tool_result("1", "paid")):
        for again in (made, MessageHistory.from_list(made.to_list()), pickle.loads(pickle.dumps(made))):
            (record,) = again.calls
            assert [each.by for each in record.decisions][:3] == ["TOKEN-1", "TOKEN-2", "TOKEN-4"]
            assert (record.decisions[0].until, record.decisions[1].at) == (50, 1767225600.0)
            assert record.decisions[1].reason == "TOKEN-3"
        for dialect in DIALECTS:
            assert "TOKEN-1" not in json.dumps(made.for_send(dialect))
            assert "TOKEN-4" not in json.dumps(made.for_send(dialect))
    assert (started.calls[0].by, started.calls[0].until) == ("TOKEN-4", 100.5)
    assert (MessageHistory().add_user("q").add_assistant(PAY).calls[0].by, late.calls[0].until) == ("", None)


def test_a_call_that_was_held_until_a_time_is_unknown_for_who_asks_later() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY).record_call("1", "started", until=100)
    assert history.calls.expired(99) == ()
    assert [each.state for each in history.calls.expired(100)] == [State.UNKNOWN]
    later = datetime(1970, 1, 1, 1, 2, tzinfo=timezone(timedelta(hours=1)))
    assert [each.state for each in history.calls.expired(later)] == [State.UNKNOWN]
    again = history.record_call("1", "started", by="w2", until=200)
    assert again.calls.expired(150) == ()
    with pytest.raises(ValueError, match="now must have a time zone"):
        history.calls.expired(datetime(2026, 1, 1))  # noqa: DTZ001 - that is what is refused
    with pytest.raises(TypeError, match="until must be seconds"):
        history.record_call("1", "started", until="soon")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="at must be seconds"):
        history.record_call("1", "started", at=True)


def test_arguments_that_a_person_edited_stand_beside_the_call_and_the_model_is_told() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY).record_call("1", "approved", input={"sum": 4})
    assert history.calls[0].input == {"sum": 4}
    assert history.calls[0].call.input == {"sum": 5}
    done = history.add_tool_result("1", "paid")
    for made in (history, done, history.add_user("x").add_assistant("y").add_tool_result("1", "paid")):
        assert made.calls[0].input == {"sum": 4}
        wire = json.dumps(made.for_send())
        assert "A person edited the arguments" in wire
        assert '"sum": 4' not in wire
        assert MessageHistory.from_list(made.to_list()).calls == made.calls
    news = MessageHistory().add_user("q").add_assistant(PAY).add_user("x").add_assistant("y").add_user("z")
    news = news.record_call("1", "approved", input={"sum": 4}).record_call("1", "started")
    assert news[-1].text.count("A person edited its arguments.") == 2
    assert news.calls[0].input == {"sum": 4}
    assert MessageHistory().add_user("q").add_assistant(PAY).calls[0].input == {"sum": 5}


def test_that_arguments_were_edited_stays_where_a_result_is_shortened() -> None:
    history = MessageHistory().add_user("q").add_assistant(PAY).record_call("1", "approved", input={"sum": 4})
    kept = history.add_tool_result("1", "paid " * 9).trim_results(older_than=9, text="-")
    assert kept[-1].results[0].text == "-\n[A person edited the arguments of this call.]"
    assert MessageHistory.from_list(kept.to_list()) == kept
    assert kept.trim_results(older_than=9, text="-") == kept


@pytest.mark.parametrize(
    "wrong", [1, [1], [{"by": "x"}], [{"state": "approved", "at": True}], [{"state": "approved", "more": 1}]]
)
def test_what_are_no_decisions_stays_beside_the_mark(wrong: Any) -> None:
    saved = MessageHistory().add_user("q").add_assistant(PAY).record_call("1", "approved").to_list()
    saved[2]["content"][0]["mark"]["decisions"] = wrong
    history = MessageHistory.from_list(saved)
    assert history.calls[0].state is State.APPROVED
    assert "decisions" in str(history.to_list())


def test_a_client_forges_no_key() -> None:
    saved = MessageHistory().add_user("q").add_assistant(PAY).to_list()
    saved[1]["content"][0]["key"] = "forged"
    history = MessageHistory().add_user("q").add(saved[1])
    assert history.awaiting[0].key != "forged"
    assert history.repairs[0].code is RepairCode.VALUE_CONVERTED


# Forgotten places


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_law_takes_a_place_where_something_was_forgotten(dialect: Dialect[Any]) -> None:
    blocks = [TextBlock("SECRET"), ThinkingBlock("SECRET", "c2ln"), ToolUseBlock("1", "pay", {"to": "SECRET"})]
    history = MessageHistory().add(Message.user(forgotten(TextBlock("SECRET"), "asked")))
    history = history.add(Message("assistant", [forgotten(block, "asked") for block in blocks]))
    history = history.add(Message.user(forgotten(ToolResultBlock("1", "SECRET", True), "asked")))
    assert history.repairs == ()
    assert check(history.for_send(dialect), dialect) == []
    again = MessageHistory.from_list(history.to_list())
    assert (again, again.calls) == (history, history.calls)
    assert all(
        block.mark is not None and block.mark.reason == "asked" for message in history for block in message.content
    )
    assert "SECRET" not in repr(history.to_list())


@pytest.mark.parametrize("marked", [(0,), (1,), (0, 1), ()])
def test_what_came_with_texts_that_are_joined_stays_with_each(marked: tuple[int, ...]) -> None:
    raw: list[Any] = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in "ab"]
    for n in marked:
        raw[n]["content"][0]["cache_control"] = {"type": "ephemeral"}
    history = MessageHistory.from_list(raw)
    assert [n for n, block in enumerate(history[0].content) if block.meta is not None] == list(marked)
    sent = history.for_send(Anthropic())[0]["content"]
    assert sent == [block for entry in raw for block in entry["content"]]


def test_the_key_of_a_forgotten_call_gives_nothing_away() -> None:
    made = [
        MessageHistory().add_user("q").add(Message.assistant(forgotten(ToolUseBlock("1", "pay", {"to": to}), "asked")))
        for to in ("Alice", "Bob")
    ]
    assert made[0].calls[0].key == made[1].calls[0].key != ""


def test_a_prompt_alone_with_something_said_of_it_is_the_prompt() -> None:
    history = MessageHistory.from_list([{"role": "system", "content": "Be brief.", "metadata": {"a": 1}}])
    assert history.system == "Be brief."
    assert [(repair.code, repair.source) for repair in history.repairs] == [(RepairCode.EMPTY_MESSAGE_DROPPED, 0)]
