"""The short way out: a message that needs no second look is written as the long way writes it, records and all."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, Repair, SystemBlock
from message_history.dialects import Bedrock, Dialect, PydanticAI
from message_history.dialects._shared import list_writer
from message_history.dialects._shared.writer import Changes
from message_history.dialects.anthropic import plain_writer
from message_history.dialects.registry import DIALECTS

THINKING = {"type": "thinking", "thinking": "Größe?", "signature": "c2ln"}
RAW: list[Any] = [
    {"role": "user", "content": "Sieh nach: »größe«."},
    {
        "role": "assistant",
        "content": [
            THINKING,
            {"type": "text", "text": "I will look …"},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a", "lines": [1, {"to": 2.5}]}},
            {"type": "tool_use", "id": "toolu_2", "name": "list", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ä = 1"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": ""},
            {"type": "text", "text": "And now?"},
        ],
    },
    {"role": "assistant", "content": [THINKING, {"type": "text", "text": "Done."}]},
    {"role": "user", "content": [{"type": "text", "text": "Good."}, {"type": "text", "text": "Bye."}]},
]


@pytest.mark.parametrize("name", DIALECTS)
def test_the_short_way_writes_and_records_what_the_long_way_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = DIALECTS[name]
    history = MessageHistory.from_list(RAW)
    short, plain, encoded = history.export(dialect), history.for_send(dialect), history.for_send_json(dialect)
    for module in (list_writer, plain_writer):
        monkeypatch.setattr(module, "sendable", lambda *_: None)
    again = MessageHistory.from_list(RAW)
    assert again.export(dialect) == short
    assert again.for_send(dialect) == plain == short.messages
    assert again.for_send_json(dialect) == encoded


@pytest.mark.parametrize("name", DIALECTS)
def test_who_only_sends_pays_for_no_records(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = DIALECTS[name]
    history = MessageHistory.from_list(THOUGHTFUL).with_system("Be brief.")
    exported = history.export(dialect)
    written = dialect.write(list(history.as_sent(dialect)), (SystemBlock("Be brief."),))
    assert written == (exported.messages, exported.system)

    def record(_: Changes) -> list[Repair]:
        raise AssertionError("somebody asked for the records")

    monkeypatch.setattr(Changes, "repairs", property(record))
    kept: list[Any] = []
    monkeypatch.setattr(Changes, "_recorded", property(lambda _: kept, lambda *_: None), raising=False)
    assert dialect.write(list(history.as_sent(dialect)), (SystemBlock("Be brief."),)) == written
    assert kept == []


THOUGHTFUL: list[Any] = [
    RAW[0],
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "First …"},
            THINKING,
            {"type": "thinking", "thinking": "", "signature": "ZW1wdHk="},
            {"type": "text", "text": "Then."},
            THINKING,
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "größe"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ä = 1"}]},
    {"role": "assistant", "content": [THINKING, {"type": "tool_use", "id": "toolu_2", "name": "list", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": ""}]},
    {"role": "assistant", "content": [THINKING, {"type": "text", "text": "Done."}]},
]


@pytest.mark.parametrize(
    "dialect",
    [
        Bedrock(),
        Bedrock(reasoning=False),
        Bedrock(text_with_calls=False, server_tools=False),
        Bedrock.for_model("anthropic.claude-sonnet-4-5"),
        PydanticAI(),
        PydanticAI(binds_thinking=False),
    ],
    ids=repr,
)
def test_thinking_goes_the_short_way_in_its_place(dialect: Dialect[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    history = MessageHistory.from_list(THOUGHTFUL)
    short, encoded = history.export(dialect), history.for_send_json(dialect)
    monkeypatch.setattr(list_writer, "sendable", lambda *_: None)
    again = MessageHistory.from_list(THOUGHTFUL)
    assert again.export(dialect) == short
    assert again.for_send_json(dialect) == encoded
