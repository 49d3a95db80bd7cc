"""Read items of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import Any, Final

from message_history.dialects._shared.plain_reader import Keeper
from message_history.dialects._shared.plain_runs import Piece, says_something
from message_history.dialects.openai_responses.schema import FUNCTION, OPENAI_RESPONSES

_OUTPUT: Final = f"{FUNCTION}_output"
_KEEP: Final = Keeper(
    OPENAI_RESPONSES,
    {FUNCTION: ("id", "status"), _OUTPUT: ("id", "status")},
    {FUNCTION: ("type", "call_id", "name", "arguments"), _OUTPUT: ("type", "call_id", "output")},
)
_TEXTS: Final = ("input_text", "output_text")
_OF_TEXT: Final = ("type", "text")
_ROLES: Final = ("user", "assistant")


def read_item(item: dict[str, Any]) -> Piece | None:
    """Read an item; None when it needs a second look."""
    kind = item.get("type")
    if kind == FUNCTION:
        piece, text = Piece("assistant"), item.get("arguments")
        keys = b"" if len(item) == 4 else _keys(kind, item)
        id, name = item.get("call_id"), item.get("name")
        return piece if type(text) is str and keys is not None and piece.call(id, name, text, keys) else None
    if kind == _OUTPUT:
        piece, output = Piece("user"), item.get("output")
        keys = b"" if len(item) == 3 else _keys(kind, item)
        is_taken = type(output) is str and keys is not None and piece.result(item.get("call_id"), output, keys)
        return piece if is_taken else None
    return _message(item) if kind is None or kind == "message" else None


def _keys(kind: str, item: dict[str, Any]) -> bytes | None:
    """Pack the keys of an item that has ended."""
    return _KEEP(kind, item) if item.get("status") in (None, "completed") else None


def _message(item: dict[str, Any]) -> Piece | None:
    role, content = item.get("role"), item.get("content")
    if type(role) is not str or role not in _ROLES or len(item) != 2 + ("type" in item):
        return None
    piece = Piece("user" if role == "user" else "assistant")
    parts = content if type(content) is list else ()
    for text in (content,) if type(content) is str else map(_text_of, parts):
        if not says_something(text):
            return None
        piece.add(text)
    return piece if piece.items else None


def _text_of(part: Any) -> Any:
    """Return the text of a part with nothing else; an empty list next to it does not count."""
    if type(part) is not dict or part.get("type") not in _TEXTS:
        return None
    others = [value for key, value in part.items() if key not in _OF_TEXT]
    return part.get("text") if all(value is None or value == [] for value in others) else None
