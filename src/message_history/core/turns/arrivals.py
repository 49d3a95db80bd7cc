"""Add what came behind a history that was sent: nothing that was sent changes any more.

An open turn keeps its stubs only until a real result comes. Once they were sent they stay: a result is taken as if the
turn of its call had settled (rule 5). A result that came before the reply to what was sent goes behind that reply,
which was given without it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, final

from attrs import evolve

from message_history.core.messages.blocks import SystemBlock, ToolResultBlock
from message_history.core.messages.message import make_message, with_content
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.conversation import USER, Conversation, context_of, length_of, open_turn_of, past_of
from message_history.core.turns.drafts import UserDraft
from message_history.core.turns.ingest import Ingest
from message_history.core.turns.pairing import Incoming, pair_results
from message_history.core.turns.past import ids_of, is_quoted_at, quote, records_of
from message_history.core.turns.rules import RESULTS, Outcome, Says, Standing
from message_history.core.turns.stub_results import known_stub
from message_history.core.turns.stubs import awaited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Note, Parsed


def added_behind_sent(sent: Conversation, parsed: Parsed) -> Conversation:
    """Add what a parser read behind what was sent.

    `sent` is the conversation as it was sent: its calls have results or stubs. Raises `InvariantError` when the policy
    says so and more than lossless repairs are needed.
    """
    arrivals = _Arrivals(sent)
    arrivals.take(parsed)
    return arrivals.ingest.finish()


@final
class _Arrivals:
    """What comes behind what was sent."""

    def __init__(self, sent: Conversation) -> None:
        self.ingest = Ingest(context_of(sent), sent)
        self._policy = context_of(sent).policy
        self._past = past_of(sent)
        self._awaited = awaited(sent)
        assistant, _ = open_turn_of(sent)
        self._open_ids = frozenset(assistant.ids if assistant is not None else ())
        self._stubbed: dict[str, ToolUseBlock] = {id: call for call in self._awaited for id in sorted(ids_of(call))}

    def take(self, parsed: Parsed) -> None:
        incoming = self._paired(parsed)
        reply = next((n for n, one in enumerate(incoming) if _has_reply(one.message)), None)
        late: list[tuple[ToolResultBlock, int]] = []
        if reply is not None:
            late = [(result, one.source) for one in incoming[:reply] for result in one.message.results]
            incoming = [*_without_results(incoming[:reply]), *incoming[reply:]]
        notes = deque(parsed.notes)
        for one in incoming:
            while notes and one.done is None and notes[0].source <= one.source:
                self._note(notes.popleft())
            message = one.message if reply is not None else self._quoted(one.message, one.source)
            if message.content or not one.message.content:
                self.ingest.add(message, one.source, interrupted=one.interrupted, done=one.done)
        while notes:
            self._note(notes.popleft())
        for result, source in late:
            self.ingest.add(make_message("user", (result,)), source, answers=self._call_of(result))

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
            return self._stubbed[result.tool_use_id]
        record = records_of(self._past, result.tool_use_id)
        if record is None:
            return None
        stubs = record.stubs[record.late :]
        turn, position = stubs[0] if stubs else record.call or (0, 0)
        assistant = self._past[turn][0]
        return evolve(assistant.calls[position], turn=2 * turn - 1) if assistant is not None else None

    def _quoted(self, message: Message, source: int) -> Message:
        """Quote the results whose calls have stubs that were sent."""
        if not self._stubbed or not message.results:
            return message
        blocks: list[Block] = []
        for block in message.content:
            call = self._stubbed_call(block)
            if isinstance(block, ToolResultBlock) and call is not None:
                blocks += self._quote(block, call, source)
            else:
                blocks.append(block)
        return make_message("user", tuple(blocks))

    def _stubbed_call(self, block: Block) -> ToolUseBlock | None:
        if not isinstance(block, ToolResultBlock) or known_stub(block, self._policy).is_stub:
            return None
        if block.tool_use_id == "" and len(self._awaited) == 1:
            return self._awaited[0]
        return self._stubbed.get(block.tool_use_id)

    def _quote(self, block: ToolResultBlock, call: ToolUseBlock, source: int) -> Iterable[Block]:
        conversation = self.ingest.current
        user = conversation[USER]
        late, where = user.quoted(block.tool_use_id) if isinstance(user, UserDraft) else (0, None)
        here = max(length_of(conversation) - 1, 0)
        same = where is not None and isinstance(user, UserDraft) and is_quoted_at(user.rest, where, block)
        outcome = RESULTS[Standing.SETTLED if late else Standing.STUBBED, Says.SAME if same else Says.DIFFERENT]
        code, reason = _QUOTED.get(outcome, (RepairCode.DUPLICATE_RESULT_DROPPED, ""))
        blocks = tuple(quote(block, reason, call.name)) if reason else ()
        detail = f"result of {block.tool_use_id!r:.80}"
        repair = Repair(code=code, index=here, source=source, removed=(block,), added=blocks, detail=detail)
        self.ingest.record_all([repair])
        return blocks


_QUOTED: Final = {
    Outcome.QUOTE_LATE: (RepairCode.LATE_RESULT_QUOTED, "late"),
    Outcome.QUOTE_SECOND: (RepairCode.SECOND_RESULT_QUOTED, "second"),
}


def _has_reply(message: Message) -> bool:
    """Return whether a message holds anything of a reply."""
    return message.role == "assistant" and any(
        not isinstance(block, ToolResultBlock | SystemBlock) for block in message.content
    )


def _without_results(incoming: Sequence[Incoming]) -> Iterable[Incoming]:
    for one in incoming:
        kept = tuple(block for block in one.message.content if not isinstance(block, ToolResultBlock))
        if kept or not one.message.results:
            yield one._replace(message=with_content(one.message, kept))
