"""A turn of Claude that paused goes back as it is, and the rest of it is joined to it."""

from __future__ import annotations

from typing import Any

from message_history import MessageHistory, check
from message_history.dialects import Anthropic

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
ANSWER = {"type": "text", "text": "Found."}


def reply(id: str, stop_reason: str, *content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": id, "type": "message", "role": "assistant", "model": "claude", "usage": usage}
    return {**head, "content": list(content), "stop_reason": stop_reason}


def test_a_paused_turn_is_sent_back_as_it_came_and_goes_on() -> None:
    paused = MessageHistory().add_user("Search.").add_response(reply("msg_1", "pause_turn", SEARCH))
    assert paused.repairs == ()
    assert paused.calls == ()
    wire = paused.for_send()
    assert wire[-1] == {"role": "assistant", "content": [SEARCH]}
    assert check(wire, Anthropic()) == []
    assert MessageHistory.from_list(paused.to_list()).for_send() == wire
    done = paused.as_sent(Anthropic()).add_response(reply("msg_2", "end_turn", FOUND, ANSWER))
    assert done.for_send(Anthropic(prefill=True))[-1] == {"role": "assistant", "content": [SEARCH, FOUND, ANSWER]}
    assert [info.stop_reason for info in done[-1].replies] == ["pause_turn", "end_turn"]
    assert done.repairs == ()


def test_a_turn_that_paused_behind_a_result_is_sent_back_as_it_came() -> None:
    paused = MessageHistory().add_user("Search.").add_response(reply("msg_1", "pause_turn", SEARCH, FOUND))
    assert paused.for_send()[-1]["role"] == "assistant"
    assert check(paused.for_send(), Anthropic()) == []
