"""What two threads that work with one history take, beside one thread: whether threads bring anything, or cost.

Seconds are those of a clock, for each call of all threads. What is shared is one history, or one list of dicts; each
thread makes versions of its own, so that the first message that it adds meets that of the other.
"""

from __future__ import annotations

import gc
from statistics import median
from threading import Barrier, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measure import made
from benchmarks.transcripts import next_turn, transcript
from message_history import Message, MessageHistory

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ONE", "TWO", "WORK", "shared"]

ONE: Final = "one thread"
TWO: Final = "two threads"
WORK: Final = {
    "add": "100 messages to versions of one history",
    "add_dict": "the same as dicts",
    "from_list": "one list of dicts",
    "for_send": "one history",
    "for_send_json": "one history that was sent, and one more turn",
    "window": "the newer half of one history",
}
"""The methods, and what they are given."""
_SIZE: Final = 1_000
_ROUNDS: Final = 9
_SHORTEST: Final = 0.2


def shared(*, size: int = _SIZE, rounds: int = _ROUNDS, shortest: float = _SHORTEST) -> dict[str, Any]:
    """Measure what one thread and two take for the same.

    Args:
        size: how many messages the history has.
        rounds: how often each is measured; the two in turn.
        shortest: how long a thread works for one figure, in seconds.

    Returns:
        What was measured, as plain JSON.
    """
    cells = []
    for name, run in _work(size).items():
        seconds = median(_timed(run, 1, 1) for _ in range(5))
        calls = max(1, round(shortest / seconds))
        figures: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(rounds):
            for threads, found in figures.items():
                found.append(float(f"{_timed(run, calls, threads) / calls / threads:.4g}"))
        cells += [
            {"operation": name, "size": size, "contender": contender, "rounds": found}
            for contender, found in zip((ONE, TWO), figures.values(), strict=True)
        ]
    return {"made": {**made(), "command": "python -m benchmarks --threads", "rounds": rounds}, "cells": cells}


def _work(size: int) -> dict[str, Callable[[], object]]:
    raw, turn = transcript(size), next_turn(size)
    history = MessageHistory.from_list(raw)
    history.for_send_json()
    dicts = transcript(101)[1:]
    messages = [Message.assistant("Yes."), Message.user("And this?")] * 50

    def add(arriving: list[Any]) -> object:
        grown = history
        for message in arriving:
            grown = grown.add(message)
        return grown

    def step() -> object:
        return history.extend(turn).for_send_json()

    work: dict[str, Callable[[], object]] = {
        "add": lambda: add(messages),
        "add_dict": lambda: add(dicts),
        "from_list": lambda: MessageHistory.from_list(raw),
        "for_send": history.for_send,
        "for_send_json": step,
        "window": lambda: history.window(max_messages=size // 2),
    }
    return {name: work[name] for name in WORK}


def _timed(run: Callable[[], object], calls: int, threads: int) -> float:
    """Measure how long so many threads take that all make so many calls."""
    ready = Barrier(threads + 1)

    def work() -> None:
        ready.wait()
        for _ in range(calls):
            run()

    running = [Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    gc.collect()
    ready.wait()
    start = perf_counter()
    for thread in running:
        thread.join()
    return perf_counter() - start
