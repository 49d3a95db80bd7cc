"""A random walk over all operations of a history, with a ledger beside it of what became of each call.

Ids are numbered from zero in each reply, and doubled on purpose: what belongs to which call, only its key says. The
ledger is written apart from the library: it knows of each call only its key and what was done to it.

    python -m tests.campaigns.walks --seconds 120
"""

from __future__ import annotations

import argparse
import json
import logging
import pickle
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from message_history import (
    AmbiguousCallError,
    CallState,
    CallStateError,
    MessageHistory,
    ToolUseBlock,
    check,
    windows,
)
from message_history.core.turns.rules import MOVES
from message_history.dialects import Anthropic, Dialect, OpenAIChat
from message_history.integrations.merging import merged
from message_history.integrations.state import load, save
from message_history.storage import JsonlSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.turns.calls import CallRecord
    from message_history.core.views.cuts import Pin

State = CallState
RECORDED: Final = (State.WAITING, State.APPROVED, State.DENIED, State.CANCELLED, State.STARTED)
DIALECTS: Final[tuple[Dialect[Any], ...]] = (Anthropic(), OpenAIChat())


@final
class Walk:
    """One walk.

    Args:
        seed: of the random choices.
        folder: where its sessions are.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.history = MessageHistory(name=str(seed))
        self.ledger: dict[str, tuple[CallState, str | None]] = {}
        self.gone: set[str] = set()
        self.steps: list[str] = []
        self._folder = folder
        self._made = 0

    def go(self, steps: int) -> None:
        """Take some steps, and look at everything after each."""
        operations = [getattr(self, name) for name in dir(self) if name.startswith("do_")]
        operations += [self.do_call, self.do_call, self.do_record, self.do_user]
        for _ in range(steps):
            operation: Callable[[], None] = self.random.choice(operations)
            self.steps.append(operation.__name__)
            operation()
            self._look()

    # What is checked

    def _look(self) -> None:
        history = self.history
        found = {each.key: each for each in history.calls}
        assert len(found) == len(history.calls), "two calls have one key"
        for key, (state, result) in self.ledger.items():
            if key in self.gone:
                assert key not in found, "a call that was removed is there"
                continue
            assert key in found, "a call is not there any more, and nothing says so"
            each = found[key]
            assert each.state is state, f"{each.call} is {each.state}, and the ledger says {state}"
            assert (each.result.text if each.result is not None else None) == result, "another call's result"
        assert found.keys() <= self.ledger.keys(), "a call that nobody proposed"
        for call in history.awaiting:
            assert call.key in found, "what waits is not known by its key"

    def look_closely(self) -> None:
        """Look at what takes longer."""
        history = self.history
        again = MessageHistory.from_list(history.to_list())
        assert (again, again.calls) == (history, history.calls), "saved and loaded, it is another"
        for dialect in DIALECTS:
            wire = history.for_send(dialect)
            assert json.loads(history.for_send_json(dialect)) == wire
            assert not history or check(wire, dialect) == []

    # What the ledger knows

    def _take(self, before: MessageHistory) -> None:
        """Enter the calls that are new, and what user text and other operations say of those that waited."""
        known = {each.key for each in before.calls}
        for each in self.history.calls:
            if each.key not in known and each.key not in self.ledger:
                self.ledger[each.key] = each.state, None

    def _refresh(self) -> None:
        """Text of the user, or another reply, leaves nobody to know whether a proposed call has run."""
        for each in self.history.calls:
            state, result = self.ledger[each.key]
            if state is State.PROPOSED and each.state is State.UNKNOWN:
                self.ledger[each.key] = State.UNKNOWN, result

    def _forget(self, missing: set[str]) -> None:
        self.gone |= missing

    def _calls(self) -> list[ToolUseBlock]:
        """Make calls with ids from zero, some of them doubled."""
        calls = []
        for n in range(self.random.choice((1, 1, 1, 2, 3))):
            self._made += 1
            id = f"call_{n if self.random.random() < 0.7 else 0}"
            calls.append(ToolUseBlock(id, "pay", {"amount": self._made}))
        return calls

    def _some(self, *states: CallState) -> CallRecord | None:
        found = self.history.calls.where(*states)
        return self.random.choice(found) if found else None

    # Operations

    def do_user(self) -> None:
        self.history = self.history.add_user(f"user {len(self.steps)}")
        self._refresh()

    def do_text(self) -> None:
        self.history = self.history.add_assistant(f"text {len(self.steps)}")
        self._refresh()

    def do_call(self) -> None:
        before = self.history
        self.history = before.add_assistant(self._calls())
        self._take(before)
        self._refresh()

    def do_record(self) -> None:
        record = self._some()
        if record is None:
            return
        state = self.random.choice(RECORDED)
        named = self.random.choice((record.call, None))
        try:
            if named is not None:
                self.history = self.history.record_call(named, state, by="b")
            else:
                self.history = self.history.record_call(key=record.key, state=state)
        except CallStateError:
            assert state not in MOVES[record.state]
            return
        assert state in MOVES[record.state]
        self.ledger[record.key] = state, None
        self._refresh()

    def do_record_by_id(self) -> None:
        record = self._some()
        if record is None:
            return
        waiting = [each for each in self.history.calls if MOVES[each.state]]
        named = [each for each in waiting if each.call.id == record.call.id]
        # A call that was renamed came with the id.
        renamed = [each for each in waiting if each.call.mark and each.call.mark.tool_use_id == record.call.id]
        state = self.random.choice(RECORDED)
        try:
            self.history = self.history.record_call(record.call.id, state)
        except AmbiguousCallError:
            assert len(named) > 1 or len(renamed) > 1
        except CallStateError:
            assert len(named) != 1 or state not in MOVES[named[0].state]
        else:
            assert len(named) == 1 or (not named and len(renamed) == 1)
            self.ledger[[*named, *renamed][0].key] = state, None
            self._refresh()

    def do_result(self) -> None:
        record = self._some()
        if record is None:
            return
        self._made += 1
        text = f"result {self._made}"
        self.history = self.history.add_tool_result(record.call, text)
        if record.state is not State.ANSWERED:
            self.ledger[record.key] = State.ANSWERED, text
        self._refresh()

    def do_result_of_waiting(self) -> None:
        if self.history.awaiting:
            call = self.random.choice(self.history.awaiting)
            text = f"result {len(self.steps)}"
            self.history = self.history.add_tool_result(call, text)
            self.ledger[call.key] = State.ANSWERED, text
            self._refresh()

    def do_reply_to_sent(self) -> None:
        """A reply comes while something else was added."""
        sent = before = self.history
        if not sent:
            return
        for _ in range(self.random.choice((0, 1, 2))):
            self.random.choice((self.do_user, self.do_record, self.do_result, self.do_call))()
        known = {each.key for each in self.history.calls}
        calls = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in self._calls()]
        text = {"type": "text", "text": f"reply {len(self.steps)}"}
        content = [text, *(calls if self.random.random() < 0.5 else [])]
        reply = {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": content}
        self.history = self.history.add_response(reply, sent=sent, dialect=Anthropic())
        self._take(before)
        self._refresh()
        assert known <= {each.key for each in self.history.calls}

    def do_merge(self) -> None:
        base, known = self.history, dict(self.ledger)
        if not base:
            return
        branches = []
        for operation in self.random.choices((self.do_user, self.do_result, self.do_record), k=2):
            self.history = base
            self.ledger = dict(known)
            operation()
            branches.append((self.history, dict(self.ledger)))
        (first, one), (second, two) = branches
        moved = [{each.key for each in branch.calls if each not in base.calls} for branch in (first, second)]
        if moved[0] & moved[1]:
            # What both say of one call, the table of moves joins; the ledger does not know it.
            self.history, self.ledger = first, one
            return
        self.history = merged(base, first, second)
        self.ledger = {key: one[key] if one[key] != known[key] else two[key] for key in known}
        for each in self.history.calls:
            # Whether it has not run, or nobody knows that, one branch says otherwise than the other.
            if {each.state, self.ledger[each.key][0]} == {State.PROPOSED, State.UNKNOWN}:
                self.ledger[each.key] = each.state, None

    def _omit(self, kept: windows.Window) -> None:
        before, now = self.history.calls, {each.key for each in kept.history.calls}
        missing = {each.key for each in before if each.key not in now}
        unsettled = {each.key for each in before.unsettled() if each.key in missing}
        assert {each.key for each in kept.omitted.unsettled} == unsettled, "a call is omitted, and not named"
        self._forget(missing)
        self.history = kept.history

    def do_window(self) -> None:
        cuts = self.history.safe_cuts()
        if len(self.history) > 8 and cuts:
            pins: tuple[Pin, ...] = ("turn", "task", None)
            pin = self.random.choice(pins)
            self._omit(windows.drop_before(self.history, self.random.choice(cuts).position, pin=pin))

    def do_compact(self) -> None:
        if len(self.history) > 12:
            self._omit(windows.compact(self.history, "before"))

    def do_rewind(self) -> None:
        if len(self.history) > 6:
            self._omit(windows.rewind(self.history))

    def do_system(self) -> None:
        self.history = self.history.with_system(f"system {len(self.steps)}")

    def do_trim(self) -> None:
        self.history = self.history.trim_results(older_than=len(self.history), text="-")
        for each in self.history.calls:
            state, result = self.ledger[each.key]
            if state is State.ANSWERED and each.result is not None and each.result.text == "-":
                self.ledger[each.key] = state, "-" if result else result

    def do_without_refusals(self) -> None:
        words = [{"type": "text", "text": f"No {len(self.steps)}."}]
        refusal = {"type": "message", "role": "assistant", "stop_reason": "refusal", "content": words}
        self.do_record()
        self.do_result()
        self.history = self.history.add_response(refusal).without_refusals(keep_prompts=self.random.random() < 0.5)
        self._refresh()

    def do_follow(self) -> None:
        """A raw list grows at the end, and a result is put into it where its call stands."""
        raw: list[dict[str, Any]] = []
        followed = MessageHistory().follow(raw, dialect=OpenAIChat())
        results: dict[int, str] = {}
        for turn in range(self.random.randrange(2, 7)):
            raw = [*raw, {"role": "user", "content": f"u{turn}"}]
            self._made += 1
            function = {"name": "pay", "arguments": json.dumps({"amount": self._made})}
            call = {"id": "call_0", "type": "function", "function": function}
            raw.append({"role": "assistant", "content": None, "tool_calls": [call]})
            if self.random.random() < 0.5:
                followed = followed.follow(raw)
            waiting = [n for n, entry in enumerate(raw) if "tool_calls" in entry and _amount(entry) not in results]
            if waiting and self.random.random() < 0.8:
                where = self.random.choice(waiting)
                amount = _amount(raw[where])
                results[amount] = f"paid {amount}"
                answer = {"role": "tool", "tool_call_id": "call_0", "content": results[amount]}
                raw = [*raw[: where + 1], answer, *raw[where + 1 :]]
                followed = followed.follow(raw)
        followed = followed.follow(raw)
        found = {each.call.input["amount"]: each.result.text for each in followed.history.calls if each.result}
        assert found == results, "a followed result is another call's"

    def do_without_unanswered(self) -> None:
        if self.random.random() < 0.3:
            before = self.history.calls
            self.history = self.history.without_unanswered()
            missing = {each.key for each in before} - {each.key for each in self.history.calls}
            settled = (State.ANSWERED, State.DENIED)
            assert not any(self.ledger[key][0] in settled for key in missing), "a call that is decided was removed"
            self._forget(missing)

    def do_sent(self) -> None:
        self.history = self.history.as_sent(self.random.choice(DIALECTS))
        self._refresh()

    def do_pickle(self) -> None:
        self.history = pickle.loads(pickle.dumps(self.history))

    def do_state(self) -> None:
        self.history = load(save(self.history))

    def do_list(self) -> None:
        self.history = MessageHistory.from_list(self.history.to_list())

    def do_session(self) -> None:
        session = JsonlSession(self._folder / f"{len(self.steps)}.jsonl", fsync="never")
        session.append(self.history)
        self.history = JsonlSession(session.path).load()
        session.path.unlink()


def main(arguments: list[str] | None = None) -> int:
    """Walk, and print each walk that fails with its steps."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--walks", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=40)
    chosen = parser.parse_args(arguments)
    end, failed, seed = time.monotonic() + chosen.seconds, 0, chosen.first
    with tempfile.TemporaryDirectory() as folder:
        while seed < chosen.first + chosen.walks and time.monotonic() < end and failed < MOST_FAILED:
            made = Walk(seed, Path(folder))
            before = logging.root.manager.disable
            logging.disable()
            try:
                made.go(chosen.steps)
                made.look_closely()
            except Exception as error:  # noqa: BLE001 - whatever it is, the walk has failed
                failed += 1
                print(f"walk {seed}: {type(error).__name__}: {error}\n  {' '.join(made.steps)}")
            finally:
                logging.disable(before)
            seed += 1
    print(f"{seed - chosen.first:,} walks, {failed} failed")
    return 1 if failed else 0


def _amount(entry: dict[str, Any]) -> int:
    return int(json.loads(entry["tool_calls"][0]["function"]["arguments"])["amount"])


MOST_FAILED: Final = 20

if __name__ == "__main__":
    sys.exit(main())
