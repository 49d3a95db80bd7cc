"""Add what came after a history was sent: nothing that was sent changes any more.

An open turn keeps its stubs only until a real result arrives. Once they were sent they stay: a result is added as if
the turn of its call had settled (rule 5). A result that arrived before the reply to what was sent goes after that
reply, which was written without it.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import evolve

from message_history.core.messages.blocks import SystemBlock, ToolResultBlock
from message_history.core.messages.message import make_message, with_content
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.calls import find_calls
from message_history.core.turns.conversation import (
    Conversation,
    context_of,
    length_of,
    messages_in,
    open_turn_of,
    past_of,
)
from message_history.core.turns.drafts import call_key
from message_history.core.turns.ingest import Ingest
from message_history.core.turns.naming import Names
from message_history.core.turns.pairing import Incoming, pair_results
from message_history.core.turns.past import ids_of, is_quoted_at, quote, records_of
from message_history.core.turns.rules import RESULTS, AnswerStatus, Comparison, Outcome
from message_history.core.turns.stub_results import known_stub
from message_history.core.turns.stubs import awaited

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Note, Parsed
    from message_history.core.turns.drafts import UserDraft


Named: TypeAlias = "Mapping[tuple[int, str], list[ToolUseBlock]]"
"""The calls that results of a raw list are for by their places, by the entries and the ids of the results, in order."""
EMPTY: Final[Named] = {}


def added_behind_sent(sent: Conversation, parsed: Parsed, calls: Named = EMPTY) -> Conversation:
    """Add what a parser read to a conversation that was sent, whose calls have results or stubs."""
    arrivals = _Arrivals(sent, calls)
    arrivals.take(parsed)
    return arrivals.ingest.finish()


@final
class _Arrivals:
    """What is added after what was sent."""

    def __init__(self, sent: Conversation, calls: Named) -> None:
        self.ingest = Ingest(context_of(sent), sent, elsewhere=True)
        self._policy = context_of(sent).policy
        self._names, self._past = Names.of(sent), past_of(sent)
        self._awaited = awaited(sent)
        assistant, _ = open_turn_of(sent)
        self._open_ids = frozenset(assistant.ids if assistant is not None else ())
        # The calls whose stubs were sent, by their ids, and how many of them have a late result.
        self._stubbed: dict[str, list[ToolUseBlock]] = {}
        self._late: Counter[str] = Counter()
        for call in self._awaited:
            for id in ids_of(call):
                self._stubbed.setdefault(id, []).append(call)
        self._calls = calls

    def take(self, parsed: Parsed) -> None:
        incoming = self._paired(parsed)
        led = {id(block) for block in _before_reply(incoming) or ()}
        late = [
            (result, one.source)
            for one in incoming
            for result in one.message.results
            if id(result) in led or self._is_placed(result, one.source)
        ]
        if late:
            incoming = list(_without_results(incoming, {id(result) for result, _ in late}))
        has_reply = _before_reply(incoming) is not None
        notes = deque(parsed.notes)
        for one in incoming:
            while notes and one.done is None and notes[0].source <= one.source:
                self._note(notes.popleft())
            message = one.message if has_reply else self._quoted(one.message, one.source)
            if message.content or not one.message.content:
                self.ingest.add(message, one.source, interrupted=one.interrupted, done=one.done)
        while notes:
            self._note(notes.popleft())
        for result, source in late:
            placed = self._calls.get((source, result.tool_use_id))
            call = placed.pop(0) if placed else self._call_of(result)
            message = make_message("user", (result,))
            if call is not None and not has_reply and call.turn == messages_in(self._past):
                message = make_message("user", tuple(self._quote(result, call, source, self._user)))
            if message.content:
                self.ingest.add(message, source, answers=call)

    @property
    def _user(self) -> UserDraft:
        return Names.of(self.ingest.current).user

    def _is_placed(self, result: ToolResultBlock, source: int) -> bool:
        return (source, result.tool_use_id) in self._calls

    def _note(self, note: Note) -> None:
        self.ingest.record(note.code, note.source, note.removed, note.detail)

    def _paired(self, parsed: Parsed) -> Sequence[Incoming]:
        """Move results next to their calls, unless one may be for a call of the past that has the same id."""
        called = {id for message in parsed.messages if message.role == "assistant" for id in message.ids}
        answered = {result.tool_use_id for message in parsed.messages for result in message.results} & called
        if any(map(self._is_known, answered)):
            plain = zip(parsed.messages, parsed.sources, strict=True)
            return [Incoming(message, source, n in parsed.interrupted) for n, (message, source) in enumerate(plain)]
        return list(
            pair_results(parsed.messages, parsed.sources, parsed.interrupted, self._policy, is_known=self._is_known)
        )

    def _is_known(self, id: str) -> bool:
        return id in self._stubbed or id in self._open_ids or records_of(self._past, id) is not None

    def _call_of(self, result: ToolResultBlock) -> ToolUseBlock | None:
        """Find the call of a result that came before the reply, so that no newer call with its id is taken for it."""
        if result.tool_use_id in self._stubbed:
            return self._waiting(result.tool_use_id, self._user)
        return self._names.oldest(result.tool_use_id)

    def _quoted(self, message: Message, source: int) -> Message:
        """Quote the results whose calls have stubs that were sent."""
        if not self._stubbed or not message.results:
            return message
        user = self._user
        blocks: list[Block] = []
        for block in message.content:
            added: Sequence[Block] = (block,)
            if isinstance(block, ToolResultBlock) and (call := self._stubbed_call(block, user)) is not None:
                added = self._quote(block, call, source, user)
            for each in added:
                user = user.add(each)
            blocks += added
        return with_content(message, tuple(blocks))

    def _stubbed_call(self, block: ToolResultBlock, user: UserDraft) -> ToolUseBlock | None:
        if known_stub(block, self._policy).is_stub:
            return None
        if block.tool_use_id == "" and len(self._awaited) == 1:
            return self._awaited[0]
        return self._waiting(block.tool_use_id, user)

    def _waiting(self, id: str, user: UserDraft) -> ToolUseBlock | None:
        """Return the first call with an id whose stub was sent and that has no late result; the first, if all have."""
        found = self._stubbed.get(id, ())
        while self._late[id] < len(found) and user.news_of(found[self._late[id]].key).last is not None:
            self._late[id] += 1
        return found[self._late[id] % len(found)] if found else None

    def _quote(self, block: ToolResultBlock, call: ToolUseBlock, source: int, user: UserDraft) -> Sequence[Block]:
        """Quote a result behind what the user's message holds."""
        news = user.news_of(call.key)
        mark = user.rest[news.last[1]].mark if news.last is not None else None
        late = mark is not None and mark.kind == "quote"
        same = news.quote is not None and is_quoted_at(user.rest, news.quote[1], block)
        outcome = RESULTS[
            AnswerStatus.SETTLED if late else AnswerStatus.STUBBED, Comparison.SAME if same else Comparison.DIFFERENT
        ]
        code, reason = _QUOTED.get(outcome, (RepairCode.DUPLICATE_RESULT_DROPPED, ""))
        blocks = tuple(quote(evolve(block, tool_use_id=call.id), reason, call.name, call.key)) if reason else ()
        here = max(length_of(self.ingest.current) - 1, 0)
        detail = f"result of {block.tool_use_id!r:.80}"
        repair = Repair(code=code, index=here, source=source, removed=(block,), added=blocks, detail=detail)
        self.ingest.record_all([repair])
        return blocks


_QUOTED: Final = {
    Outcome.QUOTE_LATE: (RepairCode.LATE_RESULT_QUOTED, "late"),
    Outcome.QUOTE_SECOND: (RepairCode.SECOND_RESULT_QUOTED, "second"),
}


def _before_reply(incoming: Iterable[Incoming]) -> list[Block] | None:
    """Return the blocks before the first that the assistant says; None where it says nothing."""
    before: list[Block] = []
    for message, block in ((one.message, block) for one in incoming for block in one.message.content):
        if message.role == "assistant" and not isinstance(block, ToolResultBlock | SystemBlock):
            return before
        before.append(block)
    return None


def _without_results(incoming: Sequence[Incoming], known: Collection[int]) -> Iterable[Incoming]:
    for one in incoming:
        kept = tuple(block for block in one.message.content if id(block) not in known)
        if kept or not one.message.results:
            yield one._replace(message=with_content(one.message, kept))


def calls_by_place(
    parsed: Parsed, inserted: Collection[int], conversation: Conversation
) -> dict[tuple[int, str], list[ToolUseBlock]]:
    """Find the calls that results which were put into a raw list are for: their places say so, as in any list."""
    there: dict[tuple[str, str, str], list[ToolUseBlock]] = {}
    for record in find_calls(conversation):
        there.setdefault(call_key(record.call), []).append(record.call)
    found: dict[tuple[int, str], list[ToolUseBlock]] = {}
    waiting: dict[str, list[ToolUseBlock]] = {}
    made: set[tuple[str, str, str]] = set()
    answers = False
    policy = context_of(conversation).policy
    for one in pair_results(parsed.messages, parsed.sources, parsed.interrupted, policy):
        if one.message.role == "assistant" and answers:
            waiting, made, answers = {}, set(), False
        answers = answers or one.message.role == "user"
        for call in one.message.calls:
            if (key := call_key(call)) not in made and there.get(key):
                made.add(key)
                waiting.setdefault(key[0], []).append(there[key].pop(0))
        for result in one.message.results:
            named = waiting.get(result.tool_use_id)
            if named and one.source in inserted:
                found.setdefault((one.source, result.tool_use_id), []).append(named[0])
            waiting[result.tool_use_id] = named[1:] if named else []
    return found
