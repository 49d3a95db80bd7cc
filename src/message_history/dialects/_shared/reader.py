"""A list on its way in: the loop over its entries, around what a dialect reads of one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from message_history.core.messages.blocks import SystemBlock, TextBlock
from message_history.core.messages.message import make_message
from message_history.dialects._shared.reply_info import with_info
from message_history.dialects._shared.truncated import finished, is_truncated
from message_history.dialects._shared.typed_blocks import carry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign


class EntryReader(Protocol):
    """What a dialect reads of one entry."""

    parsed: Parsed
    """Gets the messages, and notes of what could not be taken unchanged."""

    def own_entry(self, entry: object, source: int) -> bool:
        """Read an entry that is surely of this dialect; False for any other."""

    def other_entry(self, entry: object, source: int) -> bool:
        """Read an entry that is not surely any dialect's, as far as it goes; False for what is not a message."""


def read_entries(
    raw: Sequence[Any],
    foreign: Foreign | None,
    reader: EntryReader,
    what: str = "no message",
    follow: Callable[[Parsed], None] | None = None,
    *,
    known: Sequence[Message | None] = (),
    ahead: Callable[[int], int] | None = None,
) -> Parsed:
    """Read a list entry by entry.

    Args:
        raw: the entries.
        foreign: reads an entry that has another dialect's form.
        reader: reads one entry.
        what: what is wrong with an entry that nobody can read.
        follow: gets what an entry of another dialect held, before it is added.
        known: for each entry, its message where that was read already; empty when none was.
        ahead: reads entries from one on at one look each, and returns the first that needs a second one.

    Returns:
        What the reader read.

    Complexity: linear in the entries.
    """
    parsed = reader.parsed
    unread = [source for source, message in enumerate(known) if message is None] if known else range(len(raw))
    done = reached = 0
    for source in unread:
        if ahead is not None and source >= reached:
            reached = ahead(source)
        if source < reached:
            continue
        entry = raw[source]
        if known:
            # Most were read: they go in runs.
            _add_known(parsed, known, done, source)
            done = source + 1
        if reader.own_entry(entry, source):
            continue
        found = foreign(entry, source) if foreign is not None else None
        if found is not None:
            if follow is not None:
                follow(found)
            parsed.extend(found)
        elif not reader.other_entry(entry, source):
            parsed.dropped(entry, source, what)
    _add_known(parsed, known, done, len(known))
    return parsed


def _add_known(parsed: Parsed, known: Sequence[Message | None], start: int, end: int) -> None:
    parsed.messages += cast("Sequence[Message]", known[start:end])
    parsed.sources += range(start, end)


def add_message(
    parsed: Parsed,
    data: Mapping[Any, Any],
    source: int,
    *,
    dialect: str,
    role: object,
    blocks: list[Block],
    keys: Mapping[Any, Any],
    own_call: Callable[[Block], Mapping[str, Any] | None] | None = None,
) -> None:
    """Add what was read of one entry; note one without content.

    Args:
        parsed: gets the message.
        data: the entry.
        source: its position in the raw list.
        dialect: the name under which its other keys are kept.
        role: `assistant`, `system`, or anything else for the user's.
        blocks: its content.
        keys: its other keys.
        own_call: gives a call of the provider's own tools, for a dialect whose truncated replies end in the middle of
            a call; see `finished`.
    """
    if not blocks:
        parsed.empty(data, source)
        return
    truncated = role == "assistant" and is_truncated(data)
    if truncated and own_call is not None:
        blocks = finished(blocks, source, parsed, own_call)
        if not blocks:
            if keys:
                # The message is gone with its blocks, and so is what else it said.
                parsed.empty(keys, source)
            return
    made = as_system(blocks) if role == "system" else blocks
    carry(made, dialect, keys)
    message = make_message("assistant" if role == "assistant" else "user", tuple(made))
    if role == "assistant":
        message = with_info(message, data, dialect)
    parsed.add(message, source, interrupted=truncated)


def role_of(data: Mapping[Any, Any]) -> object:
    """Return the role of an entry: the assistant's goes by other names too, in LangChain and in lists of one's own."""
    role = data.get("role")
    return "assistant" if isinstance(role, str) and role.lower() in _OF_MODELS else role


_OF_MODELS: Final = frozenset({"assistant", "ai", "bot", "gpt", "agent"})


def assume_user(parsed: Parsed, role: object, source: int) -> None:
    """Note a role that is neither the user's nor the assistant's: such a message is read as the user's."""
    if role not in ("user", "assistant"):
        parsed.role_assumed(source, role, "role {} taken as the user's")


def as_system(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks as those of a system message: its texts become system blocks."""
    return [SystemBlock(block.text, meta=block.meta) if isinstance(block, TextBlock) else block for block in blocks]
