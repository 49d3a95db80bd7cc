"""What became of each call survives a crash: no effect twice, none offered as safe that may have happened."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from examples.approval_agent import Agent, Payments, scripted
from hypothesis import given, settings

from message_history import CallState, CallStateError, TextBlock, check
from message_history.dialects import Anthropic, Dialect, Gemini, OpenAIChat, OpenAIResponses
from message_history.storage.sessions.jsonl import JsonlSession
from tests.campaigns.workers import KINDS, runs
from tests.needs import needs_processes
from tests.sessions.call_model import World, actions, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIALECTS: list[Dialect[Any]] = [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini()]
STEPS: list[Callable[[Agent], object]] = [
    lambda agent: agent.user_says("Pay five.", id="1"),
    lambda agent: agent.user_says("And the weather?", id="2"),
    lambda agent: agent.decide("call_1", approved=True),
    lambda agent: agent.go_on(),
    lambda agent: agent.user_says("Done?", id="3"),
]
LASTS = timedelta(minutes=1)


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


class Clock:
    """Time that passes while a process is dead."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


class FusedPayments(Payments):
    def __init__(self, path: Path, fuse: Fuse) -> None:
        super().__init__(path)
        self.fuse = fuse

    def pay(self, key: str, amount: object) -> str:
        self.fuse.burn()
        paid = super().pay(key, amount)
        self.fuse.burn()
        return paid


def fused(folder: Path, fuse: Fuse, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """Return the example's agent; the process ends before or after each write to its session, and each payment."""
    for name in ("_append", "_hold", "_release"):
        whole = getattr(JsonlSession, name)

        def write(*given: Any, whole: Any = whole) -> None:
            fuse.burn()
            whole(*given)
            fuse.burn()

        monkeypatch.setattr(JsonlSession, name, write)
    session = JsonlSession(folder / "session.jsonl", clock=clock)
    return Agent(session, FusedPayments(folder / "paid", fuse), scripted, lasts=LASTS)


def paid(folder: Path) -> list[str]:
    path = folder / "paid"
    return path.read_text().splitlines() if path.exists() else []


def assert_all_is_well(folder: Path) -> None:
    history = JsonlSession(folder / "session.jsonl").load()
    record = history.calls[0]
    assert len(paid(folder)) == 1
    assert record.state is CallState.ANSWERED
    assert history.calls.unsettled() == ()
    texts = [block.text for message in history for block in message.content if isinstance(block, TextBlock)]
    assert [texts.count(text) for text in ("Pay five.", "And the weather?", "Done?")] == [1, 1, 1]
    for dialect in DIALECTS:
        assert check(history.for_send(dialect), dialect) == []


def run_all(folder: Path, fuse: Fuse, clock: Clock, done: list[int]) -> None:
    """Take the steps that are left; each process waits until what a dead one held has lapsed."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        agent = fused(folder, fuse, clock, monkeypatch)
        while len(done) < len(STEPS):
            agent.go_on()
            # The decision may be on disk already.
            with suppress(CallStateError):
                STEPS[len(done)](agent)
            done.append(1)


def test_a_payment_is_made_once_wherever_the_process_ends(tmp_path: Path) -> None:
    def end() -> None:
        raise Killed

    for point in range(1, 100):
        folder, clock, done = tmp_path / str(point), Clock(), list[int]()
        folder.mkdir()
        fuse = Fuse(point, end)
        try:
            run_all(folder, fuse, clock, done)
        except Killed:
            effects = paid(folder)
            assert len(effects) <= 1
            for record in JsonlSession(folder / "session.jsonl").load().calls:
                assert not effects or record.state in (CallState.STARTED, CallState.ANSWERED)
            clock.time += 61
            run_all(folder, fuse, clock, done)
        assert_all_is_well(folder)
        if fuse.left > 0:
            return
    raise AssertionError("the example takes more steps than this test knows")


def kills() -> int:
    return 1_000 if os.environ.get("HYPOTHESIS_PROFILE") in ("more", "deep") else 25


@pytest.mark.heavy
@needs_processes
def test_killed_with_a_signal_at_random_points_no_payment_is_made_twice(tmp_path: Path) -> None:
    chance = random.Random(1)
    for number in range(kills()):
        folder, clock = tmp_path / str(number), Clock()
        folder.mkdir()
        for left in (chance.randrange(1, 60), 0):
            child = os.fork()
            if child == 0:
                try:
                    run_all(folder, Fuse(left, lambda: os.kill(os.getpid(), signal.SIGKILL)), clock, [])
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            clock.time += 61
            assert len(paid(folder)) <= 1
        assert_all_is_well(folder)


@needs_processes
def test_a_second_worker_does_not_pay_what_the_first_is_paying(tmp_path: Path) -> None:
    class SlowPayments(Payments):
        def pay(self, key: str, amount: object) -> str:
            time.sleep(0.5)
            return super().pay(key, amount)

    def agent() -> Agent:
        return Agent(JsonlSession(tmp_path / "session.jsonl"), SlowPayments(tmp_path / "paid"), scripted)

    agent().user_says("Pay five.")
    agent().decide("call_1", approved=True)
    children = []
    for delay in (0, 0.25):
        child = os.fork()
        if child == 0:
            try:
                time.sleep(delay)
                agent().go_on()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert len(paid(tmp_path)) == 1
    assert agent().history.calls[0].state is CallState.ANSWERED


def test_what_a_person_edited_is_paid(tmp_path: Path) -> None:
    agent = Agent(JsonlSession(tmp_path / "session.jsonl"), Payments(tmp_path / "paid"), scripted)
    agent.user_says("Pay five.")
    agent.session.update(lambda history: history.record_call("call_1", "approved", by="ann", input={"amount": 4}))
    agent.go_on()
    assert paid(tmp_path) == [f"{agent.history.calls[0].key} 4"]


@pytest.mark.heavy
@needs_processes
@pytest.mark.parametrize("kind", KINDS)
def test_a_few_runs_of_workers_that_die_pay_once(kind: str, request: pytest.FixtureRequest) -> None:
    """`python -m tests.campaigns.workers` does as many as one likes."""
    if kind != "jsonl":
        pytest.importorskip("sqlalchemy")
    server = request.getfixturevalue("server") if kind == "postgresql" else None
    found, counts = runs(kind, server, 0, int(os.environ.get("MESSAGE_HISTORY_RUNS", "8")), 4)
    assert found == []
    assert counts["kills"]


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
