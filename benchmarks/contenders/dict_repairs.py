"""turnsafe and tool-call-repair: functions that repair a list of dicts before each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import toolrepair
import turnsafe

from benchmarks.contenders.base import Case, Contender

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["ToolCallRepair", "Turnsafe"]


class _Repairs(Contender):
    """A list that is repaired by a function."""

    def ingest_dicts(self) -> Case:
        messages = self.raw
        return Case(lambda: self.sent(messages))

    def repair(self) -> Case:
        messages = self.damaged
        return Case(lambda: self.sent(messages))

    def export(self) -> Case:
        return self.ingest_dicts()

    def export_again(self) -> Case:
        messages, turn = self.raw, self.turn
        return Case(lambda: self.sent([*messages, *turn]))


class Turnsafe(_Repairs):
    """turnsafe."""

    def trim(self) -> Case:
        messages, half = self.raw, self.size // 2
        return Case(lambda: turnsafe.fit(messages, half, "anthropic", counter=lambda _: 1))

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        wire: list[Any] = turnsafe.repair(raw, "anthropic")
        return wire


class ToolCallRepair(_Repairs):
    """tool-call-repair."""

    def trim(self) -> Case:
        messages, half = self.raw, self.size // 2
        return Case(lambda: toolrepair.safe_trim(messages, keep=half, format="anthropic"))

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        wire: list[Any] = toolrepair.repair(raw, format="anthropic", strategy="synthesize")
        return wire
