"""One request on its way: what is broken is healed, what is sound comes back as it is."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.following.prefixes import begins_with

from message_history import InvariantError, MessageHistory, Policy, RepairCode, Severity, check
from message_history.dialects import Anthropic, OpenAIChat
from message_history.files.request_bodies import key_for
from message_history.integrations.strategies import broken_lists
from message_history_healing import (
    API,
    HealedRequest,
    Sent,
    Untouched,
    convert_request,
    heal_list,
    heal_request,
)
from message_history_healing.healer import Healer
from message_history_healing.request import APIS, dialect_for
from message_history_healing.routes import route_of

MODELS: dict[API, str] = {
    "anthropic": "claude-sonnet-4-5",
    "openai_chat": "gpt-4o",
    "openai_responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
    "mistral": "mistral-large-latest",
    "bedrock": "anthropic.claude-sonnet-4-5-20250929-v1:0",
}
apis = st.sampled_from(APIS)
requests = apis.flatmap(
    lambda api: st.tuples(st.just(api), broken_lists(dialect_for(api, MODELS[api])).filter(bool)),
)


def healed(api: API, raw: list[Any], **more: Any) -> HealedRequest[dict[str, Any]]:
    return heal_request({"model": MODELS[api], key_for(api): raw}, api=api, **more)


@given(requests)
def test_what_is_broken_becomes_valid_and_what_is_sound_stays_the_very_same(case: tuple[API, list[Any]]) -> None:
    api, raw = case
    before = copy.deepcopy(raw)
    dialect = dialect_for(api, MODELS[api])
    body = {"model": MODELS[api], "other": [1], key_for(api): raw}
    request = heal_request(body, api=api)
    assert raw == before
    if not check(raw, dialect):
        assert request.body is body
        assert request.repairs == ()
        return
    wire = request.body[key_for(api)]
    assert check(wire, dialect) == [] or not MessageHistory.from_list(raw, dialect=dialect)
    assert request.violations
    assert {**request.body, key_for(api): raw} == body
    again = heal_request(request.body, api=api)
    assert again.body is request.body or request.unhealed


@given(requests, st.data())
def test_what_was_sent_of_a_conversation_stays_as_it_is(case: tuple[API, list[Any]], data: st.DataObject) -> None:
    api, raw = case
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw)), min_size=1)) | {len(raw)})
    sent: Sent | None = None
    wire: list[Any] = []
    for cut in cuts:
        request = healed(api, raw[:cut], sent=sent)
        if not request.unhealed:
            assert begins_with(request.body[key_for(api)], wire)
            sent, wire = request.sent, request.body[key_for(api)]


@given(requests)
def test_bytes_come_back_as_bytes(case: tuple[API, list[Any]]) -> None:
    api, raw = case
    try:
        body = json.dumps({"model": MODELS[api], key_for(api): raw}, indent=1).encode()
    except TypeError:
        return  # some lists hold bytes
    request = heal_request(body, api=api)
    data = heal_request(json.loads(body), api=api)
    if data.is_healed:
        assert json.loads(request.body) == json.loads(json.dumps(data.body))
    else:
        assert request.body is body


BROKEN: list[Any] = [
    {"role": "user", "content": "Read a.txt.", "name": "Ann"},
    {"role": "assistant", "content": "Reading.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ]},
    {"role": "user", "content": "Well?"},
    {"role": "user", "content": "Are you there?"},
]  # fmt: skip


def test_what_needs_no_repair_is_sent_as_it_came() -> None:
    request = healed("openai_chat", BROKEN)
    wire = request.body["messages"]
    assert [wire[0], wire[1]] == BROKEN[:2]
    assert wire[2]["role"] == "tool"
    assert [repair.code for repair in request.repairs] == [RepairCode.RESULT_STUBBED]
    assert all(repair.severity is not Severity.LOSSY for repair in request.repairs)


def test_a_healed_request_shows_its_body_once() -> None:
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": "a secret"}]}
    assert repr(heal_request(body, api="openai_chat")).count("a secret") == 1


def test_neighbours_that_the_provider_takes_stay_apart() -> None:
    sound = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]
    wire = healed("openai_chat", [*sound, *BROKEN]).body["messages"]
    assert wire[:3] == sound


def test_a_conversation_that_was_sound_goes_on_as_it_was_sent() -> None:
    sound = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "name": "Ann"}]
    first = healed("openai_chat", sound)
    assert isinstance(first.sent, Untouched)
    second = healed("openai_chat", [*sound, *BROKEN[1:]], sent=first.sent)
    assert second.body["messages"][:2] == sound
    third = healed("openai_chat", [*sound, *BROKEN[1:], {"role": "assistant", "content": "Yes."}], sent=second.sent)
    assert begins_with(third.body["messages"], second.body["messages"])
    assert third.new_repairs == ()
    assert third.repairs


def test_a_system_message_that_needs_no_repair_is_sent_as_it_came() -> None:
    system = {"role": "system", "content": [{"type": "text", "text": "Be kind."}], "name": "house"}
    request = healed("openai_chat", [system, *BROKEN])
    assert request.is_healed
    assert request.body["messages"][0] == system


def test_what_the_user_adds_to_a_message_that_was_sent_is_sent() -> None:
    sound = [{"role": "user", "content": "a"}]
    added = [*sound, {"role": "user", "content": "b"}, *BROKEN[1:]]
    second = healed("openai_chat", added, sent=healed("openai_chat", sound).sent)
    assert second.is_healed
    assert second.body["messages"][:3] == added[:3]


def test_what_a_request_lacks_is_new_once() -> None:
    """Images that cannot be sent are left out of each request, and are news in the first."""
    nowhere = {"type": "image_url", "image_url": {"url": ""}}
    asked = [{"role": "user", "content": [{"type": "text", "text": "a"}, nowhere]}, *BROKEN[1:]]
    first = healed("openai_chat", asked)
    assert RepairCode.WITHHELD in {repair.code for repair in first.new_repairs}
    second = healed("openai_chat", [*asked, {"role": "assistant", "content": "Yes."}], sent=first.sent)
    assert RepairCode.WITHHELD in {repair.code for repair in second.repairs}
    assert second.new_repairs == ()


def test_a_late_result_does_not_rewrite_what_was_sent_though_the_list_is_sound_now() -> None:
    reply = {"role": "assistant", "content": "Not yet."}
    first = healed("openai_chat", BROKEN)
    result = {"role": "tool", "tool_call_id": "c1", "content": "contents"}
    sound = [*BROKEN[:2], result, *BROKEN[2:], reply, {"role": "user", "content": "And now?"}]
    assert not check(sound, dialect_for("openai_chat", MODELS["openai_chat"]))
    second = healed("openai_chat", sound, sent=first.sent)
    assert begins_with(second.body["messages"], first.body["messages"])
    assert "contents" in json.dumps(second.body["messages"][-1])
    assert healed("openai_chat", sound).body["messages"] == sound


def test_no_more_cache_marks_are_sent_than_came() -> None:
    def text(role: str, *, marked: bool = False) -> dict[str, Any]:
        block = {"type": "text", "text": role, **({"cache_control": {"type": "ephemeral"}} if marked else {})}
        return {"role": role, "content": [block]}

    sent, raw = None, [text("user"), {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]  # fmt: skip
    for _ in range(8):
        request = healed("anthropic", [*raw, text("user", marked=True)], sent=sent)
        assert json.dumps(request.body).count("cache_control") == 1
        assert "cache_control" in json.dumps(request.body["messages"][-1])
        sent, raw = request.sent, [*raw, text("user"), text("assistant")]


def test_a_list_may_end_as_its_provider_takes_it() -> None:
    end = {"role": "assistant", "content": "I think"}
    assert healed("openai_chat", [*BROKEN, end]).body["messages"][-1] == end


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'{"messages": "text"}', b'{"messages": []}', b'{"input": "text"}', b"\xff\xfe",
        b"[" * 100_000,
        b'{"contents": [{"role": "user", "parts": [{"text": "so?"}]}], "cachedContent": "cachedContents/1"}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("api", APIS)
def test_what_holds_no_whole_conversation_is_passed_on(api: API, body: bytes) -> None:
    request = heal_request(body, api=api)
    assert request.body is body
    assert request.repairs == ()
    assert len(request.history) == 0


def test_the_history_is_that_of_the_body() -> None:
    request = healed("openai_chat", BROKEN)
    assert request.history.repairs == request.repairs
    assert [message.role for message in request.history] == ["user", "assistant", "user"]
    assert len(healed("openai_chat", BROKEN[:1]).history) == 1


def test_the_policy_decides() -> None:
    with pytest.raises(InvariantError):
        healed("openai_chat", BROKEN, policy=Policy(on_violation="raise"))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="api must be one of anthropic"):
        heal_request({}, api="cohere")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="body must be a mapping or bytes, not str"):
        heal_request("{}", api="anthropic")
    assert get_args(API) == APIS


def test_a_dialect_may_be_given() -> None:
    raw = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert not healed("anthropic", raw, dialect=Anthropic(prefill=True)).repairs
    assert healed("anthropic", raw, dialect=Anthropic(prefill=False)).repairs


OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "12"}


@pytest.mark.parametrize("kept", [{"previous_response_id": "resp_1"}, {"conversation": {"id": "conv_1"}}])
def test_a_list_that_goes_on_from_a_kept_response_is_healed_alone(kept: dict[str, Any]) -> None:
    sound = {"model": "gpt-5", "input": [OUTPUT, {"role": "user", "content": "so?"}], **kept}
    request = heal_request(sound, api="openai_responses")
    assert request.body is sound
    assert (request.violations, request.unhealed, request.sent) == ((), (), None)
    assert [message.role for message in request.history] == ["user", "assistant", "user"]
    own = {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"}
    broken = {**sound, "input": [OUTPUT, own, {"role": "user", "content": "so?"}]}
    request = heal_request(broken, api="openai_responses")
    assert request.is_healed
    assert [violation.rule for violation in request.violations] == ["OR-01"]
    assert request.unhealed == ()
    assert request.body["input"][:2] == [OUTPUT, own]
    assert request.body["input"][2]["call_id"] == "c2"
    assert json.loads(heal_request(json.dumps(broken).encode(), api="openai_responses").body) == request.body


def test_a_list_that_goes_on_is_not_mixed_with_a_conversation_that_begins_alike() -> None:
    healer = Healer()
    route = route_of("/v1/responses")
    assert route is not None
    whole = {"model": "gpt-5", "input": [{"role": "user", "content": "so?"}]}
    healer.sent(healer.heal(whole, route))
    part = {**whole, "previous_response_id": "resp_1"}
    healing = healer.heal(part, route)
    assert healing.request.body is part
    assert healing.request.sent is None
    healer.sent(healing)


@pytest.mark.parametrize("kind", [dict, bytes])
def test_the_model_of_the_body_or_the_one_that_is_given_decides(kind: type) -> None:
    body: Any = {"model": "o1", "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "hi"}]}
    body = json.dumps(body).encode() if kind is bytes else body
    for model in (None, "gpt-4o", "deepseek-chat"):
        healed = heal_request(body, api="openai_chat", model=model)
        assert healed.dialect == OpenAIChat.for_model(model or "o1")
    assert len({OpenAIChat.for_model(name) for name in ("", "o1", "gpt-4o", "deepseek-chat")}) > 2


def test_a_request_says_itself_whether_its_items_are_stored() -> None:
    raw = [
        {"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
    ]
    for store in (False, True):
        request = heal_request({"model": "gpt-5", "store": store, "input": raw}, api="openai_responses")
        assert ("gAAAA" in json.dumps(request.body["input"])) is not store


def test_a_sound_request_of_codex_is_sent_byte_for_byte() -> None:
    said = {"internal_chat_message_metadata_passthrough": {"turn_id": "t", "content_item_kinds": ["user"]}}
    items = [
        {"type": "message", "id": "msg_1", "role": "user", "content": [{"type": "input_text", "text": "q"}], **said},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": None, "encrypted_content": "gAAAA", **said},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", **said},
        {"type": "function_call_output", "call_id": "c1", "output": "r", **said},
    ]
    body = json.dumps({"model": "gpt-5.2-codex", "input": items}).encode()
    request = heal_request(body, api="openai_responses")
    assert request.body is body
    assert request.repairs == ()


def test_what_is_no_list_or_no_request_is_refused_by_name() -> None:
    any_list: Any = heal_list
    convert: Any = convert_request
    with pytest.raises(TypeError, match="raw must be a list of messages, not NoneType"):
        any_list(None, OpenAIChat())
    with pytest.raises(TypeError, match="body must be a request's JSON object, not list; a list goes into from_list"):
        convert([], OpenAIChat())
    with pytest.raises(TypeError, match=r"not the class Anthropic; write Anthropic\(\)"):
        convert({"messages": []}, Anthropic)
