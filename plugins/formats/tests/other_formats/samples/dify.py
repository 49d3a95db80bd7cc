from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, value

DIFY_THOUGHT = {
    "id": "c1",
    "thought": LOOKING,
    "tool": "read_file",
    "tool_input": TEXT_ARGUMENTS,
    "observation": RESULT,
}
DIFY = {"id": "1", "conversation_id": "s", "query": QUESTION, "answer": ANSWER, "agent_thoughts": [DIFY_THOUGHT]}
SAMPLES = (Sample("dify", value({"data": [DIFY]})),)
