from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, GEMINI, LOOKING, QUESTION, Sample, lines, value

GEMINI_CALL = {
    "id": "c1",
    "name": "read_file",
    "args": ARGUMENTS,
    "status": "success",
    "result": GEMINI[2]["parts"],
}
GEMINI_CLI: list[Any] = [
    {"id": "1", "timestamp": "t", "type": "user", "content": [{"text": QUESTION}]},
    {"id": "2", "timestamp": "t", "type": "gemini", "content": LOOKING, "toolCalls": [GEMINI_CALL]},
    {"id": "3", "timestamp": "t", "type": "info", "content": "Saved."},
    {"id": "4", "timestamp": "t", "type": "gemini", "content": ANSWER},
]
GEMINI_HEADER = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"}
SAMPLES = (
    Sample("gemini-cli", value({**GEMINI_HEADER, "messages": GEMINI_CLI})),
    Sample("gemini-cli", lines(GEMINI_HEADER, *GEMINI_CLI, {"$set": {"lastUpdated": "u"}})),
)
