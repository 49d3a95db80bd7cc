"""The sessions of Kiro on the command line since its version 2, one event in each line.

What comes before a /clear is a separate conversation: Kiro starts again after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Conversations,
    Format,
    Reading,
    call,
    json_text,
    result,
    row_fit,
    text,
    thinking,
)
from message_history.formats.kit.raw_blocks import image_of_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_ROLES: Final = {"Prompt": "user", "AssistantMessage": "assistant", "ToolResults": "user"}
_CLEAR: Final = "Clear"
_COMPACTION: Final = "Compaction"


def _is_row(row: Mapping[str, Any]) -> bool:
    data = row.get("data")
    blocks = data.get("content") if row.get("kind") in _ROLES and isinstance(data, dict) else None
    return isinstance(blocks, list) and all(isinstance(each, dict) and "kind" in each for each in blocks)


def _read(document: Document) -> Reading:
    parts = [Collector()]
    for number, row in document.rows():
        kind = row.get("kind")
        if kind == _CLEAR:
            parts.append(Collector())
        elif kind == _COMPACTION:
            # The lines before it stay, and say all that the summary says.
            parts[-1].omit("summaries of what is before them")
        elif _is_row(row):
            _add(parts[-1], number, _ROLES[str(kind)], row["data"]["content"])
        else:
            parts[-1].note(number, f"a line of the unknown kind {kind!r}", row)
    found = Conversations()
    for n, collector in reversed(list(enumerate(parts, 1))):
        if collector.entries or len(parts) == 1:
            found.add(collector.conversation(BLOCKS, label=f"before /clear {n}" if found else ""))
    reading = found.reading(parts[-1])
    return Reading(conversations=reading.conversations, unread=tuple(note for each in parts for note in each.unread))


def _add(collector: Collector, number: int, role: str, content: list[dict[str, Any]]) -> None:
    blocks: list[dict[str, Any]] = []
    for each in content:
        data = each.get("data")
        made = _blocks(str(each["kind"]), data)
        if made is None:
            collector.note(number, f"a block of the unknown kind {each['kind']!r}", each)
        else:
            blocks += made
        hidden = each["kind"] == "thinking" and isinstance(data, dict) and data.get("redactedContent")
        collector.omit("thinking that is not shown", bool(hidden))
    # What the user sent while the calls ran is in the same message as the results.
    collector.add_blocks(number, role, blocks)


def _blocks(kind: str, data: Any) -> list[dict[str, Any]] | None:
    if kind == "text":
        return text(data)
    if not isinstance(data, dict):
        return None
    if kind == "thinking":
        return thinking(data.get("text"), data.get("signature")) if data.get("text") else []
    if kind == "image":
        return [_image(data)]
    if kind == "toolUse":
        return [call(data.get("toolUseId"), data.get("name"), data.get("input"))]
    if kind == "toolResult":
        return [result(data.get("toolUseId"), _content(data.get("content")), is_error=data.get("status") == "error")]
    return None


def _content(parts: object) -> Any:
    """Return the content of a result: a text, or a list of texts and images."""
    if not isinstance(parts, list):
        return parts
    found = [block for part in parts if isinstance(part, dict) for block in _part(part)]
    return found[0]["text"] if len(found) == 1 and found[0]["type"] == "text" else found or ""


def _part(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = part.get("data")
    if part.get("kind") == "image" and isinstance(data, dict):
        return [_image(data)]
    return text(json_text(data))


def _image(about: Mapping[str, Any]) -> dict[str, Any]:
    source = about.get("source")
    return image_of_bytes(about.get("format"), source.get("data") if isinstance(source, dict) else None)


KIRO_CLI: Final = Format(
    name="kiro-cli",
    rank=280,
    title="Kiro on the command line: its sessions",
    files="~/.kiro/sessions/cli/*.jsonl",
    omits="thinking that is not shown, summaries of what comes before them, what the program keeps of results",
    unwritten="the file next to it lists the ids of the messages of each turn",
    source="lines of versions 2.14 to 2.28 in tests of programs that read them (no public source)",
    checked="2026-11-23",
    fit=row_fit(_is_row),
    read=_read,
)
