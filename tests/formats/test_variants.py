"""Forms of files beside those of the samples: older and newer versions, other ways to export, rarer parts."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import ImageBlock, MessageHistory, ThinkingBlock
from message_history.files.files import NotRecognisedError
from message_history.formats.reading import session_in
from tests.formats.story import (
    ANSWER,
    ARGUMENTS,
    QUESTION,
    RESULT,
    TEXT_ARGUMENTS,
    THOUGHT,
    lines,
    told,
    value,
)

TALK = [("user", QUESTION), ("assistant", ANSWER)]
STORY = [("user", QUESTION), ("call", "read_file"), ("result", RESULT), ("assistant", ANSWER)]


def read(data: bytes, format: str) -> MessageHistory:
    session = session_in(data)
    assert (session.format.name, session.unread) == (format, ())
    history = session.conversations[0].history()
    assert history.repairs == ()
    return history


def thoughts(history: MessageHistory) -> list[str]:
    return [block.thinking for message in history for block in message.content if isinstance(block, ThinkingBlock)]


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"additional_kwargs": {}, **fields}}


def test_a_call_of_langchain_before_there_were_tools_keeps_its_result() -> None:
    asked = {"function_call": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}
    rows = [
        lc("human", content=QUESTION),
        lc("ai", content="", additional_kwargs=asked),
        lc("function", content=RESULT, name="read_file"),
        lc("ai", content=ANSWER),
    ]
    assert told(read(value(rows), "langchain")) == STORY


@pytest.mark.parametrize(
    "beside", [{"reasoning_content": "hm"}, {"reasoning": {"summary": [{"type": "summary_text", "text": "hm"}]}}]
)
def test_reasoning_that_langchain_keeps_beside_the_content_is_thinking(beside: dict[str, Any]) -> None:
    history = read(
        value([lc("human", content=QUESTION), lc("ai", content=ANSWER, additional_kwargs=beside)]), "langchain"
    )
    assert (told(history), thoughts(history)) == (TALK, ["hm"])


def test_blocks_of_langchain_1_keep_signatures_and_images() -> None:
    reasoning = {"type": "reasoning", "reasoning": "hm", "extras": {"signature": "s"}}
    image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    rows = [lc("human", content=[image]), lc("ai", content=[reasoning, {"type": "text", "text": ANSWER}])]
    history = read(value(rows), "langchain")
    (shown,) = history[0].content
    assert isinstance(shown, ImageBlock)
    assert shown.source["data"] == "aGk="
    (thought,) = (block for block in history[1].content if isinstance(block, ThinkingBlock))
    assert (thought.thinking, thought.signature) == ("hm", "s")


def test_the_newest_state_of_a_thread_s_history_is_read() -> None:
    def state(*rows: dict[str, Any]) -> dict[str, Any]:
        return {"values": {"messages": [{"type": each["type"], **each["data"]} for each in rows]}, "next": []}

    asked, answered = lc("human", content=QUESTION), lc("ai", content=ANSWER)
    session = session_in(value([state(asked, answered), state(asked)]))
    (conversation,) = session.conversations
    assert told(conversation.history()) == TALK
    assert conversation.omitted == (("earlier states of the thread", 1), ("state: next", 1))


def test_artifacts_of_tools_are_counted() -> None:
    rows = [
        lc("human", content=QUESTION),
        lc("ai", content="", tool_calls=[{"id": "c1", "name": "read_file", "args": ARGUMENTS}]),
        lc("tool", content=RESULT, tool_call_id="c1", artifact={"raw": 1}),
    ]
    (conversation,) = session_in(value(rows)).conversations
    assert conversation.omitted == (("artifacts of tools", 1),)


def test_reasoning_in_messages_for_models_keeps_its_signature() -> None:
    part = {"type": "reasoning", "text": "hm", "providerOptions": {"anthropic": {"signature": "s"}}}
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": ARGUMENTS}
    result = {"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": RESULT}}
    rows = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": [part, call]},
        {"role": "tool", "content": [result]},
    ]
    (thought,) = (block for block in read(value(rows), "ai-sdk-model")[1].content if isinstance(block, ThinkingBlock))
    assert (thought.thinking, thought.signature) == ("hm", "s")


def test_requests_of_a_batch_whose_input_is_a_text_are_read_and_stay_as_they_are() -> None:
    rows = [
        {"custom_id": str(n), "url": "/v1/responses", "body": {"input": QUESTION, "instructions": "Be brief."}}
        for n in range(2)
    ]
    session = session_in(lines(*rows))
    history = session.conversations[0].history()
    assert (session.format.name, told(history), "Be brief." in str(history.system)) == (
        "log",
        [("user", QUESTION)],
        True,
    )
    assert session.repair_file().data == lines(*rows)
    embeddings = [{**row, "url": "/v1/embeddings"} for row in rows]
    with pytest.raises(NotRecognisedError):
        session_in(lines(*embeddings))


def test_thoughts_that_a_file_has_as_texts_alone_are_kept() -> None:
    said = {"id": "2", "timestamp": "t", "type": "gemini", "content": ANSWER, "thoughts": [{"text": THOUGHT}]}
    asked = {"id": "1", "timestamp": "t", "type": "user", "content": QUESTION}
    whole = {"sessionId": "s", "projectHash": "h", "startTime": "t", "lastUpdated": "t", "messages": [asked, said]}
    session = session_in(value(whole))
    (thought, _) = session.conversations[0].history()[1].content
    assert isinstance(thought, ThinkingBlock)
    assert thought.thinking == THOUGHT
