from __future__ import annotations

from tests.formats.story import ANSWER, QUESTION, TALK, Sample, value

OPEN_WEBUI = [
    {
        "id": "s",
        "title": "A file",
        "chat": {
            "history": {
                "currentId": "2",
                "messages": {
                    "1": {"id": "1", "parentId": None, "childrenIds": ["2"], "role": "user", "content": QUESTION},
                    "2": {"id": "2", "parentId": "1", "childrenIds": [], "role": "assistant", "content": ANSWER},
                },
            }
        },
    }
]
SAMPLES = (Sample("open-webui", value(OPEN_WEBUI), TALK),)
