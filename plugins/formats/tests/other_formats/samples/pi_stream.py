from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, text

PI_STREAM: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/tmp"},
    {"type": "agent_start"},
    *(
        {"type": kind, "message": {**message, "timestamp": 1}}
        for message in (
            {"role": "user", "content": [text(QUESTION)]},
            {
                "role": "assistant",
                "content": [
                    text(LOOKING),
                    {"type": "toolCall", "id": "c1", "name": "read_file", "arguments": ARGUMENTS},
                ],
                "stopReason": "toolUse",
            },
            {"role": "toolResult", "toolCallId": "c1", "toolName": "read_file", "content": [text(RESULT)]},
            {"role": "assistant", "content": [text(ANSWER)], "stopReason": "stop"},
        )
        for kind in ("message_start", "message_end")
    ),
    {"type": "agent_end", "messages": []},
]
SAMPLES = (Sample("pi-stream", lines(*PI_STREAM)),)
