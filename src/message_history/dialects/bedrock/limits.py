"""What Converse takes of images and documents."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.dialects.anthropic.limits import LIMITS as CLAUDE
from message_history.media import Limits

LIMITS: Final = Limits(
    types=frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"}),
    image_bytes=3_750_000,
    document_bytes=4_500_000,
    lenient=True,
    encoded=False,
    side=8000,
    rules={
        "type": "BR-B28",
        "mismatch": "BR-B31",
        "broken": "BR-B31",
        "bytes": "BR-B21",
        "side": "BR-B21",
        "document": "BR-B31",
    },
    source="https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html",
    date="2026-09",
)


def with_claude(limits: Limits) -> Limits:
    """Return the limits with those of Claude on every platform, whose Messages API answers."""
    return evolve(
        limits,
        upright=True,
        many=CLAUDE.many,
        many_side=CLAUDE.many_side,
        count=CLAUDE.count,
        rules={**limits.rules, "many": "BR-B21", "count": "BR-B21"},
    )
