"""What the files of other programs say of each reply's model and tokens is in the history that is read."""

from __future__ import annotations

import json
from typing import Any

from message_history import MessageHistory, Usage
from message_history.formats.reading import session_in
from tests.sessions.foreign import claude_line, codex_line, rows

HI = claude_line("u1", None, "user", "hi")


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def read(data: bytes) -> MessageHistory:
    """Read a sound file; repairing it gives the same bytes."""
    found = session_in(data)
    assert found.repair_file().data == data
    return found.conversations[0].history()


def claude_reply(own: str, parent: str, id: str, output: int, *, model: str = "claude-opus-4-6") -> dict[str, Any]:
    line = claude_line(own, parent, "assistant", words(own), id=id)
    usage = {"input_tokens": 1, "cache_read_input_tokens": 10, "output_tokens": output}
    return {**line, "message": {**line["message"], "model": model, "stop_reason": "end_turn", "usage": usage}}


def test_claude_code_counts_a_reply_of_several_lines_once_as_its_last_line_says() -> None:
    more = claude_line("u2", "a2", "user", "more")
    values = [HI, claude_reply("a1", "u1", "m1", 1), claude_reply("a2", "a1", "m1", 7), more]
    history = read(rows([*values, claude_reply("a3", "u2", "m2", 5)]))
    assert [reply.id for message in history for reply in message.replies] == ["m1", "m2"]
    assert history[1].replies[0].model == "claude-opus-4-6"
    assert history.usage() == Usage(input_tokens=22, output_tokens=12, cache_read_tokens=20)


def test_claude_code_says_nothing_of_words_that_it_wrote_itself() -> None:
    history = read(rows([HI, claude_reply("a1", "u1", "m1", 0, model="<synthetic>")]))
    assert history[1].replies == ()


def token_count(input: int, output: int, total: int) -> dict[str, Any]:
    last = {"input_tokens": input, "cached_input_tokens": 2, "output_tokens": output, "reasoning_output_tokens": 1}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": {**last, "total_tokens": input + output}}
    return codex_line({"type": "token_count", "info": info, "rate_limits": None}, "event_msg")


def said(role: str, text: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return codex_line({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


CALL = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}
CODEX = [
    codex_line({"model": "gpt-5-codex", "cwd": "/"}, "turn_context"),
    said("user", "hi"),
    codex_line(CALL),
    token_count(10, 3, 13),
    codex_line({"type": "function_call_output", "call_id": "c1", "output": "ok"}),
    token_count(10, 3, 13),
    said("assistant", "Done."),
    token_count(20, 4, 37),
]


def test_codex_counts_each_reply_once() -> None:
    history = read(rows(CODEX))
    assert [[reply.model for reply in message.replies] for message in history] == [
        [],
        ["gpt-5-codex"],
        [],
        ["gpt-5-codex"],
    ]
    assert history.usage() == Usage(input_tokens=30, output_tokens=7, cache_read_tokens=4, reasoning_tokens=2)
    assert history[3].replies[0].raw_usage["total_tokens"] == 24


def test_codex_counts_nothing_of_turns_that_were_rolled_back_or_cannot_be_read() -> None:
    back = codex_line({"type": "thread_rolled_back", "num_turns": 1}, "event_msg")
    odd = [
        codex_line({"type": "token_count", "info": info}, "event_msg") for info in (None, 3, {"last_token_usage": 4})
    ]
    history = read(rows([*CODEX, *odd, said("user", "more"), said("assistant", "No."), token_count(9, 9, 55), back]))
    assert history.usage().output_tokens == 7


def gemini_reply(id: str, text: str, **tokens: int) -> dict[str, Any]:
    return {"id": id, "type": "gemini", "content": text, "model": "gemini-3-pro", "tokens": tokens}


def test_gemini_cli_counts_what_the_api_counted() -> None:
    header = {"sessionId": "s", "projectHash": "p"}
    asked = {"id": "1", "type": "user", "content": "hi"}
    replies = [
        gemini_reply("2", "Hello.", input=10, output=3, cached=4, thoughts=2, tool=1, total=16),
        {"id": "3", "type": "user", "content": "more"},
        gemini_reply("4", "Yes.", input=20, output=1, cached=0, thoughts=0, tool=0, total=21),
    ]
    counted = Usage(input_tokens=31, output_tokens=6, cache_read_tokens=4, reasoning_tokens=2)
    lines = read(rows([header, asked, *replies]))
    assert lines.usage() == counted
    assert lines[1].replies[0].model == "gemini-3-pro"
    whole = {**header, "messages": [asked, *replies]}
    assert session_in(json.dumps(whole).encode()).conversations[0].history().usage() == counted
