from __future__ import annotations

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, text, value

LIBRECHAT = {
    "conversationId": "s",
    "title": "A file",
    "messages": [
        {
            "messageId": "1",
            "isCreatedByUser": True,
            "text": QUESTION,
            "children": [
                {
                    "messageId": "2",
                    "isCreatedByUser": False,
                    "content": [
                        text(LOOKING),
                        {
                            "type": "tool_call",
                            "tool_call": {"id": "c1", "name": "read_file", "args": TEXT_ARGUMENTS, "output": RESULT},
                        },
                        text(ANSWER),
                    ],
                    "children": [],
                }
            ],
        }
    ],
}
SAMPLES = (Sample("librechat", value(LIBRECHAT)),)
