from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, QUESTION, TALK, Sample, lines, value


def _message(id: str, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "message", "messageId": id, "role": role, "parts": list(parts), "contextId": "c"}


def _text(words: str) -> dict[str, Any]:
    return {"kind": "text", "text": words}


ASKED, SAID = _message("1", "user", _text(QUESTION)), _message("2", "agent", _text(ANSWER))
TASK: dict[str, Any] = {
    "kind": "task",
    "id": "t",
    "contextId": "c",
    "status": {"state": "completed", "message": SAID},
    "history": [ASKED],
}
NEWER = [{**ASKED, "role": "ROLE_USER"}, {"messageId": "2", "role": "ROLE_AGENT", "parts": [{"text": ANSWER}]}]
SAMPLES = (
    Sample("a2a", value([ASKED, SAID]), TALK),
    Sample("a2a", lines(*NEWER), TALK),
    Sample("a2a", value({"jsonrpc": "2.0", "id": 1, "result": TASK}), TALK),
    Sample("a2a", value({**TASK, "history": [ASKED, SAID]}), TALK),
)
