"""Where no model is named, what some model was recorded to take is not a violation, and goes back so where it may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import MessageHistory, Policy, RepairCode, check
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from tests.dialects.odd_pieces import PIXEL

ASK = {"role": "user", "content": "q"}
LONG = "call_" + "x" * 40
SPOKEN = {"role": "assistant", "content": "a"}


def turn(role: str, *parts: dict[str, Any], key: str = "content") -> dict[str, Any]:
    return {"role": role, key: list(parts)}


def call(id: str = "c1", **keys: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}, **keys}


def with_call(id: str = "c1", content: Any = None, **keys: Any) -> list[Any]:
    asked = {"role": "assistant", "content": content, "tool_calls": [call(id)], **keys}
    return [ASK, asked, {"role": "tool", "tool_call_id": id, "content": "r"}]


def showing(part: dict[str, Any]) -> dict[str, Any]:
    """Give the result of a call of Converse's that holds one part."""
    return turn("user", {"toolResult": {"toolUseId": "c1", "content": [part]}})


CLAUDE_CALLS = [
    ASK,
    turn("assistant", *({"type": "tool_use", "id": id, "name": "f", "input": {}} for id in ("t1", "t2"))),
    *(turn("user", {"type": "tool_result", "tool_use_id": id, "content": "r"}) for id in ("t1", "t2")),
]
GEMINI_CALL = [
    turn("user", {"text": "q"}, key="parts"),
    turn("model", {"functionCall": {"name": "f", "args": {}}}, key="parts"),
    turn("user", {"functionResponse": {"name": "f", "response": {"a": 1}}}, key="parts"),
]
BEDROCK_CALL = [
    turn("user", {"text": "q"}),
    turn("assistant", {"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}}),
]
PDF = {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"%PDF-1.3"}}}
FOUND = {
    "searchResult": {
        "source": "https://example.com/facts",
        "title": "Facts",
        "content": [{"text": "It is so."}],
        "citations": {"enabled": True},
    }
}
AUDIO = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
SAID = {
    "type": "message",
    "role": "assistant",
    "id": f"msg_{'0' * 40}",
    "status": "completed",
    "content": [{"type": "output_text", "text": "a", "annotations": []}],
}
MISTRAL_TALK = [*with_call("abcdefgh1", "I look."), {"role": "user", "content": "and?"}]
SHOWN = {
    "role": "tool",
    "tool_call_id": "c1",
    "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}],
}
UUID = "fe1da043-2876-9377-ba15-75b595faacba"
ANSWERED = [
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "x"},
]
THOUGHTS: list[Any] = [
    {"type": "reasoning", "id": id, "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    for id in ("rs-a", UUID)
]
OF_XAI: list[Any] = [
    {"type": "reasoning", "id": f"rs_{UUID}", "summary": [], "status": "completed", "encrypted_content": "e7O0"},
    {
        "type": "web_search_call",
        "id": f"ws_{UUID}_call-{UUID}",
        "status": "completed",
        "action": {"type": "search", "query": "q", "sources": [{"type": "url", "url": "https://e.x"}]},
    },
    {"type": "reasoning", "id": f"tco_{UUID}", "summary": [], "status": "completed", "encrypted_content": "e7O1"},
    {"type": "reasoning", "id": f"rs_{UUID}", "summary": [], "status": "completed", "encrypted_content": "e7O2"},
    {**SAID, "id": f"msg_{UUID}"},
]
TAKEN: list[tuple[str, Dialect[Any], Dialect[Any], list[Any]]] = [
    ("AN-A15", Anthropic(), Anthropic.for_model("claude-opus-4-6"), [ASK, {"role": "assistant", "content": "a"}]),
    ("AN-C3", Anthropic(), Anthropic(split_results=False), CLAUDE_CALLS),
    (
        "BR-B02",
        Bedrock(),
        Bedrock.for_model("us.meta.llama4-maverick-17b-instruct-v1:0"),
        [turn("user", {"text": "a"}), turn("user", {"text": "b"})],
    ),
    (
        "BR-B03",
        Bedrock(),
        Bedrock.for_model("meta.llama3-1-8b-instruct-v1:0"),
        [turn("user", {"text": "a"}), turn("assistant", {"text": "b"})],
    ),
    ("GM-G10", Gemini(), Gemini.for_model("gemini-3-pro-preview"), GEMINI_CALL),
    ("MS-M09", Mistral(), Mistral.for_model("devstral-latest"), MISTRAL_TALK),
    ("MS-M03a", Mistral(), Mistral.for_model("devstral-latest"), MISTRAL_TALK),
    ("MS-M22", Mistral(), Mistral.for_model("mistral-7b-instruct"), [ASK, ASK]),
    (
        "GM-G15",
        Gemini(),
        Gemini.for_model("gemini-2.5-pro"),
        [GEMINI_CALL[0], turn("model", {"text": "a"}, key="parts")],
    ),
    ("OC-16", OpenAIChat(), OpenAIChat.for_provider("openai"), [turn("user", AUDIO)]),
    ("BR-B16", Bedrock(), Bedrock.for_model("amazon.nova-2-lite-v1:0"), [*BEDROCK_CALL, showing(PDF)]),
    ("BR-B20", Bedrock(), Bedrock.for_model("amazon.nova-2-lite-v1:0"), [*BEDROCK_CALL, showing(FOUND)]),
    ("OR-07", OpenAIResponses(), OpenAIResponses.for_model("gpt-5"), [ASK, SAID, ASK]),
    ("OC-06", OpenAIChat(), OpenAIChat.for_provider("openai"), with_call(LONG)),
    ("OC-15", OpenAIChat(), OpenAIChat.for_model("gpt-4o"), [*with_call()[:2], SHOWN, ASK]),
    ("OC-15", OpenAIChat(), OpenAIChat.for_model("azure-gpt-4o"), [*with_call()[:2], SHOWN, ASK]),
    ("OR-16", OpenAIResponses(), OpenAIResponses.for_model("gpt-5"), [ASK, *THOUGHTS, *ANSWERED, ASK]),
    ("OR-17", OpenAIResponses(), OpenAIResponses.for_model("azure/gpt-5"), [ASK, *OF_XAI, ASK]),
]


@pytest.mark.parametrize(("rule", "unknown", "named", "raw"), TAKEN, ids=[case[0] for case in TAKEN])
def test_only_a_model_that_was_named_is_judged(
    rule: str, unknown: Dialect[Any], named: Dialect[Any], raw: list[Any]
) -> None:
    assert check(raw, unknown) == []
    assert rule in {violation.rule for violation in check(raw, named)}
    for dialect in (unknown, named):
        assert check(MessageHistory.from_list(raw, dialect=dialect).for_send(dialect), dialect) == []


BLANK = {"type": "text", "text": " "}
CALLED = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
UNSIGNED = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
NAMED_FILE = {"fileData": {"fileUri": "gs://b/x.png", "mimeType": "image/png", "displayName": "x.png"}}
OF_SOME_MODEL: list[tuple[Dialect[Any], Dialect[Any], list[Any]]] = [
    (Anthropic(), Anthropic.for_model("claude-haiku-4-5"), [ASK, turn("assistant", BLANK, CALLED), CLAUDE_CALLS[2]]),
    (
        Bedrock(),
        Bedrock.for_model("us.anthropic.claude-sonnet-4-5"),
        [turn("user", {"text": "q"}, {"cachePoint": {"type": "default", "ttl": "5m"}})],
    ),
    (
        Bedrock(),
        Bedrock.for_model("us.amazon.nova-2-lite-v1:0"),
        [turn("user", {"text": "q"}), turn("assistant", UNSIGNED, {"text": "a"}), turn("user", {"text": "q"})],
    ),
    (Gemini(), Gemini(vertex=True), [turn("user", NAMED_FILE, key="parts")]),
    (
        Gemini(),
        Gemini.for_model("gemini-2.5-pro"),
        [*GEMINI_CALL[:2], turn("user", {"text": "never mind"}, key="parts")],
    ),
    (
        Mistral(),
        Mistral.for_model("mistral-large-latest"),
        [ASK, {"role": "assistant", "content": "Sure, ", "prefix": True}],
    ),
    (OpenAIChat(), OpenAIChat.for_model("deepseek-v3-0324", "azure"), with_call(content=[])),
    (OpenAIChat(), OpenAIChat.for_model("mistral"), [ASK, {"role": "assistant", "content": "Sure, ", "prefix": True}]),
]


@pytest.mark.parametrize(("unknown", "named", "raw"), OF_SOME_MODEL)
def test_what_a_row_of_the_table_takes_is_taken_without_a_model(
    unknown: Dialect[Any], named: Dialect[Any], raw: list[Any]
) -> None:
    assert check(raw, named) == []
    assert check(raw, unknown) == []


@pytest.mark.parametrize("dialect", [Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses])
def test_no_default_is_stricter_than_every_row(dialect: Any) -> None:
    """A field whose rows differ has no default that refuses, but for those of which decision record 5 says why.

    No check looks at how a list of the Responses API ends.
    """
    stays = {"prefill_with_tools", "text_lists"}
    rows = [dialect.for_model(name) for name in NAMED_MODELS[dialect.__name__]]
    for name in LOOSE_IF_TRUE & {field.name for field in dialect.__attrs_attrs__} - stays:
        if any(getattr(row, name) is True for row in rows) and (dialect, name) != (OpenAIResponses, "prefill"):
            assert getattr(dialect(), name) is not False, name


LOOSE_IF_TRUE = {
    *("prefill", "leading_assistant", "split_results", "system_in_list", "blank_beside_calls", "media_in_responses"),
    *("unanswered", "display_names", "beside_results", "split_calls", "split_responses", "function_role", "adjacent"),
    *("cache_ttl", "cache_points", "unsigned_reasoning", "joins_neighbours", "text_with_calls", "citations", "status"),
    *("prefix", "thinking", "late_system", "empty_results", "prefill_with_tools", "text_lists", "bypass_as_text"),
}
NAMED_MODELS = {
    "Anthropic": ("claude-haiku-4-5", "claude-opus-4-8", "claude-sonnet-5", "claude-3-opus-20240229"),
    "Bedrock": ("us.anthropic.claude-sonnet-4-5", "us.amazon.nova-2-lite-v1:0", "qwen.qwen3-32b-v1:0"),
    "Gemini": ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3-flash-preview"),
    "Mistral": ("mistral-large-latest", "magistral-medium-latest", "mistral-small-latest", "codestral-latest"),
    "OpenAIChat": ("gpt-4o", "deepseek-chat", "llama3.2", "command-a-03-2025"),
    "OpenAIResponses": ("gpt-4.1", "gpt-5.5", "grok-4.3"),
}


@pytest.mark.parametrize("made", [THOUGHTS + ANSWERED, OF_XAI, [*OF_XAI[:1], *ANSWERED], [*THOUGHTS, ASK | SPOKEN]])
@pytest.mark.parametrize("store", [None, False, True])
def test_what_another_server_made_goes_back_as_it_came(made: list[Any], store: bool | None) -> None:
    raw = [ASK, *made, ASK]
    dialect = OpenAIResponses(store=store)
    assert check(raw, dialect) == []
    history = MessageHistory.from_list(raw, dialect=dialect)
    exported = history.export(dialect)
    assert (exported.messages, exported.repairs, history.repairs) == (raw, (), ())


def test_tools_that_a_system_message_adds_are_told_of_where_the_words_beside_them_become_the_user_s() -> None:
    addition = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}
    told = {"role": "system", "content": [addition]}
    raw = [turn("user", {"type": "text", "text": "q"}), told]
    for dialect in (Anthropic(), Anthropic.for_model("claude-opus-5")):
        assert check(raw, dialect) == []
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert (history.for_send(dialect), history.export(dialect).repairs) == (raw, ())
    wire: list[Any] = MessageHistory.from_list(
        [raw[0], {"role": "system", "content": [{"type": "text", "text": "s"}, addition]}], dialect=Anthropic()
    ).for_send(Anthropic())
    assert wire[1] == told
    assert check(wire, Anthropic()) == []
    older = Anthropic.for_model("claude-3-5-sonnet-20241022")
    assert "tool_addition" not in json.dumps(MessageHistory.from_list(raw).for_send(older))


def test_ids_that_a_client_made_are_still_found() -> None:
    for id, rule in ((UUID, "OR-12"), ("item_3", "OR-12"), (f"msg_{'0' * 70}", "OR-13")):
        assert rule in {violation.rule for violation in check([ASK, {**SAID, "id": id}, ASK], OpenAIResponses())}


@pytest.mark.parametrize("dialect", [Gemini(), Gemini.for_model("gemini-3-flash-preview")], ids=["unknown", "named"])
def test_an_empty_text_that_gemini_s_list_began_with_goes_back(dialect: Gemini) -> None:
    signed = {"functionCall": {"name": "f", "args": {}, "id": "c"}, "thoughtSignature": "c2ln"}
    answer = {"functionResponse": {"name": "f", "response": {"a": 1}, "id": "c"}}
    raw = [turn("user", {"text": ""}, key="parts"), turn("model", signed, key="parts")]
    raw.append(turn("user", answer, key="parts"))
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert history.repairs == history.export(dialect).repairs == ()
    assert history.for_send(dialect) == raw
    assert json.loads(history.for_send_json(dialect)) == raw
    saved = MessageHistory.from_list(history.to_list())
    assert saved == history
    assert saved.for_send(dialect) == raw
    on_vertex = history.for_send(Gemini(vertex=True))
    assert on_vertex[0]["parts"][0]["text"] == history[0].text
    for others in ([raw[0], *raw], [turn("user", {"text": " "}, key="parts"), *raw[1:]]):
        assert MessageHistory.from_list(others, dialect=dialect).repairs
    kept = MessageHistory.from_list(raw, dialect=dialect, policy=Policy(leading_assistant="drop"))
    assert kept.repairs


def test_a_list_with_calls_that_ends_with_the_assistant_is_still_found_at_bedrock() -> None:
    used = turn("assistant", {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}})
    result = turn("user", {"toolResult": {"toolUseId": "t1", "content": [{"text": "r"}]}})
    raw = [turn("user", {"text": "q"}), used, result, turn("assistant", {"text": "a"})]
    assert [violation.rule for violation in check(raw, Bedrock())] == ["BR-B03"]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_goes_back_under_the_key_that_it_came_under(key: str) -> None:
    raw = with_call(**{key: "hm"})
    unknown, openai = OpenAIChat(), OpenAIChat.for_provider("openai")
    history = MessageHistory.from_list(raw, dialect=unknown)
    assert history.export(unknown).messages[1][key] == "hm"
    assert history.export(unknown).repairs == ()
    assert key not in history.for_send(openai)[1]
    assert [repair.code for repair in history.export(openai).repairs] == [RepairCode.WITHHELD]


def test_cache_marks_and_keys_of_calls_go_back_and_long_ids_are_shortened() -> None:
    marked = {"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call(LONG, args="{}")]}
    raw = [turn("user", marked), asked, {"role": "tool", "tool_call_id": LONG, "content": "r"}]
    assert check(raw, OpenAIChat()) == []
    wire = MessageHistory.from_list(raw, dialect=OpenAIChat()).for_send(OpenAIChat())
    assert wire[0] == raw[0]
    assert wire[1]["tool_calls"][0]["args"] == "{}"
    assert len(wire[1]["tool_calls"][0]["id"]) <= 40
    assert wire[1]["tool_calls"][0]["id"] == wire[2]["tool_call_id"]
