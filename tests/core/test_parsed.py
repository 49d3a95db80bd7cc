"""What a parser has read of a list: what it notes, and what it takes over from another one."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import Message, ToolUseBlock
from message_history.core.messages.parsed import Parsed
from message_history.core.values.json_values import freeze


@pytest.mark.parametrize(("role", "is_shown"), [("robot", True), (7, True), ("r" * 200, False), (b"r", False)])
def test_a_role_that_the_words_do_not_show_whole_is_kept(role: Any, is_shown: bool) -> None:
    parsed = Parsed([], [])
    parsed.role_assumed(0, role, "role {} taken as the user's")
    assert parsed.notes[0].removed == (() if is_shown else (freeze(role)[0],))


def test_a_truncated_reply_that_another_parser_read_is_truncated_behind_what_was_there() -> None:
    parsed, more = Parsed(), Parsed()
    parsed.add(Message.user("q"), 0)
    more.add(Message.assistant("a"), 1)
    more.add(Message.assistant(ToolUseBlock("1", "f", {})), 2, interrupted=True)
    parsed.extend(more)
    assert [parsed.sources[position] for position in parsed.interrupted] == [2]
