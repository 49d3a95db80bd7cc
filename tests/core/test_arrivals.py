"""What was said of messages that were joined: kept once, and where it ends."""

from __future__ import annotations

import pytest
from tests.helpers import ASKED, codes

from message_history import (
    MessageHistory,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.arrived import Arrival
from message_history.core.messages.message import make_message, with_arrivals, with_replies
from message_history.core.messages.replies import ReplyInfo
from message_history.core.values.json_values import FrozenDict


def test_what_a_provider_said_is_kept_once_where_a_reply_holds_a_result_too() -> None:
    said = ReplyInfo(id="msg_1")
    reply = with_replies(make_message("assistant", (TextBlock("a"), ToolResultBlock("1", "r"))), (said,))
    history = ASKED.add(reply)
    assert history[1].replies == (said,)
    assert codes(history) == [RepairCode.RESULT_REHOMED]


def test_what_is_said_of_messages_of_results_ends_where_each_does() -> None:
    history = ASKED.add_assistant(ToolUseBlock("2", "f", {}))
    for n, block in enumerate((ToolResultBlock("1", "r"), ToolResultBlock("2", "s"), TextBlock("t"))):
        history = history.add(with_arrivals(make_message("user", (block,)), (Arrival(1, FrozenDict({"n": n})),)))
    assert [(each.end, each.metadata) for each in history[-1].arrivals] == [(n + 1, {"n": n}) for n in range(3)]


@pytest.mark.parametrize("before", [MessageHistory(), MessageHistory().add_user(["q", "and?"])])
def test_what_is_said_of_a_blank_beginning_of_a_reply_ends_before_the_rest(before: MessageHistory) -> None:
    said = (Arrival(1, FrozenDict({"n": 0})), Arrival(2, FrozenDict({"n": 1})))
    reply = with_arrivals(make_message("assistant", (TextBlock(" "), TextBlock("a"))), said)
    history = before.add(reply)
    assert [(each.end, each.metadata) for each in history[-1].arrivals] == [(0, {"n": 0}), (1, {"n": 1})]
