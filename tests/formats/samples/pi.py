from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, linked, text

PI: list[dict[str, Any]] = [
    {"role": "user", "content": [text(QUESTION)]},
    {
        "role": "assistant",
        "content": [text(LOOKING), {"type": "toolCall", "id": "c1", "name": "read_file", "arguments": ARGUMENTS}],
    },
    {"role": "toolResult", "toolCallId": "c1", "toolName": "read_file", "content": [text(RESULT)], "isError": False},
    {"role": "assistant", "content": [text(ANSWER)], "stopReason": "stop"},
]
SAMPLES = (Sample("pi", lines({"type": "session", "version": 3, "id": "s", "cwd": "/tmp"}, *linked("message", PI))),)
