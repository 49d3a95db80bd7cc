from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, text, value

MANAGED: list[dict[str, Any]] = [
    {"type": "session.status_running", "id": "sevt_1", "processed_at": "2026-11-20T09:00:00.100Z"},
    {"type": "user.message", "id": "sevt_2", "processed_at": "2026-11-20T09:00:00.200Z", "content": [text(QUESTION)]},
    {"type": "agent.thinking", "id": "sevt_3", "processed_at": "2026-11-20T09:00:01.100Z"},
    {"type": "agent.message", "id": "sevt_4", "processed_at": "2026-11-20T09:00:01.200Z", "content": [text(LOOKING)]},
    {
        "type": "agent.tool_use",
        "id": "sevt_5",
        "processed_at": "2026-11-20T09:00:01.300Z",
        "name": "read_file",
        "input": ARGUMENTS,
        "evaluated_permission": "allow",
    },
    {
        "type": "agent.tool_result",
        "id": "sevt_6",
        "processed_at": "2026-11-20T09:00:02.100Z",
        "tool_use_id": "sevt_5",
        "content": [text(RESULT)],
        "is_error": False,
    },
    {"type": "agent.message", "id": "sevt_7", "processed_at": "2026-11-20T09:00:03.100Z", "content": [text(ANSWER)]},
]
SAMPLES = (
    Sample("managed-agents", lines(*MANAGED)),
    Sample("managed-agents", value({"data": MANAGED, "next_page": None})),
    Sample("managed-agents", value(MANAGED[::-1])),
)
