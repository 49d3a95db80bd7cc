from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value

ATIF = {
    "schema_version": "ATIF-v1.4",
    "session_id": "s",
    "agent": {"name": "a", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": QUESTION},
        {
            "step_id": 2,
            "source": "agent",
            "message": LOOKING,
            "tool_calls": [{"tool_call_id": "c1", "function_name": "read_file", "arguments": ARGUMENTS}],
            "observation": {"results": [{"source_call_id": "c1", "content": RESULT}]},
        },
        {"step_id": 3, "source": "agent", "message": ANSWER},
    ],
}
SAMPLES = (Sample("atif", value(ATIF)),)
