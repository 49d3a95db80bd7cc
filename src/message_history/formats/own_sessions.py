"""The journals that `JsonlSession` of this library writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.dialects import Native
from message_history.files.conversations import Conversation
from message_history.files.files import FileForm, SavedFile
from message_history.files.own_lines import Journal, is_own, whole_lines
from message_history.formats.kit.base import Fit, Format, Reading, Rewritten
from message_history.formats.kit.document import raw_rows
from message_history.history import restored

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.document import Document


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if any(map(is_own, document.first_rows)) else Fit.NONE


def _read(document: Document) -> Reading:
    journal = _journal(document.data)
    notes = tuple(sorted(journal.notes, key=lambda note: note.line))
    saved = SavedFile(entries=tuple(journal.entries()), form=FileForm.LINES, notes=notes, known=Native())
    return Reading(conversations=(Conversation(file=saved),), notes=notes)


def _repair(data: bytes, policy: Policy) -> Rewritten:
    journal = _journal(data)
    recorded = [*journal.repairs, *journal.standing]
    history = restored(journal.entries(), policy, recorded)
    return Rewritten(b"".join(whole_lines(history, journal.about)), (("", history.repairs[len(recorded) :]),))


def _journal(data: bytes) -> Journal:
    journal = Journal()
    for number, written in enumerate(raw_rows(data), 1):
        journal.take(number, written)
    if journal.version is None:
        journal.note(1, "the header is missing", None)
    for position in journal.lost:
        journal.note(1, f"message {position} was in the file and is not any more", None)
    return journal


OWN_SESSIONS: Final = Format(
    name="message-history",
    rank=10,
    title="Sessions of this library (JsonlSession)",
    files="wherever an application keeps them",
    omits="nothing",
    source="docs/sessions.md",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_repair,
    judged=None,
)
