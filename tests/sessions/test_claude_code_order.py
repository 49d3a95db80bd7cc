"""The parts of a reply of Claude Code come out in the order of its file, whatever the newest line descends from."""

from __future__ import annotations

from typing import Any

from message_history.dialects import Anthropic

from .foreign import claude_line, rows


def thinking() -> list[dict[str, Any]]:
    return [{"type": "thinking", "thinking": "Three at once.", "signature": "c2ln"}]


def text() -> list[dict[str, Any]]:
    return [{"type": "text", "text": "I read all three."}]


def use(n: int) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": f"toolu_{n}", "name": "read", "input": {"n": n}}]


def result(n: int) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": str(n)}]
