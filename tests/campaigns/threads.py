"""The campaign of threads: whatever threads do with one history at the same time, each gets what it gets alone.

The number decides what they do, not how they are switched; a Python without the global lock runs them side by side.
"""

from __future__ import annotations

import pickle
from functools import partial
from random import Random
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory
from message_history.core.views.cuts import WindowError
from tests.campaigns.samples import random_list
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from message_history.dialects import Dialect

__all__ = ["failures"]

_THREADS: Final = 3
_STEPS: Final = 4
_TURNS: Final = (0, 1, 5, 60, 64, 130)
"""How long a history is before the threads begin: about as long as what it keeps in one piece, and longer."""


def failures(seed: int) -> Iterator[str]:
    """Let threads work with one history.

    Args:
        seed: its number; the same number makes the same history and the same work.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    raw = random_list(chance).entries
    turns = chance.choice(_TURNS)
    plans = [[chance.randrange(len(_WORK)) for _ in range(_STEPS)] for _ in range(_THREADS)]
    if chance.random() < 0.3:
        plans = [plans[0]] * _THREADS
    history = _made(raw, turns)
    found: list[list[Any]] = [[] for _ in plans]
    ready = Barrier(_THREADS)

    def work(plan: list[int], into: list[Any]) -> None:
        ready.wait()
        into += (_done(number, history) for number in plan)

    threads = [Thread(target=work, args=pair) for pair in zip(plans, found, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = {number: _done(number, _made(raw, turns)) for plan in plans for number in plan}
    for plan, results in zip(plans, found, strict=True):
        for step, (number, result) in enumerate(zip(plan, results, strict=True)):
            if result != alone[number]:
                yield f"{_WORK[number][0]} gave something else at (step {step}): {result!r:.200}"
    if history.to_list() != _made(raw, turns).to_list():
        yield "the history is another one at (end)"


def _made(raw: list[Any], turns: int) -> MessageHistory:
    """Make a history of which nothing was asked yet."""
    return _grown(MessageHistory.from_list(raw), "before", turns)


def _done(number: int, history: MessageHistory) -> object:
    """Do one thing; what it raises is its result."""
    try:
        return _WORK[number][1](history)
    except WindowError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - as no thread may raise, this differs from what is done alone
        return repr(error)


def _grown(history: MessageHistory, name: str, turns: int) -> MessageHistory:
    for turn in range(turns):
        history = history.add_assistant(f"{name} {turn}").add_user(f"{name} asks {turn}")
    return history


def _grown_and_sent(history: MessageHistory, name: str) -> list[bytes]:
    sent = []
    for turn in range(8):
        history = _grown(history, f"{name} {turn}", 1)
        sent.append(history.for_send_json())
    return sent


def _sent(target: Dialect[Any], history: MessageHistory) -> object:
    return history.for_send(target)


def _orphan(history: MessageHistory) -> tuple[object, ...]:
    grown = history.add({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "?", "content": "x"}]})
    return grown.to_list(), [repair.code for repair in grown.repairs]


_WORK: Final[tuple[tuple[str, Callable[[MessageHistory], object]], ...]] = (
    *((f"for_send to {target.name}[{n}]", partial(_sent, target)) for n, target in enumerate(TARGETS)),
    ("for_send_json", lambda history: history.for_send_json()),
    ("to_list", lambda history: history.to_list()),
    ("content", lambda history: [message.content for message in history]),
    ("content, newest first", lambda history: [message.content for message in reversed(list(history))]),
    ("window", lambda history: history.window(max_messages=max(4, len(history) // 2)).to_list()),
    ("pickle", lambda history: pickle.loads(pickle.dumps(history)).to_list()),
    ("repairs", lambda history: [str(repair) for repair in history.repairs]),
    ("==", lambda history: history == MessageHistory.from_list(history.to_list())),
    ("add, 30 turns", lambda history: _grown(history, "a", 30).to_list()),
    ("add, 70 turns", lambda history: _grown(history, "b", 70).to_list()),
    ("add and for_send_json", lambda history: _grown_and_sent(history, "c")),
    ("add and for_send_json of others", lambda history: _grown_and_sent(history, "d")),
    ("an orphan result", _orphan),
)
