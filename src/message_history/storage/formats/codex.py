"""The rollouts of Codex; `sessions.codex` knows their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.storage.formats.base import Fit, Format, Reading, Rewritten
from message_history.storage.formats.spliced import read_threads, repair_threads
from message_history.storage.sessions import codex

if TYPE_CHECKING:
    from message_history.core.policy import Policy
    from message_history.storage.formats.document import Document

__all__ = ["CODEX"]


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if any(map(codex.is_line, document.first_rows())) else Fit.NONE


def _read(document: Document) -> Reading:
    return read_threads(document, codex.threads)


def _repair(data: bytes, policy: Policy) -> Rewritten:
    return repair_threads(data, policy, codex.threads, codex.spliced)


CODEX: Final = Format(
    name="codex",
    title="Codex rollouts",
    files="~/.codex/sessions/*/*/*/rollout-*.jsonl",
    omits="events of the display, settings of turns, rolled back and compacted items",
    source="openai/codex: codex-rs/protocol/src/protocol.rs, codex-rs/core/src/rollout",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    repair=_repair,
    judged=None,
)
