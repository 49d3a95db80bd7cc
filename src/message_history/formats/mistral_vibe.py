"""The messages of a session of Mistral Vibe, one in each line; its settings and its system prompt are in meta.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import Collector, Format, Reading, row_fit
from message_history.formats.kit.chat_messages import ROLES, add_chat_message
from message_history.formats.kit.raw_blocks import BLOCKS, image, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.document import Document

_INLINE: Final = "data"
_NOT_SENT: Final = ("reasoning_signature", "reasoning_state", "user_display_content")


def _is_row(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a message as Vibe dumps it: it says of each whether it put it in itself."""
    return row.get("role") in ROLES and isinstance(row.get("injected"), bool)


def _read(document: Document) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        if row.get("role") == "user":
            collector.add_blocks(number, "user", [block for each in row.get("images") or () for block in _image(each)])
        if not add_chat_message(collector, number, row):
            collector.note(number, "a row of an unknown role", row)
        for key in _NOT_SENT:
            collector.omit(f"keys of messages: {key}", row.get(key) is not None)
    return collector.reading(BLOCKS)


def _image(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return an image with its data, or the name of one that is a file next to the session."""
    source = about.get("source") or about
    if isinstance(source.get(_INLINE), str):
        return [image(f"data:{about.get('mime_type')};base64,{source[_INLINE]}")]
    return text(f"[attached: {about.get('alias')}]")


MISTRAL_VIBE: Final = Format(
    name="mistral-vibe",
    rank=190,
    title="Mistral Vibe sessions",
    files="~/.vibe/logs/session/*/messages.jsonl",
    omits="signatures of thinking, what was shown in the place of a message; the system prompt is in meta.json",
    unwritten="Vibe counts the messages in meta.json, and adds what comes after that count: one more would come twice",
    source="mistralai/mistral-vibe: vibe/core/session/session_logger.py, session_loader.py, core/types.py",
    checked="2026-11-23",
    fit=row_fit(_is_row),
    read=_read,
)
