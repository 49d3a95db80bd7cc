"""Find what a reader of the tagged form refuses in a list as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history.dialects.kit import Findings, OpenCalls, check_list, entries, mappings, text_at
from message_history_example.tagged.schema import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history import Violation


def violations(wire: Sequence[Any]) -> list[Violation]:
    """Find what is refused."""
    return check_list(_Check(wire), "TG-01")


@final
class _Check:
    """One list, and the actions that wait for their outcomes."""

    def __init__(self, wire: Sequence[Any]) -> None:
        self.found = Findings(RULES.by_id)
        self.entries = mappings(wire)
        self._open = OpenCalls()

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        """Check one entry, and whether it may follow what came before."""
        speaker = text_at(entry, "speaker")
        if speaker not in ("SYSTEM", "USER", "AI", "TOOL"):
            self.found.add("TG-02", n, "speaker", f"an entry from {speaker!r:.40}", role=speaker)
        for outcome in mappings(entries(entry.get("outcomes"))):
            key = text_at(outcome, "key")
            if self._open.answer(key, n) != "answered":
                self.found.add("TG-03", n, "outcomes", f"an outcome of no action {key!r:.40}", which=1, ids=key)
        self.whole()
        keys = (text_at(each, "key") for each in mappings(entries(entry.get("actions"))))
        self._open = OpenCalls(index=n, ids=keys)

    def whole(self) -> None:
        """Check that no action waits."""
        if self._open.is_waiting:
            ids = ", ".join(self._open.waiting)
            self.found.add("TG-03", self._open.index, "actions", f"no outcome: {ids:.80}", ids=ids)
