from __future__ import annotations

import json

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines

LLAMA_FACTORY = [
    {"role": "user", "content": [{"type": "text", "value": QUESTION}], "loss_weight": 0.0},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "value": THOUGHT},
            {"type": "text", "value": LOOKING},
            {"type": "tool_call", "value": json.dumps({"name": "read_file", "arguments": ARGUMENTS})},
        ],
    },
    {"role": "tool", "content": [{"type": "text", "value": RESULT}]},
    {"role": "assistant", "content": [{"type": "text", "value": ANSWER}], "loss_weight": 1.0},
]
SAMPLES = (Sample("llama-factory", lines({"messages": LLAMA_FACTORY, "tools": "[]"})),)
