from __future__ import annotations

from tests.formats.story import QUESTION, Sample, lines, text, value

from other_formats.samples.opencode_stream import OPENCODE_STREAM

OPENCODE_EVENTS = [
    {"type": "server.connected", "properties": {}},
    {"type": "session.updated", "properties": {"info": {"id": "s", "title": "A file"}}},
    {"type": "message.updated", "properties": {"info": {"id": "m1", "role": "user", "sessionID": "s"}}},
    {"type": "message.part.updated", "properties": {"part": {"id": "p1", "messageID": "m1", **text(QUESTION)}}},
    {"type": "message.updated", "properties": {"info": {"id": "m2", "role": "assistant", "sessionID": "s"}}},
    *(
        {"type": "message.part.updated", "properties": {"part": {**event["part"], "id": f"p{n}", "messageID": "m2"}}}
        for n, event in enumerate(OPENCODE_STREAM, 2)
    ),
]
SAMPLES = (
    Sample("opencode-events", value(OPENCODE_EVENTS)),
    Sample("opencode-events", lines(*({"directory": "/tmp", "payload": each} for each in OPENCODE_EVENTS))),
)
