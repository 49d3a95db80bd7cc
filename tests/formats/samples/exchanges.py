from __future__ import annotations

from tests.formats.story import CHAT, CLAUDE, Sample, lines, value

SAMPLES = (
    Sample("exchanges", lines({"messages": CHAT[:3], "response": {"choices": [{"message": CHAT[3]}]}, "cost": 1})),
    Sample("exchanges", lines({"input": CHAT[:3], "output": [{"index": 0, "message": CHAT[3]}], "span_id": "1"})),
    Sample("exchanges", lines({"inputs": {"messages": CHAT[:3]}, "output": {"choices": [{"message": CHAT[3]}]}})),
    Sample("exchanges", value({"request": {"messages": CLAUDE[:3]}, "response": CLAUDE[3]})),
)
