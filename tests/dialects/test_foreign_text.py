"""What only one provider's blocks can hold is sent as text in every other dialect."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from message_history import MessageHistory, RepairCode
from message_history.dialects import Anthropic, OpenAIResponses
from message_history.dialects.registry import DIALECTS

FOUND = {
    "type": "search_result",
    "source": "https://example.com",
    "title": "A title",
    "content": [{"type": "text", "text": "what was found"}],
}
RAW: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "q"}, FOUND]},
    {"role": "assistant", "content": [{"type": "compaction", "content": "the summary"}, {"type": "text", "text": "a"}]},
    {"role": "user", "content": "more"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "and more"},
]
OTHERS = sorted(DIALECTS.keys() - {"anthropic", "langchain", "native"})


def _encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()


@pytest.mark.parametrize("name", OTHERS)
def test_a_summary_and_a_search_result_are_sent_as_text_and_recorded(name: str) -> None:
    history = MessageHistory.from_list(RAW, dialect=Anthropic())
    export = history.export(DIALECTS[name])
    sent = json.dumps(export.messages, default=_encoded)
    assert "the summary" in sent
    assert "A title" in sent
    assert "what was found" in sent
    rewritten = [repair for repair in export.repairs if repair.code is RepairCode.REWRITTEN and repair.removed]
    assert [repair.index for repair in rewritten] == [0, 1]
    assert json.loads(history.for_send_json(DIALECTS[name])) == json.loads(
        json.dumps(history.for_send(DIALECTS[name]), default=_encoded)
    )


def test_anthropic_and_the_saved_form_hold_the_blocks_themselves() -> None:
    history = MessageHistory.from_list(RAW, dialect=Anthropic())
    assert history.for_send()[1] == RAW[1]
    assert MessageHistory.from_list(history.to_list()) == history


def test_a_compaction_without_a_summary_is_no_text() -> None:
    raw = [RAW[0], {"role": "assistant", "content": [{"type": "compaction", "content": None}, *RAW[1]["content"][1:]]}]
    history = MessageHistory.from_list([*raw, RAW[2]], dialect=Anthropic())
    assert "None" not in json.dumps(history.for_send(DIALECTS["openai_chat"]))


def test_what_a_tool_gave_that_the_provider_ran_is_read_by_other_models() -> None:
    raw = [
        {"role": "user", "content": "delete them"},
        {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "rm", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "server_label": "s", "name": "rm",
         "arguments": "{}", "output": "removed 3 files"},
        {"role": "user", "content": "thanks"},
    ]  # fmt: skip
    history = MessageHistory.from_list(raw, dialect=OpenAIResponses())
    for name in sorted(DIALECTS.keys() - {"openai_responses"}):
        export = history.export(DIALECTS[name])
        assert "removed 3 files" in json.dumps(export.messages, default=_encoded), name
    assert raw[3] in history.for_send(OpenAIResponses())
