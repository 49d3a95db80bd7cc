"""Threads that share the storage of one version: each gets what it would get alone, wherever they are switched."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory, ToolUseBlock
from message_history.core.values import log
from message_history.core.views import json_cache
from message_history.dialects import Anthropic, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

FILES = frozenset({json_cache.__file__, log.__file__})


def grown(turns: int) -> MessageHistory:
    """Return a history of so many settled turns with calls, none of them written yet."""
    history = MessageHistory().add_user("q")
    for number in range(turns):
        history = history.add_assistant(ToolUseBlock(f"c{number}", "f", {})).add_tool_result(f"c{number}", f"r{number}")
    return history


def fork(history: MessageHistory, name: str) -> MessageHistory:
    """Return a successor whose next turns are its own."""
    for number in range(3):
        history = history.add_assistant(f"{name} {number}").add_user(f"{name} says {number}")
    return history


def collect(into: list[Any], work: Callable[[], Any]) -> None:
    """Do some work, and collect what it gives."""
    into.append(work())


def switched(work: Callable[[], Any], other: Callable[[], Any], at: int) -> tuple[Any, bool]:
    """Do some work, and other work before its line of that number, as a thread that is switched there does.

    Args:
        work: the work.
        other: what another thread does meanwhile.
        at: how many lines of `FILES` have run by then.

    Returns:
        What the work gives, and whether it had so many lines.
    """
    left = at

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        del frame, argument
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                other()
        return local

    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        del event, argument
        return local if frame.f_code.co_filename in FILES else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        found = work()
    finally:
        sys.settrace(before)
    return found, left <= 0


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("turns", [2, pytest.param(66, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("dialect", [Anthropic(), OpenAIChat()], ids=lambda it: it.name)
def test_a_switch_at_any_line_leaves_each_branch_its_own_messages(dialect: Any, turns: int, same: bool) -> None:
    at, reached = 0, True
    while reached:
        at += 1
        shared = grown(turns)
        shared.for_send_json(dialect)
        one = fork(shared, "one")
        if same:
            # What the second branch copies from the first then knows turns that are not its own.
            one.for_send_json(dialect)
        other = fork(shared, "other")
        said: list[bytes] = []
        send = partial((other if same else one).for_send_json, dialect)
        found, reached = switched(send, partial(collect, said, partial(other.for_send_json, dialect)), at)
        for branch, texts in ((other if same else one, [found]), (other, said)):
            expected = branch.for_send(dialect)
            assert all(json.loads(text) == expected for text in (*texts, branch.for_send_json(dialect)))
    assert at > 10


def test_a_switch_at_any_line_leaves_each_successor_its_own_messages() -> None:
    at, reached = 0, True
    while reached:
        at += 1
        shared = grown(3)
        made: list[MessageHistory] = []
        one, reached = switched(
            partial(fork, shared, "one"), partial(collect, made, partial(fork, shared, "other")), at
        )
        assert one.to_list() == fork(grown(3), "one").to_list()
        assert all(other.to_list() == fork(grown(3), "other").to_list() for other in made)
        assert shared.to_list() == grown(3).to_list()
    assert at > 10


def test_threads_that_extend_and_send_one_version_do_not_see_each_other() -> None:
    shared, dialect = grown(66), Anthropic()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            branches = list(threads.map(partial(fork, shared), [f"thread {number}" for number in range(32)]))
            texts = list(threads.map(partial(MessageHistory.for_send_json, dialect=dialect), branches))
    finally:
        sys.setswitchinterval(interval)
    for number, (branch, text) in enumerate(zip(branches, texts, strict=True)):
        assert branch.to_list() == fork(shared, f"thread {number}").to_list()
        assert json.loads(text) == branch.for_send(dialect)
