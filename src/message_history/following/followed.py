"""Follow a raw list that an agent grows and sends whole each time.

The agent keeps its own list; the history keeps what was really sent. Each time only the new entries are read, and what
was sent is never rewritten: a result that shows up after its stub was sent is quoted as late, wherever it is in
the raw list. Old entries are compared by digest and never read again.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar, final

from attrs import evolve, field, frozen

from message_history.core.messages.blocks import ToolResultBlock
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.arrivals import EMPTY, added_behind_sent, calls_by_place
from message_history.core.turns.conversation import context_of
from message_history.core.values.json_values import short_repr
from message_history.core.values.log import Log
from message_history.core.views.view import ConversationView, conversation_in, with_conversation
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.base import checked_dialect
from message_history.dialects.lists import from_list
from message_history.dialects.registry import dialect_of, read
from message_history.dialects.sending import export, sent_version
from message_history.following.digests import HOLDS_BLOCKS, EntryDigest, digest_of, is_cache_mark

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from message_history.dialects import Dialect

HistoryT = TypeVar("HistoryT", bound=ConversationView)


class Earlier(Protocol[HistoryT]):
    """A version that was sent before, of which a store may have read no more than the digests."""

    @property
    def entries(self) -> Log[EntryDigest]:
        """What the raw list's entries are known by."""

    @property
    def before(self) -> Earlier[HistoryT] | None:
        """The version before."""

    def whole(self) -> Followed[HistoryT]: ...


@final
@frozen
class Replaced:
    """What has changed in the raw list since it was sent.

    Args:
        start: the first entry that differs.
        entries: how many entries of the earlier list were there and after it.
        kept: how many messages of what was sent still begin what is sent now.
    """

    start: int
    entries: int
    kept: int


@final
@frozen(eq=False)
class AsItCame:
    """The beginning of a conversation that was sent unchanged, before anything had to be repaired."""

    # What its raw entries are known by.
    entries: Log[EntryDigest] = field(factory=Log, repr=lambda entries: str(len(entries)))
    messages: int = 0  # how many messages of the history they became
    blocks: int = 0  # how many blocks the last of these has
    repairs: int = 0  # how many repairs of the history are about them; none of these was made in what was sent


@final
@frozen(eq=False)
class Followed(Generic[HistoryT]):
    """What was sent for a raw list, and how to go on from there.

    Args:
        history: the history as it was sent: as its dialect takes it.
        dialect: the dialect that the raw list is written in and that the history was closed for.
        entries: what the raw list's entries are known by.
        new_repairs: what was repaired in this step; all repairs are in `history.repairs`.
        replaced: what the raw list has replaced since the version before; None when it only grew.
        before: the version before, for a list that goes back.
        as_it_came: what of it was sent unchanged.
    """

    history: HistoryT
    dialect: Dialect[Any]
    entries: Log[EntryDigest] = field(factory=Log, repr=lambda entries: str(len(entries)))
    new_repairs: tuple[Repair, ...] = ()
    replaced: Replaced | None = None
    before: Earlier[HistoryT] | None = field(default=None, repr=False)
    as_it_came: AsItCame = field(factory=AsItCame)

    def whole(self) -> Followed[HistoryT]:
        """Return this version: it is here."""
        return self

    def follow(self, raw: Iterable[Any], *, digests: Sequence[EntryDigest] | None = None) -> Followed[HistoryT]:
        """Go on with the raw list as it is now.

        Args:
            raw: the whole list; it is never changed.
            digests: what its entries are known by, where the caller has worked that out.

        Returns:
            What to send now. It begins with what was sent before: every message but the last stays, and the last one
            may only grow. Where the raw list was rewritten and not only added to, that holds for the entries that it
            still begins with, and `replaced` says so.

        Raises:
            InvariantError: when the policy says to raise and more than lossless repairs are needed.
            TypeError: when `raw` is not a list of entries.

        Complexity: linear in the new entries; each old entry is compared by digest.
        """
        entries = _entries(raw)
        known = list(digests) if digests is not None else [digest_of(entry) for entry in entries]
        grown = self._grown(entries, known)
        if grown is not None:
            return grown
        # Go back to the latest version that the new list only adds to, and go on from there.
        base = self.before
        while base is not None:
            if _growth(base.entries, known, entries) is not None:
                whole = base.whole()
                followed = evolve(whole, dialect=self.dialect)._grown(entries, known)
                if followed is not None:
                    return self._replaced(followed, known, len(whole.history))
            base = base.before
        return self._replaced(_first(self.history, self.dialect, entries, known), known, 0)

    def _grown(self, entries: Sequence[Any], known: Sequence[EntryDigest]) -> Followed[HistoryT] | None:
        """Add what is new in the raw list; None when it was not only added to."""
        growth = _growth(self.entries, known, entries)
        if growth is None:
            return None
        if not growth.entries:
            return evolve(self, new_repairs=(), replaced=None)
        parsed = _parsed(growth, entries, self.dialect)
        if growth.inserted and not _has_only_results(parsed, growth.inserted):
            return None
        sent = conversation_in(self.history)
        calls = EMPTY
        if growth.inserted:
            whole = _apart(entries, range(len(entries)), growth.inserted, self.dialect)
            calls = calls_by_place(whole, growth.inserted, sent)
        grown, _ = sent_version(added_behind_sent(sent, parsed, calls), self.dialect)
        history = with_conversation(self.history, grown)
        shared = common_entries(self.entries, known)
        log = self.entries if shared == len(self.entries) else Log(map(EntryDigest.settled, known[:shared]))
        repairs = _new_repairs(self.history, history)
        entries_now = log.extend(map(EntryDigest.settled, known[shared:]))
        return Followed(history, self.dialect, entries_now, repairs, None, self, self.as_it_came)

    def _replaced(self, followed: Followed[HistoryT], known: Sequence[EntryDigest], kept: int) -> Followed[HistoryT]:
        start = common_entries(self.entries, known)
        return evolve(followed, replaced=Replaced(start, len(self.entries) - start, kept))


def follow_new(empty: HistoryT, raw: Iterable[Any], dialect: Dialect[Any] | None) -> Followed[HistoryT]:
    """Begin to follow a raw list, with the class and the policy of a history; see `MessageHistory.follow`."""
    entries = _entries(raw)
    chosen = checked_dialect(dialect) if dialect is not None else dialect_of(entries)
    return _first(empty, chosen, entries, [digest_of(entry) for entry in entries])


def followed_from(history: HistoryT, dialect: Dialect[Any]) -> Followed[HistoryT]:
    """Treat a history as what was sent; the raw list that it follows begins with its export.

    Args:
        history: the history.
        dialect: the dialect that it is sent in.

    Returns:
        What to go on from.

    Complexity: linear in the history.
    """
    before = conversation_in(history)
    closed, _ = sent_version(before, checked_dialect(dialect))
    wire = export(closed, dialect).messages
    sent = history if closed is before else with_conversation(history, closed)
    return Followed(sent, dialect, Log(digest_of(entry).settled() for entry in wire))


_NEAR: Final = 64
"""How many entries of the open turn are read once more for results without an id."""


def _entries(raw: Iterable[Any]) -> Sequence[Any]:
    entries = as_sequence(raw)
    if entries is None:
        raise TypeError(f"raw must be the whole list of messages, not {type(raw).__name__}: {short_repr(raw)}")
    return entries


def has_grown(followed: Followed[Any], known: Iterable[EntryDigest]) -> bool:
    """Return whether a raw list has all that an earlier version of it had, in order and unchanged."""
    rest = iter(known)
    return all(any(_is_or_extends(new, old) for new in rest) for old in followed.entries)


def _is_or_extends(new: EntryDigest, old: EntryDigest) -> bool:
    if new.whole == old.whole:
        return True
    blocks = iter(new.blocks)
    return bool(old.blocks) and new.head == old.head and all(block in blocks for block in old.blocks)


def common_entries(old: Iterable[EntryDigest], new: Sequence[EntryDigest]) -> int:
    count = 0
    for left, right in zip(old, new, strict=False):
        if left.whole != right.whole:
            break
        count += 1
    return count


class _Growth(NamedTuple):
    """What a raw list has that its earlier version had not."""

    entries: list[Any]  # the new entries; of an entry that grew, only what is new in it
    sources: list[int]  # for each, its position in the raw list
    inserted: frozenset[int]  # the positions of those before entries that were there already


def _growth(old: Log[EntryDigest], known: Sequence[EntryDigest], entries: Sequence[Any]) -> _Growth | None:
    """Find what came, or None when the list was not only added to."""
    before = iter(old)
    awaited = next(before, None)
    found: list[tuple[Any, int]] = []
    last = -1
    for position, (digest, entry) in enumerate(zip(known, entries, strict=True)):
        if awaited is None:
            found.append((entry, position))
        elif digest.whole == awaited.whole:
            last, awaited = position, next(before, None)
        elif (more := _blocks_added(awaited, digest, entry)) is not None:
            found.append((more, position))
            last, awaited = position, next(before, None)
        else:
            found.append((entry, position))
    if awaited is not None:
        return None
    inserted = frozenset(position for _, position in found if position < last)
    # What came late follows the replies to what was sent without it.
    found.sort(key=lambda one: (one[1] in inserted, one[1]))
    return _Growth([entry for entry, _ in found], [position for _, position in found], inserted)


def _blocks_added(old: EntryDigest, new: EntryDigest, entry: object) -> dict[str, Any] | None:
    """Return an entry with nothing but the blocks that it has and had not; None when it is another entry."""
    data = as_mapping(entry)
    if data is None or old.head != new.head or len(old.blocks) >= len(new.blocks):
        return None
    key = next(key for key in HOLDS_BLOCKS if isinstance(data.get(key), list | str))
    blocks = [block for block in data[key] if not is_cache_mark(block)]
    added: list[Any] = []
    left = list(reversed(old.blocks))
    for digest, block in zip(new.blocks, blocks, strict=True):
        if left and left[-1] == digest:
            left.pop()
        else:
            added.append(block)
    return {**data, key: added} if not left else None


def _parsed(growth: _Growth, entries: Sequence[Any], dialect: Dialect[Any]) -> Parsed:
    parsed = _apart(growth.entries, growth.sources, growth.inserted, dialect)
    if not growth.inserted and parsed.messages and parsed.messages[0].results:
        # A response without an id is known by the calls of its turn: read these once more, and take what is new.
        first = growth.sources[0]
        start = _turn_before(entries, first)
        near = [*entries[start:first], *growth.entries]
        again = _apart(near, range(start, start + len(near)), growth.inserted, dialect)
        _keep_from(again, first)
        if _count_of_blocks(again) == _count_of_blocks(parsed):  # else a message of theirs holds old and new blocks
            parsed = again
    return parsed


def _apart(entries: Sequence[Any], places: Sequence[int], inserted: Collection[int], dialect: Dialect[Any]) -> Parsed:
    """Read entries, so that none is joined to one that was there before, or that has its place elsewhere."""
    whole = Parsed()
    known = [(place in inserted, place - n) for n, place in enumerate(places)]
    for _, run in groupby(range(len(entries)), known.__getitem__):
        start, *more = run
        part = read(entries[start : start + 1 + len(more)], dialect)
        part.sources = [places[start + source] for source in part.sources]
        part.notes = [note.at(places[start + note.source]) for note in part.notes]
        whole.extend(part)
    return whole


def _turn_before(entries: Sequence[Any], position: int) -> int:
    """Find where the assistant's side before a position begins, if it is near."""
    start = position
    while start and position - start < _NEAR and not _is_assistants(entries[start - 1]):
        start -= 1
    while start and position - start < 2 * _NEAR and _is_assistants(entries[start - 1]):
        start -= 1
    return start


def _is_assistants(entry: object) -> bool:
    data = as_mapping(entry) or {}
    kind = data.get("type")
    return data.get("role") in ("assistant", "model") or (isinstance(kind, str) and kind.endswith("_call"))


def _keep_from(parsed: Parsed, first: int) -> None:
    """Drop what was read before an entry."""
    kept = [n for n, source in enumerate(parsed.sources) if source >= first]
    parsed.interrupted = {new for new, old in enumerate(kept) if old in parsed.interrupted}
    parsed.messages = [parsed.messages[n] for n in kept]
    parsed.sources = [parsed.sources[n] for n in kept]
    parsed.notes = [note for note in parsed.notes if note.source >= first]


def _count_of_blocks(parsed: Parsed) -> int:
    return sum(len(message.content) for message in parsed.messages)


def _has_only_results(parsed: Parsed, sources: Collection[int]) -> bool:
    return all(
        isinstance(block, ToolResultBlock)
        for message, source in zip(parsed.messages, parsed.sources, strict=True)
        if source in sources
        for block in message.content
    )


def _first(
    like: HistoryT, dialect: Dialect[Any], entries: Sequence[Any], known: Sequence[EntryDigest]
) -> Followed[HistoryT]:
    conversation, _ = sent_version(from_list(entries, dialect, like.policy, None), dialect)
    history = with_conversation(like, conversation)
    return Followed(history, dialect, Log(map(EntryDigest.settled, known)), history.repairs)


def _new_repairs(before: ConversationView, after: ConversationView) -> tuple[Repair, ...]:
    """Return the repairs that came; a stub is recorded when it is sent, and not again when its turn settles."""
    settled = len(context_of(conversation_in(before)).repairs)
    sent = {_stub_key(repair) for repair in before.repairs[settled:]} - {None}
    return tuple(repair for repair in after.repairs[settled:] if _stub_key(repair) not in sent)


def _stub_key(repair: Repair) -> tuple[int, str] | None:
    stub = repair.added[0] if repair.code is RepairCode.RESULT_STUBBED and repair.added else None
    return (repair.index, stub.tool_use_id) if isinstance(stub, ToolResultBlock) else None
