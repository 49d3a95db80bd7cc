"""The value inside a history: settled turns, the open turn, and what rarely changes.

Everything below `history.py` works on a `Conversation`, and so do the modules above it that need more than the public
methods (sessions, integrations): they get one from `history.conversation_of` and give one to `history.history_of`.
A conversation is a flat tuple, since `add` makes one for each message; use `parts_of`, `context_of` and the functions
below instead of positions.

Nothing here decides anything.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import evolve, field, frozen

from message_history.core.messages.blocks import placed, with_meta
from message_history.core.messages.message import Message, with_content
from message_history.core.messages.policy import Policy
from message_history.core.turns.drafts import (
    AssistantDraft,
    OpenTurn,
    UserDraft,
    assistant_message,
    count_of_calls,
    user_message,
)
from message_history.core.turns.past import Turn
from message_history.core.values.keys import WHOLE, Lineage, Origin
from message_history.core.values.log import Chunk, Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.repairs import Repair

NO_TURN: Final[OpenTurn] = (None, None)
"""The open turn of an empty conversation."""


@final
@frozen(eq=False, repr=False)
class Context:
    """What rarely changes as a conversation grows."""

    policy: Policy = field(factory=Policy)
    system: tuple[SystemBlock, ...] = ()
    repairs: Log[Repair] = field(factory=Log)  # what was repaired so far, but for the stubs of the open turn
    lineage: Lineage = WHOLE  # what the keys of its calls are made of


Conversation: TypeAlias = tuple[Chunk[Turn], int, Message | AssistantDraft | None, Message | UserDraft | None, Context]
"""The settled turns (their last chunk and their number), both messages of the open turn, and what rarely changes."""

CONTEXT: Final = 4
"""The position of the context in a `Conversation`."""


def make_conversation(past: Log[Turn], turn: OpenTurn, context: Context) -> Conversation:
    return past.last, len(past), turn[0], turn[1], context


def parts_of(conversation: Conversation) -> tuple[Log[Turn], OpenTurn, Context]:
    last, turns, assistant, user, context = conversation
    return Log.view(last, turns), (assistant, user), context


def past_of(conversation: Conversation) -> Log[Turn]:
    last, turns, _, _, _ = conversation
    return Log.view(last, turns)


def open_turn_of(conversation: Conversation) -> Turn:
    """Return both messages of the open turn; a call without a result has a stub in the second."""
    _, turns, assistant, user, context = conversation
    first, second = assistant_message(assistant), user_message(assistant, user, context.policy)
    if first is None or second is None or second is user:
        return first, second
    return first, with_keys(first, second, turns, context.lineage)


def context_of(conversation: Conversation) -> Context:
    return conversation[CONTEXT]


def with_keys(assistant: Message, user: Message, turn: int, lineage: Lineage) -> Message:
    """Return the user message of a turn with the key of its call in each stub, by which it is looked for."""
    if not any(block.is_stub and block.mark and not block.mark.key for block in user.results):
        return user
    content = list(user.content)
    for number, (call, result) in enumerate(zip(assistant.calls, user.results, strict=True)):
        if result.is_stub and result.mark is not None and not result.mark.key:
            key = placed(call, Origin(lineage, turn, number)).key
            content[number] = with_meta(result, mark=evolve(result.mark, key=key))
    return with_content(user, tuple(content))


def length_of(conversation: Conversation) -> int:
    _, turns, assistant, user, _ = conversation
    return max(2 * turns - 1, 0) + (assistant is not None) + (user is not None)


def branched(conversation: Conversation, name: str | None = None) -> Conversation:
    """Return a conversation in which the calls that are added have keys of their own, or a name of their own."""
    past, (assistant, user), context = parts_of(conversation)
    lineage = context.lineage.branched(len(past), count_of_calls(assistant), name)
    return make_conversation(past, (assistant, user), evolve(context, lineage=lineage))


def messages_in(past: Log[Turn]) -> int:
    return max(2 * len(past) - 1, 0)


def messages_of(conversation: Conversation) -> Iterator[Message]:
    for assistant, user in chain(past_of(conversation), (open_turn_of(conversation),)):
        if assistant is not None:
            yield assistant
        if user is not None:
            yield user


def message_at(conversation: Conversation, position: int) -> Message:
    """Return the message at a position from 0 on; `IndexError` beyond the last."""
    past = past_of(conversation)
    settled = messages_in(past)
    if position >= settled:
        return _messages_in_turn(open_turn_of(conversation))[position - settled]
    # Turn 0 has a user message only, so the messages of turn n are at 2n - 1 and 2n.
    return _messages_in_turn(past[(position + 1) // 2])[0 if position % 2 else -1]


def _messages_in_turn(turn: Turn) -> list[Message]:
    assistant, user = turn
    messages = [assistant] if assistant is not None else []
    return [*messages, user] if user is not None else messages
