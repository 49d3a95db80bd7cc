from __future__ import annotations

import json

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, TALK, Sample, value

ROW = {"id": "01", "model": "m", "conversation_id": "c", "conversation_name": "A file", "attachments": []}
LLM = [
    {
        **ROW,
        "prompt": "",
        "response": ANSWER,
        "datetime_utc": "2026-01-02T03:04:06",
        "tool_results": [{"tool_call_id": "c1", "name": "read_file", "output": RESULT}],
    },
    {
        **ROW,
        "prompt": QUESTION,
        "response": LOOKING,
        "datetime_utc": "2026-01-02T03:04:05",
        "tool_calls": [{"tool_call_id": "c1", "name": "read_file", "arguments": ARGUMENTS}],
    },
]
RAW = json.dumps([{"role": "user", "content": QUESTION}])
RESULTS = [{"prompt": {"raw": RAW, "label": "p"}, "vars": {}, "response": {"output": ANSWER}, "success": True}]
SAMPLES = (
    Sample("llm-logs", value(LLM)),
    Sample("promptfoo", value({"version": 3, "results": {"results": RESULTS}}), TALK),
)
