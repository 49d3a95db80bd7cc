from __future__ import annotations

import json

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value


def _said(role: str, text: str, **more: object) -> dict[str, object]:
    version = {"type": "singleStep", "role": role, "content": [{"type": "text", "text": text}], **more}
    return {"versions": [version], "currentlySelected": 0}


def _step(*parts: dict[str, object], **more: object) -> dict[str, object]:
    return {"type": "contentBlock", "stepIdentifier": "1", "content": list(parts), "genInfo": {}, **more}


_STEPS = [
    _step({"type": "text", "text": "I should read."}, style={"type": "thinking", "ended": True}),
    _step({"type": "text", "text": LOOKING}),
    _step(
        {"type": "toolCallRequest", "callId": 1, "toolCallRequestId": "7", "name": "read_file", "parameters": ARGUMENTS}
    ),
    {"type": "toolStatus", "statusState": {"status": {"type": "toolCallSucceeded"}}},
    _step(
        {
            "type": "toolCallResult",
            "callId": 1,
            "toolCallRequestId": "7",
            "content": json.dumps([{"type": "text", "text": RESULT}]),
        },
        roleOverride="tool",
    ),
    _step({"type": "text", "text": ANSWER}),
]
CHAT = {
    "name": "A file",
    "systemPrompt": "",
    "messages": [
        _said("user", QUESTION),
        {
            "versions": [
                {"type": "multiStep", "role": "assistant", "steps": [_step({"type": "text", "text": "No."})]},
                {"type": "multiStep", "role": "assistant", "steps": _STEPS, "senderInfo": {"senderName": "m"}},
            ],
            "currentlySelected": 1,
        },
    ],
    "perChatPredictionConfig": {"fields": []},
}
SAMPLES = (Sample("lm-studio", value(CHAT)),)
