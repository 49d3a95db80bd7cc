"""What applications keep with their messages (`id`, `created_at`, `metadata`), which no provider takes: arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.arrived import arrival, joined_arrivals
from message_history.core.messages.blocks import ToolResultBlock, with_meta
from message_history.core.messages.message import arrived_whole, items_of, make_message, not_plain, with_arrivals
from message_history.core.messages.plain import pack
from message_history.core.values.json_values import FrozenDict, freeze_mapping, thaw
from message_history.core.values.meta import Meta
from message_history.dialects._shared.plain_reader import read_common

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.arrived import Arrival
    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.plain_reader import Keeper

_KEYS: Final = ("id", "created_at", "metadata")
_OF_APPLICATIONS: Final = frozenset(_KEYS)
_OF_USUAL: Final = _OF_APPLICATIONS | {"role", "content"}
_OF_REPLIES: Final = {"stop_reason", "finish_reason", "model", "usage", "object", "type"}
"""The keys of a provider's response, whose id is the reply's."""
_FORMS: Final = ("anthropic", "openai_chat")
"""The dialects whose messages have no keys of these names."""

SIZES: Final = (2, 3, 4, 5)
"""How many keys a message of the common shapes has, with and without these."""


def described(message: Message, entry: Mapping[str, Any]) -> Message | None:
    """Give a message of an entry that is no more than a role and a content what its application keeps with it.

    None if the entry needs a second look.
    """
    found = {**entry}
    del found["role"], found["content"]
    return with_keys(message, found)


def with_keys(message: Message, keys: dict[str, Any]) -> Message | None:
    """Give a message that nobody else has yet the further keys of its entry, if they are an application's; else None.

    As in `_lifted`, a key without a value is as good as absent.
    """
    packed = pack(keys) if keys.keys() <= _OF_APPLICATIONS else None
    return arrived_whole(message, packed) if packed is not None and None not in keys.values() else None


def read_described(raw: Sequence[Any], known: list[Message], keep: Keeper) -> None:
    """Read more messages of a list, of which the first are known, up to the first that needs a second look."""
    start = len(known)
    if type(raw[start]) is not dict or not raw[start].keys() <= _OF_USUAL:
        return  # All of the list is likely to be of another form: it would be read twice.
    read_common(raw[start:], SIZES, known, keep)
    for n in range(start, len(known)):
        message = described(known[n], raw[n]) if len(raw[n]) > SIZES[0] else known[n]
        if message is None:
            del known[n:]
            return
        known[n] = message


def lift_metadata(parsed: Parsed) -> None:
    """Take what applications keep with their messages from the blocks that open them to the messages' arrivals."""
    for n, message in enumerate(parsed.messages) if not_plain(parsed.messages) else ():
        if not items_of(message) and (message.role == "user" or not message.replies):
            parsed.messages[n] = _lifted(message)


def _lifted(message: Message) -> Message:
    parts = [_without_keys(block) if block.meta is not None else (block, {}) for block in message.content]
    opening = [n for n, (_, found) in enumerate(parts) if found]
    if not opening:
        return message
    arrivals: tuple[Arrival, ...] = ()
    for n, end in zip(opening, [*opening[1:], len(parts)], strict=True):
        arrivals = joined_arrivals(arrivals, n, arrival(end, parts[n][1]))
    return with_arrivals(make_message(message.role, tuple(block for block, _ in parts)), arrivals)


def _without_keys(block: Block) -> tuple[Block, dict[str, Any]]:
    meta = block.meta if block.meta is not None else Meta()
    carried, found = _parted(meta.carried, _FORMS)
    extra, more = _parted(meta.extra, _FORMS[1:] if isinstance(block, ToolResultBlock) else ())
    return with_meta(block, carried=carried, extra=extra) if found or more else block, {**found, **more}


def _parted(held: FrozenDict, forms: Sequence[str]) -> tuple[FrozenDict, dict[str, Any]]:
    """Part the keys of an application from the others that came in some forms."""
    found: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for form, keys in held.items():
        lifts = form in forms and isinstance(keys, FrozenDict) and not _OF_REPLIES & keys.keys()
        own = [key for key in _KEYS if key in keys] if lifts and isinstance(keys, FrozenDict) else []
        kept[form] = keys
        if own and isinstance(keys, FrozenDict):
            found |= {key: thaw(keys[key]) for key in own}
            kept[form] = {key: item for key, item in keys.items() if key not in own}
    return freeze_mapping({form: keys for form, keys in kept.items() if keys != {}})[0], found


def with_metadata(parsed: Parsed, metadata: Mapping[str, Any]) -> Parsed:
    """Give the last message of what was parsed what the caller says of it."""
    if not parsed.messages:
        parsed.add(make_message("assistant", ()), 0)
    parsed.messages[-1] = _described(parsed.messages[-1], metadata)
    return parsed


def _described(message: Message, metadata: Mapping[str, Any]) -> Message:
    return with_arrivals(message, (*message.arrivals, *arrival(len(message.content), metadata)))
