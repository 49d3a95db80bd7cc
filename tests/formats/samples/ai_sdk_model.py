from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, text, value

MODEL_MESSAGES = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": [
            text(LOOKING),
            {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": ARGUMENTS},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "toolName": "read_file",
                "output": {"type": "text", "value": RESULT},
            }
        ],
    },
    {"role": "assistant", "content": [text(ANSWER)]},
]
SAMPLES = (
    Sample("ai-sdk-model", value(MODEL_MESSAGES)),
    Sample("ai-sdk-model", lines(*MODEL_MESSAGES)),
    Sample("ai-sdk-model", value({"id": "c", "messages": MODEL_MESSAGES})),
)
