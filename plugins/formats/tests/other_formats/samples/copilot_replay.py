from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, CHAT_CALL, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, value

REPLAY_MESSAGES: list[dict[str, Any]] = [
    {"role": 1, "content": [{"type": 1, "text": QUESTION}, {"type": 3, "cacheType": "ephemeral"}]},
    {"role": 2, "content": [{"type": 1, "text": LOOKING}], "toolCalls": [CHAT_CALL]},
    {"role": 3, "content": [{"type": 1, "text": RESULT}], "toolCallId": "c1"},
]
REPLAY_LOGS: list[dict[str, Any]] = [
    {"id": "e1", "kind": "element", "name": "AgentPrompt", "tokens": 403, "maxTokens": 99003},
    {
        "id": "r1",
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "requestMessages": {"messages": REPLAY_MESSAGES[:1]},
        "response": {"type": "success", "message": [LOOKING]},
    },
    {"id": "c1__vscode-1", "kind": "toolCall", "tool": "read_file", "args": TEXT_ARGUMENTS, "response": [RESULT]},
    {
        "id": "r2",
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "metadata": {"model": "gpt-5.2", "tools": []},
        "requestMessages": {"messages": REPLAY_MESSAGES},
        "response": {"type": "success", "message": [ANSWER]},
    },
]
REPLAY: dict[str, Any] = {
    "exportedAt": "2026-11-20T09:00:00.000Z",
    "totalPrompts": 1,
    "totalLogEntries": 4,
    "prompts": [{"prompt": QUESTION, "hasSeen": False, "logCount": 4, "logs": REPLAY_LOGS}],
}
SAMPLES = (Sample("copilot-replay", value(REPLAY)),)
