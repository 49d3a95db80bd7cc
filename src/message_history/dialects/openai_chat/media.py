"""Images and documents as Chat Completions give them: data URLs, other URLs, and ids of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.dialects._shared.typed_blocks import meta_of, rest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.values.json_values import FrozenDict


def image_of(value: Mapping[Any, Any], dialect: str, others: Mapping[Any, Any]) -> ImageBlock | None:
    """Read the `image_url` of a part. Returns None when there is no URL; `others` are further keys of the part."""
    url = value.get("url")
    if not isinstance(url, str):
        return None
    rest = rest_of(value, "url")
    # A key that both the image and its part have is kept with the place that it had.
    kept = {**others, **rest} if others.keys().isdisjoint(rest) else {**others, "image_url": rest}
    return ImageBlock(_source_at(url), meta=meta_of(dialect, kept))


def document_of(value: Mapping[Any, Any], dialect: str, others: Mapping[Any, Any]) -> DocumentBlock | None:
    """Read the `file` of a part; an id is known in its `dialect` alone. None when it holds neither data nor an id."""
    data, id = value.get("file_data"), value.get("file_id")
    inline = data_url(data) if isinstance(data, str) else None
    if inline is not None:
        source, taken, issuer = _held(*inline), "file_data", None
    elif isinstance(id, str):
        source, taken, issuer = {"type": "file", "file_id": id}, "file_id", dialect
    else:
        return None
    title, rest = _titled(value, "filename", taken)
    return DocumentBlock(source, title, meta=meta_of(dialect, {**others, "file": rest or None}, issuer))


def media_type_of(data: str) -> str:
    """Return what kind of image base64 data holds by how they begin."""
    for start, kind in (("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp")):
        if data.startswith(start):
            return f"image/{kind}"
    return "image/png"


def document_at(part: Mapping[Any, Any], dialect: str) -> DocumentBlock | None:
    """Read a part with a `document_url`, as Mistral has them."""
    url = part.get("document_url")
    if not isinstance(url, str):
        return None
    title, rest = _titled(part, "document_name", "document_url", "type")
    return DocumentBlock(_source_at(url), title, meta=meta_of(dialect, rest))


def _titled(data: Mapping[Any, Any], key: str, *taken: str) -> tuple[str | None, dict[Any, Any]]:
    """Return a document's title, which may be missing or no text, and the keys that are left."""
    title = data.get(key)
    return (title, rest_of(data, key, *taken)) if isinstance(title, str) else (None, rest_of(data, *taken))


def _source_at(url: str) -> dict[str, str]:
    """Return where media are whose URL is given; a data URL holds them itself."""
    inline = data_url(url)
    return _held(*inline) if inline is not None else {"type": "url", "url": url}


def _held(media_type: str, data: str) -> dict[str, str]:
    return {"type": "base64", "media_type": media_type, "data": data}


def data_url(url: str) -> tuple[str, str] | None:
    if not url.startswith("data:"):
        return None
    head, comma, data = url[5:].partition(",")
    kind, _, rest = head.partition(";")
    return (kind or "text/plain", data) if comma and rest.endswith("base64") else None


def url_of(source: FrozenDict) -> str | None:
    """Return the URL of media, or one of their data, which without a type are text; None for media elsewhere."""
    url = source.get("url")
    if source.get("type") == "url" and isinstance(url, str):
        return url if url.strip() else None
    if source.get("type") == "base64" and isinstance(source.get("data"), str):
        return f"data:{source.get('media_type') or 'text/plain'};base64,{source['data']}"
    return None


def beside_source(source: FrozenDict) -> dict[str, Any]:
    """Return the keys of a source that say neither where media are nor what they are."""
    known = _WHERE.get(str(source.get("type")), ())
    return {key: value for key, value in source.items() if key not in known}


_WHERE: Final = {"url": ("type", "url"), "base64": ("type", "media_type", "data"), "file": ("type", "file_id")}
