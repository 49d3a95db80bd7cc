"""Session files as other programs write them, made of conversations of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from message_history.dialects import Anthropic, OpenAIResponses

if TYPE_CHECKING:
    from message_history import MessageHistory


def rows(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in values)


def claude_line(own: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    """Give a line of Claude Code; `id` is the reply's."""
    message = {"role": role, "content": content}
    if "id" in more:
        message = {"id": more.pop("id"), "type": "message", "model": "m", **message, "stop_reason": None}
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/me",
        "sessionId": "session",
        "version": "2.0.0",
        "type": role,
        "message": message,
        "uuid": own,
        "timestamp": f"2026-11-20T09:00:{own[-2:]}Z",
        **more,
    }


def claude_lines(history: MessageHistory) -> list[dict[str, Any]]:
    """Write a history as Claude Code does: replies block by block, results one by one, snapshots in between."""
    values: list[dict[str, Any]] = [{"type": "file-history-snapshot", "messageId": "x", "sessionId": "session"}]
    parent: str | None = None
    for n, entry in enumerate(history.as_sent().for_send(Anthropic(prefill=True))):
        content: Any = entry["content"]
        parts = [content] if isinstance(content, str) or entry["role"] == "user" else [[item] for item in content]
        if entry["role"] == "user" and not isinstance(content, str):
            parts = [[item] for item in content if item["type"] == "tool_result"]
            rest = [item for item in content if item["type"] != "tool_result"]
            parts += [rest] if rest else []
        for part in parts:
            own = f"line-{len(values):02}"
            more = {"id": f"msg_{n}"} if entry["role"] == "assistant" else {}
            values.append(claude_line(own, parent, entry["role"], part, **more))
            parent = own
    return values


def codex_line(payload: Any, kind: str = "response_item") -> dict[str, Any]:
    return {"timestamp": "2026-11-20T09:00:00Z", "type": kind, "payload": payload}


def codex_lines(history: MessageHistory) -> list[dict[str, Any]]:
    """Write a history as a rollout of Codex, with other lines in between."""
    values = [codex_line({"id": "x", "cwd": "/home/me", "cli_version": "0.65.0"}, "session_meta")]
    for item in history.as_sent().for_send(OpenAIResponses()):
        values.append(codex_line({"type": "message", **item} if "role" in item else item))
        values.append(codex_line({"type": "token_count"}, "event_msg"))
    return values
