"""What the Messages API takes of images and documents, and what differs by model and platform."""

from __future__ import annotations

import re
from typing import Final

from attrs import evolve

from message_history.dialects.anthropic.schema import IMAGE_TYPES
from message_history.media import Limits

LIMITS: Final = Limits(
    types=IMAGE_TYPES,
    image_bytes=5 * 1024 * 1024,
    side=8000,
    upright=True,
    pdf=True,
    many=20,
    many_side=2000,
    count=100,
    total_bytes=30_000_000,
    rules={
        "type": "AN-M5",
        "mismatch": "AN-M5",
        "broken": "AN-M6",
        "bytes": "AN-M1",
        "side": "AN-M2",
        "many": "AN-M3",
        "count": "AN-M4",
        "document": "AN-M7",
    },
    source="https://platform.claude.com/docs/en/build-with-claude/vision",
    date="2026-09",
)
"""The strictest of all platforms and models. A request has 32 MB; text, tools and keys need some of it."""

DIRECT_BYTES: Final = 10 * 1024 * 1024
"""What an image may have on the provider's own platform (AN-M1)."""
LONG_COUNT: Final = 600
"""How many images and pages go to models whose context window is longer than 200,000 tokens (AN-M4)."""
_ELSEWHERE: Final = re.compile(r"anthropic\.|bedrock|vertex|@")
"""What the names of other platforms have in them."""
_LONG_SINCE: Final = {"opus": (4, 6), "sonnet": (4, 6), "fable": (5, 0), "mythos": (5, 0)}
"""The first version of each family with the longer window."""


def limits_for(model: str, known: tuple[str, tuple[int, int]]) -> Limits:
    """Choose the limits for a model of a family and version; other platforms' for a name of theirs."""
    family, version = known
    if _ELSEWHERE.search(model.lower()):
        return LIMITS
    long = family in _LONG_SINCE and version >= _LONG_SINCE[family]
    return evolve(LIMITS, image_bytes=DIRECT_BYTES, count=LONG_COUNT if long else LIMITS.count)
