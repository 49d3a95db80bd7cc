"""A random walk over all operations of a history, with a ledger beside it of what became of each call.

Ids are numbered from zero in each reply, and doubled on purpose: what belongs to which call, only its key says. Chunks
of logs are cut short, so that walks pass their ends.

    python -m tests.campaigns.walks --seconds 120
"""

from __future__ import annotations

import argparse
import logging
import random
import re
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final
from unittest.mock import patch

from message_history import (
    AmbiguousCallError,
    CallStateError,
    MessageHistory,
    ToolUseBlock,
    UnknownCallError,
    windows,
)
from message_history.core.turns.rules import MOVES
from message_history.core.values import log
from message_history.core.views import json_cache
from message_history.forgetting import REDACTED, erase, redact
from message_history.integrations.merging import merged
from tests.campaigns.ledgers import DIALECTS, ENDED, Known, State, agrees, known_of, told_in
from tests.campaigns.walked_replies import Logged, whole
from tests.campaigns.walked_sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from message_history.core.turns.calls import CallRecord
    from message_history.core.views.cuts import Pin

RECORDED: Final = (State.WAITING, State.APPROVED, State.DENIED, State.CANCELLED, State.STARTED)
CHUNKS: Final = (2, 4, 8, log.SIZE)
"""How many items a chunk of a log has, one for each walk in turn: powers of two."""
MOST_FAILED: Final = 20


@final
class Walk(Sessions):
    """One walk.

    Args:
        seed: of the random choices.
        folder: where its sessions are.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(random.Random(seed), folder, str(seed))

    def go(self, steps: int) -> None:
        """Take some steps, and look at the calls after each."""
        # What takes long is done less often.
        costly = [self.do_file, self.do_torn_file, self.do_rows, self.do_rows_in_part, self.do_fork]
        costly += [self.do_follow, self.do_stream, self.do_redact, self.do_erase]
        operations = [getattr(self, name) for name in dir(self) if name.startswith("do_")]
        operations += [self.do_call, self.do_call, self.do_record, self.do_user]
        operations += [each for each in operations if each not in costly] * 2
        try:
            for _ in range(steps):
                operation: Callable[[], None] = self.random.choice(operations)
                self.steps.append(operation.__name__)
                operation()
                self.look()
            self.look_closely()
        finally:
            self.end()

    # What is recorded of calls

    def do_record(self) -> None:
        """Somebody decides about a call, by the call or by its key."""
        record = self.some()
        if record is None:
            return
        state, by, until = self.random.choice(RECORDED), f"person {self.number()}", None
        try:
            if self.random.random() < 0.5:
                self.history = self.history.record_call(record.call, state, by=by, input={"amount": 0})
            else:
                until = ENDED
                self.history = self.history.record_call(key=record.key, state=state, by=by, until=until)
        except CallStateError:
            assert state not in MOVES[record.state]
            return
        assert state in MOVES[record.state], f"{record} may not be {state}"
        self.ledger[record.key] = self.ledger[record.key].decided(state, by, until)

    def do_record_by_id(self) -> None:
        """Somebody decides about a call by an id, which may mean several."""
        record = self.some()
        if record is None:
            return
        waiting = [each for each in self.calls() if MOVES[each.state]]
        named = [each for each in waiting if each.call.id == record.call.id]
        # A call that was renamed came with the id.
        renamed = [each for each in waiting if each.call.mark and each.call.mark.tool_use_id == record.call.id]
        state, by = self.random.choice(RECORDED), f"person {self.number()}"
        try:
            self.history = self.history.record_call(record.call.id, state, by=by)
        except AmbiguousCallError:
            assert len(named) > 1 or len(renamed) > 1
        except CallStateError:
            assert len(named) != 1 or state not in MOVES[named[0].state]
        else:
            assert len(named) == 1 or (not named and len(renamed) == 1)
            key = [*named, *renamed][0].key
            self.ledger[key] = self.ledger[key].decided(state, by)

    def do_result(self) -> None:
        """A result of any call comes."""
        record = self.some()
        if record is None:
            return
        text = f"result {self.number()}"
        self.history = self.history.add_tool_result(record.call, text)
        if record.state is not State.ANSWERED:
            self._answered_with(record.key, text)
        self.settle()

    def do_result_of_waiting(self) -> None:
        """A result of a call that waits comes."""
        if self.history.awaiting:
            call = self.random.choice(self.history.awaiting)
            text = f"result {self.number()}"
            self.history = self.history.add_tool_result(call, text)
            self._answered_with(call.key, text)
            self.settle()

    def do_result_of_older(self) -> None:
        """A result comes for a call as an older version gave it; for one that is gone it is no other's."""
        if not self.older:
            return
        key, text = self.random.choice(list(self.older)), f"result {self.number()}"
        is_there = key in self.ledger and key not in self.gone
        try:
            self.history = self.history.add_tool_result(self.older[key], text)
        except UnknownCallError:
            assert not is_there, "a call is not found any more"
            return
        assert is_there, "a call that is gone was found"
        if self.ledger[key].state is not State.ANSWERED:
            self._answered_with(key, text)
        self.settle()

    def do_result_in_a_list(self) -> None:
        """A result comes in a list, which says its id alone (`rules.NAMES`)."""
        record = self.some()
        if record is None:
            return
        id, text = record.call.id, f"result {self.number()}"
        meant = self._meant(id)
        entry = {"type": "tool_result", "tool_use_id": id, "content": text}
        message: dict[str, Any] = {"role": "user", "content": [entry]}
        if self.random.random() < 0.5:
            message = {"role": "tool", "tool_call_id": id, "content": text}
        self.history = self.history.extend([message])
        if meant.state is not State.ANSWERED:
            self._answered_with(meant.key, text)
        self.settle()

    def _meant(self, id: str) -> CallRecord:
        """Find the call of the open turn that waits, else the oldest that may run, else one that does not, or any."""
        named = [each for each in self.calls() if id in (each.call.id, asked(each.call))]
        newest = max(n for n, message in enumerate(self.history) if message.role == "assistant")
        waiting = [each for each in named if each.state is not State.ANSWERED]
        here = [each for each in waiting if each.position == newest]
        may_run = [each for each in waiting if MOVES[each.state]]
        return [*here, *may_run, *waiting, *named[-1:]][0]

    def _answered_with(self, key: str, text: str) -> None:
        self.ledger[key] = self.ledger[key]._replace(state=State.ANSWERED, result=text)

    def do_merge(self) -> None:
        """Two branches go on, and are merged."""
        base, known, sends = self.history, dict(self.ledger), self.sends
        if not base:
            return
        branches = []
        for operation in self.random.choices((self.do_user, self.do_result, self.do_record), k=2):
            self.history, self.ledger = base, dict(known)
            operation()
            branches.append((self.history, dict(self.ledger)))
        (first, one), (second, two) = branches
        self.sends = sends
        moved = [{each.key for each in branch.calls if each not in base.calls} for branch in (first, second)]
        if moved[0] & moved[1]:
            # What both say of one call, the table of moves joins; the ledger does not know it.
            self.history, self.ledger = first, one
            return
        self.history = merged(base, first, second)
        self.ledger = {key: one[key] if one[key] != known[key] else two[key] for key in known}
        for each in self.calls():
            # Whether it has not run, or nobody knows that, one branch says otherwise than the other.
            if {each.state, self.ledger[each.key].state} == {State.PROPOSED, State.UNKNOWN}:
                self.ledger[each.key] = Known(each.state)

    # What omits

    def _omit(self, kept: windows.Window) -> None:
        """What is gone is named, if it may have run or may still run."""
        before, now = self.calls(), {each.key for each in kept.history.calls}
        missing = {each.key for each in before if each.key not in now}
        unsettled = {each.key for each in before.unsettled() if each.key in missing}
        assert {each.key for each in kept.omitted.unsettled} == unsettled, "a call is omitted, and not named"
        assert unsettled <= named_in(kept.history), "a call is omitted, and no repair names it"
        self.forget(missing)
        self.history = kept.history
        self.rewritten()

    def do_drop_before(self) -> None:
        """Go on from somewhere."""
        cuts = self.history.safe_cuts()
        if len(self.history) > 8 and cuts:
            pins: tuple[Pin, ...] = ("turn", "task", None)
            pin = self.random.choice(pins)
            self._omit(windows.drop_before(self.history, self.random.choice(cuts).position, pin=pin))

    def do_window(self) -> None:
        """Keep what fits."""
        if len(self.history) > 8:
            self._omit(windows.window(self.history, max_messages=self.random.randint(8, len(self.history))))

    def do_moving_window(self) -> None:
        """Look at what a window sends: the calls that it has are as they are."""
        window = windows.MovingWindow(max_messages=self.random.randint(6, 12)).follow(self.history)
        sent = window.of(self.history).calls
        there = {each.key for each in sent}
        agrees(sent, {key: known for key, known in self.ledger.items() if key in there}, self.gone)

    def do_compact(self) -> None:
        """Go on from a summary."""
        if len(self.history) > 12:
            self._omit(windows.compact(self.history, "before"))

    def do_rewind(self) -> None:
        """Take back the newest turns."""
        if len(self.history) > 6:
            self._omit(windows.rewind(self.history))

    def do_without_unanswered(self) -> None:
        """Remove the calls of which nothing is known, each of which is named."""
        if self.random.random() < 0.3:
            before = self.calls()
            self.history = self.history.without_unanswered()
            missing = {each.key: each for each in before if each.key not in {each.key for each in self.calls()}}
            assert not any(self.ledger[key].state in (State.ANSWERED, State.DENIED) for key in missing)
            removed = {block for repair in self.history.repairs for block in repair.removed}
            assert all(each.call in removed for each in missing.values()), "a call is removed, and not named"
            self.forget(set(missing))
            self.rewritten()

    # What rewrites

    def do_system(self) -> None:
        """Say another system prompt."""
        self.history = self.history.with_system(f"system {self.number()}")
        self.rewritten()

    def do_trim(self) -> None:
        """Shorten the results."""
        self.history = self.history.trim_results(older_than=len(self.history), text="-")
        for each in self.calls():
            known = self.ledger[each.key]
            if known.state is State.ANSWERED and known_of(each).result == "-":
                self.ledger[each.key] = known._replace(result="-")
        self.rewritten()

    def do_redact(self) -> None:
        """Forget what a result says, and no more."""
        record = self.some()
        known = self.ledger[record.key] if record is not None else None
        if record is None or known is None or not re.fullmatch(r"result \d+", known.result or ""):
            return
        self.history = redact(self.history, re.compile(rf"{known.result}(?!\d)"))
        self.ledger[record.key] = known._replace(result=REDACTED)
        self.rewritten()

    def do_erase(self) -> None:
        """Forget what a call says: what became of it is known, under a key that gives nothing away."""
        record = self.some()
        if record is None or self.random.random() < 0.5:
            return
        before, messages = self.calls(), tuple(self.history)
        self.history = erase(self.history, key=record.key)
        for was, now in zip(messages, self.history, strict=True):
            if was.content != now.content:
                self.described -= told_in(was) - told_in(now)
        for old, new in zip(before, self.calls(), strict=True):
            assert old.key == record.key or old.key == new.key, "the key of another call has changed"
            if old.key == record.key:
                known = self.ledger.pop(old.key)
                assert known_of(new)[:1] + known_of(new)[2:] == known[:1] + known[2:], "what became of it is forgotten"
                self.ledger[new.key] = known_of(new)
                self.older.pop(old.key, None)
        self.rewritten()

    def do_without_refusals(self) -> None:
        """A refusal comes and is removed with what it answered, but for what that said of calls."""
        refusal = {**whole(DIALECTS[0], f"No <{self.number()}>", [], self.number()), "stop_reason": "refusal"}
        self.do_record()
        self.do_result()
        self.history = self.history.add_response(refusal).without_refusals(keep_prompts=self.random.random() < 0.5)
        self.settle()
        self.rewritten()

    def do_sent(self) -> None:
        """Go on with what was sent."""
        self.history = self.history.as_sent(self.random.choice(DIALECTS))
        self.settle()


def asked(call: ToolUseBlock) -> str:
    """Return the id that a call came with."""
    return call.mark.tool_use_id if call.mark is not None and call.mark.kind == "renamed" else call.id


def named_in(history: MessageHistory) -> set[str]:
    """Return the keys of the calls that repairs name."""
    removed = (block for repair in history.repairs for block in repair.removed)
    return {block.key for block in removed if isinstance(block, ToolUseBlock)}


@contextmanager
def cut_short(size: int) -> Iterator[None]:
    """Let chunks of logs have fewer items than they have."""
    with patch.object(log, "SIZE", size), patch.object(json_cache, "SIZE", size):
        yield


@contextmanager
def counted_logs() -> Iterator[None]:
    """Count what is logged, and print nothing of it."""
    logger, handler = logging.getLogger("message_history"), Logged()
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def main(arguments: list[str] | None = None) -> int:
    """Walk, and print each walk that fails with its steps."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--walks", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=40)
    chosen = parser.parse_args(arguments)
    start, failed, seed = time.monotonic(), 0, chosen.first
    with tempfile.TemporaryDirectory() as folder, counted_logs():
        while seed < chosen.first + chosen.walks and time.monotonic() < start + chosen.seconds and failed < MOST_FAILED:
            made = Walk(seed, Path(folder))
            try:
                with cut_short(CHUNKS[seed % len(CHUNKS)]):
                    made.go(chosen.steps)
            except Exception as error:  # noqa: BLE001 - whatever it is, the walk has failed
                failed += 1
                print(f"walk {seed}: {type(error).__name__}: {error}\n  {' '.join(made.steps)}", flush=True)
            seed += 1
            if not (seed - chosen.first) % REPORTED:
                print(
                    f"{seed - chosen.first:,} walks in {time.monotonic() - start:,.0f} s, {failed} failed", flush=True
                )
    print(
        f"{seed - chosen.first:,} walks of {chosen.steps} steps in {time.monotonic() - start:,.0f} s, {failed} failed"
    )
    return 1 if failed else 0


REPORTED: Final = 1_000
"""After how many walks the number of failures is printed."""

if __name__ == "__main__":
    sys.exit(main())
