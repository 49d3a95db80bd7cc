"""What became of each call survives a crash: no effect twice, none offered as safe that may have happened."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING, Any

import pytest
from examples.approval_agent import Agent, Payments, scripted
from hypothesis import given, settings

from message_history import CallState, CallStateError, MessageHistory, check
from message_history.dialects import Anthropic, Dialect, Gemini, OpenAIChat, OpenAIResponses
from message_history.storage.sessions.jsonl import JsonlSession
from tests.needs import needs_processes
from tests.sessions.call_model import World, actions, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini()]
STEPS: list[Callable[[Agent], None]] = [
    lambda agent: agent.user_says("Pay five."),
    lambda agent: agent.user_says("And the weather?"),
    lambda agent: agent.decide("call_1", approved=True),
    lambda agent: agent.go_on(),
    lambda agent: agent.user_says("Done?"),
]


class Killed(BaseException):
    """The process ended."""


class Fuse:
    """Ends the process at one of the points where it touches the world."""

    def __init__(self, points: int, end: Callable[[], None]) -> None:
        self.left = points
        self._end = end

    def burn(self) -> None:
        self.left -= 1
        if self.left == 0:
            self._end()


class Fused(Agent):
    """The example's agent, which ends before or after each save and each payment."""

    def __init__(self, folder: Path, fuse: Fuse) -> None:
        super().__init__(JsonlSession(folder / "session.jsonl"), FusedPayments(folder / "paid", fuse), scripted)
        self.fuse = fuse

    def save(self, history: MessageHistory) -> None:
        self.fuse.burn()
        super().save(history)
        self.fuse.burn()


class FusedPayments(Payments):
    def __init__(self, path: Path, fuse: Fuse) -> None:
        super().__init__(path)
        self.fuse = fuse

    def pay(self, key: str, amount: object) -> str:
        self.fuse.burn()
        paid = super().pay(key, amount)
        self.fuse.burn()
        return paid


def paid(folder: Path) -> list[str]:
    path = folder / "paid"
    return path.read_text().splitlines() if path.exists() else []


def assert_all_is_well(folder: Path) -> None:
    history = JsonlSession(folder / "session.jsonl").load()
    record = history.calls[0]
    assert len(paid(folder)) == 1
    assert record.state is CallState.ANSWERED
    assert history.calls.unsettled() == ()
    for dialect in DIALECTS:
        assert check(history.for_send(dialect), dialect) == []


def test_a_payment_is_made_once_wherever_the_process_ends(tmp_path: Path) -> None:
    def end() -> None:
        raise Killed

    for point in range(1, 60):
        folder = tmp_path / str(point)
        folder.mkdir()
        done = 0
        fuse = Fuse(point, end)
        while done < len(STEPS):
            step = done
            try:
                done = run_one(folder, fuse, step)
            except Killed:
                effects = paid(folder)
                state = JsonlSession(folder / "session.jsonl").load().calls
                assert len(effects) <= 1
                if effects:
                    assert state[0].state in (CallState.STARTED, CallState.ANSWERED)
        assert_all_is_well(folder)
        if fuse.left > 0:
            return
    raise AssertionError("the example takes more steps than this test knows")


def run_one(folder: Path, fuse: Fuse, step: int) -> int:
    agent = Fused(folder, fuse)
    agent.go_on()
    try:
        STEPS[step](agent)
    except CallStateError:
        # The decision was on disk before the process ended.
        assert agent.history.calls[0].state in (CallState.APPROVED, CallState.STARTED, CallState.ANSWERED)
    return step + 1


def kills() -> int:
    return 1_000 if os.environ.get("HYPOTHESIS_PROFILE") in ("more", "deep") else 25


@pytest.mark.heavy
@needs_processes
def test_killed_with_a_signal_at_random_points_no_payment_is_made_twice(tmp_path: Path) -> None:
    chance = random.Random(1)
    for number in range(kills()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for left in (chance.randrange(1, 40), 0):
            child = os.fork()
            if child == 0:
                fuse = Fuse(left, lambda: os.kill(os.getpid(), signal.SIGKILL))
                try:
                    for step in range(len(STEPS)):
                        run_one(folder, fuse, step)
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            assert len(paid(folder)) <= 1
        assert_all_is_well(folder)


@given(taken=actions)
def test_random_sessions_in_a_file(tmp_path_factory: pytest.TempPathFactory, taken: list[tuple[str, int, str]]) -> None:
    path = tmp_path_factory.mktemp("calls") / "session.jsonl"
    play(World(lambda: JsonlSession(path)), taken)


@pytest.mark.heavy
@given(taken=actions)
@settings(max_examples=int(os.environ.get("MESSAGE_HISTORY_RUNS", "500")))
def test_hundreds_of_random_sessions_in_a_file(
    tmp_path_factory: pytest.TempPathFactory, taken: list[tuple[str, int, str]]
) -> None:
    path = tmp_path_factory.mktemp("calls") / "session.jsonl"
    play(World(lambda: JsonlSession(path)), taken)
