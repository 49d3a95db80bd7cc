from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, THOUGHT, Sample, lines, value


def message(n: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {"id": f"message-{n}", "date": f"2026-11-01T00:00:0{n}+00:00", "message_type": f"{kind}_message", **keys}


CALL = {"name": "read_file", "arguments": TEXT_ARGUMENTS, "tool_call_id": "c1"}
MESSAGES = [
    message(1, "user", content=QUESTION),
    message(2, "reasoning", reasoning=THOUGHT),
    message(2, "assistant", content=[{"type": "text", "text": LOOKING}]),
    message(2, "tool_call", tool_call=CALL),
    message(3, "tool_return", tool_return=RESULT, status="success", tool_call_id="c1"),
    message(4, "assistant", content=ANSWER),
]
SAMPLES = (
    Sample("letta-messages", value(MESSAGES)),
    Sample("letta-messages", value(MESSAGES[::-1])),
    Sample("letta-messages", lines(*MESSAGES)),
    Sample("letta-messages", value({"messages": MESSAGES, "stop_reason": {"stop_reason": "end_turn"}})),
)
