from __future__ import annotations

from tests.formats.story import ANSWER, CHAT, QUESTION, Sample, value

CREWAI = {
    "raw": ANSWER,
    "tasks_output": [{"description": QUESTION, "agent": "reader", "raw": ANSWER, "messages": CHAT, "name": "read"}],
    "token_usage": {},
}
SAMPLES = (Sample("crewai", value(CREWAI)),)
