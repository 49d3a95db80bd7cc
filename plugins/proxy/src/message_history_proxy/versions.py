"""What was sent of a conversation, as bytes: all its versions, each as what it has that the one before had not."""

from __future__ import annotations

import json
import zlib
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from attrs import frozen

from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.values.log import Log
from message_history.dialects import Native
from message_history.dialects.lists import restore
from message_history.dialects.registry import DIALECTS
from message_history.dialects.state import repair_from_json, repair_to_json
from message_history.following.digests import EntryDigest
from message_history.following.followed import AsItCame, Followed
from message_history.history import MessageHistory, history_of

if TYPE_CHECKING:
    from message_history.following.followed import Earlier

_Lists: TypeAlias = dict[str, Log[Any]]
"""What a version holds, as JSON: the lists by their names."""
_NAMES: Final = ("entries", "as_it_came", "messages", "repairs")
_NOTHING: Final[_Lists] = {name: Log() for name in _NAMES}


@final
@frozen(eq=False)
class _Kept:
    """A version that was read, but for its history."""

    lists: _Lists
    counts: list[int]  # the counts of what was sent unchanged
    dialect: str
    entries: Log[EntryDigest]
    as_it_came: Log[EntryDigest]
    versions: list[Any]  # the saved forms of all that were read with it
    number: int  # the number of those until this one
    before: _Kept | None

    def whole(self) -> Followed[MessageHistory]:
        repairs = [repair for item in self.lists["repairs"] if (repair := repair_from_json(item)) is not None]
        history = history_of(restore(self.lists["messages"], DEFAULT_POLICY, repairs, Native()))
        came = AsItCame(self.as_it_came, *self.counts)
        return Followed(history, DIALECTS[self.dialect], self.entries, before=self.before, as_it_came=came)


def saved(sent: Followed[MessageHistory]) -> bytes:
    """Write what was sent, with its earlier versions."""
    version: Earlier[MessageHistory] | None = sent
    new: list[Followed[MessageHistory]] = []
    while isinstance(version, Followed):
        new.append(version)
        version = version.before
    versions, before = (
        (version.versions[: version.number], version.lists) if isinstance(version, _Kept) else ([], _NOTHING)
    )
    for one in reversed(new):
        came, lists = one.as_it_came, _lists_of(one)
        added = {name: _added(before[name], lists[name]) for name in _NAMES}
        counts = [came.messages, came.blocks, came.repairs]
        versions.append({**added, "counts": counts, "dialect": one.dialect.name})
        before = lists
    return zlib.compress(json.dumps(versions).encode())


def loaded(data: bytes) -> Followed[MessageHistory] | None:
    """Read what `saved` wrote; None for what another version of this library wrote."""
    try:
        versions: list[Any] = json.loads(zlib.decompress(data))
        kept: _Kept | None = None
        for number, version in enumerate(versions, 1):
            before = kept.lists if kept is not None else _NOTHING
            lists = {name: before[name].first(version[name][0]).extend(version[name][1]) for name in _NAMES}
            digests = (kept.entries, kept.as_it_came) if kept is not None else (Log(), Log())
            entries, came = (
                old.first(version[name][0]).extend(map(_digest, version[name][1]))
                for old, name in zip(digests, _NAMES, strict=False)
            )
            kept = _Kept(lists, version["counts"], version["dialect"], entries, came, versions, number, kept)
        return kept.whole() if kept is not None else None
    except (ValueError, KeyError, TypeError, IndexError, zlib.error):
        return None


def contents_of(data: bytes) -> list[Any]:
    """Return the messages and repairs of all versions, as JSON, of bytes that `loaded` reads."""
    return [[version[name][1] for name in ("messages", "repairs")] for version in json.loads(zlib.decompress(data))]


def _lists_of(sent: Followed[MessageHistory]) -> _Lists:
    lists = (
        ([entry.whole.hex(), entry.head.hex(), [block.hex() for block in entry.blocks]] for entry in sent.entries),
        ([entry.whole.hex()] for entry in sent.as_it_came.entries),
        sent.history.to_list(),
        map(repair_to_json, sent.history.repairs),
    )
    return {name: Log(items) for name, items in zip(_NAMES, lists, strict=True)}


def _added(before: Log[Any], now: Log[Any]) -> list[Any]:
    """Say what a list has that it had not: how many of its items are those that it began with, and the others."""
    same = sum(1 for _ in takewhile(bool, map(eq, before, now)))
    return [same, now[same:]]


def _digest(saved: list[Any]) -> EntryDigest:
    whole, *parts = saved
    known = (bytes.fromhex(parts[0]), tuple(map(bytes.fromhex, parts[1]))) if parts else None
    return EntryDigest(bytes.fromhex(whole), parts=known)
