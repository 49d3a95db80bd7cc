from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, CHAT_CALL, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines

VIBE: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION, "injected": False, "message_id": "m1"},
    {
        "role": "assistant",
        "content": LOOKING,
        "injected": False,
        "reasoning_content": THOUGHT,
        "reasoning_message_id": "r1",
        "tool_calls": [{**CHAT_CALL, "index": 0}],
        "message_id": "m2",
    },
    {"role": "tool", "content": RESULT, "injected": False, "name": "read_file", "tool_call_id": "c1"},
    {"role": "assistant", "content": ANSWER, "injected": False, "message_id": "m3"},
]
SAMPLES = (Sample("mistral-vibe", lines(*VIBE)),)
