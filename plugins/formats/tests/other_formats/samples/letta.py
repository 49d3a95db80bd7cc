from __future__ import annotations

from tests.formats.story import CHAT, Sample, text, value

LETTA = {
    "name": "a",
    "id": "agent-0",
    "agent_type": "memgpt_agent",
    "system": "",
    "in_context_message_ids": ["0", "1", "2", "3"],
}
LETTA_MESSAGES = [
    {**each, "id": str(n), "content": [text(str(each["content"]))], "tool_returns": []} for n, each in enumerate(CHAT)
]
SAMPLES = (
    Sample("letta", value({"agents": [{**LETTA, "messages": LETTA_MESSAGES}]})),
    Sample("letta", value({**LETTA, "core_memory": [], "messages": LETTA_MESSAGES})),
)
