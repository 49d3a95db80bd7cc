from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, text

KIMI_CODE = [
    {"type": "metadata", "protocol_version": "1.4"},
    {"type": "config.update", "systemPrompt": "You are Kimi."},
    {"type": "turn.prompt", "input": [text(QUESTION)]},
    {"type": "context.append_message", "message": {"role": "user", "content": [text(QUESTION)], "toolCalls": []}},
    {"type": "context.append_loop_event", "event": {"type": "content.part", "part": text(LOOKING)}},
    {
        "type": "context.append_loop_event",
        "event": {"type": "tool.call", "toolCallId": "c1", "name": "read_file", "args": ARGUMENTS},
    },
    {
        "type": "context.append_loop_event",
        "event": {"type": "tool.result", "toolCallId": "c1", "result": {"output": RESULT}},
    },
    {"type": "context.append_loop_event", "event": {"type": "content.part", "part": text(ANSWER)}},
]
SAMPLES = (Sample("kimi-code", lines(*KIMI_CODE)),)
