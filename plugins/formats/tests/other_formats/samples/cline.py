from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, Sample, value

CLINE = [
    {"ts": 1, "type": "say", "say": "task", "text": QUESTION},
    {"ts": 2, "type": "say", "say": "api_req_started", "text": "{}"},
    {"ts": 3, "type": "say", "say": "text", "text": LOOKING},
    {"ts": 4, "type": "ask", "ask": "command", "text": "cat a.txt"},
    {"ts": 5, "type": "say", "say": "command_output", "text": RESULT},
    {"ts": 6, "type": "say", "say": "completion_result", "text": ANSWER},
]
SAMPLES = (Sample("cline-display", value(CLINE), tool="execute_command"),)
