from __future__ import annotations

from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    CLAUDE,
    LOOKING,
    QUESTION,
    RESULT,
    THOUGHT,
    TOOL_USE,
    Sample,
    lines,
    text,
    value,
)

CLAUDE_STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s", "tools": ["read_file"], "uuid": "u0"},
    {"type": "user", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[0]},
    {"type": "stream_event", "session_id": "s", "event": {"type": "message_start", "message": {}}},
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": None,
        "message": {"role": "assistant", "id": "m", "content": [text(LOOKING)]},
    },
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": None,
        "message": {"role": "assistant", "id": "m", "content": [TOOL_USE]},
    },
    {"type": "user", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[2]},
    {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[3]},
    {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": ANSWER},
]
_CURSOR_CALL = {"type": "tool_call", "call_id": "c1", "session_id": "s"}
CURSOR_STREAM = [
    {"type": "system", "subtype": "init", "apiKeySource": "login", "session_id": "s"},
    {"type": "user", "message": {"role": "user", "content": [text(QUESTION)]}, "session_id": "s"},
    {"type": "thinking", "subtype": "delta", "text": THOUGHT[:4], "session_id": "s"},
    {"type": "thinking", "subtype": "delta", "text": THOUGHT[4:], "session_id": "s"},
    {"type": "thinking", "subtype": "completed", "session_id": "s"},
    *(
        {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": [text(piece)]}, **about}
        for piece, about in (
            (LOOKING[:5], {"timestamp_ms": 1}),
            (LOOKING[5:], {"timestamp_ms": 2}),
            (LOOKING, {"timestamp_ms": 3, "model_call_id": "m"}),
        )
    ),
    {**_CURSOR_CALL, "subtype": "started", "tool_call": {"readToolCall": {"args": ARGUMENTS}}},
    {
        **_CURSOR_CALL,
        "subtype": "completed",
        "tool_call": {"readToolCall": {"args": ARGUMENTS, "result": {"success": {"content": RESULT}}}},
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [text(ANSWER)]}, "session_id": "s"},
    {"type": "result", "subtype": "success", "is_error": False, "result": f"{LOOKING}{ANSWER}", "session_id": "s"},
]
SAMPLES = (
    Sample("claude-stream", lines(*CLAUDE_STREAM)),
    Sample("claude-stream", value(CLAUDE_STREAM)),
    Sample("cursor-stream", lines(*CURSOR_STREAM), tool="readToolCall"),
)
