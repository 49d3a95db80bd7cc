"""The campaign of sequences: whatever is done to a history, in whatever order, each version keeps the laws."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory, Policy, ToolUseBlock, UnknownCallError, check
from message_history.core.turns.states import CallStateError
from message_history.core.views.cuts import WindowError
from message_history.dialects import Native
from tests.campaigns.lists import written
from tests.campaigns.samples import random_list
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["NAMES", "Run", "failures"]

_NATIVE: Final = Native()
_IDS: Final = ("1", "2", "call_0", "functions.f:0", "a b", "")
_STATES: Final = ("waiting", "approved", "denied", "started", "cancelled")
_REASONS: Final = ("not_recorded", "interrupted", "cancelled", "pending", "denied")


def failures(seed: int) -> Iterator[str]:
    """Run one sequence.

    Args:
        seed: its number; the same number makes the same sequence.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    run = Run(chance)
    for step in range(chance.randint(2, 12)):
        name = chance.choice(NAMES)
        try:
            found = list(run.go(name))
        except Exception as error:  # noqa: BLE001 - anything is a failure
            yield f"{name} raised {type(error).__name__}: {error} at (step {step})"
            return
        yield from (f"{name}: {failure} at (step {step})" for failure in found)


class Run:
    """One sequence of operations.

    Args:
        chance: where all chance comes from.
    """

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        policy = Policy(leading_assistant=chance.choice(("bootstrap", "bootstrap", "drop")))
        self.history = MessageHistory(policy=policy)
        self.older: list[tuple[MessageHistory, str]] = []
        self.texts: set[str] = set()
        self.made = 0

    def go(self, name: str) -> Iterator[str]:
        """Do one thing, and look at what came of it."""
        before = self.history
        self.older.append((before, json.dumps(before.to_list())))
        # An unknown call, a state that may not follow, a cut that is not safe: documented, and nothing has changed.
        with suppress(UnknownCallError, CallStateError, WindowError):
            self.history = _OPERATIONS[name](self)
        saved = self.history.to_list()
        held = json.dumps(saved) + written(self.history.repairs)
        if name in _CUTTING:
            self.texts = {text for text in self.texts if text in held}
        if lost := [text for text in self.texts if text not in held]:
            yield f"{lost[0]} was lost"
        if broken := check(saved[self.history.system is not None :], _NATIVE):
            yield f"breaks {broken[0].rule}"
        if MessageHistory.from_list(saved, policy=self.history.policy) != self.history:
            yield "is not the same when it is loaded"
        if json.dumps(before.to_list()) != self.older[-1][1]:
            yield "changed an older version"
        yield from self._sent()

    def _sent(self) -> Iterator[str]:
        target = self.chance.choice(TARGETS)
        sent = self.history.as_sent(target)
        wire = sent.for_send(target)
        if wire and (broken := check(wire, target)):
            yield f"invalid for {target.name}[{TARGETS.index(target)}]: {broken[0].rule}"
        if self.history.for_send(target) != wire:
            yield f"sent otherwise to {target.name}"
        if sent.as_sent(target) != sent:
            yield "sending is not idempotent"

    # What is done

    def text(self) -> str:
        """Make a text that is nowhere else; now and then a blank one."""
        if self.chance.random() < 0.1:
            return self.chance.choice(("", " ", "\n"))
        self.made += 1
        made = f"text<{self.made}>"
        self.texts.add(made)
        return made

    def calls(self) -> list[Any]:
        """Make blocks of an assistant message with calls."""
        count = self.chance.randint(1, 3)
        blocks: list[Any] = [
            {"type": "tool_use", "id": self.chance.choice(_IDS), "name": "f", "input": {"a": self.chance.randint(0, 3)}}
            for _ in range(count)
        ]
        if self.chance.random() < 0.5:
            blocks.insert(0, {"type": "text", "text": self.text()})
        if self.chance.random() < 0.2:
            blocks.insert(0, {"type": "thinking", "thinking": self.text(), "signature": "c2ln"})
        return blocks

    def call(self) -> ToolUseBlock | str:
        """Choose a call: one that waits, one of any turn, or a mere id."""
        waiting, every = self.history.awaiting, [each.call for each in self.history.calls]
        if waiting and self.chance.random() < 0.6:
            return self.chance.choice(waiting)
        return self.chance.choice(every) if every and self.chance.random() < 0.6 else self.chance.choice(_IDS)

    def cut(self) -> int:
        """Choose where to cut: safely, mostly."""
        cuts = self.history.safe_cuts()
        if cuts and self.chance.random() < 0.8:
            return self.chance.choice(cuts).position
        return self.chance.randint(0, len(self.history))

    def add_result(self) -> MessageHistory:
        call, text = self.call(), self.text()
        try:
            return self.history.add_tool_result(call, text, self.chance.random() < 0.2)
        except UnknownCallError:
            self.texts.discard(text)
            raise

    def compact(self) -> MessageHistory:
        return self.history.compact(self.text().strip() or "s", keep_from=self.chance.choice((None, self.cut())))


def _assistant(run: Run) -> dict[str, Any]:
    return {"role": "assistant", "content": run.calls(), "stop_reason": run.chance.choice(("tool_use", "max_tokens"))}


def _reply(run: Run) -> MessageHistory:
    reply = {"type": "message", **_assistant(run)}
    if run.chance.random() < 0.5 or not run.older:
        return run.history.add_response(reply)
    return run.history.add_response(reply, sent=run.history.as_sent(run.chance.choice(TARGETS)))


def _results(run: Run) -> MessageHistory:
    content = [
        {"type": "tool_result", "tool_use_id": run.chance.choice(_IDS), "content": run.text()}
        for _ in range(run.chance.randint(1, 3))
    ]
    if run.chance.random() < 0.3:
        content.insert(run.chance.randint(0, len(content)), {"type": "text", "text": run.text()})
    return run.history.add({"role": "user", "content": content})


_OPERATIONS: Final[dict[str, Callable[[Run], MessageHistory]]] = {
    "add_user": lambda run: run.history.add_user(run.text()),
    "add_assistant": lambda run: run.history.add_assistant(run.text()),
    "add calls": lambda run: run.history.add(_assistant(run)),
    "add results": _results,
    "add_tool_result": Run.add_result,
    "add_response": _reply,
    "add anything": lambda run: run.history.extend(
        entry for entry in random_list(run.chance).entries if isinstance(entry, dict)
    ),
    "record_call": lambda run: run.history.record_call(
        run.call(), run.chance.choice(_STATES), reason=run.chance.choice(("", "no"))
    ),
    "as_sent": lambda run: run.history.as_sent(run.chance.choice((None, *TARGETS)), reason=run.chance.choice(_REASONS)),
    "with_system": lambda run: run.history.with_system(run.chance.choice((None, "Be brief.", " "))),
    "without_unanswered": lambda run: run.history.without_unanswered(),
    "window": lambda run: run.history.window(max_messages=run.chance.randint(0, 6)),
    "drop_before": lambda run: run.history.drop_before(run.cut()),
    "rewind": lambda run: run.history.rewind(run.chance.randint(0, 2)),
    "compact": Run.compact,
    "trim_results": lambda run: run.history.trim_results(older_than=run.chance.randint(0, len(run.history))),
    "pickle": lambda run: pickle.loads(pickle.dumps(run.history)),
    "load": lambda run: MessageHistory.from_list(run.history.to_list(), policy=run.history.policy),
    "export and read": lambda run: MessageHistory.from_list(run.history.for_send(), policy=run.history.policy),
}
NAMES: Final = (*_OPERATIONS, *("add_user", "add_assistant", "add calls", "add results", "add_tool_result") * 2)
_CUTTING: Final = frozenset(
    {"window", "drop_before", "rewind", "compact", "trim_results", "with_system", "load", "export and read"}
)
"""What omits text on purpose, or leaves the repairs behind."""
