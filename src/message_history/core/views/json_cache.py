"""Settled turns as JSON text, encoded once.

A settled turn never changes, so one that depends on no other is encoded once for all versions that share it. A chunk
of the log keeps the text of its turns as far as somebody has asked for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, final

from message_history.core.messages.message import is_bootstrap
from message_history.core.values.log import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.turns.past import Turn
    from message_history.core.values.log import Chunk, Log

WRITERS_KEPT: Final = 8
"""For how many writers a chunk keeps its text; the one that was asked for first goes first."""

JOINED: Final = 64
"""How many turns are joined to one text at a time, in a chunk that still grows."""


class TurnWriter(Protocol):
    """What writes a turn as messages of a provider: a dialect."""

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any] | None:
        """Return fresh messages; None when they depend on other turns."""

    def omits(self, placeholder: Message) -> bool:
        """Return whether a placeholder is not sent before a leading assistant message."""


@final
class _Kept:
    """What a chunk knows of its first turns.

    Args:
        writer: the dialect that they are written in.
        joined: the messages of the oldest of them, joined by commas: one text is copied faster than many.
        ends: where each of these turns ends in that text.
        texts: the messages of each turn after them, joined by commas.
        stuck: whether the turn after all of them cannot be written alone.
    """

    __slots__ = ("ends", "joined", "stuck", "texts", "writer")

    def __init__(
        self,
        writer: TurnWriter,
        joined: bytes = b"",
        ends: tuple[int, ...] = (),
        texts: Sequence[bytes] = (),
        stuck: bool = False,
    ) -> None:
        self.writer, self.joined, self.ends, self.texts, self.stuck = writer, joined, ends, texts, stuck

    def __len__(self) -> int:
        return len(self.ends) + len(self.texts)

    def first(self, turns: int) -> _Kept:
        """Return what is known of the first turns, whatever follows them."""
        if turns == len(self) and not self.stuck:
            return self
        if turns >= len(self.ends):
            return _Kept(self.writer, self.joined, self.ends, self.texts[: turns - len(self.ends)])
        return _Kept(self.writer, self.joined[: self.ends[turns - 1]] if turns else b"", self.ends[:turns])


def json_of_settled(past: Log[Turn], writer: TurnWriter, encode: Callable[[list[Any]], bytes]) -> list[bytes] | None:
    """Encode the settled turns. Returns pieces to be joined by commas, or None when a turn cannot be written alone.

    `encode` writes the messages of a turn as they are between brackets.
    """
    pieces: list[bytes] = []
    for chunk, count in past.chunks():
        everything = _kept_of(chunk)
        kept = next((one for one in everything if one.writer is writer or one.writer == writer), None)
        if kept is None or (len(kept) < count and not kept.stuck):
            longer = _encode_more(kept if kept is not None else _Kept(writer), chunk.items[:count], encode)
            # Set at once: another thread sees the old list or the new one, and both are right.
            chunk.cache = [*(one for one in everything if one is not kept), longer][-WRITERS_KEPT:], None
            kept = longer
        if len(kept) < count:
            return None
        shown = kept.first(count)
        pieces += (shown.joined, *shown.texts)
    return pieces


def _kept_of(chunk: Chunk[Turn]) -> list[_Kept]:
    """Return what a chunk keeps; a copy of another chunk keeps what that had of the turns that they share."""
    everything, limit = chunk.cache
    if limit is None:
        return everything
    shared = [kept if len(kept) < limit else kept.first(limit) for kept in everything]
    chunk.cache = shared, None
    return shared


def _encode_more(kept: _Kept, turns: list[Turn], encode: Callable[[list[Any]], bytes]) -> _Kept:
    """Encode the turns after those that are kept."""
    texts = list(kept.texts)
    stuck = False
    for assistant, user in turns[len(kept) :]:
        is_omitted = assistant is None and user is not None and is_bootstrap(user) and kept.writer.omits(user)
        wire = [] if is_omitted else kept.writer.write_turn(assistant, user)
        if wire is None:
            stuck = True
            break
        texts.append(encode(wire))
    if len(texts) < JOINED and len(kept.ends) + len(texts) < SIZE:
        return _Kept(kept.writer, kept.joined, kept.ends, texts, stuck)
    ends = [*kept.ends]
    length = len(kept.joined)
    for text in texts:
        length += len(text) + (1 if text and length else 0)
        ends.append(length)
    return _Kept(kept.writer, b",".join(filter(None, (kept.joined, *texts))), tuple(ends), [], stuck)


def json_array(pieces: Iterable[bytes]) -> bytes:
    """Put encoded items into an array. Each of `pieces` is one item, or several that are joined by commas."""
    some = [piece for piece in pieces if piece]
    if not some:
        return b"[]"
    # Brackets and commas in between are put in at once, and the text is copied once.
    parts = [b","] * (2 * len(some) + 1)
    parts[1::2] = some
    parts[0], parts[-1] = b"[", b"]"
    return b"".join(parts)
