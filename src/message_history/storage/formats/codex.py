"""The rollouts of Codex; `sessions.codex` knows their lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from message_history.storage.formats.base import Fit, Format
from message_history.storage.formats.spliced import read_threads, repair_threads
from message_history.storage.sessions import codex

if TYPE_CHECKING:
    from message_history.storage.formats.document import Document

__all__ = ["CODEX"]


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if any(map(codex.is_line, document.first_rows())) else Fit.NONE


CODEX: Final = Format(
    name="codex",
    title="Codex rollouts",
    files="~/.codex/sessions/*/*/*/rollout-*.jsonl",
    omits="events of the display, settings of turns, rolled back and compacted items",
    source="openai/codex: codex-rs/protocol/src/protocol.rs, codex-rs/core/src/rollout",
    checked="2026-11-22",
    fit=_fit,
    read=partial(read_threads, threads=codex.threads, kind=codex.kind_of),
    repair=partial(repair_threads, threads=codex.threads, weave=codex.spliced),
    judged=None,
)
