"""Messages that need no repair, added as a whole: `TABLE` would do the same, and takes longer."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from message_history.core.messages.message import (
    CLEAN_ASSISTANT,
    CLEAN_USER,
    Message,
    items_of,
    kept_keys,
    make_plain_message,
)
from message_history.core.turns.conversation import Conversation, make_conversation, parts_of
from message_history.core.turns.drafts import AssistantDraft, UserDraft
from message_history.core.turns.stub_results import hides_stub
from message_history.core.values.log import put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.turns.past import Turn


def move(conversation: Conversation, message: Message) -> Conversation | None:
    """Add a message that needs no repair, as a whole; `TABLE` would do the same.

    It goes to a turn without drafts, or it is one more piece of the assistant's, without calls. Returns None when the
    message goes block by block.
    """
    last, turns, assistant, user, context = conversation
    shape = message.shape
    if shape == CLEAN_ASSISTANT:
        if type(user) is Message:
            turn: Turn = (assistant, user)  # type: ignore[assignment]  # the other one is a message or None
            return put(last, turns, turn), turns + 1, message, None, context
        beside = message.replies or message.arrivals
        if user is None and assistant is not None and not message.ids and not beside:
            draft = assistant if type(assistant) is AssistantDraft else AssistantDraft.of(assistant)
            for block in message.content:
                draft = draft.add(block)
            return last, turns, draft, None, context
    elif shape == CLEAN_USER and user is None:
        if type(assistant) is Message:
            if message.ids == assistant.ids:
                return last, turns, assistant, message, context
        elif assistant is None and not message.ids:
            return last, turns, None, message, context
    return None


def advance(
    conversation: Conversation, messages: Sequence[Message], start: int, *, elsewhere: bool
) -> tuple[Conversation, int]:
    """Add messages while none needs a repair and every turn is complete; return the position of the next, too."""
    past, (assistant, user), context = parts_of(conversation)
    settled: list[Turn] = []
    more: list[Message] = []  # What is joined to the user message.
    position = start
    if isinstance(assistant, AssistantDraft) or isinstance(user, UserDraft):
        return conversation, start
    own = elsewhere and context.policy.has_own_texts
    # Each message moves as a whole, as in `move`.
    for position in range(start, len(messages)):
        message = messages[position]
        shape = message.shape
        if shape == CLEAN_ASSISTANT and user is not None:
            if more:
                user, more = _joined([user, *more]), []
            settled.append((assistant, user))
            assistant, user = message, None
        elif shape == CLEAN_USER and user is None and message.ids == (assistant.ids if assistant is not None else ()):
            if own and hides_stub(message, context.policy):
                break
            user = message
        elif shape == CLEAN_USER and user is not None and not message.ids and _may_join(user) and _may_join(message):
            more.append(message)
        else:
            break
    else:
        position = len(messages)
    if position == start:
        return conversation, start
    if user is not None and more:
        user = _joined([user, *more])
    return make_conversation(past.extend(settled), (assistant, user), context), position


def _may_join(message: Message) -> bool:
    return bool(items_of(message)) and not message.arrivals


def _joined(messages: Sequence[Message]) -> Message:
    """Return the message of user messages that follow each other, of which the first alone may have results."""
    items = [items_of(message) for message in messages]
    kept: list[bytes | None] = []
    for message, plain in zip(messages, items, strict=True):
        kept += kept_keys(message) or [None] * len(plain)
    return make_plain_message("user", tuple(chain.from_iterable(items)), tuple(kept) if any(kept) else ())
