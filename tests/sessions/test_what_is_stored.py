"""Sessions compare what they store: usage that comes later, replies that grow, calls that were removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history import CallState, MessageHistory, TextBlock, ToolUseBlock
from message_history.dialects import Anthropic
from message_history.storage import JsonlSession, NotAContinuationError, SqlSession
from message_history.streaming import Accumulator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKED = MessageHistory().add_user("q")
USAGE = {"input_tokens": 3, "output_tokens": 1}


def reply(**beside: Any) -> dict[str, Any]:
    text = [{"type": "text", "text": "ok"}]
    return {"type": "message", "role": "assistant", "id": "m", "content": text, "stop_reason": "end_turn", **beside}


@pytest.fixture(params=["jsonl", "sql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], JsonlSession | SqlSession]:
    if request.param == "jsonl":
        return lambda: JsonlSession(tmp_path / "chat.jsonl")
    pytest.importorskip("sqlalchemy")
    return lambda: SqlSession(f"sqlite:///{tmp_path}/chats.db", "chat")


@pytest.mark.parametrize("behind", [0, 1, 2, 700])
@pytest.mark.parametrize("way", ["append", "save", "update"])
def test_usage_that_comes_later_is_kept(opened: Callable[[], JsonlSession | SqlSession], way: str, behind: int) -> None:
    def grown(replied: MessageHistory) -> MessageHistory:
        for n in range(behind):
            replied = replied.add_user(f"{n}") if n % 2 == 0 else replied.add_assistant(f"{n}")
        return replied

    session = opened()
    session.append(grown(ASKED.add_response(reply())))
    told = grown(ASKED.add_response(reply(usage=USAGE)))
    if way == "update":
        session.update(lambda _: told)
    else:
        getattr(session, way)(told)
    loaded = opened().load()
    assert loaded == told
    assert loaded.usage() == told.usage()
    assert loaded.usage().input_tokens == 3


def test_calls_that_were_removed_do_not_come_back(opened: Callable[[], JsonlSession | SqlSession]) -> None:
    history = ASKED.add_assistant([TextBlock("t"), ToolUseBlock("1", "f", {})])
    session = opened()
    session.append(history)
    without = history.add_user("u").add_assistant("words").without_unanswered()
    session.append(without)
    again = opened()
    assert again.load() == without
    assert not isinstance(again, JsonlSession) or again.report.clean


EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "pay."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "1", "name": "f", "input": {}},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "And"}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": " more."}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": USAGE},
    {"type": "message_stop"},
]


@pytest.mark.parametrize("eager", [False, True])
def test_a_reply_is_saved_while_it_grows(opened: Callable[[], JsonlSession | SqlSession], *, eager: bool) -> None:
    session, stream = opened(), Accumulator(Anthropic(), ASKED)
    history = ASKED
    for event in EVENTS:
        stream.feed(event)
        history = stream.added_to(history)
        if eager and history.awaiting and history.calls[0].state is CallState.PROPOSED:
            history = history.record_call(history.awaiting[0], "started")
        session.append(history)
        again = opened()
        assert again.load() == history
        assert not isinstance(again, JsonlSession) or again.report.clean
    whole = stream.history_so_far
    assert history[1] == whole[1]
    assert history.usage() == whole.usage()
    assert history.repairs == ()
    assert history.calls[0].state is (CallState.STARTED if eager else CallState.PROPOSED)


def test_another_reply_is_no_growth(opened: Callable[[], JsonlSession | SqlSession]) -> None:
    session = opened()
    session.append(ASKED.add_assistant("I pay."))
    with pytest.raises(NotAContinuationError):
        session.append(ASKED.add_assistant("You pay."))
