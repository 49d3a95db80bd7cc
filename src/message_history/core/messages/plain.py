"""The plain content of a message: its texts, calls and results in one small tuple, from which the blocks can be made.

Nearly all messages are plain: nothing travels with their blocks but keys of their provider. Such a message keeps its
plain content, and has blocks when somebody asks for them. A plain content holds texts and bytes only: nothing in it can
be changed, and the garbage collector has little to walk. The input of a call is bytes of `marshal`, which gives a
fresh copy, however deep, in less time than it takes to copy a dict, or the provider's own text; so are the keys that
came with a block besides, and what was decided on the call of a result. The bytes never leave the process.
"""

from __future__ import annotations

import json
import marshal
import re
from functools import lru_cache
from itertools import repeat
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from message_history.core.messages.blocks import (
    NO_INPUT,
    ProviderBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    text_block,
    tool_result_block,
    tool_use_block,
)
from message_history.core.values.json_values import EMPTY, MAX_INT, MIN_INT, freeze_mapping, is_unicode, thaw
from message_history.core.values.meta import Meta, decided, is_decided, mark_as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.block_base import Block

Plain: TypeAlias = tuple[Any, ...]
"""What a message holds, in order. A text is a `str`. In an assistant message a call is its id, its tool and its packed
input, or the provider's text of it, and thinking its text and its signature, in a tuple of its own once it is
invalidated. In a user message a result is its call's id and its content: one text, an empty one for no content, or a
tuple of texts. A content with blocks of a provider holds them packed, next to the texts of either; see `pack_other`."""
NOT_PLAIN: Final[Plain] = ()
"""Stands for the plain content of a message that has none."""
Kept: TypeAlias = tuple[bytes | None, ...]
"""For each item of a plain content what travels with it: packed, under the keys of the saved form, `extra` and `mark`.

Empty when nothing travels with any."""


def pack(input: dict[str, Any]) -> bytes | None:
    """Copy a call's input for `unpack`; None when something in it is not plain JSON, or it is very large or deep."""
    for key, item in input.items():
        kind = type(item)
        if type(key) is not str or not (
            kind is str
            or kind is bool
            or item is None
            or (kind is int and MIN_INT < item < MAX_INT)
            or (kind is float and isfinite(item))
        ):
            if not _is_json(input):
                return None
            break
    packed = marshal.dumps(input, VERSION)
    return packed if _FIRST_OF_SURROGATE not in packed or _SURROGATE.search(packed) is None else None


def pack_decided(mark: object) -> bytes | None:
    """Pack what travels with a result that has a mark of decisions alone; None for any other mark."""
    try:
        packed = marshal.dumps({"mark": mark}, VERSION)
    except ValueError:
        return None  # A foreign object, which may do anything when it is compared.
    return packed if is_decided(mark) and _SURROGATE.search(packed) is None else None


def pack_other(block: Any) -> bytes | None:
    """Pack a provider's block, given in the saved form; None for anything else, or when something is not plain JSON."""
    if type(block) is not dict or block.keys() != {"type", "dialect", "data"} or block["type"] != "provider":
        return None
    return pack(block) if type(block["dialect"]) is str and type(block["data"]) is dict else None


def pack_keys(dialect: str, keys: dict[str, Any]) -> bytes | None:
    """Pack a block's keys from a dialect, empty without keys; None when something in them is not plain JSON."""
    kept = {key: value for key, value in keys.items() if value is not None}
    return pack({"extra": {dialect: kept}}) if kept else b""


@lru_cache(maxsize=1_000)
def meta_of_keys(keys: bytes | None) -> Meta | None:
    """Return what travels with a block that came with packed keys."""
    if keys is None:
        return None
    found = unpack(keys)
    extra = freeze_mapping(found["extra"])[0] if "extra" in found else EMPTY
    return Meta(extra=extra, mark=decided(found["mark"]) if "mark" in found else None)


def has_extra(kept: Kept) -> bool:
    """Return whether keys of a dialect came with an item of a plain content."""
    return bool(kept) and any("extra" in unpack(keys) for keys in kept if keys is not None)


def is_object_text(text: str) -> bool:
    """Return whether a call's input came as the text of plain JSON, which can be read when somebody asks for it."""
    try:
        found, end = _scan(text, 0)
        if not text.isascii():
            text.encode()
    except (ValueError, StopIteration, RecursionError):
        return False
    if type(found) is not dict or end != len(text):
        return False
    # Only escapes bring surrogates here, and only long texts long numbers.
    if len(text) >= LONG or "\\u" in text:
        return pack(found) is not None
    return text.count("{") + text.count("[") <= DEEPEST or not _is_deep(found)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(digits)
    return number


def _refuse(written: str) -> float:
    raise ValueError(written)


_scan: Final[Callable[[str, int], tuple[Any, int]]] = json.JSONDecoder(
    parse_float=_finite, parse_constant=_refuse
).scan_once  # type: ignore[attr-defined]
LONG: Final = 4_000
"""As many characters as an integer has that is kept as text."""


def input_of(input: bytes | str) -> Any:
    """Return a fresh copy of the input of a call, as a plain content holds it."""
    return _scan(input, 0)[0] if isinstance(input, str) else unpack(input)


unpack: Final[Callable[[bytes], Any]] = marshal.loads
"""Returns a fresh copy of a packed input; `pack` has made it in this process."""
VERSION: Final = 2
"""The version of the bytes: from 2 on, they note when one object is in two places, so that a copy shares it too."""
MOST_ITEMS: Final = 100_000
"""How many items an input may have; an object that is in many places counts each time."""
DEEPEST: Final = 50


def _is_json(value: dict[str, Any]) -> bool:
    """Return whether a dict holds nothing but plain JSON, and is neither very large nor very deep."""
    containers: list[Any] = [value]
    room = MOST_ITEMS
    # The list grows while it is read: to call a function for each container takes half as long again.
    for container in containers:
        room -= len(container)
        if room < 0:
            return False
        items = container
        if type(container) is dict:
            for key in container:
                if type(key) is not str:
                    return False
            items = container.values()
        for item in items:
            kind = type(item)
            if kind is str or kind is bool or item is None:
                continue
            if kind is dict or kind is list:
                containers.append(item)
            elif not (MIN_INT < item < MAX_INT if kind is int else kind is float and isfinite(item)):
                return False
    return len(containers) <= DEEPEST or not _is_deep(value)


def _is_deep(value: dict[str, Any]) -> bool:
    """Return whether plain JSON has more containers within each other than it may have."""
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        items = (item for each in level for item in (each.values() if type(each) is dict else each))
        level = [item for item in items if type(item) is dict or type(item) is list]
        if not level:
            return False
    return True


def blocks_of_plain(role: str, plain: Plain, kept: Kept = ()) -> tuple[Block, ...]:
    made = _assistant_block if role == "assistant" else _result
    metas = map(meta_of_keys, kept) if kept else repeat(None)
    return tuple(
        text_block(item, meta) if type(item) is str else _other(item) if type(item) is bytes else made(meta, *item)
        for item, meta in zip(plain, metas)  # noqa: B905 - the metas may have no end
    )


def _assistant_block(meta: Meta | None, first: Any, second: str | None = None, input: Any = None) -> Block:
    if second is None:
        text, signature = first
        return ThinkingBlock(text, signature, bound=False)
    if input is None:
        return ThinkingBlock(first, second)
    if type(input) is str:
        meta = Meta(extra=meta.extra if meta is not None else EMPTY, arguments=input)
    return tool_use_block(first, second, freeze_mapping(input_of(input))[0], meta)


def _result(meta: Meta | None, id: str, content: str | tuple[str | bytes, ...]) -> Block:
    parts = (content,) if type(content) is str else content
    blocks = tuple([text_block(part) if type(part) is str else _other(part) for part in parts if content])
    return tool_result_block(id, blocks, is_error=False, meta=meta)


def _other(packed: Any) -> Block:
    found = unpack(packed)
    return ProviderBlock(found["dialect"], found["data"])


def plain_of(role: str, blocks: Sequence[Block]) -> tuple[Plain, Kept]:
    """Find the plain content of blocks, or `NOT_PLAIN`, and the keys that came with them; see `blocks_of_plain`."""
    plain: list[Any] = []
    kept: list[bytes | None] = []
    for block in blocks:
        keys = _keys_of(block, block.meta) if block.meta is not None else None
        item = _plain_item(role, block) if keys != _OTHERS else None
        if item is None:
            return NOT_PLAIN, ()
        plain.append(item)
        kept.append(keys)
    return tuple(plain), tuple(kept) if any(kept) else ()


def _keys_of(block: Block, meta: Meta) -> bytes | None:
    """Pack a provider's keys that a block came with, and decisions; `_OTHERS` when anything else travels with it."""
    if meta.key or meta != Meta(extra=meta.extra, mark=meta.mark, arguments=meta.arguments):
        return _OTHERS
    found: dict[str, Any] = {"extra": thaw(meta.extra)} if meta.extra else {}
    if meta.mark is not None:
        if meta.mark.kind != "decided" or not isinstance(block, ToolResultBlock):
            return _OTHERS
        found["mark"] = mark_as_json(meta.mark)
        if not is_decided(found["mark"]):
            return _OTHERS
    keys = pack(found) if found else None
    return keys if keys is not None or not found else _OTHERS


_OTHERS: Final = b""


def _plain_item(role: str, block: Block) -> Any:
    text = block.meta.arguments if block.meta is not None else None
    if role == "assistant" and isinstance(block, ToolUseBlock) and block.frozen_input is not NO_INPUT:
        packed = pack(thaw(block.frozen_input))
        if text is not None:
            return (block.id, block.name, text) if is_object_text(text) and pack(input_of(text)) == packed else None
        return (block.id, block.name, packed) if packed is not None else None
    if text is not None:
        return None
    if isinstance(block, TextBlock):
        return block.text
    if role == "user":
        return _plain_result(block) if isinstance(block, ToolResultBlock) and not block.is_error else None
    if isinstance(block, ThinkingBlock) and block.signature is not None and block.meta is None:
        thinking = block.thinking, block.signature
        return thinking if block.bound else (thinking,)
    return None


def invalidated(plain: Plain) -> Plain:
    return tuple([(item,) if type(item) is tuple and len(item) == 2 else item for item in plain])


def _plain_result(block: ToolResultBlock) -> tuple[str, str | tuple[str, ...]] | None:
    texts = tuple(part.text for part in block.content if isinstance(part, TextBlock) and part.meta is None)
    if len(texts) != len(block.content):
        return None
    return block.tool_use_id, result_content(texts)


def result_content(parts: tuple[Any, ...]) -> str | tuple[Any, ...]:
    return parts[0] if len(parts) == 1 and parts[0] and type(parts[0]) is str else parts or ""


UNSENDABLE: Final = -1
"""The reach of a content that needs a second look before it is sent."""
NO_UNICODE: Final = -2
"""The reach of a content with a text that UTF-8 cannot carry as it is."""
WITH_KEYS: Final = 1 << 32
"""What is added to the reach of a content with which keys came: each dialect knows only its own."""


def reach_of(role: str, plain: Plain) -> int:
    """Find out whether every dialect can send a plain content as it is.

    It can if each text says something that UTF-8 can carry, every name is an identifier in ASCII, and every id one that
    may begin with a digit, thinking is signed with base64 text, results come first, and thinking and texts come before
    calls. Returns the length of the longest id or name, as some dialects limit that; otherwise `UNSENDABLE` or
    `NO_UNICODE`.
    """
    texts: list[str] = []
    ids: list[str] = []
    names: list[str] = []
    in_order = _split_assistant(plain, texts, ids, names) if role == "assistant" else _split_user(plain, texts, ids)
    words = "_".join(("_", *ids, *names))
    everything = "".join((words, *texts))
    if not is_unicode(everything):
        return NO_UNICODE
    if "\0" in everything or not all(texts) or any(map(str.isspace, texts)):
        return UNSENDABLE
    if not (words.isascii() and words.isidentifier() and all(ids) and all(map(str.isidentifier, names))):
        return UNSENDABLE
    return max(map(len, (*ids, *names)), default=0) if in_order and plain else UNSENDABLE


def _split_assistant(plain: Plain, texts: list[str], ids: list[str], names: list[str]) -> bool:
    """Split a content into its texts, ids and names, and return whether all else about it can be sent."""
    in_order = True
    for item in plain:
        if type(item) is not str and len(item) == 3:
            ids.append(item[0])
            names.append(item[1])
            continue
        in_order = in_order and not ids
        if type(item) is str:
            texts.append(item)
        elif type(item) is bytes:
            continue
        elif len(item) == 1:
            in_order = False
            texts += item[0]
        else:
            in_order = in_order and _BASE64.fullmatch(item[1]) is not None
            texts += (item[0] or "-", item[1] or "-")  # Signed thinking may be empty.
    # What ends with signed thinking goes the long way.
    return in_order and not (plain and type(plain[-1]) is tuple and len(plain[-1]) == 2)


def _split_user(plain: Plain, texts: list[str], ids: list[str]) -> bool:
    in_order = True
    for position, item in enumerate(plain):
        if type(item) is str:
            texts.append(item)
            continue
        in_order = in_order and len(ids) == position
        ids.append(item[0])
        if item[1]:
            texts += (item[1],) if type(item[1]) is str else [part for part in item[1] if type(part) is str]
    return in_order


_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf]")
"""How a surrogate begins in packed text; few other values do, and these take the longer way."""
_FIRST_OF_SURROGATE: Final = 0xED
"""Its first byte: most inputs do not have it, and to look for it takes a tenth of a search."""
_BASE64: Final = re.compile("[A-Za-z0-9+/]+={0,2}")
