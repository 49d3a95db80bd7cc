"""What may stand behind a call in an assistant message for Claude."""

from __future__ import annotations

import pytest

from message_history.dialects.anthropic.call_order import Kind, calls_last

KINDS: dict[str, Kind] = {"u": "call", "t": "thinking", "s": "server", "x": "content"}


def ordered(blocks: str) -> str:
    return " ".join(calls_last(blocks.split(), lambda block: KINDS[block[0]]))


@pytest.mark.parametrize(
    ("came", "goes"),
    [
        ("x1 u1", "x1 u1"),
        ("u1 u2", "u1 u2"),
        ("u1 x1", "x1 u1"),
        ("x1 u1 x2", "x1 x2 u1"),
        ("u1 x1 u2", "x1 u1 u2"),
        ("x1 u1 x2 u2 x3", "x1 x2 x3 u1 u2"),
        ("t1 u1 x1", "t1 x1 u1"),
    ],
)
def test_text_goes_before_the_first_call(came: str, goes: str) -> None:
    assert ordered(came) == goes


@pytest.mark.parametrize("came", ["t1 u1 t2 u2", "t1 x1 u1 t2 u2 u3", "t1 s1 u1 t2 s2 u2", "u1 t1"])
def test_a_reply_that_thinks_between_calls_stays_as_it_came(came: str) -> None:
    assert ordered(came) == came


@pytest.mark.parametrize(
    ("came", "goes"),
    [
        ("u1 s1 s2", "s1 s2 u1"),
        ("x1 u1 s1 s2", "x1 s1 s2 u1"),
        ("s1 u1 s2 x1", "s1 s2 x1 u1"),
        ("t1 u1 t2 u2 s1", "t1 u1 t2 s1 u2"),
    ],
)
def test_server_blocks_go_before_the_calls_and_never_across_thinking(came: str, goes: str) -> None:
    assert ordered(came) == goes


def test_text_between_calls_goes_to_the_front_though_thinking_is_before_it() -> None:
    assert ordered("t1 u1 t2 x1 u2") == "t1 x1 u1 t2 u2"


@pytest.mark.parametrize(("came", "goes"), [("t1 u1 t2 x1", "t1 x1 t2 u1"), ("u1 t1 s1", "t1 s1 u1")])
def test_thinking_of_a_second_reply_goes_before_the_calls_when_no_call_is_behind_it(came: str, goes: str) -> None:
    assert ordered(came) == goes


@pytest.mark.parametrize("came", ["", "x1 x2", "t1 x1 t2 x2", "s1 x1 s2", "u1"])
def test_a_message_without_anything_behind_a_call_stays_as_it_is(came: str) -> None:
    assert ordered(came) == came


def test_ordering_twice_changes_nothing_more() -> None:
    once = ordered("t1 u1 x1 t2 s1 u2 x2 t3 x3")
    assert ordered(once) == once
