"""What the settled turns hold of a call's id, and results that are quoted as text.

A result that comes too late for its turn cannot change what was sent. It is quoted: a marked heading that says it is
tool output and not the user's words, then the result's own blocks. Nothing here decides when that happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, final

from message_history.core.messages.blocks import TextBlock, ToolResultBlock, ToolUseBlock, is_blank
from message_history.core.messages.message import Message, items_of
from message_history.core.values.meta import Mark, Meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.values.log import Log

Turn: TypeAlias = tuple[Message | None, Message | None]
"""A settled turn: the assistant message and the user message after it; the first of a history has only the second."""


class IdRecord(NamedTuple):
    """What a run of settled turns knows of one id."""

    # The calls that settled with a stub, each as its turn and its position among the calls.
    stubs: tuple[tuple[int, int], ...] = ()
    call: tuple[int, int] | None = None  # the last call


def records_of(past: Log[Turn], id: str) -> IdRecord | None:
    """Find what the settled turns know of an id; None when they have no call with it.

    Complexity: logarithmic in the turns, and linear in the stubs with this id.
    """
    found = list(past.summaries(_Seen))
    call = next((_place(past, seen.calls[id], id) for seen in reversed(found) if id in seen.calls), None)
    if call is None:
        return None
    return IdRecord(tuple(stub for seen in found for stub in seen.stubs.get(id, ())), call)


def settled_stubs(past: Log[Turn]) -> Iterator[tuple[int, int]]:
    """Yield the calls that settled with a stub, each as its turn and its position among the calls.

    Complexity: logarithmic in the turns, and linear in the stubs.
    """
    for seen in past.summaries(_Seen):
        yield from sorted({stub for stubs in seen.stubs.values() for stub in stubs})


class KeyRecord(NamedTuple):
    """What was said of a call after its turn; each as a turn and a position in the user's message."""

    last: tuple[int, int] | None = None  # the last quote of a late result, or news of a state
    quote: tuple[int, int] | None = None  # the last quote of a late or second result


def news_of(past: Log[Turn], key: str) -> KeyRecord:
    """Find what the settled turns say of a call besides its own result.

    Complexity: logarithmic in the turns.
    """
    found = KeyRecord()
    for seen in past.summaries(_Seen):
        if key in seen.news:
            last, quoted = seen.news[key]
            found = KeyRecord(last or found.last, quoted or found.quote)
    return found


def _place(past: Log[Turn], turn: int, id: str) -> tuple[int, int]:
    """Find the last call of a turn that a result with this id may ask for."""
    assistant, _ = past[turn]
    calls = assistant.calls if assistant is not None else ()
    return turn, max(position for position, call in enumerate(calls) if id in ids_of(call))


@final
class _Seen:
    """What a run of settled turns knows, by id and by key; see `IdRecord` and `KeyRecord`. Of a call, the turn."""

    __slots__ = ("calls", "news", "stubs")

    def __init__(self, start: int, turns: list[Turn]) -> None:
        self.stubs: dict[str, list[tuple[int, int]]] = {}
        self.calls: dict[str, int] = {}
        calls = self.calls
        self.news: dict[str, KeyRecord] = {}
        for turn, (assistant, user) in enumerate(turns, start):
            if assistant is not None:
                for id in assistant.ids:
                    calls[id] = turn
                if not items_of(assistant):  # a plain content holds no call that was renamed
                    for call in assistant.calls:
                        calls.update(dict.fromkeys(ids_of(call), turn))
            if user is not None and not items_of(user):
                for block in user.content:
                    if block.meta is not None:
                        self._marked(turn, assistant, user)
                        break

    def _marked(self, turn: int, assistant: Message | None, user: Message) -> None:
        calls = assistant.calls if assistant is not None else ()
        for position, block in enumerate(user.content):
            if isinstance(block, ToolResultBlock) and block.is_stub:
                for id in ids_of(calls[position]):
                    self.stubs.setdefault(id, []).append((turn, position))
            note_news(self.news, block.mark, (turn, position))


def note_news(news: dict[str, KeyRecord], mark: Mark | None, place: tuple[int, int]) -> None:
    """Note what a mark at a place says of a call."""
    if mark is None or mark.kind not in ("quote", "state"):
        return
    before = news.get(mark.key, _NOTHING)
    quoted = place if mark.kind == "quote" else before.quote
    news[mark.key] = KeyRecord(before.last if mark.reason == "second" else place, quoted)


_NOTHING: Final = KeyRecord()


def ids_of(call: ToolUseBlock) -> set[str]:
    """Return the ids under which a result may ask for a call: its own, and the one it came with if it was renamed."""
    mark = call.mark
    return {call.id, mark.tool_use_id} if mark is not None and mark.kind == "renamed" else {call.id}


def quote(result: ToolResultBlock, reason: str, name: str, key: str) -> list[Block]:
    """Put a result into blocks that a user message can hold.

    `reason` is `late` or `second`. The call is `distance` messages before the quote, 0 if unknown.
    Returns the marked heading, then the result's own blocks but for blank text.
    """
    content = _worth_quoting(result)
    mark = Mark(
        kind="quote",
        reason=reason,
        tool_use_id=result.tool_use_id,
        name=name,
        is_error=result.is_error,
        blocks=len(content),
        decisions=result.mark.decisions if result.mark is not None else (),
        key=key,
    )
    came = "came after the conversation had moved on" if reason == "late" else "is not the first one for this call"
    what = "An error" if result.is_error else "A result"
    more = "What follows is the tool's output, not the user's words." if content else "It is empty."
    text = f"[{what} of the tool call {name:.80} ({result.tool_use_id:.80}) {came}. {more}]"
    return [TextBlock(text, meta=Meta(mark=mark)), *content]


def news_of_state(stub: ToolResultBlock, name: str, key: str) -> TextBlock:
    """Return the marked text that a call of a settled turn, so many messages before, has another state."""
    of_stub = stub.mark if stub.mark is not None else Mark(kind="stub")
    mark = Mark(
        kind="state",
        reason=of_stub.reason,
        tool_use_id=stub.tool_use_id,
        name=name,
        detail=of_stub.detail,
        decisions=of_stub.decisions,
        key=key,
    )
    because = f" Reason: {mark.detail}" if mark.detail else ""
    if any(decision.input is not None for decision in mark.decisions):
        because = f" A person edited its arguments.{because}"
    text = f"[The tool call {name:.80} ({stub.tool_use_id:.80}) {_NEWS.get(mark.reason, _NO_NEWS)}{because}]"
    return TextBlock(text, meta=Meta(mark=mark))


_NEWS: Final = {
    "pending": "waits for approval; it has not run yet.",
    "approved": "was approved; it has not run yet.",
    "denied": "was denied and did not run. Do not repeat it unless you are asked to.",
    "started": "was started; it may have taken effect: check before repeating it.",
    "cancelled": "was cancelled before it started.",
}
_NO_NEWS: Final = "has no result."


def is_quoted_at(blocks: Sequence[Block] | Log[Block], where: int, result: ToolResultBlock) -> bool:
    """Return whether the quote whose heading is at a position quotes this very result."""
    mark = blocks[where].mark
    content = _worth_quoting(result)
    if mark is None or mark.is_error != result.is_error or mark.blocks != len(content):
        return False
    return list(blocks[where + 1 : where + 1 + mark.blocks]) == content


def _worth_quoting(result: ToolResultBlock) -> list[Block]:
    return [block for block in result.content if not (isinstance(block, TextBlock) and is_blank(block.text))]
