from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, THOUGHT, TOOL_RESULT, TOOL_USE, Sample, text, value

CLINE_ROWS: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": [text(QUESTION)], "ts": 1},
    {
        "id": "m2",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": THOUGHT}, text(LOOKING), TOOL_USE],
        "ts": 2,
        "modelInfo": {"id": "m"},
    },
    {"id": "m3", "role": "user", "content": [{**TOOL_RESULT, "name": "read_file"}], "ts": 3},
    {"id": "m4", "role": "assistant", "content": [text(ANSWER)], "ts": 4},
]
ROO_ROWS: list[dict[str, Any]] = [
    {"role": "user", "content": "Said before the summary.", "ts": 1, "condenseParent": "s1"},
    {"role": "user", "content": [text(QUESTION)], "ts": 2, "isSummary": True, "condenseId": "s1"},
    {"type": "reasoning", "encrypted_content": "x", "summary": [], "ts": 3},
    *({key: each[key] for key in ("role", "content", "ts")} for each in CLINE_ROWS[1:]),
]
CLINE_SESSION = {"version": 1, "updated_at": "t", "agent": "lead", "sessionId": "s", "messages": CLINE_ROWS}
SAMPLES = (
    Sample("cline", value(CLINE_SESSION)),
    Sample("cline", value(ROO_ROWS)),
)
