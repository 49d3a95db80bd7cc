"""Pair calls and responses that have no ids: within the turn, by name and order, as the API itself does.

The ids made here depend on the names and their order in one turn alone, so that a response read by itself gets the
id that its call got.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final, NamedTuple, final

from attrs import define, field

from message_history.core.messages.message import items_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.message import Message


class Asked(NamedTuple):
    """What a response says of its call."""

    id: str  # the id that it names; empty when it names none
    name: str  # the function that it names; empty when it names none


class Answered(NamedTuple):
    """The call that a response belongs to."""

    id: str  # our id of the call; empty when nothing tells which it is
    has_id: bool  # False for a call that came without an id
    name: str | None  # the function that it calls; None when the list does not hold it


@final
@define(eq=False)
class _Call:
    """A call, and whether a response answers it."""

    id: str
    name: str
    has_id: bool
    answered: bool = False

    def as_answered(self) -> Answered:
        """Return which call a response belongs to."""
        return Answered(self.id, self.has_id, self.name)


@final
@define(eq=False)
class _Turn:
    """The calls of one turn, as they may be asked for; an answered one leaves a queue when it comes to its front."""

    has_user: bool = False
    waiting: int = 0
    calls: deque[_Call] = field(factory=deque)
    by_id: dict[str, deque[_Call]] = field(factory=dict)
    by_name: dict[str, deque[_Call]] = field(factory=dict)
    without_id: dict[str, deque[_Call]] = field(factory=dict)
    last: dict[str, _Call] = field(factory=dict)
    made: Counter[str] = field(factory=Counter)
    orphans: Counter[str] = field(factory=Counter)

    def add(self, call: _Call) -> None:
        self.waiting += 1
        self.calls.append(call)
        self.last[call.name] = call
        self.by_name.setdefault(call.name, deque()).append(call)
        if call.has_id:
            self.by_id.setdefault(call.id, deque()).append(call)
        else:
            self.without_id.setdefault(call.name, deque()).append(call)

    def answer(self, calls: deque[_Call] | None) -> Answered | None:
        call = _first(calls)
        if call is None:
            return None
        call.answered = True
        self.waiting -= 1
        return call.as_answered()


_MOST_CALLS: Final = 100


@final
class Pairing:
    """The calls of one list."""

    def __init__(self) -> None:
        self._turn = _Turn()
        self._earlier: dict[str, deque[_Call]] = {}
        self._taken_ids: set[str] = set()
        self._names: dict[str, str] = {}

    def avoid(self, ids: Iterable[str]) -> None:
        """Keep the ids that came in the list: none that is made is like one of them."""
        self._taken_ids.update(ids)

    def begin_model(self) -> None:
        """Begin a content of the model: after the user's, it begins a turn."""
        if not self._turn.has_user:
            return
        if self._turn.waiting:
            for call in self._turn.calls:
                self._earlier.setdefault(call.name, deque()).append(call)
        self._turn = _Turn()

    def begin_user(self) -> None:
        self._turn.has_user = True

    def follow(self, messages: Iterable[Message]) -> None:
        """Take note of messages that another dialect read."""
        for message in messages:
            if message.role == "assistant":
                self.begin_model()
                for id, name in calls_of(message):
                    self.call(id, name)
            else:
                self.begin_user()
                self.answers([Asked(id, "") for id in message.ids if id])

    def waiting(self) -> tuple[list[tuple[str, str]], bool] | None:
        """Return the ids and names of calls that wait, and whether the turn ends with the model; None for very many."""
        if len(self._turn.calls) > _MOST_CALLS:
            return None
        return [(call.id, call.name) for call in self._turn.calls if not call.answered], self._turn.has_user

    def call(self, id: str, name: str) -> str:
        """Take a call. `id` is empty when it came without; returns ours."""
        call = _Call(id or self._made_id(name), name, has_id=bool(id))
        self._names[call.id] = name
        self._turn.add(call)
        return call.id

    def _made_id(self, name: str) -> str:
        while True:
            id = _numbered(name, self._turn.made[name])
            self._turn.made[name] += 1
            if id not in self._taken_ids:
                return id

    def answers(self, responses: Sequence[Asked]) -> list[Answered]:
        """Pair the responses of one content: by id, then by name, then by order."""
        turn = self._turn
        found = [turn.answer(turn.by_id.get(asked.id)) if asked.id else None for asked in responses]
        for position, asked in enumerate(responses):
            if found[position] is None and asked.name:
                # A response that names an id can only belong to a call that has none.
                found[position] = turn.answer((turn.without_id if asked.id else turn.by_name).get(asked.name))
        unmatched = [position for position, answered in enumerate(found) if answered is None]
        as_many = len(unmatched) == turn.waiting
        for position in unmatched:
            asked, waiting = responses[position], _first(turn.calls)
            if waiting is not None and (as_many or not asked.name) and not (asked.id and waiting.has_id):
                found[position] = turn.answer(turn.calls)
        return [
            answered if answered is not None else self._without_call(asked)
            for asked, answered in zip(responses, found, strict=True)
        ]

    def _without_call(self, asked: Asked) -> Answered:
        """Name the call of a response that none of the turn's calls waits for."""
        if asked.id or not asked.name:
            return Answered(asked.id, has_id=True, name=self._names.get(asked.id))
        earlier = _first(self._earlier.get(asked.name))
        if earlier is not None:
            earlier.answered = True
            return earlier.as_answered()
        last = self._turn.last.get(asked.name)
        if last is not None:
            return last.as_answered()
        id = _numbered(asked.name, self._turn.orphans[asked.name])
        self._turn.orphans[asked.name] += 1
        return Answered(id, has_id=False, name=asked.name)


def calls_of(message: Message) -> list[tuple[str, str]]:
    """Return the ids and names of the calls of a message, if possible without making its blocks."""
    if not message.ids:
        return []
    items = items_of(message)
    called = [item[:2] for item in items if type(item) is tuple and len(item) == 3]
    return called if items else [(call.id, call.name) for call in message.calls]


def _first(calls: deque[_Call] | None) -> _Call | None:
    """Find the first call of a queue that waits."""
    while calls and calls[0].answered:
        calls.popleft()
    return calls[0] if calls else None


def _numbered(name: str, number: int) -> str:
    return f"{name or 'call'}_{number}"
