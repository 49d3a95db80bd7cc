"""What campaigns have found, each as small as it gets: it fails without the repair of its cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, check
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
    Native,
    OpenAIChat,
    OpenAIResponses,
    Portable,
    PydanticAI,
)
from tests.campaigns.lists import written
from tests.dialects.odd_pieces import PIXEL

TOKEN = "7350127735501"


def held(history: MessageHistory) -> str:
    return json.dumps(history.to_list()) + written(history.repairs)


def sent(history: MessageHistory, dialect: Any) -> str:
    export = history.export(dialect)
    assert not check(export.messages, dialect)
    return json.dumps([export.messages, export.system], default=repr) + written(export.repairs)


@pytest.mark.parametrize("content", [[{"type": "text", "text": "x"}], 7, None, {}])
@pytest.mark.parametrize("name", ["f", 7, None])
def test_what_a_function_gave_is_sent_only_as_the_api_takes_it(content: Any, name: Any) -> None:
    entry = {"role": "function", "name": name, "content": content}
    for dialect in (OpenAIChat(), OpenAIChat.for_model("gpt-5")):
        history = MessageHistory.from_list([entry, {"role": "user", "content": "on"}], dialect=dialect)
        assert check(history.for_send(dialect), dialect) == []
        assert "x" not in json.dumps(content) or "x" in held(history)


def test_white_space_at_the_end_of_a_prefilled_answer_leaves_no_empty_text() -> None:
    reply = {"role": "assistant", "content": [{"type": "text", "text": "look"}, {"type": "text", "text": " "}]}
    dialect = Anthropic.for_model("claude-3-haiku-20240307")
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, reply], dialect=dialect)
    assert check(history.for_send(dialect), dialect) == []


THOUGHT = {"type": "thinking", "thinking": "h", "signature": "EpwGCkYICxgCKkDfFjJ3"}


@pytest.mark.parametrize("end", [[" "], ["b ", " "], [" ", "\n"], [THOUGHT, " "], ["b ", THOUGHT, " ", " "]])
def test_no_text_and_no_thinking_is_left_at_the_end_of_a_prefilled_answer(end: list[Any]) -> None:
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in ["look", *end]]
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": blocks}]
    claude = "claude-3-5-sonnet-20240620"
    for dialect in (Anthropic.for_model(claude), Bedrock.for_model(f"anthropic.{claude}-v1:0")):
        wire: list[Any] = MessageHistory.from_list(raw, dialect=Anthropic()).for_send(dialect)
        assert check(wire, dialect) == []
        assert wire[-1]["content"][-1]["text"] in ("look", "b")


def test_nova_takes_white_space_at_the_end_of_an_answer() -> None:
    nova = Bedrock.for_model("amazon.nova-pro-v1:0")
    reply = {"role": "assistant", "content": [{"text": "look"}, {"text": " "}]}
    raw = [{"role": "user", "content": [{"text": "q"}]}, reply]
    assert MessageHistory.from_list(raw, dialect=nova).for_send(nova) == raw


def test_a_type_of_a_step_that_is_no_text_is_kept() -> None:
    raw = [{"type": {"another": TOKEN}, "content": [{"type": "text", "text": "q"}]}]
    assert TOKEN in held(MessageHistory.from_list(raw, dialect=GeminiInteractions()))


def test_two_server_tools_with_one_id_each_have_a_result() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    reply = [search, {**search, "input": {"query": "p"}}, {"type": "text", "text": "found"}]
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": reply}, {"role": "user", "content": "on"}]
    for dialect in (Anthropic(), Anthropic(prefill=True)):
        wire = MessageHistory.from_list(raw).for_send(dialect)
        assert check(wire, dialect) == []
        assert MessageHistory.from_list(wire).for_send(dialect) == wire


def test_a_signature_that_does_not_decode_is_not_sent_to_the_interactions_api() -> None:
    step = {"type": "google_search_result", "call_id": "s1", "result": [], "signature": [TOKEN]}
    raw = [{"type": "user_input", "content": "q"}, {"type": "google_search_call", "id": "s1", "arguments": {}}, step]
    assert TOKEN in sent(MessageHistory.from_list(raw), GeminiInteractions())


@pytest.mark.parametrize("mime", [7350127735501, [TOKEN], {"odd": TOKEN}])
def test_a_media_type_that_is_no_text_is_recorded_where_it_is_not_sent(mime: Any) -> None:
    steps = [{"type": "user_input", "content": [{"type": "image", "data": PIXEL, "mime_type": mime}]}]
    source = {"type": "base64", "media_type": mime, "data": PIXEL}
    typed = [{"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "image", "source": source}]}]
    for raw in (steps, typed):
        for dialect in (Anthropic(), Gemini(), GeminiInteractions(), OpenAIChat()):
            assert TOKEN in sent(MessageHistory.from_list(raw), dialect)


@pytest.mark.parametrize("early", [True, False])
def test_the_name_of_a_response_of_gemini_that_is_not_its_calls_is_recorded(early: bool) -> None:
    result = {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": TOKEN, "response": {"output": "r"}}}]}
    call = {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}}]}
    question = {"role": "user", "parts": [{"text": "q"}]}
    history = MessageHistory.from_list([question, *([result, call] if early else [call, result])])
    for dialect in (OpenAIChat(), Anthropic(), PydanticAI()):
        assert TOKEN in sent(history, dialect)


def test_the_name_of_a_response_of_gemini_that_is_its_calls_is_not_recorded() -> None:
    result = {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "r"}}}]}
    call = {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}}]}
    history = MessageHistory.from_list([{"role": "user", "parts": [{"text": "q"}]}, result, call])
    assert history.export(Anthropic()).repairs == ()


def test_what_a_function_gave_is_no_result_of_the_call_before_it_when_it_is_sent() -> None:
    raw = [
        {"type": "user_input", "content": "q"},
        {"type": "function_call", "id": "1", "name": "f", "arguments": {}},
        {"role": "function", "name": TOKEN, "content": "r"},
    ]
    history = MessageHistory.from_list(raw)
    wire = history.for_send(OpenAIChat())
    assert MessageHistory.from_list(wire, dialect=OpenAIChat()).repairs == ()
    assert TOKEN in sent(history, OpenAIChat())


def test_a_type_of_a_document_at_an_address_that_nobody_knows_is_recorded() -> None:
    document = {"document": {"format": TOKEN, "name": "n", "source": {"s3Location": {"uri": "s3://b/k"}}}}
    history = MessageHistory.from_list([{"role": "user", "content": [{"text": "q"}, document]}])
    for dialect in (PydanticAI(), OpenAIChat(), Anthropic()):
        assert TOKEN in sent(history, dialect)


@pytest.mark.parametrize("odd", [7350127735501, {"odd": TOKEN}, [TOKEN]])
def test_odd_flags_and_signatures_of_steps_are_kept(odd: Any) -> None:
    call = {"type": "function_call", "id": "1", "name": "f", "arguments": {}}
    result = {"type": "function_result", "call_id": "1", "name": "f", "result": "r"}
    for raw in ([call, {**result, "is_error": odd}], [{**call, "signature": odd}, result]):
        history = MessageHistory.from_list([{"type": "user_input", "content": "q"}, *raw])
        assert TOKEN in held(history)
        assert TOKEN in sent(history, GeminiInteractions())


def test_a_result_inside_of_a_prompt_has_no_call() -> None:
    part = {"part_kind": "tool-return", "tool_name": "f", "content": TOKEN, "tool_call_id": "1"}
    raw = [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ["q", part]}]}]
    assert TOKEN in sent(MessageHistory.from_list(raw), PydanticAI())


def test_a_user_without_a_name_behind_a_system_message_has_not_the_name_of_the_one_before() -> None:
    raw = [
        {"role": "user", "name": "Ann", "content": "q"},
        {"role": "developer", "content": "s"},
        {"role": "user", "content": "p"},
    ]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    assert history.for_send(OpenAIChat()) == raw


NATIVE_ENTRY = {"role": "user", "content": [{"type": "text", "text": "q"}], "native": 1}


@pytest.mark.parametrize(
    "more",
    [
        {"id": TOKEN},
        {"created_at": 7350127735501},
        {"native": TOKEN},
        {"native": {"a": TOKEN}},
        {"content": [{"type": "text", "text": "q", "mark": {"kind": "bootstrap", "later": TOKEN}}]},
        {"content": [{"type": "text", "text": "q", "extra": {"native": {"a": 1}}, "later": TOKEN}]},
        {"content": [], "id": TOKEN},
    ],
)
def test_keys_beside_the_saved_form_are_kept(more: dict[str, Any]) -> None:
    history = MessageHistory.from_list([{**NATIVE_ENTRY, **more}, NATIVE_ENTRY], dialect=Native())
    assert TOKEN in held(history)
    loaded = MessageHistory.from_list(history.to_list())
    assert loaded == history
    assert loaded.repairs == ()


@pytest.mark.parametrize("role", ["User", "model", None, 7, "system"])
def test_an_odd_role_in_the_saved_form_is_recorded(role: Any) -> None:
    history = MessageHistory.from_list([{**NATIVE_ENTRY, "role": role}])
    assert [repair.code for repair in history.repairs] == [RepairCode.ROLE_ASSUMED]
    assert repr(role) in history.repairs[0].detail


def test_a_toolset_of_a_result_that_is_not_its_calls_is_recorded() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "toolset_name": "s"}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "r", "toolset_name": TOKEN}
    raw = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    assert TOKEN in sent(MessageHistory.from_list(raw, dialect=Anthropic()), Anthropic())


def test_text_may_stand_behind_a_tool_that_the_server_of_bedrock_ran() -> None:
    content = [
        {"toolUse": {"toolUseId": "s", "name": "g", "input": {}, "type": "server_tool_use"}},
        {"toolResult": {"toolUseId": "s", "content": [{"json": {}}], "type": "g_result"}},
        {"text": "found"},
        {"toolUse": {"toolUseId": "1", "name": "f", "input": {}}},
    ]
    raw = [{"role": "user", "content": [{"text": "q"}]}, {"role": "assistant", "content": content}]
    dialect = Bedrock(calls_last=True)
    assert check(MessageHistory.from_list(raw, dialect=dialect).for_send(dialect), dialect) == []


@pytest.mark.parametrize("dialect", [None, Gemini(), GeminiInteractions(), Native(), Anthropic(), OpenAIChat()])
def test_what_stands_beside_the_data_of_an_image_of_mcp_is_kept(dialect: Any) -> None:
    image = {"type": "image", "data": PIXEL, "mimeType": "image/png", "another": TOKEN}
    for raw in (
        [{"role": "user", "parts": [{**image, "mime_type": "image/png"}]}],
        [{"role": "user", "content": [image]}],
    ):
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert TOKEN in held(history)
        for target in (Gemini(), Anthropic(), OpenAIChat()):
            assert TOKEN in sent(history, target)


@pytest.mark.parametrize("id", [TOKEN, {"odd": TOKEN}, int(TOKEN)])
def test_the_id_of_a_response_of_gemini_whose_call_has_none_is_recorded(id: Any) -> None:
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    result = {"role": "user", "parts": [{"functionResponse": {"id": id, "name": "f", "response": {"output": "r"}}}]}
    history = MessageHistory.from_list([{"role": "user", "parts": [{"text": "q"}]}, call, result])
    for dialect in (OpenAIChat(), Anthropic(), PydanticAI(), Gemini()):
        assert TOKEN in sent(history, dialect)


@pytest.mark.parametrize("more", [{"another": TOKEN}, {"instructions": TOKEN}, {"timestamp": TOKEN}])
def test_the_keys_of_a_request_of_which_only_the_system_prompt_is_left_are_recorded(more: dict[str, Any]) -> None:
    raw = [{"kind": "request", "parts": [{"part_kind": "system-prompt", "content": "s"}], **more}]
    history = MessageHistory.from_list(raw)
    export = history.export(PydanticAI())
    assert TOKEN in json.dumps([export.messages, export.system]) + written(export.repairs)


def test_a_server_tool_waits_though_another_of_its_id_has_a_result() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    dialect = Anthropic.for_model("claude-opus-5")
    question = {"role": "user", "content": "q"}
    raw = [question, {"role": "assistant", "content": [search, result, {**search, "input": {"query": "p"}}]}]
    assert check(MessageHistory.from_list(raw).for_send(dialect), dialect) == []
    # What was answered is not waiting, in whatever order the ids come.
    other = [{**search, "id": "srvtoolu_2"}, {**result, "tool_use_id": "srvtoolu_2"}, {"type": "text", "text": "x"}]
    answered = [question, {"role": "assistant", "content": [search, search, result, *other]}]
    assert [found.rule for found in check(answered, dialect)] == ["AN-A15"]


def test_a_type_of_a_call_that_nobody_knows_and_a_refusal_of_chat_are_recorded_for_responses() -> None:
    call = {"id": "c", "type": TOKEN, "function": {"name": "f", "arguments": "{}"}}
    raw = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "refusal": "no", "content": None},
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]
    found = sent(MessageHistory.from_list(raw), OpenAIResponses())
    assert TOKEN in found
    assert "refusal" in found
    custom = {"id": "c", "type": "custom", "custom": {"name": "f", "input": "x"}}
    history = MessageHistory.from_list([raw[0], {"role": "assistant", "tool_calls": [custom]}, raw[-1]])
    assert history.export(OpenAIResponses()).repairs == ()


@pytest.mark.parametrize("signature", [" ", "no base64", "QUJDRA=="])
@pytest.mark.parametrize("text", [{}, {"text": ""}])
def test_a_thought_of_gemini_without_text_needs_a_signature_that_decodes(signature: str, text: dict[str, Any]) -> None:
    thought = {"thought": True, "thoughtSignature": signature, **text}
    call = {"functionCall": {"id": "1", "name": "f", "args": {}}, "thoughtSignature": "QUJDRA=="}
    raw = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [thought, call]}]
    history = MessageHistory.from_list(raw, dialect=Gemini())
    for dialect in (Gemini(), Gemini.for_model("gemini-2.5-flash"), Gemini(empty_text=False), Gemini(vertex=True)):
        assert signature in sent(history, dialect)


def test_the_keys_of_a_message_that_white_space_opens_are_recorded() -> None:
    content = [{"type": "text", "text": " "}, {"type": "text", "text": "found"}]
    raw = [{"role": "user", "content": "q"}, {"role": "assistant", "content": content, "another": TOKEN}]
    assert TOKEN in sent(MessageHistory.from_list([*raw, raw[0]], dialect=Anthropic()), Anthropic())


@pytest.mark.parametrize("dialect", [OpenAIChat(), OpenAIResponses()])
@pytest.mark.parametrize("mime", ["", None, {"a": 1}])
def test_a_document_of_no_type_goes_back_as_it_came(mime: Any, dialect: Any) -> None:
    source = {"type": "base64", "media_type": mime, "data": PIXEL}
    content = [{"type": "text", "text": "q"}, {"type": "document", "source": source, "title": "t"}]
    wire = MessageHistory.from_list([{"role": "user", "content": content}]).for_send(dialect)
    assert MessageHistory.from_list(wire, dialect=dialect).for_send(dialect) == wire


def test_white_space_beside_nothing_but_cited_text_is_not_sent_to_a_model_that_wants_text_beside_it() -> None:
    cited = {"citationsContent": {"content": [{"text": "a"}], "citations": []}}
    for dialect in (Bedrock(), Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0")):
        for content in ([cited, {"text": " "}], [cited, {"text": " "}, {"text": "b"}]):
            reply = {"role": "assistant", "content": content, "another": TOKEN}
            raw = [{"role": "user", "content": [{"text": "q"}]}, reply, {"role": "user", "content": [{"text": "q"}]}]
            assert TOKEN in sent(MessageHistory.from_list(raw, dialect=Bedrock()), dialect)


def test_the_keys_of_a_message_of_bedrock_that_white_space_opens_are_recorded() -> None:
    reply = {"role": "assistant", "content": [{"text": " "}, {"text": "b"}], "another": TOKEN}
    raw = [{"role": "user", "content": [{"text": "q"}]}, reply, {"role": "user", "content": [{"text": "q"}]}]
    dialect = Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    assert TOKEN in sent(MessageHistory.from_list(raw, dialect=dialect), dialect)


def test_a_video_is_left_out_where_content_is_text() -> None:
    video = {"type": "video_url", "video_url": {"url": f"https://e.x/{TOKEN}"}}
    raw = [{"role": "user", "content": [{"type": "text", "text": "q"}, video]}]
    for dialect in (Portable(), OpenAIChat.for_provider("azure on your data")):
        assert TOKEN in sent(MessageHistory.from_list(raw), dialect)


def test_ark_may_get_a_status_on_items_that_have_none_elsewhere() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZQ=="}
    request = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}
    raw = [{"role": "user", "content": "q"}, reasoning, answer, request, {"role": "user", "content": "on"}]
    ark = OpenAIResponses.for_provider("volcengine")
    history = MessageHistory.from_list(raw, dialect=OpenAIResponses())
    assert check(history.for_send(ark), ark) == []


@pytest.mark.parametrize("behind", [[], [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "r"}]}]])
def test_a_response_that_something_follows_is_not_suspended(behind: list[Any]) -> None:
    dialect = PydanticAI()
    raw = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "wait"}], "state": "suspended"},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "so"}], "state": "suspended", "run_id": "r"},
    ]
    history = MessageHistory.from_list(raw + behind, dialect=dialect)
    wire = history.for_send(dialect)
    assert check(wire, dialect) == []
    assert [entry.get("state") for entry in wire[1:3]] == [None, None if behind else "suspended"]
    details = [repair.detail for repair in history.export(dialect).repairs]
    assert len([detail for detail in details if "suspended" in detail]) == (2 if behind else 1)


def test_the_signature_of_an_image_of_gemini_goes_to_pydantic_ai() -> None:
    part = {"inlineData": {"mimeType": "image/png", "data": PIXEL}, "thoughtSignature": "QUJDRA=="}
    raw = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [part]}]
    wire = MessageHistory.from_list(raw).for_send(PydanticAI(ends_with_response=True))
    assert wire[1]["parts"][0]["provider_details"] == {"thought_signature": "QUJDRA=="}
    assert wire[1]["parts"][0]["provider_name"] == "google"


def test_reasoning_that_stands_alone_behind_a_call_keeps_its_id() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}]}
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    raw = [{"role": "user", "content": "q"}, call, reasoning, {"role": "user", "content": "r"}]
    grok = OpenAIResponses.for_model("grok-4")
    wire = MessageHistory.from_list(raw).for_send(grok)
    assert wire[1] == reasoning
    assert MessageHistory.from_list(wire, dialect=grok).for_send(grok) == wire


def test_what_a_reply_says_of_itself_is_recorded_if_all_of_it_was_half_written() -> None:
    call = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "t", "server_name": "s", "input": {}}
    reply = {"role": "assistant", "content": [call], "stop_reason": "max_tokens", "model": TOKEN}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, reply], dialect=Anthropic())
    assert TOKEN in held(history)
    assert [repair.code for repair in history.repairs] == [
        RepairCode.INCOMPLETE_CALL_DROPPED,
        RepairCode.EMPTY_MESSAGE_DROPPED,
    ]


def test_reasoning_of_another_provider_has_no_id_for_a_gateway_that_wants_one() -> None:
    gateway = OpenAIResponses.for_model("deepseek-reasoner", "openrouter")
    reply = [{"type": "thinking", "thinking": TOKEN, "issuer": "openai_responses"}, {"type": "text", "text": "a"}]
    raw = [{"role": "user", "content": "q", "native": 1}, {"role": "assistant", "content": reply, "native": 1}]
    assert TOKEN in sent(MessageHistory.from_list(raw), gateway)


@pytest.mark.parametrize(
    ("dialect", "opened", "part"),
    [
        (Gemini(), {"role": "user"}, {"parts": [{"text": "q", "another": "of the part"}]}),
        (Gemini(), {"role": "model"}, {"parts": [{"text": "a", "another": "of the part"}]}),
        (Bedrock(), {"role": "user"}, {"content": [{"text": "q", "another": "of the part"}]}),
        (Anthropic(), {"role": "user"}, {"content": [{"type": "text", "text": "q", "another": "of the part"}]}),
        (OpenAIChat(), {"role": "user"}, {"content": [{"type": "text", "text": "q", "another": "of the part"}]}),
    ],
    ids=("gemini user", "gemini model", "bedrock", "anthropic", "openai_chat"),
)
def test_a_key_of_a_message_is_recorded_beside_the_same_key_of_its_first_part(
    dialect: Any, opened: dict[str, Any], part: dict[str, Any]
) -> None:
    history = MessageHistory.from_list([{**opened, **part, "another": TOKEN}], dialect=dialect)
    kept = sent(history, dialect)
    assert TOKEN in kept
    assert "of the part" in kept


def test_keys_around_and_inside_a_part_of_gemini_are_both_recorded() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1", "another": "inside"}, "another": "around"}
    parts = [{"text": ""}, {"text": "a"}, code, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}]
    raw = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": parts, "another": TOKEN}]
    kept = sent(MessageHistory.from_list(raw), Gemini.for_model("gemini-2.5-flash"))
    assert all(word in kept for word in ("inside", "around", TOKEN))


def test_a_call_behind_which_something_was_said_is_not_the_half_written_end_of_a_reply() -> None:
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": "', "status": "incomplete"}
    words = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]}
    raw = [{"role": "user", "content": "q"}, call, words, {"role": "user", "content": "on"}]
    for dialect in (OpenAIResponses(), OpenAIResponses.for_provider("volcengine")):
        wire = MessageHistory.from_list(raw).for_send(dialect)
        again = MessageHistory.from_list(wire, dialect=dialect)
        assert again.repairs == ()
        assert again.for_send(dialect) == wire


def test_a_denial_that_comes_late_is_told_with_all_that_came_with_it() -> None:
    call = {"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "1"}
    denial = {"part_kind": "tool-return", "tool_name": "f", "content": "no", "tool_call_id": "1", "outcome": "denied"}
    asked = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [call]},
    ]
    answered = [
        {"kind": "request", "parts": [{**denial, "metadata": TOKEN}], "run_id": "run 1"},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "go on"}]},
    ]
    followed = MessageHistory().follow(asked, dialect=PydanticAI()).follow([*asked, *answered])
    assert "was denied and did not run" in followed.history[-1].text
    assert TOKEN in held(followed.history)
    assert "run 1" in held(followed.history)
    assert followed.new_repairs[-1].code is RepairCode.LATE_RESULT_QUOTED


ASKED_IN_STEPS = {"type": "user_input", "content": [{"type": "text", "text": "q"}]}


def test_steps_whose_thought_is_omitted_keep_both_their_errors() -> None:
    failed = [
        {"type": "model_output", "content": [{"type": "text", "text": word}], "error": {"code": 1, "message": word}}
        for word in ("first", TOKEN)
    ]
    raw = [ASKED_IN_STEPS, failed[0], {"type": "thought"}, failed[1], ASKED_IN_STEPS]
    wire = MessageHistory.from_list(raw, dialect=GeminiInteractions()).for_send(GeminiInteractions())
    assert wire == [ASKED_IN_STEPS, *failed, ASKED_IN_STEPS]


def test_no_step_holds_a_lone_surrogate() -> None:
    thought = {"type": "thought", "signature": "QUJD", "summary": [{"type": "text", "text": "x\ud83d"}]}
    call = {"type": "function_call", "id": "1", "name": "f", "arguments": {}}
    result = {"type": "function_result", "call_id": "1", "result": {"a": ["\ud83d", {"\ud83d": "\ud83d"}]}}
    history = MessageHistory.from_list([ASKED_IN_STEPS, thought, call, result], dialect=GeminiInteractions())
    for dialect in (GeminiInteractions(), Gemini(), Bedrock(), OpenAIResponses()):
        assert json.dumps(history.for_send(dialect), ensure_ascii=False).encode()


def test_a_key_of_a_step_is_recorded_beside_the_same_key_of_its_content() -> None:
    content = [{"type": "text", "text": "q", "another": "of the content"}]
    kept = sent(
        MessageHistory.from_list([{"type": "user_input", "content": content, "another": TOKEN}]), GeminiInteractions()
    )
    assert TOKEN in kept
    assert "of the content" in kept
