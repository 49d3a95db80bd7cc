from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, value

PHOENIX_CALL = {"tool_call": {"id": "c1", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}}
PHOENIX = {
    "name": "llm",
    "context": {"span_id": "s"},
    "attributes": {
        "llm.input_messages": [
            {"message.role": "user", "message.content": QUESTION},
            {"message": {"role": "assistant", "content": LOOKING, "tool_calls": [PHOENIX_CALL]}},
            {"message": {"role": "tool", "tool_call_id": "c1", "content": RESULT}},
        ],
        "llm.output_messages": [{"message": {"role": "assistant", "content": ANSWER}}],
    },
}
SAMPLES = (Sample("phoenix", value([PHOENIX])),)
