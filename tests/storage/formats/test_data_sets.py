"""Data sets of plain texts, lists under other names, and what small variants of known formats hold."""

from __future__ import annotations

from typing import Any

import pytest

from message_history.storage.files import NotRecognisedError
from message_history.storage.formats.registry import FORMATS
from message_history.storage.sessions.reading import session_in
from tests.storage.formats.samples import ANSWER, CHAT, QUESTION, lines, value
from tests.storage.formats.test_every_format import told

PAIR = [("user", QUESTION), ("assistant", ANSWER)]


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


@pytest.mark.parametrize(
    "row",
    [{"chosen": "a", "rejected": "b"}, {"prompt": QUESTION}, {"prompt": QUESTION, "completion": 1}, {"output": "a"}],
)
def test_texts_that_are_no_pair_are_not_recognised(row: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError):
        session_in(lines(row))


def test_an_item_of_a_data_set_that_is_no_pair_is_noted() -> None:
    pair = {"prompt": QUESTION, "completion": ANSWER}
    assert len(session_in(lines(pair, pair, {"prompt": 1})).unread) == 1


def test_lists_under_other_names_are_conversations_and_other_keys_are_counted() -> None:
    rows = lines({"id": "d", "dialogue": CHAT, "scores": [1]}, {"dialogue": CHAT[:1]}, {"other": 1})
    session = session_in(rows, chosen=FORMATS["named-lists"])
    first, second = session.conversations
    assert (first.origin.id, first.omitted) == ("d", (("other keys beside the messages", 2),))
    assert (second.label, len(session.unread)) == ("item 2, dialogue", 1)


@pytest.mark.parametrize(
    "whole",
    [
        {"history": CHAT, "nodes": [{"text": "a"}]},
        {"history": CHAT, "state": {"nodes": [[{"text": "a"}]]}},
        {"history": [*CHAT, {"role": "narrator", "content": "a"}]},
        {"history": []},
    ],
)
def test_lists_beside_others_that_would_be_lost_are_not_recognised(whole: dict[str, Any]) -> None:
    with pytest.raises(NotRecognisedError):
        session_in(value(whole))


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


def test_printed_messages_without_ids_are_read() -> None:
    rows = [{"type": each["role"], "message": each} for each in (CHAT[0], CHAT[3])]
    assert all_told(lines(*rows)) == [PAIR]


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
