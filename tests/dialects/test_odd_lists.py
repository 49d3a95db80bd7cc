"""Lists of odd pieces of each form, to every dialect: valid, and the same again once they have been read."""

from __future__ import annotations

import json
from enum import Enum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from message_history import MessageHistory, RepairCode, check
from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses, PydanticAI
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance.dialects import goes_round
from tests.dialects.odd_pieces import FORMS, PIXEL, PNG, odd_lists

if TYPE_CHECKING:
    from message_history.dialects import Dialect

NEWEST = Anthropic.for_model("claude-opus-5")
OLLAMA = OpenAIChat.for_provider("ollama native")
TARGETS: list[Dialect[Any]] = [
    *(dialect for name, dialect in DIALECTS.items() if name != "native"),
    NEWEST,
    Anthropic.for_model("claude-sonnet-4-5"),
    OpenAIChat.for_provider("kimi"),
    OpenAIChat.for_provider("azure on your data"),
    OpenAIChat.for_provider("vllm:gemma-3"),
    OLLAMA,
    OpenAIResponses.for_provider("deepseek"),
    Gemini.for_model("gemini-2.5-pro"),
    Mistral.for_version(3),
    Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    Bedrock.for_model("us.meta.llama3-3-70b-instruct-v1:0"),
]


@pytest.mark.heavy
@pytest.mark.parametrize("form", FORMS)
def test_odd_lists_go_round_everywhere(form: str) -> None:
    @settings(max_examples=max(settings().max_examples // 2, 5))
    @given(odd_lists(form))
    def law(raw: list[Any]) -> None:
        before = json.dumps(raw)
        for recorded in (DIALECTS[form], None):
            history = MessageHistory.from_list(raw, dialect=recorded)
            assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
            for target in TARGETS:
                goes_round(history, target)
        assert json.dumps(raw) == before

    law()


Q = {"role": "user", "content": "q"}
PROMPT = {"kind": "request", "parts": [{"part_kind": "system-prompt", "content": "s"}]}
INSTRUCTED = {"kind": "request", "parts": [], "instructions": "i"}
CALLED = {"part_kind": "tool-call", "tool_name": "f", "tool_call_id": "1"}
REFERENCE = {"type": "tool_reference", "tool_name": "f"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
NO_LISTS: list[Any] = [0, False, "", {}]
ANSWERED = [
    {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "x"},
]
FOUND: list[tuple[str, Dialect[Any], list[Any]]] = [
    ("an image without words", OLLAMA, [{"role": "user", "content": "", "images": [PIXEL]}]),
    ("a refusal alone", OpenAIChat.for_provider("azure on your data"), [Q, {"role": "assistant", "refusal": "x"}]),
    ("an output config that is none", NEWEST, [Q, {"role": "system", "content": [], "output_config": "x"}]),
    ("words of which some are cited", NEWEST,
     [{"role": "system", "content": [{"type": "text", "text": "h", "citations": []}, {"type": "tool_result"}]}]),
    ("words in two system messages", NEWEST,
     [{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}, {"role": "system", "content": "t"},
      {"role": "system", "content": [{"type": "text", "text": "x"}, {}]}]),
    ("an error result with a reference", Anthropic(),
     [Q, {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
      {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "1", "content": [REFERENCE], "is_error": True}]}]),
    ("an error result with an image while a server tool is at work", Anthropic(),
     [Q, {"role": "assistant", "content": [
         {"type": "tool_use", "id": "1", "name": "f", "input": {}},
         {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "t", "server_name": "s", "input": {}}]},
      {"role": "user", "content": [
          {"type": "tool_result", "tool_use_id": "1", "is_error": True,
           "content": [{"type": "image", "source": PNG}]}]}]),
    ("a paused turn of which nothing is left", Anthropic(),
     [{"role": "assistant", "content": [{}], "stop_reason": "pause_turn"}]),
    ("a paused turn of which the call is missing", Anthropic(),
     [{"role": "assistant", "stop_reason": "pause_turn", "content": [
         {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}]}]),
    ("words and effort in one system message", NEWEST,
     [Q, {"role": "system", "content": [{"type": "text", "text": "h"}, {"type": "thinking", "thinking": "t"}],
          "output_config": {"effort": "low"}}]),
    ("effort, and then words", NEWEST,
     [Q, {"role": "system", "content": [], "output_config": {"effort": "low"}},
      {"role": "system", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "h"}]}]),
    ("a response whose keys do not fit", PydanticAI(),
     [{"kind": "response", "parts": [{"part_kind": "b"}]},
      {"kind": "response", "parts": [{"part_kind": "t"}], "state": "odd"}]),
    ("a prompt and instructions, answered", PydanticAI(),
     [PROMPT, INSTRUCTED, {"kind": "response", "parts": [{"part_kind": "text", "content": "a"}]}]),
    ("a prompt and instructions", PydanticAI(), [PROMPT, INSTRUCTED]),
    ("a retry of what was not a call then", PydanticAI(),
     [{"kind": "response", "parts": [{**CALLED, "args": "{}", "tool_call_id": ""}]},
      {"kind": "request", "parts": [
          {"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "1", "content": "r"},
          {"part_kind": "retry-prompt", "content": "bad", "tool_call_id": "1"}]}]),
    ("sound alone", OpenAIChat.for_provider("azure on your data"),
     [{"role": "developer", "content": [
         {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}]}]),
    ("a cut behind an unreadable call", PydanticAI(),
     [{"kind": "response", "parts": [{**CALLED, "args": "{"}]},
      {"kind": "response", "parts": [{"part_kind": "b"}], "finish_reason": "length"}]),
    ("a part without a kind", PydanticAI(), [{"kind": "response", "parts": [{"part_kind": "", "a": 1}]}]),
    ("a custom call whose input is no text", OpenAIResponses(),
     [Q, REASONING, {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "f", "input": {"a": 1}},
      {"type": "custom_tool_call_output", "call_id": "c", "output": "x"}]),
    *[("a summary that is not a list", OpenAIResponses(), [Q, {**REASONING, "summary": summary}, *ANSWERED])
      for summary in NO_LISTS],
    *[("reasoning text that is not a list", OpenAIResponses.for_provider("deepseek"),
       [Q, {**REASONING, "encrypted_content": None, "content": content}, *ANSWERED])
      for content in NO_LISTS],
    *[("an image that is not base64", Bedrock(),
       [{"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": data}}}, {"text": "q"}]}])
      for data in ("x", "data:image/png;base64,x", "no image at all!")],
    *[("media that is not text", Gemini(), [{"role": "user", "parts": [{kind: {"mimeType": mime, key: float("nan")}}]}])
      for kind, key in (("inlineData", "data"), ("fileData", "fileUri"))
      for mime in ("image/png", "application/pdf", "text/plain", "audio/wav")],
    ("a cut behind a call", PydanticAI(),
     [{"kind": "response", "parts": [{"part_kind": "b"}]},
      {"kind": "response", "parts": [{**CALLED, "args": {}}, {}], "state": "interrupted"}]),
]  # fmt: skip


@pytest.mark.parametrize(("target", "raw"), [pytest.param(*found[1:], id=found[0]) for found in FOUND])
def test_what_such_lists_have_shown(target: Dialect[Any], raw: list[Any]) -> None:
    goes_round(MessageHistory.from_list(raw, dialect=target), target)


def test_a_paused_turn_goes_out_last_where_the_api_would_go_on() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    for content, ends in (
        ([search], True),
        ([search, found], True),
        ([search, found, {"type": "text", "text": "a"}], False),
    ):
        reply = {"role": "assistant", "content": content, "stop_reason": "pause_turn"}
        wire: list[Any] = MessageHistory.from_list([Q, reply]).for_send(Anthropic())
        assert (wire[-1]["role"] == "assistant") is ends
        assert check(wire, Anthropic()) == []


def test_the_words_of_a_system_message_that_holds_more_are_sent_everywhere() -> None:
    addition = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}
    words = {"type": "text", "text": "from now on"}
    later = {"role": "system", "content": [words, addition], "output_config": {"effort": "low"}}
    history = MessageHistory.from_list([Q, {"role": "assistant", "content": "a"}, Q, later])
    assert history.for_send(NEWEST)[-1] == later
    for target in TARGETS:
        assert "from now on" in json.dumps(history.for_send(target), default=repr)


class Level(Enum):
    """No role."""

    LOW = 1


class Speaker(Enum):
    """Who speaks, as frameworks of their own write it."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


def test_a_role_that_is_a_member_of_an_enumeration_is_its_value() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = MessageHistory.from_list(
        [
            {"role": Speaker.SYSTEM, "content": "Be brief."},
            SimpleNamespace(role=Speaker.USER, content="q"),
            {"role": Speaker.ASSISTANT, "content": None, "tool_calls": [call]},
            {"role": Speaker.TOOL, "tool_call_id": "c1", "content": "r"},
            {"role": "assistant", "content": "a"},
        ]
    )
    assert history.repairs == ()
    assert history.system == "Be brief."
    assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]


def test_a_role_of_an_enumeration_that_nobody_knows_is_not_the_users() -> None:
    (repair,) = MessageHistory.from_list([{"role": Level.LOW, "content": "q"}]).repairs
    assert repair.code is RepairCode.ENTRY_DROPPED
