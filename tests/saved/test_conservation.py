"""What applications and people say of messages and calls is in every form that is kept, and in none that is sent."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any, Final

import pytest

from message_history import Message, MessageHistory, ToolResultBlock, ToolUseBlock
from message_history.dialects import Anthropic
from message_history.integrations.merging import merged
from message_history.integrations.state import load, save
from message_history.storage import JsonlSession, SqlSession
from tests.campaigns.targets import TARGETS
from tests.campaigns.walked_replies import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from message_history.dialects import Dialect

TIMES: Final = (1234567.25, 7654321.75)


def planted() -> MessageHistory:
    """Give a history with a token at every place, in calls of every standing."""
    history = (
        MessageHistory(name="alice").add_user("q", metadata={"id": "TOKEN-0"}).add_user("r", metadata={"a": "TOKEN-1"})
    )
    calls = [ToolUseBlock(f"call_{n}", "pay", {"amount": n}) for n in range(4)]
    history = history.add_assistant(calls)
    for n, state in enumerate(("approved", "waiting", "started", "denied")):
        history = decided(history, f"call_{n}", state, n)
    result = Message.user(ToolResultBlock("call_0", "paid"))
    history = history.add(result, metadata={"id": "TOKEN-2"}).add_user("on", metadata={"id": "TOKEN-3"})
    reply = whole(Anthropic(), "ok", [], 1)
    history = history.add_response(reply, metadata={"id": "TOKEN-4"}).add_user("so", metadata={"id": "TOKEN-5"})
    # Behind their turn: news, and a late result.
    history = decided(history, "call_1", "approved", 4)
    history = decided(history, "call_2", "approved", 5).add_tool_result("call_2", "paid late")
    return decided(history.add_assistant(ToolUseBlock("call_9", "pay", {})), "call_9", "started", 6)


def decided(history: MessageHistory, id: str, state: str, number: int) -> MessageHistory:
    """Decide with a token at every place; the reason of a denial is for the model."""
    reason = "" if state == "denied" else f"TOKEN-reason-{number}"
    edited = {"amount": f"TOKEN-input-{number}"}
    return history.record_call(
        id, state, by=f"TOKEN-by-{number}", at=TIMES[0], until=TIMES[1], reason=reason, input=edited
    )


def told(history: MessageHistory) -> Iterator[object]:
    """Yield what applications and people said."""
    for message in history:
        yield from (each.metadata for each in message.arrivals)
    for each in history.calls:
        yield each.key, each.decisions, each.detail, each.by, each.until, each.input


def tokens(history: MessageHistory) -> set[str]:
    """Return the tokens that a history gives its caller."""
    words = repr(list(told(history))).split("TOKEN-")[1:]
    return {word.split("'")[0] for word in words}


PLANTED: Final = tokens(planted())

KEEPING: dict[str, Callable[[MessageHistory], MessageHistory]] = {
    "list": lambda history: MessageHistory.from_list(history.to_list()),
    "json": lambda history: MessageHistory.from_list(json.loads(json.dumps(history.to_list()))),
    "pickle": lambda history: pickle.loads(pickle.dumps(history)),
    "copy": copy.deepcopy,
    "state": lambda history: load(json.loads(json.dumps(save(history)))),
    "sent": lambda history: history.as_sent(Anthropic()),
    "sent and answered": lambda history: history.as_sent(Anthropic()).add_response(whole(Anthropic(), "x", [], 2)),
    "answered": lambda history: history.add_user("x").add_response(whole(Anthropic(), "x", [], 2), sent=history),
    "settled": lambda history: history.add_user("x").add_assistant("y").add_user("z"),
    "system": lambda history: history.with_system("Be kind."),
    "trimmed": lambda history: history.trim_results(older_than=99, text="-"),
    "results": lambda history: history.add_tool_result("call_1", "paid").add_tool_result("call_9", "paid"),
    "late result": lambda history: history.add_user("x").add_assistant("y").add_tool_result("call_9", "paid"),
    "unanswered": lambda history: history.add_user("x").add_assistant(ToolUseBlock("u", "f", {})).without_refusals(),
    "refusals": lambda history: (
        history.add_user("x")
        .add_response({**whole(Anthropic(), "No.", [], 3), "stop_reason": "refusal"})
        .without_refusals(keep_prompts=True)
    ),
    "merged": lambda history: merged(history, history.add_user("x"), history.record_call("call_9", "approved")),
    "late while merged": lambda history: merged(history, history.add_user("x"), history.add_tool_result("call_9", "p")),
    "extend": lambda history: history.extend([{"role": "user", "content": "x"}]),
}


def test_every_place_has_its_token() -> None:
    reasons = {f"reason-{n}" for n in range(7) if n != 3}
    assert {*map(str, range(6)), *reasons, *(f"{kind}-{n}" for kind in ("by", "input") for n in range(7))} == PLANTED


@pytest.mark.parametrize("change", KEEPING.values(), ids=KEEPING)
def test_what_people_and_applications_said_is_kept_and_not_sent(
    change: Callable[[MessageHistory], MessageHistory],
) -> None:
    made = change(planted())
    assert tokens(made) == PLANTED
    times = [(each.at, each.until) for record in made.calls for each in record.decisions if each.by]
    assert times == [TIMES] * 7
    for target in TARGETS:
        check_not_sent(made, target)


def check_not_sent(history: MessageHistory, target: Dialect[Any]) -> None:
    wire = json.dumps([history.for_send(target), history.export(target).system], default=str)
    assert "TOKEN" not in wire
    assert not any(str(time) in wire for time in TIMES)
    assert history.calls[0].key not in wire
    assert "TOKEN" not in history.for_send_json(target).decode()
    export = history.export(target)
    assert "TOKEN" not in repr(export.repairs)


@pytest.mark.parametrize("cut", [lambda history: history.drop_before(4), lambda history: history.rewind(1)])
def test_what_was_said_of_what_is_kept_stays(cut: Callable[[MessageHistory], MessageHistory]) -> None:
    history = planted()
    made = cut(history)
    kept = {each.key: each.decisions for each in history.calls}
    assert all(kept[each.key] == each.decisions for each in made.calls)
    assert made.calls


@pytest.mark.parametrize("kind", ["jsonl", "sql"])
def test_sessions_keep_what_was_said(kind: str, tmp_path: Path) -> None:
    if kind == "sql":
        pytest.importorskip("sqlalchemy")

    def opened() -> JsonlSession | SqlSession:
        return JsonlSession(tmp_path / "a.jsonl") if kind == "jsonl" else SqlSession(tmp_path / "a.db", "a")

    opened().append(planted())
    loaded = opened().load()
    assert list(told(loaded)) == list(told(planted()))
    session = opened()
    session.append(session.load().add_user("x").add_assistant("y"))
    assert tokens(opened().load()) == PLANTED
    if isinstance(session, SqlSession):
        assert list(told(session.fork("b").load()))[:-1] == list(told(session.load()))[:-1]
        newest = SqlSession(tmp_path / "a.db", "a").load(turns=9)
        assert tokens(newest) == PLANTED


def test_a_session_of_an_event_loop_keeps_what_was_said(tmp_path: Path) -> None:
    pytest.importorskip("aiosqlite")
    pytest.importorskip("sqlalchemy")
    import asyncio  # noqa: PLC0415

    from message_history.storage import AsyncSqlSession  # noqa: PLC0415 - it needs the packages

    async def stored() -> MessageHistory:
        await AsyncSqlSession(tmp_path / "a.db", "a").append(planted())
        session = AsyncSqlSession(tmp_path / "a.db", "a")
        await session.append((await session.load()).add_user("x").add_assistant("y"))
        return await AsyncSqlSession(tmp_path / "a.db", "a").load()

    assert tokens(asyncio.run(stored())) == PLANTED


# What frameworks keep


def test_pydantic_keeps_what_was_said() -> None:
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(MessageHistory)
    again = adapter.validate_json(adapter.dump_json(planted()))
    assert list(told(again)) == list(told(planted()))


def test_cattrs_keeps_what_was_said() -> None:
    cattrs = pytest.importorskip("cattrs")
    from message_history.integrations.cattrs import register  # noqa: PLC0415 - it needs the package

    converter = cattrs.Converter()
    register(converter)
    again = converter.structure(json.loads(json.dumps(converter.unstructure(planted()))), MessageHistory)
    assert list(told(again)) == list(told(planted()))


def test_langgraph_keeps_what_was_said() -> None:
    pytest.importorskip("langgraph")
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - as above

    from message_history.integrations.langgraph import Growing  # noqa: PLC0415 - as above

    serializer = JsonPlusSerializer(allowed_msgpack_modules=None)
    channel = Growing(MessageHistory)
    channel.update([planted()])
    kept = serializer.loads_typed(serializer.dumps_typed(channel.checkpoint()))
    again = channel.from_checkpoint(kept).get()
    assert list(told(again)) == list(told(planted()))


def test_a_session_of_openai_agents_keeps_what_was_said_and_shows_none_of_it() -> None:
    pytest.importorskip("agents")
    import asyncio  # noqa: PLC0415

    from message_history.integrations.openai_agents import HistorySession  # noqa: PLC0415 - as above

    async def grown() -> MessageHistory:
        session = HistorySession("a", planted())
        assert "TOKEN" not in json.dumps(await session.get_items())
        await session.add_items([{"role": "user", "content": "x"}])
        return session.history

    assert tokens(asyncio.run(grown())) == PLANTED


def test_messages_of_frameworks_show_nothing_of_what_was_said() -> None:
    pytest.importorskip("langchain_core")
    from message_history.integrations.langchain import LangChain  # noqa: PLC0415 - as above

    assert "TOKEN" not in repr(planted().for_send(LangChain()))
    pytest.importorskip("pydantic_ai")
    from message_history.integrations.pydantic_ai import model_messages  # noqa: PLC0415 - as above

    assert "TOKEN" not in repr(model_messages(planted()))
