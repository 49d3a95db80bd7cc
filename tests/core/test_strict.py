"""A policy that raises: what it says, and what it lets pass."""

from __future__ import annotations

import pytest
from tests.helpers import CALL, codes

from message_history import (
    InvariantError,
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    ToolResultBlock,
)


def test_a_list_that_needs_what_a_strict_policy_allows_is_held_by_that_policy_from_then_on() -> None:
    strict = Policy(on_violation="raise")
    talk = [Message.user("b"), Message.assistant("a"), Message.user([ToolResultBlock("1", "r")])]
    history = MessageHistory.from_list([Message.user("q"), Message.assistant(CALL), *talk], policy=strict)
    assert codes(history) == [RepairCode.RESULT_MOVED]
    assert history.policy == strict
    with pytest.raises(InvariantError):
        history.add_assistant(CALL).add_user("go on").add_assistant("a")


def test_what_a_strict_policy_refuses_of_a_list_is_told_whole() -> None:
    raw = [Message.user("q"), Message.user([ToolResultBlock("8", "r")]), Message.user([ToolResultBlock("9", "r")])]
    with pytest.raises(InvariantError) as refused:
        MessageHistory.from_list(raw, policy=Policy(on_violation="raise"))
    assert [repair.ids for repair in refused.value.violations] == [("8",), ("9",)]
