"""pydantic-ai itself as the judge: its own types read every export, and its agent runs on them."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, ToolUseBlock, check
from message_history.dialects import PydanticAI
from message_history.dialects.pydantic_ai.schema import RULES
from message_history.integrations.strategies import broken_lists, histories
from tests.oracles.spoiling import spoil

pytest.importorskip("pydantic_ai")

from pydantic import ValidationError
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    BinaryContent,
    BinaryImage,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
    repair_messages,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

STORED = PydanticAI(ends_with_response=True)
OBJECTS = PydanticAI(objects=True)


def validated(wire: list[Any]) -> list[ModelMessage]:
    """Read a list as the package does, both ways."""
    ModelMessagesTypeAdapter.validate_python(wire)
    found: list[ModelMessage] = ModelMessagesTypeAdapter.validate_json(json.dumps(wire))
    return found


def dumped(messages: list[ModelMessage]) -> list[Any]:
    """Write a list as the package does."""
    found: list[Any] = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
    return found


@given(histories())
def test_every_export_is_read_by_the_package(history: MessageHistory) -> None:
    validated(history.for_send(PydanticAI()))


@given(histories())
def test_every_export_of_objects_says_the_same_as_the_json(history: MessageHistory) -> None:
    objects = history.for_send(OBJECTS)
    assert objects == history.for_send(OBJECTS)
    wire = history.for_send(PydanticAI())
    assert [message.kind for message in objects] == [message["kind"] for message in wire]
    assert [part.part_kind for message in objects for part in message.parts] == [
        "tool-return" if part["part_kind"] == "retry-prompt" else part["part_kind"]
        for message in wire
        for part in message["parts"]
    ]


@given(broken_lists(PydanticAI()))
def test_every_broken_list_is_read_by_the_package_once_it_is_mended(raw: list[Any]) -> None:
    validated(MessageHistory.from_list(raw, dialect=PydanticAI()).for_send(PydanticAI()))


def recorded() -> list[ModelMessage]:
    """Make a list with nearly everything that the package records."""
    png = b"\x89PNG\r\n\x1a\n"
    error: Any = {"type": "int_parsing", "loc": ("n",), "msg": "no integer", "input": "x"}
    return [
        ModelRequest(
            parts=[
                SystemPromptPart("Be brief.", dynamic_ref="prompt"),
                UserPromptPart(
                    [
                        "look",
                        ImageUrl("https://example.com/a.png", vendor_metadata={"detail": "low"}),
                        BinaryImage(png, media_type="image/png", identifier="mine"),
                        BinaryContent(b"%PDF-", media_type="application/pdf"),
                        BinaryContent(b"RIFF", media_type="audio/wav"),
                        DocumentUrl("https://example.com/a.pdf"),
                        VideoUrl("https://example.com/a.mp4"),
                        UploadedFile("file-1", "openai"),
                        TextContent("tagged", metadata={"a": 1}),
                        CachePoint(ttl="1h"),
                    ]
                ),
            ],
            instructions="Answer in French.",
            run_id="run-1",
            metadata={"k": [1, None]},
        ),
        ModelResponse(
            parts=[
                ThinkingPart("hm", id="t", signature="c2ln", provider_name="anthropic", provider_details={"a": 1}),
                ThinkingPart("", id="redacted_thinking", signature="ZW5j", provider_name="anthropic"),
                TextPart("let me see", id="m", provider_name="openai"),
                NativeToolCallPart("web_search", {"q": "x"}, "s1", provider_name="anthropic"),
                NativeToolReturnPart("web_search", [{"url": "u"}], "s1", provider_name="anthropic"),
                ToolCallPart("weather", '{ "city":"Paris" ,"n": 1.0}', "c1"),
                ToolCallPart(
                    "weather",
                    {"city": "Rome"},
                    "c2",
                    provider_name="google",
                    provider_details={"thought_signature": "c2ln"},
                ),
                ToolCallPart("now", None, "c3"),
                ToolCallPart("now", "", "c4"),
                ToolCallPart("draw", {}, "c5"),
                ToolCallPart("draw", {}, "c6"),
            ],
            usage=RequestUsage(input_tokens=3, output_tokens=4, details={"x": 1}),
            model_name="claude-opus-4-8",
            provider_name="anthropic",
            provider_response_id="msg_1",
            provider_details={"finish_reason": "tool_use"},
            finish_reason="tool_call",
            run_id="run-1",
        ),
        ModelRequest(
            parts=[
                ToolReturnPart("weather", {"temp": 21, "sky": None}, "c1", metadata={"took": 0.5}),
                ToolReturnPart("weather", "no such city", "c2", outcome="failed"),
                ToolReturnPart("now", None, "c3"),
                ToolReturnPart(
                    "now",
                    [{**error, "loc": ["n"]}],
                    "c4",
                    outcome="retried",
                    retry=RetryInfo("validation_error", attempt=1),
                ),
                ToolReturnPart(
                    "draw",
                    ["here", BinaryImage(png, media_type="image/png"), ImageUrl("https://example.com/b.png")],
                    "c5",
                ),
                ToolReturnPart("draw", [1, {"deep": ["x", 2.5]}, True], "c6", outcome="denied"),
                RetryFeedbackPart("Please return text.", retry=RetryInfo("no_output")),
                RetryFeedbackPart([error], retry=RetryInfo("validation_error")),
            ],
            run_id="run-1",
        ),
        ModelResponse(parts=[ThinkingPart("only thinking")], state="complete"),
        ModelRequest(parts=[], instructions="Tell a joke."),
        ModelResponse(parts=[FilePart(BinaryImage(png, media_type="image/png"), id="f", provider_name="openai")]),
        ModelRequest(parts=[CompactionPart("what was said"), UserPromptPart("first"), UserPromptPart(["second"])]),
        ModelResponse(parts=[CompactionPart("sum", id="c", provider_name="anthropic"), TextPart("ok")]),
        ModelRequest(parts=[UserPromptPart("bye")], run_id="run-2"),
    ]


def test_recorded_objects_come_out_as_they_went_in() -> None:
    messages = recorded()
    history = MessageHistory.from_list(messages)
    assert not history.repairs
    assert history.system == "Be brief."
    wire = history.for_send(PydanticAI())
    assert wire == dumped(messages)
    assert validated(wire) == messages
    assert history.for_send(OBJECTS) == messages
    assert not check(messages, PydanticAI())


def test_recorded_json_comes_out_as_it_went_in() -> None:
    raw = json.loads(ModelMessagesTypeAdapter.dump_json(recorded()))
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert history.for_send(PydanticAI()) == raw
    assert not check(raw, PydanticAI())


def test_dumps_of_python_values_are_read_too() -> None:
    messages = recorded()
    history = MessageHistory.from_list(ModelMessagesTypeAdapter.dump_python(messages))
    assert not history.repairs
    assert validated(history.for_send(PydanticAI())) == messages


def test_a_recorded_list_survives_the_saved_form() -> None:
    messages = recorded()
    saved = json.loads(json.dumps(MessageHistory.from_list(messages).to_list()))
    assert MessageHistory.from_list(saved).for_send(OBJECTS) == messages


@given(st.data())
def test_any_cut_of_a_recorded_list_is_read_by_the_package_once_it_is_mended(data: st.DataObject) -> None:
    raw = dumped(recorded())
    start = data.draw(st.integers(0, len(raw) - 1))
    kept = raw[start : data.draw(st.integers(start, len(raw)))]
    for message in kept:
        for number in sorted(
            data.draw(st.sets(st.integers(0, max(len(message["parts"]) - 1, 0)), max_size=2)), reverse=True
        ):
            del message["parts"][number : number + 1]
    wire = MessageHistory.from_list(kept).for_send(PydanticAI())
    validated(wire)
    assert not wire or not check(wire, PydanticAI())


@given(st.data())
def test_a_spoilt_list_is_read_by_the_package_once_it_is_mended(data: st.DataObject) -> None:
    raw = dumped(recorded())
    for _ in range(data.draw(st.integers(1, 4))):
        spoil(data, raw)
    history = MessageHistory.from_list(raw, dialect=PydanticAI())
    wire = history.for_send(PydanticAI())
    if not newer(wire):
        validated(wire)
    assert not check(wire, PydanticAI())
    assert MessageHistory.from_list(wire, dialect=PydanticAI()).for_send(PydanticAI()) == wire


def newer(wire: list[Any]) -> bool:
    """Tell whether a response holds a part that this version does not know: it goes back where it came from."""
    known = {
        "text",
        "thinking",
        "tool-call",
        "builtin-tool-call",
        "builtin-tool-return",
        "file",
        "compaction",
        "speech",
    }
    return any(
        part.get("part_kind") not in known for entry in wire if entry["kind"] == "response" for part in entry["parts"]
    )


@given(st.data())
def test_what_the_package_refuses_is_found(data: st.DataObject) -> None:
    raw = dumped(recorded())
    spoil(data, raw)
    try:
        validated(raw)
    except (ValidationError, RecursionError):
        assert check(raw, PydanticAI()) or newer_raw(raw)


def newer_raw(raw: list[Any]) -> bool:
    try:
        return newer(raw)
    except (AttributeError, KeyError, TypeError):
        return False


def test_retry_prompts_of_the_first_version_are_answers() -> None:
    raw = [
        {
            "kind": "request",
            "parts": [{"part_kind": "user-prompt", "content": "q", "timestamp": "2025-01-01T00:00:00Z"}],
        },
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "c"}],
            "timestamp": "2025-01-01T00:00:00Z",
        },
        {
            "kind": "request",
            "parts": [
                {
                    "part_kind": "retry-prompt",
                    "content": [{"type": "t", "loc": ["a", 0], "msg": "m", "input": None}],
                    "tool_name": "f",
                    "tool_call_id": "c",
                    "timestamp": "2025-01-01T00:00:00Z",
                }
            ],
        },
    ]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert history.for_send(PydanticAI()) == raw
    returned = history.for_send(OBJECTS)[2].parts[0]
    assert isinstance(returned, ToolReturnPart)
    assert returned.outcome == "retried"
    assert history.for_send(OBJECTS) == validated(raw)


def test_a_retry_prompt_object_is_an_answer() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retry = RetryPromptPart("again", tool_name="f", tool_call_id="c")
        messages = [
            ModelRequest(parts=[UserPromptPart("q")]),
            ModelResponse(parts=[ToolCallPart("f", {}, "c")]),
            ModelRequest(parts=[retry]),
        ]
        history = MessageHistory.from_list(messages)
    assert not history.repairs
    assert history[2].results[0].is_error
    assert history.for_send(PydanticAI())[2]["parts"][0]["part_kind"] == "retry-prompt"


# Runs


def weather(city: str) -> dict[str, Any]:
    if city == "nowhere":
        raise ModelRetry("no such city")
    return {"city": city, "temp": 21}


def agent_with(model: Any) -> Agent[None, str]:
    return Agent(model, system_prompt="Be brief.", tools=[weather])


def test_what_an_agent_recorded_comes_out_as_it_went_in() -> None:
    agent = agent_with(TestModel())
    first = agent.run_sync("weather in Paris?")
    second = agent.run_sync("and Rome?", message_history=first.all_messages())
    messages = second.all_messages()
    history = MessageHistory.from_list(messages)
    assert not history.repairs
    assert history.for_send(STORED) == dumped(messages)
    assert history.for_send(PydanticAI(objects=True, ends_with_response=True)) == messages


def test_an_agent_goes_on_from_an_export_with_a_new_prompt() -> None:
    agent = agent_with(TestModel())
    messages = agent.run_sync("weather in Paris?").all_messages()
    history = MessageHistory.from_list(messages)
    result = agent.run_sync("more", message_history=history.for_send(PydanticAI(objects=True, ends_with_response=True)))
    assert result.all_messages()[: len(messages)] == messages


def test_an_agent_goes_on_from_an_export_without_a_prompt() -> None:
    seen: list[list[ModelMessage]] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        seen.append(list(messages))
        return ModelResponse(parts=[TextPart("done")])

    history = MessageHistory().with_system("Be brief.").add_user("weather?")
    history = history.add_assistant([ToolUseBlock("c", "weather", {"city": "Paris"})]).add_user("never mind")
    result = agent_with(FunctionModel(reply)).run_sync(message_history=history.for_send(OBJECTS))
    assert result.output == "done"
    (sent,) = seen
    returned, prompt = sent[-1].parts
    assert isinstance(returned, ToolReturnPart)
    assert returned.outcome == "interrupted"
    assert isinstance(prompt, UserPromptPart)
    assert prompt.content == "never mind"
    history = history.add_response(result.all_messages()[-1])
    assert history[-1].text == "done"


@given(histories(max_size=5))
def test_an_agent_takes_every_export_and_finds_nothing_to_mend(history: MessageHistory) -> None:
    objects = history.for_send(OBJECTS)
    if not objects:
        return
    joined = [message for message in repair_messages(objects) if message.kind == "response" or message.parts]
    parts = [part for message in objects for part in message.parts]
    assert [part for message in joined for part in message.parts] == parts


def test_new_messages_are_added_one_by_one() -> None:
    agent = agent_with(TestModel())
    messages = agent.run_sync("weather in Paris?").new_messages()
    added: list[Any] = list(messages)
    history = MessageHistory().extend(added)
    assert not history.repairs
    assert history.for_send(STORED) == dumped(messages)


def test_a_retry_that_an_agent_recorded_is_an_answer() -> None:
    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("weather", {"city": "nowhere"}, "c1")])
        return ModelResponse(parts=[TextPart("sorry")])

    messages = agent_with(FunctionModel(reply)).run_sync("weather?").all_messages()
    history = MessageHistory.from_list(messages)
    assert not history.repairs
    assert history[2].results[0].is_error
    assert "no such city" in history[2].results[0].text
    assert history.for_send(STORED) == dumped(messages)


OF_THE_TYPES: list[tuple[list[Any], str]] = [
    ([{"parts": []}], "PA-01"),
    ([7], "PA-01"),
    ([{"kind": "request"}], "PA-02"),
    ([{"kind": "request", "parts": {}}], "PA-02"),
    ([{"kind": "request", "parts": [{"part_kind": "tool-call"}]}], "PA-03"),
    ([{"kind": "request", "parts": [{}]}], "PA-03"),
    ([{"kind": "response", "parts": [{"part_kind": "user-prompt"}]}], "PA-04"),
    ([{"kind": "request", "parts": [{"part_kind": "user-prompt"}]}], "PA-05"),
    ([{"kind": "request", "parts": [], "timestamp": "zz"}], "PA-06"),
    ([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": [{"kind": "zz"}]}]}], "PA-07"),
    (
        [
            {
                "kind": "request",
                "parts": [
                    {
                        "part_kind": "user-prompt",
                        "content": [{"kind": "binary", "data": "@@", "media_type": "image/png"}],
                    }
                ],
            }
        ],
        "PA-08",
    ),
    ([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "\ud83d"}]}], "PA-09"),
    ([{"kind": "request", "parts": [{"part_kind": "speech", "speaker": "assistant"}]}], "PA-10"),
    ([{"kind": "request", "parts": [{"part_kind": "compaction", "id": "x"}]}], "PA-11"),
    (
        [
            {
                "kind": "request",
                "parts": [
                    {"part_kind": "tool-return", "tool_name": "f", "content": 1, "tool_kind": "tool-search"},
                ],
            }
        ],
        "PA-19",
    ),
]


@pytest.mark.parametrize(("raw", "rule"), OF_THE_TYPES)
def test_a_rule_of_the_types_is_one_of_the_package(raw: list[Any], rule: str) -> None:
    with pytest.raises(ValidationError):
        validated(raw)
    assert rule in {violation.rule for violation in check(raw, PydanticAI())}


def test_the_agent_says_what_the_rules_say() -> None:
    agent = agent_with(TestModel())
    calling = ModelResponse(parts=[ToolCallPart("weather", {"city": "Paris"}, "c")])
    asked = ModelRequest(parts=[UserPromptPart("q")])
    with pytest.raises(UserError) as recorded:
        agent.run_sync("more", message_history=[asked, calling])
    assert str(recorded.value) == RULES.by_id["PA-12"].errors[0]
    assert {violation.rule for violation in check([asked, calling], PydanticAI())} == {"PA-12"}
    paused = ModelResponse(parts=[TextPart("wait")], state="suspended")
    with pytest.raises(UserError) as recorded:
        agent.run_sync("more", message_history=[asked, paused])
    assert str(recorded.value) == RULES.by_id["PA-18"].errors[0]
    assert {violation.rule for violation in check([asked, paused, asked], PydanticAI())} == {"PA-18"}
    assert MessageHistory.from_list([asked, paused]).for_send(OBJECTS) == [asked, paused]
    with pytest.raises(UserError) as recorded:
        Agent(TestModel()).run_sync(message_history=[])
    assert str(recorded.value) == RULES.by_id["PA-17"].errors[0]
    assert {violation.rule for violation in check([], PydanticAI())} == {"PA-17"}
