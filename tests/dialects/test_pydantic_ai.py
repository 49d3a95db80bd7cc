"""pydantic-ai's messages as JSON, without the package: what is read, what is written, what is found."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RedactedThinkingBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Gemini, OpenAIChat, PydanticAI
from message_history.dialects.registry import shape_of
from tests.dialects.removed_text import removed_text
from tests.helpers import codes

GOLDEN = Path(__file__).parent / "golden" / "pydantic_ai"
TO = PydanticAI()
TIME = "2026-01-02T03:04:05Z"
PIXEL = "iVBORw0KGgo="
Json = dict[str, Any]


def request(*parts: Json, **keys: Any) -> Json:
    return {"parts": list(parts), **keys, "kind": "request"}


def response(*parts: Json, **keys: Any) -> Json:
    return {"parts": list(parts), **keys, "kind": "response"}


def ask(content: Any, **keys: Any) -> Json:
    return {"content": content, **keys, "part_kind": "user-prompt"}


def say(content: str, **keys: Any) -> Json:
    return {"content": content, **keys, "part_kind": "text"}


def call(id: str, args: Any = None, **keys: Any) -> Json:
    return {"tool_name": "f", "args": args, "tool_call_id": id, **keys, "part_kind": "tool-call"}


def returned(id: str, content: Any = "ok", **keys: Any) -> Json:
    return {"tool_name": "f", "content": content, "tool_call_id": id, **keys, "part_kind": "tool-return"}


def retry(id: str, content: Any = "again", **keys: Any) -> Json:
    return {"content": content, "tool_call_id": id, **keys, "part_kind": "retry-prompt"}


def assert_goes_through(*raw: Json) -> MessageHistory:
    """Read a list that needs no repair, and write it as it was."""
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    exported = history.export(TO)
    assert exported.messages == list(raw)
    assert not exported.repairs
    assert not check(raw, TO)
    return history


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    case = json.loads(path.read_text())
    history = MessageHistory.from_list(case["source"])
    exported = history.export(TO)
    assert exported.messages == case["wire"]
    assert codes(history) == case["repairs"]
    assert [repair.code for repair in exported.repairs] == case["export_repairs"]
    again = MessageHistory.from_list(exported.messages)
    assert not again.repairs
    assert again.for_send(TO) == exported.messages


def test_a_list_is_found_by_its_shape() -> None:
    raw = [request(ask("hi")), response(say("ho"))]
    assert [shape_of(entry) for entry in raw] == ["pydantic_ai", "pydantic_ai"]
    assert shape_of({"role": "user", "parts": [{"text": "hi"}]}) != "pydantic_ai"
    assert [message.text for message in MessageHistory.from_list(raw)] == ["hi", "ho"]


# What travels


def test_metadata_travels_and_goes_back() -> None:
    assert_goes_through(
        request(
            ask("hi", timestamp=TIME), timestamp=TIME, instructions="Be brief.", run_id="r", metadata={"a": [None]}
        ),
        response(
            say("ho", id="m1", provider_name="openai", provider_details={"x": 1}),
            usage={"input_tokens": 3, "details": {"cached": 1}, "cost": "0.1"},
            model_name="gpt",
            timestamp=TIME,
            provider_response_id="resp_1",
            finish_reason="stop",
            state="complete",
        ),
        request(ask("bye")),
    )


def test_keys_of_a_later_version_go_back_where_they_came_from() -> None:
    raw = [
        request(ask("hi", mood="good"), mood="better"),
        response({"part_kind": "dance", "steps": 3}),
        request(ask("x")),
    ]
    history = assert_goes_through(*raw)
    wire = json.dumps(history.for_send(OpenAIChat()))
    assert "dance" not in wire
    assert "mood" not in wire


def test_a_request_part_of_a_later_version_is_kept_but_not_sent() -> None:
    history = MessageHistory.from_list([request({"part_kind": "dance"}, ask("hi"))])
    assert history[0].content[0] == ProviderBlock("pydantic_ai", {"part_kind": "dance"})
    exported = history.export(TO)
    assert exported.messages == [request(ask("hi"))]
    assert [repair.code for repair in exported.repairs] == [RepairCode.WITHHELD]


def test_no_time_is_invented() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("c", "f", {})]).add_tool_result("c", "ok")
    assert "timestamp" not in json.dumps(history.for_send(TO))


def test_metadata_of_neighbouring_requests_stays_apart() -> None:
    history = MessageHistory.from_list(
        [request(ask("one"), run_id="r1"), request(ask("two"), run_id="r2"), request(ask("three"), run_id="r2")]
    )
    assert not history.repairs
    assert [message.text for message in history] == ["one\ntwo\nthree"]
    assert history.for_send(TO) == [
        request(ask("one"), run_id="r1"),
        request(ask("two"), ask("three"), run_id="r2"),
    ]


def test_neighbouring_requests_without_metadata_are_one() -> None:
    history = MessageHistory.from_list([request(ask("important file context")), request(ask("also this"))])
    assert not history.repairs
    assert history.for_send(TO) == [request(ask("important file context"), ask("also this"))]


def test_metadata_of_neighbouring_responses_stays_apart_until_a_call() -> None:
    raw = [
        request(ask("q")),
        response(say("one"), model_name="a"),
        response(say("two"), call("c1", {}), model_name="b"),
        response(call("c2", {}), model_name="c"),
        request(returned("c1"), returned("c2")),
    ]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    exported = history.export(TO)
    assert exported.messages == [
        raw[0],
        raw[1],
        response(say("two"), call("c1", {}), call("c2", {}), model_name="b"),
        raw[4],
    ]
    (lost,) = exported.repairs
    (keys,) = lost.removed
    assert keys == {"model_name": "c"}


# The parts of a request


def test_the_system_prompt_opens_the_first_request() -> None:
    raw = request(
        {"content": "Be brief.", "timestamp": TIME, "dynamic_ref": "f", "part_kind": "system-prompt"},
        ask("hi"),
        run_id="r",
    )
    history = assert_goes_through(raw)
    assert history.system == "Be brief."
    changed = history.with_system("Be kind.").for_send(TO)
    assert changed == [request({"content": "Be kind.", "part_kind": "system-prompt"}, ask("hi"), run_id="r")]


def test_a_later_system_prompt_stays_where_it_is() -> None:
    raw = [
        request(ask("hi")),
        response(say("ho")),
        request({"content": "Be kind.", "part_kind": "system-prompt"}, ask("bye")),
    ]
    history = assert_goes_through(*raw)
    assert history.system is None
    assert history[2].content == (SystemBlock("Be kind."), TextBlock("bye"))


def test_without_messages_the_system_prompt_stands_beside_the_list() -> None:
    exported = MessageHistory().with_system("Be brief.").export(TO)
    assert exported.messages == []
    assert exported.system == [{"content": "Be brief.", "part_kind": "system-prompt"}]


def test_content_of_a_user_prompt() -> None:
    content = [
        "look",
        {"url": "https://example.com/a.png", "kind": "image-url", "identifier": "a"},
        {"data": PIXEL, "media_type": "image/png", "kind": "binary", "vendor_metadata": {"detail": "low"}},
        {"data": "JVBERi0=", "media_type": "application/pdf", "kind": "binary"},
        {"data": "UklGRg==", "media_type": "audio/wav", "kind": "binary"},
        {"url": "https://example.com/a.pdf", "kind": "document-url"},
        {"url": "https://example.com/a.mp3", "kind": "audio-url"},
        {"file_id": "file_1", "provider_name": "anthropic", "kind": "uploaded-file"},
        {"content": "tagged", "metadata": {"a": 1}, "kind": "text-content"},
        {"kind": "cache-point", "ttl": "5m"},
        "and this",
    ]
    history = assert_goes_through(request(ask(content, timestamp=TIME), ask("next"), ask(["listed"])))
    blocks = history[0].content
    assert [type(block) for block in blocks[:8]] == [
        TextBlock,
        ImageBlock,
        ImageBlock,
        DocumentBlock,
        ProviderBlock,
        DocumentBlock,
        ProviderBlock,
        DocumentBlock,
    ]
    assert isinstance(blocks[2], ImageBlock)
    assert blocks[2].source == {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert history[0].text == "look\ntagged\nand this\nnext\nlisted"


def test_words_and_pictures_from_elsewhere_are_one_prompt() -> None:
    picture = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    wire = MessageHistory().add_user(["look", picture, "well?"]).for_send(TO)
    assert wire == [request(ask(["look", {"data": PIXEL, "media_type": "image/png", "kind": "binary"}]), ask("well?"))]


def test_data_that_is_no_base64_is_told_in_words() -> None:
    picture = ImageBlock({"type": "base64", "media_type": "image/png", "data": "QR=="})
    exported = MessageHistory().add_user(["look", picture]).export(TO)
    assert exported.messages == [request(ask("look"), ask("[image left out: it cannot be sent here]"))]
    (repair,) = exported.repairs
    assert repair.removed == (picture,)


def test_what_a_tool_gave_stays_the_value_that_it_was() -> None:
    values: list[Any] = [
        "text",
        "",
        None,
        21,
        1.5,
        True,
        {"temp": 21, "sky": None},
        ["a", "b"],
        ["a", 1, {"x": []}],
        [],
        {"kind": "binary", "label": "no file"},
        {"data": PIXEL, "media_type": "image/png", "kind": "binary"},
        ["here", {"data": PIXEL, "media_type": "image/png", "kind": "binary"}, {"n": 1}],
        "NaN",
        "21",
    ]
    calls = [call(f"c{n}", {}) for n in range(len(values))]
    results = [returned(f"c{n}", value, timestamp=TIME, metadata={"n": n}) for n, value in enumerate(values)]
    history = assert_goes_through(request(ask("q")), response(*calls), request(*results))
    recorded = history[2].results
    assert [result.text for result in recorded[:8]] == [
        "text",
        "",
        "",
        "21",
        "1.5",
        "true",
        '{"temp": 21, "sky": null}',
        "a\nb",
    ]
    assert isinstance(recorded[11].content[0], ImageBlock)
    assert [type(block) for block in recorded[12].content] == [TextBlock, ImageBlock, TextBlock]


@pytest.mark.parametrize(
    ("outcome", "is_error", "is_stub"),
    [
        ("success", False, False),
        ("failed", True, False),
        ("retried", True, False),
        ("denied", True, True),
        ("interrupted", True, True),
    ],
)
def test_the_outcome_of_a_call(outcome: str, is_error: bool, is_stub: bool) -> None:
    raw = [request(ask("q")), response(call("c", {})), request(returned("c", "so", outcome=outcome))]
    result = assert_goes_through(*raw)[2].results[0]
    assert (result.is_error, result.is_stub) == (is_error, is_stub)


def test_errors_and_stubs_from_elsewhere_say_so() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("a", "f", {}), ToolUseBlock("b", "g", {})])
    history = history.add_tool_result("a", "no such file", is_error=True)
    failed, stub = history.for_send(TO)[-1]["parts"]
    assert (failed["tool_name"], failed["outcome"], failed["content"]) == ("f", "failed", "no such file")
    assert (stub["tool_name"], stub["outcome"]) == ("g", "interrupted")
    again = MessageHistory.from_list(history.for_send(TO))
    assert [result.is_stub for result in again[2].results] == [False, True]
    assert [call.id for call in again.awaiting] == ["b"]


ERRORS = [{"type": "int_parsing", "loc": ["n", 0], "msg": "no integer", "input": None}]


@pytest.mark.parametrize("content", ["again", ERRORS, []], ids=["words", "errors", "nothing"])
def test_a_retry_prompt_with_a_tool_is_an_answer(content: Any) -> None:
    answer = retry("c", content, tool_name="f", timestamp=TIME)
    history = assert_goes_through(request(ask("q")), response(call("c", {})), request(answer))
    assert history[2].results[0].is_error
    assert not history.awaiting
    sent: Any = history.for_send()[2]["content"]
    assert sent[0]["is_error"] is True


@pytest.mark.parametrize("content", ["Please return text.", ERRORS], ids=["words", "errors"])
def test_a_retry_prompt_without_a_tool_is_the_user_s(content: Any) -> None:
    prompt = retry("pyd_ai_1", content, tool_name=None)
    history = assert_goes_through(request(ask("q")), response(say("hm")), request(prompt))
    assert history[2].text == (content if isinstance(content, str) else json.dumps(content))


def test_a_retry_prompt_that_names_a_call_only_is_an_answer_too() -> None:
    history = MessageHistory.from_list([request(ask("q")), response(call("c", {})), request(retry("c"))])
    assert not history.repairs
    assert history.for_send(TO)[2] == request(
        {"tool_name": "f", "content": "again", "tool_call_id": "c", "part_kind": "retry-prompt"}
    )


def test_feedback_speech_summaries_and_changes_go_back() -> None:
    assert_goes_through(
        request(
            {"content": "what was said", "part_kind": "compaction"},
            {"speaker": "user", "transcript": "hello", "part_kind": "speech"},
            {"tools_added": ["f"], "tool_call_id": None, "part_kind": "tool-availability-delta"},
            {"id": "agent", "content": "Be kind.", "part_kind": "instruction-delta"},
        ),
        response({"speaker": "assistant", "transcript": "hi", "interrupted_at_ms": 7, "part_kind": "speech"}),
        request({"content": "Please return text.", "retry": {"cause": "no_output"}, "part_kind": "retry-feedback"}),
    )


def test_a_request_of_instructions_alone_is_a_message() -> None:
    history = assert_goes_through(
        request(instructions="Tell a joke."), response(say("ha")), request(ask("another"), instructions="Tell a joke.")
    )
    assert len(history) == 3


# The parts of a response


def test_thinking_goes_back_to_its_provider_only() -> None:
    raw = [
        request(ask("q")),
        response(
            {"content": "hm", "signature": "c2ln", "provider_name": "anthropic", "part_kind": "thinking"},
            {
                "content": "",
                "id": "redacted_thinking",
                "signature": "ZW5j",
                "provider_name": "anthropic",
                "part_kind": "thinking",
            },
            {"content": "so", "signature": "c2ln", "provider_name": "google", "part_kind": "thinking"},
            {"content": "ah", "signature": "c2ln", "provider_name": "xai", "part_kind": "thinking"},
            {"content": "oh", "id": "reasoning_content", "provider_name": "deepseek", "part_kind": "thinking"},
            say("done"),
        ),
        request(ask("next")),
    ]
    history = assert_goes_through(*raw)
    blocks = history[1].content
    assert isinstance(blocks[1], RedactedThinkingBlock)
    assert [block.issuer for block in blocks[:5]] == ["anthropic", "anthropic", "gemini", "pydantic_ai", "openai_chat"]
    sent: Any = history.for_send()[1]["content"]
    assert [block["type"] for block in sent] == ["thinking", "redacted_thinking", "text"]
    reasoning = history.for_send(OpenAIChat(reasoning="reasoning_content"))
    assert "oh" in json.dumps(reasoning)


def test_thinking_without_a_provider_is_its_response_s() -> None:
    thought = {"content": "hm", "signature": "c2ln", "part_kind": "thinking"}
    for keys, issuer in (
        ({"provider_name": "anthropic"}, "anthropic"),
        ({"model_name": "claude-3-7-sonnet-latest"}, "anthropic"),
        ({"model_name": "other"}, "pydantic_ai"),
    ):
        history = assert_goes_through(request(ask("q")), response(thought, say("a"), **keys), request(ask("b")))
        assert history[1].content[0].issuer == issuer


def test_thinking_from_elsewhere_names_its_issuer() -> None:
    blocks = [
        ThinkingBlock("a", "c2ln"),
        ThinkingBlock("b", "c2ln", meta=Meta(issuer="gemini")),
        ThinkingBlock("c", "c2ln", meta=Meta(issuer="somebody")),
        ThinkingBlock("d"),
        RedactedThinkingBlock("ZW5j"),
        TextBlock("x"),
    ]
    exported = MessageHistory().add_user("q").add(Message("assistant", blocks)).add_user("r").export(TO)
    parts = exported.messages[1]["parts"]
    assert [(part["content"], part.get("provider_name")) for part in parts] == [
        ("a", "anthropic"),
        ("b", "google"),
        ("d", None),
        ("", "anthropic"),
        ("x", None),
    ]
    (repair,) = exported.repairs
    assert repair.removed == (blocks[2],)


def test_signed_thinking_is_left_out_once_its_prefix_has_changed() -> None:
    raw = [
        request(ask("q"), returned("ghost")),
        response(
            {"content": "hm", "signature": "c2ln", "provider_name": "anthropic", "part_kind": "thinking"}, say("a")
        ),
        request(ask("next")),
    ]
    history = MessageHistory.from_list(raw)
    assert codes(history) == [RepairCode.ORPHAN_RESULT_DROPPED]
    assert history.for_send(TO)[1] == response(say("a"))
    free = PydanticAI.for_model("anthropic:claude-opus-4-5")
    assert not free.binds_thinking
    assert history.for_send(free)[1] == raw[1]


def test_a_response_of_thinking_alone_is_kept() -> None:
    assert_goes_through(request(ask("q")), response({"content": "hmm", "part_kind": "thinking"}), request(ask("q2")))


def test_arguments_go_back_as_they_came() -> None:
    args = ['{ "city":"Paris" ,"n": 1.0}', {"city": "Rome"}, None, "", "{}", "{oops"]
    calls = [call(f"c{n}", value) for n, value in enumerate(args)]
    without = {"tool_name": "f", "tool_call_id": "c9", "part_kind": "tool-call"}
    results = [returned(f"c{n}") for n in (*range(len(args)), 9)]
    history = assert_goes_through(request(ask("q")), response(*calls, without), request(*results))
    assert [call.input for call in history[1].calls] == [
        {"city": "Paris", "n": 1.0},
        {"city": "Rome"},
        {},
        {},
        {},
        {"_raw": "{oops"},
        {},
    ]


def test_a_signature_of_google_s_is_one_for_others_too() -> None:
    signed = {"provider_name": "google", "provider_details": {"thought_signature": "c2ln"}}
    history = assert_goes_through(
        request(ask("q")), response(say("a", **signed), call("c", {}, **signed)), request(returned("c"))
    )
    text, use = history[1].content
    assert isinstance(text, TextBlock)
    assert isinstance(use, ToolUseBlock)
    assert (text.signature, use.signature, use.issuer) == ("c2ln", "c2ln", "gemini")
    meta = Meta(signature="c2ln", issuer="gemini")
    wire = MessageHistory().add_user("q").add_assistant([TextBlock("a", meta=meta)]).add_user("r").for_send(TO)
    assert wire[1] == response(say("a", **signed))


def test_native_tools_and_files_go_back() -> None:
    history = assert_goes_through(
        request(ask("draw")),
        response(
            {"tool_name": "image", "args": {"p": 1}, "tool_call_id": "s", "part_kind": "builtin-tool-call"},
            {"tool_name": "image", "content": [1], "tool_call_id": "s", "part_kind": "builtin-tool-return"},
            {"content": {"data": PIXEL, "media_type": "image/png", "kind": "binary"}, "id": "x", "part_kind": "file"},
        ),
        request(ask("thanks")),
    )
    assert not history[1].calls
    assert isinstance(history[1].content[2], ImageBlock)


@pytest.mark.parametrize(
    "keys", [{"state": "interrupted"}, {"state": "incomplete"}, {"finish_reason": "length"}], ids=str
)
def test_a_half_written_call_of_a_cut_reply_is_dropped(keys: Json) -> None:
    cut = response(say("so"), call("c", '{"a": '), **keys)
    history = MessageHistory.from_list([request(ask("q")), cut])
    assert codes(history) == [RepairCode.INCOMPLETE_CALL_DROPPED]
    added = MessageHistory().add_user("q").add_response(cut)
    assert added[-1].content == history[-1].content


def test_a_suspended_response_goes_out_last() -> None:
    raw = [request(ask("q")), response(say("wait"), state="suspended")]
    assert MessageHistory.from_list(raw).for_send(TO) == raw
    assert not check(raw, TO)


def test_a_list_ends_with_a_response_unless_it_is_for_a_request_in_a_run() -> None:
    raw = [request(ask("q")), response(say("a"))]
    history = MessageHistory.from_list(raw)
    in_a_run: PydanticAI[dict[str, Any]] = PydanticAI(ends_with_response=False)
    assert [message["kind"] for message in history.for_send(in_a_run)] == ["request", "response", "request"]
    assert history.for_send(TO) == raw


# What is repaired


def test_results_come_first_and_in_the_order_of_their_calls() -> None:
    raw = [
        request(ask("q")),
        response(call("c1", {}), call("c2", {})),
        request(ask("wait"), returned("c2", "two"), run_id="r"),
        request(returned("c1", "one"), run_id="r"),
    ]
    history = MessageHistory.from_list(raw)
    assert {code.severity for code in codes(history)} == {"lossless"}
    assert history.for_send(TO)[2:] == [request(returned("c1", "one"), returned("c2", "two"), ask("wait"), run_id="r")]


def test_a_call_in_a_request_is_no_call() -> None:
    history = MessageHistory.from_list([request(ask("q"), call("c", {}))])
    assert codes(history) == [RepairCode.INJECTED_CALL_DROPPED]


def test_a_result_in_a_response_is_given_to_the_user_s_side() -> None:
    history = MessageHistory.from_list([request(ask("q")), response(call("c", {}), returned("c")), request(ask("r"))])
    assert codes(history) == [RepairCode.RESULT_REHOMED]
    assert history.for_send(TO) == [
        request(ask("q")),
        response(call("c", {})),
        request(returned("c"), ask("r")),
    ]


def test_keys_that_the_package_would_refuse_are_not_sent() -> None:
    raw = [
        request(ask("q", timestamp="soon"), timestamp="2026-13-01", run_id=7, metadata=[1]),
        response(say("a", id=1, citations=[{"sources": []}]), usage={"input_tokens": "many"}, finish_reason="bored"),
        request(ask("r"), state="odd"),
    ]
    history = MessageHistory.from_list(raw)
    exported = history.export(TO)
    assert exported.messages == [request(ask("q")), response(say("a")), request(ask("r"))]
    assert {repair.code for repair in exported.repairs} == {RepairCode.WITHHELD}
    assert not check(exported.messages, TO)
    assert len(check(raw, TO)) == 9


def test_a_title_from_elsewhere_is_told() -> None:
    source = {"type": "url", "url": "https://e.x/a.pdf"}
    exported = MessageHistory().add(Message.user(DocumentBlock(source, "Report"))).export(TO)
    assert exported.messages == [request(ask([{"url": "https://e.x/a.pdf", "kind": "document-url"}]))]
    assert removed_text(exported.repairs) == '[{"title": "Report"}]'


def test_a_tool_kind_that_does_not_fit_is_told() -> None:
    native = {**call("c1", {}), "part_kind": "builtin-tool-call", "tool_kind": "tool-search"}
    exported = MessageHistory.from_list([request(ask("q")), response(native), request(ask("r"))]).export(TO)
    assert "tool_kind" not in exported.messages[1]["parts"][0]
    assert removed_text(exported.repairs) == '[{"tool_kind": "tool-search"}]'


def test_entries_of_another_form_are_read_in_it() -> None:
    raw = [
        {"role": "user", "content": "hello"},
        response(call("c", {})),
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "ghost", "content": "x"}]},
        "words",
        7,
    ]
    history = MessageHistory.from_list(raw, dialect=TO)
    assert [message.role for message in history] == ["user", "assistant", "user"]
    assert history[2].results[0].text == "ok"
    assert codes(history).count(RepairCode.ENTRY_DROPPED) == 2


@pytest.mark.parametrize(
    "entry",
    [
        {"parts": "hello", "kind": "request"},
        {"parts": ["hello"], "kind": "request"},
        {"parts": {"part_kind": "user-prompt", "content": "hello"}},
        {"parts": [{"part_kind": "user-prompt", "content": {"a": 1}}], "kind": "request"},
        {"parts": [7, None, ["x"]], "kind": "request"},
        {"parts": [{}], "kind": "request"},
        {"parts": None, "kind": "request"},
        {"parts": [{"part_kind": ["x"]}], "kind": "request"},
        {"parts": [{"part_kind": "tool-return", "content": {"a": {1, 2}}}], "kind": "request"},
        {"parts": [{"part_kind": "user-prompt", "content": [{"kind": "image-url", "url": 7}, 8]}], "kind": "request"},
    ],
    ids=str,
)
def test_odd_entries_raise_nothing(entry: Any) -> None:
    for raw in ([entry], [request(ask("q")), {**entry, "kind": "response"}]):
        wire = MessageHistory.from_list(raw, dialect=TO).for_send(TO)
        assert not wire or not check(wire, TO)


@pytest.mark.heavy
def test_containers_that_hold_themselves_raise_nothing() -> None:
    inside: dict[str, Any] = {}
    inside["again"] = [inside, inside]
    twice: list[Any] = [1]
    for _ in range(60):
        twice = [twice, twice]
    for odd in (inside, twice):
        wire = MessageHistory.from_list([request(ask("q"), metadata={"odd": odd}), response(call("c", odd))]).for_send(
            TO
        )
        assert not check(wire, TO)


# What is found


@pytest.mark.parametrize(
    ("raw", "rule", "index"),
    [
        ([request(ask("q")), response(call("c", {}))], "PA-12", 1),
        ([request(ask("q")), response(call("c", {})), request(ask("r"))], "PA-13", 1),
        ([request(ask("q")), response(call("c", {})), response(say("a")), request(ask("r"))], "PA-13", 1),
        ([request(ask("q"), returned("c"))], "PA-14", 0),
        ([request(ask("q")), response(say("a")), request(retry("c", tool_name="f"))], "PA-14", 2),
        ([request(ask("q")), response(call("c", {})), request(returned("c"), returned("c"))], "PA-15", 2),
    ],
)
def test_calls_and_results_that_do_not_pair_are_found_and_mended(raw: list[Json], rule: str, index: int) -> None:
    (found,) = check(raw, TO)
    assert (found.rule, found.index) == (rule, index)
    history = MessageHistory.from_list(raw)
    assert history.repairs
    assert not check(history.for_send(TO), TO)


@pytest.mark.parametrize(
    "raw",
    [
        [response(say("hi")), request(ask("q"))],
        [request(ask("q")), request(ask("r"))],
        [request(ask("q")), response(call("c", {})), request(returned("c")), request(ask("r"))],
        [request(ask("q")), response(call("c", {})), request(ask("r"), returned("c"))],
        [request(ask("q")), response(say("a"))],
        [request(ask("q")), response(), request(ask("r"))],
    ],
)
def test_what_the_package_takes_is_no_violation(raw: list[Json]) -> None:
    assert not check(raw, TO)


# Objects, without the package


@dataclasses.dataclass
class Part:
    content: Any
    timestamp: datetime
    part_kind: str


@dataclasses.dataclass
class Entry:
    parts: list[Part]
    kind: str
    metadata: Any = None


def test_objects_with_the_same_fields_are_read() -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    picture = {"data": b"\x89PNG", "media_type": "image/png", "kind": "binary"}
    entry = Entry([Part(["hi", picture], at, "user-prompt")], "request", {"at": at})
    for history in (MessageHistory.from_list([entry]), MessageHistory().add(entry)):
        assert not history.repairs
        recorded = {**picture, "data": "iVBORw=="}
        assert history.for_send(TO) == [request(ask(["hi", recorded], timestamp=TIME), metadata={"at": TIME})]


def test_arguments_are_read_as_the_package_saves_them() -> None:
    args = {"at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "picture": b"\x89PNG"}
    saved = {"at": TIME, "picture": "iVBORw=="}
    found, expected = (
        MessageHistory.from_list([request(ask("q")), response(call("c1", each))]) for each in (args, saved)
    )
    assert (found.to_list(), found.repairs, found.for_send(TO)) == (
        expected.to_list(),
        expected.repairs,
        expected.for_send(TO),
    )


# Facts from a system that kept its sessions in this form


def part_of(block: Json) -> Json:
    match block["type"]:
        case "tool_use":
            return call(block["id"], block["input"])
        case "tool_result":
            return returned(
                block["tool_use_id"], block["content"], outcome="failed" if block["is_error"] else "success"
            )
        case "retry_prompt":
            return retry(block["tool_call_id"], block["text"])
        case "thinking":
            return {"content": block["thinking"], "part_kind": "thinking"}
    return block


def as_objects(entry: Json) -> Json:
    if not isinstance(entry["content"], list):
        return entry
    is_reply = entry["role"] == "assistant"
    parts = [
        (say if is_reply else ask)(block["text"]) if block["type"] == "text" else part_of(block)
        for block in entry["content"]
    ]
    return (response if is_reply else request)(*parts)


# What became of them there, or of their case here, differs: a second result that differs is quoted, words after the
# results are a turn of their own, and a leading response gets a user turn before it.
OTHERWISE = {"tc-b03", "tc-b08", "tc-b09"}


def neutral(message: Message) -> Json:
    content: list[Json] = []
    for block in message.content:
        if isinstance(block, TextBlock):
            content.append({"type": "text", "text": block.text})
        elif isinstance(block, ToolUseBlock):
            content.append({"type": "tool_use", "id": block.id, "name": "t", "input": dict(block.input)})
        elif isinstance(block, ToolResultBlock):
            text = "<STUB>" if block.is_stub else block.text
            content.append(
                {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": text, "is_error": block.is_error}
            )
    return {"role": message.role, "content": content}


def test_a_retry_prompt_counts_as_an_answer() -> None:
    raw = [response(call("c1", {})), request(retry("c1", "Access forbidden (403)"))]
    history = MessageHistory.from_list(raw)
    assert codes(history) == [RepairCode.BOOTSTRAP_ADDED]
    assert history[2].results[0].text == "Access forbidden (403)"


def test_a_prompt_after_a_return_takes_nothing_away() -> None:
    raw = [request(ask("q")), response(call("c1", {})), request(returned("c1")), request(ask("q2"))]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert history.for_send(TO) == [raw[0], raw[1], request(returned("c1"), ask("q2"))]


def test_the_other_dialects_take_a_list_from_here() -> None:
    source = json.loads((GOLDEN / "recorded.json").read_text())["source"]
    history = MessageHistory.from_list(source)
    for dialect in (Anthropic(), OpenAIChat()):
        wire = history.for_send(dialect)
        assert not check(wire, dialect)
        assert "let me see" in json.dumps(wire)


def test_a_prompt_with_keys_of_its_own_after_a_return_is_a_request_of_its_own() -> None:
    raw = [request(ask("q")), response(call("c1", {})), request(returned("c1")), request(ask("q2"))]
    raw[3]["run_id"] = "run_2"
    assert MessageHistory.from_list(raw).for_send(TO) == raw


def test_thinking_of_chat_completions_goes_back_under_the_key_that_it_came_under() -> None:
    for key in ("reasoning", "reasoning_content"):
        thinking = {"part_kind": "thinking", "content": "hm", "id": key, "provider_name": "deepseek"}
        raw = [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
            {"kind": "response", "parts": [thinking, {"part_kind": "text", "content": "a"}]},
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "r"}]},
        ]
        history = MessageHistory.from_list(raw, dialect=PydanticAI())
        answer = history.for_send(OpenAIChat())[1]
        assert [name for name, value in answer.items() if value == "hm"] in ([key], [])
        assert history[1].content[0].extra("openai_chat") == {"key": key}


@pytest.mark.parametrize(
    ("time", "taken"), [(-(10**10), True), (-(10**10) - 1, False), (10**13, True), (10**13 + 1, False)]
)
def test_a_time_is_a_number_that_the_package_reads_as_one(time: int, taken: bool) -> None:
    raw = [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q", "timestamp": time}]}]
    assert (check(raw, PydanticAI()) == []) is taken


@pytest.mark.parametrize(
    ("provider", "signature", "is_sent"), [("google", "c2ln", True), ("openai", "c2ln", False), ("google", 7, False)]
)
def test_a_signature_of_a_call_goes_to_the_provider_that_made_it(provider: str, signature: Any, is_sent: bool) -> None:
    details = {"thought_signature": signature}
    call = {"part_kind": "tool-call", "tool_call_id": "c", "tool_name": "f", "args": {}, "provider_name": provider}
    given = {"part_kind": "tool-return", "tool_call_id": "c", "tool_name": "f", "content": "r"}
    raw = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [{**call, "provider_details": details}]},
        {"kind": "request", "parts": [given]},
    ]
    wire = MessageHistory.from_list(raw, dialect=PydanticAI()).for_send(Gemini())
    assert (wire[1]["parts"][0].get("thoughtSignature") == signature) is is_sent


@pytest.mark.parametrize("response", [{"kind": "response"}, {"kind": "response", "parts": "x"}, {"kind": "request"}])
def test_what_is_no_whole_response_of_an_agent_is_not_added_as_one(response: Any) -> None:
    assert PydanticAI().reply({**response, "parts": [], "kind": "response"}) is not None
    with pytest.raises(TypeError, match="whole response"):
        MessageHistory().add_user("q").add_response(response)


@pytest.mark.parametrize("key", ["url", "media_type"])
def test_an_object_with_half_of_what_an_address_has_is_no_file(key: str) -> None:
    whole = {"kind": "image-url", "url": "https://a.example/b", "media_type": "image/png"}
    half = {name: value for name, value in whole.items() if name != key}
    call = {"part_kind": "tool-call", "tool_call_id": "c", "tool_name": "f", "args": {}}
    for found, block in ((whole, ImageBlock), (half, TextBlock)):
        given = {"part_kind": "tool-return", "tool_call_id": "c", "tool_name": "f", "content": found}
        raw = [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
            {"kind": "response", "parts": [call]},
            {"kind": "request", "parts": [given]},
        ]
        history = MessageHistory.from_list(raw, dialect=PydanticAI())
        assert [type(part) for part in history[2].results[0].content] == [block]


def test_a_call_of_a_later_turn_keeps_its_id_though_its_message_is_no_plain_one() -> None:
    history = MessageHistory()
    for _ in range(2):
        said = [RedactedThinkingBlock("d"), ToolUseBlock("c", "f", {})]
        history = history.add_user("q").add_assistant(said).add_tool_result("c", "r")
    exported = history.export(PydanticAI())
    ids = [part.get("tool_call_id") for message in exported.messages for part in message["parts"]]
    assert [id for id in ids if id] == ["c"] * 4
