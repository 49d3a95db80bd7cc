"""What the Interactions API takes of images: what generateContent takes, by rules of its own."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.dialects.gemini.limits import LIMITS as OF_GENERATE_CONTENT

LIMITS: Final = evolve(
    OF_GENERATE_CONTENT, by_type=False, rules={"type": "GI-08", "broken": "GI-13", "count": "GI-13", "total": "GI-13"}
)
