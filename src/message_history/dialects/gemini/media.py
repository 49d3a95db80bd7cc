"""Media types and base64: what parsing and rendering know of them alike."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from message_history.dialects.gemini import schema

if TYPE_CHECKING:
    from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock

_BY_NAME: Final = {
    "csv": "text/csv",
    "gif": "image/gif",
    "heic": "image/heic",
    "heif": "image/heif",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webp": "image/webp",
}
_BY_MAGIC: Final = (
    ("/9j/", "image/jpeg"),
    ("_9j_", "image/jpeg"),
    ("iVBOR", "image/png"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi", "application/pdf"),
)
_MASK: Final = re.compile(r"<[^<>]*>|\[[A-Z_ ]+\]")
"""What recordings show in place of a part of a long or secret value."""


def media_type(value: object) -> str:
    """Complete a media type, or the name of a format, in lower case; an empty text without one."""
    if not isinstance(value, str):
        return ""
    kind = value.partition(";")[0].strip().lower()
    if kind == "image/jpg":
        return "image/jpeg"
    return _BY_NAME.get(kind, kind)


def type_of_data(data: str) -> str:
    """Return the type of base64 data from their beginning; an empty text when it does not tell."""
    return next((kind for start, kind in _BY_MAGIC if data.startswith(start)), "")


def type_of_url(url: str) -> str:
    """Return the type of what a URL names from its ending; an empty text when it does not tell."""
    path = re.split("[?#]", url, maxsplit=1)[0]
    return _BY_NAME.get(path.rpartition(".")[2].lower(), "")


def is_taken(kind: str) -> bool:
    if kind.startswith("image/"):
        return kind in schema.IMAGE_TYPES
    if kind.startswith("application/"):
        return kind in schema.APPLICATION_TYPES
    return schema.TYPE.fullmatch(kind) is not None


def is_modelled(kind: str) -> bool:
    """Return whether media of a type are blocks of our own, images or documents, and not kept whole."""
    return kind.startswith(("image/", "text/", "application/"))


def is_held_by_google(uri: str) -> bool:
    """Return whether only Google can read what a URI names: an uploaded file, or an object of its storage."""
    return not uri.startswith(("http://", "https://")) or "://generativelanguage.googleapis.com/" in uri


def is_base64(text: str) -> bool:
    """Return whether a text decodes as base64, in either alphabet, with or without padding."""
    return schema.BASE64.fullmatch(text) is not None and len(text.rstrip("=")) % 4 != 1


def is_masked(text: str) -> bool:
    """Return whether a text is what a recording left of base64: it stands for a value that nobody has any more."""
    return _MASK.search(text) is not None and schema.BASE64.fullmatch(_MASK.sub("", text)) is not None


def in_plain_base64(data: str) -> str:
    """Write base64 data in the common alphabet; data that mix both, which cannot be undone, stay."""
    return data if "+" in data or "/" in data else data.replace("-", "+").replace("_", "/")


def in_url_base64(data: str) -> str:
    """Undo `in_plain_base64` for data that were in the alphabet for URLs."""
    return data.replace("+", "-").replace("/", "_")


def text_of(block: ImageBlock | DocumentBlock) -> str | None:
    """Read media whose data are text but whose type the API does not take, such as SVG.

    Returns None for other media.
    """
    source = block.source
    data = source.get("data")
    if not isinstance(data, str) or source.get("type") != "base64":
        return None
    if media_type(source.get("media_type")) not in schema.AS_TEXT:
        return None
    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        return None
