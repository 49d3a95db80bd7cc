"""Data sets of plain texts, lists under other names, and what small variants of known formats hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.formats.story import ANSWER, CHAT, QUESTION, lines, told, value
from tests.formats.test_data_sets import PAIR

from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in


def all_told(data: bytes) -> list[list[tuple[str, str]]]:
    return [told(each.history()) for each in session_in(data).conversations]


def test_an_instruction_goes_before_its_input_and_behind_the_turns_before_it() -> None:
    row = {
        "instruction": QUESTION,
        "input": "a.txt",
        "output": ANSWER,
        "system": "Be brief.",
        "history": [["Hello.", "Hi."], "no turn"],
    }
    (found,) = session_in(value([row])).conversations
    assert found.file.entries[0] == {"role": "system", "content": "Be brief."}
    asked = [("user", f"{QUESTION}\na.txt"), ("assistant", ANSWER)]
    assert told(found.history()) == [("user", "Hello."), ("assistant", "Hi."), *asked]


def test_both_ends_of_a_preference_are_read_and_one_that_is_rated_bad_is_named_so() -> None:
    pair = {"prompt": QUESTION, "chosen": ANSWER, "rejected": "No idea."}
    assert all_told(lines(pair)) == [PAIR, [PAIR[0], ("assistant", "No idea.")]]
    for prompt, completion in ((QUESTION, ANSWER), (CHAT[:1], [{"role": "assistant", "content": ANSWER}])):
        (found,) = session_in(lines({"prompt": prompt, "completion": completion, "label": False})).conversations
        assert (found.label[-10:], told(found.history())) == (", rejected", PAIR)


def test_a_transcript_of_hh_is_parted_into_turns() -> None:
    before = f"\n\nHuman: Hello.\n\nAssistant: Hi.\n\nHuman: {QUESTION}\n\nAssistant: "
    first, second = all_told(lines({"chosen": f"{before}{ANSWER}", "rejected": f"{before}No."}))
    assert first == [("user", "Hello."), ("assistant", "Hi."), *PAIR]
    assert second[-1] == ("assistant", "No.")
    (prompted,) = all_told(lines({"prompt": before.removesuffix("\n\nAssistant: "), "completion": ANSWER}))
    assert prompted == first


def test_an_item_of_a_data_set_that_is_no_pair_is_noted() -> None:
    pair = {"prompt": QUESTION, "completion": ANSWER}
    assert len(session_in(lines(pair, pair, {"prompt": 1})).unread) == 1


def test_calls_and_results_without_ids_among_messages_are_paired_in_order() -> None:
    rows: list[Any] = [
        {"role": "user", "content": QUESTION},
        {"type": "tool_call", "function": {"name": "look"}, "arguments": "{}"},
        {"type": "function_call", "name": "see", "arguments": {"a": 1}},
        {"type": "tool_result", "name": "look", "result": "three lines"},
        {"type": "function_result", "name": "see", "result": {"b": 2}},
        {"author": "bot", "text": ANSWER},
        {"type": "error", "text": "A fault."},
    ]
    (found,) = session_in(lines(*rows)).conversations
    assert told(found.history()) == [
        *(PAIR[0], ("call", "look"), ("call", "see")),
        *(("result", "three lines"), ("result", '{"b": 2}'), PAIR[1]),
    ]
    assert ("errors", 1) in found.omitted
    assert len(session_in(lines(rows[0], rows[3], rows[5])).conversations[0].file.entries[1]["content"]) == 1


@pytest.mark.parametrize(
    "output",
    [
        ANSWER,
        {"role": "assistant", "content": ANSWER},
        {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]},
    ],
)
def test_a_span_of_a_model_that_has_its_request_as_text_is_read(output: Any) -> None:
    written = output if isinstance(output, str) else json.dumps(output)
    for asked in (CHAT[:1], {"messages": CHAT[:1]}):
        values = {"input": {"value": json.dumps(asked)}, "output": {"value": written}}
        other = {"name": "chain", "span_kind": "CHAIN", "attributes": values}
        spans = [{"name": "x", "span_kind": "LLM", "attributes": values}, other]
        (found,) = session_in(value(spans)).conversations
        assert told(found.history()) == PAIR


def test_a_block_that_aider_s_model_wants_to_change_is_kept_whole() -> None:
    block = "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
    written = f"# aider chat started at 2025-01-01 10:00:00\n\n> Aider v0.80\n>\n\n#### {QUESTION}\n\n{block}\n"
    assert all_told(written.encode()) == [[PAIR[0], ("assistant", block)]]


def test_a_conversation_without_turns_does_not_hide_a_data_set() -> None:
    turns = [{"from": "human", "value": QUESTION}, {"from": "gpt", "value": ANSWER}]
    assert all_told(value([{"conversations": turns}, {"conversations": []}])) == [PAIR, []]


def test_replies_with_thinking_that_kimi_prints_are_read() -> None:
    parts = [{"type": "think", "think": "A thought."}, {"type": "text", "text": ANSWER}]
    session = session_in(lines(CHAT[0], {"role": "assistant", "content": parts}))
    assert session.format.name == "kimi-cli"
    assert session.conversations[0].file.entries[1]["content"][0] == {"type": "thinking", "thinking": "A thought."}


def test_printed_messages_without_ids_are_read_where_each_line_is_one() -> None:
    rows: list[Any] = [{"type": each["role"], "message": each} for each in (CHAT[0], CHAT[3])]
    assert all_told(lines(*rows)) == [PAIR]
    assert all_told(lines(*({**row, "message": {"content": row["message"]["content"]}} for row in rows))) == [PAIR]
    with pytest.raises(NotRecognisedError):
        session_in(lines(*rows, {"type": "tool", "message": {"output": "a"}}))


def test_the_tree_that_librechat_exports_is_read() -> None:
    answer = {"messageId": "2", "isCreatedByUser": False, "text": ANSWER, "children": []}
    asked = {"messageId": "1", "isCreatedByUser": True, "text": QUESTION, "children": [answer]}
    session = session_in(value({"conversationId": "s", "recursive": True, "messagesTree": [asked]}))
    assert session.conversations[0].origin.id == "s"
    assert told(session.conversations[0].history()) == PAIR


def test_messages_that_are_taken_out_of_librechat_s_database_are_parted_by_conversation() -> None:
    rows = [
        {
            "messageId": f"{n}{m}",
            "parentMessageId": f"{n}{m - 1}",
            "conversationId": n,
            "isCreatedByUser": not m,
            "text": words,
        }
        for n in ("a", "b")
        for m, words in enumerate((QUESTION, ANSWER))
    ]
    session = session_in(value(rows))
    assert [each.origin.id for each in session.conversations] == ["a", "b"]
    assert [told(each.history()) for each in session.conversations] == [PAIR, PAIR]


def test_steps_of_a_run_are_calls_with_what_they_gave() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}", "output": "three lines"}},
        {"id": "c2", "type": "code_interpreter", "code_interpreter": {"input": "1 + 1", "outputs": []}},
        {"type": "file_search", "file_search": {"results": None}},
    ]
    steps = [
        {"object": "thread.run.step", "step_details": {"type": "tool_calls", "tool_calls": calls}},
        {"object": "thread.run.step", "step_details": {"type": "message_creation", "message_creation": {}}},
    ]
    (found,) = session_in(value({"object": "list", "data": steps})).conversations
    assert [(block["type"], block.get("input")) for entry in found.file.entries for block in entry["content"]] == [
        *(("tool_use", {}), ("tool_result", None)),
        *(("tool_use", {"input": "1 + 1"}), ("tool_result", None), ("tool_use", {})),
    ]
    assert found.omitted == (("steps that only name their message", 1),)


def test_calls_that_are_made_for_results_of_chatgpt_are_counted() -> None:
    message = {"author": {"role": "tool", "name": "files"}, "content": {"content_type": "text", "parts": ["a"]}}
    (found,) = session_in(value([{"mapping": {"m": {"message": message, "parent": None}}}])).conversations
    assert found.omitted == (("results without a call, which each have an empty one made for them", 1),)


@pytest.mark.parametrize(
    "whole",
    [
        {"messages": [{"type": "TextMessage", "source": "critic", "content": ANSWER}]},
        {"chat_history": [{"role": "user", "name": "critic", "content": ANSWER}], "chat_id": 1},
    ],
)
def test_names_of_speakers_are_counted(whole: dict[str, Any]) -> None:
    (found,) = session_in(value(whole)).conversations
    assert ("names of speakers", 1) in found.omitted
