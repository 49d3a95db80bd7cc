"""Repairing the session files of other programs line by line: what is sound stays as it was written.

A conversation in such a file is made of pieces: what one item of one line says. The pieces go through the same step as
any message; what comes out is compared with what went in. Nothing here knows a file format.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, final

from attrs import evolve, field, fields_dict, frozen

from message_history.core.messages.blocks import (
    RedactedThinkingBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    with_meta,
)
from message_history.core.messages.message import Message, make_message
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.conversation import context_of
from message_history.history import MessageHistory, conversation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Role
    from message_history.core.messages.policy import Policy
    from message_history.dialects import Dialect


@final
@frozen
class Line:
    """One line of a file."""

    number: int  # its number, counted from 1
    written: bytes = field(repr=False)  # its bytes, with its end
    value: dict[str, Any] | None  # the JSON object in it; None without one


@final
@frozen
class Piece:
    """What one item of a line says."""

    line: int  # the position of the line in the file
    item: int  # the position of the item in the line
    role: Role  # who says it
    raw: Any  # the item, as plain JSON
    blocks: tuple[Block, ...]  # what it holds
    group: str | None = None  # pieces in a row with the same one make one message; None for a message of its own
    # Why it is written anew, if it cannot stay as it is even where nothing else is wrong: the code and the words of the
    # repair.
    unfit: tuple[RepairCode, str] | None = None


@final
@frozen
class Thread:
    """One conversation in a file."""

    label: str  # tells it from the others in the file; empty for the main one
    dialect: Dialect[Any]  # the dialect of its items
    pieces: tuple[Piece, ...]  # what it says, in the order in which it is sent
    entries: tuple[Any, ...]  # the same as a list that a provider takes
    first_lines: tuple[int, ...]  # for each entry, the number of the line that it begins in
    # Writes a block that was made, as items; it gets the message before.
    write: Callable[[Role, Block, Message | None], list[Any]] = field(repr=False)
    # The ids of the dialect's rules that a saved conversation can break; None for all of them.
    judged: frozenset[str] | None = None
    chain: tuple[int, ...] = ()  # the positions of the lines that link one another, for formats that link them
    omitted: int = 0  # how many lines of messages are in the file and not in the conversation: rewound, or compacted
    # What has what the provider said of replies, each with the position of an entry of the reply.
    replies: tuple[tuple[int, Mapping[str, Any]], ...] = ()

    def messages(self) -> list[Message]:
        return [_joined(pieces) for pieces in grouped(self.pieces)]


@final
@frozen
class Addition:
    """Items that were not where they are now."""

    after: Piece | None  # the piece that they follow; None for the beginning
    role: Role  # who says them
    items: tuple[Any, ...]  # the items, as plain JSON


@final
@frozen
class Splice:
    """What happens to a conversation's pieces."""

    thread: Thread  # the conversation
    kept: frozenset[tuple[int, int]]  # the pieces that stay where they are
    additions: tuple[Addition, ...]  # what is new, or elsewhere now, in order
    repairs: tuple[Repair, ...]  # what was wrong; `source` is the position among the entries

    @property
    def changed(self) -> bool:
        return bool(self.additions) or len(self.kept) < len(self.thread.pieces)


def splice(thread: Thread, policy: Policy, *, as_sent: bool = False) -> Splice:
    """Repair a conversation, and find what stays of it.

    Args:
        thread: the conversation.
        policy: decides where there is a choice.
        as_sent: whether to take over what an export leaves out and rewrites, too.

    Returns:
        What stays, and what is put where.

    Complexity: linear in the conversation, and logarithmic in how far results are moved.
    """
    history = MessageHistory.from_list(thread.messages(), policy=policy)
    repairs = history.repairs
    if as_sent:
        history, changed = _as_sent(thread, history)
        repairs = (*repairs, *changed)
    order = _order_of(thread, history)
    staying = _longest_rising([place.piece for place in order if place.piece is not None])
    kept = frozenset((thread.pieces[n].line, thread.pieces[n].item) for n in staying)
    additions = _additions(thread.pieces, order, staying)
    return Splice(thread, kept, tuple(additions), (*_of_unfit(thread), *repairs))


def _as_sent(thread: Thread, history: MessageHistory) -> tuple[MessageHistory, tuple[Repair, ...]]:
    """Return a history as an export leaves it, and what the export changed."""
    # The file goes on, and its thinking is for its own program to judge.
    fields: dict[str, Any] = {"prefill": True, "binds_thinking": False}
    known = {name: value for name, value in fields.items() if name in fields_dict(type(thread.dialect))}
    export = history.export(evolve(thread.dialect, **known))
    sent = MessageHistory.from_list(export.messages, dialect=thread.dialect)
    return sent, (*_with_removed(export.repairs, history, sent), *sent.repairs)


def _order_of(thread: Thread, history: MessageHistory) -> list[_Place]:
    """Return the pieces of a repaired conversation in its order, those that are made among them."""
    pieces, origin = thread.pieces, _Origins(thread.pieces, history)
    order: list[_Place] = []
    met: set[int] = set()
    before: Message | None = None
    calls: dict[str, int] = {}
    for message in _messages_of(history):
        for block in message.content:
            found = origin.of(block)
            if isinstance(block, ToolUseBlock) and found is not None:
                calls[block.id] = found
            if found is None or not _stays(pieces[found], message.role):
                made = thread.write(message.role, block, before)
                call = calls.get(block.tool_use_id) if isinstance(block, ToolResultBlock) else None
                order.append(_Place(None, message.role, made, call))
            elif found not in met:
                met.add(found)
                order.append(_Place(found, message.role, [pieces[found].raw]))
        before = message
    return order


def _additions(pieces: Sequence[Piece], order: Iterable[_Place], staying: set[int]) -> list[Addition]:
    additions: list[Addition] = []
    last: int | None = None
    ends = {piece.group: n for n, piece in enumerate(pieces) if n in staying}
    newest_reply = list(accumulate((n if piece.role == "assistant" else -1 for n, piece in enumerate(pieces)), max))
    for place in order:
        if place.piece in staying:
            last = place.piece
            continue
        after = pieces[last] if last is not None else None
        if after is not None and place.piece is None and place.call in staying:
            # The model went on in another reply: the result follows the one with its call.
            group = pieces[place.call].group
            went_on = last is not None and group is not None and newest_reply[last] > ends[group]
            after = pieces[ends[group]] if went_on else after
        if additions and additions[-1].after is after and additions[-1].role == place.role:
            additions[-1] = evolve(additions[-1], items=(*additions[-1].items, *place.items))
        elif place.items:
            additions.append(Addition(after, place.role, tuple(place.items)))
    return additions


def _of_unfit(thread: Thread) -> Iterator[Repair]:
    """Record the pieces that cannot stay."""
    for source, group in enumerate(grouped(thread.pieces)):
        for piece in group:
            if piece.unfit is not None:
                code, detail = piece.unfit
                yield Repair(code=code, index=0, source=source, removed=piece.blocks, detail=detail)


def _with_removed(repairs: Iterable[Repair], history: MessageHistory, sent: MessageHistory) -> Iterator[Repair]:
    """Let the repairs of an export hold what is not in the file any more."""
    left = {_bare(block) for message in _messages_of(sent) for block in message.content}
    for repair in repairs:
        blocks = history[repair.index].content if repair.index < len(history) else ()
        gone = [block for block in map(_bare, blocks) if block not in left]
        left.update(gone)
        yield evolve(repair, removed=(*repair.removed, *gone)) if gone else repair


def _stays(piece: Piece, role: Role) -> bool:
    """Return whether a piece can be in a message of a role as it was written."""
    return piece.role == role and isinstance(piece.raw, Mapping) and piece.unfit is None


class _Place(NamedTuple):
    """One item of the repaired conversation, and the piece that it comes from, if any; the call of a result."""

    piece: int | None
    role: Role
    items: list[Any]
    call: int | None = None


def _messages_of(history: MessageHistory) -> Iterator[Message]:
    """Yield all that a history holds; what was lifted to the system prompt is still in its place in the file."""
    system = context_of(conversation_of(history)).system
    if system:
        yield make_message("user", tuple(system))
    yield from history


def grouped(pieces: Iterable[Piece]) -> list[list[Piece]]:
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and piece.group is not None and groups[-1][-1].group == piece.group:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _joined(pieces: Sequence[Piece]) -> Message:
    return make_message(pieces[0].role, tuple(block for piece in pieces for block in piece.blocks))


@final
class _Origins:
    """Which piece a block of the repaired conversation comes from.

    A block that nothing had to change is the very one that went in. One that was only marked, as thinking after a
    change is, stays as well: other programs' files have no place for marks.
    """

    def __init__(self, pieces: Sequence[Piece], history: MessageHistory) -> None:
        self._of = {id(block): n for n, piece in enumerate(pieces) for block in piece.blocks}
        there = {self._of.get(id(block)) for message in _messages_of(history) for block in message.content}
        self._alike: dict[Block, list[int]] = defaultdict(list)
        for n, piece in enumerate(pieces):
            if n not in there or len(piece.blocks) > 1:
                for block in piece.blocks:
                    self._alike[_bare(block)].append(n)

    def of(self, block: Block) -> int | None:
        """Return the position of the piece; None for what was made."""
        found = self._of.get(id(block))
        if found is None:
            alike = self._alike.get(_bare(block))
            return alike.pop(0) if alike else None
        return found


def _bare(block: Block) -> Block:
    bare = with_meta(block, mark=None) if block.mark is not None else block
    return evolve(bare, bound=True) if isinstance(bare, ThinkingBlock | RedactedThinkingBlock) else bare


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Return the longest run of numbers that rises, not necessarily next to each other."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for n, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(places[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            places.append(n)
        else:
            ends[length], places[length] = number, n
    found: set[int] = set()
    at = places[-1] if places else -1
    while at >= 0:
        found.add(numbers[at])
        at = before[at]
    return found
