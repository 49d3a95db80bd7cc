"""Mistral's chat messages: every rule with a case of its own, ids, turns, thinking, media, models and versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.meta import Meta
from message_history.dialects import Mistral, OpenAIChat
from message_history.dialects.mistral import schema
from message_history.integrations.strategies import histories, messages
from tests.dialects.odd_pieces import PIXEL

Wire = dict[str, Any]
GOLDEN = Path(__file__).parent / "golden" / "mistral"
LARGE = Mistral.for_model("mistral-large-latest")
MEDIUM = Mistral.for_model("mistral-medium-latest")
MAGISTRAL = Mistral.for_model("magistral-medium-latest")
VERSIONS = [Mistral.for_version(version) for version in (3, 7, 11, 13, 15)]
OPEN = Mistral.for_model("mistral-7b-instruct")
STRICTEST = evolve(OPEN, thinking=False, tool_chunks_only=True)
VARIANTS = [Mistral(), OPEN, STRICTEST, LARGE, MEDIUM, MAGISTRAL, Mistral.for_model("devstral-latest"), *VERSIONS]
every_variant = pytest.mark.parametrize("dialect", VARIANTS, ids=range(len(VARIANTS)))


def system(text: str) -> Wire:
    return {"role": "system", "content": text}


def user(content: Any) -> Wire:
    return {"role": "user", "content": content}


def assistant(content: Any, *calls: Wire, **keys: Any) -> Wire:
    return {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {}), **keys}


def call(id: str = "abcdefgh1", name: str = "f", arguments: str = "{}") -> Wire:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(id: str = "abcdefgh1", content: Any = "r", **keys: Any) -> Wire:
    return {"role": "tool", "tool_call_id": id, "content": content, **keys}


def thought(*texts: str) -> Wire:
    return {"type": "thinking", "thinking": [text_chunk(text) for text in texts]}


def text_chunk(text: str) -> Wire:
    return {"type": "text", "text": text}


def image(url: str = "https://example.com/a.png") -> Wire:
    return {"type": "image_url", "image_url": {"url": url}}


def codes(history: MessageHistory, dialect: Mistral) -> list[RepairCode]:
    return [repair.code for repair in history.export(dialect).repairs]


# What is refused: the rule, where, and the provider's own text

REFUSED: list[tuple[str, Mistral, list[Wire], int | None, str]] = [
    ("MS-M01", Mistral(), [], None, "Conversation must have at least one message"),
    ("MS-M02", LARGE, [assistant("yo")], 0, "Conversation must start with a user message or system message"),
    (
        "MS-M02",
        OPEN,
        [assistant("yo"), user("hi")],
        0,
        "Conversation must start with a user message, got assistant.",
    ),
    (
        "MS-M03",
        LARGE,
        [user("hi"), assistant("", call()), user("wait"), result()],
        3,
        "Unexpected role 'tool' after role 'user'",
    ),
    (
        "MS-M03a",
        Mistral.for_model("devstral-small-latest"),
        [user("hi"), assistant("", call()), result(), user("go on")],
        3,
        "Unexpected role 'user' after role 'tool'",
    ),
    (
        "MS-M03b",
        LARGE,
        [user("hi"), assistant("yo"), system("s"), user("hi")],
        2,
        "Unexpected role 'system' after role 'assistant'",
    ),
    (
        "MS-M03b",
        LARGE,
        [user("hi"), assistant("", call()), result(), system("s")],
        3,
        "Unexpected role 'system' after role 'tool'",
    ),
    (
        "MS-M04",
        LARGE,
        [user("hi"), assistant("yo")],
        1,
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    ),
    (
        "MS-M04",
        OPEN,
        [user("hi"), assistant("yo", prefix=True)],
        1,
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    ),
    (
        "MS-M05",
        LARGE,
        [user("hi"), assistant("yo", prefix=True), user("hi")],
        1,
        "Assistant message with prefix True must be last message",
    ),
    (
        "MS-M06",
        LARGE,
        [user("hi"), assistant("", call(), call("abcdefgh2")), result()],
        1,
        "Not the same number of function calls and responses",
    ),
    (
        "MS-M06",
        Mistral.for_version(3),
        [user("hi"), assistant("", call()), result(), result("abcdefgh2")],
        1,
        "Not the same number of function calls and responses",
    ),
    (
        "MS-M06",
        Mistral.for_version(7),
        [user("hi"), assistant("", call()), assistant("yo"), user("hi")],
        1,
        "Not the same number of function calls and responses",
    ),
    (
        "MS-M06a",
        LARGE,
        [user("hi"), assistant("", call()), result("zzzzzzzzz")],
        2,
        "Unexpected tool call id zzzzzzzzz in tool results",
    ),
    (
        "MS-M06b",
        LARGE,
        [user("hi"), assistant("", call()), result(), result()],
        3,
        "Duplicate tool call id abcdefgh1 in tool results",
    ),
    (
        "MS-M06c",
        LARGE,
        [user("hi"), assistant("", call(), call()), result(), result()],
        1,
        "Duplicate tool call id abcdefgh1 in assistant message",
    ),
    (
        "MS-M06d",
        LARGE,
        [user("hi"), assistant("", call()), result("zzzzzzzzz")],
        1,
        "Not the same number of function calls and responses",
    ),
    (
        "MS-M07",
        LARGE,
        [user("hi"), assistant("", call("call_abc")), result("call_abc")],
        1,
        "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.",
    ),
    (
        "MS-M07a",
        Mistral.for_version(15),
        [user("hi"), assistant("", call("")), result("")],
        1,
        "Tool call id must be a non-empty string other than 'null' for tokenizer version 13 or newer.",
    ),
    (
        "MS-M07b",
        LARGE,
        [user("hi"), assistant("", call()), {"role": "tool", "content": "r"}],
        2,
        "Tool call id has to be defined.",
    ),
    (
        "MS-M07b",
        LARGE,
        [user("hi"), assistant("", call()), result("x")],
        2,
        "Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.",
    ),
    (
        "MS-M07c",
        LARGE,
        [user("hi"), assistant("", {"type": "function", "function": {"name": "f", "arguments": "{}"}}), result()],
        1,
        "Tool call id has to be defined in serving mode.",
    ),
    (
        "MS-M08",
        MEDIUM,
        [user("hi"), assistant("", call(name="a b")), result()],
        1,
        "Function name was a b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length "
        "of 64.",
    ),
    (
        "MS-M08",
        LARGE,
        [user("hi"), assistant("", call()), result(name="a b")],
        2,
        "Function name was a b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length "
        "of 64.",
    ),
    (
        "MS-M09",
        Mistral.for_version(3),
        [user("hi"), assistant("let me check", call()), result()],
        1,
        "Assistant message must have either content or tool_calls, but not both.",
    ),
    (
        "MS-M09a",
        LARGE,
        [user("hi"), assistant(""), user("go on")],
        1,
        "Assistant message must have either content or tool_calls, but not none.",
    ),
    (
        "MS-M10",
        Mistral.for_version(13),
        [user("hi"), assistant("", call()), result(content=[image()])],
        2,
        "Unexpected content chunk types in tool message: ['ImageURLChunk']",
    ),
    (
        "MS-M10",
        Mistral.for_version(7),
        [user("hi"), assistant([thought("hm"), text_chunk("yo")]), user("hi")],
        1,
        "Unexpected content chunk types in assistant message: ['ThinkChunk']",
    ),
    (
        "MS-M11",
        Mistral.for_version(7),
        [system("s"), user([{"type": "input_audio", "input_audio": "UklGRg=="}])],
        1,
        "Found system messages at indexes [0] and audio chunks in messages at indexes [1]. This is not allowed prior "
        "to the tokenizer version 13.",
    ),
    (
        "MS-M12",
        LARGE,
        [user("hi"), assistant("x", reasoning_content="r"), user("hi")],
        1,
        '{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs '
        'are not permitted"}',
    ),
    (
        "MS-M12",
        LARGE,
        [{**user("hi"), "name": None}],
        0,
        '{"type":"extra_forbidden","loc":["body","messages",0,"user","name"],"msg":"Extra inputs are not permitted"}',
    ),
    ("MS-M13", LARGE, [user(None)], 0, "Input should be a valid string"),
    (
        "MS-M13",
        LARGE,
        [{"role": "developer", "content": "x"}, user("hi")],
        0,
        "Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', "
        "'assistant', 'tool'",
    ),
    (
        "MS-M19",
        MAGISTRAL,
        [user("hi"), assistant([text_chunk("x"), thought("h")]), user("hi")],
        1,
        "ThinkChunks must be leading: all ThinkChunks must appear before any other content chunk.",
    ),
    (
        "MS-M19",
        MAGISTRAL,
        [user("hi"), assistant([thought("h"), text_chunk("x")], reasoning="h"), user("hi")],
        1,
        "Message cannot have both thinking chunks in content and a top-level `reasoning` or `reasoning_content` field.",
    ),
    (
        "MS-M22",
        OPEN,
        [system("s"), user("a"), user("b")],
        2,
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    ),
    (
        "MS-M22",
        OPEN,
        [user("a"), system("s"), user("b")],
        1,
        "Only user and assistant roles are supported, with the exception of an initial optional system message!",
    ),
    ("MS-M23", LARGE, [user("lone \ud83d")], 0, ""),
]


@pytest.mark.parametrize(("rule", "dialect", "wire", "index", "text"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_refused_is_found_and_mended(
    rule: str, dialect: Mistral, wire: list[Wire], index: int | None, text: str
) -> None:
    found = [violation for violation in check(wire, dialect) if violation.rule == rule]
    assert [violation.index for violation in found][:1] == [index]
    assert found[0].error == text
    repaired = MessageHistory.from_list(wire, dialect=dialect).for_send(dialect)
    assert not repaired or not check(repaired, dialect)


ACCEPTED: dict[str, tuple[Mistral, list[Wire]]] = {
    "users in a row": (LARGE, [user("a"), user("b")]),
    "system behind user": (LARGE, [user("a"), system("s"), assistant("x"), user("b")]),
    "two system messages": (LARGE, [system("a"), system("b"), user("c")]),
    "assistants in a row": (LARGE, [user("a"), assistant("x"), assistant("y"), user("b")]),
    "an assistant first": (LARGE, [assistant("x"), user("b")]),
    "a prefix": (LARGE, [user("a"), assistant("x", prefix=True)]),
    "null and empty content beside calls": (
        LARGE,
        [
            user("a"),
            assistant(None, call()),
            result(),
            assistant([], call()),
            result(),
            assistant("", call()),
            result(),
        ],
    ),
    "words beside calls": (LARGE, [user("a"), assistant("x", call()), result()]),
    "results out of order": (
        LARGE,
        [user("a"), assistant("", call(), call("abcdefgh2")), result("abcdefgh2"), result()],
    ),
    "one id in two turns": (LARGE, [user("a"), assistant("", call()), result(), assistant("", call()), result()]),
    "unreadable arguments": (LARGE, [user("a"), assistant("", call(arguments="{not json")), result()]),
    "an odd name on the newest model": (LARGE, [user("a"), assistant("", call(name='a {"b"}')), result()]),
    "an image from a tool": (MEDIUM, [user("a"), assistant("", call()), result(content=[image()])]),
    "thinking": (MAGISTRAL, [user("a"), assistant([thought("h", "m"), text_chunk("x")]), user("b")]),
    "other ids where the newest code serves": (
        Mistral.for_version(15),
        [user("a"), assistant("", call("call_abc")), result("call_abc"), user("b")],
    ),
    "a wrong id where results are counted": (
        Mistral.for_version(7),
        [user("a"), assistant("", call()), result("zzzzzzzzz")],
    ),
    "an empty result": (Mistral(), [user("a"), assistant("", call()), result(content="")]),
}


# What is written


def test_ids_that_fit_stay_and_others_are_rewritten_on_both_sides() -> None:
    history = MessageHistory().add_user("q")
    history = history.add_assistant([ToolUseBlock("KikbB849t", "f", {}), ToolUseBlock("call_1", "f", {"a": 1})])
    history = history.add_tool_result("KikbB849t", "one").add_tool_result("call_1", "two")
    wire = history.for_send(Mistral())
    assert [each["id"] for each in wire[1]["tool_calls"]] == ["KikbB849t", "RksXkbv4v"]
    assert [entry["tool_call_id"] for entry in wire[2:]] == ["KikbB849t", "RksXkbv4v"]
    assert wire == MessageHistory.from_list(history.to_list()).for_send(Mistral())


def test_an_id_never_takes_another_s_place() -> None:
    alias = MessageHistory().add_user("q").add_assistant([ToolUseBlock("call_1", "f", {})])
    taken = alias.for_send(Mistral())[1]["tool_calls"][0]["id"]
    both = MessageHistory().add_user("q")
    both = both.add_assistant([ToolUseBlock("call_1", "f", {}), ToolUseBlock(taken, "g", {})])
    calls = both.for_send(Mistral())[1]["tool_calls"]
    assert len({each["id"] for each in calls}) == 2
    assert calls[0]["id"] == taken


def test_a_user_does_not_follow_a_tool_where_that_may_be_refused() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("abcdefgh1", "f", {})])
    history = history.add_tool_result("abcdefgh1", "r").add_user("and now?")
    assert history.for_send(OPEN)[-2:] == [assistant("OK."), user("and now?")]
    assert history.for_send(Mistral.for_model("devstral-small-latest"))[-2:] == [assistant("OK."), user("and now?")]
    for taking in (Mistral(), LARGE, Mistral.for_model("mistral-small-latest"), Mistral.for_version(15)):
        assert history.for_send(taking)[-2:] == [result(), user("and now?")]
        assert not check(history.for_send(taking), taking)
    assert codes(history, OPEN) == [RepairCode.PLACEHOLDER_ADDED]
    assert codes(history, Mistral.for_version(15)) == []


def test_words_and_calls_share_a_message_but_where_that_was_refused() -> None:
    history = MessageHistory().add_user("q").add_assistant([TextBlock("I look."), ToolUseBlock("abcdefgh1", "f", {})])
    history = history.add_tool_result("abcdefgh1", "r")
    for dialect in (Mistral(), LARGE):
        assert history.for_send(dialect)[1:] == [assistant("I look.", call()), result()]
    for dialect in (OPEN, Mistral.for_version(3), Mistral.for_model("devstral-latest")):
        assert history.for_send(dialect)[1:] == [assistant("I look."), user("Go on."), assistant("", call()), result()]


def test_late_system_words_follow_the_user_or_become_the_user_s() -> None:
    history = (
        MessageHistory().add_user("a").add(Message.user(SystemBlock("Be brief."))).add_assistant("x").add_user("b")
    )
    assert history.for_send(LARGE)[:2] == [user("a"), system("Be brief.")]
    assert history.for_send(OPEN)[0] == user("a\n\n<system>\nBe brief.\n</system>")
    after = MessageHistory().add_user("a").add_assistant("x").add(Message.user(SystemBlock("Be brief."))).add_user("b")
    assert after.for_send(LARGE)[2:] == [user([text_chunk("<system>\nBe brief.\n</system>"), text_chunk("b")])]


def test_the_system_prompt_is_one_message_where_it_must_be() -> None:
    history = MessageHistory.from_list([system("One."), system("Two."), user("q")])
    assert history.for_send(OPEN)[:1] == [system("One.\n\nTwo.")]
    for takes in (Mistral(), LARGE):
        assert history.for_send(takes)[:2] == [system("One."), system("Two.")]


def test_a_prefix_goes_out_as_one_only_at_the_end() -> None:
    raw = [user("Count."), assistant("1, 2,", prefix=True)]
    for history in (MessageHistory.from_list(raw), MessageHistory.from_list(raw, dialect=LARGE)):
        assert history.for_send(LARGE) == raw
        assert history.for_send(Mistral()) == raw
        assert history.for_send(OPEN)[-1] == user("[Please continue.]")
        assert "prefix" not in history.for_send(OPEN)[1]
        assert history.add_user("no").for_send(LARGE) == [user("Count."), assistant("1, 2,"), user("no")]
        assert history.export(LARGE).repairs == ()
        for export in (history.export(OPEN), history.add_user("no").export(LARGE)):
            assert [item for repair in export.repairs for item in repair.removed] == [FrozenDict(prefix=True)]
    answer = MessageHistory().add_user("Count.").add_assistant("1, 2, 3.")
    assert answer.for_send(LARGE)[-1] == user("[Please continue.]")
    whole = MessageHistory.from_list([user("Count."), assistant("1, 2, 3.", prefix=False), user("no")], dialect=LARGE)
    assert whole.export(LARGE).repairs == ()


def test_thinking_leads_and_goes_back_as_it_came() -> None:
    chunk = {"type": "thinking", "thinking": [text_chunk("h"), text_chunk("m")], "signature": "c2ln", "closed": True}
    raw = [user("q"), assistant([chunk, text_chunk("a")]), user("r")]
    history = MessageHistory.from_list(raw)
    block = history[1].content[0]
    assert isinstance(block, ThinkingBlock)
    assert (block.thinking, block.signature, block.issuer) == ("h\n\nm", "c2ln", "mistral")
    assert history.for_send(MAGISTRAL) == raw
    assert MessageHistory.from_list(history.to_list()).for_send(MAGISTRAL) == raw
    assert not check(raw, Mistral())
    assert history.for_send(Mistral())[1] == assistant("a")
    assert history.for_send(LARGE)[1] == assistant("a")
    assert codes(history, LARGE) == [RepairCode.WITHHELD]
    assert history.for_send(OpenAIChat())[1]["content"] == "a"


@pytest.mark.parametrize("chunk", [{**thought("h", "m"), "closed": True}, {"type": "file", "file_id": "f"}])
def test_the_keys_of_a_message_stay_with_the_chunk_that_leads(chunk: Any) -> None:
    raw = [user("q"), {**assistant([chunk, text_chunk("a")]), "note": 1}]
    history = MessageHistory.from_list(raw, dialect=Mistral())
    assert [block.carried("mistral") for block in history[1].content] == [{"note": 1}, {}]


def test_thinking_behind_words_and_of_others_is_left_out() -> None:
    mine = Meta(issuer="mistral")
    history = MessageHistory().add_user("q")
    history = history.add_assistant(
        [
            ThinkingBlock("other", "c2ln", meta=Meta(issuer="anthropic")),
            ThinkingBlock("first", meta=mine),
            TextBlock("a"),
            ThinkingBlock("later", meta=mine),
        ]
    )
    history = history.add_user("r")
    assert history.for_send(MAGISTRAL)[1] == assistant([thought("first"), text_chunk("a")])
    assert codes(history, MAGISTRAL) == [RepairCode.WITHHELD, RepairCode.WITHHELD]


def test_reasoning_content_becomes_a_thinking_chunk_where_thinking_is_taken() -> None:
    raw = [user("a"), assistant("b", reasoning_content="hm"), user("c")]
    history = MessageHistory.from_list(raw, dialect=Mistral())
    assert history.for_send(MAGISTRAL)[1] == assistant([thought("hm"), text_chunk("b")])
    assert history.for_send(LARGE)[1] == assistant("b")


def test_a_tool_s_image_moves_to_the_user_with_a_note() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("abcdefgh1", "look", {})])
    shown = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    history = history.add_tool_result("abcdefgh1", ["a picture", shown]).add_user("what is it?")
    url = f"data:image/png;base64,{PIXEL}"
    assert history.for_send(OPEN)[2:] == [
        result(content="a picture\n[The image follows in the next user message.]"),
        assistant("OK."),
        user([text_chunk("[The image that tool call abcdefgh1 gave:]"), image(url), text_chunk("what is it?")]),
    ]
    for takes in (Mistral(), MEDIUM):
        assert history.for_send(takes)[2] == result(content=[text_chunk("a picture"), image(url)])


def test_documents_go_where_they_are_taken() -> None:
    by_url = DocumentBlock({"type": "url", "url": "https://example.com/a.pdf"}, "a.pdf")
    inline = DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="})
    plain = DocumentBlock({"type": "text", "media_type": "text/plain", "data": "words"}, "notes")
    history = MessageHistory().add(Message.user(by_url, inline, plain, "read"))
    assert history.for_send(LARGE)[0]["content"] == [
        {"type": "document_url", "document_url": "https://example.com/a.pdf", "document_name": "a.pdf"},
        {"type": "document_url", "document_url": "data:application/pdf;base64,JVBERi0="},
        text_chunk("[Document notes]\nwords"),
        text_chunk("read"),
    ]
    assert MessageHistory.from_list(history.for_send(LARGE)).for_send(LARGE) == history.for_send(LARGE)
    assert history.for_send(Mistral()) == history.for_send(LARGE)
    code = Mistral.for_model("codestral-latest")
    assert str(history.for_send(code)).count("[document left out: it cannot be sent here]") == 2
    assert codes(history, code).count(RepairCode.WITHHELD) == 2


def test_the_title_of_a_file_that_is_named_by_its_id_is_told() -> None:
    file = DocumentBlock({"type": "file", "file_id": "f1"}, "a.pdf", meta=Meta(issuer="mistral"))
    export = MessageHistory().add_user([TextBlock("q"), file]).export(LARGE)
    assert export.messages[0]["content"][1] == {"type": "file", "file_id": "f1"}
    assert [item for repair in export.repairs for item in repair.removed] == [FrozenDict(title="a.pdf")]


def test_unknown_keys_are_kept_and_not_sent() -> None:
    raw = [
        {**user("a"), "name": "ann"},
        assistant("b", metadata={"x": 1}),
        user("c"),
        assistant("", {**call(), "index": 0, "note": "n"}),
        result(name="f", status="ok"),
    ]
    history = MessageHistory.from_list(raw, dialect=LARGE)
    wire = history.for_send(LARGE)
    assert wire == [user("a"), assistant("b"), user("c"), assistant("", {**call(), "index": 0}), result(name="f")]
    omitted = [repair.removed[0] for repair in history.export(LARGE).repairs if repair.code is RepairCode.WITHHELD]
    assert omitted == [{"name": "ann"}, {"metadata": {"x": 1}}, {"note": "n"}, {"status": "ok"}]
    assert MessageHistory.from_list(history.to_list()).for_send(LARGE) == wire


def test_a_key_of_a_chunk_that_is_nested_too_deep_is_converted_and_told_once() -> None:
    deep: Any = "at the bottom"
    for _ in range(99):
        deep = [deep]
    raw = [user("a"), assistant([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "note": deep}])]
    history = MessageHistory.from_list(raw, dialect=LARGE)
    assert [repair.code for repair in history.repairs] == [RepairCode.VALUE_CONVERTED]
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history


def test_names_fit_and_stay_apart() -> None:
    history = MessageHistory().add_user("q")
    history = history.add_assistant([ToolUseBlock("abcdefgh1", "a b", {}), ToolUseBlock("abcdefgh2", "a.b", {})])
    names = [each["function"]["name"] for each in history.for_send(OPEN)[1]["tool_calls"]]
    assert len(set(names)) == 2
    assert all(schema.NAME.fullmatch(name) for name in names)
    for takes in (Mistral(), LARGE):
        assert history.for_send(takes)[1]["tool_calls"][0]["function"]["name"] == "a b"


def test_arguments_go_back_byte_for_byte() -> None:
    raw = [user("q"), assistant("", call(arguments='{"a" :1}'), call("abcdefgh2", arguments="{not json")), result()]
    wire = MessageHistory.from_list(raw, dialect=LARGE).for_send(LARGE)
    assert [each["function"]["arguments"] for each in wire[1]["tool_calls"]] == ['{"a" :1}', "{not json"]


def test_audio_is_left_out_beside_a_system_prompt_of_version_7() -> None:
    audio = {"type": "input_audio", "input_audio": "UklGRg=="}
    history = MessageHistory.from_list([user([audio, text_chunk("what?")])], dialect=Mistral.for_version(7))
    assert history.for_send(Mistral.for_version(7))[0]["content"][0] == audio
    with_prompt = history.with_system("Be brief.")
    assert "input_audio" not in json.dumps(with_prompt.for_send(Mistral.for_version(7)))
    assert with_prompt.for_send(Mistral.for_version(11))[1]["content"][0] == audio


def test_an_empty_assistant_message_is_never_sent() -> None:
    history = MessageHistory().add_user("q").add_assistant([ThinkingBlock("h", "c2ln")]).add_user("r")
    for dialect in VARIANTS:
        wire = history.for_send(dialect)
        assert wire[1]["content"]
        assert not check(wire, dialect)


def test_a_message_of_thinking_alone_keeps_it() -> None:
    raw = [user("q"), assistant([thought("hm")]), user("r")]
    assert MessageHistory.from_list(raw).for_send(MAGISTRAL) == raw


# Responses, detection, models


def test_a_response_is_read() -> None:
    message = {
        "role": "assistant",
        "content": [thought("hm"), text_chunk("I look.")],
        "tool_calls": [{**call(), "index": 0}],
        "prefix": False,
    }
    response = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls"}]}
    response["choices"][0]["message"] = message  # type: ignore[index]
    for dialect in (MAGISTRAL, None):
        history = MessageHistory().add_user("q").add_response(response, dialect=dialect)
        assert isinstance(history[1].content[0], ThinkingBlock)
        assert history.awaiting[0].name == "f"
        sent = history.add_tool_result("abcdefgh1", "r").for_send(MAGISTRAL)
        assert sent[1] == assistant([thought("hm"), text_chunk("I look.")], {**call(), "index": 0})


def test_calls_of_a_response_that_was_cut_off_are_dropped_if_unreadable() -> None:
    cut = {"choices": [{"finish_reason": "length", "message": assistant("I look.", call(arguments='{"a": '))}]}
    history = MessageHistory().add_user("q").add_response(cut, dialect=Mistral())
    assert not history.awaiting
    assert history[1].text == "I look."
    assert Mistral().reply({"choices": []}) is None
    assert Mistral().reply({"choices": [{"message": None}]}) is None


def test_a_list_without_thinking_reads_like_chat_completions() -> None:
    raw = [system("s"), user("q"), assistant("", call()), result(), assistant("done"), user("thanks")]
    by_shape, by_name = MessageHistory.from_list(raw), MessageHistory.from_list(raw, dialect=Mistral())
    assert by_shape == by_name
    assert by_shape.for_send(Mistral()) == raw


def test_a_tool_gives_a_chunk_of_another_type_without_alarm_where_no_model_is_named() -> None:
    picture = {"type": "image_url", "image_url": "https://a.b/c.png"}
    raw = [user("q"), assistant("", call()), result(content=[picture])]
    assert not check(raw, Mistral())
    assert [violation.rule for violation in check(raw, Mistral.for_version(3))] == ["MS-M10"]


def test_an_unknown_model_gets_the_defaults() -> None:
    for name in ("", "gpt-5"):
        assert Mistral.for_model(name) == Mistral()
    for name in ("mistralai/Magistral-Small-2507", "Mistral-Small-3.2-24B-Instruct-2506"):
        assert Mistral.for_model(name) == OPEN
    for name in ("mistral/mistral-large-latest", "mistral:mistral-large-latest"):
        assert Mistral.for_model(name) == LARGE
    assert not Mistral.for_model("codestral-latest").text_with_calls
    assert Mistral.for_model("mistral-large-latest").text_with_calls
    assert Mistral.for_model("pixtral-large-latest").user_chunks >= {"image_url"}
    assert Mistral.for_model("codestral-2508").user_chunks == {"text"}
    assert "input_audio" in Mistral().user_chunks
    assert "input_audio" not in Mistral.for_model("mistral-7b-instruct").user_chunks
    assert Mistral.for_model("mistral-vibe-cli-latest").user_chunks == {"document_url", "text"}
    assert Mistral.for_model("voxtral-mini-latest").user_chunks == {"document_url", "input_audio", "text"}
    assert Mistral.for_model("magistral-small-latest").thinking
    assert not Mistral.for_model("mistral-large-latest").thinking
    for row in schema.MODELS:
        assert row.source.startswith("https://")
        assert len(row.date) == 7


@pytest.mark.parametrize("version", [0, 1, 2, 4, 14, 99])
def test_versions_that_are_not_known_are_refused(version: int) -> None:
    with pytest.raises(ValueError, match="3, 7, 11, 13, 15"):
        Mistral.for_version(version)


# Golden lists


def conversation() -> MessageHistory:
    """Make a conversation with a bit of everything."""
    history = MessageHistory().with_system("Be brief.").add_user("What's the weather in Paris and Rome?")
    history = history.add_assistant(
        [
            ThinkingBlock("I need both.", meta=Meta(issuer="mistral")),
            TextBlock("I look."),
            ToolUseBlock("call_paris", "get_weather", {"city": "Paris"}),
            ToolUseBlock("call_rome", "get_weather", {"city": "Rome"}),
        ]
    )
    history = history.add_tool_result("call_paris", "Sunny")
    photo = ImageBlock({"type": "url", "url": "https://example.com/rome.png"})
    history = history.add_tool_result("call_rome", ["No data", photo], is_error=True)
    history = history.add_user("And Berlin?").add(Message.user(SystemBlock("Answer in French.")))
    return history.add_assistant("Je regarde.").add_user(["Merci", photo])


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("strictest", STRICTEST), ("magistral", MAGISTRAL), ("medium", MEDIUM), ("version_3", Mistral.for_version(3))],
)
def test_golden(name: str, dialect: Mistral) -> None:
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    wire = conversation().for_send(dialect)
    assert wire == expected
    assert not check(wire, dialect)


# Properties


def chunks() -> st.SearchStrategy[Any]:
    """Generate blocks that only Mistral's lists have."""
    parts = st.sampled_from(({"thinking": [text_chunk("a"), text_chunk("b")]}, {"closed": True}, {"detail": "low"}, {}))
    metas = st.builds(lambda extra: Meta(issuer="mistral", extra=FrozenDict({"mistral": extra})), parts)
    data = st.sampled_from(
        (
            {"type": "reference", "reference_ids": [1, "a"]},
            {"type": "reference"},
            {"type": "input_audio", "input_audio": "UklGRg=="},
            {"type": "input_audio", "input_audio": {"data": "x"}},
            {"type": "image_url"},
            {"type": "text"},
        )
    )
    return st.one_of(
        st.builds(ThinkingBlock, st.sampled_from(("hm", "", "\ud83d")), st.sampled_from((None, "c2ln")), meta=metas),
        st.builds(ProviderBlock, st.just("mistral"), data),
        st.builds(lambda meta: ImageBlock({"type": "url", "url": "https://example.com/a.png"}, meta=meta), metas),
        st.just(DocumentBlock({"type": "file", "file_id": "f1"}, meta=Meta(issuer="mistral"))),
        st.builds(TextBlock, st.sampled_from(("a", " ")), meta=metas),
        st.builds(lambda content: ToolResultBlock("1", content), st.lists(st.builds(TextBlock, st.text()), max_size=2)),
    )


def with_chunks() -> st.SearchStrategy[MessageHistory]:
    added = st.lists(
        st.builds(Message, st.sampled_from(("user", "assistant")), st.lists(chunks(), min_size=1, max_size=3)),
        max_size=3,
    )
    return st.builds(MessageHistory.extend, histories(), added)


@every_variant
def test_every_export_is_valid_and_comes_back(dialect: Mistral) -> None:
    @given(with_chunks())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)
        for loaded in (MessageHistory.from_list(wire, dialect=dialect), MessageHistory.from_list(wire)):
            assert not loaded.repairs
            assert loaded.for_send(dialect) == wire

    law()


@every_variant
def test_rendering_is_causal(dialect: Mistral) -> None:
    @given(with_chunks(), st.lists(messages(), max_size=3))
    def law(history: MessageHistory, after: list[Message]) -> None:
        closed = history.as_sent(dialect)
        sent = closed.for_send(dialect)
        later = closed.add(Message.assistant("reply")) if closed and closed[-1].role == "user" else closed
        for message in after if later is not closed else ():
            later = later.add(message)
        assert later.for_send(dialect)[: len(sent)] == sent

    law()


# Material beside the project


def test_a_tool_s_image_is_moved_but_no_fault_where_nobody_was_seen_to_refuse_it() -> None:
    wire = [user("hi"), assistant("", call()), result(content=[image()])]
    assert not check(wire, LARGE)
    assert not check(wire, Mistral.for_model("mistral-small-latest"))
    sent = MessageHistory.from_list(wire, dialect=LARGE).for_send(LARGE)
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "user"]
    unknown = result(content=[{"type": "video_url", "video_url": "https://example.com/a.mp4"}])
    assert [violation.rule for violation in check([*wire[:2], unknown], LARGE)] == ["MS-M10"]


def test_audio_in_the_form_of_openai_goes_back_to_voxtral_as_it_came() -> None:
    spoken = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    raw = [{"role": "user", "content": [{"type": "text", "text": "What is being said?"}, spoken]}]
    dialect = Mistral.for_model("voxtral-small-latest")
    assert not check(raw, dialect)
    assert MessageHistory.from_list(raw, dialect=dialect).for_send(dialect) == raw
