"""The rollouts of Codex; `sessions.codex` knows their lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.files.files import UnreadableFileError
from message_history.formats import codex_rows as codex
from message_history.formats.kit.base import NOTHING_JUDGED, Collector, Fit, Format, Reading
from message_history.formats.kit.raw_blocks import BLOCKS, text, thinking
from message_history.formats.kit.spliced import read_threads, repair_threads

if TYPE_CHECKING:
    from message_history.files.conversations import Conversation
    from message_history.formats.kit.document import Document


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if any(map(codex.is_line, document.first_rows)) else Fit.NONE


def _read(document: Document) -> Reading:
    try:
        return read_threads(document, threads=codex.threads, kind=codex.kind_of)
    except UnreadableFileError:
        shown = _shown(document)
        if not shown.file.entries:
            raise
        return Reading(conversations=(shown,))


def _shown(document: Document) -> Conversation:
    """Return what was shown of a conversation whose items are not in the file: its texts."""
    collector = Collector()
    for number, row in document.rows():
        payload = row.get("payload")
        event = payload if row.get("type") == "event_msg" and isinstance(payload, dict) else {}
        if event.get("type") == "user_message":
            collector.add_blocks(number, "user", text(event.get("message")))
        elif event.get("type") == "agent_message":
            collector.add_blocks(number, "assistant", text(event.get("message")))
        elif event.get("type") == "agent_reasoning":
            collector.add_blocks(number, "assistant", thinking(event.get("text")))
        else:
            collector.omit(codex.kind_of(row) or "other lines")
    return evolve(collector.conversation(BLOCKS), judged=NOTHING_JUDGED)


CODEX: Final = Format(
    name="codex",
    rank=30,
    title="Codex rollouts",
    files="~/.codex/sessions/*/*/*/rollout-*.jsonl",
    omits="events of the display, settings of turns, rolled back and compacted items",
    source="openai/codex: codex-rs/protocol/src/protocol.rs, codex-rs/core/src/rollout",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=partial(repair_threads, threads=codex.threads, weave=codex.spliced),
    judged=None,
)
