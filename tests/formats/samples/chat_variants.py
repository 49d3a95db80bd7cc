from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, CHAT_CALL, LOOKING, QUESTION, RESULT, Sample, lines, value

AG_UI: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": QUESTION},
    {"id": "m2", "role": "assistant", "content": LOOKING, "toolCalls": [CHAT_CALL]},
    {"id": "m3", "role": "tool", "toolCallId": "c1", "content": RESULT},
    {"id": "a1", "role": "activity", "activityType": "PROGRESS", "content": {"done": 1}},
    {"id": "m4", "role": "assistant", "content": ANSWER},
]
COHERE: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "tool_plan": LOOKING, "tool_calls": [CHAT_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "document", "document": {"data": RESULT, "id": "d"}}]},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": ANSWER}],
        "citations": [{"start": 0, "end": 2, "text": "It", "sources": []}],
    },
]
XAI_CALL = {"id": "c1", "type": "TOOL_CALL_TYPE_CLIENT_SIDE_TOOL", "function": CHAT_CALL["function"]}
XAI: list[dict[str, Any]] = [
    {"role": "ROLE_USER", "content": [{"text": QUESTION}]},
    {"role": "ROLE_ASSISTANT", "content": [{"text": LOOKING}], "toolCalls": [XAI_CALL]},
    {"role": "ROLE_TOOL", "content": [{"text": RESULT}], "toolCallId": "c1"},
    {"role": "ROLE_ASSISTANT", "content": [{"text": ANSWER}]},
]
SAMPLES = (
    Sample("ag-ui", value(AG_UI)),
    Sample("ag-ui", value({"threadId": "t", "runId": "r", "messages": AG_UI, "tools": [], "state": {}})),
    Sample("ag-ui", lines(*AG_UI)),
    Sample("cohere", value(COHERE)),
    Sample("cohere", lines(*COHERE)),
    Sample("cohere", value({"model": "command-a-03-2025", "messages": COHERE})),
    Sample("xai", value(XAI)),
    Sample("xai", value({"model": "grok-4", "messages": XAI})),
)
