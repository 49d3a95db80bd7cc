"""Repairs as log records: structured, and told once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history import Message, MessageHistory, ToolResultBlock
from message_history.dialects import OpenAIChat

if TYPE_CHECKING:
    import logging

BROKEN = [{"role": "assistant", "content": "hi"}, {"role": "tool", "tool_call_id": "9", "content": "x"}]


def fields(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name.startswith("repair_")}


def test_a_record_has_plain_fields_beside_the_repair(caplog: pytest.LogCaptureFixture) -> None:
    history = MessageHistory.from_list(BROKEN)
    told = [fields(record) for record in caplog.records]
    assert [record.__dict__["repair"] for record in caplog.records] == list(history.repairs)
    assert [list(one) for one in told] == [
        ["repair_code", "repair_severity", "repair_index", "repair_source", "repair_detail", "repair_dialect"]
    ] * len(history.repairs)
    for one, repair in zip(told, history.repairs, strict=True):
        values = [repair.code.value, repair.severity.value, repair.index, repair.source, repair.detail, "openai_chat"]
        assert list(one.values()) == values
        assert json.loads(json.dumps(one)) == one


@pytest.mark.parametrize("dialect", [None, OpenAIChat()])
def test_the_dialect_that_was_read_is_told(dialect: OpenAIChat | None, caplog: pytest.LogCaptureFixture) -> None:
    MessageHistory.from_list(BROKEN, dialect=dialect)
    MessageHistory().add_user("hi").add(BROKEN[1])
    assert {fields(record)["repair_dialect"] for record in caplog.records} == {"openai_chat"}


def test_a_message_of_ours_has_no_dialect(caplog: pytest.LogCaptureFixture) -> None:
    MessageHistory().add_user("hi").add(Message.user(ToolResultBlock("9", "x")))
    assert {fields(record)["repair_dialect"] for record in caplog.records} == {""}
    assert caplog.records
