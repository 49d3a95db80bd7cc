"""What kind of session a file is, is told by its sound lines, whatever else is in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import check
from message_history.dialects import OpenAIChat
from message_history.files.own_lines import whole_lines
from message_history.formats.reading import session_in
from tests.sessions.foreign import claude_lines, codex_lines, rows
from tests.sessions.growing import of_length

HISTORY = of_length(9).as_sent()
FILES = {
    "claude-code": rows(claude_lines(HISTORY)),
    "codex": rows(codex_lines(HISTORY)),
    "message-history": b"".join(whole_lines(HISTORY)),
    "log": rows([{"messages": HISTORY.for_send(OpenAIChat()), "n": n} for n in range(3)]),
}
SPOILT = {
    "cut off before": lambda data: data[5:],
    "zeros before": lambda data: b"\0" * 40 + data,
    "no UTF-8 before": lambda data: b"\xff\n" + data,
    "a comment before": lambda data: b"# saved\n" + data,
    "null before": lambda data: b"null\n" + data,
    "a bracket for its first": lambda data: b"(" + data[1:],
}


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("kind", FILES)
def test_a_spoilt_beginning_does_not_hide_the_kind(kind: str, spoilt: str) -> None:
    file = session_in(SPOILT[spoilt](FILES[kind]))
    assert file.format.name == kind
    assert file.messages >= session_in(FILES[kind]).messages * 2 // 3
    repaired = file.repair_file().after
    assert repaired.format.name == kind
    assert not repaired.notes
    assert not repaired.violations()


def test_zeros_of_a_power_failure_cost_no_line() -> None:
    for kind, data in FILES.items():
        file = session_in(b"\0" * 40 + data)
        assert file.messages == session_in(data).messages, kind


def test_a_list_stays_a_list_whatever_its_lines_look_like() -> None:
    lines = claude_lines(HISTORY)
    for indent in (None, 1):
        with_text: list[Any] = [{"role": "user", "content": "\n".join(map(json.dumps, lines))}]
        assert session_in(json.dumps(with_text, indent=indent).encode()).format.name == "messages"


def test_a_conversation_in_a_log_is_mended_also_when_only_its_form_is_wrong() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
    ]
    file = session_in(rows([{"messages": messages}] * 2))
    assert {violation.rule for _, violation in file.violations()} == {"OC-13"}
    after = file.repair_file()
    assert not after.after.violations()
    for line in after.data.splitlines():
        assert not check(json.loads(line)["messages"], OpenAIChat())
