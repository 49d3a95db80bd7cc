"""A provider's own tool call that a reply was cut off in is not kept, and never ends what is sent."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import Message, MessageHistory, ProviderBlock, RepairCode, TextBlock, check
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Bedrock

Json = dict[str, Any]
Q: Json = {"role": "user", "content": [{"type": "text", "text": "q"}]}
WORDS: Json = {"type": "text", "text": "Look."}
SEARCH: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
ASK: Json = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "n", "server_name": "s", "input": {"q": 1}}
FOUND: Json = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def replied(stop_reason: str | None, *content: Json) -> MessageHistory:
    reply = {"type": "message", "role": "assistant", "id": "msg_1", "content": [*content], "stop_reason": stop_reason}
    return MessageHistory().add_user("q").add_response(reply)


def told(history: MessageHistory) -> list[tuple[RepairCode, object]]:
    return [(repair.code, repair.removed) for repair in history.repairs]


@pytest.mark.parametrize("stop_reason", ["max_tokens", "refusal", "model_context_window_exceeded"])
@pytest.mark.parametrize("call", [SEARCH, ASK, {**SEARCH, "input": {}}, {**SEARCH, "input": '{"query": "pa'}])
def test_a_call_that_ends_the_reply_is_dropped(stop_reason: str, call: Json) -> None:
    assistant = {"role": "assistant", "content": [WORDS, call], "stop_reason": stop_reason}
    removed = [(RepairCode.INCOMPLETE_CALL_DROPPED, (ProviderBlock("anthropic", call),))]
    for history in (replied(stop_reason, WORDS, call), MessageHistory.from_list([Q, assistant])):
        assert [(message.role, message.text, len(message.content)) for message in history[1:]] == [
            ("assistant", "Look.", 1)
        ]
        assert told(history) == removed
        for saved in (history, MessageHistory.from_list(history.to_list())):
            assert [message["role"] for message in saved.for_send()] == ["user", "assistant", "user"]
            assert not check(saved.for_send(), Anthropic())
    alone = replied(stop_reason, call)
    assert len(alone) == 1
    # The message is gone with its call, and so is what else it said.
    beside = (RepairCode.EMPTY_MESSAGE_DROPPED, (FrozenDict({"id": "msg_1", "stop_reason": stop_reason}),))
    assert told(alone) == [*removed, beside]


def test_a_call_before_it_stays() -> None:
    client = {"type": "tool_use", "id": "toolu_1", "name": "n", "input": {"a": 1}}
    history = replied("max_tokens", client, {**SEARCH, "input": '{"qu'})
    assert [call.id for call in history.awaiting] == ["toolu_1"]
    history = replied("max_tokens", SEARCH, FOUND, WORDS)
    assert [block.type for block in history[1].content if isinstance(block, ProviderBlock)] == [
        "server_tool_use",
        "web_search_tool_result",
    ]


@pytest.mark.parametrize(
    "content",
    [
        [{**SEARCH, "input": '{"query": "pa'}],
        [WORDS, {**SEARCH, "input": []}],
        [{**SEARCH, "name": "no_such_tool"}],
        [SEARCH, {**FOUND, "tool_use_id": "srvtoolu_2"}, WORDS],
        [SEARCH, FOUND, {"type": "thinking", "thinking": "hm", "signature": "c2ln"}],
    ],
)
@pytest.mark.parametrize("stop_reason", ["end_turn", "pause_turn", None])
def test_a_turn_is_paused_only_if_what_is_sent_of_it_waits(content: list[Json], stop_reason: str | None) -> None:
    history = replied(stop_reason, *content)
    for same in (history, MessageHistory.from_list(history.to_list()), MessageHistory.from_list(history.for_send())):
        assert not check(same.for_send(), Anthropic())


def test_a_saved_turn_that_was_cut_off_is_not_paused() -> None:
    carried = Meta(carried=FrozenDict(anthropic=FrozenDict(stop_reason="max_tokens")))
    assistant = Message.assistant(TextBlock("Look.", meta=carried), ProviderBlock("anthropic", SEARCH))
    history = MessageHistory().add_user("q").add(assistant)
    assert [message["role"] for message in history.for_send()] == ["user", "assistant", "user"]
    assert not check(history.for_send(), Anthropic())


@pytest.mark.parametrize("raw", ['{"a', {"a": 1}])
def test_so_is_one_of_bedrock(raw: object) -> None:
    call = {"toolUse": {"toolUseId": "t", "name": "n", "type": "server_tool_use", "input": raw}}
    assistant = {"role": "assistant", "content": [{"text": "Look."}, call]}
    reply = {"output": {"message": assistant}, "stopReason": "max_tokens"}
    history = MessageHistory().add_user("q").add_response(reply)
    assert history[1].text == "Look."
    assert told(history) == [(RepairCode.INCOMPLETE_CALL_DROPPED, (ProviderBlock("bedrock", call),))]
    listed = MessageHistory.from_list(
        [{"role": "user", "content": [{"text": "q"}]}, {**assistant, "stopReason": "max_tokens"}]
    )
    assert told(listed) == told(history)
    assert not check(history.for_send(Bedrock(server_tools=True)), Bedrock(server_tools=True))
