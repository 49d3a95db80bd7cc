from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, lines

CODEX = [
    {"type": "session_meta", "payload": {"id": "s"}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
    },
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": LOOKING}]},
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    },
    {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": RESULT}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    },
]
SAMPLES = (Sample("codex", lines(*CODEX)),)
