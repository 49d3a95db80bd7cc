"""LiteLLM: its proxy's hook, and the function for its SDK."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("litellm")

from message_history_healing import Healer
from message_history_healing import litellm as litellm_hook
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


def begins_with_a_stub(logger: HealingLogger, call_type: str = "acompletion", number: str | None = "again") -> bool:
    """Say whether what was sent before is known: then the list that is whole by now begins with the stub."""
    more = {} if number is None else {"litellm_call_id": number}
    wire: list[Any] = hook(logger, WHOLE, call_type, **more)["messages"]
    return wire != WHOLE


def test_a_healer_that_is_passed_is_used_and_each_logger_has_one_of_its_own() -> None:
    healer = Healer()
    for logger in (HealingLogger(healer), HealingLogger()):
        hook(logger, BROKEN, litellm_call_id="1")
        logger.log_success_event({"litellm_call_id": "1"}, None, None, None)
    assert begins_with_a_stub(HealingLogger(healer))
    assert begins_with_a_stub(logger)
    assert not begins_with_a_stub(HealingLogger())


def test_what_has_no_number_is_taken_for_sent() -> None:
    logger = HealingLogger()
    hook(logger, BROKEN)
    assert begins_with_a_stub(logger, number=None)


def test_requests_under_way_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert litellm_hook.MAX_UNDER_WAY >= 10_000
    monkeypatch.setattr(litellm_hook, "MAX_UNDER_WAY", 2)
    for number, is_known in (("0", False), ("1", True), ("2", True)):
        logger = HealingLogger()
        for each in range(3):
            hook(logger, BROKEN, litellm_call_id=str(each))
        asyncio.run(logger.async_log_success_event({"litellm_call_id": number}, None, None, None))
        assert begins_with_a_stub(logger) is is_known


def test_every_call_of_a_chat_is_healed() -> None:
    items = [BROKEN[0], {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, BROKEN[2]]
    for kind, key, raw in (("completion", "messages", BROKEN), ("responses", "input", items)):
        for call_type in (kind, f"a{kind}"):
            data = asyncio.run(HealingLogger().async_pre_call_hook(None, None, {"model": "m", key: raw}, call_type))
            assert len(data[key]) == 4
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
    for call_type in ("anthropic_messages", "aanthropic_messages"):
        data = hook(HealingLogger(), [BROKEN[0], call, BROKEN[2]], call_type)
        assert data["messages"][2]["content"][0]["type"] == "tool_result"


def test_without_a_healer_the_process_has_one() -> None:
    begun = [{"role": "user", "content": "Only in this test."}, *BROKEN]
    first = heal(model="gpt-4o", messages=begun)["messages"]
    whole = [begun[0], *WHOLE, {"role": "assistant", "content": "No."}]
    assert heal(model="gpt-4o", messages=whole)["messages"][: len(first)] == first
    assert heal(healer=Healer(), model="gpt-4o", messages=whole)["messages"] is whole
