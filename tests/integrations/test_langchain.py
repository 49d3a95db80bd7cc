"""Messages from and to langchain-core: nothing is lost, nothing that a chat model refuses is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given

from message_history import (
    Message,
    MessageHistory,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, OpenAIChat
from message_history.integrations.strategies import histories, messages

pytest.importorskip("langchain_core")

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    messages_from_dict,
    messages_to_dict,
)
from langchain_core.messages.tool import tool_call_chunk

from message_history.integrations.langchain import LangChain

TO = LangChain()
STORED = LangChain(ends_with_ai=True)
LATE = LangChain(late_system=True)


def call(id: str, **args: Any) -> dict[str, Any]:
    return {"name": "f", "args": args, "id": id, "type": "tool_call"}


def read(*raw: Any, **options: Any) -> MessageHistory:
    return MessageHistory.from_list(raw, dialect=TO, **options)


def assert_goes_through(*raw: BaseMessage) -> MessageHistory:
    """Read a list that needs no repair, and write it as it was."""
    assert check(raw, TO) == []
    history = read(*raw)
    assert history.repairs == ()
    exported = history.export(STORED)
    assert exported.messages == list(raw)
    assert exported.repairs == ()
    assert MessageHistory.from_list(history.to_list(), open_tail="keep").for_send(STORED) == list(raw)
    return history


def test_a_conversation_goes_through_with_ids_usage_and_metadata() -> None:
    history = assert_goes_through(
        SystemMessage("Be brief.", id="s"),
        HumanMessage("Weather?", id="h", name="Ann"),
        AIMessage(
            "I will look.",
            id="a",
            tool_calls=[call("1", city="Paris"), call("2")],
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            response_metadata={"model_provider": "anthropic", "stop_reason": "tool_use"},
            additional_kwargs={"x": [1]},
        ),
        ToolMessage("sunny", tool_call_id="1", name="f", id="t1", artifact={"raw": [1, 2]}),
        ToolMessage("no such city", tool_call_id="2", name="f", status="error"),
        AIMessage("Sunny."),
        HumanMessage("Thanks."),
    )
    assert history.system == "Be brief."
    assert [block.name for block in history[1].calls] == ["f", "f"]
    assert [result.is_error for result in history[2].results] == [False, True]


def test_invalid_tool_calls_are_calls_that_cannot_be_read() -> None:
    invalid = {"name": "f", "args": '{"city": "Par', "id": "1", "error": "cut", "type": "invalid_tool_call"}
    history = assert_goes_through(
        HumanMessage("hi"),
        AIMessage("", invalid_tool_calls=[invalid], tool_calls=[call("2")]),
        ToolMessage("ok", tool_call_id="2", name="f"),
        ToolMessage("not run", tool_call_id="1", name="f", status="error"),
    )
    by_id = {block.id: block for block in history[1].calls}
    assert not by_id["1"].readable
    assert by_id["1"].arguments == '{"city": "Par'
    assert by_id["2"].readable


def test_an_invalid_call_whose_arguments_are_an_object_keeps_them() -> None:
    invalid = {"name": "f", "args": {"n": 1}, "id": "1", "error": "not now", "type": "invalid_tool_call"}
    history = read(HumanMessage("hi"), {"type": "ai", "content": "", "invalid_tool_calls": [invalid]})
    sent = history.for_send(TO)[1]
    assert isinstance(sent, AIMessage)
    assert sent.invalid_tool_calls == [{**invalid, "args": '{"n": 1}'}]


def test_invalid_calls_get_stubs_and_go_when_the_reply_was_cut_off() -> None:
    invalid = {"name": "f", "args": "{", "id": "1", "error": None, "type": "invalid_tool_call"}
    history = read(HumanMessage("hi"), AIMessage("I", invalid_tool_calls=[invalid]))
    stub = history.for_send(TO)[-1]
    assert isinstance(stub, ToolMessage)
    assert (stub.tool_call_id, stub.status) == ("1", "error")
    truncated = AIMessage("I", invalid_tool_calls=[invalid], response_metadata={"finish_reason": "length"})
    kept = read(HumanMessage("hi"), truncated)
    assert [repair.code for repair in kept.repairs] == [RepairCode.INCOMPLETE_CALL_DROPPED]
    assert kept.awaiting == ()


@pytest.mark.parametrize(
    "recorded",
    [
        {"finish_reason": "length"},
        {"finish_reason": "MAX_TOKENS"},
        {"finish_reason": "RECITATION"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length"},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    ],
)
@pytest.mark.parametrize(
    "content",
    ["I look.", [{"type": "tool_use", "id": str(n), "name": "f", "input": {"n": n}} for n in (1, 2)]],
)
def test_a_reply_that_was_cut_off_leaves_no_half_call_to_run(recorded: dict[str, Any], content: Any) -> None:
    assistant = AIMessage(content, tool_calls=[call("1", n=1), call("2", n=2)], response_metadata=recorded)
    asked = MessageHistory().add_user("hi")
    for history in (
        asked.add_response(assistant, dialect=TO),
        read(HumanMessage("hi"), assistant, open_tail="keep"),
        read(*messages_to_dict([HumanMessage("hi"), assistant]), open_tail="keep"),
    ):
        assert [block.id for block in history.awaiting] == ["1"]
        (repair,) = history.repairs
        assert repair.code is RepairCode.INCOMPLETE_CALL_DROPPED
        assert [block.id for block in repair.removed if isinstance(block, ToolUseBlock)] == ["2"]


def test_words_behind_a_call_say_that_it_was_complete() -> None:
    content: list[Any] = [{"type": "tool_use", "id": "1", "name": "f", "input": {}}, {"type": "text", "text": "I lo"}]
    assistant = AIMessage(content, tool_calls=[call("1", n=1)], response_metadata={"stop_reason": "max_tokens"})
    history = MessageHistory().add_user("hi").add_response(assistant, dialect=TO)
    assert [dict(block.input) for block in history.awaiting] == [{"n": 1}]
    assert history.repairs == ()


def streamed(*texts: str | None, **last: Any) -> AIMessageChunk:
    """The sum of the chunks of a reply with one call."""
    whole = AIMessageChunk(content="I look.", tool_call_chunks=[tool_call_chunk(name="f", args="", id="1", index=0)])
    for text in texts:
        whole += AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(args=text, index=0)])
    return whole + AIMessageChunk(content="", **last) if last else whole


@pytest.mark.parametrize(
    "chunk",
    [
        streamed('{"to": "bob", "amount": 1'),
        streamed('{"to": "bob", "amount": 1', response_metadata={"finish_reason": "length"}),
        streamed(),
        streamed(None),
        streamed("[1"),
        AIMessageChunk(
            content=[
                {"type": "text", "text": "I look.", "index": 0},
                {"type": "tool_call_chunk", "id": "1", "name": "f", "args": '{"n": 1', "index": 1},
            ],
            tool_call_chunks=[tool_call_chunk(name="f", args='{"n": 1', id="1", index=1)],
        ),
    ],
)
def test_a_stream_that_was_cancelled_leaves_no_half_call_to_run(chunk: AIMessageChunk) -> None:
    for history in (
        MessageHistory().add_user("hi").add_response(chunk, dialect=TO),
        read(HumanMessage("hi"), chunk.model_dump(), open_tail="keep"),
    ):
        assert history.awaiting == ()
        assert [repair.code for repair in history.repairs] == [RepairCode.INCOMPLETE_CALL_DROPPED]
        assert history[-1].text == "I look."


@pytest.mark.parametrize(
    ("chunk", "raw"),
    [
        (streamed('{"n": ', "1}"), {"n": 1}),
        (streamed('{"n": 1}', response_metadata={"finish_reason": "length"}), {"n": 1}),
        (streamed(response_metadata={"stop_reason": "tool_use"}), {}),
        (streamed(chunk_position="last"), {}),
        (streamed('{"code": "a\nb"}', response_metadata={"finish_reason": "tool_calls"}), {"code": "a\nb"}),
    ],
)
def test_a_call_that_was_streamed_to_its_end_stays(chunk: AIMessageChunk, raw: dict[str, Any]) -> None:
    history = MessageHistory().add_user("hi").add_response(chunk, dialect=TO)
    assert [dict(block.input) for block in history.awaiting] == [raw]
    assert history.repairs == ()
    sent = history.for_send(TO)[1]
    assert isinstance(sent, AIMessage)
    assert (sent.tool_calls, sent.invalid_tool_calls) == ([call("1", **raw)], [])


@pytest.mark.parametrize(
    "item",
    [
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
        {"type": "image", "url": "https://example.com/a.png"},
        {"type": "image", "base64": "AAAA", "mime_type": "image/png", "id": "lc_1"},
        {"type": "image", "file_id": "file_1"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "image_url", "image_url": "https://example.com/a.png"},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}, "title": "t"},
        {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf", "extras": {"filename": "a.pdf"}},
        {"type": "text-plain", "text": "some text", "mime_type": "text/plain", "title": "t", "context": "c"},
        {"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "non_standard", "value": {"x": 1}},
        {"no": "type"},
    ],
)
def test_every_kind_of_content_goes_through(item: dict[str, Any]) -> None:
    assert_goes_through(HumanMessage([{"type": "text", "text": "Look:"}, item]))
    assert_goes_through(
        HumanMessage("hi"),
        AIMessage("", tool_calls=[call("1")]),
        ToolMessage([{"type": "text", "text": "Look:"}, item], tool_call_id="1", name="f"),
    )


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "a"}],
        [{"type": "redacted_thinking", "data": "ZW5j"}, {"type": "text", "text": "a"}],
        [{"type": "reasoning", "reasoning": "hm", "extras": {"signature": "c2ln", "x": 1}, "id": "r"}],
        [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "a"}],
        [{"type": "reasoning", "summary": [], "encrypted_content": "x", "id": "rs_1"}],
        [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "1", "name": "f", "input": {"n": 1}, "caller": "x"}],
        [{"type": "function_call", "call_id": "1", "id": "fc", "name": "f", "arguments": '{"n": 1}'}],
        [{"type": "tool_call", "id": "1", "name": "f", "args": {"n": 1}}, {"type": "text", "text": "a"}],
        [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}],
        [{"type": "text", "text": "a", "citations": [{"type": "x"}]}, {"type": "text", "text": "b"}],
    ],
)
def test_what_models_say_goes_through(content: list[Any]) -> None:
    calls = [call("1", n=1)] if any("call" in item["type"] or item["type"] == "tool_use" for item in content) else []
    assistant = AIMessage(content, tool_calls=calls, response_metadata={"model_provider": "anthropic"})
    answers = [ToolMessage("ok", tool_call_id="1", name="f")] if calls else []
    assert_goes_through(HumanMessage("hi"), assistant, *answers, HumanMessage("more"))


def test_signed_thinking_travels_between_the_sdk_and_langchain() -> None:
    assistant = AIMessage([{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "a"}])
    history = read(HumanMessage("hi"), assistant)
    sent = history.for_send(Anthropic(prefill=True))
    assert sent[1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "a"},
    ]
    assert MessageHistory.from_list(sent).for_send(STORED) == [HumanMessage("hi"), assistant]


def test_thinking_of_another_issuer_and_behind_a_change_is_withheld() -> None:
    foreign = Message.assistant(ThinkingBlock("hm", "c2ln", meta=Meta(issuer="gemini")), TextBlock("a"))
    changed = Message.assistant(ThinkingBlock("hm", "c2ln", bound=False, meta=Meta(issuer="anthropic")))
    for message, left in ((foreign, "a"), (changed, "[This part of the conversation cannot be shown here.]")):
        exported = MessageHistory().add_user("hi").add(message).export(STORED)
        assert exported.messages[1].content == left
        assert exported.repairs[0].code is RepairCode.WITHHELD
    kept = MessageHistory().add_user("hi").add(changed).export(LangChain(binds_thinking=False, ends_with_ai=True))
    assert kept.repairs == ()


def test_a_reply_is_added_as_a_response_of_its_dialect() -> None:
    history = MessageHistory().add_user("hi")
    for reply in (
        AIMessage("a", tool_calls=[call("1")]),
        AIMessageChunk(content="a", tool_call_chunks=[{"name": "f", "args": "{}", "id": "1", "index": 0}]),
        AIMessage("a", additional_kwargs={"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}),
    ):
        grown = history.add_response(reply, dialect=TO)
        assert [(block.id, block.name, dict(block.input)) for block in grown.awaiting] == [("1", "f", {})]
    with pytest.raises(TypeError):
        history.add_response(HumanMessage("hi"), dialect=TO)


def test_content_that_is_an_empty_list_is_none() -> None:
    history = read(
        HumanMessage("hi"), AIMessage([], tool_calls=[call("1")]), ToolMessage([], tool_call_id="1"), HumanMessage([])
    )
    assert [list(message.content) for message in history[2:]] == [[ToolResultBlock("1")]]
    assert [repair.code for repair in history.repairs] == [RepairCode.EMPTY_MESSAGE_DROPPED]


def test_calls_that_stand_only_in_the_content_are_calls() -> None:
    content: list[Any] = [
        {"type": "function_call", "call_id": "1", "id": "fc", "name": "f", "arguments": '{"n": 1}'},
        {"type": "tool_call", "id": "2", "name": "f", "args": {"n": 2}},
        {"type": "tool_use", "id": "3", "name": "f", "input": {"n": 3}},
        {"type": "tool_use", "id": "3", "name": "f", "input": {"n": 3}},
    ]
    history = read(HumanMessage("hi"), AIMessage(content), open_tail="keep")
    assert [(block.id, dict(block.input)) for block in history.awaiting] == [
        ("1", {"n": 1}),
        ("2", {"n": 2}),
        ("3", {"n": 3}),
    ]
    assert [repair.code for repair in history.repairs] == [RepairCode.DUPLICATE_CALL_DROPPED]


def test_raw_calls_of_a_dump_are_read_where_there_are_no_others() -> None:
    raw = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}
    dump = {"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": [raw]}}}
    history = read(HumanMessage("hi"), dump, open_tail="keep")
    assert [(block.id, dict(block.input)) for block in history.awaiting] == [("1", {"n": 1})]


def test_keys_that_nothing_here_knows_come_back() -> None:
    assert_goes_through(
        SystemMessage("Be brief.", version=3),
        HumanMessage("hi", priority="high", example=True),
        AIMessage("", tool_calls=[call("1")], rating={"stars": 0}),
        ToolMessage("ok", tool_call_id="1", name="f", took=0.5),
        AIMessage("done", flagged=False),
    )
    dump = {**HumanMessage("hi").model_dump(), "example": False}
    assert read(dump).to_list() == read(HumanMessage("hi")).to_list()


def test_keys_that_langchain_refuses_do_not_stop_an_export() -> None:
    for dump in (
        {"type": "ai", "content": "ho", "usage_metadata": {"tokens": 1}, "self": 1},
        {"type": "ai", "content": "ho", "name": [1]},
    ):
        exported = read({"type": "human", "content": "hi"}, dump).export(STORED)
        assert exported.messages == [HumanMessage("hi"), AIMessage("ho")]
        assert [repair.code for repair in exported.repairs] == [RepairCode.WITHHELD]
    odd = {"type": "ai", "content": "", "tool_calls": [{**call("1"), "index": 0}]}
    exported = read(HumanMessage("hi"), odd).export(TO)
    assert exported.messages[1] == AIMessage("", tool_calls=[call("1")])
    assert [repair.code for repair in exported.repairs] == [RepairCode.WITHHELD]


@pytest.mark.parametrize("error", [7, [], {"a": 1}])
def test_an_error_of_an_invalid_call_that_is_no_text_does_not_stop_an_export(error: Any) -> None:
    odd = {"name": "f", "args": "{", "id": "1", "error": error, "type": "invalid_tool_call"}
    exported = read(HumanMessage("hi"), {"type": "ai", "content": "", "invalid_tool_calls": [odd]}).export(TO)
    assert isinstance(sent := exported.messages[1], AIMessage)
    assert sent.invalid_tool_calls == [{**odd, "error": None}]
    assert RepairCode.WITHHELD in {repair.code for repair in exported.repairs}


def test_calls_of_2023_and_functions() -> None:
    function_call = {"function_call": {"name": "f", "arguments": '{"n": 1}'}}
    history = read(
        HumanMessage("hi"),
        AIMessage("", additional_kwargs=function_call),
        FunctionMessage(name="f", content="ok"),
        AIMessage("done"),
    )
    assert {repair.code for repair in history.repairs} == {RepairCode.ID_ASSIGNED}
    assert dict(history[1].calls[0].input) == {"n": 1}
    assert history[2].results[0].text == "ok"
    sent = history.for_send(TO)
    assert check(sent, TO) == []
    assert isinstance(sent[1], AIMessage)
    assert (sent[1].tool_calls, sent[1].invalid_tool_calls) == ([call("call_1_0", n=1)], [])


def test_dumps_pairs_and_texts_are_read_too() -> None:
    raw = [HumanMessage("hi"), AIMessage("", tool_calls=[call("1")]), ToolMessage("ok", tool_call_id="1", name="f")]
    for form in (messages_to_dict(raw), [message.model_dump() for message in raw]):
        assert read(*form).for_send(TO) == raw
    assert messages_from_dict(messages_to_dict(read(*raw).for_send(TO))) == raw
    assert read(("system", "Be brief."), ("human", "hi"), ("ai", "ho"), "bye").for_send(TO) == [
        SystemMessage("Be brief."),
        HumanMessage("hi"),
        AIMessage("ho"),
        HumanMessage("bye"),
    ]


def test_roles_of_chat_messages() -> None:
    history = read(*(ChatMessage(content="hi", role=role) for role in ("user", "assistant", "x")))
    assert [message.role for message in history] == ["user", "assistant"]
    assert [repair.code for repair in history.repairs] == [RepairCode.ENTRY_DROPPED]


def test_what_is_no_message_is_dropped_and_recorded() -> None:
    history = read(HumanMessage("hi"), RemoveMessage(id="x"), 3, None, {"type": "human"})
    assert {repair.code for repair in history.repairs} == {RepairCode.ENTRY_DROPPED}
    assert len(history.repairs) == 4


def test_a_broken_list_is_mended() -> None:
    raw = [
        AIMessage("", tool_calls=[call("1"), call("2")]),
        HumanMessage("hm"),
        AIMessage("so"),
        ToolMessage("two", tool_call_id="2"),
        ToolMessage("?", tool_call_id="9"),
        AIMessage(""),
    ]
    assert {violation.rule for violation in check(raw, TO)} == {"LC-1", "LC-2", "LC-3", "LC-4"}
    history = read(*raw)
    assert check(history.for_send(TO), TO) == []
    assert {repair.code for repair in history.repairs} == {
        RepairCode.BOOTSTRAP_ADDED,
        RepairCode.RESULT_MOVED,
        RepairCode.RESULT_STUBBED,
        RepairCode.ORPHAN_RESULT_DROPPED,
        RepairCode.EMPTY_MESSAGE_DROPPED,
    }


def test_late_system_messages() -> None:
    raw = [HumanMessage("hi"), AIMessage("ho"), HumanMessage("a"), SystemMessage("Be kind."), HumanMessage("b")]
    history = read(*raw)
    assert history.for_send(LATE) == raw
    exported = history.export(TO)
    assert exported.messages[2].content == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "<system>\nBe kind.\n</system>"},
        {"type": "text", "text": "b"},
    ]
    assert [repair.code for repair in exported.repairs] == [RepairCode.REWRITTEN]


@given(histories())
def test_any_history_is_written_as_what_chat_models_take(history: MessageHistory) -> None:
    for dialect in (TO, LATE):
        sent = history.for_send(dialect)
        assert check(sent, dialect) == []
        again = MessageHistory.from_list(sent, dialect=dialect)
        assert again.repairs == ()
        assert again.for_send(dialect) == sent
        assert convert_to_openai_messages([message for message in sent if isinstance(message.content, str)]) is not None


@given(histories(), messages())
def test_what_was_sent_stays(history: MessageHistory, message: Message) -> None:
    sent = history.for_send(TO)
    later = history.as_sent(TO).add_assistant("done").add(message).for_send(TO)
    assert not history or later[: len(sent)] == sent


def test_a_list_that_ends_with_the_model_is_for_storing_only() -> None:
    raw = [HumanMessage("hi"), AIMessage("ho")]
    assert read(*raw).for_send(STORED) == raw
    assert read(*raw).for_send(TO) == [*raw, HumanMessage("[Please continue.]")]


def test_it_reads_what_other_dialects_wrote() -> None:
    history = MessageHistory().add_user("hi").add_assistant(["a", ToolUseBlock("1", "f", {"n": 1})])
    chat = history.add_tool_result("1", "ok").for_send(OpenAIChat())
    assert MessageHistory.from_list(chat, dialect=TO).for_send(TO) == [
        HumanMessage("hi"),
        AIMessage("a", tool_calls=[call("1", n=1)]),
        ToolMessage("ok", tool_call_id="1", name="f"),
    ]


def test_the_keys_of_an_answer_that_was_joined_to_another_are_told() -> None:
    raw = [HumanMessage("q"), AIMessage("one", id="1"), AIMessage("two", id="2", name="Ann")]
    exported = MessageHistory.from_list(raw, dialect=LangChain()).export(LangChain(ends_with_ai=True))
    assert len(exported.messages) == 2
    (repair,) = exported.repairs
    (keys,) = repair.removed
    assert isinstance(keys, Mapping)
    assert (keys["id"], keys["name"]) == ("2", "Ann")
