from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, THOUGHT, Sample, lines, text

GROK = [
    {"type": "system", "content": "You are Grok."},
    {"type": "user", "content": [text(QUESTION)], "prompt_index": 0},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": THOUGHT}], "encrypted_content": "x"},
    {
        "type": "assistant",
        "content": LOOKING,
        "tool_calls": [{"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS}],
        "model_id": "grok",
    },
    {"type": "tool_result", "tool_call_id": "c1", "content": RESULT},
    {"type": "assistant", "content": ANSWER, "model_id": "grok"},
]
SAMPLES = (Sample("grok-cli", lines(*GROK)),)
