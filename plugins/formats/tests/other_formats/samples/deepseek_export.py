from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, QUESTION, THOUGHT, Sample, value

DEEPSEEK_EXPORT: list[dict[str, Any]] = [
    {
        "id": "s",
        "title": "A file",
        "inserted_at": "2026-01-01T00:00:00.000000+08:00",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
            "1": {
                "id": "1",
                "parent": "root",
                "children": ["2"],
                "message": {"files": [], "fragments": [{"type": "REQUEST", "content": QUESTION}]},
            },
            "2": {
                "id": "2",
                "parent": "1",
                "children": [],
                "message": {
                    "model": "deepseek-reasoner",
                    "fragments": [{"type": "THINK", "content": THOUGHT}, {"type": "RESPONSE", "content": ANSWER}],
                },
            },
        },
    }
]
SAMPLES = (Sample("deepseek-export", value(DEEPSEEK_EXPORT), ("user", "answer")),)
