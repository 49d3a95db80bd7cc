from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, QUESTION, THOUGHT, Sample, value

GROK_EXPORT: dict[str, Any] = {
    "conversations": [
        {
            "conversation": {"id": "s", "title": "A file", "create_time": "2026-01-01T00:00:00Z"},
            "responses": [
                {"response": {"_id": "1", "sender": "human", "message": QUESTION}, "share_link": None},
                {"response": {"_id": "2", "sender": "ASSISTANT", "message": "Other.", "parent_response_id": "1"}},
                {
                    "response": {
                        "_id": "3",
                        "sender": "grok-4",
                        "message": ANSWER,
                        "thinking_trace": THOUGHT,
                        "parent_response_id": "1",
                    }
                },
            ],
        }
    ],
    "projects": [],
    "tasks": [],
}
SAMPLES = (Sample("grok-export", value(GROK_EXPORT), ("user", "answer")),)
