from __future__ import annotations

from tests.formats.story import CHAT, CLAUDE, Sample, lines, value

SAMPLES = (
    Sample("log", value([{"messages": CHAT, "label": True}])),
    Sample("log", value({"conversations": [{"id": "1", "messages": CHAT}, {"id": "2", "messages": CHAT}]})),
    Sample(
        "log",
        lines({"custom_id": "1", "params": {"messages": CLAUDE}}, {"custom_id": "2", "params": {"messages": CLAUDE}}),
    ),
)
