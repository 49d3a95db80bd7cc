"""Laws 1 to 4, judged on plain lists; written from the laws and the providers' rules, not from the code."""

from __future__ import annotations

from typing import Any

__all__ = ["chat_faults", "faults", "responses_faults"]

Raw = list[dict[str, Any]]


def faults(wire: Raw, *, may_end_open: bool = False) -> list[str]:
    """Judge a list of typed blocks by laws 1 to 4."""
    found: list[str] = []
    calls: list[str] = []
    for n, message in enumerate(wire):
        if message["role"] != ("assistant" if n % 2 else "user"):
            found.append(f"{n}: role")
        content = message["content"]
        if not content:
            found.append(f"{n}: empty")
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if results != calls or any(block["type"] != "tool_result" for block in content[: len(results)]):
            found.append(f"{n}: pairing")
        made = [block for block in content if block["type"] == "tool_use"]
        calls = [block["id"] for block in made]
        if len(set(calls)) != len(calls) or (calls and message["role"] == "user"):
            found.append(f"{n}: calls")
        if not all(block["id"] and block["name"] and isinstance(block["input"], dict) for block in made):
            found.append(f"{n}: call")
        if any(block["type"] == "text" and not block["text"].strip() for block in content):
            found.append(f"{n}: blank")
    if calls and not may_end_open:
        found.append("end: pairing")
    return found


def chat_faults(wire: Raw) -> list[str]:
    """Judge a list of Chat Completions by OC-01 to OC-07."""
    found: list[str] = []
    waiting: list[str] = []
    for n, message in enumerate(wire):
        if message["role"] == "tool":
            if not waiting or waiting.pop(0) != message["tool_call_id"]:
                found.append(f"{n}: tool message")
            continue
        if waiting:
            found.append(f"{n}: unanswered")
        waiting = [call["id"] for call in message.get("tool_calls", [])]
        if not message["content"] and not waiting:
            found.append(f"{n}: empty")
    return [*found, "end"] if waiting else found


def responses_faults(items: Raw) -> list[str]:
    """Judge a list of the Responses API: every call has its output behind it, before anybody speaks again."""
    found: list[str] = []
    waiting: list[str] = []
    answered = False
    for n, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call_output":
            if not waiting or waiting.pop(0) != item["call_id"]:
                found.append(f"{n}: output")
            answered = True
        elif kind == "function_call":
            if waiting and answered:
                found.append(f"{n}: call between outputs")
            waiting.append(item["call_id"])
            answered = False
        else:
            if waiting:
                found.append(f"{n}: unanswered")
            if not item["content"]:
                found.append(f"{n}: empty")
    return [*found, "end"] if waiting else found
