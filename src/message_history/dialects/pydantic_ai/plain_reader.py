"""Read messages of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.plain import pack_keys
from message_history.dialects._shared.plain_reader import Keeper
from message_history.dialects._shared.plain_runs import Piece, message_of_parts, says_something
from message_history.dialects.pydantic_ai.provider_blocks import PYDANTIC_AI

if TYPE_CHECKING:
    from message_history.core.messages.message import Message, Role

_MODELLED: Final = {
    "user-prompt": ("part_kind", "content"),
    "text": ("part_kind", "content"),
    "tool-call": ("part_kind", "tool_call_id", "tool_name", "args"),
    "tool-return": ("part_kind", "tool_call_id", "content"),
}


@final
class _Keeper(Keeper):
    def packed(self, others: dict[str, Any]) -> bytes | None:
        return pack_keys(PYDANTIC_AI, {"part": others}) if others else b""


_KEEP: Final = _Keeper(PYDANTIC_AI, dict.fromkeys(_MODELLED, ("tool_name", "timestamp")), _MODELLED)


def read_message(entry: dict[str, Any]) -> Message | None:
    """Read a message; None when it needs a second look."""
    kind = entry.get("kind")
    if type(kind) is not str or kind not in ("request", "response") or len(entry) != 2:
        return None
    side: Role = "user" if kind == "request" else "assistant"
    return message_of_parts(side, entry.get("parts"), _read_part, texts=False)


def _read_part(part: dict[str, Any], piece: Piece) -> bool:
    kind, content, id = part.get("part_kind"), part.get("content"), part.get("tool_call_id")
    keys = _KEEP(kind, part) if type(kind) is str and kind in _MODELLED else None
    if keys is None or piece.side != ("user" if kind in ("user-prompt", "tool-return") else "assistant"):
        return False
    if kind == "tool-call":
        return piece.call(id, part.get("tool_name"), part.get("args"), keys)
    if kind == "tool-return":
        return type(content) is str and piece.result(id, content, keys)
    return says_something(content) and piece.add(content, keys)
