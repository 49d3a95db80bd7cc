"""The logs that Copilot Chat exports: each request holds what the one before it holds, and what came of it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, told, value

from message_history import DocumentBlock, ImageBlock, ThinkingBlock
from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in
from other_formats.samples.copilot_replay import REPLAY

SYSTEM, USER, ASSISTANT, TOOL = range(4)
CACHE = {"type": 3, "cacheType": "ephemeral"}


def spoken(role: int, *parts: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"type": 1, "text": p} if isinstance(p, str) else p for p in parts], **more}


def request(id: str, messages: list[Any], *replies: str, **more: Any) -> dict[str, Any]:
    response = {"type": "success", "message": list(replies)} if replies else {"type": "failure", "reason": "503"}
    return {
        "id": id,
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "metadata": {},
        "requestMessages": {"messages": messages},
        "response": response,
        **more,
    }


def export(*logs: Any) -> bytes:
    prompt = {"prompt": QUESTION, "hasSeen": False, "logCount": len(logs), "logs": list(logs)}
    return value({"exportedAt": "t", "totalPrompts": 1, "totalLogEntries": len(logs), "prompts": [prompt]})


ASKED = spoken(USER, QUESTION)


def test_one_prompt_exported_alone_is_the_same() -> None:
    (prompt,) = REPLAY["prompts"]
    (conversation,) = session_in(value(prompt)).conversations
    assert told(conversation.history())[-1] == ("assistant", ANSWER)
    assert conversation.origin.title == QUESTION
    assert dict(conversation.omitted)["earlier requests, from which this one goes on"] == 1


def test_a_reply_that_no_later_request_has_stays_and_a_failed_one_is_gone_on_from() -> None:
    goes_on = [spoken(USER, QUESTION, CACHE), spoken(ASSISTANT, LOOKING), spoken(USER, "Well?")]
    logs = [request("a", [ASKED], "Another."), request("b", [ASKED]), request("c", goes_on, ANSWER)]
    main, other = session_in(export(*logs)).conversations
    assert [words for _, words in told(main.history())] == [QUESTION, LOOKING, "Well?", ANSWER]
    assert [words for _, words in told(other.history())] == [QUESTION, "Another."]
    assert (main.label, other.label) == ("", "request a (panel/editAgent)")
    assert main.omitted == (("earlier requests, from which this one goes on", 1),)


def test_a_last_request_that_failed_has_no_reply() -> None:
    (conversation,) = session_in(export(request("a", [ASKED]))).conversations
    assert told(conversation.history(open_tail="keep")) == [("user", QUESTION)]
    assert conversation.omitted == (("failed requests", 1),)


def test_thoughts_images_files_and_choices() -> None:
    thought = {"type": 2, "value": {"type": "thinking", "thinking": {"id": "t", "text": ["h", "m"]}}}
    marker = {"type": 2, "value": {"type": "stateful_marker", "value": {"modelId": "m", "marker": "x"}}}
    shown = {"type": 0, "imageUrl": {"url": "data:image/png;base64,aGk="}}
    file = {"type": 4, "documentData": {"data": "aGk=", "mediaType": "application/pdf"}}
    read = {"id": "c1", "type": "function", "function": {"name": "view", "arguments": "{}"}}
    messages = [
        spoken(SYSTEM, "Be brief."),
        spoken(USER, QUESTION, shown, file),
        spoken(ASSISTANT, thought, marker, toolCalls=[read]),
        spoken(TOOL, "three ", "lines", CACHE, toolCallId="c1"),
    ]
    note = {"id": "n", "kind": "request", "type": "MarkdownContentRequest", "name": "modelList", "content": "# Models"}
    (conversation,) = session_in(export(note, request("a", messages, ANSWER, "Three."))).conversations
    history = conversation.history()
    assert told(history) == [("user", QUESTION), ("call", "view"), ("result", RESULT), ("assistant", ANSWER)]
    assert history.repairs == ()
    blocks = [block for message in history for block in message.content]
    assert [type(block) for block in blocks[1:4]] == [ImageBlock, DocumentBlock, ThinkingBlock]
    assert conversation.omitted == (
        ("notes of the program", 1),
        ("other choices", 1),
        ("states of a provider next to messages", 1),
    )


def test_what_is_no_message_is_noted_and_other_logs_are_refused() -> None:
    session = session_in(export(request("a", [ASKED, {"role": 9}, spoken(USER, "Well?")], ANSWER)))
    assert [note.detail for note in session.unread] == ["an entry that is not a message"]
    for logs in ([], [{"kind": "span"}]):
        with pytest.raises(NotRecognisedError):
            session_in(export(*logs))
    (conversation,) = session_in(export({"kind": "element", "id": "e", "name": "Prompt"})).conversations
    assert (conversation.file.entries, conversation.omitted) == ((), (("entries of kind element", 1),))
