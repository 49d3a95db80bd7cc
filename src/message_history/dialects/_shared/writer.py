"""What all renders share: the record of what they changed, well-formed text, ids and names in a fixed alphabet."""

from __future__ import annotations

import json.encoder
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import ThinkingBlock
from message_history.core.messages.plain import unpack
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.values.json_values import FrozenDict, FrozenList, is_unicode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Removed

PLACEHOLDER: Final = "[This part of the conversation cannot be shown here.]"
"""What a message says that would be empty after what a provider does not accept was omitted."""


@final
class Changes:
    """What one render omitted, rewrote or added; the records are made when somebody asks for them.

    Attributes:
        index: the position of the message that is written.
        wanted: whether anybody will ask; where an API takes short ids only, each mention of an id is one more.
    """

    def __init__(self) -> None:
        self.index = 0
        self.wanted = True
        self._recorded: list[tuple[RepairCode, int, tuple[Removed, ...] | Message, str | tuple[str, str, str]]] = []

    @property
    def repairs(self) -> list[Repair]:
        """Return the records, in the order in which the changes were made."""
        return [
            Repair(
                code=code, index=index, removed=removed, detail=detail if isinstance(detail, str) else _renamed(*detail)
            )
            for code, index, what, detail in self._recorded
            for removed in ([what] if isinstance(what, tuple) else [(block,) for block in _thinking(what)])
        ]

    def __bool__(self) -> bool:
        return bool(self._recorded)

    def omitted(self, block: Block | FrozenDict | None, why: str) -> None:
        """Record what was omitted.

        Args:
            block: the block, or the keys of one.
            why: the reason.
        """
        if self.wanted:
            self._recorded.append((RepairCode.WITHHELD, self.index, (block,) if block is not None else (), why))

    def omitted_keys(self, why: str, *held: Mapping[str, Any]) -> None:
        """Record keys that were omitted: in one record, except those that would hide others of the same name.

        Args:
            why: the reason, before the names.
            held: the keys, of one object each.
        """
        merged: dict[str, Any] = {}
        for keys in held:
            if not merged.keys().isdisjoint(keys):
                self.omitted(FrozenDict(merged), f"{why}: {', '.join(merged)}")
                merged = {}
            merged |= keys
        if merged:
            self.omitted(FrozenDict(merged), f"{why}: {', '.join(merged)}")

    def omitted_thinking(self, message: Message, why: str) -> None:
        """Record that the thinking of a message was omitted; its blocks are asked for when the records are.

        Args:
            message: the message.
            why: the reason.
        """
        if self.wanted:
            self._recorded.append((RepairCode.WITHHELD, self.index, message, why))

    def rewritten(self, what: str, *removed: Block | FrozenDict) -> None:
        """Record what was put in another form.

        Args:
            what: what was done.
            removed: what it was before: blocks, or keys of one.
        """
        if self.wanted:
            self._recorded.append((RepairCode.REWRITTEN, self.index, removed, what))

    def renamed(self, id: str, alias: str, rules: str) -> None:
        """Record that an id was put in another form.

        Args:
            id: what it was.
            alias: what it is now.
            rules: the rules that demand it, or an empty text.
        """
        if self.wanted:
            self._recorded.append((RepairCode.REWRITTEN, self.index, (), (id, alias, rules)))

    def added(self, what: str) -> None:
        """Record what was added.

        Args:
            what: what, and why.
        """
        if self.wanted:
            self._recorded.append((RepairCode.PLACEHOLDER_ADDED, self.index, (), what))


def _thinking(message: Message) -> list[Block]:
    return [block for block in message.content if isinstance(block, ThinkingBlock)]


def _renamed(id: str, alias: str, rules: str) -> str:
    return f"the id {id!r:.80} as {alias!r} ({rules})" if rules else f"the id {id!r:.80} as {alias!r}"


def well_formed(text: str, changes: Changes) -> str:
    """Replace lone surrogates, which no provider's JSON parser takes, by U+FFFD.

    Args:
        text: any text.
        changes: gets a record if there was one.

    Returns:
        Text that UTF-8 can carry.
    """
    if is_unicode(text):
        return text
    changes.rewritten("a lone surrogate in text, replaced by U+FFFD")
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def thaw_well_formed(value: Any, changes: Changes) -> Any:
    """Return fresh plain JSON whose texts UTF-8 can carry.

    Args:
        value: a frozen value, or a plain one.
        changes: gets a record of every text that had to be changed.

    Returns:
        The value, yours to change.
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else well_formed(value, changes)
    if kind is FrozenDict or kind is dict:
        return {
            key if key.isascii() else well_formed(key, changes): item
            if type(item) is int
            else thaw_well_formed(item, changes)
            for key, item in value.items()
        }
    if kind is FrozenList or kind is list:
        return [thaw_well_formed(item, changes) for item in value]
    return value


def arguments_of(input: bytes | str) -> str:
    """Write the input of a call, as a plain content holds it, as JSON text: the provider's own where there is one."""
    return json_object(unpack(input)) if type(input) is bytes else str(input)


def json_object(value: dict[str, Any]) -> str:
    if _WRITE is None:
        return _ENCODER.encode(value)
    return "".join(_WRITE(value, 0))


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
# `encode` makes this anew for each object: 1,130 against 420 ns for two keys (CPython 3.11), and half of all messages
# hold calls. Other interpreters have none.
_MAKE: Final[Any] = getattr(json.encoder, "c_make_encoder", None)
_WRITE: Final[Any] = (
    _MAKE(None, _ENCODER.default, json.encoder.encode_basestring, None, ": ", ", ", False, False, True)
    if _MAKE is not None
    else None
)


@final
class Aliases:
    """Ids in a provider's alphabet, one scope at a time: an id that fits stays as it is, another gets one of its own.

    Args:
        fits: what an id must look like as a whole.
        limit: how long it may be.
        unique: whether an id must differ from those of all scopes before.
        takes_words: whether every short identifier fits.
    """

    def __init__(self, fits: re.Pattern[str], limit: int, *, unique: bool = False, takes_words: bool = False) -> None:
        self._fits = fits
        self._limit = limit
        self._unique = unique
        self._takes_words = takes_words
        self._asked: tuple[str, ...] = ()
        self._answers: Sequence[str] = ()
        self._aliases: dict[str, str] = {}
        self._taken: set[str] = set()
        self._attempts: dict[str, int] = {}

    @property
    def has_changed(self) -> bool:
        """Return whether any id of this scope had to be changed."""
        return any(id != alias for id, alias in self._aliases.items())

    def new_scope(self) -> None:
        """Forget the ids of the last turn."""
        self._asked = ()
        if self._aliases:
            self._aliases = {}
            if not self._unique:
                self._taken = set()

    def of_calls(self, ids: tuple[str, ...]) -> Sequence[str]:
        """Begin a scope with calls whose ids are short identifiers, see `sendable`.

        Args:
            ids: our ids, in the order of the calls.

        Returns:
            The provider's.
        """
        self.new_scope()
        if self._takes_words and not self._unique:
            return ids
        if self._takes_words and self._taken.isdisjoint(ids):
            self._taken.update(ids)
            self._aliases = {id: id for id in ids}
            self._answers = ids
        else:
            self._answers = list(map(self, ids))
        self._asked = ids
        return self._answers

    def of_results(self, ids: tuple[str, ...]) -> Sequence[str]:
        """Return the provider's ids for those of results, which are short identifiers."""
        if ids == self._asked:
            return self._answers
        return ids if self._takes_words and not self._unique and not self._aliases else list(map(self, ids))

    def __call__(self, id: str) -> str:
        """Return the provider's id for ours: unlike those before it, and made from them alone."""
        known = self._aliases.get(id)
        if known is not None:
            return known
        alias: str | None = id
        if len(id) > self._limit:
            is_kept = self._limit <= _SHORT and len(id) <= _KEPT
            alias = _short_alias(id, self._limit, self._fits) if is_kept else None
        elif not self._fits.fullmatch(id):
            alias = None
        if alias is None or alias in self._taken:
            alias = self._another(id)
        self._aliases[id] = alias
        self._taken.add(alias)
        return alias

    def _another(self, id: str) -> str:
        """Make an id that fits; for one that comes again from where the last search ended: a thousandth is as fast."""
        first = self._attempts.get(id, 0)
        for attempt in range(first, first + len(self._taken) + _TRIES):
            alias = self._made(f"{id}#{attempt}" if attempt else id, id)
            if alias not in self._taken and len(alias) <= self._limit and self._fits.fullmatch(alias):
                if self._unique:
                    self._attempts[id] = attempt + 1
                return alias
        raise ValueError(f"id_pattern must take some of the ids that are made, as {alias!r} for id_limit={self._limit}")

    def _made(self, seed: str, id: str) -> str:
        if self._limit <= _SHORT:
            return _base62(_sha256(seed), _SHORT)[: self._limit]
        digest = _sha256(seed).hex()[:12]
        readable = f"{re.sub('[^a-zA-Z0-9_]', '_', id[: self._limit - 13])}_{digest}"
        return readable if self._fits.fullmatch(readable) else f"id_{digest}"


# Where ids have nine letters each is changed at every export, and to make an alias takes ten times as long as to look
# it up: a quarter of an export of calls and results.
@lru_cache(maxsize=1 << 14)
def _short_alias(id: str, limit: int, fits: re.Pattern[str]) -> str | None:
    """Make the first alias of an id; None if it does not fit."""
    alias = _base62(_sha256(id), _SHORT)[:limit]
    return alias if fits.fullmatch(alias) else None


def _sha256(text: str) -> bytes:
    # Few ids and names need this, and `hashlib` takes longer to import than the whole file.
    from hashlib import sha256  # noqa: PLC0415

    return sha256(text.encode(errors="surrogatepass")).digest()


_TRIES: Final = 100
_SHORT: Final = 12
_KEPT: Final = 64
"""How long an id may be whose alias is remembered."""
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _base62(digest: bytes, length: int) -> str:
    number = int.from_bytes(digest, "big") % len(_ALPHABET) ** length
    letters = []
    for _ in range(length):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(letters)


def named_for(name: str, fits: re.Pattern[str], limit: int, changes: Changes) -> str:
    """Return a tool's name as one that `fits`: itself, or, recorded, without white space around it or with a hash."""
    if len(name) <= limit and fits.fullmatch(name):
        return name
    plain = name.strip()
    if plain != name and len(plain) <= limit and fits.fullmatch(plain):
        changes.rewritten(f"the tool name {name!r:.80} as {plain!r}")
        return plain
    digest = _sha256(name).hex()[:8]
    alias = f"{re.sub('[^a-zA-Z0-9_-]', '_', name)[: limit - 9]}_{digest}"
    if not fits.fullmatch(alias):
        alias = f"t_{alias[: limit - 2]}"
    changes.rewritten(f"the tool name {name!r:.80} as {alias!r}")
    return alias


def is_prefix(assistant: Message, *origins: str) -> bool:
    """Return whether an assistant message, or one that was joined to it, came with `prefix` in one of some dialects."""
    blocks = [block for block in assistant.content if block.meta is not None]
    return any(block.carried(origin).get("prefix") is True for block in blocks for origin in origins)
