"""Read messages of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.plain import pack_keys, result_content
from message_history.dialects._shared.plain_runs import Piece, message_of_parts

if TYPE_CHECKING:
    from message_history.core.messages.message import Message

_SUCCEEDED: Final = pack_keys("bedrock", {"status": "success"})


def read_message(entry: dict[str, Any]) -> Message | None:
    """Read a message; None when it needs a second look."""
    role = entry.get("role")
    if type(role) is not str or len(entry) != 2:
        return None
    if role == "user":
        return message_of_parts("user", entry.get("content"), _result)
    return message_of_parts("assistant", entry.get("content"), _call) if role == "assistant" else None


def _call(block: dict[str, Any], piece: Piece) -> bool:
    call: Any = block.get("toolUse")
    input = call.get("input") if type(call) is dict and len(call) == 3 and len(block) == 1 else None
    return type(input) is dict and piece.call(call.get("toolUseId"), call.get("name"), input)


def _result(block: dict[str, Any], piece: Piece) -> bool:
    result = block.get("toolResult")
    content = result.get("content") if type(result) is dict and len(block) == 1 else None
    if type(result) is not dict or type(content) is not list:
        return False
    has_status = len(result) == 3 and type(result.get("status")) is str and result["status"] == "success"
    texts = tuple([part.get("text") if type(part) is dict and len(part) == 1 else None for part in content])
    if not (has_status or len(result) == 2) or any(type(text) is not str for text in texts):
        return False
    return piece.result(result.get("toolUseId"), result_content(texts), _SUCCEEDED if has_status else None)
