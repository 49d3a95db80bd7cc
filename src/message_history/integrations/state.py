"""A history as one JSON value, with its policy and with what was changed: for those who keep the state of a program.

`to_list` writes the messages alone. Here the whole value is written, as a pickle would hold it, but as text that any
store can carry: an integer of any length and a lone surrogate are safe in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.state import from_state_text, state_text
from message_history.history import STATE_KEY, MessageHistory, conversation_of, history_of

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy

SAVED: Final = "message_history"
"""The one key of the value; what it holds is JSON text."""


def save(history: MessageHistory) -> dict[str, str]:
    """Write a history as one fresh value: its one text holds the messages, the repairs and the policy."""
    return {SAVED: state_text(conversation_of(history))}


def is_saved(value: object) -> bool:
    """Return whether a value is what `save` returns, or what a serializer made of a history."""
    return isinstance(value, Mapping) and len(value) == 1 and isinstance(_text_in(value), str)


def load(value: object, *, policy: Policy | None = None) -> MessageHistory:
    """Read a history from whatever a store returns: what `save` wrote, a history, or a list of messages in any form.

    The calls at its end stay open if they were. `policy` decides where there is a choice, when the value does not say.
    Raises `TypeError` for anything else, and `ValueError` for text that is not what `save` wrote.
    """
    if isinstance(value, MessageHistory):
        return value
    if not isinstance(value, Mapping) or not is_saved(value):
        return MessageHistory.from_list(value, policy=policy, open_tail="keep")  # type: ignore[arg-type]
    return history_of(from_state_text(_text_in(value), policy))


def _text_in(value: Mapping[str, Any]) -> Any:
    # Serializers that know no histories take them apart by their `_asdict`, which has a key of its own.
    return value.get(SAVED, value.get(STATE_KEY))
