from __future__ import annotations

import json
from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines, value


def message(n: int, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    about = {"id": f"m{n}", "role": role, "createdAt": f"2026-11-01T00:00:0{n}Z", "threadId": "t", "resourceId": "r"}
    return {**about, "content": {"format": 2, "parts": list(parts)}}


INVOKED = {"state": "result", "toolCallId": "c1", "toolName": "read_file", "args": ARGUMENTS, "result": RESULT}
MASTRA = [
    message(1, "user", {"type": "text", "text": QUESTION}),
    message(
        2,
        "assistant",
        {"type": "step-start"},
        {"type": "reasoning", "reasoning": "", "details": [{"type": "text", "text": THOUGHT, "signature": "c2ln"}]},
        {"type": "text", "text": LOOKING},
        {"type": "tool-invocation", "toolInvocation": INVOKED},
        {"type": "step-start"},
        {"type": "text", "text": ANSWER},
    ),
]
SAMPLES = (
    Sample("mastra", value(MASTRA)),
    Sample("mastra", value({"messages": MASTRA})),
    Sample("mastra", lines(*({**each, "content": json.dumps(each["content"])} for each in MASTRA))),
)
