"""Which call is meant by a key, a call of a history or an id: all that names a call asks here (`rules.NAMES`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

from message_history.core.messages.blocks import ToolUseBlock, placed, with_meta
from message_history.core.messages.message import Message, with_content
from message_history.core.messages.repairs import AmbiguousCallError, UnknownCallError
from message_history.core.turns.conversation import make_conversation, parts_of
from message_history.core.turns.drafts import AssistantDraft, UserDraft, is_alike, lowest, tells
from message_history.core.turns.past import news_of, records_of, settled_stubs
from message_history.core.turns.rules import MOVES, CallState, is_settled, state_of_reason
from message_history.core.turns.stub_results import reason_of
from message_history.core.values.keys import OPEN, Origin, salt_at
from message_history.core.values.meta import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.core.messages.blocks import ToolResultBlock
    from message_history.core.turns.conversation import Context, Conversation
    from message_history.core.turns.past import Turn
    from message_history.core.values.log import Log
    from message_history.core.values.meta import Mark


class Place(NamedTuple):
    """Where a call is: the number of its turn, and its own number among the calls of the turn."""

    turn: int
    number: int


@final
class Names:
    """The calls of a conversation, and what they are called.

    Args:
        past: the settled turns.
        assistant: the assistant message of the open turn.
        user: its user message, if there is one yet.
        context: the context of the conversation.
    """

    __slots__ = ("_assistant", "_context", "_has_user", "_past", "user")

    def __init__(self, past: Log[Turn], assistant: AssistantDraft, user: UserDraft | None, context: Context) -> None:
        self._past, self._assistant, self._context = past, assistant, context
        self.user, self._has_user = user if user is not None else UserDraft.of(None), user is not None

    @staticmethod
    def of(conversation: Conversation) -> Names:
        """Return the names in a conversation."""
        past, (assistant, user), context = parts_of(conversation)
        draft = assistant if isinstance(assistant, AssistantDraft) else AssistantDraft.of(assistant)
        return Names(past, draft, UserDraft.of(user) if isinstance(user, Message) else user, context)

    def call_at(self, place: Place) -> ToolUseBlock:
        standing = self.result_at(place)
        key = standing.mark.key if standing is not None and standing.is_stub and standing.mark is not None else ""
        return placed(self._bare(place), Origin(self._context.lineage, *place, key))

    def result_at(self, place: Place) -> ToolResultBlock | None:
        """Return the result or the stub of a call in its own turn."""
        if place.turn == len(self._past):
            found = self.user.latest(place.number)
            return found.result if found is not None else None
        user = self._past[place.turn][1]
        # The results are first, one for each call.
        return user.content[place.number] if user is not None else None  # type: ignore[return-value]

    def state_at(self, place: Place) -> CallState:
        call, result = self.call_at(place), self.result_at(place)
        if result is not None and not result.is_stub:
            return CallState.ANSWERED
        if call.approval:
            return self._approval_at(place)
        if result is None:
            return CallState.UNKNOWN if self._has_user or place.turn < len(self._past) else CallState.PROPOSED
        mark = self._newest(call.key) if place.turn != len(self._past) or self.user.rest else None
        if mark is not None and mark.kind == "quote":
            return CallState.ANSWERED
        return state_of_reason(mark.reason if mark is not None else reason_of(result))

    def _approval_at(self, place: Place) -> CallState:
        """Return the state of a call for which its provider asks a person: it may have run there since."""
        from message_history.core.turns.calls import find_calls  # noqa: PLC0415 - few providers ask

        calls = find_calls(
            make_conversation(self._past, (self._assistant, self.user if self._has_user else None), self._context)
        )
        return calls.where(turn=2 * place.turn - 1)[place.number].state

    def with_news(self) -> int:
        """Return the calls of the open turn, as bits, of which its own user message says more than their stubs."""
        if not any(self.user.rest.summaries(tells)):
            return 0
        places = (Place(len(self._past), number) for number in range(len(self._assistant.calls)))
        found = (self.user.news_of(self.call_at(place).key).last is not None for place in places)
        return sum(there << number for number, there in enumerate(found))

    def mark_at(self, place: Place) -> Mark | None:
        """Return what was recorded last of a call of a settled turn."""
        result = self.result_at(place)
        return self._newest(self.call_at(place).key) or (result.mark if result is not None else None)

    def _newest(self, key: str) -> Mark | None:
        """Return the last mark about a call after its turn."""
        here = self.user.news_of(key).last
        if here is not None:
            return self.user.rest[here[1]].mark
        there = news_of(self._past, key).last
        user = self._past[there[0]][1] if there is not None else None
        return user.content[there[1]].mark if user is not None and there is not None else None

    def find(self, call: ToolUseBlock) -> Place | None:
        """Find a call that a history gave, or that is like one."""
        origin = call.origin
        if origin is None:
            return self._alike(call)
        place = Place(origin.turn + origin.lineage.dropped - self._context.lineage.dropped, origin.number)
        if self._has(place) and self._is_it(place, call, origin):
            return place
        found = self.find_key(call.key)
        return found if found is not None else self._renumbered(call, place, origin)

    def _renumbered(self, call: ToolUseBlock, place: Place, origin: Origin) -> Place | None:
        """Find a call of another version that has another number here, or was dropped for one that is the same."""
        if origin.turn == OPEN:
            place = Place(len(self._past), 0)
        elif not 0 < place.turn <= len(self._past) or salt_at(origin.lineage, origin.turn, origin.number) != salt_at(
            self._context.lineage, *place
        ):
            return None
        draft = self._assistant if place.turn == len(self._past) else AssistantDraft.of(self._past[place.turn][0])
        number = draft.place_of(call)
        meta = draft.calls[number].meta if number is not None and origin.turn != OPEN else None
        # One that moved up to here is another.
        return Place(place.turn, number) if number is not None and not (meta is not None and meta.key) else None

    def _has(self, place: Place) -> bool:
        if place.turn == len(self._past):
            return place.number < len(self._assistant.calls)
        assistant = self._past[place.turn][0] if 0 < place.turn < len(self._past) else None
        return assistant is not None and place.number < len(assistant.ids)

    def _is_it(self, place: Place, call: ToolUseBlock, origin: Origin) -> bool:
        here = self._bare(place)
        if here.id != call.id or not is_alike(here, call):
            return False
        # To make keys takes longer than all else that is done for a result.
        whole = not origin.key and here.meta is None and call.meta is None and place.turn == len(self._past)
        return (whole and origin.lineage is self._context.lineage) or self.call_at(place).key == call.key

    def find_key(self, key: str) -> Place | None:
        """Find a call by its key."""
        return next((place for place in self._by_likelihood() if self.call_at(place).key == key), None)

    def _by_likelihood(self) -> Iterator[Place]:
        newest = len(self._past)
        yield from (Place(newest, number) for number in range(len(self._assistant.calls)))
        yield from (Place(*stub) for stub in settled_stubs(self._past))
        for turn in range(newest - 1, 0, -1):
            assistant = self._past[turn][0]
            yield from (Place(turn, number) for number in range(len(assistant.ids) if assistant is not None else 0))

    def _alike(self, call: ToolUseBlock) -> Place | None:
        """Find a call that does not know its place: by its turn, else by its id among those alike."""
        turn = (call.turn + 1) // 2 if call.turn is not None else 0
        numbers = range(len(self._assistant.calls) if turn == len(self._past) else len(self._ids_in(turn)))
        named = [place for place in (Place(turn, number) for number in numbers) if call.id == self._bare(place).id]
        if turn and named:
            return named[0]
        found = self.named(call.id)
        return self.only([place for place in found if is_alike(self._bare(place), call)] or found, call.id)

    def _ids_in(self, turn: int) -> tuple[str, ...]:
        assistant = self._past[turn][0] if 0 < turn < len(self._past) else None
        return assistant.ids if assistant is not None else ()

    def find_id(self, id: str) -> Place | None:
        """Find the call that a person or a program means by an id; `AmbiguousCallError` where it could mean two."""
        return self.only(self.named(id), id)

    def named(self, id: str) -> list[Place]:
        """Find the calls with an id: those of the open turn, those that settled with a stub, and the last one."""
        named, found = self._assistant.named(id), []
        while named:
            found.append(Place(len(self._past), lowest(named)))
            named &= named - 1
        record = records_of(self._past, id)
        if record is not None:
            last = [Place(*record.call)] if record.call is not None and record.call not in record.stubs else []
            found = [*map(Place._make, record.stubs), *last, *found]
        return found

    def oldest(self, id: str) -> ToolUseBlock | None:
        """Return the call that a late result of a list is for: the oldest that waits, else the last; see `NAMES`."""
        found = self.named(id)
        states = [(self.state_at(place), place) for place in found]
        waiting = [place for state, place in states if MOVES[state]]
        waiting += [place for state, place in states if state is not CallState.ANSWERED]
        return self.call_at([*waiting, *found[-1:]][0]) if found else None

    def only(self, places: list[Place], id: str) -> Place | None:
        """Return the one call that waits; where none does, the last one."""
        exact = [place for place in places if self._bare(place).id == id] or places
        waiting = [place for place in exact if not is_settled(self.state_at(place), self._bare(place).approval)]
        if len(waiting) > 1:
            raise AmbiguousCallError(id, [self.call_at(place) for place in waiting])
        return (waiting or exact)[-1] if exact else None

    def waiting(self) -> list[str]:
        """Return the ids of the calls of the open turn that have no result."""
        return [call.id for number, call in enumerate(self._assistant.calls) if not self.user.answered >> number & 1]

    def _bare(self, place: Place) -> ToolUseBlock:
        if place.turn == len(self._past):
            return self._assistant.calls[place.number]
        assistant: Message = self._past[place.turn][0]  # type: ignore[assignment]  # `place` is one of a call
        others, id = len(assistant.content) - len(assistant.ids), assistant.ids[place.number]
        near = assistant.content[place.number : place.number + others + 1]
        return next(block for block in near if isinstance(block, ToolUseBlock) and block.id == id)


def the_place(names: Names, call: ToolUseBlock | str) -> Place:
    """Return where the call is that a person or a program means, or raise that there is no such call or several."""
    place = names.find_id(plain_text(call)) if isinstance(call, str) else names.find(call)
    if place is None:
        raise UnknownCallError(call if isinstance(call, str) else call.id, names.waiting())
    return place


def with_own_keys(message: Message, calls: Iterable[ToolUseBlock]) -> Message:
    """Return a message whose calls, given with their places, keep their keys wherever they go."""
    if message.role == "user" or not message.ids:
        return message
    keys = {call.id: call.key for call in calls}
    own = (
        with_meta(block, key=keys[block.id]) if isinstance(block, ToolUseBlock) else block for block in message.content
    )
    return with_content(message, tuple(own))
