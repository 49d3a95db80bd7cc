from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, Sample, value


def chatgpt(role: str, kind: str, written: str, recipient: str = "all", name: str | None = None) -> dict[str, Any]:
    content = {"content_type": kind, **({"parts": [written]} if kind == "text" else {"text": written})}
    return {"author": {"role": role, "name": name}, "content": content, "recipient": recipient}


CHATGPT_MESSAGES = [
    chatgpt("user", "text", QUESTION),
    chatgpt("assistant", "text", LOOKING),
    chatgpt("assistant", "code", "open('a.txt')", "read_file"),
    chatgpt("tool", "execution_output", RESULT, name="read_file"),
    chatgpt("assistant", "text", ANSWER),
]
CHATGPT = [
    {
        "title": "A file",
        "conversation_id": "s",
        "current_node": "n5",
        "mapping": {
            "n0": {"id": "n0", "message": None, "parent": None, "children": ["n1", "other"]},
            **{
                f"n{n}": {"id": f"n{n}", "message": {"id": f"n{n}", **message}, "parent": f"n{n - 1}", "children": []}
                for n, message in enumerate(CHATGPT_MESSAGES, 1)
            },
            "other": {
                "id": "other",
                "message": {"id": "other", **chatgpt("user", "text", "Rewound.")},
                "parent": "n0",
                "children": [],
            },
        },
    }
]
SAMPLES = (Sample("chatgpt-export", value(CHATGPT)),)
