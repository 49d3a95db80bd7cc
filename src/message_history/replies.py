"""Replies: what one holds, and what was added to the history while it was under way.

A reply belongs to the version that was sent. What was added since then is heard after it: the steps that it took are
taken again, behind the reply. Nothing here decides what becomes of it.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from attrs import evolve

from message_history.core.blocks import Block, ToolResultBlock, ToolUseBlock
from message_history.core.drafts import OpenTurn, Turn, assistant_message, user_message
from message_history.core.log import Log
from message_history.core.message import Message, has_thinking, invalidate_thinking, make_message
from message_history.core.repairs import RepairCode
from message_history.core.rules import Context, messages_in
from message_history.dialects._shared.typed_blocks import half_written
from message_history.dialects.registry import read, read_reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from message_history.core.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.dialects.base import Parsed

__all__ = ["Added", "Parts", "added_since", "read_response"]

Parts: TypeAlias = tuple[Log[Turn], OpenTurn, Context]
"""The settled turns of a history, its open turn, and what rarely changes."""

Step: TypeAlias = tuple[Message, ToolUseBlock | None]
"""A message that was added. A result comes alone, with its call: its id may be another call's behind the reply."""


def read_response(response: object, dialect: Dialect[Any] | None = None) -> Parsed | None:
    """Read a provider's response.

    Args:
        response: an SDK's object or its dict.
        dialect: the provider's dialect; None to find it by shape.

    Returns:
        What it holds, or None when it is no response that is known.

    Complexity: the size of the response.
    """
    found = read_reply(response, dialect)
    if found is None:
        return None
    spoken, reply = found
    parsed = read(reply.entries, spoken)
    if reply.interrupted:
        for position, assistant in enumerate(parsed.messages):
            if assistant.role == "assistant":
                parsed.interrupted.add(position)
                parsed.messages[position] = _truncated(assistant)
    for number, entry in enumerate(reply.others, 2):
        blocks = tuple(block for assistant in read([entry], spoken).messages for block in assistant.content)
        if blocks:
            parsed.note(RepairCode.CHOICE_PASSED_OVER, 0, blocks, f"choice {number} of {1 + len(reply.others)}")
    return parsed


def _truncated(assistant: Message) -> Message:
    """Take the input of a call that ends a reply for half of it, where its text does not tell that it is all."""
    last = assistant.content[-1] if assistant.content else None
    if not isinstance(last, ToolUseBlock) or (last.arguments or "").strip():
        return assistant
    meta = evolve(last.meta, arguments=None) if last.meta is not None else None
    return make_message("assistant", (*assistant.content[:-1], half_written(evolve(last, meta=meta))))


class Added(NamedTuple):
    """What was added to a history since a version of it was sent.

    Args:
        steps: what came, to be heard after the reply.
        context: the context to go on with: what was changed in either version is in its repairs.
    """

    steps: list[Step]
    context: Context


def added_since(sent: Parts, now: Parts) -> Added | None:
    """Find what was added to a history since a version of it was sent.

    Args:
        sent: the version that was sent; its calls have results or stubs.
        now: the history.

    Returns:
        What came, or None when the history did not grow out of that version.

    Complexity: linear in what came and in the open turn that was sent; see `Log.starts_with` for the turns before.
    """
    past = sent[0]
    if not now[0].starts_with(past):
        return None
    ((assistant, user),) = _turns_from(sent, len(past))
    here = messages_in(past)
    steps: list[Step] = []
    for then, turn in zip(chain([(assistant, user)], repeat((None, None))), _turns_from(now, len(past)), strict=False):
        more = _steps_since(then, turn, here)
        if more is None:
            return None
        steps += more
    user_side = here + (assistant is not None)
    repairs = _repairs_of_both(sent[2].repairs, now[2].repairs, user_side, 2 if user is not None else 0)
    return Added(steps, evolve(now[2], repairs=repairs))


def _steps_since(then: Turn, turn: Turn, where: int) -> list[Step] | None:
    """Give the steps that a turn took since a version of it.

    Args:
        then: the turn as it was; without sides when it was not there.
        turn: the turn as it is.
        where: where the assistant's side stood then.

    Returns:
        What was said, each result with its call, and what else was heard; None when the turn did not grow out of that.
    """
    (assistant, user), (assistant_now, user_now) = then, turn
    before, content = (side.content if side is not None else () for side in (assistant, assistant_now))
    answers, rest = _answered_since(user, user_now), _user_since(user, user_now)
    if content[: len(before)] != before or answers is None or rest is None:
        return None
    steps: list[Step] = []
    if len(content) > len(before):
        more = make_message("assistant", content[len(before) :])
        steps.append((invalidate_thinking(more) if has_thinking(more) else more, None))
    calls = assistant_now.calls if assistant_now is not None else ()
    stood = len(assistant.calls) if assistant is not None else 0
    for n, result in answers:
        # A call that is said again stands in the turn that is open by then.
        steps.append((make_message("user", (result,)), evolve(calls[n], turn=where if n < stood else None)))
    if rest:
        steps.append((make_message("user", rest), None))
    return steps


def _turns_from(parts: Parts, start: int) -> Iterator[Turn]:
    """Give the turns from one on, the open one as it stands."""
    past, (assistant, user), context = parts
    for position in range(start, len(past)):
        yield past[position]
    yield assistant_message(assistant), user_message(assistant, user, context.policy)


def _answered_since(then: Message | None, now: Message | None) -> list[tuple[int, ToolResultBlock]] | None:
    """Give the results that the user's side has and had not then, by call; None when it is another."""
    before, results = then.results if then is not None else (), now.results if now is not None else ()
    new: list[tuple[int, ToolResultBlock]] = []
    for call, result in enumerate(results):
        old = before[call] if call < len(before) else None
        if old is None or (old.is_stub and not (result.is_stub and result.content == old.content)):
            new.append((call, result))
        elif not old.is_stub and old != result:
            return None
    gone = before[len(results) :]
    return new if all(result.is_stub for result in gone) else None


def _user_since(then: Message | None, now: Message | None) -> tuple[Block, ...] | None:
    """Give what else the user's side has and had not then; None when it is another."""
    before = then.content[len(then.results) :] if then is not None else ()
    rest = now.content[len(now.results) :] if now is not None else ()
    if before and rest[: len(before)] != before and _is_continuation(before[-1]):
        # It was put there to be sent.
        before = before[:-1]
    return rest[len(before) :] if rest[: len(before)] == before else None


def _is_continuation(block: Block) -> bool:
    return block.mark is not None and block.mark.kind == "continuation"


def _repairs_of_both(sent: Log[Repair], now: Log[Repair], user_side: int, shift: int) -> Log[Repair]:
    """Put the repairs of both versions together.

    Args:
        sent: the repairs of the version that was sent.
        now: those of the history.
        user_side: the position of the open turn's user side, as it was sent.
        shift: how much further back stands now what came there since.

    Returns:
        The repairs of the version that was sent, then those that were made since. What was done to the results of the
        turn that was sent is left out: it has not come to that.
    """
    closing = bool(sent) and sent[-1].code is RepairCode.CONTINUATION_ADDED
    shared = len(sent) - (closing and (len(now) < len(sent) or now[len(sent) - 1] is not sent[-1]))
    if shared and (len(now) < shared or now[shared - 1] is not sent[shared - 1]):
        return now
    undone = (RepairCode.STUB_REPLACED, RepairCode.RESULTS_REORDERED)
    return sent.extend(
        evolve(repair, index=repair.index + shift) if repair.index >= user_side else repair
        for repair in now[shared:]
        if not (repair.code in undone and repair.index == user_side)
    )
