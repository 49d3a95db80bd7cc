"""Several messages on their way into a conversation, all of them or none, and the log of what was changed."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, final

from attrs import evolve

from message_history.core.log import Log
from message_history.core.message import has_thinking, invalidate_thinking
from message_history.core.pairing import pair_results
from message_history.core.repairs import Repair, RepairCode, Severity
from message_history.core.rules import NOTHING_YET, advance, conversation_of, parts_of, step, stub_awaited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.blocks import ToolUseBlock
    from message_history.core.drafts import UserDraft
    from message_history.core.message import Message
    from message_history.core.rules import Context, Conversation
    from message_history.dialects.base import Note, Parsed

__all__ = ["Ingest", "length_of", "log_new"]

logger = logging.getLogger("message_history")


@final
class Ingest:
    """Several messages on their way into a history, all of them or none; the caller enforces the policy.

    Args:
        context: the context that the history is to have.
        start: the conversation that they go into; an empty one by default.
    """

    def __init__(self, context: Context, start: Conversation | None = None) -> None:
        self._context = context
        repairing = context
        if context.policy.on_violation != "repair":
            repairing = evolve(context, policy=evolve(context.policy, on_violation="repair"))
        past, turn = parts_of(start)[:2] if start is not None else (Log(), NOTHING_YET)
        self._conversation = conversation_of(past, turn, repairing)
        self._last_calls: int | None = None
        self._dialect = ""
        self.changed = False
        """Whether anything had to be changed."""

    @property
    def repairs(self) -> Sequence[Repair]:
        """Return what had to be changed."""
        return self._conversation[4].repairs[len(self._context.repairs) :]

    def grew(self, start: Conversation) -> bool:
        """Tell whether anything was said or heard since the start."""
        return self._conversation[1:4] != start[1:4]

    def fold(self, parsed: Parsed, *, arranged: bool = True) -> None:
        """Take what a parser read.

        Args:
            parsed: the messages and notes.
            arranged: whether to move results next to their calls first, and to mark thinking behind a change.
        """
        self._dialect = parsed.dialect
        if arranged and not parsed.notes and not parsed.interrupted:
            grown, taken = advance(self._conversation, parsed.messages)
            if taken == len(parsed.messages):
                self._conversation = grown
                self._last_calls = parsed.sources[-1] if parsed.sources else None
                return
        notes = deque(parsed.notes)
        incoming: Iterable[tuple[Message, int, bool, RepairCode | None]]
        if arranged:
            incoming = pair_results(parsed.messages, parsed.sources, parsed.interrupted, self._context.policy)
        else:
            incoming = [
                (message, source, n in parsed.interrupted, None)
                for n, (message, source) in enumerate(zip(parsed.messages, parsed.sources, strict=True))
            ]
        for message, source, interrupted, done in incoming:
            while notes and done is None and notes[0].source <= source:
                self._note(notes.popleft(), from_list=arranged)
            where = source if arranged else None
            self.take(message, where, interrupted=interrupted, done=done, bind=not arranged)
        while notes:
            self._note(notes.popleft(), from_list=arranged)

    def _note(self, note: Note, *, from_list: bool) -> None:
        self.record(note.code, note.source if from_list else None, note.removed, note.detail)

    def take(
        self,
        message: Message,
        source: int | None,
        *,
        interrupted: bool = False,
        done: RepairCode | None = None,
        bind: bool = False,
        answers: ToolUseBlock | None = None,
    ) -> None:
        """Take one message; thinking that comes after a change is marked, unless `bind`."""
        before = self._conversation
        sources = source, self._last_calls
        if self.changed and not bind and has_thinking(message):
            message = invalidate_thinking(message)
        grown = step(before, message, interrupted=interrupted, answers=answers, sources=sources)
        if not self.changed and grown[4] is not before[4]:
            self.changed = len(grown[4].repairs) > len(before[4].repairs)
            if not bind and has_thinking(message):
                message = invalidate_thinking(message)
                grown = step(before, message, interrupted=interrupted, answers=answers, sources=sources)
        self._conversation = grown
        if done is not None:
            detail = f"{message.content[0]!r:.120}" if message.content else ""
            self.record(done, source, detail=detail, index=max(length_of(grown) - 1, 0))
        if message.role == "assistant" and message.ids:
            self._last_calls = source

    def record(
        self,
        code: RepairCode,
        source: int | None,
        removed: tuple[Any, ...] = (),
        detail: str = "",
        index: int | None = None,
    ) -> None:
        """Record a change that was made on the way in."""
        where = index if index is not None else length_of(self._conversation)
        self.told([Repair(code=code, index=where, source=source, removed=removed, detail=detail)])

    def close(self) -> None:
        """Stub what is awaited, and tell of it."""
        past, turn, context = parts_of(self._conversation)
        turn, stubs = stub_awaited(past, turn, context.policy, told=True)
        if stubs:
            self._conversation = conversation_of(past, turn, context)
            self.told([evolve(stub, source=self._last_calls) for stub in stubs])

    def conversation(self, user: Message | UserDraft | None = None) -> Conversation:
        """Give the conversation, with what its last message has heard so far, and log what was changed."""
        past, turn, context = parts_of(self._conversation)
        turn = (turn[0], user) if user is not None else turn
        if context.policy is not self._context.policy:
            context = evolve(context, policy=self._context.policy)
        log_new(self._context, context, self._dialect)
        return conversation_of(past, turn, context)

    def told(self, repairs: Iterable[Repair]) -> None:
        """Record changes."""
        past, turn, context = parts_of(self._conversation)
        told = context.repairs.extend(repairs)
        self.changed = self.changed or len(told) > len(context.repairs)
        self._conversation = conversation_of(past, turn, evolve(context, repairs=told))


def length_of(conversation: Conversation) -> int:
    """Count the messages of a conversation."""
    _, turns, assistant, user, _ = conversation
    return max(2 * turns - 1, 0) + (assistant is not None) + (user is not None)


def log_new(before: Context, after: Context, dialect: str = "") -> None:
    """Log the repairs that came; `dialect` is what was read, when it was a list."""
    for repair in after.repairs[len(before.repairs) :]:
        _log(repair, dialect)


def _log(repair: Repair, dialect: str) -> None:
    level = logging.INFO if repair.severity is Severity.LOSSLESS else logging.WARNING
    told = {
        "repair": repair,
        "repair_code": repair.code.value,
        "repair_severity": repair.severity.value,
        "repair_index": repair.index,
        "repair_source": repair.source,
        "repair_detail": repair.detail,
        "repair_dialect": dialect,
    }
    logger.log(level, "%s", repair, extra=told)
