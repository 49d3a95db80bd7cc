from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, CLAUDE, LOOKING, QUESTION, RESULT, Sample, lines, linked

DROID_STREAM = [
    {"type": "system", "session_id": "s", "model": "m"},
    {"type": "message", "session_id": "s", "role": "user", "text": QUESTION},
    {"type": "message", "session_id": "s", "role": "assistant", "text": LOOKING},
    {"type": "tool_call", "session_id": "s", "toolCallId": "c1", "toolName": "read_file", "parameters": ARGUMENTS},
    {"type": "tool_result", "session_id": "s", "toolCallId": "c1", "value": RESULT},
    {"type": "completion", "session_id": "s", "finalText": ANSWER},
]
SAMPLES = (
    Sample("droid", lines({"type": "session_start", "id": "s", "title": "x"}, *linked("message", CLAUDE))),
    Sample("droid-stream", lines(*DROID_STREAM)),
)
