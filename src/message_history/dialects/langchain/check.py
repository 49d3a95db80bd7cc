"""Find what chat models refuse in a list of LangChain's messages, from the dumps alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.dialects._shared.checker import Findings, OpenCalls, check_list, entries, mapping_of, text_at
from message_history.dialects.langchain.schema import RULES, as_message, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.violations import Violation


def violations(wire: Sequence[Any], _: object = None) -> list[Violation]:
    """Find what chat models refuse, from the dumps alone."""
    return check_list(_Check(wire))


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any]) -> None:
        self.found = Findings(RULES.by_id)
        self.entries = wire
        self._calls = OpenCalls()
        self._begun = False

    def entry(self, n: int, entry: object) -> None:
        data = as_message(entry)
        kind = kind_of(data) if data is not None else ""
        if data is None:
            self.found.add("LC-4", n)
            return
        if kind == "tool":
            if self._calls.answer(text_at(data, "tool_call_id"), n) != "answered":
                self.found.add("LC-2", n, "tool_call_id")
            return
        self._unanswered(n - 1)
        calls = [*entries(data.get("tool_calls")), *entries(data.get("invalid_tool_calls"))]
        self._calls = OpenCalls(index=n, ids=[text_at(mapping_of(call), "id") for call in calls])
        if not self._begun and kind == "assistant":
            self.found.add("LC-3", n)
        self._begun = self._begun or kind != "system"
        if not calls and not data.get("content"):
            self.found.add("LC-4", n, "content")

    def whole(self) -> None:
        self._unanswered(len(self.entries) - 1)

    def _unanswered(self, n: int) -> None:
        if self._calls.is_waiting:
            self.found.add("LC-1", n, detail=f"no tool message for {', '.join(self._calls.waiting)}")
