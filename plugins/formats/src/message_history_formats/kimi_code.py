"""The journal of Kimi Code: records that append to the conversation, and records that take of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Fit,
    Format,
    Reading,
    add_chat_message,
    blocks_of,
    call,
    fit_items,
    result,
    text,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_FAMILIES: Final = (
    *("config.", "context.", "turn.", "llm.", "tools.", "usage.", "permission.", "profile.", "plugin.", "runtime."),
    *("token_counting.", "metadata", "plan.", "plan_mode.", "task.", "skill.", "swarm.", "swarm_mode.", "goal."),
    *("agent.", "hook.", "full_compaction.", "micro_compaction.", "mcp.", "interaction.", "forked"),
)
_SUMMARY: Final = "compaction_summary"
_COUNTED: Final = ("context.update_token_count",)


def _is_record(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and kind.startswith(_FAMILIES)


def _is_context(row: Mapping[str, Any]) -> bool:
    # A session that was only begun has its settings.
    is_begun = row.get("type") == "config.update" and "profileName" in row
    return is_begun or str(row.get("type")).startswith("context.append_") or row.get("type") == "turn.prompt"


def _fit(document: Document) -> Fit:
    return fit_items(document.first_rows, _is_record, _is_context)


class _Piece(NamedTuple):
    """What a record appends: its line, what, and where it comes from."""

    line: int
    entry: dict[str, Any]
    origin: str


@final
class _Journal:
    """The messages so far, while the records are followed."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.system: tuple[int, str] | None = None
        self.pieces: list[_Piece] = []

    def take(self, line: int, row: Mapping[str, Any]) -> None:
        kind, event = row.get("type"), row.get("event")
        if isinstance(row.get("systemPrompt"), str) and self.system is None:
            self.system = (line, row["systemPrompt"])
        elif kind == "context.append_message" and isinstance(row.get("message"), dict):
            self._append_message(line, row["message"])
        elif kind == "context.append_loop_event" and isinstance(event, dict):
            self._append_event(line, event)
        elif kind == "context.apply_compaction":
            self._compact(line, row)
        elif kind == "context.clear":
            self._keep([], "pieces of messages that were cleared")
        elif kind == "context.undo" and isinstance(row.get("count"), int):
            self._undo(row["count"])
        elif (str(kind).startswith("context.") and kind not in _COUNTED) or not _is_record(row):
            self.collector.note(line, f"a record of the unknown type {kind!r}", row)
        else:
            self.collector.omit(f"{kind} records")

    def _append_message(self, line: int, message: Mapping[str, Any]) -> None:
        found, origin = Collector(), message.get("origin")
        if not add_chat_message(found, line, message):
            self.collector.note(line, "a message of an unknown role", message)
            return
        kind = str(origin.get("kind")) if isinstance(origin, dict) else str(message.get("role"))
        self.pieces += [_Piece(line, entry, kind) for entry in found.entries]

    def _append_event(self, line: int, event: Mapping[str, Any]) -> None:
        kind, found = event.get("type"), event.get("result")
        if kind == "content.part":
            self._add(line, "assistant", blocks_of(event.get("part")))
        elif kind == "tool.call":
            self._add(line, "assistant", [call(event.get("toolCallId"), event.get("name"), event.get("args"))])
        elif kind == "tool.result":
            output = found.get("output") if isinstance(found, dict) else found
            failed = isinstance(found, dict) and found.get("isError")
            note = found.get("note") if isinstance(found, dict) else None
            content = _with_note(blocks_of(output) if isinstance(output, list) else output, note)
            self._add(line, "user", [result(event.get("toolCallId"), content, is_error=failed)])
        else:
            self.collector.omit(f"{kind} events")

    def _add(self, line: int, role: str, blocks: list[Any]) -> None:
        if blocks:
            self.pieces.append(_Piece(line, {"role": role, "content": blocks}, "loop"))

    def _keep(self, kept: list[_Piece], why: str) -> None:
        self.collector.omit(why, len(self.pieces) - len(kept))
        self.pieces = kept

    def _compact(self, line: int, row: Mapping[str, Any]) -> None:
        """Add a summary after what it replaces: the journal keeps that, and the library writes no such file."""
        found = row.get("contextSummary") or row.get("summary")
        written = found if isinstance(found, str) else text_of(found.get("content")) if isinstance(found, dict) else ""
        self.pieces += [_Piece(line, {"role": "user", "content": each}, _SUMMARY) for each in [text(written)] if each]

    def _undo(self, count: int) -> None:
        """Undo the user's last messages with all that followed; nothing when a summary comes before them."""
        anchors = [n for n, piece in enumerate(self.pieces) if piece.origin == "user"]
        floor = max((n for n, piece in enumerate(self.pieces) if piece.origin == _SUMMARY), default=-1)
        if 0 < count <= len(anchors) and anchors[-count] > floor:
            self._keep(self.pieces[: anchors[-count]], "pieces of messages that were undone")


def _with_note(content: Any, note: Any) -> Any:
    """Add what the program notes about a result, in the place where it is sent."""
    if not isinstance(note, str) or not note:
        return content
    is_text = isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text"
    words = content[0]["text"] if is_text else content
    return f"{words}\n{note}" if isinstance(words, str) else [*(content or []), *text(note)]


def _read(document: Document) -> Reading:
    journal = _Journal()
    for line, row in document.rows():
        journal.take(line, row)
    collector = journal.collector
    if journal.system is not None:
        collector.add(journal.system[0], {"role": "system", "content": journal.system[1]})
    for piece in journal.pieces:
        if piece.entry["role"] == "system":
            collector.add(piece.line, piece.entry)
        else:
            collector.add_blocks(piece.line, piece.entry["role"], piece.entry["content"])
    return collector.reading(BLOCKS)


KIMI_CODE: Final = Format(
    name="kimi-code",
    rank=220,
    title="Kimi Code journals",
    files="~/.kimi-code/sessions/*/*/agents/*/wire.jsonl",
    omits="requests, settings, approvals, usage, what was cleared or undone; a summary follows what it sums up",
    unwritten="what is sent again follows from all records of the journal, not from one row",
    source="MoonshotAI/kimi-code: packages/agent-core-v2/src/agent/contextMemory (contextOps.ts, toolResultRender.ts)",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
)
