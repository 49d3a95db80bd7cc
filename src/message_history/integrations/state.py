"""A history as one JSON value, with its policy and with what was changed: for those who keep the state of a program.

`to_list` writes the messages alone. Here the whole value is written, as a pickle would hold it, but as text that any
store can carry: an integer of any length and a lone surrogate are safe in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import attrs

from message_history.core.policy import Policy
from message_history.history import MessageHistory, restored
from message_history.storage.files import json_bytes
from message_history.storage.sessions.saved import repair_from_json, repair_to_json

__all__ = ["SAVED", "is_saved", "load", "save"]

SAVED: Final = "message_history"
"""The one key of the value; what it holds is JSON text."""
VERSION: Final = 1


def save(history: MessageHistory) -> dict[str, str]:
    """Write a history as one value.

    Args:
        history: the history.

    Returns:
        A fresh dict with one text in it, which holds the messages, the repairs and the policy.

    Complexity: linear in the history.
    """
    default, policy = attrs.asdict(Policy()), attrs.asdict(history.policy)
    state = {
        "version": VERSION,
        "messages": history.to_list(),
        "repairs": list(map(repair_to_json, history.repairs)),
        "policy": {name: value for name, value in policy.items() if value != default[name]},
    }
    return {SAVED: json_bytes(state).decode()}


def is_saved(value: object) -> bool:
    """Tell whether a value is what `save` gives, or what a serializer made of a history."""
    return isinstance(value, Mapping) and len(value) == 1 and isinstance(_text_in(value), str)


def load(value: object, *, policy: Policy | None = None) -> MessageHistory:
    """Read a history from whatever a store gives back.

    Args:
        value: what `save` gave; or a history, which is given back; or a list of messages in any form.
        policy: decides where there is a choice, when the value does not say.

    Returns:
        The history, with the calls at its end open if they were.

    Raises:
        TypeError: for anything else.
        ValueError: for text that is not what `save` wrote.

    Complexity: linear in the value.
    """
    if isinstance(value, MessageHistory):
        return value
    if not isinstance(value, Mapping) or not is_saved(value):
        return MessageHistory.from_list(value, policy=policy, open_tail="keep")  # type: ignore[arg-type]
    state = json.loads(_text_in(value))
    if not isinstance(state, dict) or not isinstance(state.get("messages"), list):
        raise ValueError("a saved history holds a JSON object with a list of messages")  # noqa: TRY004
    repairs = [repair for item in state.get("repairs", ()) if (repair := repair_from_json(item)) is not None]
    return restored(state["messages"], _policy(state.get("policy"), policy), repairs)


def _text_in(value: Mapping[str, Any]) -> Any:
    # Serializers that know no histories take them apart by their `_asdict`, which has a key of its own.
    return value.get(SAVED, value.get("_saved"))


def _policy(saved: Any, otherwise: Policy | None) -> Policy:
    """Read a policy; what a later version added to it is passed over."""
    if not isinstance(saved, dict) or not saved:
        return otherwise if otherwise is not None else Policy()
    known = {field.name for field in attrs.fields(Policy)}
    return Policy(**{name: value for name, value in saved.items() if name in known})
