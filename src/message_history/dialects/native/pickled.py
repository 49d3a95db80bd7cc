"""Our own saved form in short, as pickles hold it: a plain message is its role and its plain content.

Making dicts of all blocks, and looking at each of their keys, takes half as long again. Any other message is in a
pickle as in the saved form, and everything that is read goes through the same laws.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import kept_keys, make_plain_message, others_of, plain_content
from message_history.core.messages.plain import is_object_text, pack, pack_other, result_content, unpack
from message_history.core.turns.conversation import context_of, messages_of
from message_history.core.turns.stubs import unrecorded_stubs
from message_history.dialects.native.parse import packed_keys, with_beside
from message_history.dialects.native.render import beside, first_entry, mark_open_stubs, message_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.message import Message
    from message_history.core.messages.plain import Plain
    from message_history.core.turns.conversation import Conversation


def to_pickle(conversation: Conversation) -> list[Any]:
    """Write a conversation for a pickle: a plain message as a tuple, any other and the system prompt as a dict."""
    context = context_of(conversation)
    entries: list[Any] = [*first_entry(context.system, context.lineage)]
    entries += map(_entry, messages_of(conversation))
    # A message with a stub has marks, and so is not a tuple.
    mark_open_stubs(entries[-1:], unrecorded_stubs(conversation))
    return entries


def _entry(message: Message) -> Any:
    """Write one message."""
    items = plain_content(message)
    if not items:
        items = _opened(others_of(message))
        if not items:
            return message_to_json(message)
    elif message.role == "assistant":
        # As `_opened`, in half of the time.
        items = tuple([(*i[:2], unpack(i[2])) if len(i) == CALL and type(i[2]) is bytes else i for i in items])
    kept = kept_keys(message)
    more = beside(message)
    if kept:
        more[KEYS] = tuple(map(_keys_to_pickle, kept))
    return (message.role, items, more) if more else (message.role, items)


def _opened(item: Any) -> Any:
    """Write a content, or a part of it, without packed inputs and blocks: those never leave the process."""
    if type(item) is tuple:
        return tuple(map(_opened, item))
    return unpack(item) if type(item) is bytes else item


def _keys_to_pickle(keys: bytes | None) -> Any:
    """Write packed keys as a text, and with decisions, of which hardly any two are the same, as they are."""
    found = unpack(keys) if keys is not None else None
    return found if found is not None and "mark" in found else _text_of(keys)


@lru_cache(maxsize=1_000)
def _text_of(keys: bytes | None) -> str | None:
    """Write packed keys as JSON; equal ones are one text, which a pickle holds once."""
    return json.dumps(unpack(keys)["extra"], ensure_ascii=False) if keys is not None else None


@lru_cache(maxsize=1_000)
def _keys_of(text: str) -> bytes | None:
    """Pack keys that were written as JSON; None for anything else."""
    return packed_keys({"extra": json.loads(text)}) if is_object_text(text) else None


def from_pickle(saved: Iterable[Any]) -> list[Any]:
    """Read the messages of a pickle that are tuples. What is not as `to_pickle` writes it stays as it is."""
    return [_message(entry) or entry if type(entry) is tuple else entry for entry in saved]


def _message(entry: tuple[Any, ...]) -> Message | None:
    if len(entry) not in (2, 3) or entry[0] not in ("user", "assistant") or type(entry[1]) is not tuple:
        return None
    role, items, *others = entry
    plain = _user_items(items) if role == "user" else _assistant_items(items)
    if plain is None or (others and type(others[0]) is not dict):
        return None
    if not others:
        return make_plain_message(role, plain)
    if KEYS not in others[0]:
        return with_beside(make_plain_message(role, plain), others[0])
    keys = others[0][KEYS]
    if type(keys) is not tuple or (keys and len(keys) != len(plain)):
        return None
    pairs = zip(keys, plain, strict=False)
    kept = tuple([_keys_of(each) if type(each) is str else _with_decisions(role, item, each) for each, item in pairs])
    if any(each is not None and not packed for each, packed in zip(keys, kept, strict=True)):
        return None
    return with_beside(make_plain_message(role, plain, kept), others[0])


def _with_decisions(role: str, item: Any, found: Any) -> bytes | None:
    """Pack what travels with the result of a call that was decided; None for anything else."""
    is_result = role == "user" and type(item) is not str
    return packed_keys(found) if is_result and type(found) is dict and "mark" in found else None


def _user_items(items: tuple[Any, ...]) -> Plain | None:
    plain: list[Any] = []
    for item in items:
        if type(item) is str:
            plain.append(item)
        elif type(item) is not tuple or len(item) != RESULT or type(item[0]) is not str:
            return None
        elif type(item[1]) is str:
            plain.append(item)
        else:
            parts = tuple(map(_part, item[1])) if type(item[1]) is tuple else (None,)
            if None in parts:
                return None
            plain.append((item[0], result_content(parts)))
    return tuple(plain)


def _part(item: Any) -> str | bytes | None:
    return item if type(item) is str else pack_other(item)


def _assistant_items(items: tuple[Any, ...]) -> Plain | None:
    plain: list[Any] = []
    for item in items:
        if type(item) is str:
            plain.append(item)
        elif type(item) is not tuple:
            packed = pack_other(item)
            if packed is None:
                return None
            plain.append(packed)
        elif len(item) == CALL:
            id, name, input = item
            if type(input) is str:
                found: bytes | str | None = input if is_object_text(input) else None
            else:
                found = pack(input) if type(input) is dict else None
            if found is None or type(id) is not str or type(name) is not str:
                return None
            plain.append((id, name, found))
        else:
            thinking = item[0] if len(item) == 1 else item
            if not _are_texts(thinking) or len(thinking) != THINKING:
                return None
            plain.append(item)
    return tuple(plain)


def _are_texts(value: object) -> bool:
    return type(value) is tuple and all(type(item) is str for item in value)


KEYS: Final = "keys"
"""The name of the keys that came with the items of a plain content, in what else a tuple says."""
RESULT: Final = 2
"""How many items a result has: the id of its call and its content."""
CALL: Final = 3
"""How many items a call has: its id, its tool and its input."""
THINKING: Final = 2
"""How many items thinking has: its text and its signature."""
