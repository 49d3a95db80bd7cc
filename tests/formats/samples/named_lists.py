from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines, value

SAMPLES = (
    Sample("named-lists", lines({"dialogue": CHAT, "score": 1})),
    Sample("named-lists", value({"first": CHAT, "second": {"messages": CHAT[:1]}})),
)
