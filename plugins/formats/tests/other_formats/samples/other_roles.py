from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, QUESTION, RESULT, TALK, Sample, lines, value

USED_TOOLS = [{"tool": "read_file", "toolInput": ARGUMENTS, "toolOutput": RESULT}]
FLOWISE = [
    {"id": "1", "role": "userMessage", "content": QUESTION, "chatId": "s", "usedTools": None},
    {"id": "2", "role": "apiMessage", "content": ANSWER, "chatId": "s", "usedTools": USED_TOOLS},
]
HUMAN_AND_AI = [{"role": "human", "content": QUESTION}, {"role": "AI", "content": ANSWER}]
SAMPLES = (
    Sample("other-roles", value(FLOWISE), ("user", "call", "result", "answer")),
    Sample("other-roles", lines({"messages": HUMAN_AND_AI}, {"messages": HUMAN_AND_AI}), TALK),
)
