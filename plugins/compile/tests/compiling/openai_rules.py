"""OpenAI's rules for a training example, restated from the API reference and the cookbook's check of a data set."""

from __future__ import annotations

import json
from typing import Any

KEYS = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "weight", "refusal"},
    "tool": {"role", "content", "tool_call_id"},
}


def faults(example: Any) -> list[str]:
    """Say what OpenAI would refuse."""
    if not isinstance(example, dict) or not example.get("messages"):
        return ["missing_messages_list"]
    found = [f"unrecognized key {key}" for key in example if key not in ("messages", "tools", "parallel_tool_calls")]
    messages, open_ids = example["messages"], set[str]()
    for n, message in enumerate(messages):
        role = message.get("role")
        if role not in KEYS:
            found.append(f"{n}: unrecognized_role")
            continue
        found += [f"{n}: message_unrecognized_key {key}" for key in message.keys() - KEYS[role]]
        content, calls = message.get("content"), message.get("tool_calls")
        if role != "tool" and open_ids:
            found.append(f"{n}: calls without results {open_ids}")
            open_ids.clear()
        if role == "tool":
            if message["tool_call_id"] not in open_ids:
                found.append(f"{n}: a result of no call")
            open_ids.discard(message["tool_call_id"])
        if not isinstance(content, str if role != "user" else str | list) and not calls:
            found.append(f"{n}: missing_content")
        for each in calls or ():
            open_ids.add(each["id"])
            if each["type"] != "function" or not isinstance(json.loads(each["function"]["arguments"]), dict):
                found.append(f"{n}: a call that is none")
            if len(each["id"]) > 40:
                found.append(f"{n}: a long id")
        if message.get("weight", 1) not in (0, 1) or isinstance(message.get("weight"), bool):
            found.append(f"{n}: weight")
    learned = [message for message in messages if message["role"] == "assistant" and message.get("weight", 1)]
    if not learned:
        found.append("example_missing_assistant_message")
    if messages[-1]["role"] != "assistant":
        found.append("the last message must be from the assistant")
    return found
