"""Read images and documents as Chat Completions give them: data URLs, other URLs, and ids of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.blocks import DocumentBlock, ImageBlock, Meta
from message_history.dialects.typed_blocks import meta_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["data_url", "document_at", "document_of", "image_of", "media_type_of"]


def image_of(value: Mapping[Any, Any], dialect: str, others: Mapping[Any, Any]) -> ImageBlock | None:
    """Read the `image_url` of a part.

    Args:
        value: the object with the `url`.
        dialect: where it came from.
        others: further keys of the part.

    Returns:
        The image, or None when there is no URL.
    """
    url = value.get("url")
    if not isinstance(url, str):
        return None
    kept = {**others, **{key: item for key, item in value.items() if key != "url"}}
    return ImageBlock(_source_at(url), meta=meta_of(dialect, kept))


def document_of(value: Mapping[Any, Any], dialect: str) -> DocumentBlock | None:
    """Read the `file` of a part.

    Args:
        value: the object with `file_data` or `file_id`.
        dialect: where it came from; a file id is known there alone.

    Returns:
        The document, or None when it holds neither.
    """
    name, data, id = value.get("filename"), value.get("file_data"), value.get("file_id")
    title = name if isinstance(name, str) else None
    inline = data_url(data) if isinstance(data, str) else None
    if inline is not None:
        return DocumentBlock({"type": "base64", "media_type": inline[0], "data": inline[1]}, title)
    if isinstance(id, str):
        return DocumentBlock({"type": "file", "file_id": id}, title, meta=Meta(issuer=dialect))
    return None


def media_type_of(data: str) -> str:
    """Tell what kind of image base64 data holds by how they begin."""
    for start, kind in (("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp")):
        if data.startswith(start):
            return f"image/{kind}"
    return "image/png"


def document_at(part: Mapping[Any, Any], dialect: str) -> DocumentBlock | None:
    """Read a part with a `document_url`, as Mistral has them."""
    url, name = part.get("document_url"), part.get("document_name")
    if not isinstance(url, str):
        return None
    known = ("type", "document_url", "document_name")
    others = {key: value for key, value in part.items() if key not in known}
    return DocumentBlock(_source_at(url), name if isinstance(name, str) else None, meta=meta_of(dialect, others))


def _source_at(url: str) -> dict[str, str]:
    """Say where media are whose URL is given; a data URL holds them itself."""
    inline = data_url(url)
    if inline is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": inline[0], "data": inline[1]}


def data_url(url: str) -> tuple[str, str] | None:
    """Split a base64 data URL.

    Args:
        url: any URL.

    Returns:
        The media type and the data, or None for another URL.
    """
    if not url.startswith("data:"):
        return None
    head, comma, data = url[5:].partition(",")
    kind, _, rest = head.partition(";")
    return (kind or "text/plain", data) if comma and rest.endswith("base64") else None
