from __future__ import annotations

from typing import Any

from tests.formats.story import CHAT, CHAT_CALL, LOOKING, RESULT, TALK, Sample, value

CONTINUE: list[dict[str, Any]] = [
    {"message": CHAT[0], "contextItems": []},
    {
        "message": {"role": "assistant", "content": LOOKING, "toolCalls": [CHAT_CALL]},
        "contextItems": [],
        "toolCallStates": [{"toolCallId": "c1", "status": "done", "output": [{"name": "x", "content": RESULT}]}],
    },
    {"message": {"role": "tool", "content": RESULT, "toolCallId": "c1"}, "contextItems": []},
    {"message": CHAT[3], "contextItems": []},
]
SAMPLES = (
    Sample(
        "continue",
        value({"sessionId": "s", "title": "x", "history": [{"message": CHAT[0]}, {"message": CHAT[3]}]}),
        TALK,
    ),
    Sample("continue", value({"sessionId": "s", "title": "x", "history": CONTINUE})),
)
