from __future__ import annotations

from tests.formats.story import ANSWER, CHAT, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, lines, text

KIMI_WIRE = [
    {"type": "metadata", "protocol_version": "1.2"},
    *(
        {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}
        for kind, payload in (
            ("TurnBegin", {"user_input": QUESTION}),
            ("StepBegin", {"n": 1}),
            ("ContentPart", text(LOOKING)),
            ("ToolCall", {"id": "c1", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS[:5]}}),
            ("ToolCallPart", {"arguments_part": TEXT_ARGUMENTS[5:]}),
            ("ToolResult", {"tool_call_id": "c1", "return_value": {"is_error": False, "output": RESULT}}),
            ("ContentPart", text(ANSWER)),
        )
    ),
]
SAMPLES = (
    Sample(
        "kimi-cli", lines({"role": "_system_prompt", "content": "Kimi."}, *CHAT, {"role": "_usage", "token_count": 1})
    ),
    Sample("kimi-wire", lines(*KIMI_WIRE)),
)
