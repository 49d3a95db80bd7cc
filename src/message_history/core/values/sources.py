"""Where the bytes of an image or a document are: sources made of bytes, files and URLs."""

from __future__ import annotations

from binascii import b2a_base64
from typing import TYPE_CHECKING, Final

from message_history.core.values.json_values import short_repr

if TYPE_CHECKING:
    import os
    from pathlib import Path

_IMAGES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
"""How the bytes of images begin; those of WebP have a length in between."""
_OFFICE: Final = {
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xls": "application/vnd.ms-excel",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_SCHEMES: Final = ("https://", "http://", "gs://", "s3://")
_PDF_WITHIN: Final = 1024
"""A PDF says what it is within so many bytes."""


def image_source(data: bytes, media_type: object) -> dict[str, str]:
    """Return the source of an image with these bytes; its type is read from them, unless it is given."""
    raw = _checked_bytes(data)
    kind = media_type if media_type is not None else _image_type(raw)
    if kind is None:
        raise ValueError(
            f"data must be a PNG, JPEG, GIF, WebP, BMP or TIFF image, not bytes that begin with {raw[:12]!r}; convert "
            "it, or pass media_type"
        )
    if not isinstance(kind, str) or not kind.startswith("image/"):
        raise ValueError(f"media_type must begin with 'image/', not {short_repr(kind)}; use DocumentBlock for others")
    return _encoded(raw, kind)


def document_source(data: bytes, media_type: object, name: str = "") -> dict[str, str]:
    """Return the source of a document with these bytes; its type is read from them or its name, unless it is given."""
    raw = _checked_bytes(data)
    if media_type is not None:
        if not isinstance(media_type, str) or "/" not in media_type or media_type.startswith("image/"):
            raise ValueError(
                f"media_type must be a document's, such as 'application/pdf', not {short_repr(media_type)}; use "
                "ImageBlock for images"
            )
        return _text(raw) if media_type == "text/plain" else _encoded(raw, media_type)
    if b"%PDF-" in raw[:_PDF_WITHIN]:
        return _encoded(raw, "application/pdf")
    office = _OFFICE.get(_path(name).suffix.lower())
    if office is not None:
        return _encoded(raw, office)
    if _image_type(raw) is not None and b"\x00" in raw:
        raise ValueError("data is an image; use ImageBlock")
    return _text(raw)


def url_source(url: str) -> dict[str, str]:
    """Return the source of what a provider fetches itself."""
    if not isinstance(url, str):
        raise TypeError(f"url must be a str, not {short_repr(url)}")
    if not url.startswith(_SCHEMES):
        raise ValueError(
            f"url must begin with https://, http://, gs:// or s3://, not {short_repr(url)}; a file goes to from_path, "
            "bytes go to from_bytes"
        )
    return {"type": "url", "url": url}


def bytes_at(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Read a file; return its bytes and its name."""
    found = _path(path)
    return found.read_bytes(), found.name


def _path(path: str | os.PathLike[str]) -> Path:
    from pathlib import Path  # noqa: PLC0415 - few conversations hold files

    return Path(path)


def _checked_bytes(data: object) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data must be bytes, not {type(data).__name__}; a file goes to from_path")
    raw = bytes(data)
    if not raw:
        raise ValueError("data is empty; there is nothing to send")
    return raw


def _image_type(raw: bytes) -> str | None:
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for begin, kind in _IMAGES if raw.startswith(begin)), None)


def _text(raw: bytes) -> dict[str, str]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text:
        raise ValueError(
            f"data must be a PDF or text in UTF-8, not bytes that begin with {raw[:12]!r}; pass media_type for another "
            "kind of document"
        )
    return {"type": "text", "media_type": "text/plain", "data": text}


def _encoded(raw: bytes, media_type: str) -> dict[str, str]:
    return {"type": "base64", "media_type": media_type, "data": b2a_base64(raw, newline=False).decode()}
