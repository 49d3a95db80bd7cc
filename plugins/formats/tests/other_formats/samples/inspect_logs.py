from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, text, value

INSPECT_CALL = {"id": "c1", "function": "read_file", "arguments": ARGUMENTS, "type": "function"}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "t"},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "input": QUESTION,
            "messages": [
                {"role": "user", "content": QUESTION},
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "reasoning": THOUGHT}, text(LOOKING)],
                    "tool_calls": [INSPECT_CALL],
                },
                {"role": "tool", "tool_call_id": "c1", "function": "read_file", "content": RESULT},
                {"role": "assistant", "content": ANSWER},
            ],
        }
    ],
}
SAMPLES = (Sample("inspect", value(INSPECT)),)
