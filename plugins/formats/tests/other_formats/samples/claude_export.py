from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, text, value

CLAUDE_EXPORT = [
    {
        "uuid": "s",
        "name": "A file",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": QUESTION, "content": [text(QUESTION)]},
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [
                    text(LOOKING),
                    {"type": "tool_use", "name": "read_file", "input": ARGUMENTS},
                    {"type": "tool_result", "name": "read_file", "content": [text(RESULT)]},
                    text(ANSWER),
                ],
            },
        ],
    }
]
SAMPLES = (Sample("claude-export", value(CLAUDE_EXPORT)),)
