from __future__ import annotations

from tests.formats.story import GEMINI, Sample, value

ADK = {
    "id": "s",
    "appName": "a",
    "userId": "u",
    "events": [
        {"id": str(n), "invocationId": "i", "author": "user" if n == 0 else "agent", "content": content, "actions": {}}
        for n, content in enumerate(GEMINI)
    ],
}
SAMPLES = (Sample("adk", value(ADK)),)
