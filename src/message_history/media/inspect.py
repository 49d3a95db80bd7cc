"""What is known of one image or document, found once for each block and kept as long as the block lives."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Any, Final, Generic, TypeVar, final

from attrs import frozen

from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.media.encoded import Encoded, encoded, inline_data
from message_history.media.headers import Picture, picture_in
from message_history.media.pdf import MAGIC, Paper, claims_pdf, paper_in

Media = ImageBlock | DocumentBlock


@final
@frozen(eq=False)
class MediaInfo:
    """What is known of one image or document."""

    inline: bool = False  # whether the block itself holds the bytes; nothing else is known of bytes elsewhere
    declared: str = ""  # the media type that it came with; empty without one
    data: str | None = None  # the bytes in base64; None when they are not base64
    # What an image's bytes say, a document's too if it claims to be one; None when they are not an image.
    picture: Picture | None = None
    paper: Paper | None = None  # what a PDF's bytes say; None when they are not a PDF
    repaired: bool = False  # whether `data` is another text than what came in

    @cached_property
    def digest(self) -> bytes:
        # Only media need it, and it takes longer to import than this file.
        from hashlib import blake2b  # noqa: PLC0415

        return blake2b((self.data or "").encode(), digest_size=20).digest()


def inspect_media(block: Media) -> MediaInfo:
    known = _SEEN.get(block)
    if known is None:
        known = _look(block)
        _SEEN.keep(block, known)
    return known


def seen(text: str, declared: str, *, document: bool) -> MediaInfo:
    """Look at base64 data. `document` says whether it is a document rather than an image."""
    data = encoded(text)
    if data is None:
        return MediaInfo(inline=True, declared=declared)
    repaired = data.text is not text and data.text != text
    paper = _paper(data, declared) if document else None
    picture = _read(data) if not document or (paper is None and claims_image(declared)) else None
    return MediaInfo(inline=True, declared=declared, data=data.text, picture=picture, paper=paper, repaired=repaired)


def claims_image(declared: str) -> bool:
    return declared[:6].lower() == "image/"


def _look(block: Media) -> MediaInfo:
    source: Any = block.source
    kind, declared = source.get("type"), source.get("media_type")
    declared = declared if isinstance(declared, str) else ""
    data, document = source.get("data"), isinstance(block, DocumentBlock)
    if kind == "base64" and isinstance(data, str):
        inline = inline_data(data)
        found = seen(data if inline is None else inline[1], declared, document=document)
        return found if inline is None else _changed(found)
    url = source.get("url")
    if kind == "url" and isinstance(url, str) and (inline := inline_data(url)) is not None:
        return _changed(seen(inline[1], inline[0], document=document))
    return MediaInfo(declared=declared)


def _changed(look: MediaInfo) -> MediaInfo:
    return MediaInfo(
        inline=True, declared=look.declared, data=look.data, picture=look.picture, paper=look.paper, repaired=True
    )


def _paper(data: Encoded, declared: str) -> Paper | None:
    """Read a PDF; in what claims to be something else, only where it is at the very beginning."""
    may_be_behind = not declared or claims_pdf(declared)
    return paper_in(data.decoded()) if MAGIC in data.at(0, 1024 if may_be_behind else len(MAGIC)) else None


def _read(data: Encoded) -> Picture | None:
    """Read an image; headers that contradict themselves do not count as an image."""
    try:
        return picture_in(data)
    except (ArithmeticError, LookupError, ValueError):
        return None


_T = TypeVar("_T")


@final
class Beside(Generic[_T]):
    """Values kept for objects, by identity: a value goes when its object does."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[weakref.ref[Any], _T]] = {}

    def get(self, thing: object) -> _T | None:
        held = self._held.get(id(thing))
        return held[1] if held is not None and held[0]() is thing else None

    def keep(self, thing: object, value: _T) -> None:
        key = id(thing)

        def forget(gone: weakref.ref[Any]) -> None:
            held = self._held.get(key)
            if held is not None and held[0] is gone:
                del self._held[key]

        self._held[key] = (weakref.ref(thing, forget), value)


_SEEN: Final = Beside[MediaInfo]()
