"""Find what chat models refuse in a list of LangChain's messages, from the dumps alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.dialects._shared.checker import Findings, entries, text_at
from message_history.dialects.langchain.schema import RULES, as_message, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.violations import Violation

__all__ = ["violations"]


def violations(wire: Sequence[Any]) -> list[Violation]:
    """Find what chat models refuse, from the dumps alone."""
    found = Findings(RULES.by_id)
    waiting: list[str] = []
    begun = False
    for n, entry in enumerate(wire):
        data = as_message(entry)
        kind = kind_of(data) if data is not None else ""
        if data is None:
            found.add("LC-4", n)
            continue
        if kind == "tool":
            if text_at(data, "tool_call_id") not in waiting:
                found.add("LC-2", n, "tool_call_id")
            else:
                waiting.remove(text_at(data, "tool_call_id"))
            continue
        if waiting:
            found.add("LC-1", n - 1, detail=f"no tool message for {', '.join(waiting)}")
        calls = [*entries(data.get("tool_calls")), *entries(data.get("invalid_tool_calls"))]
        waiting = [text_at(_mapping(call), "id") for call in calls]
        if not begun and kind == "assistant":
            found.add("LC-3", n)
        begun = begun or kind != "system"
        if not calls and not data.get("content"):
            found.add("LC-4", n, "content")
    if waiting:
        found.add("LC-1", len(wire) - 1, detail=f"no tool message for {', '.join(waiting)}")
    return found.violations


def _mapping(call: object) -> Mapping[Any, Any]:
    """Read a call of a dump."""
    return call if isinstance(call, dict) else {}
