"""What came beside the content: told when it is not sent, and kept when nobody sends it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import DocumentBlock, ImageBlock, MessageHistory, ToolUseBlock
from message_history.dialects import Gemini, GeminiInteractions, OpenAIResponses, PydanticAI
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
