from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines


def kiro_row(id: str, type: str, /, **payload: Any) -> dict[str, Any]:
    """Make a line of a session of Kiro's editor."""
    return {"id": id, "timestamp": "t", "payload": {"type": type, **payload}}


KIRO_3: list[dict[str, Any]] = [
    kiro_row("u1", "user", content=QUESTION, images=[], documents=[]),
    kiro_row("e1", "turn_start", executionId="x"),
    kiro_row("r1", "assistant", content=THOUGHT, operationType="Reasoning", reasoningSignature="s"),
    kiro_row("a1", "assistant", content=LOOKING, operationType="Say"),
    kiro_row("c1", "tool_call", toolCallId="c1", toolName="read_file", args=ARGUMENTS, status="completed"),
    kiro_row("c1-result", "tool_result", toolCallId="c1", content=RESULT, success=True),
    kiro_row("a2", "assistant", content=ANSWER, operationType="Say"),
    kiro_row("e2", "usage_summary", promptTurnSummaries=[{"unit": "credit", "usage": 0.1}]),
    kiro_row("e3", "turn_end", stopReason="end_turn"),
]
SAMPLES = (Sample("kiro", lines(*KIRO_3)),)
