"""Whether what several writers did to one session can have happened one after another: Wing and Gong's search.

Each operation has the time before it and the time after it, by one clock. A session is linearisable when some order of
the operations keeps these times and gives each its outcome. An operation whose writer was killed has no outcome: it
may have happened or not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST: Final = 2_000_000
"""So many places in the search are looked at; then nothing is decided, which is an error."""
SLACK: Final = 0.005
"""The clock of a database, by which turns end, counts milliseconds, and is another one than that of the times."""
NOBODY: Final[frozenset[str]] = frozenset()

Seen = tuple[tuple[str, ...], frozenset[tuple[str, str]]]
"""What a history says: the words in it, and which call is claimed by whom."""


@frozen(kw_only=True)
class Operation:
    """What a writer did.

    Args:
        writer: who; a writer that is started after a kill is another one.
        kind: `load`, `append`, `update`, `claim`, `hold` or `release`.
        start: the time before it.
        end: the time after it, or the time from which it cannot happen any more.
        about: the words that are appended, the call that is claimed, or the name of the turn.
        outcome: `done`; `conflict`, `refused` (by `holder`) or `lost` (the turn), and nothing written; empty when
            nobody knows.
        seen: what it returned.
        holder: who has the claim or the turn.
        turn: the name of the turn that it is done in.
        lasts: how long a turn lasts.
    """

    writer: str
    kind: str
    start: float
    end: float = math.inf
    about: str = ""
    outcome: str = "done"
    seen: Seen | None = None
    holder: str = ""
    turn: str = ""
    lasts: float = 0.0


class Turn(NamedTuple):
    """Who has the turn, and the first and the last time at which it may end by itself."""

    name: str = ""
    writer: str = ""
    first: float = 0.0
    last: float = 0.0


class State(NamedTuple):
    """The session as it should be; `fresh` are the writers that know its newest revision."""

    words: tuple[str, ...] = ()
    claims: frozenset[tuple[str, str]] = frozenset()
    fresh: frozenset[str] = NOBODY
    turn: Turn = Turn()


def find_order(operations: Iterable[Operation], start: State, *, torn: bool = False) -> list[Operation] | None:
    """Return an order in which the operations can have happened; None when there is none.

    Args:
        operations: what was done.
        start: the session before.
        torn: whether an operation that was killed may leave half a line, a new revision that says nothing new.

    Raises:
        RuntimeError: when it is not decided after `MOST` places.
    """
    # What was read by who is dead now changes nothing, but for a line that it may have been repairing.
    counted = (each for each in operations if each.outcome or each.kind != "load" or torn)
    pending = sorted(counted, key=lambda each: each.start)
    known = sum(1 << number for number, each in enumerate(pending) if each.end < math.inf)
    path: list[Operation] = []
    looked_at = {(0, start)}
    levels = [_steps(pending, 0, start, torn=torn)]
    while levels:
        for number, done, state in levels[-1]:
            if (done, state) in looked_at:
                continue
            looked_at.add((done, state))
            path.append(pending[number])
            if done & known == known:
                return path
            levels.append(_steps(pending, done, state, torn=torn))
            break
        else:
            levels.pop()
            del path[-1:]
        if len(looked_at) > MOST:
            raise RuntimeError(f"not decided after {MOST:,} places; {len(path)} operations are in order")
    return [] if not known else None


def _steps(pending: Sequence[Operation], done: int, state: State, *, torn: bool) -> Iterator[tuple[int, int, State]]:
    """Give what may be next: no operation that is left has ended before it began. What nobody knows comes last."""
    possible, ends = [], math.inf
    for number, each in enumerate(pending):
        if each.start > ends:
            break
        if not done >> number & 1:
            possible.append(number)
            ends = min(ends, each.end)
    possible = [number for number in possible if pending[number].start <= ends]
    for number in sorted(possible, key=lambda each: not pending[each].outcome):
        for after in _after(state, pending[number], torn=torn):
            yield number, done | 1 << number, after


def _after(state: State, each: Operation, *, torn: bool) -> Iterator[State]:
    """Give the states that an operation with its outcome can lead to."""
    if each.outcome in ("done", ""):
        after = _done(state, each)
        if after is not None and each.seen in (None, after[:2]):
            yield after
    elif _is_refused(state, each):
        yield state
    if not each.outcome:
        if each.end < math.inf:
            yield state
        if torn:
            yield state._replace(fresh=NOBODY)


def _done(state: State, each: Operation) -> State | None:
    """Return the state after an operation that succeeds; None when it may not."""
    mine = frozenset([each.writer])
    match each.kind:
        case "load":
            return state._replace(fresh=state.fresh | mine)
        case "append" if each.writer in state.fresh and each.turn in ("", state.turn.name):
            return state._replace(words=(*state.words, each.about), fresh=mine)
        case "update":
            return state._replace(words=(*state.words, each.about), fresh=mine)
        case "claim" if each.about not in dict(state.claims):
            return state._replace(claims=state.claims | {(each.about, each.writer)}, fresh=mine)
        case "hold" if not state.turn.name or state.turn.first <= each.end:
            turn = Turn(each.about, each.writer, each.start + each.lasts - SLACK, each.end + each.lasts + SLACK)
            return state._replace(turn=turn)
        case "release":
            return state._replace(turn=Turn()) if state.turn.name == each.about else state
    return None


def _is_refused(state: State, each: Operation) -> bool:
    match each.kind, each.outcome:
        case "append", "conflict":
            return each.writer not in state.fresh
        case "append", "lost":
            return each.turn != state.turn.name
        case "update", "conflict":
            return True
        case "claim", "refused":
            return (each.about, each.holder) in state.claims
        case "hold", "refused":
            return state.turn.writer == each.holder and each.start < state.turn.last
    return False
