"""Conversations as lists: read in the form of any provider, written in our own saved form."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.core.messages.message import Message, with_replies
from message_history.core.messages.replies import joined_replies
from message_history.core.turns.conversation import Context, context_of, make_conversation, messages_of, parts_of
from message_history.core.turns.ingest import Ingest
from message_history.core.turns.stubs import reopen_stubs, stand_stubs, unrecorded_stubs
from message_history.core.values.json_values import short_repr
from message_history.core.values.log import Log
from message_history.core.values.readable import read_anyway
from message_history.dialects._shared.leading import keep_blank_lead, lead_with_placeholder
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.registry import NATIVE, TYPED, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.core.messages.replies import ReplyInfo
    from message_history.core.turns.conversation import Conversation
    from message_history.dialects.base import Dialect


def from_list(
    raw: Iterable[Any],
    dialect: Dialect[Any] | None,
    policy: Policy,
    open_tail: str | None,
    replies: Sequence[tuple[int, ReplyInfo]] = (),
    *,
    is_named: bool = True,
) -> Conversation:
    """Read a list and repair it; `replies` is what providers said that is not in the entries, by position.

    `is_named` is False for a dialect that was found by looking at the list.
    """
    entries = as_sequence(raw)
    found = None
    if entries is None and dialect is None and isinstance(raw, Mapping):
        found = read_anyway(lambda readable: _elsewhere().read_object(readable[0]), [raw])
        entries = [] if found is not None else None
    if entries is None:
        raise TypeError(f"raw must be a list of messages, not {type(raw).__name__}; {_elsewhere().hint(raw)}")
    if open_tail not in ("stub", "keep", None):
        raise ValueError(f"open_tail must be 'stub', 'keep' or None, not {short_repr(open_tail)}")
    ingest = Ingest(Context(policy))
    parsed = read(entries, dialect)
    if is_named and dialect is not None and not parsed.own and (host := dialect.returns_unknown()) is not None:
        import_module("message_history.dialects._shared.came_from").note_origin(parsed, dialect, host)
    marked = (type(entry) is dict and len(entry) > 2 and not MARKS.isdisjoint(entry) for entry in entries)
    if dialect is None and not parsed.own and (parsed.notes or parsed.dialect != TYPED or any(marked)):
        found = read_anyway(lambda readable: _elsewhere().read_better(readable, parsed), entries)
    if found is not None:
        parsed, dialect, replies = found
    _add_replies(parsed, replies)
    if dialect is not None and dialect.takes_leading_assistant() is not False:
        lead_with_placeholder(parsed, policy, dialect.name)
    if dialect is not None and dialect.takes_blank_lead():
        keep_blank_lead(parsed, policy, dialect.name)
    # An object has no entries that could be accounted for.
    ingest.add_list(parsed, partial(_accounted_for, parsed, entries) if entries and not parsed.own else None)
    keeps = parsed.dialect == NATIVE if open_tail is None else open_tail == "keep"
    if not keeps:
        ingest.stub_open_calls()
    conversation = ingest.finish()
    return reopen_stubs(conversation, read_anyway(_open_ids, entries[-1:])) if keeps else conversation


MARKS: Final = frozenset(
    {"tool_plan", "toolCalls", "toolCallId", "toolInvocations", "contents", "condenseParent", "truncationParent"}
    | {"resourceId"}
)
"""Keys with text under them that no dialect reads, in messages that look like those of an API."""


def _elsewhere() -> Any:
    """Return what asks others about values that no dialect knows; most lists do without it."""
    return import_module("message_history.dialects.elsewhere")


def _accounted_for(parsed: Parsed, entries: Sequence[Any], repairs: Sequence[Repair]) -> Sequence[Repair]:
    account = import_module("message_history.dialects.left_over").accounted_for
    return read_anyway(lambda readable: account(repairs, parsed, readable), entries)


def _add_replies(parsed: Parsed, replies: Iterable[tuple[int, ReplyInfo]]) -> None:
    """Add what providers said of replies to the assistant messages that their entries became, or were joined to."""
    for entry, reply in replies:
        position = bisect_right(parsed.sources, entry) - 1
        if position >= 0 and (message := parsed.messages[position]).role == "assistant":
            parsed.messages[position] = with_replies(message, joined_replies(message.replies, (reply,)))


def to_list(conversation: Conversation) -> list[dict[str, Any]]:
    from message_history.dialects.native.render import (  # noqa: PLC0415 - who sends does without
        first_entry,
        mark_open_stubs,
        render,
    )

    context = context_of(conversation)
    entries = [*first_entry(context.system, context.lineage), *render(messages_of(conversation), ())]
    mark_open_stubs(entries[-1:], unrecorded_stubs(conversation))
    return entries


def restore(
    saved: Iterable[Any], policy: Policy, repairs: Iterable[Repair], dialect: Dialect[Any] | None = None
) -> Conversation:
    """Read a conversation that was saved, with the repairs that were made before.

    What `to_list` wrote is read like any other list. `policy` decides from now on; nothing that was saved is refused.
    `repairs` were recorded before, and are not recorded again; those that follow were made now. `dialect` is the saved
    form, where it is known that all of the list is in it; None to find it by shape.
    """
    repairing = policy if policy.on_violation == "repair" else evolve(policy, on_violation="repair")
    conversation = from_list(saved, dialect, repairing, "keep")
    recorded, found = tuple(repairs), context_of(conversation).repairs
    if repairing is policy and not recorded:
        return conversation
    if not found:
        conversation, final = stand_stubs(conversation, recorded)
        recorded = recorded[:final]
    past, turn, context = parts_of(conversation)
    return make_conversation(past, turn, evolve(context, policy=policy, repairs=Log((*recorded, *found))))


def _open_ids(entries: Sequence[Any]) -> frozenset[str]:
    """Return the ids of the calls whose stubs were not recorded yet when a list in the saved form was written."""
    # A message that is read already has no marks: its attributes need not be looked through.
    last = as_mapping(entries[-1]) if entries and type(entries[-1]) is not Message else None
    if last is None or NATIVE not in last:
        return frozenset()
    from message_history.dialects.native.parse import OPEN  # noqa: PLC0415 - as above

    blocks = map(as_mapping, as_sequence(last.get("content")) or ())
    marked = ((block, as_mapping(block.get("mark"))) for block in blocks if block is not None)
    return frozenset(
        block["tool_use_id"]
        for block, mark in marked
        if mark is not None and mark.get(OPEN) is True and isinstance(block.get("tool_use_id"), str)
    )
