"""What came beside the content: told when it is not sent, and kept when nobody sends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import DocumentBlock, ImageBlock, MessageHistory, ToolUseBlock, check
from message_history.dialects import Gemini, GeminiInteractions, Mistral, OpenAIChat, OpenAIResponses, PydanticAI
from message_history.dialects.registry import DIALECTS
from tests.dialects.odd_pieces import PIXEL

INLINE = {"type": "base64", "media_type": "image/png", "data": PIXEL}
MEDIA = [
    ImageBlock({**INLINE, "odd": "(odd)"}),
    ImageBlock({"type": "url", "url": "https://e.x/a.png", "odd": "(odd)"}),
    DocumentBlock({"type": "url", "url": "https://e.x/a.pdf", "odd": "(odd)"}, "(title)"),
]


@pytest.mark.parametrize("block", MEDIA)
@pytest.mark.parametrize(
    "dialect", [OpenAIResponses(), Gemini(), Gemini(vertex=True), GeminiInteractions(), PydanticAI()]
)
def test_an_unknown_key_of_a_source_is_told(dialect: Any, block: Any) -> None:
    asked = MessageHistory().add_user(block)
    answered = MessageHistory().add_user("q").add_assistant(ToolUseBlock("c", "f", {})).add_tool_result("c", [block])
    for history in (asked, answered):
        assert "(odd)" in repr([repair.removed for repair in history.export(dialect).repairs])


RESPONSE = {
    "object": "response",
    "id": "resp_1",
    "model": "gpt-5",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "a", "annotations": []}],
        }
    ],
}


def test_the_id_and_the_model_of_a_response_are_kept_and_sent_to_nobody() -> None:
    for history in (
        MessageHistory().add_user("q").add_response(RESPONSE),
        MessageHistory.from_list([{"role": "user", "content": "q"}, RESPONSE]),
    ):
        saved = json.dumps(history.to_list())
        assert "resp_1" in saved
        assert "gpt-5" in saved
        assert MessageHistory.from_list(history.to_list()) == history
        for dialect in DIALECTS.values():
            exported = history.export(dialect)
            assert dialect.name == "native" or "resp_1" not in repr(exported.messages)
            assert "resp_1" not in repr([repair.removed for repair in exported.repairs])
        sent: list[Any] = history.for_send(OpenAIResponses(reasons=False))
        assert [sent[1]] == RESPONSE["output"]


def test_the_thinking_of_a_system_prompt_is_words_elsewhere() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Your thoughts"}]}
    prompt = [{"type": "text", "text": "First draft."}, thought, {"type": "text", "text": "Then answer."}]
    raw = [{"role": "system", "content": prompt}, {"role": "user", "content": "q"}]
    history = MessageHistory.from_list(raw, dialect=Mistral())
    assert history.for_send(Mistral()) == raw
    assert MessageHistory.from_list(history.to_list()).for_send(Mistral()) == raw
    for other in (OpenAIChat(), Mistral.for_model("mistral-7b-instruct")):
        assert "Your thoughts" in str(history.for_send(other)[0])
        assert check(history.for_send(other), other) == []


def test_annotations_of_a_reply_whose_id_is_left_out_go_back_in_a_part() -> None:
    cited = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://example.com/x", "title": "T"}
    part = {"type": "output_text", "text": "an answer", "annotations": [cited]}
    said = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
    q = {"role": "user", "content": "q"}
    history = MessageHistory.from_list([q, said, q], dialect=OpenAIResponses())
    sent = history.for_send(OpenAIResponses())
    assert sent == [q, {"role": "assistant", "content": [part]}, q]
    assert check(sent, OpenAIResponses()) == []
