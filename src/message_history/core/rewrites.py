"""Conversations that are made anew from another: without its unanswered calls, or with another system prompt.

These change what was sent. What is decided here is decided in `rules.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from message_history.core.blocks import ToolUseBlock
from message_history.core.conversation import (
    context_of,
    make_conversation,
    messages_of,
    open_turn_of,
    parts_of,
    past_of,
)
from message_history.core.drafts import assistant_message
from message_history.core.ingest import Ingest
from message_history.core.log import Log
from message_history.core.repairs import RepairCode
from message_history.core.rules import behind_change, without_unanswered_calls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.blocks import SystemBlock
    from message_history.core.conversation import Conversation
    from message_history.core.drafts import UserDraft
    from message_history.core.message import Message
    from message_history.core.repairs import Repair

__all__ = ["fold_messages", "with_system", "without_unanswered"]


def fold_messages(
    conversation: Conversation,
    messages: Iterable[Message],
    repairs: Iterable[Repair],
    added: Iterable[Repair] = (),
    user: Message | UserDraft | None = None,
) -> Conversation:
    """Add other messages to an empty conversation with the same system prompt and policy.

    Args:
        conversation: the conversation that has them.
        messages: the messages.
        repairs: those that were recorded before.
        added: those that are new.
        user: the user message of the open turn, where it is known as it is to stand.

    Returns:
        The conversation.

    Raises:
        InvariantError: see `rules.enforce`.
    """
    ingest = Ingest(evolve(context_of(conversation), repairs=Log(repairs)))
    ingest.record_all(added)
    for message in messages:
        ingest.add(message, None, keep_thinking=True)
    return ingest.finish(user)


def with_system(conversation: Conversation, system: tuple[SystemBlock, ...]) -> Conversation:
    """Return a conversation another system prompt; thinking behind it is invalidated."""
    past, (assistant, user), context = parts_of(conversation)
    if any(behind_change(message) is not message for message in messages_of(conversation)):
        past = Log((behind_change(first) if first is not None else None, second) for first, second in past)
        standing = assistant_message(assistant)
        assistant = behind_change(standing) if standing is not None else None
    return make_conversation(past, (assistant, user), evolve(context, system=system))


def without_unanswered(conversation: Conversation) -> Conversation:
    """Remove the calls that have no real result, with their stubs.

    Args:
        conversation: the conversation.

    Returns:
        A conversation whose repairs hold what was removed; the same one if every call has a result.

    Complexity: linear in the conversation.
    """
    ingest = Ingest(context_of(conversation))
    for assistant, user in (*past_of(conversation), open_turn_of(conversation)):
        turn: Iterable[Message | None] = (assistant, user)
        if assistant is not None:
            *turn, removed = without_unanswered_calls(assistant, user)
            if removed:
                ids = ", ".join(f"{block.id!r:.80}" for block in removed if isinstance(block, ToolUseBlock))
                ingest.record(RepairCode.UNANSWERED_CALL_REMOVED, None, tuple(removed), f"call {ids}")
        for message in turn:
            if message is not None and message.content:
                ingest.add(message, None)
    return ingest.finish(allowed=len(ingest.repairs)) if ingest.changed else conversation
