"""What the source of an image or a document says besides where it is and what it is: no API has a place for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from message_history.core.json_values import FrozenDict

if TYPE_CHECKING:
    from message_history.core.blocks import DocumentBlock, ImageBlock
    from message_history.dialects._shared.writer import Changes

__all__ = ["omit_beside_source"]

_PLACES: Final = {"url": "url", "base64": "data", "file": "file_id", "text": "data", "content": "content"}


def omit_beside_source(block: ImageBlock | DocumentBlock, changes: Changes) -> None:
    """Record the keys of a source that are not sent.

    Args:
        block: an image or a document that is sent.
        changes: gets the record.
    """
    known = ("type", "media_type", _PLACES.get(str(block.source.get("type")), ""))
    left = FrozenDict({key: value for key, value in block.source.items() if key not in known})
    if left:
        changes.omitted(left, f"keys of a source that this API does not take: {', '.join(map(str, left))}")
