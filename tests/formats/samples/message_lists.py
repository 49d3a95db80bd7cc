from __future__ import annotations

from tests.formats.story import CHAT, CLAUDE, Sample, value

SAMPLES = (
    Sample("messages", value(CHAT)),
    Sample("messages", value({"model": "m", "messages": CLAUDE})),
)
