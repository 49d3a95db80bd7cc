"""What arrives on its way into a conversation, all of it or nothing, and the log of what was repaired."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from functools import partial
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, final

from attrs import evolve

from message_history.core.messages.blocks import SystemBlock, ToolResultBlock
from message_history.core.messages.message import is_plain, make_message
from message_history.core.messages.parsed import Note
from message_history.core.messages.repairs import Repair, RepairCode, Severity, UnknownCallError, in_words
from message_history.core.messages.thinking import any_thinking, has_thinking
from message_history.core.turns.conversation import (
    NO_TURN,
    Context,
    context_of,
    length_of,
    make_conversation,
    open_turn_of,
    parts_of,
    past_of,
)
from message_history.core.turns.naming import Names, the_place
from message_history.core.turns.rules import behind_change, enforce, is_nothing
from message_history.core.turns.step import METADATA, Transition, step
from message_history.core.turns.stubs import stub_awaited
from message_history.core.turns.whole import advance, move
from message_history.core.values.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.core.turns.conversation import Conversation
    from message_history.core.turns.drafts import OpenTurn, UserDraft
    from message_history.core.turns.past import Turn


@final
class Ingest:
    """Several messages on their way into a conversation; nothing is refused before `finish`.

    Args:
        context: the context that the conversation is to have.
        start: the conversation that they are added to; an empty one by default.
        elsewhere: whether they are of a list from elsewhere, in which stubs are known by their texts.
    """

    def __init__(self, context: Context, start: Conversation | None = None, *, elsewhere: bool = False) -> None:
        self._begin(context, *(parts_of(start)[:2] if start is not None else (Log(), NO_TURN)))
        self.changed = False
        """Whether anything had to be repaired."""
        self._source_of_calls: int | None = None
        self._dialect = ""
        self._elsewhere = elsewhere

    def _begin(self, context: Context, past: Log[Turn], turn: OpenTurn) -> None:
        self._context = context
        if context.policy.on_violation != "repair":
            context = evolve(context, policy=evolve(context.policy, on_violation="repair"))
        self.current = make_conversation(past, turn, context)
        """The conversation as it is now; its policy repairs."""

    @property
    def repairs(self) -> Sequence[Repair]:
        return context_of(self.current).repairs[len(self._context.repairs) :]

    def replied(self, start: Conversation) -> bool:
        now = self.current
        if len(past_of(now)) != len(past_of(start)):
            return True
        return open_turn_of(now)[0] != open_turn_of(start)[0]

    def add_list(self, parsed: Parsed, account: Callable[[Sequence[Repair]], Iterable[Repair]] | None = None) -> None:
        """Add a list from elsewhere: first its results are moved to their calls; `account` completes the repairs."""
        lengths = self._add_paired(parsed)
        if account is not None and self.repairs:
            past, turn, context = parts_of(self.current)
            repairs = Log((*self._context.repairs, *account(self.repairs)))
            self.current = make_conversation(past, turn, evolve(context, repairs=repairs))
        for note, index in zip(parsed.left, lengths, strict=True):
            self.record(note.code, note.source, note.removed, note.detail, index)

    def _add_paired(self, parsed: Parsed) -> list[int | None]:
        """Add a list, and return how many messages come before each entry that is not a message."""
        self._dialect, self._elsewhere = parsed.dialect, not parsed.own
        if parsed.lineage is not None:
            self._begin(evolve(self._context, lineage=parsed.lineage), *parts_of(self.current)[:2])
        parsed = _with_one_prompt(parsed)
        before, start = self.current, 0
        messages, sources, interrupted = parsed.messages, parsed.sources, parsed.interrupted
        if not parsed.notes and not interrupted and not parsed.left:
            if messages and _is_prompt(messages[0]):
                self._lift(messages[0])
                start = 1
            start = self._advance(messages, sources, start) if not self.changed else start
            if start == len(messages):
                return []
        from message_history.core.turns.pairing import Incoming, paired_pieces  # noqa: PLC0415 - a list in order does without

        pieces = paired_pieces(messages, sources, interrupted, self._context.policy)
        if pieces and min(pieces) < start:
            self.current, start, self._source_of_calls = before, 0, None
        notes = deque(parsed.notes)
        positions = {*pieces, *interrupted, *(bisect_left(sources, note.source) for note in notes)}
        stops = _stops(parsed)
        lengths: dict[int, int] = {}
        # What lies between the places where something is to be done goes in runs.
        for position in sorted({*positions, *stops} - {len(messages)}):
            self._add_run(messages[start:position], sources[start:position])
            lengths[position], start = length_of(self.current), position
            if position not in positions:
                continue
            start = position + 1
            while notes and notes[0].source <= sources[position]:
                self._note(notes.popleft(), from_list=True)
            whole = Incoming(messages[position], sources[position], position in interrupted)
            for message, source, truncated, done in pieces.get(position, (whole,)):
                self.add(message, source, interrupted=truncated, done=done)
        self._add_run(messages[start:], sources[start:])
        while notes:
            self._note(notes.popleft(), from_list=True)
        return [lengths.get(position) for position in stops]

    def _lift(self, prompt: Message) -> None:
        """Lift a prompt that leads a list; `TABLE` would do the same."""
        past, turn, context = parts_of(self.current)
        system = (*context.system, *(block for block in prompt.content if isinstance(block, SystemBlock)))
        self.current = make_conversation(past, turn, Context(context.policy, system, context.repairs, context.lineage))

    def _add_run(self, messages: list[Message], sources: Sequence[int]) -> None:
        """Add messages of a list as they are: together, as far as nothing is to be done about them."""
        position = 0
        invalidated = False
        while position < len(messages):
            if self.changed and not invalidated:
                # Most lists hold no thinking: to ask for all at once saves a call for each message.
                if any_thinking(messages[position:]):
                    messages[position:] = map(behind_change, messages[position:])
                invalidated = True
            position = self._advance(messages, sources, position)
            if position < len(messages):
                self.add(messages[position], sources[position])
                position += 1

    def _advance(self, messages: Sequence[Message], sources: Sequence[int], start: int) -> int:
        """Add messages as long as nothing is to be done about them, and return the position of the first other one."""
        self.current, position = advance(self.current, messages, start, elsewhere=self._elsewhere)
        last = next((n for n in range(position - 1, start - 1, -1) if messages[n].role == "assistant"), None)
        if last is not None and messages[last].ids:
            self._source_of_calls = sources[last]
        return position

    def add_reply(self, parsed: Parsed) -> None:
        """Add what was parsed from one message or response, in its order; its issuer says how valid its thinking is."""
        self._dialect = parsed.dialect
        notes = deque(parsed.notes)
        for n, (message, source) in enumerate(zip(parsed.messages, parsed.sources, strict=True)):
            while notes and notes[0].source <= source:
                self._note(notes.popleft(), from_list=False)
            self.add(message, None, interrupted=n in parsed.interrupted, keep_thinking=True)
        while notes:
            self._note(notes.popleft(), from_list=False)

    def _note(self, note: Note, *, from_list: bool) -> None:
        self.record(note.code, note.source if from_list else None, note.removed, note.detail)

    def add(
        self,
        message: Message,
        source: int | None,
        *,
        interrupted: bool = False,
        done: RepairCode | Repair | None = None,
        keep_thinking: bool = False,
        answers: ToolUseBlock | None = None,
    ) -> None:
        """Add one message; its thinking is invalidated after a repair (rule 10), unless `keep_thinking`.

        `source` is the entry of the raw list that it came from, `done` what pairing did to it. `interrupted` is True
        for a truncated reply. `keep_thinking` is True where nothing before the message has changed. `answers` is the
        call that its results are for, where that is known.
        """
        sources = source, self._source_of_calls
        added = partial(
            step, self.current, interrupted=interrupted, answers=answers, sources=sources, elsewhere=self._elsewhere
        )
        if self.changed and not keep_thinking:
            message = behind_change(message)
        grown = added(message)
        if not self.changed and len(context_of(grown).repairs) > len(context_of(self.current).repairs):
            self.changed = True
            if not keep_thinking and has_thinking(message):
                # This message was repaired, so its own thinking comes after a repair too.
                message = behind_change(message)
                grown = added(message)
        self.current = grown
        if done is not None:
            index = max(length_of(grown) - 1, 0)
            if isinstance(done, Repair):
                self.record_all([evolve(done, index=index, source=source)])
            else:
                detail = in_words(message.content[0]) if message.content else ""
                self.record(done, source, detail=detail, index=index)
        if message.role == "assistant" and message.ids:
            self._source_of_calls = source

    def record(
        self,
        code: RepairCode,
        source: int | None,
        removed: tuple[Any, ...] = (),
        detail: str = "",
        index: int | None = None,
    ) -> None:
        position = index if index is not None else length_of(self.current)
        self.record_all([Repair(code=code, index=position, source=source, removed=removed, detail=detail)])

    def record_all(self, repairs: Iterable[Repair]) -> None:
        past, turn, context = parts_of(self.current)
        recorded = context.repairs.extend(repairs)
        self.changed = self.changed or len(recorded) > len(context.repairs)
        self.current = make_conversation(past, turn, evolve(context, repairs=recorded))

    def stub_open_calls(self) -> None:
        """Add stubs for the calls that wait at the end of a list, and record them."""
        self.current, stubs = stub_awaited(self.current, recorded=True)
        if stubs:
            self.record_all([evolve(stub, source=self._source_of_calls) for stub in stubs])

    def finish(
        self,
        user: Message | UserDraft | None = None,
        *,
        allowed: int = 0,
        logged: Sequence[Repair] = (),
        is_final: bool = True,
    ) -> Conversation:
        """Return the conversation, if the policy allows the repairs, and log them.

        `user` is the user message of the open turn, where its final form is known. `allowed` is how many of the
        first repairs were made and allowed before, `logged` are those that were logged elsewhere. What is not final is
        allowed, and not logged.
        """
        if user is None and context_of(self.current) is self._context:
            return self.current  # Nothing was repaired.
        if is_final:
            enforce(self._context.policy, self.repairs[allowed:])
        past, (assistant, standing), context = parts_of(self.current)
        if context.policy is not self._context.policy:
            context = evolve(context, policy=self._context.policy)
        if is_final:
            log_new(self._context, context, self._dialect, logged)
        return make_conversation(past, (assistant, user if user is not None else standing), context)


def add_message(
    conversation: Conversation, message: Message, *, interrupted: bool = False, dialect: str = ""
) -> Conversation:
    """Add one message; the arguments are those of `step`, and the dialect that it was parsed in."""
    moved = move(conversation, message) if not interrupted else None
    return moved or add_by_blocks(conversation, message, interrupted=interrupted, dialect=dialect)


def add_by_blocks(
    conversation: Conversation, message: Message, *, interrupted: bool = False, dialect: str = ""
) -> Conversation:
    """Do what `add_message` does, for a message that `move` is known not to add."""
    transition = Transition(conversation, answers=None, interrupted=interrupted, sources=(None, None))
    transition.apply(message)
    grown = transition.conversation()
    log_new(context_of(conversation), context_of(grown), dialect)
    return grown


def add_parsed(conversation: Conversation, parsed: Parsed) -> Conversation:
    """Add what a parser read of an entry, or of a provider's reply."""
    if len(parsed.messages) == 1 and not parsed.notes and not parsed.interrupted and not parsed.is_unfinished:
        return add_message(conversation, parsed.messages[0], dialect=parsed.dialect)
    ingest = Ingest(context_of(conversation), conversation)
    ingest.add_reply(parsed)
    return ingest.finish(is_final=not parsed.is_unfinished)


def add_result(conversation: Conversation, call: ToolUseBlock | str, output: object, *, is_error: bool) -> Conversation:
    """Add the result of a call that the conversation must have.

    Raises `UnknownCallError` when there is no such call.
    """
    if isinstance(call, str) or call.origin is None:
        names = Names.of(conversation)
        call = names.call_at(the_place(names, call))
    result = ToolResultBlock(call.id, output, is_error)
    grown = step(conversation, make_message("user", (result,)), answers=call)
    before, after = context_of(conversation), context_of(grown)
    if after is not before:
        new = after.repairs[len(before.repairs) :]
        if any(repair.code is RepairCode.ORPHAN_RESULT_DROPPED for repair in new):
            raise UnknownCallError(call.id, Names.of(conversation).waiting())
        log_new(before, after)
    return grown


def _stops(parsed: Parsed) -> list[int]:
    """Return before which message each entry is that is not a message; of an object none has a place."""
    firsts = list(accumulate((places[0] for places in parsed.places), max))
    if not firsts:
        return [len(parsed.messages)] * len(parsed.left)
    return [bisect_left(parsed.sources, bisect_right(firsts, note.source)) for note in parsed.left]


def _with_one_prompt(parsed: Parsed) -> Parsed:
    """Join the system messages that lead a list: to lift them one by one would copy the prompt each time."""
    led = list(takewhile(_is_prompt, parsed.messages))
    if not led or (len(led) == 1 and not led[0].arrivals):
        return parsed
    notes = [
        Note(RepairCode.EMPTY_MESSAGE_DROPPED, source, tuple(each.frozen_metadata for each in arrivals), METADATA)
        for source, arrivals in zip(parsed.sources, (message.arrivals for message in led), strict=False)
        if arrivals
    ]
    lead, blocks = len(led), tuple(block for message in led for block in message.content)
    return evolve(
        parsed,
        messages=[make_message("user", blocks), *parsed.messages[lead:]],
        sources=[parsed.sources[0], *parsed.sources[lead:]],
        interrupted={n - lead + 1 for n in parsed.interrupted if n >= lead},
        notes=sorted([*notes, *parsed.notes], key=lambda note: note.source),
    )


def _is_prompt(message: Message) -> bool:
    """Return whether a message holds only system messages that need no record; a plain one has no block of them yet."""
    blocks = message.content if not is_plain(message) and message.role == "user" else ()
    return bool(blocks) and all(
        type(block) is SystemBlock and not is_nothing(block) and not (block.meta and block.meta.converted)
        for block in blocks
    )


def log_new(before: Context, after: Context, dialect: str = "", logged: Sequence[Repair] = ()) -> None:
    """Log the repairs that are new; `dialect` is the one that a list was parsed in."""
    new = after.repairs[len(before.repairs) :]
    if logged:
        known = {evolve(repair, index=0) for repair in logged}
        new = [repair for repair in new if evolve(repair, index=0) not in known]
    if not new:
        return
    import logging  # noqa: PLC0415 - a history without repairs does without

    logger = logging.getLogger("message_history")
    for repair in new:
        level = logging.INFO if repair.severity is Severity.LOSSLESS else logging.WARNING
        if logger.isEnabledFor(level):
            logger.log(level, "%s", _Outline(repair), extra=_fields(repair, dialect))


@final
class _Outline:
    """The text of a log record; most are written nowhere."""

    __slots__ = ("_repair",)

    def __init__(self, repair: Repair) -> None:
        self._repair = repair

    def __str__(self) -> str:
        return self._repair.outline


def _fields(repair: Repair, dialect: str) -> dict[str, Any]:
    """Return what is logged of a repair, without any content: logs are read by others than the histories."""
    return {
        "repair_code": repair.code.value,
        "repair_severity": repair.severity.value,
        "repair_index": repair.index,
        "repair_source": repair.source,
        "repair_ids": repair.ids,
        "repair_removed": len(repair.removed),
        "repair_added": len(repair.added),
        "repair_dialect": dialect,
    }
