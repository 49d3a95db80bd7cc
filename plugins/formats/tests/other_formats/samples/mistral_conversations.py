from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, lines, value

ENTRIES: list[dict[str, Any]] = [
    {"object": "entry", "type": "message.input", "id": "i", "role": "user", "content": QUESTION},
    {"object": "entry", "type": "message.output", "id": "o", "role": "assistant", "content": LOOKING, "model": "m"},
    {
        "object": "entry",
        "type": "function.call",
        "id": "f",
        "tool_call_id": "c1",
        "name": "read_file",
        "arguments": TEXT_ARGUMENTS,
    },
    {"object": "entry", "type": "function.result", "id": "r", "tool_call_id": "c1", "result": RESULT},
    {"object": "entry", "type": "message.output", "id": "p", "role": "assistant", "content": ANSWER, "model": "m"},
]
HISTORY = {"object": "conversation.history", "conversation_id": "conv_1", "entries": ENTRIES}
SAMPLES = (
    Sample("mistral-conversations", value(ENTRIES)),
    Sample("mistral-conversations", lines(*ENTRIES)),
    Sample("mistral-conversations", value(HISTORY)),
)
