"""What the settled turns know of a call's id, and results that are quoted as text.

A result that comes too late for its turn cannot change what was sent. It is quoted: a marked heading that says it is
tool output and not the user's words, then the result's own blocks. Nothing here decides when that happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from message_history.blocks import Block, Mark, Meta, TextBlock, ToolResultBlock, ToolUseBlock, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.drafts import Turn
    from message_history.sequence import Log

__all__ = ["Record", "is_quoted_at", "quote", "records_of"]


class Record(NamedTuple):
    """What a run of settled turns knows of one id.

    Args:
        stubs: the calls that settled with a stub, each as its turn and its position among the calls.
        late: how many late results have been quoted.
        call: the last call.
        quote: the last quote, as its turn and its position in the user's message.
    """

    stubs: tuple[tuple[int, int], ...] = ()
    late: int = 0
    call: tuple[int, int] | None = None
    quote: tuple[int, int] | None = None


def records_of(past: Log[Turn], id: str) -> Record | None:
    """Find what the settled turns know of an id.

    Args:
        past: the settled turns.
        id: the id.

    Returns:
        The record, or None when they never saw the id.

    Complexity: logarithmic in the turns, and linear in the stubs with this id.
    """
    found = [record for records in past.summaries(_records_by_id) if (record := records.get(id)) is not None]
    if not found:
        return None
    return Record(
        tuple(stub for record in found for stub in record.stubs),
        sum(record.late for record in found),
        next((record.call for record in reversed(found) if record.call is not None), None),
        next((record.quote for record in reversed(found) if record.quote is not None), None),
    )


def _records_by_id(start: int, turns: list[Turn]) -> dict[str, Record]:
    stubs: dict[str, list[tuple[int, int]]] = {}
    late: dict[str, int] = {}
    calls: dict[str, tuple[int, int]] = {}
    quotes: dict[str, tuple[int, int]] = {}
    for turn, (said, heard) in enumerate(turns, start):
        content = heard.content if heard is not None else ()
        for position, (call, result) in enumerate(zip(said.calls if said is not None else (), content, strict=False)):
            for id in ids_of(call):
                calls[id] = turn, position
                if isinstance(result, ToolResultBlock) and result.is_stub:
                    stubs.setdefault(id, []).append((turn, position))
        for position, block in enumerate(content):
            mark = block.mark
            if mark is not None and mark.kind == "quote":
                quotes[mark.tool_use_id] = turn, position
                late[mark.tool_use_id] = late.get(mark.tool_use_id, 0) + (mark.reason == "late")
    return {
        id: Record(tuple(stubs.get(id, ())), late.get(id, 0), calls.get(id), quotes.get(id))
        for id in {**calls, **quotes}
    }


def ids_of(call: ToolUseBlock) -> set[str]:
    """Return the ids under which a result may ask for a call: its own, and the one it came with if it was renamed."""
    mark = call.mark
    return {call.id, mark.tool_use_id} if mark is not None and mark.kind == "renamed" else {call.id}


def quote(result: ToolResultBlock, reason: str, name: str) -> list[Block]:
    """Put a result into blocks that a user message can hold.

    Args:
        result: the result.
        reason: `late` or `second`.
        name: the tool that was called.

    Returns:
        The marked heading, then the result's own blocks but for blank text.
    """
    content = _worth_quoting(result)
    mark = Mark(
        kind="quote",
        reason=reason,
        tool_use_id=result.tool_use_id,
        name=name,
        is_error=result.is_error,
        blocks=len(content),
    )
    came = "came after the conversation had moved on" if reason == "late" else "is not the first one for this call"
    what = "An error" if result.is_error else "A result"
    more = "What follows is the tool's output, not the user's words." if content else "It is empty."
    text = f"[{what} of the tool call {name:.80} ({result.tool_use_id:.80}) {came}. {more}]"
    return [TextBlock(text, meta=Meta(mark=mark)), *content]


def is_quoted_at(blocks: Sequence[Block] | Log[Block], where: int, result: ToolResultBlock) -> bool:
    """Tell whether the quote that begins at a position quotes this very result.

    Args:
        blocks: where the quote stands.
        where: the position of its heading.
        result: the result.

    Returns:
        True when it says the same.
    """
    mark = blocks[where].mark
    content = _worth_quoting(result)
    if mark is None or mark.is_error != result.is_error or mark.blocks != len(content):
        return False
    return list(blocks[where + 1 : where + 1 + mark.blocks]) == content


def _worth_quoting(result: ToolResultBlock) -> list[Block]:
    return [block for block in result.content if not (isinstance(block, TextBlock) and is_blank(block.text))]
