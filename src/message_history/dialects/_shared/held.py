"""Lists that go on from state at the provider: `previous_response_id`, stored conversations and interactions.

Such a list holds results of calls that only the provider has. A history holds whole turns, so these calls are put into
it, marked as held: in the provider's own form they are not written again, everywhere else they are what the results
answer.
"""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from message_history.core.messages.blocks import SystemBlock, ToolResultBlock, ToolUseBlock, with_meta
from message_history.core.messages.message import bootstrap_message, is_bootstrap, make_message, with_content
from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.values.json_values import EMPTY, FrozenDict
from message_history.core.values.meta import Mark, Meta

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed

_HELD: Final = Mark(kind="held")
_REFERRED: Final = Mark(kind="held", reason="referred")


def is_held(block: Block) -> bool:
    return block.mark is not None and block.mark.kind == "held"


def is_referred(block: Block) -> bool:
    """Return whether a block is a call that the provider holds, to which the list refers."""
    return block.mark == _REFERRED


def held_call(id: str, name: str, extra: FrozenDict = EMPTY) -> ToolUseBlock:
    """Make a call that the provider holds. `extra` is what its dialect needs to write the result."""
    return ToolUseBlock(id, name or "unknown_tool", EMPTY, meta=Meta(extra=extra, mark=_HELD))


def begins_at_provider(messages: Sequence[Message]) -> bool:
    """Return whether a history begins with the placeholder for what the provider holds."""
    return len(messages) > 1 and is_bootstrap(messages[0])


def add_referred(
    parsed: Parsed, call_of: Callable[[ToolResultBlock], ToolUseBlock], refers: Callable[[Block], bool]
) -> None:
    """Put the calls to which a list refers after the references: their results are in the list."""
    messages = parsed.messages
    called: set[str] | None = None
    for n, (before, after) in enumerate(pairwise(messages)):
        if before.role != "assistant" or after.role != "user":
            continue
        left = sum(map(refers, before.content))
        if not left:
            continue
        if called is None:
            called = {call.id for message in messages for call in message.calls}
        held: dict[str, ToolUseBlock] = {}
        for block in after.content:
            if isinstance(block, ToolResultBlock) and block.tool_use_id and block.tool_use_id not in called:
                if len(held) < left:
                    held.setdefault(block.tool_use_id, with_meta(call_of(block), mark=_REFERRED))
        called |= held.keys()
        if held:
            messages[n] = with_content(before, (*before.content, *held.values()))


def add_held(parsed: Parsed, call_of: Callable[[ToolResultBlock], ToolUseBlock]) -> None:
    """Put the calls that the provider holds before what was read, after a marked user turn if one is needed."""
    called = {call.id for message in parsed.messages for call in message.calls}
    held: dict[str, ToolUseBlock] = {}
    for message in parsed.messages:
        for block in message.content:
            if isinstance(block, ToolResultBlock) and block.tool_use_id and block.tool_use_id not in called:
                held.setdefault(block.tool_use_id, call_of(block))
    start = next((n for n, message in enumerate(parsed.messages) if not _is_system(message)), len(parsed.messages))
    begins = start < len(parsed.messages) and parsed.messages[start].role == "assistant"
    if not held and not begins:
        return
    before = [bootstrap_message(DEFAULT_POLICY.bootstrap_text)]
    if held:
        before.append(make_message("assistant", tuple(held.values())))
    first, source = parsed.messages[start], parsed.sources[start]
    prompt = tuple(takewhile(lambda block: isinstance(block, SystemBlock), first.content))
    if prompt:
        before.insert(0, make_message("user", prompt))
        parsed.messages[start] = with_content(first, first.content[len(prompt) :])
    parsed.messages[start:start] = before
    parsed.sources[start:start] = [source] * len(before)
    parsed.interrupted = {n + len(before) if n >= start else n for n in parsed.interrupted}


def _is_system(message: Message) -> bool:
    return all(isinstance(block, SystemBlock) for block in message.content)
