from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines, value

LANGFUSE = [
    {"id": "1", "traceId": "t", "type": "SPAN", "input": {}, "output": {}},
    {"id": "2", "traceId": "t", "type": "GENERATION", "input": {"messages": CHAT[:3]}, "output": CHAT[3]},
]
ONE = {"id": "2", "type": "GENERATION", "input": CHAT[:3], "output": CHAT[3]}
SAMPLES = (Sample("langfuse", value(LANGFUSE)), Sample("langfuse", lines(ONE)))
