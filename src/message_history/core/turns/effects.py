"""What became of calls, as it is written after their turns: read, and written again elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from message_history.core.messages.blocks import ToolResultBlock, keyed_call
from message_history.core.messages.message import make_message
from message_history.core.turns.naming import Names
from message_history.core.turns.stub_results import make_stub
from message_history.core.values.meta import Mark, Meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.policy import Policy
    from message_history.core.turns.ingest import Ingest


def call_of(mark: Mark) -> ToolUseBlock:
    """Return a call that says no more than which one a mark is about."""
    return keyed_call(mark.key, mark.tool_use_id, mark.name)


def stub_of(mark: Mark, policy: Policy) -> ToolResultBlock:
    """Return the stub for the state that news is about."""
    return make_stub(call_of(mark), policy, mark.reason, mark.detail, mark.key, decisions=mark.decisions)


def effects_in(blocks: Sequence[Block], policy: Policy) -> Iterator[tuple[ToolResultBlock, ToolUseBlock]]:
    """Yield the late results and the states that blocks of a user message tell, each with its call."""
    for number, block in enumerate(blocks):
        mark = block.mark
        if mark is not None and mark.kind == "state":
            yield stub_of(mark, policy), call_of(mark)
        elif mark is not None and mark.kind == "quote" and mark.reason == "late":
            content = blocks[number + 1 : number + 1 + mark.blocks]
            meta = Meta(mark=Mark(kind="decided", decisions=mark.decisions)) if mark.decisions else None
            yield ToolResultBlock(mark.tool_use_id, content, mark.is_error, meta=meta), call_of(mark)


def say_again(ingest: Ingest, blocks: Sequence[Block], policy: Policy) -> None:
    """Add what blocks that were removed tell of calls that are still there."""
    for result, call in effects_in(blocks, policy):
        if Names.of(ingest.current).find(call) is not None:
            ingest.add(make_message("user", (result,)), None, keep_thinking=True, answers=call)
