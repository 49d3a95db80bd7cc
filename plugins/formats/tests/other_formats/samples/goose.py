from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines, text, value

GOOSE_CALL = {
    "type": "toolRequest",
    "id": "c1",
    "toolCall": {"status": "success", "value": {"name": "read_file", "arguments": ARGUMENTS}},
}
GOOSE: list[dict[str, Any]] = [
    {"role": "user", "created": 1, "content": [text(QUESTION)]},
    {"role": "assistant", "created": 2, "content": [text(LOOKING), GOOSE_CALL]},
    {
        "role": "user",
        "created": 3,
        "content": [{"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": [text(RESULT)]}}],
    },
    {"role": "assistant", "created": 4, "content": [text(ANSWER)]},
]
GOOSE_STREAM = [
    *(
        {"type": "message", "message": {"id": f"m{message['created']}", **message, "content": [item]}}
        for message in GOOSE
        for part in message["content"]
        for item in ([text(part["text"][:5]), text(part["text"][5:])] if part["type"] == "text" else [part])
    ),
    {"type": "complete", "total_tokens": 3},
]
SAMPLES = (
    Sample("goose-stream", lines(*GOOSE_STREAM)),
    Sample("goose", lines({"working_dir": "/tmp", "description": "A file"}, *GOOSE)),
    Sample("goose", value({"id": "s", "working_dir": "/tmp", "name": "A file", "conversation": GOOSE})),
)
