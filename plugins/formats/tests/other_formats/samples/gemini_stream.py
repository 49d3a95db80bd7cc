from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines

GEMINI_STREAM = [
    {"type": "init", "timestamp": "t", "session_id": "s", "model": "m"},
    {"type": "message", "timestamp": "t", "role": "user", "content": QUESTION},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": LOOKING[:5], "delta": True},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": LOOKING[5:], "delta": True},
    {"type": "tool_use", "timestamp": "t", "tool_name": "read_file", "tool_id": "c1", "parameters": ARGUMENTS},
    {"type": "tool_result", "timestamp": "t", "tool_id": "c1", "status": "success", "output": RESULT},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": ANSWER, "delta": True},
    {"type": "result", "timestamp": "t", "status": "success", "stats": {}},
]
SAMPLES = (Sample("gemini-stream", lines(*GEMINI_STREAM)),)
