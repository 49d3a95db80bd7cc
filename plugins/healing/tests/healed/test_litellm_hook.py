"""LiteLLM: its proxy's hook, and the function for its SDK."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("litellm")

from message_history_healing import Healer
from message_history_healing.litellm import HealingLogger, heal

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
BROKEN: list[Any] = [
    {"role": "user", "content": "Read a.txt."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Well?"},
]
WHOLE = [*BROKEN[:2], {"role": "tool", "tool_call_id": "c1", "content": "contents"}, BROKEN[2]]


def hook(logger: HealingLogger, messages: list[Any], call_type: str = "acompletion", **more: Any) -> dict[str, Any]:
    data = {"model": "anthropic/claude-sonnet-4-5", "messages": messages, **more}
    return asyncio.run(logger.async_pre_call_hook(None, None, data, call_type))


def test_the_hook_heals_and_keeps_the_rest() -> None:
    data = hook(HealingLogger(), BROKEN, metadata={"a": 1}, litellm_call_id="1")
    assert [message["role"] for message in data["messages"]] == ["user", "assistant", "tool", "user"]
    assert data["metadata"] == {"a": 1}
    assert len(BROKEN) == 3


def test_what_the_provider_took_stays_and_what_it_did_not_take_does_not_count() -> None:
    logger = HealingLogger()
    first = hook(logger, BROKEN, litellm_call_id="1")["messages"]
    assert hook(logger, WHOLE, litellm_call_id="2")["messages"] == WHOLE
    first = hook(logger, BROKEN, litellm_call_id="3")["messages"]
    asyncio.run(logger.async_log_success_event({"litellm_call_id": "3"}, None, None, None))
    assert hook(logger, WHOLE, litellm_call_id="4")["messages"][:3] == first[:3]


def test_what_is_no_chat_is_left_alone() -> None:
    assert hook(HealingLogger(), BROKEN, call_type="embedding")["messages"] is BROKEN


def test_anthropic_messages_are_healed_in_their_own_form() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
    data = hook(HealingLogger(), [BROKEN[0], call, BROKEN[2]], call_type="anthropic_messages")
    assert data["messages"][2]["content"][0]["type"] == "tool_result"


def test_the_function_heals_the_arguments_of_a_completion() -> None:
    healer = Healer()
    first = heal(healer=healer, model="gpt-4o", messages=BROKEN, temperature=0)
    assert first["temperature"] == 0
    assert len(first["messages"]) == 4
    second = heal(healer=healer, model="gpt-4o", messages=[*WHOLE, {"role": "assistant", "content": "No."}])
    assert second["messages"][:4] == first["messages"]
    assert heal(model="gpt-4o", messages=WHOLE)["messages"] is WHOLE
