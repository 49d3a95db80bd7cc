"""Read entries of the shapes that nearly all have at one look each; see `plain_runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.message import CLEAN_ASSISTANT, CLEAN_USER, plain_message_of_shape
from message_history.dialects._shared.metadata import with_keys
from message_history.dialects._shared.plain_reader import Keeper, common_texts
from message_history.dialects._shared.plain_runs import Piece, call_of, says_something

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.message import Message

_READ: Final = frozenset({"role", "content", "tool_calls"})
_KEPT: Final = {"tool": ("name", "tool_call_ids"), "call": ("index",)}
_MODELLED: Final = {"tool": ("role", "content", "tool_call_id"), "call": ("id", "type", "function")}


def entry_reader(dialect: str) -> Callable[[dict[str, Any]], Piece | Message | None]:
    """Return what reads an entry whose keys are kept under the name of a dialect; None when it needs a second look."""
    keep = Keeper(dialect, _KEPT, _MODELLED)

    def read(entry: dict[str, Any]) -> Piece | Message | None:
        role, content = entry.get("role"), entry.get("content")
        if role == "tool":
            return _result(entry, content, keep)
        message = _assistant(entry, content, keep) if role == "assistant" else _user(entry, content)
        if message is None or _READ.issuperset(entry):
            return message
        # A key without a value is as good as absent.
        others = {key: value for key, value in entry.items() if key not in _READ and value is not None}
        if others and dialect != "openai_chat":
            return None
        return with_keys(message, others) if others else message

    return read


def _user(entry: dict[str, Any], content: Any) -> Message | None:
    found = content if type(content) is str else common_texts(content)
    texts: Any = (found,) if type(found) is str else found or ("",)
    is_taken = entry.get("role") == "user" and "tool_calls" not in entry
    is_taken = is_taken and (says_something(found) or all(map(says_something, texts)))
    return plain_message_of_shape("user", texts, (), CLEAN_USER) if is_taken else None


def _result(entry: dict[str, Any], content: Any, keep: Keeper) -> Piece | None:
    result = content if type(content) is str else common_texts(content)
    keys = b"" if len(entry) == 3 else keep("tool", entry)
    piece = Piece("user")
    is_taken = result is not None and keys is not None and piece.result(entry.get("tool_call_id"), result, keys)
    return piece if is_taken else None


def _assistant(entry: dict[str, Any], content: Any, keep: Keeper) -> Message | None:
    calls = entry.get("tool_calls")
    items: list[Any] = [content] if says_something(content) else []
    if calls is None and items:
        return plain_message_of_shape("assistant", (content,), (), CLEAN_ASSISTANT)
    if type(calls) is not list or not (items or (calls and content in (None, "", []))):
        return None
    ids: list[str] = []
    kept: list[bytes | None] = [None] * len(items)
    for call in calls:
        function: Any = call.get("function") if type(call) is dict else None
        if type(function) is not dict or len(function) != 2 or call.get("type") != "function":
            return None
        keys = b"" if len(call) == 3 else keep("call", call)
        arguments = function.get("arguments")
        item = call_of(call.get("id"), function.get("name"), arguments) if type(arguments) is str else None
        if item is None or keys is None:
            return None
        ids.append(item[0])
        items.append(item)
        kept.append(keys or None)
    if len(ids) > 1 and len(set(ids)) != len(ids):
        return None
    keys_of_items = tuple(kept) if any(kept) else ()
    return plain_message_of_shape("assistant", tuple(items), tuple(ids), CLEAN_ASSISTANT, keys_of_items)


READERS: Final = {dialect: entry_reader(dialect) for dialect in ("openai_chat", "mistral")}
"""By the name under which keys are kept."""
