"""Test your own loop with histories that Hypothesis makes: nothing needs to be imported for the strategies.

`pytest examples/frameworks/hypothesis_test.py`
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import MessageHistory, check
from message_history.dialects import Anthropic
from message_history.integrations.strategies import broken_lists


def answer_all(history: MessageHistory) -> MessageHistory:
    """Answer every call: the part of a loop that is tested here."""
    for call in history.awaiting:
        history = history.add_tool_result(call, f"ran {call.name}")
    return history


@given(st.from_type(MessageHistory))
def test_no_call_stays_open(history: MessageHistory) -> None:
    """Whatever came before, all calls are answered."""
    assert not answer_all(history).awaiting


# The first list that is in no known form loads what reads all others, which takes longer than Hypothesis allows.
@settings(deadline=None)
@given(broken_lists(Anthropic()))
def test_a_broken_session_can_be_gone_on_with(raw: list[object]) -> None:
    """Whatever is on disk, the next request is one that the provider takes."""
    history = answer_all(MessageHistory.from_list(raw)).add_user("Go on.")
    assert check(history.for_send(), Anthropic()) == []
