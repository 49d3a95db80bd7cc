from __future__ import annotations

from tests.formats.story import CHAT, CLAUDE, Sample, lines, value

SAMPLES = (
    Sample("exchanges", lines({"messages": CHAT[:3], "response": {"choices": [{"message": CHAT[3]}]}, "cost": 1})),
    Sample("exchanges", value({"request": {"messages": CLAUDE[:3]}, "response": CLAUDE[3]})),
)
