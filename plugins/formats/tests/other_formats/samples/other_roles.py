from __future__ import annotations

import json
from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, QUESTION, RESULT, TALK, Sample, lines, value

USED_TOOLS = [{"tool": "read_file", "toolInput": ARGUMENTS, "toolOutput": RESULT}]
FLOWISE: list[dict[str, Any]] = [
    {"id": "1", "role": "userMessage", "content": QUESTION, "chatId": "s", "usedTools": None},
    {"id": "2", "role": "apiMessage", "content": ANSWER, "chatId": "s", "usedTools": USED_TOOLS},
]
AS_TEXT = [{**FLOWISE[0], "usedTools": ""}, {**FLOWISE[1], "usedTools": json.dumps(USED_TOOLS)}]
HUMAN_AND_AI = [{"role": "human", "content": QUESTION}, {"role": "AI", "content": ANSWER}]
SAMPLES = (
    Sample("other-roles", value(FLOWISE), ("user", "call", "result", "answer")),
    Sample("other-roles", value(AS_TEXT), ("user", "call", "result", "answer")),
    Sample("other-roles", lines({"messages": HUMAN_AND_AI}, {"messages": HUMAN_AND_AI}), TALK),
)
