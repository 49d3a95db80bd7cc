"""What an export omits of other dialects' keys: they are sent back to their origin only.

A render records what it omits of its own dialect's keys. Those that came from elsewhere it does not even look at;
they are recorded here, for every dialect in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import RedactedThinkingBlock, ThinkingBlock, ToolResultBlock
from message_history.core.messages.message import items_of, kept_keys
from message_history.core.messages.plain import has_extra
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.values.json_values import EMPTY, FrozenDict
from message_history.dialects._shared.mcp import MCP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.values.meta import Meta
    from message_history.dialects.base import Dialect

NOTED: Final[Mapping[str, frozenset[str]]] = {
    "bedrock": frozenset({"(json)"}),
    "langchain": frozenset({"content_items"}),
    "openai_chat": frozenset({"key", "role"}),
    "openai_responses": frozenset({"(noted)", "(item)", "(led_to)", "(part)", "(parts)", "(developer)"}),
    "pydantic_ai": frozenset({"form", "items", "joined", "kind"}),
}
"""What a parser noted about the form of a block in its list; nobody sent it, and nothing is lost without it."""
GEMINI: Final = "gemini"
FACTS: Final = "(noted)"
FROM: Final = "(from)"
"""The key under which a block notes the host of what no rule knows of it; empty where nobody named one."""
_NOTED: Final = frozenset({FACTS, FROM})
"""The keys for such notes that every dialect may use."""
WHOLE: Final[Mapping[str, frozenset[str]]] = {"langchain": frozenset({"item", "content_items"})}
"""The keys under which a dialect keeps what a block stood for, and writes it again with all that was in it."""
LOOKED_AT: Final[Mapping[tuple[str, str, str], tuple[Any, ...]]] = {
    ("openai_responses", "openai_chat", "type"): ("custom",)
}
"""The only values that a dialect looks at, of a key that another dialect's blocks came with."""
_THINKING: Final = (ThinkingBlock, RedactedThinkingBlock)
_NOTHING: Final[tuple[Any, ...]] = (None, "", (), {})


def unsent(
    messages: Iterable[Message], system: Iterable[Block], target: Dialect[Any], recorded: Iterable[Repair]
) -> list[Repair]:
    """Record the keys of other dialects that a dialect does not send.

    A block that is in `recorded` as a whole is not recorded again. There is a repair for each block and each dialect
    whose keys it has, and one for those of the message that it opened.
    """
    gone = {id(block) for repair in recorded for block in repair.removed}
    found: list[Repair] = []
    for block in system:
        found += _dropped_of(block, 0, target, gone)
    before: Message | None = None
    for index, message in enumerate(messages):
        if not items_of(message) or has_extra(kept_keys(message)):
            for block in message.content:
                found += _dropped_of(block, index, target, gone)
            noted = [(block, facts) for block in message.results if (facts := _noted(block)) and id(block) not in gone]
            if noted and target.name not in (GEMINI, "native"):
                found += _own_dropped(noted, index, before)
        before = message
    return found


def _noted(result: ToolResultBlock) -> FrozenDict:
    """Return what was noted of how a result of Gemini came."""
    facts = result.extra(GEMINI).get(FACTS) if result.meta is not None else None
    return facts if isinstance(facts, FrozenDict) else EMPTY


def _own_dropped(
    noted: Iterable[tuple[ToolResultBlock, FrozenDict]], index: int, before: Message | None
) -> Iterator[Repair]:
    """Record the names and ids that results came with, and their calls have not."""
    called = {call.id: call.name for call in before.calls} if before is not None else {}
    for result, facts in noted:
        calls = {"name": called.get(result.tool_use_id), "id": result.tool_use_id}
        left = FrozenDict({key: facts[key] for key in calls if facts.get(key) and facts[key] != calls[key]})
        if left:
            detail = f"keys that go back to gemini only: {', '.join(map(str, left))}"
            yield Repair(code=RepairCode.WITHHELD, index=index, removed=(left,), detail=detail)


def _dropped_of(block: Block, index: int, target: Dialect[Any], gone: set[int]) -> Iterator[Repair]:
    if id(block) in gone:
        return
    if block.meta is not None and block.extra(target.name).keys().isdisjoint(WHOLE.get(target.name, ())):
        for origin in _origins(block.meta):
            for left in filter(None, map(FrozenDict, _dropped_keys(block, block.meta, origin, target))):
                detail = f"keys that go back to {origin} only: {', '.join(map(str, left))}"
                yield Repair(code=RepairCode.WITHHELD, index=index, removed=(left,), detail=detail)
    if isinstance(block, ToolResultBlock):
        whole = target.name == GEMINI and "response" in _noted(block)
        # Such a response is written again with all that was in it.
        for part in block.content:
            yield from () if whole and MCP in _origins_of(part) else _dropped_of(part, index, target, gone)


def _origins_of(block: Block) -> list[str]:
    return _origins(block.meta) if block.meta is not None else []


def _origins(meta: Meta) -> list[str]:
    """Return the dialects that something of a block came from."""
    signed = [meta.issuer] if meta.signature is not None and meta.issuer is not None else []
    return list(dict.fromkeys([*meta.extra, *meta.carried, *signed]))


def _dropped_keys(block: Block, meta: Meta, origin: str, target: Dialect[Any]) -> Iterator[dict[str, Any]]:
    """Return what came with a block from a dialect and is not sent, then what came with its message."""
    keys = dict(block.extra(origin))
    if meta.signature is not None and meta.issuer == origin and not isinstance(block, _THINKING):
        keys["signature"] = meta.signature
    noted = NOTED.get(origin, _NOTED) | {FROM}
    for held, of_message in ((keys, False), (block.carried(origin), True)):
        left = {
            key: value
            for key, value in held.items()
            if not target.sends(origin, key, of_message=of_message)
            or (key == "signature" and isinstance(block, ToolResultBlock))  # Nobody takes one of a result.
            or value not in LOOKED_AT.get((target.name, origin, key), (value,))
        }
        yield {
            key: value
            for key, value in left.items()
            if not (key in noted and _is_note(key, block, of_message=of_message)) and value not in _NOTHING
        }


def _is_note(key: str, block: Block, *, of_message: bool) -> bool:
    """Return whether a key is where a parser notes it; elsewhere a key of this name came with the list."""
    if key.startswith("("):
        return True
    if key == "role":
        return of_message
    return not of_message and (key != "key" or isinstance(block, ThinkingBlock))
