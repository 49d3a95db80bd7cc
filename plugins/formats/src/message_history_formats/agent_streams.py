"""What Claude Code prints as stream-json, and Qwen Code, Amp and Cursor's agent after it; Cursor has calls of its own.

Messages are as in the Messages API; those of a subagent name the call that started it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.formats.claude_lookalikes import (
    CALL,
    PARENT,
    SAVED,
    SHOWN,
    THINKING,
    is_cursors,
    is_marked,
    is_message,
    is_row,
)
from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    PRINTED,
    Collector,
    Conversations,
    Fit,
    Format,
    Reading,
    call,
    fit_items,
    json_text,
    result,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Document


def _is_known(items: list[dict[str, Any]]) -> bool:
    """Return whether the events name their session, or else whether each of them is one of these."""
    return any("session_id" in item for item in items) or all(map(is_row, items))


def _fit_claude(document: Document) -> Fit:
    items = document.first_items
    has_other = not all(map(SAVED.isdisjoint, items)) or any(map(is_cursors, items))
    return Fit.NONE if has_other or not _is_known(items) else fit_items(items, is_row, is_marked, is_common=True)


def _fit_cursor(document: Document) -> Fit:
    return fit_items(document.first_items, is_row, is_cursors, is_common=True)


def _read(document: Document) -> Reading:
    found = Conversations()
    sides: dict[str, _Side] = {"": _Side(found.collector())}
    id: object = None
    for n, row in document.numbered_items:
        id = id or (row.get("session_id") if isinstance(row, dict) else None)
        parent = row.get(PARENT) if isinstance(row, dict) and is_message(row) else None
        name = parent if isinstance(parent, str) else ""
        if name not in sides:
            sides[name] = _Side(found.collector())
        sides[name].add(n, row)
    for name, side in sides.items():
        label = f"sidechain {name}" if name else ""
        found.add(side.collector.conversation(BLOCKS, label=label, id=id))
    return found.reading()


@final
class _Side:
    """The main conversation, or one of a subagent, while it is read."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self._pieces = ""
        self._is_repeated = False
        self._turn = ""
        self._called: set[object] = set()

    def add(self, n: int, row: Any) -> None:
        kind = row.get("type") if isinstance(row, dict) else None
        if kind == THINKING and is_cursors(row):
            self.collector.add_piece(n, "assistant", row.get("text"), THINKING)
        elif kind == CALL and is_cursors(row):
            self._pieces = ""
            self._add_call(n, row)
        elif kind == "result":
            self._add_end(n, row)
        elif isinstance(row, dict) and is_message(row):
            self._add_message(n, row)
        elif kind in SHOWN:
            self.collector.omit(f"{kind} events")
        else:
            self.collector.note(n, f"an event of the unknown type {kind!r}", row)

    def _add_message(self, n: int, row: Mapping[str, Any]) -> None:
        role, message = row["type"], row["message"]
        content = message["content"]
        blocks = text(content) if isinstance(content, str) else list(content or [])
        written = "".join(str(block.get("text")) for block in blocks if isinstance(block, dict) and "text" in block)
        if role == "user":
            self._pieces = self._turn = ""
            self.collector.add_blocks(n, role, blocks)
        elif "timestamp_ms" in row and "model_call_id" not in row:
            # A piece of a text, which is repeated as a whole when it is complete.
            self._pieces = written if self._is_repeated else self._pieces + written
            self._is_repeated = False
            self._turn += written
            self.collector.add_piece(n, role, written)
        elif written and written in (self._pieces, self._turn):
            self._is_repeated = True
            self.collector.omit("texts that repeat their pieces")
        else:
            self._turn += written
            self.collector.add_blocks(n, role, blocks)
            self.collector.reply(message, "anthropic")

    def _add_call(self, n: int, row: Mapping[str, Any]) -> None:
        id, asked = row.get("call_id"), row[CALL]
        named = [key for key, value in asked.items() if isinstance(value, dict)]
        name = next((key for key in named if key.endswith("ToolCall")), next(iter(named), None))
        inner = asked.get(name, {})
        arguments = inner.get("args", inner.get("arguments"))
        found, repeated = inner.get("result", asked.get("result")), set(_texts(arguments))
        if id not in self._called:
            self._called.add(id)
            if name == "mcpToolCall" and isinstance(arguments, dict):
                name, arguments = arguments.get("toolName") or arguments.get("name"), arguments.get("args")
            elif name == "function":
                name = inner.get("name")
            self.collector.add_blocks(n, "assistant", [call(id, name, arguments)])
        if found is not None:
            succeeded = found.get("success") if isinstance(found, dict) and "success" in found else None
            output = found if succeeded is None else _output(succeeded, repeated)
            self.collector.add_blocks(n, "user", [result(id, json_text(output), is_error=succeeded is None)])

    def _add_end(self, n: int, row: Mapping[str, Any]) -> None:
        """Add the final text, unless it repeats what was printed before."""
        written = row.get("result")
        if isinstance(written, str) and written.strip() and written.strip() not in self._turn:
            self.collector.add_blocks(n, "assistant", text(written))
        self.collector.omit("result events")
        self._turn = ""


def _output(outcome: Any, asked: set[str]) -> Any:
    """Return the text that a tool returned, if all else in its output is figures, marks and what it was asked."""
    found = outcome.get("content") if isinstance(outcome, dict) else None
    if not isinstance(found, str):
        return outcome
    beside = [each for key, value in outcome.items() if key != "content" for each in _texts(value)]
    return found if asked.issuperset(beside) else outcome


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


_UNSENT: Final = "the start, the end with its figures, events of replies before they were complete, requests for leave"

CLAUDE_STREAM: Final = Format(
    name="claude-stream",
    rank=110,
    title="Claude Code, Qwen Code, Amp: printed events (stream-json, json)",
    files="the output of `claude -p --output-format stream-json`, and of programs that print the same",
    omits=_UNSENT,
    unwritten=PRINTED,
    source="Claude Code: SDKMessage of its SDK; QwenLM/qwen-code: packages/cli/src/nonInteractive/types.ts",
    checked="2026-11-22",
    fit=_fit_claude,
    read=_read,
    judged=NOTHING_JUDGED,
)

CURSOR_STREAM: Final = Format(
    name="cursor-stream",
    rank=150,
    title="Cursor's agent: printed events (stream-json)",
    files="the output of `cursor-agent -p --output-format stream-json`",
    omits=_UNSENT,
    unwritten=PRINTED,
    source="Cursor's reference of its output formats, and files of 2026 (no public source)",
    checked="2026-11-22",
    fit=_fit_cursor,
    read=_read,
    judged=NOTHING_JUDGED,
)
