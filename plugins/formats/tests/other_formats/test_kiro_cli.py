"""Sessions of Kiro on the command line: what is cleared, compacted, steered, hidden or shown."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.story import ANSWER, QUESTION, lines, told

from message_history.formats.reading import session_in
from other_formats.samples.kiro_cli import KIRO, kiro

PROMPT, CALL, RESULTS, REPLY = KIRO
COMPACTION = {"version": "v1", "kind": "Compaction", "data": {"summary": "Long ago.", "messages_snapshot": []}}
CLEAR = {"version": "v1", "kind": "Clear", "data": None}
PNG = {"kind": "image", "data": {"format": "png", "source": {"kind": "bytes", "data": [104, 105]}}}


def results(*content: Any, status: str = "success") -> dict[str, Any]:
    return kiro(
        "ToolResults", {"kind": "toolResult", "data": {"toolUseId": "c1", "content": content, "status": status}}
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ([{"kind": "json", "data": {"exit_status": "exit status: 0"}}], '{"exit_status": "exit status: 0"}'),
        ([{"kind": "text", "data": ""}], ""),
        ([], ""),
        (
            [{"kind": "text", "data": "a"}, {"kind": "text", "data": "b"}],
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        ),
        ([PNG], [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]),
    ],
)
def test_results_are_texts_json_and_images(content: list[Any], found: Any) -> None:
    (conversation,) = session_in(lines(PROMPT, CALL, results(*content))).conversations
    assert conversation.file.entries[2]["content"][0]["content"] == found


def test_a_call_that_was_denied_is_an_error_and_what_was_sent_beside_it_is_the_users() -> None:
    denied = results({"kind": "text", "data": "User denied tool execution"}, status="error")
    denied["data"]["content"].append({"kind": "text", "data": "[LIVE STEERING] Stop."})
    (conversation,) = session_in(lines(PROMPT, CALL, denied, REPLY)).conversations
    sent = conversation.file.entries[2]["content"]
    assert (sent[0]["is_error"], sent[1]["text"]) == (True, "[LIVE STEERING] Stop.")
    assert session_in(lines(PROMPT, CALL, denied, REPLY)).violations() == []


def test_what_stands_before_clear_is_a_conversation_of_its_own() -> None:
    other = kiro("Prompt", PNG, {"kind": "text", "data": "And?"})
    session = session_in(lines(PROMPT, CALL, RESULTS, REPLY, CLEAR, CLEAR, other))
    assert [each.origin.label for each in session.conversations] == ["", "before /clear 1"]
    assert [told(each.history())[-1] for each in session.conversations] == [("user", "And?"), ("assistant", ANSWER)]
    (only,) = session_in(lines(PROMPT, REPLY, CLEAR)).conversations
    assert (only.origin.label, told(only.history())[0]) == ("", ("user", QUESTION))


def test_summaries_and_hidden_thinking_are_counted_and_nothing_is_cut() -> None:
    hidden = {"kind": "thinking", "data": {"text": "", "signature": None, "redactedContent": [46, 75]}}
    session = session_in(lines(PROMPT, kiro("AssistantMessage", hidden, *REPLY["data"]["content"]), COMPACTION, PROMPT))
    (conversation,) = session.conversations
    assert told(conversation.history()) == [("user", QUESTION), ("assistant", ANSWER), ("user", QUESTION)]
    assert conversation.omitted == (("summaries of what is before them", 1), ("thinking that is not shown", 1))


def test_what_is_of_an_unknown_kind_is_counted() -> None:
    strange = kiro("AssistantMessage", {"kind": "poem", "data": {}}, {"kind": "toolUse", "data": 1})
    session = session_in(lines(PROMPT, strange, REPLY, {"version": "v1", "kind": "ResetTo", "data": {}}))
    assert [note.detail for note in session.unread] == [
        "a block of the unknown kind 'poem'",
        "a block of the unknown kind 'toolUse'",
        "a line of the unknown kind 'ResetTo'",
    ]
