"""What became of each call survives a crash: no effect twice, none offered as safe that may have happened."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING, Any

import pytest
from examples.approval_agent import Agent, Payments, scripted
from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import CallState, CallStateError, MessageHistory, ToolUseBlock, check
from message_history.dialects import Anthropic, Dialect, Gemini, OpenAIChat, OpenAIResponses
from message_history.storage.sessions.jsonl import JsonlSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be killed")
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


class World:
    """A random session: the history on disk, and what really happened."""

    def __init__(self, sessions: Callable[[], Any]) -> None:
        self.open = sessions
        self.history = sessions().load()
        self.ran: dict[str, int] = {}
        self.ended: dict[str, CallState] = {}
        self.session = sessions()
        self.session.load()

    def save(self, history: MessageHistory) -> None:
        self.session.append(history)
        self.history = history

    def reload(self) -> None:
        self.session = self.open()
        loaded = self.session.load()
        assert loaded == self.history
        assert loaded.calls == self.history.calls
        self.history = loaded

    def holds(self) -> None:
        for record in self.history.calls:
            if record.key in self.ended:
                assert record.state is self.ended[record.key]
            if record.state in (CallState.ANSWERED, CallState.DENIED):
                self.ended[record.key] = record.state
                assert record.call.id not in [call.id for call in self.history.awaiting if call.turn == record.position]
            if self.ran.get(record.key):
                assert record.state in (CallState.STARTED, CallState.ANSWERED)
        for dialect in DIALECTS:
            assert check(self.history.for_send(dialect), dialect) == []


ACTIONS = ("user", "reply", "call", "calls", "waiting", "approved", "denied", "run", "crash", "run and crash", "reload")


def play(world: World, actions: list[tuple[str, int]]) -> None:
    """Take the actions; a call runs only when its state says that it may, and `started` is saved before it does."""
    if not world.history:
        world.save(world.history.add_user("q"))
    for action, number in actions:
        history = world.history
        sent = history.for_send()
        settled = max((n for n, message in enumerate(history) if message.role == "assistant"), default=0)
        unsettled = history.calls.unsettled()
        record = unsettled[number % len(unsettled)] if unsettled else None
        if action == "user":
            world.save(history.add_user("more"))
        elif action == "reply":
            closed = history.as_sent(Anthropic())
            world.save(closed.add_assistant("ok"))
            assert world.history.for_send()[: len(closed)] == closed.for_send()
        elif action in ("call", "calls"):
            calls = [ToolUseBlock(f"call_{n}", "f", {"n": n}) for n in range(1 if action == "call" else 2)]
            world.save(history.add_assistant(calls))
        elif action == "reload":
            world.reload()
        elif record is not None and world.ran.get(record.key):
            # It was started and took effect: who looks for its key finds that.
            world.save(history.add_tool_result(record.call, "found"))
        elif record is not None and action in ("waiting", "approved", "denied"):
            try:
                world.save(history.record_call(record.call, action))
            except CallStateError:
                continue
        elif record is not None and record.state in (CallState.APPROVED, CallState.PROPOSED):
            world.save(history.record_call(record.call, "started"))
            if action != "crash":
                world.ran[record.key] = world.ran.get(record.key, 0) + 1
            if action == "run":
                world.save(world.history.add_tool_result(record.call, "done"))
            else:
                world.reload()
        assert world.history.for_send()[:settled] == sent[:settled]
        world.holds()
    assert all(count == 1 for count in world.ran.values())


@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 3)), max_size=20))
def test_random_sessions_in_a_file(tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int]]) -> None:
    path = tmp_path_factory.mktemp("calls") / "session.jsonl"
    play(World(lambda: JsonlSession(path)), actions)


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return iter(range(1_000_000))


@given(actions=st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 3)), max_size=20))
@settings(max_examples=20)
def test_random_sessions_in_sqlite(
    tmp_path_factory: pytest.TempPathFactory, numbers: Iterator[int], actions: list[tuple[str, int]]
) -> None:
    pytest.importorskip("sqlalchemy")
    from message_history.storage.databases.session import SqlSession  # noqa: PLC0415 - an extra

    url = f"sqlite:///{tmp_path_factory.getbasetemp() / 'calls.sqlite'}"
    name = f"session {next(numbers)}"
    play(World(lambda: SqlSession(url, name)), actions)
