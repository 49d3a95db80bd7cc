"""Every history of one to four messages over ten kinds, by `add` and by `from_list`: 11,110 of each."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.short_histories import SHORT
from tests.judges import chat_faults, faults

from message_history import MessageHistory, Policy
from message_history.dialects import Anthropic, OpenAIChat

Raw = list[dict[str, Any]]


def assistant(raw: Raw) -> set[str]:
    """Name the texts of a list."""
    return {block["text"] for message in raw for block in message["content"] if block["type"] == "text"}


def answers_of_open_calls(raw: Raw) -> set[str]:
    """Name the results that answer an earlier call that no result has answered yet."""
    waiting: list[str] = []
    found = set()
    for message in raw:
        for block in message["content"]:
            if block["type"] == "tool_use":
                waiting.append(block["id"])
            elif block["type"] == "tool_result" and block["tool_use_id"] in waiting:
                waiting.remove(block["tool_use_id"])
                found.add(block["content"])
    return found


def on_the_wire(wire: Raw) -> set[str]:
    """Name all texts that a list holds, in results too."""
    found = set()
    for message in wire:
        for block in message["content"]:
            found |= {block["text"]} if block["type"] == "text" else set()
            if block["type"] == "tool_result":
                found |= {part["text"] for part in block.get("content", [])}
    return found


def accounted(history: MessageHistory) -> str:
    """Write out all that the history and its repairs hold."""
    return repr([message.content for message in history]) + repr([repair.removed for repair in history.repairs])


def built_by_add(raw: Raw, policy: Policy | None = None) -> MessageHistory:
    history = MessageHistory(policy=policy)
    for message in raw:
        history = history.add(message)
        assert not faults(history.to_list(), may_end_open=True)
    return history


def test_there_are_11110_short_histories() -> None:
    assert len(SHORT) == 11_110


@pytest.mark.heavy
@pytest.mark.parametrize("build", [built_by_add, MessageHistory.from_list], ids=["add", "from_list"])
def test_every_short_history_is_valid_and_lossless(build: Any) -> None:
    for raw in SHORT:
        history = build(raw)
        wire = history.for_send(Anthropic())
        assert not faults(wire), raw
        assert not chat_faults(history.for_send(OpenAIChat())), raw
        assert assistant(raw) <= on_the_wire(wire), raw
        assert answers_of_open_calls(raw) <= on_the_wire(wire), raw
        kept = accounted(history)
        assert all(block["content"] in kept for message in raw for block in message["content"] if "content" in block)


@pytest.mark.heavy
@pytest.mark.parametrize("by_add", [True, False], ids=["add", "from_list"])
def test_with_drop_only_what_precedes_the_user_is_lost_and_told(by_add: bool) -> None:
    policy = Policy(leading_assistant="drop")
    for raw in SHORT:
        history = built_by_add(raw, policy) if by_add else MessageHistory.from_list(raw, policy=policy)
        wire = history.for_send(Anthropic())
        assert not wire or not faults(wire), raw
        lead = next(
            (n for n, message in enumerate(raw) if assistant([message]) and message["role"] == "user"), len(raw)
        )
        assert assistant(raw[lead:]) <= on_the_wire(wire), raw
        assert answers_of_open_calls(raw[lead:]) <= on_the_wire(wire), raw
        kept = accounted(history)
        for block in (block for message in raw for block in message["content"]):
            assert block.get("content", block.get("text", "")) in kept, raw
