from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from compiling.conversations import (
    FUNCTION,
    agent,
    call,
    codes_of,
    compile_all,
    compile_one,
    crashed,
    reason_of,
    result,
    row_of,
)
from compiling.openai_rules import faults
from message_history.integrations.strategies import broken_lists
from message_history_compile.plan import Plan
from message_history_compile.rows import Rejected, Row
from message_history_compile.targets import TARGETS

LINES = [name for name, target in TARGETS.items() if not target.needs_template]


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def listed(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


SPEC: dict[str, Any] = {"name": "weather", "description": "Tells."}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


def test_openai_has_tools_and_a_weight_on_each_assistant_message() -> None:
    row = row_of(agent(), "openai_chat")
    assert faults(row) == []
    assert row["tools"] == [FUNCTION]
    system, _, calling, first, second, last = row["messages"]
    assert system == {"role": "system", "content": "Be short."}
    assert calling["content"] == "I look."
    assert [json.loads(each["function"]["arguments"])["days"] for each in calling["tool_calls"]] == [2, "two"]
    assert (first["tool_call_id"], second["content"]) == ("toolu_1", "no such city")
    assert last == {"role": "assistant", "content": "Sunny in Paris.", "weight": 1}
    assert "withheld" in codes_of(agent(), "openai_chat"), "OpenAI has no place for thinking"


def test_openai_ids_that_are_too_long_are_shortened_alike_in_call_and_result() -> None:
    long = "toolu_" + "x" * 60
    row = row_of(listed(user("a"), assistant([call(long)]), user([result(long, "b")]), assistant("c")), "openai_chat")
    assert faults(row) == []


def test_openai_refuses_a_name_that_is_no_name() -> None:
    named = {**call("toolu_1"), "name": "a tool"}
    assert reason_of(
        listed(user("a"), assistant([named]), user([result("toolu_1", "b")]), assistant("c")), "openai_chat"
    ) == ("name")


def test_the_tail_from_which_nothing_is_learned_is_cut_and_recorded() -> None:
    row = row_of(listed(user("a"), assistant([call("toolu_1")])), "openai_chat")
    assert [message["role"] for message in row["messages"]] == ["user", "assistant"]
    made = compile_one(listed(user("a"), assistant("b"), user("c")), "trl")
    assert isinstance(made, Row)
    assert made.receipt["repairs"][-1]["code"] == "withheld"
    assert len(made.values["messages"]) == 2


def test_a_conversation_from_which_nothing_is_learned_is_rejected() -> None:
    assert reason_of(listed(user("a")), "openai_chat") == "nothing_to_learn"


def test_what_the_library_wrote_is_marked_and_never_learned() -> None:
    row = row_of(crashed(), "trl", synthetic="mask")
    stub = row["messages"][2]
    assert (stub["role"], stub["train"], stub["synthetic"]) == ("tool", False, True)
    assert [message["train"] for message in row["messages"]] == [False, True, False, False, True]


def test_an_assistant_message_with_arguments_of_ours_is_masked() -> None:
    broken = {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a'}}],
    }
    item = listed(user("a"), broken, {"role": "tool", "tool_call_id": "c1", "content": "b"}, assistant("c"))
    assert [message.get("weight") for message in row_of(item, "openai_chat")["messages"]] == [None, 0, None, 1]
    assert row_of(item, "sharegpt-axolotl")["conversations"][1]["train"] is False
    for target in ("trl", "sharegpt-llama-factory", "bedrock", "anthropic"):
        assert reason_of(item, target) == "no_mask"


def test_a_call_that_was_given_a_name_is_masked() -> None:
    nameless = {"type": "tool_use", "id": "toolu_1", "input": {}}
    item = listed(user("a"), assistant([nameless]), user([result("toolu_1", "b")]), assistant("c"))
    assert "name_assigned" in codes_of(item, "parquet")
    assert [message["train"] for message in row_of(item, "parquet")["messages"]] == [False, False, False, True]


@pytest.mark.parametrize(("choice", "expected"), [("drop", ["user", "assistant"]), ("reject", "synthetic")])
def test_calls_without_a_result_are_dropped_or_rejected_on_request(choice: str, expected: object) -> None:
    if choice == "reject":
        assert reason_of(crashed(), "trl", synthetic=choice) == expected
    else:
        row = row_of(crashed(), "trl", synthetic=choice)
        assert [message["role"] for message in row["messages"]] == expected
        assert "unanswered_call_removed" in codes_of(crashed(), "trl", synthetic=choice)


def test_thinking_is_kept_where_it_has_a_place_and_dropped_on_request() -> None:
    assert row_of(agent(), "trl")["messages"][2]["reasoning_content"] == "Two cities."
    assert "reasoning_content" not in row_of(agent(), "trl", thinking=False)["messages"][2]
    value = row_of(agent(), "sharegpt-llama-factory")["conversations"][1]["value"]
    assert value.startswith("<think>\nTwo cities.\n</think>\n\n")


def test_trl_arguments_are_objects_and_no_key_is_null() -> None:
    row = row_of(agent(), "trl")
    calls = row["messages"][2]["tool_calls"]
    assert [each["function"]["arguments"] for each in calls] == [
        {"city": "Paris", "days": 2},
        {"city": "Rome", "days": "two"},
    ]
    assert not any(value is None for message in row["messages"] for value in message.values())
    assert row["id"] == "agent-1"


def test_llama_factory_turns_alternate_between_its_odd_and_even_tags() -> None:
    row = row_of(agent(), "sharegpt-llama-factory")
    assert [turn["from"] for turn in row["conversations"]] == ["human", "function_call", "observation", "gpt"]
    tagged = row["conversations"][1]["value"].partition("<tool_call>")[2].removesuffix("</tool_call>")
    assert [each["name"] for each in json.loads(tagged)] == ["weather", "weather"]
    assert "sunny" in row["conversations"][2]["value"]
    assert (row["system"], json.loads(row["tools"])) == ("Be short.", [FUNCTION["function"]])


def test_llama_factory_user_text_behind_results_stays_on_its_side_and_is_recorded() -> None:
    item = listed(
        user("a"), assistant([call("t")]), user([result("t", "b"), {"type": "text", "text": "go on"}]), assistant("c")
    )
    row = row_of(item, "sharegpt-llama-factory")
    assert [turn["from"] for turn in row["conversations"]] == ["human", "function_call", "observation", "gpt"]
    assert row["conversations"][2]["value"] == "b\n\ngo on"
    assert "rewritten" in codes_of(item, "sharegpt-llama-factory")


def test_axolotl_turns_all_have_the_same_keys() -> None:
    rows = [row_of(item, "sharegpt-axolotl") for item in (agent(), crashed())]
    assert len({tuple(turn) for row in rows for turn in row["conversations"]}) == 1
    assert [turn["from"] for turn in rows[0]["conversations"]] == ["system", "human", "gpt", "tool", "tool", "gpt"]


def test_bedrock_puts_results_and_text_into_one_user_message() -> None:
    row = row_of(agent(), "bedrock")
    assert row["schemaVersion"] == "bedrock-conversation-2024"
    assert [message["role"] for message in row["messages"]] == ["user", "assistant", "user", "assistant"]
    assert row["messages"][2]["content"][1]["toolResult"]["status"] == "error"
    assert row["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"] == {"json": {"type": "object", "properties": {}}}
    assert row_of(agent(), "anthropic")["messages"][2]["content"][1]["is_error"] is True


def test_claude_3_haiku_takes_text_and_rejects_calls() -> None:
    row = row_of(listed(user("a"), assistant("b"), system="s"), "bedrock-claude")
    assert row == {"system": "s", "messages": [user("a"), assistant("b")]}
    assert reason_of(agent(), "bedrock-claude") == "calls"


def test_text_beside_calls_is_omitted_and_parallel_calls_are_parted_on_request() -> None:
    row = row_of(agent(), "sharegpt-llama-factory", text_with_calls=False, single_calls=True, thinking=False)
    turns = row["conversations"]
    assert [turn["from"] for turn in turns] == ["human", *["function_call", "observation"] * 2, "gpt"]
    assert [json.loads(turn["value"])["arguments"]["city"] for turn in turns[1:4:2]] == ["Paris", "Rome"]
    codes = codes_of(agent(), "trl", text_with_calls=False, single_calls=True)
    assert codes == ["rewritten", "withheld"]


def test_atif_steps_are_numbered_and_results_are_with_their_calls() -> None:
    row = row_of(agent(), "atif")
    assert [step["step_id"] for step in row["steps"]] == [1, 2, 3, 4]
    assert [step["source"] for step in row["steps"]] == ["system", "user", "agent", "agent"]
    results = row["steps"][2]["observation"]["results"]
    assert [each["source_call_id"] for each in results] == ["toolu_1", "toolu_2"]
    assert results[1]["extra"] == {"is_error": True}
    assert row["session_id"] == "agent-1"
    assert row["extra"]["receipt"]["format"] == "log"


@pytest.mark.parametrize(
    "source",
    [
        {"type": "url", "url": "https://example.org/a.png"},
        {"type": "url", "url": "https://example.org/a.jpeg", "media_type": "image/jpeg"},
    ],
)
def test_atif_has_texts_and_images_at_urls_in_their_order(source: dict[str, Any]) -> None:
    shown = {"type": "image", "source": source}
    told = [{"type": "text", "text": "See"}, shown, {"type": "text", "text": "?"}]
    item = listed(user(told), assistant([call("t")]), user([result("t", told[:2])]), assistant("A cat."))
    media_type = source.get("media_type", "image/png")
    image = {"type": "image", "source": {"media_type": media_type, "path": source["url"]}}
    first, second, _ = row_of(item, "atif")["steps"]
    assert first["message"] == [{"type": "text", "text": "See"}, image, {"type": "text", "text": "?"}]
    assert second["observation"]["results"][0]["content"] == [{"type": "text", "text": "See"}, image]


def test_atif_rejects_an_image_without_a_url() -> None:
    assert reason_of(listed(user([IMAGE]), assistant("A cat.")), "atif") == "media"


def test_inspect_compares_with_the_last_answer() -> None:
    row = row_of(agent(), "inspect")
    assert row["target"] == "Sunny in Paris."
    assert [message["role"] for message in row["input"]] == ["system", "user", "assistant", "tool", "tool"]
    assert row["metadata"]["tools"] == [FUNCTION]
    assert row_of(listed(user("a")), "inspect")["target"] == ""


def test_parquet_rows_have_one_form_whatever_is_in_them() -> None:
    row = row_of(listed(user([{"type": "text", "text": "a"}, IMAGE]), assistant("b")), "parquet")
    assert json.loads(row["messages"][0]["parts"])[1]["source"]["data"] == "aGk="
    assert row["messages"][0]["content"] == "a"
    assert (
        len({tuple(message) for item in (agent(), crashed()) for message in row_of(item, "parquet")["messages"]}) == 1
    )


def test_media_without_a_place_rejects_the_conversation_or_is_omitted() -> None:
    item = listed(user([{"type": "text", "text": "What is it?"}, IMAGE]), assistant("A cat."))
    assert reason_of(item, "trl") == "media"
    assert "withheld" in codes_of(item, "trl", media="omit")
    assert row_of(item, "openai_chat")["messages"][0]["content"][1]["image_url"]["url"] == "data:image/png;base64,aGk="
    shown = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    assert row_of(item, "bedrock")["messages"][0]["content"] == [{"text": "What is it?"}, shown]
    assert reason_of(listed(user([IMAGE]), assistant("A cat.")), "trl", media="omit") == "media"


def test_late_system_messages_are_marked_text_where_only_the_first_may_be_one() -> None:
    item = listed(user("a"), assistant("b"), {"role": "system", "content": "Hurry."}, user("c"), assistant("d"))
    assert [message["role"] for message in row_of(item, "openai_chat")["messages"]].count("system") == 1
    row = row_of(item, "trl")
    assert row["messages"][2]["content"] == "<system>\nHurry.\n</system>\n\nc"
    assert "rewritten" in codes_of(item, "trl")


@pytest.mark.parametrize(
    "tool",
    [
        FUNCTION,
        FUNCTION["function"],
        {"type": "function", **FUNCTION["function"]},
        {**SPEC, "input_schema": FUNCTION["function"]["parameters"]},
        {"functionDeclarations": [FUNCTION["function"]]},
        {
            "toolSpec": {
                "name": "weather",
                "description": "Tells.",
                "inputSchema": {"json": FUNCTION["function"]["parameters"]},
            }
        },
    ],
)
def test_definitions_of_tools_of_every_provider_become_functions(tool: dict[str, Any]) -> None:
    item = listed(user("a"), assistant("b"), tools=[tool])
    assert row_of(item, "openai_chat")["tools"] == [FUNCTION]


def test_a_tool_that_the_provider_runs_is_omitted_and_recorded() -> None:
    item = listed(user("a"), assistant("b"), tools=[{"type": "web_search_20250305", "name": "web_search"}])
    assert "tools" not in row_of(item, "openai_chat")
    assert codes_of(item, "openai_chat") == ["withheld"]


def test_a_receipt_says_where_a_row_comes_from_and_what_was_repaired() -> None:
    made = compile_one(crashed(), "trl")
    assert isinstance(made, Row)
    receipt = made.receipt
    assert (receipt["source"], receipt["byte"], receipt["hash"]) == ("test.jsonl", 0, "00ff" * 16)
    assert (receipt["format"], receipt["dialect"]) == ("log", "anthropic")
    stub = {"code": "result_stubbed", "severity": "synthetic", "entry": 1}
    assert receipt["repairs"][0] == {**stub, "detail": "call 'toolu_1' of 'weather', not_recorded"}
    assert made.values["receipt"] == receipt


def test_lone_surrogates_are_replaced_and_recorded() -> None:
    item = listed(user("a\ud800"), assistant("b"))
    made = compile_one(item, "trl")
    assert isinstance(made, Row)
    assert made.values["messages"][0]["content"] == "a\ufffd"
    assert made.receipt["repairs"][-1]["code"] == "rewritten"


def test_the_same_content_has_the_same_digest_under_another_id() -> None:
    made = [compile_one({**agent(), "id": id}, "trl") for id in ("one", "two")]
    assert len({row.digest for row in made if isinstance(row, Row)}) == 1
    other = compile_one(crashed(), "trl")
    assert isinstance(other, Row)
    assert isinstance(made[0], Row)
    assert other.digest != made[0].digest


def test_the_end_that_was_not_preferred_is_not_learned() -> None:
    item = {"prompt": [user("a")], "chosen": [assistant("b")], "rejected": [assistant("c")]}
    chosen, other = compile_all(item, "trl", format="preferences")
    assert isinstance(chosen, Row)
    assert isinstance(other, Rejected)
    assert other.code == "preference"
    texts = {"prompt": "a", "chosen": "b", "rejected": "c"}
    chosen, other = compile_all(texts, "trl", format="instructions")
    assert (isinstance(chosen, Row), isinstance(other, Rejected)) == (True, True)
    (rated,) = compile_all({"prompt": "a", "completion": "b", "label": False}, "trl", format="instructions")
    assert isinstance(rated, Rejected)


@pytest.mark.parametrize("form", ["log", "messages"])
def test_messages_that_are_rated_bad_are_not_learned(form: str) -> None:
    for label, kind in ((True, Row), (False, Rejected), ("spam", Row), (0, Row)):
        (made,) = compile_all({"messages": [user("a"), assistant("b")], "label": label}, "trl", format=form)
        assert isinstance(made, kind)


def test_turns_of_sharegpt_that_are_rated_bad_are_not_learned() -> None:
    turns = [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]
    for label, kind in ((True, Row), (False, Rejected)):
        (made,) = compile_all({"conversations": turns, "label": label}, "trl", format="sharegpt")
        assert isinstance(made, kind)


@pytest.mark.parametrize("target", LINES)
@given(messages=broken_lists())
def test_every_list_is_a_row_of_the_form_or_is_rejected(target: str, messages: list[Any]) -> None:
    for made in compile_all({"messages": messages}, target):
        if isinstance(made, Rejected):
            assert made.code
            continue
        assert json.loads(made.line) == made.values
        if target == "openai_chat":
            assert faults(made.values) == []
        if target == "trl":
            assert made.values["messages"][-1]["role"] == "assistant"
            assert any(message["train"] for message in made.values["messages"])
        if target == "sharegpt-llama-factory":
            assert len(made.values["conversations"]) % 2 == 0


def test_a_plan_says_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match=r"^target must be 'openai_chat' or .*, not 'nonesuch'$"):
        Plan(target="nonesuch")
    with pytest.raises(ValueError, match=r"^synthetic must be 'mask' or 'drop' or 'reject', not 'keep'$"):
        Plan(target="trl", synthetic="keep")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"split must be a tuple such as \(\('test', 0.1\),\), not dict"):
        Plan(target="trl", split={"test": 0.1})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read_template"):
        Plan(target="chat-template")
    with pytest.raises(ValueError, match="leaves nothing"):
        Plan(target="trl", split=(("test", 0.6), ("check", 0.5)))
    with pytest.raises(ValueError, match="names with parts"):
        Plan(target="trl", split=(("train", 0.5),))


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_every_target_says_where_its_facts_are_from(target: Any) -> None:
    assert target.source
    assert target.checked
    assert target.features or target.arrow
