"""Where the entries of a raw list are in the history that was read from it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from message_history.dialects.registry import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from message_history.core.messages.block_base import Block
    from message_history.dialects import Dialect
    from message_history.history import MessageHistory


def positions(raw: Sequence[Any], history: MessageHistory, dialect: Dialect[Any] | None = None) -> list[int]:
    """Find the index of the message that each entry went into, or the entry before one that left nothing."""
    places: dict[Block, list[int]] = {}
    for index, message in enumerate(history):
        for block in message.content:
            places.setdefault(block, []).append(index)
    parsed = read(raw, dialect)
    found: dict[int, int] = {}
    last = 0
    for message, source in zip(parsed.messages, parsed.sources, strict=True):
        if source in found:
            continue
        for block in message.content:
            known = places.get(block)
            if known:
                # Messages that say the same differ by their order; a moved result may come before the last.
                after = bisect_left(known, last)
                last = found[source] = known[after] if after < len(known) else known[-1]
                break
    became: list[int] = []
    last = 0
    for source in range(len(raw)):
        last = found.get(source, last)
        became.append(last)
    return became
