from __future__ import annotations

import json

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines, value

SHAREGPT_CALL = json.dumps({"name": "read_file", "arguments": ARGUMENTS})
SHAREGPT = [
    {
        "conversations": [
            {"from": "human", "value": QUESTION},
            {"from": "function_call", "value": SHAREGPT_CALL},
            {"from": "observation", "value": RESULT},
            {"from": "gpt", "value": ANSWER},
        ],
        "tools": "[]",
    }
]
HERMES_TURNS = {
    "conversations": [
        {"from": "human", "value": QUESTION},
        {"from": "gpt", "value": f"{LOOKING}\n<tool_call>\n{SHAREGPT_CALL}\n</tool_call>"},
        {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
        {"from": "gpt", "value": f"<think>\n{THOUGHT}\n</think>\n{ANSWER}"},
    ]
}
SAMPLES = (
    Sample("sharegpt", value(SHAREGPT), ("user", "call", "result", "answer")),
    Sample("sharegpt", lines(HERMES_TURNS)),
    Sample("sharegpt", value(HERMES_TURNS["conversations"])),
)
