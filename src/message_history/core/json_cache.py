"""An export as JSON text, kept for the turns that are settled.

What was sent is never rewritten, so a settled turn that depends on no other is encoded once for all versions that
share it. A chunk of the log keeps the text of its turns as far as somebody has asked for it.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history.core.message import is_bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.drafts import Turn
    from message_history.core.log import Chunk, Log
    from message_history.dialects.base import Dialect

__all__ = ["base64_of", "json_array", "json_of", "json_of_settled"]

DIALECTS_KEPT: Final = 4
"""For how many dialects a chunk keeps its text; the one that was asked for first goes first."""


@final
@frozen(eq=False)
class _Kept:
    """What a chunk knows of its first turns.

    Args:
        dialect: the dialect that they are written in.
        text: their messages, joined by commas.
        ends: where each turn's end.
        stuck: whether the turn behind them cannot be written alone.
    """

    dialect: Dialect[Any]
    text: bytes = b""
    ends: tuple[int, ...] = ()
    stuck: bool = False


def json_of_settled(past: Log[Turn], dialect: Dialect[Any]) -> list[bytes] | None:
    """Encode the settled turns.

    Args:
        past: the turns.
        dialect: the dialect to write them in.

    Returns:
        The messages in pieces to be joined by commas, or None when a turn cannot be written alone.

    Complexity: linear in the turns that were not encoded before, and in the number of chunks.
    """
    pieces: list[bytes] = []
    for chunk, count in past.chunks():
        everything = _kept_of(chunk)
        kept = next((one for one in everything if one.dialect is dialect or one.dialect == dialect), None)
        if kept is None or (len(kept.ends) < count and not kept.stuck):
            longer = _go_on(kept if kept is not None else _Kept(dialect), chunk.items[:count])
            # Set at once: another thread sees the old list or the new one, and both are right.
            chunk.kept = [*(one for one in everything if one is not kept), longer][-DIALECTS_KEPT:]
            kept = longer
        if len(kept.ends) < count:
            return None
        pieces.append(kept.text if len(kept.ends) == count else kept.text[: kept.ends[count - 1]])
    return pieces


def _kept_of(chunk: Chunk[Turn]) -> list[_Kept]:
    """Give what a chunk keeps; a copy of another chunk keeps what that had of the turns that they share."""
    everything: list[_Kept] = chunk.kept
    if chunk.kept_for is not None:
        everything = [_cut(kept, chunk.kept_for) for kept in everything]
        chunk.kept = everything
        chunk.kept_for = None
    return everything


def _cut(kept: _Kept, turns: int) -> _Kept:
    if len(kept.ends) <= turns:
        return kept if len(kept.ends) < turns or not kept.stuck else _Kept(kept.dialect, kept.text, kept.ends)
    ends = kept.ends[:turns]
    return _Kept(kept.dialect, kept.text[: ends[-1]] if ends else b"", ends)


def _go_on(kept: _Kept, turns: list[Turn]) -> _Kept:
    """Encode the turns behind those that are kept."""
    pieces = [kept.text] if kept.text else []
    ends = list(kept.ends)
    length = len(kept.text)
    stuck = False
    for assistant, user in turns[len(ends) :]:
        is_left_out = assistant is None and is_bootstrap(user) and kept.dialect.takes_leading_assistant()
        wire = [] if is_left_out else kept.dialect.write_turn(assistant, user)
        if wire is None:
            stuck = True
            break
        piece = b",".join(map(json_of, wire))
        if piece:
            length += len(piece) + (1 if pieces else 0)
            pieces.append(piece)
        ends.append(length)
    return _Kept(kept.dialect, b",".join(pieces), tuple(ends), stuck)


def json_of(value: object) -> bytes:
    """Encode one message, as small as JSON can be.

    Args:
        value: what an export holds; bytes, which only some dialects send, become base64.

    Returns:
        The text, in UTF-8; all in ASCII when a lone surrogate, which `native` keeps, leaves no other way.
    """
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), default=base64_of).encode()


def json_array(pieces: Iterable[bytes]) -> bytes:
    """Put encoded items into an array.

    Args:
        pieces: the items, each as one or several that are joined by commas.

    Returns:
        The array.
    """
    parts = [b"["]
    for piece in pieces:
        if piece:
            parts += (b",", piece) if len(parts) > 1 else (piece,)
    parts.append(b"]")
    return b"".join(parts)


def base64_of(value: object) -> str:
    """Give the base64 text that stands for bytes in JSON; a `TypeError` for anything else."""
    if not isinstance(value, bytes):
        raise TypeError(f"an export holds no {type(value).__name__}")
    return base64.b64encode(value).decode()


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=base64_of)
