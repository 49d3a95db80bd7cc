from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, THOUGHT, Sample, lines, value

_OUTPUT = {"type": "text", "text": RESULT}
AGENTS_JS: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": QUESTION},
    {"type": "reasoning", "content": [{"type": "input_text", "text": THOUGHT}], "providerData": {}},
    {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": LOOKING, "providerData": {"annotations": []}}],
    },
    {"type": "function_call", "id": "i1", "callId": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    {"type": "function_call_result", "callId": "c1", "name": "read_file", "status": "completed", "output": _OUTPUT},
    {"role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": ANSWER}]},
]
AGENTS_JS_STATE = {
    "$schemaVersion": "1.1",
    "currentTurn": 2,
    "originalInput": QUESTION,
    "generatedItems": [{"type": "run_item", "rawItem": each} for each in AGENTS_JS[1:]],
}
CODEBUDDY: list[dict[str, Any]] = [
    *({**each, "type": "message", **each, "sessionId": "s", "timestamp": 1, "cwd": "/tmp"} for each in AGENTS_JS),
    {"type": "file-history-snapshot", "id": "f", "sessionId": "s", "snapshot": {}},
    {"type": "topic", "topic": "A file", "sessionId": "s"},
]
SAMPLES = (
    Sample("openai-agents-js", value(AGENTS_JS)),
    Sample("openai-agents-js", value(AGENTS_JS_STATE)),
    Sample("openai-agents-js", lines(*CODEBUDDY)),
)
