from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines, linked

SAMPLES = (Sample("session-traces", lines({"type": "session", "harness": "x", "id": "s"}, *linked("message", CHAT))),)
