from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, Sample, lines, value

from other_formats.samples.realtime import CALL, said

ASKED = {
    "id": "i1",
    "object": "realtime.item",
    "type": "message",
    "role": "user",
    "content": [{"type": "input_audio", "transcript": QUESTION}],
}
ITEMS: list[dict[str, Any]] = [
    ASKED,
    said("i2", LOOKING),
    CALL,
    {"id": "i4", "type": "function_call_output", "call_id": "c1", "output": RESULT},
    said("i5", ANSWER),
]
SAMPLES = (
    Sample("realtime-items", value(ITEMS)),
    Sample("realtime-items", lines(*ITEMS)),
    Sample("realtime-items", value({"items": ITEMS})),
)
