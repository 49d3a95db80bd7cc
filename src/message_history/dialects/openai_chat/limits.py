"""What those who speak Chat Completions and Responses take of images."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.media import Limits

_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})

OPENAI: Final = Limits(
    types=_TYPES,
    image_bytes=20_000_000,
    encoded=False,
    animated=False,
    upright=True,
    count=500,
    total_bytes=50_000_000,
    rules={
        "type": "OC-22",
        "broken": "OC-22",
        "animated": "OC-22",
        "bytes": "OC-23",
        "count": "OC-23",
        "total": "OC-23",
    },
    source="https://platform.openai.com/docs/guides/images-vision",
    date="2026-09",
)
UNKNOWN: Final = Limits(source="https://github.com/vllm-project/vllm", date="2026-10")
"""Of servers of which nothing is known but that they decode an image."""
GROQ: Final = Limits(
    types=_TYPES,
    image_bytes=3_500_000,
    pixels=33_177_600,
    total_bytes=4_000_000,
    count=5,
    rules={"bytes": "GQ-03", "pixels": "GQ-03", "count": "GQ-03", "total": "GQ-03"},
    source="https://console.groq.com/docs/vision",
    date="2026-08",
)
XAI: Final = Limits(
    types=frozenset({"image/png", "image/jpeg"}),
    image_bytes=20 * 1024 * 1024,
    encoded=False,
    rules={"type": "XA-03", "broken": "XA-03", "bytes": "XA-03"},
    source="https://docs.x.ai/docs/guides/image-understanding",
    date="2026-09",
)
PORTABLE: Final = Limits(
    types=XAI.types,
    image_bytes=2_500_000,
    side=8000,
    pixels=GROQ.pixels,
    animated=False,
    upright=True,
    many=20,
    many_side=2000,
    count=GROQ.count,
    total_bytes=3_000_000,
    rules=dict.fromkeys(("type", "broken", "animated", "bytes", "side", "pixels", "count", "total"), "P-18"),
    source=GROQ.source,
    date=GROQ.date,
)
"""What all of them take."""

BY_PROVIDER: Final = {"openai": OPENAI, "azure": OPENAI, "groq": GROQ, "xai": XAI, "portable": PORTABLE}
"""By the provider whose rules are quoted; any other has the limits of a server of which nothing is known."""


def limits_for(provider: str, *, images: bool) -> Limits:
    limits = BY_PROVIDER.get(provider, UNKNOWN)
    return limits if images else evolve(limits, inspected=False)
