from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value

CONVERSE: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": QUESTION}]},
    {
        "role": "assistant",
        "content": [{"text": LOOKING}, {"toolUse": {"toolUseId": "c1", "name": "read_file", "input": ARGUMENTS}}],
    },
    {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": RESULT}]}}]},
    {"role": "assistant", "content": [{"text": ANSWER}]},
]
STRANDS: list[dict[str, Any]] = [
    {"message": each, "message_id": n, "redact_message": None} for n, each in enumerate(CONVERSE)
]
SAMPLES = (
    Sample("strands", value(STRANDS)),
    Sample("strands", value([{"agent_id": "a", "messages": STRANDS}])),
)
