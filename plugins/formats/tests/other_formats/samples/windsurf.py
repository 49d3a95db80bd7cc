from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, Sample, lines

WINDSURF: list[dict[str, Any]] = [
    {"status": "done", "type": "user_input", "user_input": {"user_response": QUESTION}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": LOOKING}},
    {"status": "done", "type": "view_file", "view_file": {"path": "a.txt", "content": RESULT}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": ANSWER}},
]
SAMPLES = (Sample("windsurf", lines(*WINDSURF), tool="view_file"),)
