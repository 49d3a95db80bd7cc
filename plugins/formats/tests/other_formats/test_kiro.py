"""Sessions of Kiro's editor: what is taken back, summed up, of subagents, or attached."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.story import ANSWER, QUESTION, RESULT, lines, told

from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from message_history.formats.registry import recognise
from other_formats.samples.kiro import KIRO_3, kiro_row


def read(*rows: dict[str, Any]) -> Any:
    return session_in(lines(*rows))


def test_what_was_taken_back_is_counted_and_no_longer_stands() -> None:
    back = kiro_row("t", "tombstone", kind="checkpoint_revert", effectiveFromMessageId="u1")
    session = read(*KIRO_3, back, kiro_row("u2", "user", content="Again."))
    (conversation,) = session.conversations
    assert told(conversation.history()) == [("user", "Again.")]
    assert conversation.omitted == (("messages that were taken back", 6),)
    unknown = kiro_row("t", "tombstone", kind="checkpoint_revert", effectiveFromMessageId="?")
    assert len(read(*KIRO_3, unknown).conversations[0].history()) == 4


def test_a_summary_is_counted_behind_what_it_sums_up_and_read_where_that_is_not_there() -> None:
    tombstone = kiro_row("t", "tombstone", kind="summarization", effectiveFromMessageId="u1")
    summary = kiro_row("s", "assistant", operationType="Summary", content="Long ago.")
    (conversation,) = read(*KIRO_3, tombstone, summary).conversations
    assert told(conversation.history())[-1] == ("assistant", ANSWER)
    assert conversation.omitted == (("summaries of what is before them", 1),)
    (forked,) = read(summary, *KIRO_3).conversations
    assert told(forked.history())[:2] == [("user", "Long ago."), ("user", QUESTION)]


def test_what_is_of_subagents_and_hidden_is_counted() -> None:
    rows = [
        kiro_row("x1", "sub_agent_start", subSessionId="x", subAgentName="reviewer", prompt="Review."),
        kiro_row("x2", "assistant", operationType="Say", content="Reviewed.", subExecutionId="x"),
        kiro_row("x3", "sub_agent_complete", subSessionId="x", response="Reviewed.", status="success"),
        kiro_row("x4", "steering_inclusion", documents=["a.md"]),
        kiro_row("x5", "assistant", operationType="Reasoning", content="", reasoningRedactedContent="x"),
    ]
    (conversation,) = read(*KIRO_3, *rows).conversations
    assert told(conversation.history())[-1] == ("assistant", ANSWER)
    assert [kind for kind, _ in conversation.omitted] == [
        "documents that steer",
        "messages of subagents",
        "runs of subagents",
        "thinking that is not shown",
    ]


@pytest.mark.parametrize(
    ("image", "first"),
    [({"data": "aGk=", "mimeType": "image/png"}, "image"), ({"uri": "file:///a.png"}, "text")],
)
def test_images_and_documents_are_the_users(image: dict[str, Any], first: str) -> None:
    asked = kiro_row(
        "u", "user", content="Look.", images=[image, "x"], documents=[{"name": "a.pdf"}], contextItems=[{"name": "b"}]
    )
    (conversation,) = read(asked, KIRO_3[3]).conversations
    found = conversation.file.entries[0]["content"]
    assert [block["type"] for block in found] == [first, "text", "text"]
    assert found[-1]["text"] == "[attached: a.pdf]"
    assert conversation.omitted == (("contexts of messages", 1),)


def test_a_call_that_is_written_again_is_one_and_one_that_failed_says_so() -> None:
    failed = kiro_row("f", "tool_result", toolCallId="c1", content=RESULT, success=False)
    (conversation,) = read(KIRO_3[0], KIRO_3[4], KIRO_3[4], failed).conversations
    entries = conversation.file.entries
    assert [len(entry["content"]) for entry in entries] == [1, 1, 1]
    assert entries[2]["content"][0]["is_error"] is True
    nameless = kiro_row("c", "tool_call", toolName="read_file", args={})
    assert len(read(KIRO_3[0], nameless, nameless).conversations[0].file.entries[1]["content"]) == 2


def test_lines_of_an_unknown_form_are_counted() -> None:
    session = read(*KIRO_3, kiro_row("n", "agent_note", content="Hm."), {"id": "m", "payload": 1}, kiro_row("l", []))  # type: ignore[arg-type]
    assert sorted(note.detail for note in session.unread) == [
        "a line of the unknown type '[]'",
        "a line of the unknown type 'agent_note'",
        "a line without a payload",
    ]


def test_lines_with_a_type_beside_the_payload_are_of_other_programs() -> None:
    rows = [{**row, "type": "response_item"} for row in KIRO_3]
    assert recognise(parse_document(lines(*rows))).name != "kiro"
