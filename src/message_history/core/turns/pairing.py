"""Rule 11: pair the results of a list from elsewhere with their calls, by moving them, or by their place.

Each is recorded, and nothing else is changed; what becomes of the rest is decided when the messages are added.
Turns in which each result follows its call are passed over with one comparison a message.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

from attrs import define, evolve, field

from message_history.core.messages.blocks import (
    NO_INPUT,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    tool_result_block,
    with_meta,
)
from message_history.core.messages.message import (
    CLEAN_ASSISTANT,
    CLEAN_USER,
    NEEDS_REPAIR,
    Message,
    is_plain,
    make_message,
    part_of,
    with_content,
    with_replies,
)
from message_history.core.messages.repairs import Repair, RepairCode, in_words
from message_history.core.turns.drafts import asked_id, call_key
from message_history.core.turns.rules import (
    RESULTS,
    Comparison,
    Outcome,
    is_doubtful,
    may_be_rehomed,
    status_of_unknown,
)
from message_history.core.turns.stub_results import known_stub
from message_history.core.values.json_values import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.core.messages.policy import Policy

Place: TypeAlias = tuple[int, int]
"""A message of the list, and a block in it."""


class Incoming(NamedTuple):
    """A message on its way into a conversation."""

    message: Message
    source: int  # the entry of the raw list that it came from
    interrupted: bool = False  # True for a truncated reply
    # What pairing did to it, if anything: a code, or a repair whose places are not known yet.
    done: RepairCode | Repair | None = None


def pair_results(
    messages: Sequence[Message],
    sources: Sequence[int],
    interrupted: Collection[int],
    policy: Policy,
    is_known: Callable[[str], bool] | None = None,
) -> Iterator[Incoming]:
    """Move results next to their calls.

    `sources` are the entries of the raw list that the messages came from, `interrupted` the positions of the truncated
    replies. `is_known` says whether an id is that of a call before the list; None when nothing is before it. Yields
    them in the order in which they are to be added.
    """
    pieces = paired_pieces(messages, sources, interrupted, policy, is_known)
    for position, (message, source) in enumerate(zip(messages, sources, strict=True)):
        whole = [Incoming(message, source, position in interrupted)]
        yield from pieces.get(position, whole)


def paired_pieces(
    messages: Sequence[Message],
    sources: Sequence[int],
    interrupted: Collection[int],
    policy: Policy,
    is_known: Callable[[str], bool] | None = None,
) -> dict[int, list[Incoming]]:
    """Find, by position, what `pair_results` adds in the place of messages that do not stay as they are."""
    to_repair = _turns_to_repair(messages, interrupted)
    if all(_is_paired(messages[start:end]) for start, end in to_repair) and not interrupted:
        return {}
    plan = _Plan(messages, interrupted, policy)
    for start, end in to_repair:
        plan.read_turn(start, end)
    plan.finish(is_known)
    return {where: plan.repaired(where, sources) for where in plan.edits}


def _turns_to_repair(messages: Sequence[Message], interrupted: Collection[int]) -> list[Place]:
    """Find the turns in which something is amiss: from the first message of each to the first of the next."""
    to_repair: list[Place] = []
    end = 0
    while end < len(messages):
        start = end if interrupted else _behind_clean_turns(messages, end)
        end, clean = _end_of_turn(messages, start, interrupted)
        if not clean:
            to_repair.append((start, end))
    return to_repair


def _behind_clean_turns(messages: Sequence[Message], start: int) -> int:
    """Pass over turns in which nothing is amiss to the next other one, three times as fast as one by one."""
    for position in range(start, len(messages) - 2, 2):
        reply, answer = messages[position], messages[position + 1]
        if reply.shape != CLEAN_ASSISTANT or answer.shape != CLEAN_USER or answer.ids != reply.ids:
            break
        if messages[position + 2].role != "assistant":
            break
    else:
        position = max(start, len(messages) - 2 - (len(messages) - start) % 2)
    return position


def _end_of_turn(messages: Sequence[Message], start: int, interrupted: Collection[int]) -> tuple[int, bool]:
    """Return where the turn that begins at a position ends, and whether nothing is amiss in it."""
    clean = True
    waiting: tuple[str, ...] = ()
    after_user = False
    for position in range(start, len(messages)):
        message = messages[position]
        if message.role == "assistant":
            if after_user:
                return position, clean
            if message.shape == NEEDS_REPAIR or (message.ids and (waiting or position in interrupted)):
                clean = False
            waiting = waiting or message.ids
        else:
            if message.shape == NEEDS_REPAIR or message.ids != waiting:
                clean = False
            waiting, after_user = (), True
    return len(messages), clean and not waiting


def _is_paired(turn: Sequence[Message]) -> bool:
    """Return whether each result of a turn follows its call, and nothing else in it may have to be moved."""
    waiting: set[str] = set()
    for message in turn:
        if not is_plain(message) and not all(type(block) is TextBlock for block in message.content):
            return False
        for id in message.ids:
            if not id or (id in waiting) is (message.role == "assistant"):
                return False
            waiting ^= {id}
    return True


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
    """A turn: where its assistant side ends, its calls, and those that still wait, by id.

    Which calls are the same is found by their keys; a call whose id no other has needs none.
    """

    last_assistant: Place
    waiting: dict[str, deque[_Call]] = field(factory=dict)
    calls: list[_Call] = field(factory=list)
    first: dict[str, _Call] = field(factory=dict)
    keys: dict[str, set[tuple[str, str, str]]] = field(factory=dict)
    without_id: list[_Call] = field(factory=list)
    has_user: bool = False


@final
@define(eq=False)
class _Edit:
    """What is to become of one message: by position of its blocks."""

    moved_away: set[int] = field(factory=set)
    replaced: dict[int, Block] = field(factory=dict)
    done: dict[int, RepairCode | Repair] = field(factory=dict)
    arriving: dict[int, list[Place]] = field(factory=dict)


_Early: TypeAlias = tuple[Place, ToolResultBlock, _TurnSoFar]
"""A result that no call before it has asked for, and its turn."""


def _place_of(call: _Call) -> Place:
    return call.place


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
        self._early: list[_Early] = []
        self._injected: list[tuple[Place, ToolUseBlock]] = []
        self._doubtful: list[_Call] = []

    def read_turn(self, start: int, end: int) -> None:
        """Read one turn of the list, block by block."""
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

    def finish(self, is_known: Callable[[str], bool] | None) -> None:
        """Find a place for the results that came before their calls, and for calls that users made."""
        self._end_turn((0, -1))
        left = self._early
        for place, block, _ in left:
            # Calls before the result would have been found when it was read.
            if calls := self._unanswered.get(block.tool_use_id):
                self._move(place, calls.popleft())
        if self._injected:
            left = self._rehome(left)
        if left:
            self._answer_in_place(left, is_known)
        for call in self._doubtful:
            if call.answered:
                edit, number = self._edit(call.place), call.place[1]
                if call.block.frozen_input is NO_INPUT:
                    edit.replaced[number] = evolve(call.block, input=EMPTY)
                    edit.done[number] = RepairCode.INPUT_ASSIGNED
                else:
                    edit.replaced[number] = _restored(call.block)

    def repaired(self, where: int, sources: Sequence[int]) -> list[Incoming]:
        """Return what one message of the list becomes."""
        edit, source = self.edits[where], sources[where]
        blocks = [edit.replaced.get(number, block) for number, block in enumerate(self._messages[where].content)]
        message = with_content(self._messages[where], tuple(blocks))
        paired: list[Incoming] = []
        run: list[Block] = []

        def flush() -> None:
            if run:
                paired.append(Incoming(part_of(message, tuple(run)), source, where in self._interrupted))
                run.clear()

        for number, block in enumerate(blocks):
            if number in edit.replaced or number in edit.done:
                flush()
                done = edit.done.get(number)
                role: Role = "assistant" if done is RepairCode.CALL_REHOMED else message.role
                paired.append(Incoming(part_of(message, (block,), role), source, done=done))
            elif number not in edit.moved_away:
                run.append(block)
            if number in edit.arriving:
                flush()
                paired += self._arrivals(edit.arriving[number], sources)
        flush()
        if message.replies:
            replying = next((n for n, one in enumerate(paired) if one.message.role == "assistant"), None)
            if replying is None:
                replying = len(paired)
                paired.append(Incoming(make_message(message.role, ()), source))
            paired[replying] = paired[replying]._replace(
                message=with_replies(paired[replying].message, message.replies)
            )
        return paired

    def _arrivals(self, places: Iterable[Place], sources: Sequence[int]) -> list[Incoming]:
        return [
            Incoming(
                part_of(self._messages[where], (self._messages[where].content[number],), "user"),
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
        call = _Call(place, self._turn, block)
        doubtful = is_doubtful(block, truncated=place[0] in self._interrupted)
        if block.id == "":
            self._turn.without_id += [call] if not doubtful else []
            return
        id = asked_id(block)
        first = self._turn.first.setdefault(id, call)
        if first is not call:
            keys = self._turn.keys.setdefault(id, {call_key(first.block)})
            if (key := call_key(block)) in keys:
                return
            keys.add(key)
        self._turn.calls.append(call)
        self._turn.waiting.setdefault(block.id, deque()).append(call)
        if doubtful:
            self._doubtful.append(call)

    def _result(self, place: Place, block: ToolResultBlock) -> None:
        if known_stub(block, self._policy).is_stub:
            return
        waiting = self._turn.waiting.get(block.tool_use_id)
        if waiting:
            waiting.popleft().answered = True
            return
        earlier = self._unanswered.get(block.tool_use_id)
        if earlier:
            self._move(place, earlier.popleft())
        else:
            self._early.append((place, block, self._turn))

    def _move(self, place: Place, call: _Call) -> None:
        call.answered = True
        self._take_away(place)
        number = call.turn.last_assistant[1]
        self._edit(call.turn.last_assistant).arriving.setdefault(number, []).append(place)

    def _rehome(self, early: list[_Early]) -> list[_Early]:
        """Give a call in a user message to the assistant, if its result is in the list and nobody else made it."""
        results = {block.tool_use_id: place for place, block, _ in reversed(early)}
        made = self._made()
        for place, block in self._injected:
            if may_be_rehomed(block, results, made):
                result = results.pop(block.id)
                self._take_away(result)
                edit = self._edit(place)
                edit.done[place[1]] = RepairCode.CALL_REHOMED
                edit.arriving.setdefault(place[1], []).append(result)
        injected = {block.id for _, block in self._injected}
        return [one for one in early if one[1].tool_use_id not in injected]

    def _answer_in_place(self, early: Iterable[_Early], is_known: Callable[[str], bool] | None) -> None:
        """Let results with ids that no call has answer the calls whose results they are in place of."""
        made = self._made()
        turns: dict[int, tuple[_TurnSoFar, list[tuple[Place, ToolResultBlock]]]] = {}
        for place, block, turn in early:
            if block.tool_use_id not in made and not (is_known is not None and is_known(block.tool_use_id)):
                turns.setdefault(id(turn), (turn, []))[1].append((place, block))
        for turn, results in turns.values():
            calls = [call for call in turn.calls if not call.answered] + turn.without_id
            if RESULTS[status_of_unknown(calls, results), Comparison.DIFFERENT] is Outcome.REPAIR_ID:
                for call, (place, block) in zip(sorted(calls, key=_place_of), results, strict=True):
                    self._answer(call, place, block)

    def _answer(self, call: _Call, place: Place, block: ToolResultBlock) -> None:
        call.answered = True
        if call.block.id == "":
            # The step would number it; it takes the id that its result asks for.
            named = evolve(call.block, id=block.tool_use_id or f"call_{call.place[0]}_{call.place[1]}")
            self._repair(call.place, RepairCode.ID_ASSIGNED, call.block, named)
            call.block = named
        if block.tool_use_id != call.block.id:
            code = RepairCode.RESULT_REPAIRED_ID if block.tool_use_id else RepairCode.ID_ASSIGNED
            found = tool_result_block(call.block.id, block.content, block.is_error, block.meta)
            self._repair(place, code, block, found)

    def _repair(self, place: Place, code: RepairCode, removed: Block, added: ToolUseBlock | ToolResultBlock) -> None:
        id = added.id if isinstance(added, ToolUseBlock) else added.tool_use_id
        detail = f"{in_words(removed)}; the id is now {id!r:.80}"
        edit, number = self._edit(place), place[1]
        edit.replaced[number] = added
        edit.done[number] = Repair(code=code, index=0, removed=(removed,), added=(added,), detail=detail)

    def _made(self) -> set[str]:
        """Return the ids of the calls that assistant messages make."""
        return {id for message in self._messages if message.role == "assistant" for id in message.ids if id}

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
