"""Store everything, send a window: one that moves only when it must keeps prompt caches and thinking."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, ThinkingBlock, ToolUseBlock, check
from message_history.dialects import Anthropic
from message_history.integrations.strategies import messages
from message_history.windows import MovingWindow, WindowError, estimate_tokens

DIALECT = Anthropic()


def run(rounds: int, sent_of: Any, *, steered: bool = True) -> tuple[MessageHistory, list[list[Any]], list[list[bool]]]:
    """Play an agent whose history grows; give it, what was sent, and whether the thinking in it was valid."""
    history = MessageHistory().add_user("Repair the build.")
    sent: list[list[Any]] = []
    bound: list[list[bool]] = []
    for step in range(rounds):
        part = sent_of(history)
        assert not check(part.for_send(DIALECT), DIALECT)
        sent.append(part.for_send(DIALECT))
        blocks = [block for message in part for block in message.content]
        bound.append([block.bound for block in blocks if isinstance(block, ThinkingBlock)])
        call = ToolUseBlock(f"c{step}", "run", {"step": step})
        history = history.add_assistant([ThinkingBlock(f"thought {step}", "c2ln"), call])
        history = history.add_tool_result(call.id, f"output {step} " * 10)
        if steered and step % 25 == 24:
            history = history.add_user(f"Also {step}.")
    return history, sent, bound


class Following:
    """Follows a growing history."""

    def __init__(self, window: MovingWindow) -> None:
        self.window = window
        self.cuts: list[int] = []

    def __call__(self, history: MessageHistory) -> MessageHistory:
        self.window = self.window.follow(history)
        self.cuts.append(self.window.cut)
        return self.window.of(history)


def changes(sent: list[list[Any]]) -> int:
    """Count the requests that do not begin with the one before."""
    return sum(after[: len(before)] != before for before, after in pairwise(sent))


@pytest.mark.heavy
def test_what_is_sent_changes_rarely_where_a_fixed_window_changes_it_each_time() -> None:
    following = Following(MovingWindow(max_messages=60, keep=0.5))
    _, moving, _ = run(300, following, steered=False)
    _, fixed, _ = run(300, lambda history: history.window(max_messages=60), steered=False)
    moves = len(set(following.cuts)) - 1
    assert changes(moving) == moves
    assert moves <= 20
    assert changes(fixed) > 250
    assert max(map(len, moving)) <= 60


def test_a_budget_of_tokens_is_never_passed_and_moves_as_rarely() -> None:
    following = Following(MovingWindow(max_tokens=2_000, keep=0.5))
    counted = []

    def sent_of(history: MessageHistory) -> MessageHistory:
        part = following(history)
        counted.append(sum(map(estimate_tokens, part)))
        return part

    _, sent, _ = run(200, sent_of)
    assert max(counted) <= 2_000
    assert changes(sent) == len(set(following.cuts)) - 1 <= 20


def test_thinking_that_came_since_the_window_moved_stays_valid() -> None:
    following = Following(MovingWindow(max_messages=40, keep=0.5))
    _, _, bound = run(100, following)
    _, _, fixed = run(100, lambda history: history.window(max_messages=40))
    stays = [now == then for now, then in pairwise(following.cuts)]
    for same, before, after in zip(stays, bound, bound[1:], strict=False):
        if same:
            assert after == [*before, True]
        else:
            assert not any(after)
    assert sum(flags[-1:] == [True] for flags in bound) > 80
    assert sum(flags[-1:] == [True] for flags in fixed) < 30


def test_the_whole_history_is_stored_with_its_thinking_valid() -> None:
    history, _, _ = run(100, Following(MovingWindow(max_messages=20)))
    assert len(history) == 201
    blocks = [block for message in history for block in message.content]
    assert all(block.bound for block in blocks if isinstance(block, ThinkingBlock))


def test_a_window_goes_on_after_a_restart() -> None:
    history, _, _ = run(50, following := Following(MovingWindow(max_messages=20)))
    window = following.window.follow(history)
    saved = attrs.asdict(window, filter=attrs.filters.include("cut", "since", "pinned"))
    again = MovingWindow(max_messages=20, **saved)
    assert again == window == pickle.loads(pickle.dumps(window))
    assert again.of(MessageHistory.from_list(history.to_list())) == window.of(history)


def test_what_fits_is_the_history_itself() -> None:
    history = MessageHistory().add_user("Hi").add_assistant("Ho").add_user("Go")
    window = MovingWindow(max_messages=3, max_tokens=10_000)
    assert window.follow(history) is window
    assert window.of(history) is history
    assert window.follow(MessageHistory()) is window


def test_a_round_larger_than_the_part_that_is_kept_is_sent_while_it_fits_the_limit() -> None:
    history = MessageHistory().add_user("Go.").add_assistant("a").add_user("x" * 400)
    cost = estimate_tokens(history[-1])
    window = MovingWindow(max_tokens=cost + 5, keep=0.1).follow(history)
    assert window.of(history) == history.drop_before(2)
    with pytest.raises(WindowError, match="the newest round"):
        MovingWindow(max_tokens=cost - 1).follow(history)


def test_a_rewind_behind_the_cut_lets_the_window_begin_anew() -> None:
    history, _, _ = run(50, following := Following(MovingWindow(max_messages=20)))
    short = history[:5]
    window = following.window.follow(MessageHistory().extend(short))
    assert (window.cut, window.since) == (0, 0)


@given(st.lists(messages(), max_size=12), st.integers(3, 6))
def test_while_the_cut_stays_each_request_begins_with_the_one_before(arriving: list[Any], limit: int) -> None:
    dialect = Anthropic()
    history, window = MessageHistory(), MovingWindow(max_messages=limit)
    # A paused reply that goes on may change what was sent (law 6).
    for message in [message for message in (*arriving, *arriving) if message.role == "user"]:
        try:
            following = window.follow(history)
        except WindowError:
            return
        before = following.of(history.as_sent(dialect)).for_send(dialect)
        sent = history.as_sent(dialect)
        history = sent.add_assistant("Well.").add(message)
        after = following.of(history.as_sent(dialect)).for_send(dialect)
        assert after[: len(before)] == before
        window = following


@pytest.mark.parametrize("fields", [{}, {"max_messages": "3"}, {"max_tokens": True}])
def test_a_window_without_a_limit_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"limit|must be a number"):
        MovingWindow(**fields)


@pytest.mark.parametrize("fields", [{"keep": 0}, {"keep": 1.5}, {"max_messages": -1}, {"pin": "x"}, {"cut": -1}])
def test_odd_values_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"keep|max_messages|pin|cut"):
        MovingWindow(**{"max_messages": 3, **fields})
