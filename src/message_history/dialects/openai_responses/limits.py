"""What the Responses API takes of images: what Chat Completions takes, by rules of its own."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.dialects.openai_chat.limits import OPENAI

LIMITS: Final = evolve(
    OPENAI,
    rules={
        "type": "OR-29",
        "broken": "OR-29",
        "animated": "OR-29",
        "bytes": "OR-30",
        "count": "OR-30",
        "total": "OR-30",
    },
)
