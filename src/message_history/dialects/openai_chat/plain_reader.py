"""Read entries of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import CLEAN_ASSISTANT, CLEAN_USER, plain_message_of_shape
from message_history.dialects._shared.metadata import with_keys
from message_history.dialects._shared.plain_reader import Keeper, common_texts
from message_history.dialects._shared.plain_runs import Piece, message_of_piece, says_something

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.message import Message

_READ: Final = frozenset({"role", "content", "tool_calls"})


def entry_reader(dialect: str) -> Callable[[dict[str, Any]], Piece | Message | None]:
    """Return what reads an entry whose keys are kept under the name of a dialect; None when it needs a second look."""
    keep = Keeper(dialect, {"tool": ("name",)}, {"tool": ("role", "content", "tool_call_id")})

    def read(entry: dict[str, Any]) -> Piece | Message | None:
        role, content = entry.get("role"), entry.get("content")
        if role == "tool":
            return _result(entry, content, keep)
        # A key without a value is as good as absent.
        others = (
            {key: value for key, value in entry.items() if key not in _READ and value is not None}
            if len(entry) > 2
            else {}
        )
        if others and dialect != "openai_chat":
            return None
        message = _assistant(entry, content) if role == "assistant" else _user(entry, content)
        return with_keys(message, others) if message is not None and others else message

    return read


def _user(entry: dict[str, Any], content: Any) -> Message | None:
    if entry.get("role") != "user" or "tool_calls" in entry:
        return None
    found = content if type(content) is str else common_texts(content)
    texts: Any = (found,) if type(found) is str else found or ("",)
    return plain_message_of_shape("user", texts, (), CLEAN_USER) if all(map(says_something, texts)) else None


def _result(entry: dict[str, Any], content: Any, keep: Keeper) -> Piece | None:
    result = content if type(content) is str else common_texts(content)
    keys = b"" if len(entry) == 3 else keep("tool", entry)
    piece = Piece("user")
    if result is None or keys is None or not piece.result(entry.get("tool_call_id"), result, keys):
        return None
    return piece


def _assistant(entry: dict[str, Any], content: Any) -> Message | None:
    calls = entry.get("tool_calls")
    if calls is None and says_something(content):
        return plain_message_of_shape("assistant", (content,), (), CLEAN_ASSISTANT)
    piece = Piece("assistant")
    if says_something(content):
        piece.add(content)
    elif not calls or (content is not None and content != ""):
        return None
    if type(calls) is not list:
        return None
    for call in calls:
        if type(call) is not dict or len(call) != 3 or call.get("type") != "function":
            return None
        function: Any = call.get("function")
        arguments = function.get("arguments") if type(function) is dict and len(function) == 2 else None
        if type(arguments) is not str or not piece.call(call.get("id"), function.get("name"), arguments):
            return None
    return message_of_piece(piece)


READERS: Final = {dialect: entry_reader(dialect) for dialect in ("openai_chat", "mistral")}
"""By the name under which keys are kept."""
