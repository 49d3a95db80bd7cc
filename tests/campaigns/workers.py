"""Several workers run the approval agent of `examples`, and die: each payment is made once, all words are there once.

    python -m tests.campaigns.workers --runs 300 --kind sqlite --at-once 8

In each run two to four workers go on with one conversation, wait at random before and after whatever they do, and are
killed with SIGKILL at random and replaced, while clients send their words twice and a person approves. In one run of
four the workers sleep past the ends of their claims: then the tool itself must know the key. In the others it can only
be asked by it. Prints each failure, and in the end what was done; the exit code is 1 if there was any failure.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from examples.approval_agent import Agent, Payments
from filelock import FileLock

from message_history import CallState, CallStateError, MessageHistory, TextBlock, ToolUseBlock, check
from message_history.dialects import Anthropic
from message_history.storage import JsonlSession, SessionError, SqlSession
from tests.sessions.databases import postgresql_server

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS: Final = ("jsonl", "sqlite", "postgresql")
CALLS: Final = ("call_1", "call_2")
WORDS: Final = ("Pay five and six.", "Hurry!", "pay 5 to Bob")
LONGEST: Final = 600.0
"""A run that is not done after so many seconds has failed."""


class Slow(Payments):
    """The example's tool, slowly.

    Args:
        path: its file.
        chance: where the delays come from.
        delay: the longest of them.
        keyed: whether it pays once for a key by itself, as a payment provider does that takes one.
    """

    def __init__(self, path: Path, chance: Random, delay: float, *, keyed: bool) -> None:
        super().__init__(path)
        self.chance, self.delay, self.keyed = chance, delay, keyed

    def pay(self, key: str, amount: object) -> str:
        time.sleep(self.chance.random() * self.delay)
        # A process that dies between looking and paying has done neither: the system takes the lock back.
        with FileLock(self.path.with_suffix(".lock")):
            if not self.keyed or super().made(key) is None:
                super().pay(key, amount)
        time.sleep(self.chance.random() * self.delay)
        return f"paid {amount}"

    def made(self, key: str) -> str | None:
        # A payment that has begun is done, though its line may not be there yet.
        found = super().made(key)
        time.sleep(self.chance.random() * self.delay / 4)
        return found


def scripted(history: MessageHistory) -> Any:
    """Propose two payments, then talk."""
    if not history.calls:
        return [ToolUseBlock(id, "pay", {"amount": amount}) for id, amount in zip(CALLS, (5, 6), strict=True)]
    return f"They are {history.calls[0].state} and {history.calls[1].state}."


def work(agent: Agent, chance: Random) -> None:
    """Go on until all is done, whatever the others do; clients send their words through whichever worker is there."""
    said: set[str] = set()
    while True:
        with suppress(SessionError, CallStateError):
            text = chance.choice([*(set(WORDS) - said), ""])
            if text and (text == WORDS[0] or agent.history):
                agent.user_says(text, id=text)
                said.add(text)
            agent.go_on()
            if is_done(agent.history) and said == set(WORDS):
                return
        time.sleep(chance.random() * 0.8)


def is_done(history: MessageHistory) -> bool:
    return bool(history.calls) and all(each.state is CallState.ANSWERED for each in history.calls)


def run(open_session: Callable[[], Any], folder: Path, seed: int) -> tuple[list[str], Counter[str]]:
    """Let workers do one conversation; return what is wrong with it, and what happened."""
    chance, counts = Random(seed), Counter[str](runs=1)
    sleeps = seed % 4 == 0
    lasts, delay = (0.15, 0.4) if sleeps else (5.0, 0.25)

    def start(number: int) -> int:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                own = Random(seed * 1000 + number)
                payments = Slow(folder / "paid", own, delay, keyed=sleeps)
                agent = Agent(open_session(), payments, scripted, f"worker {number}", timedelta(seconds=lasts))
                work(agent, own)
                code = 0
            finally:
                os._exit(code)
        return child

    alive = {f"worker {number}": start(number) for number in range(chance.randint(2, 4))}
    counts["workers"] += len(alive)
    kills, end = chance.randint(1, 4), time.monotonic() + LONGEST
    person = open_session()
    undecided = set(CALLS)
    problems: list[str] = []
    while alive:
        time.sleep(chance.random() * 0.4)
        for name, child in list(alive.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                del alive[name]
                problems += ["a worker raised"] if status else []
        calls = person.load().calls
        with suppress(SessionError, CallStateError):
            waiting = {each.call.id for each in calls.where(CallState.WAITING)}
            for id in sorted(waiting & undecided)[: chance.randint(0, 2)]:
                person.update(partial(MessageHistory.record_call, call=id, state="approved", by="ann"), attempts=50)
                undecided.remove(id)
        # Those die most that are paying just now.
        paying = [each.by for each in calls.where(CallState.STARTED) if each.by in alive]
        if kills and alive and chance.random() < (0.7 if paying else 0.1):
            name = chance.choice(paying or sorted(alive))
            kill(alive.pop(name))
            kills -= 1
            counts["kills"] += 1
            counts["kills while paying"] += bool(paying)
            new = counts["workers"] = counts["workers"] + 1
            alive[f"worker {new}"] = start(new)
        if time.monotonic() > end:
            problems.append("not done in time")
            for child in alive.values():
                kill(child)
            alive.clear()
    history = person.load()
    problems += wrong(history, folder / "paid", counts)
    return problems, counts


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def wrong(history: MessageHistory, paid: Path, counts: Counter[str]) -> list[str]:
    """Return what is wrong once all is done."""
    lines = paid.read_text(encoding="utf-8").splitlines() if paid.exists() else []
    counts["payments"] += len(lines)
    counts["claimed again"] += sum(
        sum(each.state == "started" for each in record.decisions) > 1 for record in history.calls
    )
    wanted = sorted(f"{record.key} {record.input['amount']}" for record in history.calls)
    problems = [] if sorted(lines) == wanted else [f"paid {lines}, not {wanted}"]
    problems += [] if is_done(history) else [f"states {[str(each.state) for each in history.calls]}"]
    problems += [f"{text!r} is there {count} times" for text in WORDS if (count := times(history, text)) != 1]
    problems += [] if check(history.for_send(), Anthropic()) == [] else ["the list is invalid"]
    return problems


def times(history: MessageHistory, text: str) -> int:
    """Count how often the user says a text."""
    blocks = [block for message in history if message.role == "user" for block in message.content]
    return sum(isinstance(block, TextBlock) and block.text == text for block in blocks)


def runs(kind: str, server: str | None, first: int, count: int, at_once: int) -> tuple[list[str], Counter[str]]:
    """Do so many runs, some at the same time, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def one(seed: int) -> tuple[list[str], Counter[str]]:
            mine = folder / str(seed)
            mine.mkdir()
            return apart(lambda: run(lambda: open_session(kind, server, folder, seed), mine, seed), mine)

        # What each process would have to find out is found out before they are made.
        warm = Agent(open_session(kind, server, folder, -1), Payments(folder / "paid"), scripted)
        warm.user_says("Pay.")
        warm.decide("call_1", approved=True)
        warm.go_on()
        found: list[str] = []
        counts: Counter[str] = Counter()
        with ThreadPoolExecutor(at_once) as pool:
            for seed, (problems, more) in zip(
                range(first, first + count), pool.map(one, range(first, first + count)), strict=True
            ):
                found += [f"{kind} {seed}: {problem}" for problem in problems]
                counts += more
        return found, counts


def open_session(kind: str, server: str | None, folder: Path, seed: int) -> Any:
    if kind == "jsonl":
        return JsonlSession(folder / f"{seed}.jsonl", fsync="never", lock_timeout=60)
    return SqlSession(server or folder / "chats.db", f"run {seed}", lock_timeout=60)


def apart(task: Callable[[], tuple[list[str], Counter[str]]], folder: Path) -> tuple[list[str], Counter[str]]:
    """Run a task in a process of its own, which may fork and wait for its children as it likes."""
    child = os.fork()
    if child == 0:
        try:
            problems, counts = task()
            (folder / "outcome").write_text(repr((problems, dict(counts))))
        except Exception:  # noqa: BLE001 - the parent counts it
            traceback.print_exc()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    path = folder / "outcome"
    if not path.exists():
        return ["the run raised"], Counter()
    problems, counts = eval(path.read_text())
    return problems, Counter(counts)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.workers", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, metavar="N")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--at-once", type=int, default=4, metavar="N")
    options = parser.parse_args(arguments)
    failed = False
    for kind in options.kind or KINDS:
        with ExitStack() as stack:
            server = stack.enter_context(postgresql_server()) if kind == "postgresql" else None
            start = time.monotonic()
            found, counts = runs(kind, server, options.first, options.runs, options.at_once)
        print("\n".join(found[:20]), flush=True) if found else None
        print(f"{kind}: {dict(counts)} in {time.monotonic() - start:,.0f} s, {len(found)} failures", flush=True)
        failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
