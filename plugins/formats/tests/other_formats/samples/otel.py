from __future__ import annotations

import json
from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, value


def part(written: str) -> dict[str, Any]:
    return {"type": "text", "content": written}


CALL = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": ARGUMENTS}
ASKED = [
    {"role": "user", "parts": [part(QUESTION)]},
    {"role": "assistant", "parts": [part(LOOKING), CALL]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": RESULT}]},
]
GIVEN = [{"role": "assistant", "parts": [part(ANSWER)], "finish_reason": "stop"}]
ATTRIBUTES = [
    {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
    {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(ASKED)}},
    {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps(GIVEN)}},
]
OTLP = {
    "resourceSpans": [
        {
            "resource": {"attributes": []},
            "scopeSpans": [{"spans": [{"spanId": "s", "name": "chat m", "attributes": ATTRIBUTES}, {"spanId": "t"}]}],
        }
    ]
}
SPAN = {
    "name": "chat m",
    "context": {"span_id": "s"},
    "attributes": {"gen_ai.input.messages": json.dumps(ASKED), "gen_ai.output.messages": json.dumps(GIVEN)},
}
SAMPLES = (
    Sample("otel", value([*ASKED, *GIVEN])),
    Sample("otel", lines(*ASKED, *GIVEN)),
    Sample("otel", value(OTLP)),
    Sample("otel", lines(OTLP)),
    Sample("otel", value([SPAN])),
)
