"""A list on its way in: the loop over its entries, around what a dialect reads of one entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from message_history.core.blocks import SystemBlock, TextBlock
from message_history.core.message import make_message
from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.typed_blocks import carry
from message_history.dialects.base import Parsed, is_truncated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.blocks import Block
    from message_history.dialects.base import Foreign

__all__ = ["EntryReader", "add_message", "as_system", "read_list"]


class EntryReader(Protocol):
    """What a dialect reads of one entry."""

    keys: frozenset[str]
    """The keys that it reads; the others are kept with the message."""

    def role_of(self, data: Mapping[Any, Any]) -> str | None:
        """Return `user`, `assistant` or `system`; None for an entry of another form."""

    def blocks(self, data: Mapping[Any, Any], source: int, parsed: Parsed) -> list[Block]:
        """Read the content; `parsed` gets notes of what could not be taken as it came."""


def read_list(raw: Sequence[Any], foreign: Foreign | None, dialect: str, reader: EntryReader) -> Parsed:
    """Read a list entry by entry.

    Args:
        raw: the entries.
        foreign: reads an entry that has another dialect's form.
        dialect: the name under which keys are kept that the reader does not read.
        reader: reads one entry.

    Returns:
        The messages in the entries.

    Complexity: linear in the entries.
    """
    parsed = Parsed()
    for source, entry in enumerate(raw):
        data = as_mapping(entry)
        role = reader.role_of(data) if data is not None else None
        if data is not None and role is not None:
            keys = {key: value for key, value in data.items() if key not in reader.keys}
            blocks = reader.blocks(data, source, parsed)
            add_message(parsed, data, source, dialect=dialect, role=role, blocks=blocks, keys=keys)
        elif foreign is None or not foreign(entry, source, parsed):
            parsed.dropped(entry, source, "no message")
    return parsed


def add_message(
    parsed: Parsed,
    data: Mapping[Any, Any],
    source: int,
    *,
    dialect: str,
    role: object,
    blocks: list[Block],
    keys: Mapping[Any, Any],
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
    """
    if not blocks:
        parsed.empty(data, source)
        return
    made = as_system(blocks) if role == "system" else blocks
    carry(made, dialect, keys)
    message = make_message("assistant" if role == "assistant" else "user", tuple(made))
    parsed.add(message, source, interrupted=role == "assistant" and is_truncated(data))


def as_system(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks as those of a system message: its texts are the operator's."""
    return [SystemBlock(block.text, meta=block.meta) if isinstance(block, TextBlock) else block for block in blocks]
