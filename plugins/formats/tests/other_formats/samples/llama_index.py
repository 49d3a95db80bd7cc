from __future__ import annotations

import json
from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value

LLAMA_INDEX: list[dict[str, Any]] = [
    {"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": QUESTION}]},
    {
        "role": "assistant",
        "additional_kwargs": {},
        "blocks": [
            {"block_type": "text", "text": LOOKING},
            {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "read_file", "tool_kwargs": ARGUMENTS},
        ],
    },
    {"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [{"block_type": "text", "text": RESULT}]},
    {"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": ANSWER}]},
]
LLAMA_INDEX_MEMORY = {
    "chat_store": {"store": {"chat_history": LLAMA_INDEX[:1]}, "class_name": "SimpleChatStore"},
    "chat_store_key": "chat_history",
    "token_limit": 3000,
    "class_name": "ChatMemoryBuffer",
}
LLAMA_INDEX_STATE = {
    "memory": json.dumps({"__is_component": True, "value": LLAMA_INDEX_MEMORY, "qualified_name": "memory"}),
    "scratchpad": json.dumps(
        [{"__is_pydantic": True, "value": each, "qualified_name": "types.ChatMessage"} for each in LLAMA_INDEX[1:]]
    ),
    "max_iterations": "20",
}
"""The context of a run that was stopped: its memory has the question only."""
SAMPLES = (
    Sample("llama-index", value(LLAMA_INDEX)),
    Sample("llama-index", value({"store": {"u": LLAMA_INDEX}, "class_name": "SimpleChatStore"})),
    Sample("llama-index", value({"version": 2, "state": {"state_data": {"_data": LLAMA_INDEX_STATE}}, "workers": {}})),
)
