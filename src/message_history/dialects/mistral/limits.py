"""What Mistral's hosted API takes of images."""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects._shared.rules import ModelRow
from message_history.media import Limits

_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_RULES: Final = {
    "type": "MS-M24",
    "mismatch": "MS-M24",
    "broken": "MS-M24",
    "animated": "MS-M24",
    "bytes": "MS-M25",
    "count": "MS-M25",
}

HOSTED: Final = Limits(
    types=_TYPES,
    image_bytes=10_000_000,
    encoded=False,
    animated=False,
    count=8,
    rules=_RULES,
    source="https://docs.mistral.ai/capabilities/vision",
    date="2025-10",
)
LIMITS: Final = Limits(rules={"broken": "MS-M24"}, source="https://github.com/mistralai/mistral-common", date="2026-09")
"""Of the open models, whoever serves them."""

SERVED: Final = (
    ModelRow(
        models=re.compile(
            "^(?!.*instruct)(mistral[/:])?((mi|mini|magi|dev|code)stral|pixtral|voxtral|open-mi[sx]tral)-"
        ),
        fields={"limits": HOSTED},
        source=HOSTED.source,
        date=HOSTED.date,
    ),
)
"""The names of the hosted API."""
