"""Lines built like those of Claude Code's sessions: what it prints, and the items of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.document import Document

AGENTS_RESULTS: Final = frozenset(
    {
        *("function_call_result", "computer_call_result", "shell_call_output"),
        *("apply_patch_call_output", "program_output"),
    }
)
AGENTS_MARKED: Final = AGENTS_RESULTS | {"function_call", "computer_call", "shell_call", "apply_patch_call", "program"}
"""The kinds of items that have a `callId`, which no other program writes with these kinds."""
SAVED: Final = frozenset({"sessionId", "parentUuid", "isSidechain"})
"""The keys of lines that are saved, not printed."""
SHOWN: Final = frozenset(
    {
        *("system", "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary", "auth_status"),
        *("control_request", "control_response", "control_cancel_request", "keep_alive", "prompt_suggestion"),
        *("interaction_query", "connection", "retry", "error"),
    }
)
THINKING: Final = "thinking"
CALL: Final = "tool_call"
PARENT: Final = "parent_tool_use_id"


def is_message(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    return row.get("type") in ("user", "assistant") and isinstance(message, dict) and "content" in message


def is_row(row: Mapping[str, Any]) -> bool:
    """Return whether a line is an event that is printed, and not one that is saved."""
    is_known = is_message(row) or row.get("type") in SHOWN or row.get("type") == "result" or is_cursors(row)
    return is_known and SAVED.isdisjoint(row)


def is_marked(row: Mapping[str, Any]) -> bool:
    """Return whether a line is an event of such a program, and of no other."""
    if not is_row(row):
        return False
    if "session_id" not in row:
        return is_message(row) and "uuid" not in row and row["message"].get("role", row["type"]) == row["type"]
    is_start = row.get("type") == "system" and row.get("subtype") == "init"
    is_end = row.get("type") == "result" and "subtype" in row and "is_error" in row
    return is_start or is_end or (is_message(row) and PARENT in row)


def is_cursors(row: Mapping[str, Any]) -> bool:
    """Return whether only Cursor prints an event: a call, or a piece of thinking."""
    is_call = row.get("type") == CALL and isinstance(row.get(CALL), dict)
    return "subtype" in row and (is_call or (row.get("type") == THINKING and "message" not in row))


def is_printed(document: Document) -> bool:
    """Return whether a file holds what such a program prints, and not what it saves."""
    items = document.first_items
    return any(map(is_marked, items)) and not any(map(SAVED.intersection, items))


def is_agents_item(item: Mapping[str, Any]) -> bool:
    """Return whether an object is an item of this form, and of no other."""
    kind = item.get("type")
    if kind in AGENTS_MARKED:
        return isinstance(item.get("callId"), str) and "call_id" not in item
    return kind == "hosted_tool_call" or (
        kind in ("message", "reasoning") and isinstance(item.get("providerData"), dict)
    )
