"""The Responses API, rule by rule, with what the provider answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from message_history import (
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RepairCode,
    Severity,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.messages.policy import Policy
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, OpenAIChat, OpenAIResponses
from tests.dialects.odd_pieces import PIXEL
from tests.dialects.removed_text import removed_text

if TYPE_CHECKING:
    from collections.abc import Mapping


Items = list[dict[str, Any]]

STRICTEST = OpenAIResponses(bare_items=False, reasons=True)
STORED = OpenAIResponses(store=True)
STATELESS = OpenAIResponses(store=False)
GPT5 = OpenAIResponses.for_model("gpt-5")
GPT41 = OpenAIResponses.for_model("gpt-4.1")
DEEPSEEK = OpenAIResponses.for_model("deepseek-v4-flash")
VLLM = OpenAIResponses.for_provider("vllm")

STUB = Policy().stub_text
GOING_ON = Policy().continuation_text
IMAGE = f"data:image/png;base64,{PIXEL}"

Q: dict[str, Any] = {"role": "user", "content": "q"}
Q2: dict[str, Any] = {"role": "user", "content": "q2"}


def call(call_id: str = "call_1", **keys: object) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}", **keys}


def output(call_id: str = "call_1", raw: object = "r", **keys: object) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": raw, **keys}


def thought(id: str | None = "rs_1", encrypted: str | None = "gAAAA", **keys: object) -> dict[str, Any]:
    found = {"type": "reasoning", "id": id, "summary": [], "encrypted_content": encrypted, **keys}
    return {key: value for key, value in found.items() if value is not None}


def assistant(text: str = "a", id: str = "msg_1", **keys: object) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part], **keys}


def easy(text: str = "a") -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def searched(id: str = "ws_1") -> dict[str, Any]:
    return {"type": "web_search_call", "id": id, "status": "completed", "action": {"type": "search", "query": "q"}}


def sent(raw: list[Any], dialect: OpenAIResponses = STRICTEST) -> Items:
    """Load a list and write it again, as somebody does who resumes a session."""
    wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
    assert check(wire, dialect) == []
    return wire


def repairs_of(raw: list[Any], dialect: OpenAIResponses = STRICTEST) -> list[str]:
    """Tell what one export left out or rewrote."""
    return [repair.detail for repair in MessageHistory.from_list(raw, dialect=dialect).export(dialect).repairs]


LONG = "c" * 116
REFUSED: list[tuple[str, int | None, str, list[Any], OpenAIResponses]] = [
    ("OR-01", 1, "No tool output found for function call call_1.", [Q, call(), Q2], STRICTEST),
    ("OR-01", 1, "No tool output found for function call call_1.", [Q, call()], GPT5),
    (
        "OR-02", 1, "No tool output found for custom tool call call_1.",
        [Q, {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": "*** Begin"}], STRICTEST,
    ),
    (
        "OR-03", 1, "No tool output found for local shell call call_1.",
        [Q, {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "status": "completed",
             "action": {"type": "exec", "command": ["rm", "x"], "env": {}}}, Q2], STRICTEST,
    ),
    (
        "OR-03", 1, "No tool output found for computer call call_1.",
        [Q, {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
             "pending_safety_checks": [], "action": {"type": "wait"}}, Q2], STRICTEST,
    ),
    ("OR-04", 1, "No tool call found for function call output with call_id call_1.", [Q, output()], STRICTEST),
    ("OR-04", 0, "No tool call found for function call output with call_id call_1.", [output(), Q], STRICTEST),
    (
        "OR-04", 0, "No tool call found for function call output with call_id call_1.", [output()],
        OpenAIResponses(continues=False),
    ),
    ("OR-04", 2, "No tool call found for function call output with call_id call_1.", [Q, easy(), output()], GPT5),
    ("OR-04", 1, "No tool call found for tool output with call_id call_1.", [Q, output()], DEEPSEEK),
    (
        "OR-05", 1, "No tool call found for custom tool call output with call_id call_1.",
        [Q, {"type": "custom_tool_call_output", "call_id": "call_1", "output": "r"}], STRICTEST,
    ),
    (
        "OR-06", 1, "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        [Q, thought(), easy(), Q2], STRICTEST,
    ),
    (
        "OR-06", 1, "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        [Q, thought(), assistant(id=""), Q2], STRICTEST,
    ),
    (
        "OR-06", 1, "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        [Q, thought()], GPT5,
    ),
    (
        "OR-06", 1, "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        [Q, thought(), call(), output()], GPT5,
    ),
    (
        "OR-07", 1, "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item",
        [Q, call(id="fc_1"), output(), Q2], GPT5,
    ),
    (
        "OR-07", 1, "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item",
        [Q, assistant(), Q2], OpenAIResponses.for_model("azure/gpt-5.2-codex"),
    ),
    (
        "OR-07", 1, "Item 'msg_1' of type 'item_reference' was provided without its required 'reasoning' item",
        [Q, {"type": "item_reference", "id": "msg_1"}, Q2], OpenAIResponses(store=True, reasons=True),
    ),
    (
        "OR-08", 3, "Item 'ws_1' of type 'web_search_call' was provided without its required 'reasoning' item",
        [Q, thought(), assistant(), searched(), Q2], STRICTEST,
    ),
    (
        "OR-09", 1,
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` "
        "set to true, or remove this item from your input.",
        [Q, thought(encrypted=None), assistant(), Q2], STATELESS,
    ),
    (
        "OR-09", 1,
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` "
        "set to true, or remove this item from your input.",
        [Q, {"type": "item_reference", "id": "rs_1"}, call(), output()], STATELESS,
    ),
    (
        "OR-11", 3, "Duplicate item found with id msg_4. Remove duplicate items from your input and try again.",
        [Q, assistant(id="msg_4"), Q2, assistant("b", id="msg_4"), Q], GPT41,
    ),
    (
        "OR-12", 1, "Invalid 'input[1].id': 'item_df7e'. Expected an ID that begins with 'rs'.",
        [Q, thought(id="item_df7e"), assistant()], STRICTEST,
    ),
    (
        "OR-12", 1, "Invalid 'input[1].id': 'call_x'. Expected an ID that begins with 'fc'.",
        [Q, call(id="call_x"), output()], GPT41,
    ),
    (
        "OR-13", 1,
        "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with "
        "length 416 instead.",
        [Q, thought(id="rs_" + "r" * 413), assistant()], STRICTEST,
    ),
    (
        "OR-14", 1,
        "Invalid 'input[1].id': ''. Expected an ID that contains letters, numbers, underscores, or dashes, but this "
        "value contained additional characters.",
        [Q, call(id=""), output()], GPT41,
    ),
    (
        "OR-14", 1,
        "Invalid 'input[1].id': 'fc_abcDEF_'. Expected an ID that contains letters, numbers, underscores, or dashes, "
        "but this value contained additional characters.",
        [Q, call(id="fc_abcDEF_"), output()], GPT41,
    ),
    (
        "OR-14", 1,
        "Invalid 'input[1].id': 'rs_a:rs_b'. Expected an ID that contains letters, numbers, underscores, or dashes, "
        "but this value contained additional characters.",
        [Q, thought(id="rs_a:rs_b"), assistant()], GPT5,
    ),
    (
        "OR-15", 1,
        "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with "
        "length 116 instead.",
        [Q, call(LONG), output(LONG)], STRICTEST,
    ),
    (
        "OR-15", 1, "Missing required parameter: input[1].call_id",
        [Q, {"type": "function_call", "name": "f", "arguments": "{}"}], STRICTEST,
    ),
    (
        "OR-15", 1,
        "Invalid 'input[1].call_id': empty string. Expected a string with minimum length 1, but got an empty string "
        "instead.",
        [Q, call(""), output("")], DEEPSEEK,
    ),
    (
        "OR-16", 1,
        "Invalid 'input[1].content': array too long. Expected an array with maximum length 0, but got an array with "
        "length 1 instead.",
        [Q, thought(content=[{"type": "reasoning_text", "text": "We need"}]), assistant()], STRICTEST,
    ),
    ("OR-17", 1, "Unknown parameter: 'input[1].status'.", [Q, {**thought(), "status": None}, assistant()], STRICTEST),
    ("OR-17", 1, "Unknown parameter: 'input[1].status'.", [Q, thought(status="completed"), assistant()], GPT5),
    ("OR-17", 1, "Unknown parameter: 'input[1].parsed_arguments'.", [Q, call(parsed_arguments={}), output()], GPT41),
    (
        "OR-18", 1, "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        [Q, {"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}, Q2], GPT5,
    ),
    (
        "OR-18", 1, "Invalid value: 'input_image'. Supported values are: 'output_text' and 'refusal'.",
        [Q, {"role": "assistant", "content": [{"type": "input_image", "image_url": IMAGE}]}, Q2], STRICTEST,
    ),
    (
        "OR-19", 1,
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        [Q, {"role": "tool", "tool_call_id": "call_1", "content": "r"}], STRICTEST,
    ),
    (
        "OR-20", 0,
        "Invalid type for 'input[0].content': expected one of an array of objects or string, but got null instead.",
        [{"role": "assistant", "content": None}, call(), output()], GPT5,
    ),
    (
        "OR-23", 0,
        "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string "
        "with length 101 instead.",
        [{"role": "user", "content": "x" * 101}], OpenAIResponses(text_limit=100),
    ),
    ("OR-26", 1, "IndexError on item.content[0]", [Q, {**assistant(), "content": []}, Q2], VLLM),
    (
        "OR-26", 1, "AttributeError: no attribute 'text'",
        [Q, {**assistant(), "content": [{"type": "refusal", "refusal": "no"}]}, Q2], VLLM,
    ),
    (
        "OR-27", 1, "invalid_prompt: Invalid input: expected string, received undefined",
        [Q, {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}], STRICTEST,
    ),
    (
        "OR-28", 1,
        "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern "
        "'^[a-zA-Z0-9_-]+$'.",
        [Q, call(name="my tool"), output()], GPT5,
    ),
    (
        "OR-28", 1,
        "Invalid 'input[1].name': empty string. Expected a string with minimum length 1, but got an empty string "
        "instead.",
        [Q, call(name=""), output()], GPT5,
    ),
    (
        "DS-15", 2, "No tool output found for tool call call_1.",
        [Q, call(), easy(), call("call_2"), output(), output("call_2"), Q2], DEEPSEEK,
    ),
    ("DS-15", 2, "No tool output found for tool call call_1.", [Q, call(), Q2, output()], STRICTEST),
    ("DS-16", 3, "Duplicate 'call_id': call_1.", [Q, call(), output(), call(), output(raw="2")], DEEPSEEK),
    ("DS-16", 3, "Duplicate tool output for call_id: call_1.", [Q, call(), output(), output(raw="2")], DEEPSEEK),
    ("DS-17", None, "Input items array must not be empty", [], STRICTEST),
    (
        "HF-07", 1, "json.decoder.JSONDecodeError: Expecting value: line 1 column 11 (char 10)",
        [Q, call(arguments='{"value": '), output(), Q2], VLLM,
    ),
    (
        "OC-20", 1,
        "Failed to parse the request body as JSON: messages[1].content: lone leading surrogate in hex escape at line "
        "{line} column {column}",
        [Q, easy("bad \ud83d tail"), Q2], STRICTEST,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "index", "error", "wire", "dialect"), REFUSED)
def test_what_is_refused_is_found(
    rule: str, index: int | None, error: str, wire: list[Any], dialect: OpenAIResponses
) -> None:
    found = [violation for violation in check(wire, dialect) if violation.rule == rule]
    assert (index, error) in [(violation.index, violation.error) for violation in found]


@pytest.mark.parametrize(("rule", "index", "error", "wire", "dialect"), [case for case in REFUSED if case[3]])
def test_what_is_refused_becomes_acceptable(
    rule: str, index: int | None, error: str, wire: list[Any], dialect: OpenAIResponses
) -> None:
    del rule, index, error
    for target in (dialect, STRICTEST, GPT5, DEEPSEEK):
        history = MessageHistory.from_list(wire)
        assert history.for_send(target) == history.for_send(target)
        repaired = history.for_send(target)
        assert not repaired or check(repaired, target) == []


ACCEPTED: list[tuple[str, list[Any], OpenAIResponses]] = [
    ("words between parallel calls and their outputs (OR-24)",
     [Q, call("a"), call("b"), {"role": "developer", "content": "note"}, output("a"), output("b")], GPT5),
    ("an image as an output (OR-25)", [Q, call(), output(raw=[{"type": "input_image", "image_url": IMAGE}])], GPT5),
    ("reasoning, reasoning and what they led to",
     [Q, thought(), thought("rs_2"), call(id="fc_1"), output(), Q2], STRICTEST),
    ("a message behind a server tool's call", [Q, thought(), searched(), assistant(), Q2], STRICTEST),
    ("ids where nothing was thought", [Q, call(id="fc_1"), output(), assistant(), Q2], GPT41),
    ("ids where nothing was thought, by a model that can",
     [Q, assistant(), Q2], OpenAIResponses.for_model("gpt-5.6-sol")),
    ("reasoning without an id", [Q, thought(None), call(), output()], OpenAIResponses.for_model("gpt-5.3-codex")),
    ("stored reasoning", [Q, thought(encrypted=None), assistant(), Q2], STORED),
    ("reasoning alone", [Q, easy(), thought(encrypted=None), Q2], OpenAIResponses.for_model("o3-mini")),
    ("an id that comes again", [Q, call(), output(), call(), output()],
     OpenAIResponses.for_model("openai.gpt-5.6-luna")),
    ("reasoning as text",
     [Q, thought("1e97d346-aa16", None, content=[{"type": "reasoning_text", "text": "t"}]), easy(), Q2], DEEPSEEK),
    ("a search for tools, answered by a function's output",
     [Q, {"type": "tool_search_call", "call_id": "s", "execution": "client", "arguments": {}}, output("s")], GPT5),
    ("a list of nothing but outputs: it answers a stored response", [output("a"), output("b")], GPT5),
    ("an output of a stored response, and more", [output("a"), Q], evolve(GPT5, continues=True)),
    ("unreadable arguments", [Q, call(arguments='{"value": '), output()], GPT5),
    ("nulls that the form allows",
     [Q, {"type": "mcp_call", "id": "mcp_1", "arguments": "", "error": None, "name": "n", "output": None,
          "server_label": "s"}, easy(), Q2], GPT41),
    ("an item of a type that came later", [Q, {"type": "future", "x": None}, Q2], STRICTEST),
]  # fmt: skip


@pytest.mark.parametrize(("what", "wire", "dialect"), ACCEPTED, ids=[case[0] for case in ACCEPTED])
def test_what_is_accepted_is_not_minded(what: str, wire: list[Any], dialect: OpenAIResponses) -> None:
    del what
    assert check(wire, dialect) == []


class TestReasoning:
    """OR-06 to OR-12, OR-16, OR-17, OR-21."""

    @pytest.mark.parametrize(
        ("raw", "dialect"),
        [
            ([Q, thought(), call(id="fc_1"), output(), assistant(), Q2], evolve(STRICTEST, reasons=False)),
            ([Q, thought(), call(id="fc_1"), output(), thought("rs_2"), assistant(), Q2], STRICTEST),
            ([Q, thought(), thought("rs_2"), call(id="fc_1"), output()], STRICTEST),
            ([Q, thought(), searched(), thought("rs_2"), searched("ws_2"), assistant(), Q2], STRICTEST),
            ([Q, thought(), assistant(), call(id="fc_1"), output()], STRICTEST),
            ([Q, thought(), call("a", id="fc_1"), call("b", id="fc_2"), output("a"), output("b")], STRICTEST),
            ([Q, thought(), assistant(phase="commentary"), searched(), assistant("b", "msg_2"), Q2], GPT5),
            ([Q, thought(), call("a", id="fc_1"), thought("rs_2"), call("b", id="fc_2"), output("a"), output("b")],
             GPT5),
            ([Q, thought(encrypted=None), assistant(), Q2], STORED),
            ([Q, thought(summary=[{"type": "summary_text", "text": "s"}, {"type": "summary_text", "text": "t"}]),
              assistant(), Q2], STRICTEST),
            ([Q, thought(None), call(), output()], GPT5),
            ([Q, easy(), thought(encrypted=None), Q2], OpenAIResponses.for_model("o3-mini")),
        ],
    )  # fmt: skip
    def test_an_untouched_group_goes_back_as_it_came(self, raw: Items, dialect: OpenAIResponses) -> None:
        history = MessageHistory.from_list(raw, dialect=dialect)
        exported = history.export(dialect)
        assert exported.messages == raw
        assert not history.repairs
        assert not exported.repairs

    def test_the_summary_can_be_read(self) -> None:
        summary = [{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."}]
        history = MessageHistory.from_list([Q, thought(summary=summary), assistant()])
        (block, _) = history[1].content
        assert isinstance(block, ThinkingBlock)
        assert block.thinking == "First.\n\nThen."
        assert block.signature == "gAAAA"
        assert block.issuer == "openai_responses"

    @pytest.mark.parametrize(
        ("raw", "dialect", "expected", "why"),
        [
            ([Q, thought(), easy(), Q2], GPT5, [Q, easy(), Q2],
             "reasoning whose following item is not what it was (OR-06)"),
            ([Q, thought(), Q2], GPT5, [Q, easy("[This part of the conversation cannot be shown here.]"), Q2],
             "reasoning that nothing follows (OR-06)"),
            ([Q, thought(encrypted=None), call(id="fc_1"), output()], STRICTEST, [Q, call(), output()],
             "reasoning without encrypted content (OR-09)"),
            ([Q, thought(encrypted=None), assistant(), Q2], STRICTEST, [Q, easy(), Q2],
             "an item's id without its reasoning (OR-07)"),
            ([Q, thought("item_df7e"), assistant(), Q2], STRICTEST, [Q, easy(), Q2],
             "an item's id that the API does not take (OR-12 to OR-14)"),
            ([Q, thought(None), assistant(), Q2], STRICTEST, [Q, easy(), Q2], "reasoning without an id (OR-27)"),
            ([Q, thought(), assistant(id="msg_" + "m" * 80), Q2], STRICTEST, [Q, easy(), Q2],
             "reasoning whose following item is not what it was (OR-06)"),
            ([Q, thought(), call(id="fc_1", name="my tool"), output()], STRICTEST,
             [Q, call(name="my_tool_ba077b42"), output()], "the id of an item that is not sent as it came (OR-06)"),
            ([Q, thought(encrypted=None), searched(), assistant(), Q2], STRICTEST, [Q, easy(), Q2],
             "an item whose reasoning is not sent (OR-07)"),
            ([Q, thought(), assistant(), searched(), Q2], STRICTEST, [Q, easy(), Q2],
             "reasoning that is not directly before a server tool's call (OR-08)"),
            ([Q, thought(content=[{"type": "reasoning_text", "text": "We need"}]), assistant(), Q2], STRICTEST,
             [Q, thought(), assistant(), Q2], "reasoning text (OR-16)"),
            ([Q, thought(status="completed"), assistant(), Q2], STRICTEST, [Q, thought(), assistant(), Q2],
             "keys that this API does not take (OR-17): status"),
            ([Q, thought(), assistant(), Q2], DEEPSEEK, [Q, assistant(), Q2],
             "reasoning without a text that this server reads (OR-21)"),
        ],
    )  # fmt: skip
    def test_reasoning_goes_back_with_its_item_or_not_at_all(
        self, raw: Items, dialect: OpenAIResponses, expected: Items, why: str
    ) -> None:
        assert sent(raw, dialect) == expected
        assert why in repairs_of(raw, dialect)

    def test_a_duplicate_item_goes_back_once(self) -> None:
        raw = [Q, thought(), call(id="fc_1"), output(), thought(), call("call_2", id="fc_1"), output("call_2")]
        assert sent(raw) == [*raw[:4], call("call_2"), output("call_2")]
        assert repairs_of(raw).count("an item's id that was sent before (OR-11)") == 2

    def test_a_message_that_lost_a_part_loses_its_id_and_reasoning(self) -> None:
        spoken = assistant()
        spoken["content"].append({"type": "output_text", "text": " ", "annotations": []})
        assert sent([Q, thought(), spoken, Q2], GPT5) == [Q, easy(), Q2]

    def test_reasoning_is_not_given_to_another_item(self) -> None:
        # The item that it led to is blank, and dropped; the call behind it was not what the reasoning led to.
        raw = [Q, thought(), assistant(" "), call(id="fc_1"), output()]
        assert sent(raw, GPT5) == [Q, call(), output()]
        assert "reasoning whose following item is another one now (OR-06)" in repairs_of(raw, GPT5)

    def test_reasoning_is_left_out_behind_a_change_where_that_matters(self) -> None:
        raw = [{"role": "assistant", "content": "Hello."}, Q, thought(), assistant(), Q2]
        history = MessageHistory.from_list(raw, dialect=evolve(STRICTEST, leading_assistant=False))
        assert [repair.code for repair in history.repairs] == [RepairCode.BOOTSTRAP_ADDED]
        assert thought() not in history.for_send(evolve(STRICTEST, binds_thinking=True))
        assert thought() in history.for_send(GPT5)
        assert thought() in history.for_send(STRICTEST)

    def test_thinking_of_others_stays_away_and_harms_nobody(self) -> None:
        theirs = ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic"))
        history = MessageHistory.from_list([Q, thought(), assistant(), Q2]).add(Message.assistant(theirs, "b"))
        exported = history.export(STRICTEST)
        assert exported.messages[:4] == [Q, thought(), assistant(), Q2]
        assert [repair.removed for repair in exported.repairs if repair.code is RepairCode.WITHHELD] == [(theirs,)]

    def test_reasoning_goes_to_its_issuer_only(self) -> None:
        history = MessageHistory.from_list([Q, thought(), assistant(), Q2])
        assert "gAAAA" not in str(history.for_send(Anthropic()))
        assert "gAAAA" not in str(history.for_send(OpenAIChat()))

    def test_text_goes_back_to_servers_that_read_it(self) -> None:
        shown = thought("rs-a", None, content=[{"type": "reasoning_text", "text": "inspect"}])
        raw = [Q, shown, easy(), Q2]
        assert sent(raw, DEEPSEEK) == raw
        assert sent(raw, STRICTEST) == raw  # Text shows that it is none of OpenAI's, whose models are not named.
        assert sent(raw, OpenAIResponses.for_model("gpt-5")) == [Q, easy(), Q2]

    def test_the_encrypted_content_is_never_edited(self) -> None:
        raw = [Q, thought(encrypted="gA\ud83dAA"), assistant(), Q2]
        assert sent(raw, GPT5) == [Q, easy(), Q2]


class TestCalls:
    """OR-01 to OR-05, OR-15, OR-22, OR-28, DS-15, DS-16, HF-07."""

    def test_a_call_without_an_output_gets_an_honest_one(self) -> None:
        assert sent([Q, call(), Q2]) == [Q, call(), output(raw=STUB), Q2]

    def test_a_custom_call_keeps_its_text_and_its_type(self) -> None:
        raw = [
            Q,
            {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": '{"no": json\n'},
            {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"},
        ]
        assert sent(raw) == raw
        history = MessageHistory.from_list(raw)
        assert history[1].calls[0].input == {"input": '{"no": json\n'}
        assert sent(raw[:2])[2] == {"type": "custom_tool_call_output", "call_id": "call_1", "output": STUB}

    def test_a_custom_call_of_chat_completions_is_one_here(self) -> None:
        custom = {"id": "call_1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
        raw = [Q, {"role": "assistant", "content": None, "tool_calls": [custom]}]
        wire = MessageHistory.from_list(raw).for_send(STRICTEST)
        assert wire[1] == {"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}

    @pytest.mark.parametrize(
        ("asked", "answered", "name", "value"),
        [
            ({"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "status": "completed",
              "action": {"type": "exec", "command": ["ls"], "env": {}}},
             {"type": "local_shell_call_output", "id": "lsho_1", "call_id": "c", "output": "a.py"},
             "local_shell", {"action": {"type": "exec", "command": ["ls"], "env": {}}}),
            ({"type": "shell_call", "id": "sh_1", "call_id": "c", "status": "completed",
              "action": {"commands": ["ls"]}},
             {"type": "shell_call_output", "call_id": "c",
              "output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]},
             "shell", {"action": {"commands": ["ls"]}}),
            ({"type": "apply_patch_call", "id": "apc_1", "call_id": "c", "status": "completed",
              "operation": {"type": "delete_file", "path": "a"}},
             {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no such file"},
             "apply_patch", {"operation": {"type": "delete_file", "path": "a"}}),
            ({"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed",
              "pending_safety_checks": [], "action": {"type": "screenshot"}},
             {"type": "computer_call_output", "call_id": "c",
              "output": {"type": "computer_screenshot", "image_url": IMAGE},
              "acknowledged_safety_checks": [{"id": "cusc_1"}]},
             "computer", {"action": {"type": "screenshot"}}),
            ({"type": "tool_search_call", "id": "tsc_1", "call_id": "c", "status": "completed",
              "execution": "client", "arguments": {"queries": ["x"]}},
             {"type": "tool_search_output", "call_id": "c", "execution": "client", "status": "completed", "tools": []},
             "tool_search", {"arguments": {"queries": ["x"]}}),
        ],
    )  # fmt: skip
    def test_a_tool_that_the_client_runs(
        self, asked: dict[str, Any], answered: dict[str, Any], name: str, value: Mapping[str, Any]
    ) -> None:
        raw = [Q, asked, answered, Q2]
        history = MessageHistory.from_list(raw)
        assert history[1].calls[0].name == name
        assert history[1].calls[0].input == value
        assert len(history[2].results) == 1
        for dialect in (STRICTEST, GPT5, GPT41):
            assert sent(raw, dialect) == raw
        # Elsewhere it is a call like any other.
        assert MessageHistory.from_list(raw).for_send(OpenAIChat())[1]["tool_calls"][0]["function"]["name"] == name
        # Without its output, it has one that claims nothing.
        stubbed = sent([Q, asked, Q2])
        assert stubbed[2]["output"] == STUB
        assert stubbed[2]["call_id"] == "c"

    def test_a_stub_that_a_tool_cannot_say_is_a_functions(self) -> None:
        asked = {"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed",
                 "pending_safety_checks": [], "action": {"type": "wait"}}  # fmt: skip
        raw = [Q, thought(), asked, Q2]
        assert sent(raw, GPT5) == [
            Q,
            {"type": "function_call", "call_id": "c", "name": "computer", "arguments": '{"action": {"type": "wait"}}'},
            output("c", STUB),
            Q2,
        ]
        assert any("as a function call: its own type of output cannot say the result" in why
                   for why in repairs_of(raw, GPT5))  # fmt: skip

    def test_a_result_of_ours_goes_out_in_the_tools_own_form(self) -> None:
        operation = {"type": "delete_file", "path": "a"}
        asked = {"type": "apply_patch_call", "call_id": "c", "status": "completed", "operation": operation}
        history = MessageHistory.from_list([Q, asked], open_tail="keep")
        (waiting,) = history.awaiting
        wire = history.add_tool_result(waiting, "bad patch", is_error=True).for_send(GPT5)
        assert wire[2] == {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "bad patch"}

    @pytest.mark.parametrize(
        ("status", "goes"), [("completed", "completed"), ("in_progress", "in_progress"), ("incomplete", "completed")]
    )
    def test_a_patch_has_no_status_of_a_call_that_was_cut_short(self, status: str, goes: str) -> None:
        asked = {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file", "path": "a"}}
        done = {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no such file"}
        exported = MessageHistory.from_list([Q, {**asked, "status": status}, done]).export(GPT5)
        assert exported.messages[1] == {**asked, "status": goes}
        assert bool(exported.repairs) is (status != goes)

    def test_a_local_shell_that_codex_answered(self) -> None:
        asked = {"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "status": "completed",
                 "action": {"type": "exec", "command": ["ls"], "env": {}}}  # fmt: skip
        assert not MessageHistory.from_list([Q, asked, output("c")]).repairs

    def test_parallel_outputs_come_in_any_order(self) -> None:
        raw = [Q, call("a"), call("b"), output("b", "2"), output("a", "1"), Q2]
        assert not MessageHistory.from_list(raw).repairs
        assert sent(raw) == [Q, call("a"), call("b"), output("a", "1"), output("b", "2"), Q2]

    def test_words_stand_before_calls_and_outputs_right_behind_them(self) -> None:
        raw = [easy("first"), call("a"), easy("second"), call("b"), output("a"), output("b"), Q]
        assert sent(raw, DEEPSEEK) == [
            easy("first"), easy("second"), call("a"), call("b"), output("a"), output("b"), Q,
        ]  # fmt: skip
        assert "text after calls, written before them (DS-15)" in repairs_of(raw, DEEPSEEK)

    def test_calls_that_reasoning_stands_between_are_answered_one_by_one(self) -> None:
        one = [thought(), call("a", id="fc_1")]
        two = [thought("rs_2"), call("b", id="fc_2")]
        raw = [Q, *one, *two, output("a"), output("b"), Q2]
        assert sent(raw, STRICTEST) == [Q, *one, output("a"), *two, output("b"), Q2]
        assert sent(raw, GPT5) == raw

    def test_a_word_that_is_moved_leaves_its_id(self) -> None:
        raw = [Q, thought(), call("a", id="fc_1"), assistant(), output("a"), Q2]
        assert sent(raw, STRICTEST) == [Q, easy(), thought(), call("a", id="fc_1"), output("a"), Q2]
        assert sent(raw, GPT5) == raw

    def test_an_id_that_comes_again_becomes_another(self) -> None:
        raw = [Q, call(), output(raw="1"), call(), output(raw="2"), Q2]
        wire = sent(raw)
        assert wire[:3] == raw[:3]
        again = wire[3]["call_id"]
        assert again != "call_1"
        assert wire[4] == output(again, "2")
        assert sent(raw, OpenAIResponses.for_model("openai.gpt-5.6-luna")) == raw

    def test_long_ids_stay_apart(self) -> None:
        raw = [Q, call(LONG + "1"), call(LONG + "2"), output(LONG + "1", "1"), output(LONG + "2", "2")]
        wire = sent(raw)
        ids = [item["call_id"] for item in wire[1:]]
        assert ids[:2] == ids[2:]
        assert len(set(ids)) == 2
        assert all(1 <= len(id) <= 64 for id in ids)

    @pytest.mark.parametrize(
        ("arguments", "dialect", "expected"),
        [
            ('{"b": 1,  "a": 2}', STRICTEST, '{"b": 1,  "a": 2}'),
            ('{"value": ', GPT5, '{"value": '),
            ('{"value": ', STRICTEST, '{"value": '),
            ('{"value": ', VLLM, '{"_raw": "{\\"value\\": "}'),
            ("[3, 18]", VLLM, '{"_raw": "[3, 18]"}'),
            ('"{\\"a\\": 1}"', VLLM, '{"a": 1}'),
            ("", VLLM, "{}"),
            ("", GPT5, ""),
        ],
    )
    def test_arguments_go_back_as_they_came_where_they_may(
        self, arguments: str, dialect: OpenAIResponses, expected: str
    ) -> None:
        assert sent([Q, call(arguments=arguments), output()], dialect)[1]["arguments"] == expected

    def test_what_a_call_says_besides_travels_with_it(self) -> None:
        raw = [Q, call(id="fc_1", namespace="crm", status="completed"), output(id="fco_1", status="completed")]
        assert sent(raw, GPT41) == raw

    def test_an_item_id_stands_in_for_a_call_id(self) -> None:
        raw = [Q, {"type": "function_call", "id": "fc_1", "name": "f", "arguments": "{}"}, output("fc_1")]
        history = MessageHistory.from_list(raw, dialect=GPT41)
        assert not history.repairs
        assert history.for_send(GPT41)[2] == output("fc_1")

    def test_outputs_hold_images_and_files(self) -> None:
        value = [
            {"type": "input_text", "text": "see"},
            {"type": "input_image", "image_url": IMAGE},
            {"type": "input_image", "file_id": "file-1"},
            {"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"},
            {"type": "input_file", "file_url": "https://example.com/a.pdf"},
        ]
        raw = [Q, call(), output(raw=value)]
        assert sent(raw) == raw
        assert isinstance(MessageHistory.from_list(raw)[2].results[0].content[1], ImageBlock)

    @pytest.mark.parametrize("raw", [{"a": 1}, [1, 2], 7])
    def test_an_output_that_is_no_text_becomes_its_text(self, raw: object) -> None:
        history = MessageHistory.from_list([Q, call(), output(raw=raw)])
        assert [repair.code for repair in history.repairs] == [RepairCode.VALUE_CONVERTED]
        assert isinstance(history.for_send(STRICTEST)[2]["output"], str)

    def test_an_error_is_told_in_the_record(self) -> None:
        history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("c", "f", {})])
        exported = history.add_tool_result("c", "boom", is_error=True).export(STRICTEST)
        assert exported.messages[2] == output("c", "boom")
        assert [repair.code for repair in exported.repairs] == [RepairCode.REWRITTEN]


class TestItems:
    """OR-09, OR-17, and what only this API understands."""

    def test_hosted_items_stand_where_they_stood(self) -> None:
        raw = [
            Q,
            {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": [], "error": None},
            searched(),
            {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "c", "outputs": None,
             "status": "completed"},
            {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "status": "completed"},
            {"type": "image_generation_call", "id": "ig_1", "result": "aGk=", "status": "completed"},
            easy(),
            {"type": "additional_tools", "role": "developer", "tools": []},
            Q2,
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"},
            {"type": "mcp_approval_request", "id": "mcpr_1", "arguments": "{}", "name": "n", "server_label": "s"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        ]  # fmt: skip
        for dialect in (STRICTEST, GPT5, GPT41):
            assert sent(raw, dialect) == raw
            assert repairs_of(raw, dialect) == []

    def test_an_unknown_item_goes_with_those_before_it(self) -> None:
        future = {"type": "future", "x": [1, None]}
        raw = [Q, future, easy(), future, Q2, future]
        assert sent(raw) == raw
        history = MessageHistory.from_list(raw, dialect=STRICTEST)
        assert [len(message.content) for message in history] == [2, 2, 2]
        assert history[1].content[1] == ProviderBlock("openai_responses", future)
        assert "future" not in str(history.for_send(Anthropic()))

    def test_a_reference_goes_where_it_means_something(self) -> None:
        raw = [Q, {"type": "item_reference", "id": "rs_1"}, {"type": "item_reference", "id": "msg_1"}, Q2]
        assert sent(raw, STORED) == raw
        assert sent(raw, STRICTEST) == [Q, easy("[This part of the conversation cannot be shown here.]"), Q2]

    def test_keys_that_are_not_taken_are_told(self) -> None:
        found = {**searched(), "action": {"type": "search", "query": "q", "sources": []}}
        raw = [Q, {**found, "new": 1}, easy(), Q2]
        assert sent(raw, GPT41) == [Q, found, easy(), Q2]
        assert repairs_of(raw, GPT41) == ["keys that this API does not take (OR-17): new"]

    @pytest.mark.parametrize("name", [["new"], {"a": "new"}, 7])
    def test_a_name_that_is_no_text_is_its_text(self, name: object) -> None:
        custom = {"type": "custom_tool_call", "call_id": "call_2", "name": name, "input": "x"}
        history = MessageHistory.from_list([Q, call(name=name), custom], dialect=STRICTEST)
        assert [block.name for block in history[1].calls] == [json.dumps(name)] * 2

    @pytest.mark.parametrize(
        "part",
        [
            {"type": "input_image", "image_url": IMAGE, "file_id": "(new)"},
            {"type": "input_image", "image_url": {"url": "(new)"}, "file_id": "file-1"},
            {"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0=", "file_url": "(new)"},
            {"type": "input_file", "file_url": "https://example.com/a.pdf", "file_id": "(new)"},
            {"type": "input_file", "file_url": "https://example.com/a.pdf", "filename": ["(new)"]},
        ],
    )
    def test_what_a_part_says_besides_is_kept_and_told(self, part: dict[str, Any]) -> None:
        history = MessageHistory.from_list([{"role": "user", "content": [part]}], dialect=STRICTEST)
        assert "(new)" in json.dumps(history.to_list())
        for dialect in (STRICTEST, Anthropic()):
            exported = history.export(dialect)
            assert "(new)" in removed_text(exported.repairs)
            assert "(new)" not in json.dumps(exported.messages)

    @pytest.mark.parametrize("kind", ["human", ["message"], 7])
    def test_a_type_that_is_taken_for_a_message_is_in_the_repairs(self, kind: object) -> None:
        (repair,) = MessageHistory.from_list([{**Q, "type": kind}], dialect=STRICTEST).repairs
        assert repair.code is RepairCode.VALUE_CONVERTED
        assert repair.removed == (kind,)

    @pytest.mark.parametrize("dialect", [STRICTEST, GPT5, DEEPSEEK, STORED])
    @pytest.mark.parametrize(
        "items",
        [
            [{**thought(), "id": ["(new)"]}, call(id="fc_1"), output()],
            [call(id=["(new)"]), output()],
            [call(), output(id=["(new)"])],
            [{**searched(), "id": ["(new)"]}],
            [{"type": "compaction", "encrypted_content": "E", "id": ["(new)"]}],
            [{**easy(), "id": ["(new)"], "type": "message"}],
            [assistant(status="(new)")],
            [assistant(status=["(new)"])],
            [{"role": "system", "content": [{"type": "input_text", "text": "s", "later": "(new)"}]}],
        ],
    )
    def test_what_an_item_cannot_say_is_told(self, items: Items, dialect: OpenAIResponses) -> None:
        exported = MessageHistory.from_list([Q, *items, Q2], dialect=dialect).export(dialect)
        assert "(new)" in removed_text(exported.repairs)
        assert "(new)" not in json.dumps(exported.messages)
        assert check(exported.messages, dialect) == []

    def test_a_servers_search_for_tools_is_its_own(self) -> None:
        raw = [
            Q,
            {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}},
            {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
            easy(),
            Q2,
        ]
        assert sent(raw) == raw

    def test_a_block_of_the_wrong_side_is_left_out(self) -> None:
        history = MessageHistory().add_user([TextBlock("q"), ProviderBlock("openai_responses", searched())])
        history = history.add_assistant([TextBlock("a"), ProviderBlock("openai_responses", output())]).add_user("q2")
        exported = history.export(STRICTEST)
        assert exported.messages == [Q, easy(), Q2]
        assert len(exported.repairs) == 2

    def test_a_saved_response_is_read_among_items(self) -> None:
        response = {"object": "response", "id": "resp_1", "status": "completed", "output": [thought(), call(id="fc_1")]}
        raw = [Q, response, output(), Q2]
        history = MessageHistory.from_list(raw)
        assert not history.repairs
        assert history.for_send(STRICTEST) == [Q, thought(), call(id="fc_1"), output(), Q2]


class TestWords:
    """OR-18 to OR-20, OR-23, OR-26, DS-18, OC-20, OC-21."""

    def test_the_system_prompt_is_the_first_item(self) -> None:
        history = MessageHistory().with_system("Be brief.").add_user("q")
        exported = history.export(STRICTEST)
        assert exported.messages == [{"role": "system", "content": "Be brief."}, Q]
        assert exported.system is None
        assert MessageHistory.from_list(exported.messages).system == "Be brief."

    def test_later_words_of_the_operator_stay_where_they_were(self) -> None:
        raw = [Q, easy(), {"role": "system", "content": "Be kind."}, Q2, {"role": "system", "content": "Be brief."}]
        assert sent(raw) == raw

    def test_the_developer_is_the_system_where_it_would_be_the_user(self) -> None:
        raw = [{"role": "developer", "content": "rules"}, Q]
        assert sent(raw, GPT5) == raw
        assert sent(raw, DEEPSEEK) == [{"role": "system", "content": "rules"}, Q]
        assert repairs_of(raw, DEEPSEEK) == ["a developer message as a system message (DS-18)"]

    def test_the_operators_words_alone_do_not_become_the_prompt(self) -> None:
        history = MessageHistory().add(Message.user(ProviderBlock("gemini", {"x": 1}), SystemBlock("s")))
        wire = history.add_assistant("a").for_send(STRICTEST)
        assert wire[1] == {"role": "system", "content": "s"}
        assert not MessageHistory.from_list(wire).repairs

    def test_several_words_of_the_user_are_parts(self) -> None:
        assert sent([Q, Q2]) == [
            {"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "input_text", "text": "q2"}]}
        ]

    def test_an_image_of_the_assistant_becomes_a_note(self) -> None:
        raw = [Q, {"role": "assistant", "content": [{"type": "input_image", "image_url": IMAGE}]}, Q2]
        assert sent(raw) == [Q, easy("[An image was shown here.]"), Q2]

    def test_a_document_that_is_text_becomes_text(self) -> None:
        document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
        wire = MessageHistory.from_list([{"role": "user", "content": [document]}]).for_send(STRICTEST)
        assert wire == [{"role": "user", "content": "[Document]\nwords"}]

    def test_a_refusal_goes_back_where_it_is_taken(self) -> None:
        refused = {**assistant(), "content": [{"type": "refusal", "refusal": "I won't."}]}
        assert sent([Q, refused, Q2], GPT41) == [Q, refused, Q2]
        assert sent([Q, refused, Q2], VLLM) == [Q, easy("I won't."), Q2]
        assert sent([Q, thought(), refused, Q2], STRICTEST) == [Q, easy("I won't."), Q2]

    def test_citations_and_phases_travel(self) -> None:
        cited = assistant(phase="final_answer")
        cited["content"][0]["annotations"] = [{"type": "url_citation", "url": "https://example.com"}]
        assert sent([Q, cited, Q2], GPT41) == [Q, cited, Q2]
        assert sent([Q, {**easy(), "phase": "commentary"}, Q2]) == [Q, {**easy(), "phase": "commentary"}, Q2]

    def test_a_long_text_is_sent_in_pieces(self) -> None:
        dialect = OpenAIResponses(text_limit=100)
        raw = [{"role": "user", "content": "u" * 250}, easy("a" * 150), call(), output(raw="r" * 101), Q]
        wire = sent(raw, dialect)
        assert [part["text"] for part in wire[0]["content"]] == ["u" * 100, "u" * 100, "u" * 50]
        assert wire[1:3] == [easy("a" * 100), easy("a" * 50)]
        assert [part["text"] for part in wire[4]["output"]] == ["r" * 100, "r"]

    @pytest.mark.parametrize(("bad", "good"), [("a \ud83d b", "a \ufffd b"), ("12\x0034", "12\ufffd34")])
    def test_text_that_json_cannot_carry(self, bad: str, good: str) -> None:
        raw = [{"role": "user", "content": bad}, easy(bad), call(), output(raw=bad)]
        assert sent(raw) == [{"role": "user", "content": good}, easy(good), call(), output(raw=good)]
        assert MessageHistory.from_list(raw)[0].text == bad

    def test_a_list_does_not_end_with_the_assistant(self) -> None:
        assert sent([Q, easy()]) == [Q, easy(), {"role": "user", "content": GOING_ON}]
        assert MessageHistory.from_list([Q, easy()]).for_send(OpenAIResponses(prefill=True)) == [Q, easy()]

    def test_a_list_ends_with_a_picture_that_the_user_wants_changed(self) -> None:
        raw = [Q, {"type": "image_generation_call", "id": "ig_1"}]
        assert sent(raw, OpenAIResponses.for_model("gpt-5")) == raw

    def test_a_stray_part_is_a_message(self) -> None:
        raw = [{"type": "input_text", "text": "q"}, {"type": "output_text", "text": "a"}, Q2]
        assert sent(raw) == [Q, easy(), Q2]

    def test_an_unknown_role_is_never_the_users(self) -> None:
        critic = {"type": "message", "role": "critic", "content": "c"}
        history = MessageHistory.from_list([Q, critic, {**critic, "role": "Human", "content": "d"}], dialect=STRICTEST)
        assert [repair.code for repair in history.repairs] == [RepairCode.ENTRY_DROPPED, RepairCode.ROLE_ASSUMED]
        assert [each.text for each in history[0].content if isinstance(each, TextBlock)] == ["q", "d"]


class TestReply:
    """What `add_response` reads."""

    def test_a_response(self) -> None:
        response = {"object": "response", "status": "completed", "output": [thought(), call(id="fc_1")]}
        history = MessageHistory().add_user("q").add_response(response)
        assert [waiting.id for waiting in history.awaiting] == ["call_1"]
        history = history.add_tool_result(history.awaiting[0], "r")
        assert history.for_send(STRICTEST) == [Q, thought(), call(id="fc_1"), output()]
        assert not history.repairs

    def test_a_response_that_was_cut_off(self) -> None:
        response = {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [thought(), assistant("I look."), call(arguments='{"path": "a', id="fc_1", status="incomplete")],
        }
        history = MessageHistory().add_user("q").add_response(response)
        assert [repair.code for repair in history.repairs] == [RepairCode.INCOMPLETE_CALL_DROPPED]
        assert history.awaiting == ()
        assert history.for_send(STRICTEST)[1:3] == [thought(), assistant("I look.")]

    def test_a_call_of_a_response_that_was_cut_off_in_its_arguments(self) -> None:
        response = {"object": "response", "status": "incomplete", "output": [thought(), call(arguments='{"a')]}
        history = MessageHistory().add_user("q").add_response(response).add_user("again")
        assert all(item.get("type") != "reasoning" for item in history.for_send(GPT5))

    def test_a_tool_that_the_server_ran_in_a_container(self) -> None:
        asked = {"type": "shell_call", "id": "sh_1", "call_id": "c", "status": "completed", "action": {}}
        ran = {"type": "shell_call_output", "id": "sho_1", "call_id": "c", "output": []}
        response = {"object": "response", "status": "completed", "output": [asked, ran, assistant()]}
        history = MessageHistory().add_user("q").add_response(response)
        assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]
        assert history.awaiting == ()

    def test_what_is_no_response(self) -> None:
        assert STRICTEST.reply({"role": "assistant", "content": []}) is None
        assert STRICTEST.reply({"object": "response"}) is None

    def test_items_are_added_one_by_one(self) -> None:
        history = MessageHistory().add_user("q")
        for item in (thought(), call(id="fc_1"), output(), thought("rs_2"), assistant()):
            history = history.add(item)
        assert history.add_user("q2").for_send(STRICTEST) == [
            Q, thought(), call(id="fc_1"), output(), thought("rs_2"), assistant(), Q2,
        ]  # fmt: skip


class TestModels:
    """What holds for which models."""

    @pytest.mark.parametrize(
        ("model", "fields"),
        [
            ("unknown-model", {}),
            ("openai/gpt-oss-120b", {}),
            ("gpt-5", {"reasons": True, "interleaved": True, "object_arguments": False, "binds_thinking": False}),
            ("gpt-5-mini-2025-08-07", {"reasons": True, "developer": True}),
            ("o4-mini", {"reasons": True, "bare_items": True}),
            ("azure/gpt-5.2-codex", {"reasons": True, "interleaved": True}),
            ("gpt-5.2-pro", {"reasons": True}),
            ("gpt-5.2", {"reasons": False}),
            ("gpt-5.6-sol", {"reasons": False}),
            ("gpt-5-chat-latest", {"reasons": False}),
            ("gpt-4o", {"reasons": False, "refusals": True, "unique_ids": True}),
            ("o3-mini", {"lone_reasoning": True, "store": True}),
            ("openai.gpt-5.6-luna", {"unique_ids": False, "reasons": False}),
            ("openai.gpt-oss-120b", {"unique_ids": False, "reasons": True, "bare_items": True}),
            ("openai.gpt-oss-20b", {"reasoning": "text", "checks_ids": False}),
            ("deepseek-v4-flash", {"reasoning": "text", "interleaved": False, "unique_ids": True, "images": False}),
        ],
    )
    def test_fields(self, model: str, fields: dict[str, Any]) -> None:
        dialect = OpenAIResponses.for_model(model)
        for field, value in fields.items():
            assert getattr(dialect, field) == value
        if not fields:
            assert dialect == OpenAIResponses()

    def test_a_provider(self) -> None:
        azure = OpenAIResponses.for_model("gpt-5", "azure")
        assert azure == evolve(OpenAIResponses.for_model("gpt-5"), client_metadata=False)
        assert OpenAIResponses.for_provider("deepseek").reasoning == "text"
        assert OpenAIResponses.for_provider("openai") == OpenAIResponses.for_provider("api.openai.com")
        assert OpenAIResponses.for_provider("openai").leading_assistant
        assert OpenAIResponses.for_provider("openai").bare_items
        assert OpenAIResponses.for_provider("nobody") == OpenAIResponses()


def test_nothing_is_lost_between_apis() -> None:
    history = (
        MessageHistory().add_user("q").add_assistant([TextBlock("I look."), ToolUseBlock("toolu_1", "f", {"a": 1})])
    )
    history = history.add(Message.user(ToolResultBlock("toolu_1", [TextBlock("see"), ImageBlock({"type": "base64",
                          "media_type": "image/png", "data": PIXEL})])))  # fmt: skip
    wire = history.for_send(STRICTEST)
    assert wire == [
        Q,
        easy("I look."),
        call("toolu_1", arguments='{"a": 1}'),
        output("toolu_1", [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": IMAGE}]),
    ]
    assert MessageHistory.from_list(wire).for_send(Anthropic()) == history.for_send(Anthropic())


def test_every_repair_of_an_export_is_told_with_its_severity() -> None:
    exported = MessageHistory.from_list([Q, thought(), easy(), Q2]).export(STRICTEST)
    assert {repair.severity for repair in exported.repairs} == {Severity.LOSSY}
    (block,) = exported.repairs[0].removed
    assert isinstance(block, ThinkingBlock)
    assert block.signature == "gAAAA"


def test_encrypted_content_that_came_as_no_text_is_not_sent_as_one() -> None:
    odd = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": b"sealed",
           "content": [{"type": "reasoning_text", "text": "t"}]}  # fmt: skip
    raw = [{"role": "user", "content": "q"}, odd, {"type": "message", "role": "assistant", "content": "a"}]
    sent = MessageHistory.from_list(raw, dialect=OpenAIResponses()).export(OpenAIResponses())
    assert check(sent.messages, OpenAIResponses()) == []
    assert "sealed" not in json.dumps(sent.messages)
    assert "sealed" in repr([repair.removed for repair in sent.repairs])


def test_a_status_goes_back_with_a_message_that_came_without_an_id() -> None:
    said = [{"type": "output_text", "text": "Hi.", "annotations": []}]
    asked = {"role": "user", "content": "Hello?", "status": "completed"}
    wire = [asked, {"role": "assistant", "content": said, "status": "completed"}, asked]
    exported = MessageHistory.from_list(wire, dialect=OpenAIResponses()).export(OpenAIResponses())
    assert [item["status"] for item in exported.messages] == ["completed"] * 3
    assert exported.repairs == ()


def test_a_status_goes_back_with_its_own_message_alone() -> None:
    """Three messages of the user are one here; the second and the third came without a status."""
    raw: Items = [{**Q, "status": "completed"}, {"role": "developer", "content": "s"}, Q2]
    assert MessageHistory.from_list(raw, dialect=GPT5).for_send(GPT5) == raw


def test_a_second_status_of_one_message_is_recorded() -> None:
    wire = [
        {"role": "user", "content": text, "status": status}
        for text, status in (("a", "completed"), ("b", "incomplete"))
    ]
    exported = MessageHistory.from_list(wire, dialect=OpenAIResponses()).export(OpenAIResponses())
    assert [item["status"] for item in exported.messages] == ["completed"]
    assert "status" in exported.repairs[0].detail


@pytest.mark.parametrize("kind", [{}, {"type": None}])
def test_a_reference_need_not_say_that_it_is_one(kind: dict[str, None]) -> None:
    wire = [{"role": "user", "content": "a"}, {"id": "msg_1", **kind}, {"role": "user", "content": "b"}]
    stored = evolve(OpenAIResponses(), store=True)
    history = MessageHistory.from_list(wire, dialect=stored)
    assert history.repairs == ()
    assert history.for_send(stored)[1] == {"type": "item_reference", "id": "msg_1"}
