"""Our own saved form in short, as pickles hold it: a plain message is its role and its plain content.

To make dicts of all blocks, and to look at each of their keys, takes half as long again. What is no plain message
stands in a pickle as in the saved form, and all that is read goes through the same laws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import message_of_plain, plain_content
from message_history.core.messages.plain import pack, result_content, unpack
from message_history.core.turns.conversation import context_of, messages_of
from message_history.core.turns.stubs import unrecorded_stubs
from message_history.dialects.native.render import first_entry, mark_open_stubs, message_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message
    from message_history.core.turns.conversation import Conversation


def to_pickle(conversation: Conversation) -> list[Any]:
    """Write a conversation for a pickle: a plain message as a pair, any other and the system prompt as a dict."""
    context = context_of(conversation)
    entries: list[Any] = [*first_entry(context.system, context.lineage)]
    for message in messages_of(conversation):
        plain = plain_content(message)
        if message.arrivals:
            entries.append(message_to_json(message))
        elif plain and message.role == "user":
            entries.append(("user", plain))
        elif not plain or message.replies:
            entries.append(message_to_json(message))
        else:
            # Packed inputs never leave the process.
            items = [
                item if type(item) is str or len(item) != CALL else (item[0], item[1], unpack(item[2]))
                for item in plain
            ]
            entries.append(("assistant", tuple(items)))
    # A message with a stub has marks, and so is no pair.
    mark_open_stubs(entries[-1:], unrecorded_stubs(conversation))
    return entries


def from_pickle(saved: Iterable[Any]) -> list[Any]:
    """Read the messages of a pickle that are pairs. What is not as `to_pickle` writes it stays as it is."""
    return [_message(entry) or entry if type(entry) is tuple else entry for entry in saved]


def _message(entry: tuple[Any, ...]) -> Message | None:
    """Read one message; None if it is not as `to_pickle` writes it."""
    if len(entry) != 2 or entry[0] not in ("user", "assistant") or type(entry[1]) is not tuple:
        return None
    role, items = entry
    plain: list[Any] = []
    for item in items:
        if type(item) is str:
            plain.append(item)
        elif type(item) is not tuple:
            return None
        elif role == "user":
            if len(item) != RESULT or type(item[0]) is not str:
                return None
            if type(item[1]) is str:
                plain.append(item)
            elif _are_texts(item[1]):
                plain.append((item[0], result_content(item[1])))
            else:
                return None
        elif len(item) == CALL:
            id, name, input = item
            packed = pack(input) if type(input) is dict else None
            if packed is None or type(id) is not str or type(name) is not str:
                return None
            plain.append((id, name, packed))
        else:
            thinking = item[0] if len(item) == 1 else item
            if not _are_texts(thinking) or len(thinking) != THINKING:
                return None
            plain.append(item)
    return message_of_plain(role, tuple(plain))


def _are_texts(value: object) -> bool:
    return type(value) is tuple and all(type(item) is str for item in value)


RESULT: Final = 2
"""How many items a result has: the id of its call and its content."""
CALL: Final = 3
"""How many items a call has: its id, its tool and its input."""
THINKING: Final = 2
"""How many items thinking has: its text and its signature."""
