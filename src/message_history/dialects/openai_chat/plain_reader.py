"""Read entries of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.plain_reader import Keeper, common_texts
from message_history.dialects._shared.plain_runs import Piece, says_something

if TYPE_CHECKING:
    from collections.abc import Callable

_READ: Final = frozenset({"role", "content", "tool_calls"})


def entry_reader(dialect: str) -> Callable[[dict[str, Any]], Piece | None]:
    """Return what reads an entry whose keys are kept under the name of a dialect; None when it needs a second look."""
    keep = Keeper(dialect, {"tool": ("name",)}, {"tool": ("role", "content", "tool_call_id")})

    def read(entry: dict[str, Any]) -> Piece | None:
        role, content = entry.get("role"), entry.get("content")
        if role == "tool":
            return _result(entry, content, keep)
        if role == "assistant":
            return _assistant(entry, content)
        if role != "user" or len(entry) != 2:
            return None
        piece = Piece("user", joins=False)
        found = content if type(content) is str else common_texts(content)
        for text in (found,) if type(found) is str else found or ("",):
            if not says_something(text):
                return None
            piece.add(text)
        return piece

    return read


def _result(entry: dict[str, Any], content: Any, keep: Keeper) -> Piece | None:
    result = content if type(content) is str else common_texts(content)
    keys = b"" if len(entry) == 3 else keep("tool", entry)
    piece = Piece("user", joins=True)
    if result is None or keys is None or not piece.result(entry.get("tool_call_id"), result, keys):
        return None
    return piece


def _assistant(entry: dict[str, Any], content: Any) -> Piece | None:
    piece = Piece("assistant", joins=False)
    calls = entry.get("tool_calls")
    if says_something(content):
        piece.add(content)
    elif not calls or (content is not None and content != ""):
        return None
    if calls is not None and type(calls) is not list:
        return None
    for call in calls or ():
        function = (
            call.get("function") if type(call) is dict and len(call) == 3 and call.get("type") == "function" else 0
        )
        if type(function) is not dict or len(function) != 2:
            return None
        if not piece.call(call.get("id"), function.get("name"), function.get("arguments")):
            return None
    # A key without a value is as good as absent.
    others = [value for key, value in entry.items() if key not in _READ] if len(entry) > 2 else ()
    return piece if not any(value is not None for value in others) else None


READERS: Final = {dialect: entry_reader(dialect) for dialect in ("openai_chat", "mistral")}
"""By the name under which keys are kept."""
