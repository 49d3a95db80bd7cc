from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines

ANTIGRAVITY = [
    {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": QUESTION},
    {
        "step_index": 1,
        "source": "MODEL",
        "type": "PLANNER_RESPONSE",
        "content": LOOKING,
        "tool_calls": [{"name": "read_file", "args": ARGUMENTS}],
    },
    {"step_index": 2, "source": "MODEL", "type": "VIEW_FILE", "status": "DONE", "content": RESULT},
    {"step_index": 3, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": ANSWER},
]
SAMPLES = (Sample("antigravity", lines(*ANTIGRAVITY)),)
