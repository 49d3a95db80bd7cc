from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, CHAT_CALL, LOOKING, QUESTION, RESULT, Sample, value

SMOLAGENTS: list[dict[str, Any]] = [
    {"task": QUESTION, "task_images": None},
    {"step_number": 1, "model_output": LOOKING, "tool_calls": [CHAT_CALL], "error": None, "observations": RESULT},
    {
        "step_number": 2,
        "model_output": None,
        "observations": None,
        "is_final_answer": True,
        "action_output": ANSWER,
    },
]
LIVE = [{key: item for key, item in step.items() if item is not None} for step in SMOLAGENTS[:2]]
SAMPLES = (
    Sample("smolagents", value(SMOLAGENTS)),
    Sample("smolagents", value([*LIVE, {"step_number": 2, "tool_calls": []}, {"output": ANSWER}])),
)
