"""Prepare a list that was recorded elsewhere: every result next to its call.

`arrange` only moves. A displaced result goes to the oldest earlier call with its id that nothing answers, else to the
first later one. A call in a user message whose result is in the list and which no assistant message makes is given to
the assistant. A call that came without an input, or with an unreadable one in a reply that was cut off, stands if its
result is in the list. Every move is recorded; what becomes of the rest is decided by `turns.step`.

Turns in which each result follows its call are passed over with one comparison a message.
"""

from __future__ import annotations

import json
from collections import deque
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

from attrs import define, evolve, field

from message_history.core.blocks import NO_INPUT, Block, SystemBlock, ToolResultBlock, ToolUseBlock, with_meta
from message_history.core.drafts import call_key
from message_history.core.json_values import EMPTY
from message_history.core.message import NEEDS_REPAIR, Message, make_message
from message_history.core.repairs import RepairCode
from message_history.core.rules import known_stub

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from message_history.core.policy import Policy

__all__ = ["Incoming", "pair_results"]

Place: TypeAlias = tuple[int, int]
"""A message of the list, and a block in it."""


class Incoming(NamedTuple):
    """A message on its way into a history.

    Args:
        message: the message.
        source: the entry of the raw list that it came from.
        interrupted: True for a reply that was cut off.
        done: what arranging did to it, if anything.
    """

    message: Message
    source: int
    interrupted: bool = False
    done: RepairCode | None = None


Arranged: TypeAlias = tuple[Message, int, bool, RepairCode | None]


def pair_results(
    messages: Sequence[Message], sources: Sequence[int], interrupted: Collection[int], policy: Policy
) -> Iterable[Arranged]:
    """Move results next to their calls.

    Args:
        messages: the messages as they came.
        sources: for each, the entry of the raw list that it came from.
        interrupted: the positions of the replies that were cut off.
        policy: says what a stub says.

    Returns:
        The messages in the order in which they are to be added, each as `Incoming` or a tuple like it.

    Complexity: linear in the messages.
    """
    untidy = _untidy_turns(messages, interrupted)
    if not untidy:
        return _as_they_are(messages, sources, interrupted)
    plan = _Plan(messages, interrupted, policy)
    for start, end in untidy:
        plan.study(start, end)
    plan.finish()
    arranged: list[Iterable[Arranged]] = []
    done = 0
    for where in sorted(plan.edits):
        arranged += _as_they_are(messages, sources, interrupted, done, where), plan.rewritten(where, sources)
        done = where + 1
    arranged.append(_as_they_are(messages, sources, interrupted, done))
    return chain.from_iterable(arranged)


def _as_they_are(
    messages: Sequence[Message],
    sources: Sequence[int],
    interrupted: Collection[int],
    start: int = 0,
    end: int | None = None,
) -> Iterable[Arranged]:
    if interrupted:
        stop = len(messages) if end is None else end
        return [Incoming(messages[n], sources[n], n in interrupted) for n in range(start, stop)]
    return zip(messages[start:end], sources[start:end], repeat(False), repeat(None))


def _untidy_turns(messages: Sequence[Message], interrupted: Collection[int]) -> list[Place]:
    """Find the turns in which something is amiss: from the first message of each to the first of the next."""
    untidy: list[Place] = []
    start = 0
    tidy = True
    waiting: tuple[str, ...] = ()
    after_user = False
    for position, message in enumerate(messages):
        if message.role == "assistant":
            if after_user:
                if not tidy:
                    untidy.append((start, position))
                start, tidy, waiting, after_user = position, True, (), False
            if message.shape == NEEDS_REPAIR or (message.ids and (waiting or position in interrupted)):
                tidy = False
            waiting = waiting or message.ids
        else:
            if message.shape == NEEDS_REPAIR or message.ids != waiting:
                tidy = False
            waiting, after_user = (), True
    if not tidy or waiting:
        untidy.append((start, len(messages)))
    return untidy


@final
@define(eq=False)
class _Call:
    """A call, and whether anything in the list answers it."""

    place: Place
    turn: _TurnSoFar
    block: ToolUseBlock
    answered: bool = False


@final
@define(eq=False)
class _TurnSoFar:
    """A turn: where its assistant side ends, and its calls that still wait, by id."""

    last_assistant: Place
    waiting: dict[str, deque[_Call]] = field(factory=dict)
    calls: set[tuple[str, str, str]] = field(factory=set)
    has_user: bool = False


@final
@define(eq=False)
class _Edit:
    """What is to become of one message: by position of its blocks."""

    moved_away: set[int] = field(factory=set)
    replaced: dict[int, ToolUseBlock] = field(factory=dict)
    kept: dict[int, ToolUseBlock] = field(factory=dict)
    rehomed: set[int] = field(factory=set)
    arriving: dict[int, list[Place]] = field(factory=dict)


@final
class _Plan:
    """The moves of one list."""

    def __init__(self, messages: Sequence[Message], interrupted: Collection[int], policy: Policy) -> None:
        self.edits: dict[int, _Edit] = {}
        self._messages = messages
        self._interrupted = interrupted
        self._policy = policy
        self._turn = _TurnSoFar((0, -1))
        self._unanswered: dict[str, deque[_Call]] = {}
        self._early: list[tuple[Place, ToolResultBlock]] = []
        self._injected: list[tuple[Place, ToolUseBlock]] = []
        self._doubtful: list[_Call] = []

    def study(self, start: int, end: int) -> None:
        """Look at one turn of the list, block by block."""
        self._end_turn((start, -1))
        for position in range(start, end):
            message = self._messages[position]
            for number, block in enumerate(message.content):
                place = position, number
                if isinstance(block, ToolResultBlock):
                    self._result(place, block)
                    self._turn.has_user = True
                elif message.role == "user" or isinstance(block, SystemBlock):
                    self._turn.has_user = True
                    if isinstance(block, ToolUseBlock):
                        self._injected.append((place, block))
                else:
                    if self._turn.has_user:
                        self._end_turn(place)
                    self._turn.last_assistant = place
                    if isinstance(block, ToolUseBlock):
                        self._call(place, block)

    def finish(self) -> None:
        """Find a place for the results that came before their calls, and for calls that users made."""
        self._end_turn((0, -1))
        left = [(place, block) for place, block in self._early if not self._to_later_call(place, block)]
        if self._injected:
            self._rehome({block.tool_use_id: place for place, block in reversed(left)})
        for call in self._doubtful:
            if call.answered:
                edit, number = self._edit(call.place), call.place[1]
                if call.block.input is NO_INPUT:
                    edit.replaced[number] = evolve(call.block, input=EMPTY)
                else:
                    edit.kept[number] = _restored(call.block)

    def rewritten(self, where: int, sources: Sequence[int]) -> list[Incoming]:
        """Give what one message of the list becomes."""
        message, edit, source = self._messages[where], self.edits[where], sources[where]
        truncated = where in self._interrupted
        arranged: list[Incoming] = []
        run: list[Block] = []

        def flush(*, interrupted: bool = truncated) -> None:
            if run:
                arranged.append(Incoming(make_message(message.role, tuple(run)), source, interrupted))
                run.clear()

        for number, block in enumerate(message.content):
            if number in edit.rehomed:
                flush()
                arranged.append(Incoming(make_message("assistant", (block,)), source, done=RepairCode.CALL_REHOMED))
            elif number in edit.replaced:
                flush()
                given = make_message("assistant", (edit.replaced[number],))
                arranged.append(Incoming(given, source, done=RepairCode.INPUT_ASSIGNED))
            elif number in edit.kept:
                flush()
                run.append(edit.kept[number])
                flush(interrupted=False)
            elif number not in edit.moved_away:
                run.append(block)
            if number in edit.arriving:
                flush()
                arranged += self._arrivals(edit.arriving[number], sources)
        flush()
        return arranged

    def _arrivals(self, places: Iterable[Place], sources: Sequence[int]) -> list[Incoming]:
        return [
            Incoming(
                make_message("user", (self._messages[where].content[number],)),
                sources[where],
                done=RepairCode.RESULT_MOVED,
            )
            for where, number in places
        ]

    def _end_turn(self, next_assistant: Place) -> None:
        for id, calls in self._turn.waiting.items():
            self._unanswered.setdefault(id, deque()).extend(calls)
        self._turn = _TurnSoFar(next_assistant)

    def _call(self, place: Place, block: ToolUseBlock) -> None:
        key = call_key(block)
        if block.id == "" or key in self._turn.calls:
            return
        self._turn.calls.add(key)
        call = _Call(place, self._turn, block)
        self._turn.waiting.setdefault(block.id, deque()).append(call)
        if block.input is NO_INPUT or (place[0] in self._interrupted and not block.readable):
            self._doubtful.append(call)

    def _result(self, place: Place, block: ToolResultBlock) -> None:
        if block.tool_use_id == "" or known_stub(block, self._policy).is_stub:
            return
        waiting = self._turn.waiting.get(block.tool_use_id)
        if waiting:
            waiting.popleft().answered = True
            return
        earlier = self._unanswered.get(block.tool_use_id)
        if earlier:
            self._move(place, earlier.popleft())
        else:
            self._early.append((place, block))

    def _to_later_call(self, place: Place, block: ToolResultBlock) -> bool:
        calls = self._unanswered.get(block.tool_use_id)
        while calls and calls[0].place < place:
            calls.popleft()
        if not calls:
            return False
        self._move(place, calls.popleft())
        return True

    def _move(self, place: Place, call: _Call) -> None:
        call.answered = True
        self._take_away(place)
        number = call.turn.last_assistant[1]
        self._edit(call.turn.last_assistant).arriving.setdefault(number, []).append(place)

    def _rehome(self, results: dict[str, Place]) -> None:
        """Give a call in a user message to the assistant, if its result is in the list and nobody else made it."""
        made = {id for message in self._messages if message.role == "assistant" for id in message.ids}
        for place, block in self._injected:
            if block.id in results and block.id not in made:
                result = results.pop(block.id)
                self._take_away(result)
                edit = self._edit(place)
                edit.rehomed.add(place[1])
                edit.arriving.setdefault(place[1], []).append(result)

    def _take_away(self, place: Place) -> None:
        self._edit(place).moved_away.add(place[1])

    def _edit(self, place: Place) -> _Edit:
        return self.edits.setdefault(place[0], _Edit())


def _restored(call: ToolUseBlock) -> ToolUseBlock:
    """Take an answered call's input for whole: its tool has run with it."""
    try:
        found = json.loads(call.arguments or "")
    except ValueError:
        return call
    return evolve(with_meta(call, arguments=None), input=found) if isinstance(found, dict) else call
