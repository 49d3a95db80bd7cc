from __future__ import annotations

from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    CHAT_CALL,
    LOOKING,
    QUESTION,
    RESULT,
    TEXT_ARGUMENTS,
    Sample,
    text,
    value,
)

OPENHANDS_RESPONSE = {
    "id": "r",
    "choices": [{"message": {"role": "assistant", "content": LOOKING, "tool_calls": [CHAT_CALL]}}],
}
OPENHANDS_CALL = {"function_name": "read_file", "tool_call_id": "c1", "model_response": OPENHANDS_RESPONSE}
OPENHANDS = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": QUESTION}},
    {"id": 1, "source": "agent", "action": "read", "args": ARGUMENTS, "tool_call_metadata": OPENHANDS_CALL},
    {"id": 2, "source": "agent", "observation": "read", "content": RESULT, "tool_call_metadata": OPENHANDS_CALL},
    {"id": 3, "source": "agent", "action": "message", "args": {"content": ANSWER}},
    {"id": 4, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
]
OPENHANDS_SDK = [
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [text(QUESTION)]}},
    {
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [text(LOOKING)],
        "tool_name": "read_file",
        "tool_call_id": "c1",
        "tool_call": {"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    },
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_call_id": "c1",
        "observation": {"content": [text(RESULT)]},
    },
    {"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": [text(ANSWER)]}},
]
SAMPLES = (
    Sample("openhands", value(OPENHANDS)),
    Sample("openhands", value(OPENHANDS_SDK)),
)
