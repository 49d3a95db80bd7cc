"""What an input says of whether a message is to be learned. It is law: it is kept, or the row is rejected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import is_plain, kept_keys
from message_history.core.messages.plain import meta_of_keys
from message_history_compile.errors import CannotCompileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history import Message
    from message_history.core.values.meta import Meta

_LEARNS: Final = ("weight", "train", "loss", "trainable", "loss_weight")
"""The keys of a message that say whether it is learned: of OpenAI and Together, Axolotl, ms-swift and LLaMA-Factory."""
_PARTS: Final = ("training_detail", "train_detail")
"""The keys of a message that say which of its characters are learned: of Axolotl."""
_OURS: Final = "synthetic"
_OF_OTHERS: Final = frozenset({"user", "human", "system", "developer", "tool", "function", "observation", "prompter"})
_NO: Final = frozenset({"false", "no", "0", "0.0"})
_DEPTH: Final = 6
_MASK: Final = re.compile(rb'"(?:weight|train|loss|trainable|loss_weight)\\*"(?:\s|\\+[nrt])*:')
_ESCAPE: Final = re.compile(rb"\\u00(?:0|2[02]|3[aA]|[4-7])")
"""What such a key may be written with; no other escape can be a part of one, or come between it and its colon."""


def metas_of(message: Message) -> Iterable[Meta | None]:
    """Return what travels with each block of a message; a plain content need not become blocks for it."""
    if is_plain(message):
        return map(meta_of_keys, kept_keys(message))
    return [block.meta for block in message.content]


def is_masked(metas: Iterable[Meta | None]) -> bool:
    """Return whether the message that blocks are of came with a mask; `metas` are what travels with them.

    Raises `CannotCompileError` for a mask that no target has a form for: a weight between, or one of characters.
    """
    return True in [_masks(keys) for keys in _keys_of(metas)]


def is_ours(metas: Iterable[Meta | None]) -> bool:
    """Return whether the message that blocks are of came marked as written by this library."""
    return any(keys.get(_OURS) is True for keys in _keys_of(metas))


def may_hold_masks(data: bytes) -> bool:
    """Return whether a line or a file may hold a mask; others are not looked through."""
    # How each pattern begins is looked for as fast as any text; to look for words first takes longer.
    return _MASK.search(data) is not None or _ESCAPE.search(data) is not None


def masks_in(values: object, depth: int = _DEPTH) -> int:
    """Count the messages with a mask anywhere in JSON values."""
    if type(values) is dict or isinstance(values, Mapping):
        beside = values.get("extra")
        places = (values, beside) if isinstance(beside, Mapping) else (values,)
        # Few objects have such a key: to look for one costs less than to find out who speaks.
        own = int(any(_says_no(keys.get(key)) for keys in places for key in _LEARNS) and _speaker(values))
        inner: Iterable[object] = values.values()
    elif isinstance(values, Sequence) and not isinstance(values, str | bytes):
        own, inner = 0, values
    else:
        return 0
    return own + sum(masks_in(each, depth - 1) for each in inner if depth and type(each) in (dict, list, tuple))


def masks_of(metas: Iterable[Meta | None]) -> int:
    """Count the masks that blocks came with; a message that was joined has several."""
    return sum(any(_says_no(keys.get(key)) for key in _LEARNS) for keys in _keys_of(metas))


def _keys_of(metas: Iterable[Meta | None]) -> Iterator[Mapping[str, Any]]:
    for meta in metas:
        if meta is not None:
            for held in (meta.carried, meta.extra):
                yield from (keys for keys in held.values() if isinstance(keys, Mapping))


def _masks(keys: Mapping[str, Any]) -> bool:
    part = next((key for key in _PARTS if keys.get(key)), None)
    if part is not None:
        raise CannotCompileError("mask_of_parts", f"`{part}` masks a part of a message, which no target can express")
    values = [keys[key] for key in _LEARNS if keys.get(key) is not None]
    between = next((value for value in values if type(value) in (int, float) and value not in (0, 1)), None)
    if between is not None:
        raise CannotCompileError("weight", f"a message has the weight {between}, and targets know 0 and 1 only")
    return any(map(_says_no, values))


def _says_no(value: object) -> bool:
    return value is not None and (not value if not isinstance(value, str) else value.strip().lower() in _NO)


def _speaker(values: Mapping[str, Any]) -> bool:
    """Return whether an object may be a message of an assistant."""
    speaker = next((values[key] for key in ("role", "from", "source") if isinstance(values.get(key), str)), None)
    return speaker is not None and speaker.lower() not in _OF_OTHERS
