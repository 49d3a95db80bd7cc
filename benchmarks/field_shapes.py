"""Sessions in the shapes that programs record: what the Messages API and Chat Completions really hold in the field.

A session of Claude Code has `caller` in each call, signed thinking, results of one text, and nested inputs; one of
tau-bench or SWE-agent in Chat Completions has texts as contents, arguments as text, and the tool's name in each result.
Lengths differ as they do in recordings, by a fixed rule: nothing is random, and nothing is recorded.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["SHAPES", "Raw", "chat", "claude_code", "short", "with_cache_marks"]

Raw: TypeAlias = list[dict[str, Any]]
WORDS: Final = "the module and its tests: a fixture returns größe, path, value — error in line"
LENGTHS: Final = (120, 2_400, 310, 90, 5_200, 700, 60, 1_300, 180, 9_000)
"""How long results are, in turn."""


def text(number: int, length: int) -> str:
    """Write a text of about a length; no two numbers have the same."""
    words, split = [f"{number}:"], WORDS.split()
    size = 0
    while size < length:
        word = split[(number + len(words) * 7) % len(split)]
        words.append(word)
        size += len(word) + 1
    return " ".join(words)


def claude_code(size: int, length: int | None = None) -> Raw:
    """Write a session of Claude Code.

    Args:
        size: how many messages.
        length: how long each text is; None for lengths as in recordings.

    Returns:
        The messages, in the form in which its requests hold them.
    """
    return [*islice(_claude_code(length), size - 1), {"role": "user", "content": [_text("Thanks, go on.")]}]


def _claude_code(length: int | None) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        yield {"role": "user", "content": text(number, length or 300)}
        for step in range(2 + number % 5):
            ids = [f"toolu_{number:06}{step}{which}" for which in "ab"[: 1 + (number + step) % 3 // 2]]
            calls = [_call(id, number + step) for id in ids]
            thinking = {"type": "thinking", "thinking": text(number, length or 400), "signature": "RXJrSUNBZ0lD" * 20}
            said = [_text(text(number + step, length or 110))] if step % 2 == 0 else []
            yield {"role": "assistant", "content": [*([thinking] if step % 3 == 0 else []), *said, *calls]}
            lengths = [length or LENGTHS[(number + step + n) % len(LENGTHS)] for n in range(len(ids))]
            yield {"role": "user", "content": [_result(id, size) for id, size in zip(ids, lengths, strict=True)]}
        yield {"role": "assistant", "content": [_text(text(number, length or 500))]}
        number += 1


def _call(id: str, number: int) -> dict[str, Any]:
    edits = [{"old": f"def check_{n}(value):", "new": f"def check_{n}(value: int) -> bool:"} for n in range(2)]
    inputs = (
        ("Bash", {"command": f"pytest -q tests/test_{number}.py", "description": "Run the tests", "timeout": 60_000}),
        ("Read", {"file_path": f"/project/src/part_{number}.py", "limit": 200}),
        ("MultiEdit", {"file_path": f"/project/src/part_{number}.py", "edits": edits}),
    )
    name, input = inputs[number % len(inputs)]
    return {"type": "tool_use", "id": id, "name": name, "input": input, "caller": {"type": "direct"}}


def _result(id: str, length: int) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text(len(id), length)}


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def chat(size: int) -> Raw:
    """Write a session of tau-bench or SWE-agent in Chat Completions."""
    return [*islice(_chat(), size - 1), {"role": "user", "content": "Thanks, that is all."}]


def _chat() -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        yield {"role": "user", "content": text(number, 140)}
        for step in range(number % 4):
            id = f"call_{number:06}{step}"
            arguments = json.dumps({"order_id": f"#W{number}{step}", "item_ids": [str(number), str(step)], "pay": 1.5})
            function = {"name": ("get_order_details", "find_user_id", "calculate")[step], "arguments": arguments}
            calls = [{"function": function, "id": id, "type": "function"}]
            yield {"content": None, "role": "assistant", "tool_calls": calls}
            found = {"role": "tool", "tool_call_id": id, "name": function["name"]}
            yield {**found, "content": json.dumps({"status": "delivered", "items": text(number, 900)})}
        yield {"content": text(number, 260), "role": "assistant"}
        number += 1


def short(size: int) -> Raw:
    """Write a session of Claude Code with messages of 200 characters."""
    return claude_code(size, 200)


def with_cache_marks(size: int) -> Raw:
    """Write a request of Claude Code: its last two user messages are marked for the cache."""
    raw = claude_code(size)
    marked = [n for n, message in enumerate(raw) if message["role"] == "user" and isinstance(message["content"], list)]
    for n in marked[-2:]:
        content = raw[n]["content"]
        raw[n] = {**raw[n], "content": [*content[:-1], {**content[-1], "cache_control": {"type": "ephemeral"}}]}
    return raw


SHAPES: Final[dict[str, Callable[[int], Raw]]] = {
    "Claude Code": claude_code,
    "Claude Code, short messages": short,
    "Claude Code, with cache marks": with_cache_marks,
    "Chat Completions": chat,
}
