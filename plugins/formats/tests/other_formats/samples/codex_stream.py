from __future__ import annotations

from tests.formats.story import ANSWER, FULL, LOOKING, RESULT, Sample, lines

CODEX_STREAM = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": LOOKING}},
    {
        "type": "item.started",
        "item": {"id": "item_1", "type": "command_execution", "command": "cat a.txt", "status": "in_progress"},
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_1",
            "type": "command_execution",
            "command": "cat a.txt",
            "aggregated_output": RESULT,
            "exit_code": 0,
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": ANSWER}},
    {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
]
SAMPLES = (Sample("codex-stream", lines(*CODEX_STREAM), FULL[1:], tool="command_execution"),)
