"""What the source of an image or a document says besides where it is and what it is: no API has a place for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from message_history.core.values.json_values import FrozenDict

if TYPE_CHECKING:
    from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
    from message_history.dialects._shared.writer import Changes

_PLACES: Final = {"url": "url", "base64": "data", "file": "file_id", "text": "data", "content": "content"}

_TYPE: Final = re.compile(
    r"(?:image|audio|video|text)/[a-z0-9.+-]+|application/(?:pdf|json|xml|msword|vnd\..+)", re.IGNORECASE
)
"""What is plain from the block or from the address, where the type is not sent."""


def omit_beside_source(block: ImageBlock | DocumentBlock, changes: Changes, *, sends_type: bool = True) -> None:
    """Record the keys of a source that are not sent; `sends_type` if the API takes the type of a URL."""
    known = ["type", _PLACES.get(str(block.source.get("type")), "")]
    declared = block.source.get("media_type")
    if isinstance(declared, str) and (sends_type or _TYPE.fullmatch(declared)):
        known.append("media_type")
    left = FrozenDict({key: value for key, value in block.source.items() if key not in known})
    if left:
        changes.omitted(left, f"keys of a source that this API does not take: {', '.join(map(str, left))}")
