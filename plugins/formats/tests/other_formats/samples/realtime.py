from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, lines

SPOKEN = {
    "id": "i1",
    "object": "realtime.item",
    "type": "message",
    "role": "user",
    "content": [{"type": "input_audio"}],
}
CALL = {"id": "i3", "type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS}


def said(id: str, written: str) -> dict[str, Any]:
    content = [{"type": "output_audio", "transcript": written}]
    return {"id": id, "object": "realtime.item", "type": "message", "role": "assistant", "content": content}


def done(*items: dict[str, Any]) -> dict[str, Any]:
    response = {"id": "r", "object": "realtime.response", "status": "completed", "output": list(items)}
    return {"type": "response.done", "event_id": "e", "response": response}


EVENTS: list[dict[str, Any]] = [
    {"type": "session.created", "event_id": "e1", "session": {"id": "s"}},
    {"type": "conversation.item.added", "event_id": "e2", "item": SPOKEN},
    {
        "type": "conversation.item.input_audio_transcription.completed",
        "item_id": "i1",
        "content_index": 0,
        "transcript": QUESTION,
    },
    done(said("i2", LOOKING), CALL),
    {
        "type": "conversation.item.added",
        "item": {"id": "i4", "type": "function_call_output", "call_id": "c1", "output": RESULT},
    },
    done(said("i5", ANSWER)),
]
SAMPLES = (Sample("realtime", lines(*EVENTS)),)
