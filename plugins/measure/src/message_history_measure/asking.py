"""Ask one question after the other: with which arrangement of a dialect's fields is everything taken?"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from message_history import MessageHistory
from message_history.dialects import OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.dialects.base import Dialect, Export
    from message_history_measure.probes import Entry
    from message_history_measure.questions import Question


class Asking(ABC):
    """Whatever takes lists, and what was found of it.

    Attributes:
        row: the fields, in the form of a row of `models.toml`.
        losses: what it takes in no arrangement, in words.
    """

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.fields: dict[str, Any] = row["fields"]
        self.losses: list[str] = []

    @abstractmethod
    def dialect(self, row: Mapping[str, Any]) -> Dialect[Any]:
        """Return the dialect with the fields of a row."""

    @abstractmethod
    def missing(self, raw: Sequence[Entry], export: Export | None) -> list[str]:
        """Say what of a list was not taken, when it was exported; or, without an export, when it is sent as it is."""

    def ask(self, question: Question) -> None:
        """Choose the first arrangement with which everything is taken, or that which loses least."""
        if question.as_is:
            self.fields |= question.arrangements[bool(self.lost(question.lists))]
            return
        lost = [self.lost(question.lists, question.arrangements[0])]
        for arrangement in question.arrangements[1:]:
            if not lost[-1]:
                break
            lost.append(self.lost(question.lists, arrangement))
        best = min(lost, key=len)
        self.fields |= question.arrangements[lost.index(best)]
        if best:
            self.losses.append(f"{question.asks}: {', '.join(dict.fromkeys(best))}")

    def lost(self, lists: Iterable[list[Entry]], arrangement: Mapping[str, Any] | None = None) -> list[str]:
        """Say what is not taken of lists; without an arrangement they are sent as they are."""
        if arrangement is None:
            return [lost for raw in lists for lost in self.missing(raw, None)]
        dialect = self.dialect({**self.row, "fields": {**self.fields, **arrangement}})
        return [lost for raw in lists for lost in self.missing(raw, history_of(json.dumps(raw)).export(dialect))]


@lru_cache(maxsize=128)
def history_of(raw: str) -> MessageHistory:
    """Read a list that is JSON; most are asked more than once."""
    return MessageHistory.from_list(json.loads(raw), dialect=OpenAIChat())
