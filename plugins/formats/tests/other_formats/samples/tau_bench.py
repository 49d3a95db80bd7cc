from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, CHAT, LOOKING, QUESTION, RESULT, Sample, value

TAU_2 = {
    "timestamp": "t",
    "simulations": [
        {
            "id": "s",
            "task_id": "1",
            "messages": [
                {"role": "user", "content": QUESTION},
                {
                    "role": "assistant",
                    "content": LOOKING,
                    "tool_calls": [{"id": "c1", "name": "read_file", "arguments": ARGUMENTS}],
                },
                {"role": "tool", "id": "c1", "content": RESULT, "requestor": "assistant", "error": False},
                {"role": "assistant", "content": ANSWER},
            ],
        }
    ],
}
SAMPLES = (
    Sample("tau-bench", value([{"task_id": 1, "reward": 1.0, "traj": CHAT, "trial": 0}])),
    Sample("tau2-bench", value(TAU_2)),
)
