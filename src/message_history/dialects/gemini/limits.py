"""What generateContent takes of images and documents, on each of its services."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.dialects.gemini.schema import IMAGE_TYPES
from message_history.media import Limits

LIMITS: Final = Limits(
    types=IMAGE_TYPES,
    lenient=True,
    by_type=True,
    count=3_600,
    total_bytes=98_000_000,
    by_assistant=True,
    rules={"type": "GM-G24", "broken": "GM-G28", "count": "GM-G29", "total": "GM-G29", "bytes": "GM-G29"},
    source="https://ai.google.dev/gemini-api/docs/image-understanding",
    date="2026-09",
)
"""A request has 100 MB; text, tools and keys need some of it."""
VERTEX: Final = evolve(
    LIMITS,
    image_bytes=7_000_000,
    encoded=False,
    count=3_000,
    total_bytes=None,
    source="https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/image-understanding",
)
