"""Conversations as providers take them: closed, with media that fit, in a dialect's form."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from attrs import evolve

from message_history.core.messages.message import not_plain
from message_history.core.turns.conversation import context_of, messages_of, open_turn_of, past_of
from message_history.core.turns.stubs import as_sent
from message_history.core.views.json_cache import json_array, json_of_settled
from message_history.dialects._shared.dropped_keys import unsent
from message_history.dialects._shared.foreign_text import TurnWithText, holds_provider_block, with_foreign_text
from message_history.dialects._shared.leading import length_of_lead
from message_history.dialects.registry import DIALECTS
from message_history.media import fit_media, has_media

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.core.messages.repairs import Repair
    from message_history.core.turns.conversation import Conversation
    from message_history.dialects.base import Dialect, Export


class SystemPromptWarning(UserWarning):
    """A list was made without the system prompt, which its dialect sends outside of the list: use `export`."""


def sent_version(
    conversation: Conversation, dialect: Dialect[Any] | None, reason: str = "not_recorded"
) -> tuple[Conversation, Sequence[Repair]]:
    """Return the version of a conversation that is really sent, and what was added; see `stubs.as_sent`."""
    if dialect is None:
        return as_sent(conversation, None, reason)

    def may_end(assistant: Message) -> bool:
        if not dialect.may_end_with(assistant):
            return False
        return dialect.allows_prefill_with_calls() or not any(message.calls for message in messages_of(conversation))

    return as_sent(conversation, may_end, reason)


def answered_version(conversation: Conversation, dialect: Dialect[Any] | None, parsed: Parsed) -> Conversation:
    """Return the version of a conversation that a reply answers, as far as its dialect or its model tells it."""
    return sent_version(conversation, dialect if dialect is not None else _dialect_of_model(parsed))[0]


def _dialect_of_model(parsed: Parsed) -> Dialect[Any] | None:
    """Return the dialect for the model that made a reply, if it is known whether a list may end with the assistant."""
    model = next((reply.model for message in parsed.messages for reply in message.replies if reply.model), None)
    made = DIALECTS.get(parsed.dialect)
    for_model = getattr(made, "for_model", None)
    if model is None or for_model is None:
        return None
    try:
        dialect: Dialect[Any] = for_model(model)
    except ValueError:  # A gateway has served it in another form.
        return None
    return dialect if getattr(dialect, "prefill", False) is not None else None


def write(conversation: Conversation, dialect: Dialect[Any]) -> tuple[list[Any], Any]:
    messages, _ = _fitted(conversation, dialect)
    return dialect.write(messages[length_of_lead(messages, dialect) :], context_of(conversation).system)


def export(conversation: Conversation, dialect: Dialect[Any]) -> Export:
    messages, changed = _fitted(conversation, dialect)
    system = context_of(conversation).system
    lead = length_of_lead(messages, dialect)
    exported = dialect.render(messages[lead:], system)
    rendered = [evolve(repair, index=repair.index + lead) if lead else repair for repair in exported.repairs]
    return evolve(exported, repairs=(*changed, *rendered, *unsent(messages, system, dialect, rendered)))


def write_json(conversation: Conversation, dialect: Dialect[Any]) -> bytes:
    """Return the messages in a dialect's form as JSON; settled turns as they were encoded before, where they may be."""
    from message_history.plain_json import compact_items  # noqa: PLC0415 - who sends dicts does without

    closed, _ = sent_version(conversation, dialect)
    system = context_of(closed).system
    assistant, user = open_turn_of(closed)
    writer = TurnWithText(dialect)
    settled = json_of_settled(past_of(closed), writer, compact_items)
    # A list that ends with an assistant message may be written in another way at its end than in the middle.
    newest = writer.write_turn(assistant, user) if settled is not None and user is not None else None
    if settled is None or newest is None:
        return json_array([compact_items(write(conversation, dialect)[0])])
    leading = dialect.render((), system).messages if system else []
    return json_array([compact_items(leading), *settled, compact_items(newest)])


def has_system_beside(conversation: Conversation, dialect: Dialect[Any]) -> bool:
    """Return whether there is a system prompt that the dialect sends outside of the list."""
    system = context_of(conversation).system
    return bool(system) and dialect.render((), system).system is not None


def _fitted(conversation: Conversation, dialect: Dialect[Any]) -> tuple[list[Message], Sequence[Repair]]:
    """Return the messages to be written, and what was added or changed to send them."""
    closed, added = sent_version(conversation, dialect)
    messages = list(messages_of(closed))
    others = not_plain(messages)
    rewritten: Sequence[Repair] = ()
    if any(map(holds_provider_block, others)):
        messages, rewritten = with_foreign_text(messages, dialect)
    if not any(map(has_media, others)):
        return messages, (*added, *rewritten)
    fitting, fitted = fit_media(messages, dialect.limits)
    return list(fitting), (*added, *rewritten, *fitted)


def warn_of_system() -> None:
    """Warn the caller of a history's method that its list lacks the system prompt."""
    warnings.warn(
        "the system prompt is not in the list: this dialect carries it next to the messages; send "
        "`export(dialect).system` with them",
        SystemPromptWarning,
        stacklevel=3,
    )
