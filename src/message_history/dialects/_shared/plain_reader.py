"""Read messages of the shapes that nearly all have, in the Messages API's form or our own, at one look each."""

from __future__ import annotations

import marshal
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import (
    CLEAN_ASSISTANT,
    CLEAN_USER,
    NEEDS_REPAIR,
    STUB_BEGINS,
    STUB_OPENINGS,
    Message,
    Unfinished,
)
from message_history.core.messages.plain import NOT_PLAIN, VERSION, pack_keys, result_content
from message_history.core.messages.plain import pack as packed_input

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


MODELLED: Final = {
    "text": ("type", "text"),
    "tool_use": ("type", "id", "name", "input"),
    "tool_result": ("type", "tool_use_id", "content"),
}


class Keeper:
    """Packs the keys, of those in `kept`, that came with blocks besides those modelled; equal keys share one copy."""

    def __init__(
        self, dialect: str, kept: Mapping[str, Collection[str]], modelled: Mapping[str, tuple[str, ...]] = MODELLED
    ) -> None:
        self._dialect = dialect
        self._modelled = modelled
        self._kept = kept
        self._shapes: dict[tuple[str, ...], tuple[Callable[[Any], Any], dict[bytes, bytes | None]]] = {}

    def __call__(self, kind: str, item: dict[str, Any]) -> bytes | None:
        """Return the packed keys of a block, empty for none; None when it needs a second look."""
        shape = self._shapes.get((kind, *item))
        values, known = shape if shape is not None else self._new_shape(kind, item)
        try:
            raw = marshal.dumps(values(item), VERSION)
            return known[raw]
        except ValueError:  # A foreign object.
            return None
        except KeyError:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            others = {key: value for key, value in item.items() if key not in self._modelled[kind]}
            if others.get("is_error") is False:
                del others["is_error"]
            known[raw] = self.packed(others) if others.keys() <= set(self._kept.get(kind, ())) else None
            return known[raw]

    def _new_shape(self, kind: str, item: dict[str, Any]) -> tuple[Callable[[Any], Any], dict[bytes, bytes | None]]:
        if len(self._shapes) >= _MOST_KNOWN:
            self._shapes.clear()
        others = [key for key in item if key not in self._modelled[kind]] or [next(iter(item))]
        self._shapes[kind, *item] = itemgetter(*others), {}
        return self._shapes[kind, *item]

    def packed(self, others: dict[str, Any]) -> bytes | None:
        return pack_keys(self._dialect, others)

    def input(self, item: dict[str, Any], packed: bytes) -> bytes | str | None:
        """Return the input of a call as a plain content holds it; None when the call needs a second look."""
        return packed

    def other(self, kind: str, item: dict[str, Any]) -> bytes | None:
        """Pack a block of the provider, `kind` being "text" for white space; None when it needs a second look."""
        return None


_MOST_KNOWN: Final = 1_000
OF_CALLS: Final[Mapping[str, Collection[str]]] = {
    "tool_use": ("caller", "cache_control"),
    "tool_result": ("cache_control",),
}
KEEP_OF_CALLS: Final = Keeper("anthropic", OF_CALLS)
"""Keeps keys of calls and results, which tell the dialect; texts with keys look alike in several."""


def common_message(entry: Any, sizes: Sequence[int], keep: Keeper) -> Message | None:
    """Read a message of the common shapes, with one of `sizes` as number of keys; None when it needs a second look."""
    found: list[Message] = []
    try:
        read_common((entry,), sizes, found, keep)
    except Exception:  # noqa: BLE001 - a foreign object may do anything; the second look copies what raises
        return None
    return found[0] if found else None


def read_each(
    entries: Sequence[Any], sizes: Sequence[int], keep: Keeper, known: Sequence[Message] = ()
) -> list[Message | None]:
    """Read the messages of the common shapes, with one of `sizes` as number of keys; None for each other entry."""
    found: list[Message | None] = [*known]
    rest = iter(entries[len(found) :] if known else entries)
    read_common(rest, sizes, found, keep)
    while len(found) < len(entries):
        found.append(None)  # The entry at which the reading stopped.
        read_common(rest, sizes, found, keep)
    return found


def read_common(entries: Iterable[Any], sizes: Sequence[int], found: list[Any], keep: Keeper) -> None:  # noqa: PLR0915 - see below
    """Read messages as long as they have the shapes that nearly all have.

    All of it is one loop: each function that it would call for a message costs 5 % of it. `size` is how many keys each
    must have, `role` and `content` among them. `found` gets the messages, up to the first entry about which anything
    needs a second look. `keep` packs the other keys of blocks.
    """
    pack = packed_input
    try:
        for entry in entries:
            if type(entry) is not dict or len(entry) not in sizes:
                return
            role, content = entry["role"], entry["content"]
            # The role itself may be of a class that derives from `str`.
            if role == "assistant":
                role, shape = "assistant", CLEAN_ASSISTANT
            elif role == "user":
                role, shape = "user", CLEAN_USER
            else:
                return
            plain: list[Any] = []
            ids: list[str] = []
            has_others = False
            kept: list[bytes | None] | None = None
            if type(content) is str:
                if not content or content.isspace():
                    return
                plain.append(content)
            elif type(content) is not list or not content:
                return
            else:
                for item in content:
                    if type(item) is not dict:
                        return
                    kind = item["type"]
                    if kind == "text":
                        text = item["text"]
                        if type(text) is not str or not text:
                            return
                        if text.isspace():
                            text = _other(keep.other(kind, item))
                            has_others = True
                        elif len(item) != 2:
                            kept = _kept(kept, keep(kind, item), len(plain))
                        plain.append(text)
                    elif kind == "tool_use":
                        id, name, input = item["id"], item["name"], item["input"]
                        if type(id) is not str or type(name) is not str or type(input) is not dict:
                            return
                        packed: Any = pack(input)
                        if packed is None or role == "user" or not (id and name and id.isascii() and name.isascii()):
                            return
                        if name.isspace():
                            return
                        if len(item) != 4:
                            kept = _kept(kept, keep(kind, item), len(plain))
                            packed = keep.input(item, packed)
                            if packed is None:
                                return
                        ids.append(id)
                        plain.append((id, name, packed))
                    elif kind == "tool_result":
                        id, inner = item["tool_use_id"], item["content"]
                        if type(inner) is not str:
                            inner = common_texts(inner, keep)
                            if type(inner) is tuple and bytes in map(type, inner):
                                has_others = True
                        if len(item) != 3 and (len(item) != 4 or item.get("is_error") is not False):
                            kept = _kept(kept, keep(kind, item), len(plain))
                        if type(id) is not str or not id or not id.isascii() or inner is None or role != "user":
                            return
                        # Most texts fail the cheap test for the text of a stub.
                        if len(ids) != len(plain) or (inner[:1] in STUB_BEGINS and inner.startswith(STUB_OPENINGS)):
                            shape = NEEDS_REPAIR
                        ids.append(id)
                        plain.append((id, inner))
                    elif kind == "thinking":
                        text, signature = item["thinking"], item["signature"]
                        if type(text) is not str or type(signature) is not str or role == "user":
                            return
                        if len(item) != 3 and (len(item) != 4 or item["bound"] is not False):
                            return
                        plain.append((text, signature) if len(item) == 3 else ((text, signature),))
                    else:
                        plain.append(_other(keep.other(kind, item)))
                        has_others = True
                if has_others and (bytes in map(type, plain)) is not (role == "assistant" and str in map(type, plain)):
                    return  # Only next to other text white space is more than a blank.
                if len(ids) > 1 and (len(set(ids)) != len(ids) if len(ids) > 2 else ids[0] == ids[1]):
                    return
            message: Any = Unfinished()
            message.role = role
            message.ids = tuple(ids)
            message.shape = shape
            message._plain = tuple(plain) if not has_others else NOT_PLAIN
            message._others = tuple(plain) if has_others else NOT_PLAIN
            message._reach = None
            message._kept = () if kept is None else (*kept, *[None] * (len(plain) - len(kept)))
            message._arrivals = message._replies = ()
            message.__class__ = Message
            found.append(message)
    except (KeyError, TypeError):
        return  # A key is missing: to ask for each takes 10 % longer, and `suppress` as long as half a message.


def _kept(kept: list[bytes | None] | None, keys: bytes | None, position: int) -> list[bytes | None] | None:
    """Note the packed keys of the block at a position; a `TypeError` when it needs a second look."""
    if keys is None:
        raise TypeError
    if not keys:
        return kept
    kept = kept if kept is not None else []
    kept += [*[None] * (position - len(kept)), keys]
    return kept


def _other(packed: bytes | None) -> bytes:
    """Return a packed block of the provider; a `TypeError` when it needs a second look."""
    if packed is None:
        raise TypeError
    return packed


def common_texts(content: Any, keep: Keeper | None = None) -> str | tuple[Any, ...] | None:
    """Read the content of a result: its texts, and the blocks of the provider that `keep` packs."""
    if type(content) is not list:
        return None
    parts: list[Any] = []
    for item in content:
        if type(item) is not dict:
            return None
        part = item.get("text") if len(item) == 2 and item.get("type") == "text" else None
        if type(part) is not str:
            part = keep.other(item["type"], item) if keep is not None and item.get("type") != "text" else None
            if part is None:
                return None
        parts.append(part)
    return result_content(tuple(parts))
