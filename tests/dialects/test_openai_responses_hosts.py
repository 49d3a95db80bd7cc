"""What hosts and settings of the Responses API change: storage, xAI, Ark, OpenRouter; and items that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from message_history import MessageHistory, Severity, check
from message_history.dialects import OpenAIResponses

Q: dict[str, Any] = {"role": "user", "content": "q"}
Q2: dict[str, Any] = {"role": "user", "content": "q2"}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def reasoning(id: str | None = "rs_1", **keys: Any) -> dict[str, Any]:
    found = {"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAAA", **keys}
    return {key: value for key, value in found.items() if value is not None}


def call(call_id: str = "c1", **keys: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}", **keys}


def output(call_id: str = "c1") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "r"}


def answer(*parts: str, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "output_text", "text": part} for part in parts], **keys}


def is_kept(raw: list[Any], dialect: OpenAIResponses) -> bool:
    """Return whether a list is taken, and sent with all that was in it."""
    for read in (dialect, None):
        history = MessageHistory.from_list(raw, dialect=read)
        exported = history.export(dialect)
        assert check(exported.messages, dialect) == []
        assert [repair for repair in history.repairs if repair.severity is not Severity.LOSSLESS] == []
        assert [repair for repair in exported.repairs if repair.severity is not Severity.LOSSLESS] == []
    return check(raw, dialect) == []


@pytest.mark.parametrize("model", ["", "gpt-5", "gpt-5-nano", "azure/gpt-5-mini"])
def test_without_storage_no_item_depends_on_another(model: str) -> None:
    dialect = OpenAIResponses.for_model(model)
    stateless = OpenAIResponses(**{**fields_of(dialect), "store": False})
    led_to_a_call = [Q, reasoning(), call(), output()]
    assert is_kept(led_to_a_call, stateless)
    assert is_kept([Q, call(id="fc_1"), output(), Q2], stateless)
    assert {violation.rule for violation in check(led_to_a_call, dialect)} == {"OR-06"}


def fields_of(dialect: OpenAIResponses) -> dict[str, Any]:
    return {name: getattr(dialect, name) for name in ("reasons", "bare_items", "interleaved", "object_arguments")}


def test_without_storage_reasoning_by_its_id_alone_is_refused() -> None:
    by_id = [Q, reasoning(encrypted_content=None), call(id="fc_1"), output()]
    assert {violation.rule for violation in check(by_id, OpenAIResponses(store=False))} == {"OR-09"}
    for store in (True, None):
        assert check(by_id, OpenAIResponses(store=store)) == []
    assert MessageHistory.from_list(by_id).for_send(OpenAIResponses(store=True)) == by_id
    assert "rs_1" not in json.dumps(MessageHistory.from_list(by_id).for_send(OpenAIResponses()))


def test_a_list_that_keeps_its_reasoning_may_hold_a_call_that_was_made_without() -> None:
    raw = [Q, reasoning(), call(id="fc_1"), output(), call("c2", id="fc_2"), output("c2")]
    dialect = OpenAIResponses.for_model("gpt-5-mini")
    assert is_kept(raw, dialect)
    assert MessageHistory.from_list(raw).for_send(dialect) == raw
    alone = [Q, call(id="fc_1"), output()]
    assert {violation.rule for violation in check(alone, dialect)} == {"OR-07"}


@pytest.mark.parametrize("name", ["grok-4.3", "xai/grok-4", "x-ai/grok-5"])
def test_xai_takes_what_it_gave(name: str) -> None:
    dialect = OpenAIResponses.for_model(name)
    long = "ws_" + "0" * 80
    searched = {"type": "search", "query": "q", "sources": [{"type": "url", "url": "https://e.x"}]}
    raw = [
        Q,
        reasoning(id="rs_1", status="completed"),
        {"type": "web_search_call", "id": long, "status": "completed", "action": searched},
        reasoning(id="tco_" + "0" * 80, status="completed"),
        reasoning(id="rs_1", status="completed"),
        {"type": "message", "id": "msg_1", "status": "completed", **answer("a")},
        Q2,
    ]
    assert is_kept(raw, dialect)
    wire = MessageHistory.from_list(raw).for_send(dialect)
    assert [item.get("id") for item in wire] == [item.get("id") for item in raw]
    assert [item.get("status") for item in wire] == [item.get("status") for item in raw]
    assert wire[2]["action"] == searched
    assert is_kept([Q, reasoning(None), call(), output(), reasoning(None), answer("a"), Q2], dialect)
    assert OpenAIResponses.for_model("grok-4.3", "xai") == OpenAIResponses.for_provider("xai")


def test_a_search_with_no_sources_is_as_good_as_one_without() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    raw = [Q, {**search, "action": {"type": "search", "query": "q", "sources": None}}, Q2]
    assert is_kept(raw, OpenAIResponses.for_model("gpt-4o"))


def test_a_user_message_that_is_completed_says_nothing_more() -> None:
    assert is_kept([{"type": "message", "status": "completed", **Q}], OpenAIResponses.for_model("gpt-4.1"))


def test_ark_wants_a_status_on_every_item() -> None:
    ark = OpenAIResponses.for_provider("volcengine")
    raw = [{"role": "system", "content": "s"}, Q, answer("a"), Q2, call(), output()]
    assert {violation.rule for violation in check(raw, ark)} == {"OR-31"}
    wire = MessageHistory.from_list(raw).for_send(ark)
    assert {item["status"] for item in wire} == {"completed"}
    assert check(wire, ark) == []
    assert OpenAIResponses.for_model("doubao-seed-1.6").needs_status


def test_items_without_an_id_are_taken_where_no_gateway_is_named() -> None:
    raw = [Q, {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}, Q2]
    assert not check(raw, OpenAIResponses())
    assert {violation.rule for violation in check(raw, OpenAIResponses.for_provider("openrouter"))} == {"OR-27"}


def test_openrouter_stores_nothing_and_wants_whole_items() -> None:
    dialect = OpenAIResponses.for_model("openai/gpt-5", "openrouter")
    assert (dialect.store, dialect.bare_items, dialect.reasons) == (False, False, False)


def test_an_image_in_the_list_itself_is_refused_and_goes_into_a_message() -> None:
    data = f"data:image/png;base64,{PIXEL}"
    for image in (
        {"type": "image", "image_url": data},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        {"type": "image_url", "image_url": {"url": data}},
        {"type": "input_image", "image_url": data},
    ):
        assert {violation.rule for violation in check([Q, image], OpenAIResponses())} == {"OR-32"}
        wire = MessageHistory.from_list([Q, image], dialect=OpenAIResponses()).for_send(OpenAIResponses())
        assert check(wire, OpenAIResponses()) == []
        assert data in json.dumps(wire)
    for part in ({"type": "text", "text": "words"}, {"type": "input_text", "text": "words"}):
        assert {violation.rule for violation in check([part], OpenAIResponses())} == {"OR-32"}
        wire = MessageHistory.from_list([part], dialect=OpenAIResponses()).for_send(OpenAIResponses())
        assert check(wire, OpenAIResponses()) == []
        assert "words" in json.dumps(wire)


def test_a_block_of_another_api_is_no_item() -> None:
    raw = [Q, {"type": "tool_use", "id": "1", "name": "f", "input": {}}]
    assert "OR-32" in {violation.rule for violation in check(raw, OpenAIResponses())}
    history = MessageHistory.from_list(raw, dialect=OpenAIResponses())
    assert check(history.for_send(OpenAIResponses()), OpenAIResponses()) == []


def test_a_compaction_of_codex_becomes_one_of_the_api() -> None:
    raw = [{"type": "context_compaction", "encrypted_content": "E"}, Q]
    assert {violation.rule for violation in check(raw, OpenAIResponses())} == {"OR-32"}
    history = MessageHistory.from_list(raw)
    assert {"type": "compaction", "encrypted_content": "E"} in history.for_send(OpenAIResponses())
    empty = MessageHistory.from_list([Q, {"type": "context_compaction"}, Q2], dialect=OpenAIResponses())
    assert check(empty.for_send(OpenAIResponses()), OpenAIResponses()) == []


def test_a_search_that_did_something_else_is_omitted() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "other"}}
    raw = [Q, search, answer("a"), Q2]
    found = check(raw, OpenAIResponses.for_model("gpt-4.1"))
    assert [violation.rule for violation in found] == ["OR-33"]
    assert found[0].error == "Invalid value: 'other'. Supported values are: 'search', 'open_page', and 'find_in_page'."
    exported = MessageHistory.from_list(raw).export(OpenAIResponses.for_model("gpt-4.1"))
    assert "ws_1" not in json.dumps(exported.messages)
    assert any("OR-33" in repair.detail for repair in exported.repairs)


def test_openai_takes_a_call_whose_status_is_null() -> None:
    called = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}", "status": None}
    raw = [Q, called, {"type": "function_call_output", "call_id": "call_1", "output": "r"}]
    for dialect in (OpenAIResponses(), OpenAIResponses.for_model("gpt-4o"), OpenAIResponses.for_model("gpt-5")):
        assert not check(raw, dialect)


def test_a_list_that_goes_on_at_the_server_may_add_nothing() -> None:
    assert [found.rule for found in check([], OpenAIResponses())] == ["DS-17"]
    assert not check([], OpenAIResponses(continues=True))


def test_an_id_that_goes_without_its_reasoning_takes_nothing_with_it() -> None:
    called = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    raw = [Q, called, {"type": "function_call_output", "call_id": "call_1", "output": "r"}]
    export = MessageHistory.from_list(raw, dialect=OpenAIResponses()).export(OpenAIResponses())
    assert [repair.severity for repair in export.repairs] == [Severity.LOSSLESS]
    assert list(export.repairs[0].removed) == [{"id": "fc_1"}]


def test_reasoning_goes_by_its_id_where_a_named_model_s_request_says_nothing_of_storage() -> None:
    message = {**answer("a"), "type": "message", "id": "msg_1", "status": "completed"}
    raw = [Q, {"type": "reasoning", "id": "rs_1", "summary": []}, message, Q2]
    for model, store in (("gpt-5", None), ("o4-mini", None), ("gpt-5", True)):
        dialect = evolve(OpenAIResponses.for_model(model), store=store)
        sent = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
        assert sent[:2] == raw[:2]
        assert sent[2]["id"] == "msg_1"
    for cautious in (OpenAIResponses(), evolve(OpenAIResponses.for_model("gpt-5"), store=False)):
        sent = MessageHistory.from_list(raw, dialect=cautious).for_send(cautious)
        assert "rs_1" not in json.dumps(sent)


OPENAI = OpenAIResponses.for_model("gpt-5.6")
MARK = {"prompt_cache_breakpoint": {"mode": "explicit"}}


@pytest.mark.parametrize("role", ["user", "developer", "system"])
def test_marks_of_openai_s_cache_go_back(role: str) -> None:
    marked = {"role": role, "content": [{"type": "input_text", "text": "x", **MARK}]}
    raw = [marked] if role == "user" else [marked, Q]
    assert check(raw, OPENAI) == []
    assert MessageHistory.from_list(raw, dialect=OPENAI).for_send(OPENAI) == raw


def test_without_storage_messages_may_share_an_id() -> None:
    said = answer("a", type="message", id="msg_missing_id", status="completed")
    raw = [Q, said, Q2, said, Q]
    assert is_kept(raw, evolve(OPENAI, store=False))
    assert {violation.rule for violation in check(raw, OPENAI)} == {"OR-11"}


SOUND = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}


def file(**keys: Any) -> list[Any]:
    return [{"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "input_file", **keys}]}]


@pytest.mark.parametrize(
    ("rule", "raw", "error"),
    [
        ("OR-38", file(file_url="data:application/pdf;base64,JVBERi0xLjQK"),
         "Failed to download file from data:application/pdf;base64,JVBERi0xLjQK"),
        ("OR-39", file(file_data="data:audio/mpeg;base64,SUQz"),
         "Invalid file data: 'input[0].content[1].file_data'. Expected a base64-encoded data URL"),
        ("OR-39", file(file_data="data:video/mp4;base64,AAAA", filename="a.mp4"), "Invalid file data: "),
        ("OR-39", [Q, call(), {**output(), "output": file(file_data="data:audio/mpeg;base64,SUQz")[0]["content"]}],
         "Invalid file data: 'input[2].output[1].file_data'."),
        ("OR-40", file(file_url="https://example.com/a.mp3"), "The file type you uploaded is not supported."),
        ("OR-40", file(file_url="https://example.com/a.TXT?x=1"), "The file type you uploaded is not supported."),
        ("OR-18", [{"role": "user", "content": [SOUND, {"type": "input_text", "text": "q"}]}],
         "Invalid value: 'input_audio'. Supported values are: 'input_text', 'input_image', and 'input_file'."),
    ],
)  # fmt: skip
def test_files_that_openai_refuses_are_found_and_replaced(rule: str, raw: list[Any], error: str) -> None:
    (found,) = check(raw, OPENAI)
    assert found.rule == rule
    assert found.error.startswith(error)
    sent = MessageHistory.from_list(raw, dialect=OPENAI).export(OPENAI)
    assert check(sent.messages, OPENAI) == []
    assert sent.repairs
    grok = OpenAIResponses.for_model("grok-4")
    assert check(raw, grok) == []
    if rule != "OR-38" and len(raw) == 1:
        parts = MessageHistory.from_list(raw, dialect=grok).for_send(grok)[0]["content"]
        assert {part["type"] for part in parts} == {part["type"] for part in raw[0]["content"]}


def test_a_recording_that_a_tool_gave_is_replaced_too() -> None:
    raw = [Q, call(), {**output(), "output": [SOUND]}]
    assert "input_audio" not in json.dumps(MessageHistory.from_list(raw, dialect=OPENAI).for_send(OPENAI))


@pytest.mark.parametrize("model", ["gpt-5-mini", "azure/gpt-4.1", "computer-use-preview-2025-03-11", "o4-mini"])
def test_a_list_for_a_model_of_openai_may_end_with_the_assistant(model: str) -> None:
    raw = [Q, {"role": "assistant", "content": "so far"}]
    assert MessageHistory.from_list(raw).for_send(OpenAIResponses.for_model(model)) == raw


def test_a_list_that_goes_on_from_a_response_may_be_nothing_but_words_of_the_assistant() -> None:
    raw = [{"role": "assistant", "content": "Yes, proceed."}]
    dialect = evolve(OpenAIResponses.for_model("computer-use-preview"), continues=True)
    assert MessageHistory.from_list(raw, dialect=dialect).for_send(dialect) == raw


def test_a_stand_in_for_what_cannot_be_shown_does_not_end_a_list() -> None:
    dialect = OpenAIResponses.for_model("gpt-5")
    search = {
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "q", "sources": []},
    }
    history = MessageHistory.from_list([search], dialect=dialect)
    assert history.for_send(dialect)[-1]["role"] == "user"


def test_what_codex_says_of_items_is_openais_business_alone() -> None:
    item = {"role": "user", "content": "q", "internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
    for dialect in (OpenAIResponses(), OpenAIResponses.for_model("gpt-5.2-codex")):
        assert check([item], dialect) == []
    (violation,) = check([item], OpenAIResponses.for_model("azure/gpt-5.2-codex"))
    assert violation.rule == "OR-17"


@pytest.mark.parametrize("model", ["meta/muse-spark-1.3", "muse-spark-1.2"])
def test_reasoning_goes_back_to_meta_under_the_ids_that_it_made(model: str) -> None:
    muse = evolve(OpenAIResponses.for_model(model), store=False)
    ids = ["rs_6abf294dcba53aa86c104693:rs_01a0fab955e4771eb22eeb176b53e425", "rs_6abf294d:rs_01a0fab958b5"]
    reasoning = [{"type": "reasoning", "id": id, "summary": [], "encrypted_content": "Q-Pa"} for id in ids]
    raw = [Q, *reasoning, call(), output()]
    assert check(raw, muse) == []
    assert [item.get("id") for item in MessageHistory.from_list(raw, dialect=muse).for_send(muse)[1:3]] == ids
    assert {found.rule for found in check(raw, evolve(OPENAI, store=False))} == {"OR-14"}


def test_reasoning_goes_back_to_gpt_oss_on_bedrock_as_text() -> None:
    oss = evolve(OpenAIResponses.for_model("openai.gpt-oss-20b"), store=False)
    shown = {"type": "summary_text", "text": "just OK"}
    reasoning = {"type": "reasoning", "id": "msg_bac8180318660c28", "summary": [shown], "encrypted_content": None}
    said = {"type": "message", "id": "msg_942b", "role": "assistant", "content": "OK", "status": "completed"}
    raw = [Q, reasoning, said, Q]
    assert check(raw, oss) == []
    sent = MessageHistory.from_list(raw, dialect=oss).for_send(oss)
    assert (sent[1]["id"], sent[1]["summary"]) == (reasoning["id"], [shown])


def test_a_server_that_wants_a_status_of_every_item_takes_one_of_every_item() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZQ=="}
    call = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "f", "input": "x"}
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": "r"}
    raw: list[Any] = [{"role": "user", "content": "q"}, reasoning, call, output]
    stated = [{**item, "status": "completed"} for item in raw]
    needing, other = OpenAIResponses(needs_status=True), OpenAIResponses()
    assert check(stated, needing) == []
    assert {found.rule for found in check(raw, needing)} == {"OR-31"}
    assert {found.rule for found in check(stated, other)} == {"OR-17"}


@pytest.mark.parametrize(("role", "rules"), [("user", {"OR-20"}), ("assistant", {"OR-17", "OR-20"})])
def test_no_content_is_told_once_of_what_is_said_to_the_model(role: str, rules: set[str]) -> None:
    raw: list[Any] = [
        {"type": "message", "role": role, "id": "msg_1", "content": None},
        {"role": "user", "content": "q"},
    ]
    assert {found.rule for found in check(raw, OpenAIResponses())} == rules
