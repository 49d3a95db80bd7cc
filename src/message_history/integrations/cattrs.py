"""cattrs: a history inside attrs classes and dataclasses that are written as JSON and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.history import MessageHistory
from message_history.integrations.state import load, save

if TYPE_CHECKING:
    from cattrs import BaseConverter

__all__ = ["register"]


def register(converter: BaseConverter) -> None:
    """Teach a converter to write and read histories, whole: with their repairs and policy.

    Args:
        converter: any converter of cattrs. It reads lists of messages in any form as well.
    """
    converter.register_unstructure_hook(MessageHistory, save)
    converter.register_structure_hook(MessageHistory, _load)


def _load(value: Any, _: type[MessageHistory]) -> MessageHistory:
    return load(value)
