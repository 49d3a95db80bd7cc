from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value

HAYSTACK_CALL = {"tool_name": "read_file", "arguments": ARGUMENTS, "id": "c1"}
HAYSTACK = [
    {"role": "user", "meta": {}, "name": None, "content": [{"text": QUESTION}]},
    {"role": "assistant", "meta": {}, "name": None, "content": [{"text": LOOKING}, {"tool_call": HAYSTACK_CALL}]},
    {
        "role": "tool",
        "meta": {},
        "name": None,
        "content": [{"tool_call_result": {"result": RESULT, "origin": HAYSTACK_CALL, "error": False}}],
    },
    {"role": "assistant", "meta": {}, "name": None, "content": [{"text": ANSWER}]},
]
SAMPLES = (Sample("haystack", value(HAYSTACK)),)
