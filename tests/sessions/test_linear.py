"""Several writers of one session, killed and paused at random: what they saw can have happened one after another."""

from __future__ import annotations

import os
import random
import re
import signal
import time
import traceback
from collections import Counter
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from attrs import evolve

from message_history import CallState, CallStateError, MessageHistory, ToolUseBlock
from message_history.storage import SessionConflictError, SessionLockedError
from tests.campaigns.workers import KINDS, kill, open_session
from tests.needs import needs_processes
from tests.sessions.growing import LONG
from tests.sessions.linear import Operation, State, find_order

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sessions.linear import Seen

CALLS: Final = [ToolUseBlock(f"call_{number}", "pay", {"amount": number}) for number in range(12)]
RUNS: Final = int(os.environ.get("MESSAGE_HISTORY_RUNS", "100" if LONG else "6"))
WRITERS, STEPS, KILLS = 4, 12, 6
LASTS: Final = 0.04
"""Turns last so many seconds: a writer that is paused may lose its own."""


def op(writer: str, kind: str, start: float, end: float, *, words: str | None = None, **more: Any) -> Operation:
    """Write an operation shortly; `words` are what it saw, one letter each."""
    seen = None if words is None else (tuple(words), frozenset[tuple[str, str]]())
    return Operation(writer=writer, kind=kind, start=start, end=end, seen=seen, **more)


def claim(writer: str, start: float, end: float, **more: Any) -> Operation:
    return op(writer, "claim", start, end, about="pay", **more)


def hold(writer: str, start: float, end: float, **more: Any) -> Operation:
    return op(writer, "hold", start, end, about=f"turn of {writer}", lasts=5, **more)


def appended(writer: str, start: float, about: str, **more: Any) -> list[Operation]:
    """Load and append, without having seen anything."""
    return [op(writer, "load", start, start + 1), op(writer, "append", start + 2, start + 3, about=about, **more)]


LOST = {"outcome": ""}
HISTORIES: Final[dict[str, tuple[bool, list[Operation]]]] = {
    "nothing": (True, []),
    "one after another": (True, [*appended("a", 0, "x"), op("b", "load", 4, 5, words="x")]),
    "at once, the later one first": (
        True,
        [
            op("a", "update", 0, 9, about="x", words="yx"),
            op("b", "update", 1, 8, about="y", words="y"),
            op("c", "load", 2, 3, words=""),
            op("c", "load", 4, 5, words="y"),
        ],
    ),
    "a lost append": (False, [*appended("a", 0, "x"), op("b", "load", 4, 5, words="")]),
    "an append that is lost later": (
        False,
        [*appended("a", 0, "x"), op("b", "load", 4, 5, words="x"), op("b", "load", 6, 7, words="")],
    ),
    "an append that overwrites another": (
        False,
        [*appended("a", 0, "x"), op("b", "update", 4, 5, about="y", words="y")],
    ),
    "two appends to one revision": (False, [*appended("a", 0, "x"), *appended("b", 0, "y")]),
    "two appends to one revision, one refused": (
        True,
        [*appended("a", 0, "x"), *appended("b", 0, "y", outcome="conflict")],
    ),
    "a conflict with nobody": (False, [*appended("a", 0, "x", outcome="conflict"), op("b", "load", 9, 10, words="")]),
    "a stale read": (
        False,
        [
            op("a", "update", 0, 9, about="x"),
            op("b", "load", 1, 2, words="x"),
            op("c", "load", 3, 4, words=""),
        ],
    ),
    "reads in two orders": (
        False,
        [
            op("a", "update", 0, 9, about="x"),
            op("b", "update", 0, 9, about="y"),
            op("c", "load", 1, 8, words="x"),
            op("d", "load", 1, 8, words="y"),
        ],
    ),
    "an append that is there twice": (False, [*appended("a", 0, "x"), op("b", "load", 4, 5, words="xx")]),
    "a killed append that did not happen": (True, [*appended("a", 0, "x", **LOST), op("b", "load", 4, 5, words="")]),
    "a killed append that happened": (True, [*appended("a", 0, "x", **LOST), op("b", "load", 4, 5, words="x")]),
    "a killed append that happened after the kill": (
        False,
        [*appended("a", 0, "x", **LOST), op("b", "load", 4, 5, words=""), op("b", "load", 6, 7, words="x")],
    ),
    "a killed append that a server does later": (
        True,
        [
            op("a", "update", 0, float("inf"), about="x", outcome=""),
            op("b", "load", 4, 5, words=""),
            op("b", "load", 6, 7, words="x"),
        ],
    ),
    "a killed append that is taken back": (
        False,
        [*appended("a", 0, "x", **LOST), op("b", "load", 4, 5, words="x"), op("b", "load", 6, 7, words="")],
    ),
    "one claim": (True, [claim("a", 0, 3), claim("b", 1, 2, outcome="refused", holder="a")]),
    "a doubled claim": (False, [claim("a", 0, 3), claim("b", 1, 2)]),
    "a claim that is refused for nobody": (False, [claim("b", 0, 1, outcome="refused", holder="a"), claim("a", 2, 3)]),
    "a killed claim that holds": (True, [claim("a", 0, 1, **LOST), claim("b", 2, 3, outcome="refused", holder="a")]),
    "a killed claim that does not hold": (True, [claim("a", 0, 1, **LOST), claim("b", 2, 3)]),
    "a turn": (True, [hold("a", 0, 1), hold("b", 2, 3, outcome="refused", holder="a")]),
    "a doubled turn": (False, [hold("a", 0, 1), hold("b", 2, 3)]),
    "a turn that is given back": (
        True,
        [hold("a", 0, 1), op("a", "release", 2, 3, about="turn of a"), hold("b", 3, 4)],
    ),
    "a turn that has ended by itself": (True, [hold("a", 0, 1), hold("b", 6, 7)]),
    "a turn that does not end": (False, [hold("a", 0, 1), hold("b", 7, 8, outcome="refused", holder="a")]),
    "an append in a turn that is lost": (
        True,
        [hold("a", 0, 1), hold("b", 6, 7), *appended("a", 8, "x", turn="turn of a", outcome="lost")],
    ),
    "an append in the turn of another": (
        False,
        [hold("a", 0, 1), hold("b", 6, 7), *appended("a", 8, "x", turn="turn of a")],
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_the_checker_tells_what_can_have_happened(name: str) -> None:
    possible, operations = HISTORIES[name]
    order = find_order(operations, State())
    assert (order is not None) == possible
    assert order is None or len(order) >= sum(bool(each.outcome) for each in operations)


def test_half_a_line_of_a_killed_writer_is_a_new_revision_where_lines_are_torn() -> None:
    operations = [
        op("a", "load", 0, 1),
        op("b", "load", 0, 1),
        op("a", "append", 2, 3, about="x", outcome=""),
        op("b", "append", 4, 5, about="y", outcome="conflict"),
        op("b", "load", 6, 7, words=""),
    ]
    assert find_order(operations, State()) is None
    assert find_order(operations, State(), torn=True) is not None


def seen(history: MessageHistory) -> Seen:
    words = re.findall(r"w\d+\.\d+", "\n".join(message.text for message in history if message.role == "user"))
    return tuple(words), frozenset((each.call.id, each.by) for each in history.calls.where(CallState.STARTED))


class Writer:
    """A writer that notes each operation before and after it, so that a kill leaves the first note."""

    def __init__(self, session: Any, folder: Path, name: str) -> None:
        self.session, self.name = session, name
        self.notes = os.open(folder / f"{name}.notes", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self.number = 0

    def note(self, **values: Any) -> None:
        os.write(self.notes, f"{values!r}\n".encode())

    def do(self, kind: str, task: Callable[[], Any], **about: Any) -> Any:
        """Do something as one operation."""
        self.note(kind=kind, start=time.monotonic(), **about)
        returned = None
        more: dict[str, object] = {"outcome": "done"}
        try:
            returned = task()
        except SessionConflictError:
            more = {"outcome": "conflict"}
        except CallStateError as error:
            more = {"outcome": "refused", "holder": error.record.by if error.record else ""}
        except SessionLockedError as error:
            more = {"outcome": "refused" if kind == "turn" else "lost", "holder": error.worker or ""}
        end = time.monotonic()
        history = getattr(returned, "history", returned)
        if isinstance(history, MessageHistory):
            more["seen"] = seen(history)
        self.note(end=end, **more)
        return returned

    def load_and_append(self, chance: random.Random, words: str, turn: str = "") -> None:
        history = self.do("load", self.session.load)
        time.sleep(chance.random() * 0.004)
        history = more(history, words, chance)
        self.do("append", lambda: self.session.append(history), about=words, turn=turn)

    def step(self, chance: random.Random) -> None:
        self.number += 1
        words = f"w{self.name}.{self.number}"
        kind = chance.choice(["load", "append", "append", "update", "claim", "turn", "turn"])
        if kind == "load":
            self.do(kind, self.session.load)
        elif kind == "append":
            self.load_and_append(chance, words)
        elif kind == "update":
            self.do(kind, lambda: self.session.update(lambda found: more(found, words, chance)), about=words)
        elif kind == "claim":
            call = chance.choice(CALLS)
            end = timedelta(hours=1)
            self.do(kind, lambda: self.session.claim(call, worker=self.name, until=end), about=call.id)
        else:
            self.turn(chance, words)

    def turn(self, chance: random.Random, words: str) -> None:
        there = self.session.turn(self.name, until=timedelta(seconds=LASTS))
        if self.do("turn", there.__enter__, about=f"turn {words}", lasts=LASTS) is not None:
            self.load_and_append(chance, words, f"turn {words}")
            self.do("release", lambda: there.__exit__(None, None, None), about=f"turn {words}")


def more(history: MessageHistory, words: str, chance: random.Random) -> MessageHistory:
    history = history.add_user(words)
    return history.add_assistant("Noted.") if chance.random() < 0.5 else history


def read_notes(path: Path, killed: float) -> list[Operation]:
    """Return the operations of a writer; a turn is taken, and then loads."""
    *lines, _ = path.read_text().split("\n")
    values = [eval(line) for line in lines]
    operations: list[Operation] = []
    for before, after in zip(values[::2], [*values[1::2], {"end": killed, "outcome": ""}], strict=False):
        each = Operation(writer=path.stem, **{**before, **after})
        if each.kind == "turn":
            operations.append(evolve(each, kind="hold", seen=None))
            if each.outcome != "refused":
                operations.append(evolve(each, kind="load"))
        else:
            operations.append(each)
    return operations


def write_at_once(
    make: Callable[[], Any], folder: Path, seed: int, late: float
) -> tuple[list[Operation], Counter[str]]:
    """Let writers write, kill some and pause others; return what they did.

    Args:
        make: opens the session.
        folder: where the notes are.
        seed: of what happens at random.
        late: until when, after the kill, an operation of a killed writer can still happen.
    """
    chance, counts = random.Random(seed), Counter[str]()
    ended: dict[str, float] = {}

    def start(number: int) -> int:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                writer, own = Writer(make(), folder, str(number)), random.Random(seed * 1_000 + number)
                for _ in range(STEPS):
                    writer.step(own)
                code = 0
            except Exception:  # noqa: BLE001 - the parent counts it
                traceback.print_exc()
            finally:
                os._exit(code)
        return child

    alive = {str(number): start(number) for number in range(WRITERS)}
    while alive:
        time.sleep(chance.random() * 0.02)
        for name, child in list(alive.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                assert status == 0, f"writer {name} raised"
                ended[name] = time.monotonic()
                del alive[name]
        if not alive:
            break
        name = chance.choice(sorted(alive))
        # The first is killed at once, so that some writer always is.
        if counts["kills"] and chance.random() < 0.4:
            os.kill(alive[name], signal.SIGSTOP)
            time.sleep(chance.random() * 2 * LASTS)
            os.kill(alive[name], signal.SIGCONT)
            counts["pauses"] += 1
        elif counts["kills"] < KILLS:
            kill(alive.pop(name))
            ended[name] = time.monotonic() + late
            counts["kills"] += 1
            new = str(WRITERS + counts["kills"])
            alive[new] = start(int(new))
    last = Writer(make(), folder, "last")
    last.do("load", last.session.load)
    operations = [
        each for path in folder.glob("*.notes") for each in read_notes(path, ended.get(path.stem, time.monotonic()))
    ]
    counts.update(f"{each.kind} {each.outcome or 'killed'}" for each in operations)
    return operations, counts


def run(kind: str, server: str | None, folder: Path, runs: int) -> Counter[str]:
    """Let writers write to sessions at once, each from a seed of its own, and look for an order."""
    # A server may finish what a client that is dead has asked for.
    late = float("inf") if kind == "postgresql" else 0.0
    first, total = random.SystemRandom().randrange(10**6), Counter[str]()
    for seed in range(first, first + runs):
        notes = folder / str(seed)
        notes.mkdir()
        make = partial(open_session, kind, server, folder, seed)
        make().save(begun())
        operations, counts = write_at_once(make, notes, seed, late)
        order = find_order(operations, State(), torn=kind == "jsonl")
        assert order is not None, f"no order of the operations in {notes}"
        total += counts
    print(f"{kind}: {dict(sorted(total.items()))}")  # noqa: T201
    return total


@needs_processes
def test_what_the_writers_of_a_file_do_at_once_can_have_happened_in_some_order(tmp_path: Path) -> None:
    assert run("jsonl", None, tmp_path, 1)["kills"]


@pytest.mark.heavy
@needs_processes
@pytest.mark.parametrize("kind", KINDS)
def test_what_writers_do_at_once_can_have_happened_in_some_order(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind != "jsonl":
        pytest.importorskip("sqlalchemy")
    server = request.getfixturevalue("new_schema") if kind == "postgresql" else None
    total = run(kind, server, tmp_path, RUNS)
    assert total["kills"]
    assert total["pauses"]


def begun() -> MessageHistory:
    """Return a history in which calls may be claimed."""
    history = MessageHistory().add_user("Pay.").add_assistant(CALLS)
    for call in CALLS:
        history = history.record_call(call, "waiting").record_call(call, "approved", by="ann")
    return history
