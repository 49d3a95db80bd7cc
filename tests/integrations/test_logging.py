"""Repairs as log records: structured, without content, and logged once."""

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


def test_a_record_has_plain_fields_and_no_content(caplog: pytest.LogCaptureFixture) -> None:
    history = MessageHistory.from_list(BROKEN)
    found = [fields(record) for record in caplog.records]
    assert found == [
        {
            "repair_code": repair.code.value,
            "repair_severity": repair.severity.value,
            "repair_index": repair.index,
            "repair_source": repair.source,
            "repair_ids": repair.ids,
            "repair_removed": len(repair.removed),
            "repair_added": len(repair.added),
            "repair_dialect": "openai_chat",
        }
        for repair in history.repairs
    ]
    assert [record.getMessage() for record in caplog.records] == [repair.outline for repair in history.repairs]
    assert json.loads(json.dumps(found))
    assert history.repairs[-1].ids == ("9",)


@pytest.mark.parametrize("dialect", [None, OpenAIChat()])
def test_the_dialect_that_was_read_is_told(dialect: OpenAIChat | None, caplog: pytest.LogCaptureFixture) -> None:
    MessageHistory.from_list(BROKEN, dialect=dialect)
    MessageHistory().add_user("hi").add(BROKEN[1])
    assert {fields(record)["repair_dialect"] for record in caplog.records} == {"openai_chat"}


def test_a_message_of_ours_has_no_dialect(caplog: pytest.LogCaptureFixture) -> None:
    MessageHistory().add_user("hi").add(Message.user(ToolResultBlock("9", "x")))
    assert {fields(record)["repair_dialect"] for record in caplog.records} == {""}
    assert caplog.records
