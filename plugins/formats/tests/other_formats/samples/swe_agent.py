from __future__ import annotations

from tests.formats.story import ANSWER, CHAT, CHAT_CALL, LOOKING, QUESTION, RESULT, Sample, text, value

SWE_AGENT = {
    "environment": "main",
    "history": [
        {"role": "user", "content": QUESTION, "agent": "main"},
        {"role": "assistant", "content": LOOKING, "agent": "main", "tool_calls": [CHAT_CALL]},
        {"role": "tool", "content": [text(RESULT)], "agent": "main", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": ANSWER, "agent": "main"},
    ],
    "info": {},
    "trajectory": [],
}
MINI_SWE_AGENT = {
    "trajectory_format": "mini-swe-agent-1.1",
    "info": {"exit_status": "Submitted", "submission": ""},
    "messages": [*CHAT, {"role": "exit", "content": ""}],
}
SAMPLES = (
    Sample("swe-agent", value(SWE_AGENT)),
    Sample("mini-swe-agent", value(MINI_SWE_AGENT)),
)
