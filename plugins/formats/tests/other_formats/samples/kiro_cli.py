from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, THOUGHT, Sample, lines


def kiro(kind: str, *content: dict[str, Any]) -> dict[str, Any]:
    """Make a line of a session of Kiro."""
    return {"version": "v1", "kind": kind, "data": {"message_id": "m", "content": list(content)}}


KIRO: list[dict[str, Any]] = [
    kiro("Prompt", {"kind": "text", "data": QUESTION}),
    kiro(
        "AssistantMessage",
        {"kind": "thinking", "data": {"text": THOUGHT, "signature": None, "redactedContent": [], "modelId": "auto"}},
        {"kind": "text", "data": LOOKING},
        {"kind": "toolUse", "data": {"toolUseId": "c1", "name": "read_file", "input": ARGUMENTS}},
    ),
    kiro(
        "ToolResults",
        {
            "kind": "toolResult",
            "data": {"toolUseId": "c1", "content": [{"kind": "text", "data": RESULT}], "status": "success"},
        },
    ),
    kiro("AssistantMessage", {"kind": "text", "data": ANSWER}),
]
SAMPLES = (Sample("kiro-cli", lines(*KIRO)),)
