"""Find what breaks a law in a list of our own saved form; written separately from the state machine.

It reads any list of typed blocks, so it also judges what is written for the Messages API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.checker import Findings, check_list, entries, is_blank_text, mappings, text_at
from message_history.dialects._shared.tables import RuleTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.violations import Violation

RULES: Final = RuleTable(__package__)


def violations(wire: Sequence[Any]) -> list[Violation]:
    """Find what breaks a law; system entries at the start are passed over."""
    return check_list(_Check(wire))


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any]) -> None:
        self.found = Findings(RULES.by_id)
        self.entries = wire
        self._before: str | None = None
        self._calls: list[str] = []

    def entry(self, n: int, entry: object) -> None:
        if not isinstance(entry, Mapping):
            self.found.add("NA-L4", n, what="an entry is not a message")
            return
        role = text_at(entry, "role")
        if role == "system" and self._before is None:
            return
        if self._before is None and role != "user":
            self.found.add("NA-L1", n, "role")
        if role == self._before:
            self.found.add("NA-L2", n, "role", role=role)
        blocks = mappings(entries(entry.get("content")))
        if not blocks:
            self.found.add("NA-L4", n, "content", what="an empty message")
        self._pairs(n, role, blocks)
        for m, block in enumerate(blocks):
            what = _lack(block)
            if what:
                self.found.add("NA-L4", n, f"content[{m}]", what=what)
        self._before = role

    def _pairs(self, n: int, role: str, blocks: Sequence[Mapping[Any, Any]]) -> None:
        calls = self._calls
        results = [text_at(block, "tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        leading = [text_at(block, "tool_use_id") for block in blocks[: len(results)]]
        if (self._before == "assistant" or results) and (results != calls or leading != results):
            self.found.add("NA-L3", n, "content", ids=", ".join(calls or results))
        self._calls = calls = [text_at(block, "id") for block in blocks if block.get("type") == "tool_use"]
        if len(set(calls)) != len(calls) or (calls and role != "assistant"):
            self.found.add("NA-L3", n, "content", ids=", ".join(calls))

    def whole(self) -> None:
        """Check nothing more: the calls of the last message may wait."""


def _lack(block: Mapping[Any, Any]) -> str:
    kind = block.get("type")
    if kind in ("text", "system") and is_blank_text(block.get("text")) and not block.get("signature"):
        return "blank text"
    if kind == "tool_use":
        if not text_at(block, "id") or not text_at(block, "name").strip():
            return "a call without an id or a name"
        if not isinstance(block.get("input"), Mapping):
            return "a call whose input is not an object"
    return "" if kind else "a block without a type"
