from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines, value

SAMPLES = (
    Sample("hermes", value({"session_id": "s", "session_start": "t", "platform": "cli", "messages": CHAT})),
    Sample("hermes", lines({"role": "session_meta", "model": "m"}, *CHAT)),
)
