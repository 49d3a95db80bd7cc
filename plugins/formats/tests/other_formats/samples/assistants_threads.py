from __future__ import annotations

from tests.formats.story import ANSWER, QUESTION, TALK, Sample, value

THREADS = {
    "object": "list",
    "data": [
        {
            "id": f"m{time}",
            "object": "thread.message",
            "created_at": time,
            "thread_id": "s",
            "role": role,
            "content": [{"type": "text", "text": {"value": written, "annotations": []}}],
        }
        for time, role, written in ((2, "assistant", ANSWER), (1, "user", QUESTION))
    ],
}
SAMPLES = (Sample("assistants-threads", value(THREADS), TALK),)
