"""Find what breaks a law in a list of our own saved form; written apart from the state machine.

It reads any list of typed blocks, so it also judges what is written for the Messages API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.checker import Findings, entries, is_blank_text, mappings, text_at
from message_history.dialects._shared.tables import RuleTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.violations import Violation

__all__ = ["RULES", "violations"]

RULES: Final = RuleTable("native")


def violations(wire: Sequence[Any]) -> list[Violation]:
    """Find what breaks a law.

    Args:
        wire: the list; system entries at its start are passed over.

    Returns:
        What is wrong.

    Complexity: linear in the list.
    """
    found = Findings(RULES.by_id)
    before: str | None = None
    calls: list[str] = []
    for n, entry in enumerate(wire):
        if not isinstance(entry, Mapping):
            found.add("NA-L4", n, what="an entry is no message")
            continue
        role = text_at(entry, "role")
        if role == "system" and before is None:
            continue
        if before is None and role != "user":
            found.add("NA-L1", n, "role")
        if role == before:
            found.add("NA-L2", n, "role", role=role)
        content = entries(entry.get("content"))
        blocks = mappings(content)
        if not blocks:
            found.add("NA-L4", n, "content", what="an empty message")
        results = [text_at(block, "tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        leading = [text_at(block, "tool_use_id") for block in blocks[: len(results)]]
        if (before == "assistant" or results) and (results != calls or leading != results):
            found.add("NA-L3", n, "content", ids=", ".join(calls or results))
        calls = [text_at(block, "id") for block in blocks if block.get("type") == "tool_use"]
        if len(set(calls)) != len(calls) or (calls and role != "assistant"):
            found.add("NA-L3", n, "content", ids=", ".join(calls))
        for m, block in enumerate(blocks):
            what = _lack(block)
            if what:
                found.add("NA-L4", n, f"content[{m}]", what=what)
        before = role
    return found.violations


def _lack(block: Mapping[Any, Any]) -> str:
    kind = block.get("type")
    if kind in ("text", "system") and is_blank_text(block.get("text")) and not block.get("signature"):
        return "blank text"
    if kind == "tool_use":
        if not text_at(block, "id") or not text_at(block, "name").strip():
            return "a call without an id or a name"
        if not isinstance(block.get("input"), Mapping):
            return "a call whose input is no object"
    return "" if kind else "a block without a type"
