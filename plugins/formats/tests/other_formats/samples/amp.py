from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TOOL_USE, Sample, text, value

AMP: dict[str, Any] = {
    "v": 85,
    "id": "T-1",
    "created": 1,
    "title": "A file",
    "messages": [
        {"role": "user", "messageId": 0, "content": [text(QUESTION)]},
        {"role": "assistant", "messageId": 1, "content": [text(LOOKING), {**TOOL_USE, "complete": True}]},
        {
            "role": "user",
            "messageId": 2,
            "content": [{"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": RESULT}}],
        },
        {"role": "assistant", "messageId": 3, "content": [text(ANSWER)], "usage": {"inputTokens": 1}},
    ],
}
SAMPLES = (Sample("amp", value(AMP)),)
