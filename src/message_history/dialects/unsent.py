"""What an export leaves behind of other dialects' keys: they go back to their origin only.

A render records what it leaves out of its own dialect's keys. Those that came from elsewhere it does not even look at;
they are told here, for every dialect in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.blocks import Block, RedactedThinkingBlock, ThinkingBlock, ToolResultBlock
from message_history.frozen import FrozenDict
from message_history.repairs import Repair, RepairCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from message_history.blocks import Meta
    from message_history.dialects.base import Dialect
    from message_history.message import Message

__all__ = ["unsent"]

NOTED: Final[Mapping[str, frozenset[str]]] = {
    "bedrock": frozenset({"json"}),
    "gemini": frozenset({"(noted)"}),
    "openai_chat": frozenset({"key"}),
    "openai_responses": frozenset({"item", "led_to"}),
    "pydantic_ai": frozenset({"form", "items", "joined", "kind"}),
}
"""What a parser noted about how a block stood in its list; nobody sent it, and nothing is lost without it."""
_NOTHING: Final[tuple[Any, ...]] = (None, "", (), {})


def unsent(
    messages: Iterable[Message], system: Iterable[Block], target: Dialect[Any], told: Iterable[Repair]
) -> list[Repair]:
    """Record the keys of other dialects that a dialect does not send.

    Args:
        messages: what was sent.
        system: the system prompt that was sent.
        target: the dialect.
        told: what its render recorded; a block that is in there as a whole is not told of again.

    Returns:
        A repair for each block and each dialect whose keys it has.

    Complexity: linear in the blocks.
    """
    gone = {id(block) for repair in told for block in repair.removed}
    found: list[Repair] = []
    for block in system:
        found += _left_of(block, 0, target, gone)
    for index, message in enumerate(messages):
        for block in message.content:
            found += _left_of(block, index, target, gone)
    return found


def _left_of(block: Block, index: int, target: Dialect[Any], gone: set[int]) -> Iterator[Repair]:
    if id(block) in gone:
        return
    if block.meta is not None:
        for origin, keys in _keys_of(block, block.meta):
            left = FrozenDict({key: value for key, value in keys.items() if not target.sends(origin, key)})
            if left:
                detail = f"keys that go back to {origin} only: {', '.join(map(str, left))}"
                yield Repair(code=RepairCode.WITHHELD, index=index, removed=(left,), detail=detail)
    if isinstance(block, ToolResultBlock):
        for part in block.content:
            yield from _left_of(part, index, target, gone)


def _keys_of(block: Block, meta: Meta) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give what came with a block from each dialect."""
    origins = dict.fromkeys([*meta.extra, *meta.carried])
    signed = meta.signature is not None and not isinstance(block, ThinkingBlock | RedactedThinkingBlock)
    if signed and meta.issuer is not None:
        origins[meta.issuer] = None
    for origin in origins:
        noted = NOTED.get(origin, frozenset())
        keys = {**block.extra(origin), **block.carried(origin)}
        if signed and origin == meta.issuer:
            keys["signature"] = meta.signature
        yield origin, {key: value for key, value in keys.items() if key not in noted and value not in _NOTHING}
