from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, text, value

UI_TOOL = {
    "type": "tool-read_file",
    "toolCallId": "c1",
    "state": "output-available",
    "input": ARGUMENTS,
    "output": RESULT,
}
UI_5 = [
    {"id": "1", "role": "user", "parts": [text(QUESTION)]},
    {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, text(LOOKING), UI_TOOL, text(ANSWER)]},
]
UI_4 = [
    {"id": "1", "role": "user", "content": QUESTION},
    {
        "id": "2",
        "role": "assistant",
        "content": LOOKING,
        "toolInvocations": [
            {"state": "result", "toolCallId": "c1", "toolName": "read_file", "args": ARGUMENTS, "result": RESULT}
        ],
    },
    {"id": "3", "role": "assistant", "content": ANSWER, "parts": [text(ANSWER)]},
]
SAMPLES = (
    Sample("ai-sdk", value(UI_5)),
    Sample("ai-sdk", value(UI_4)),
)
