"""Messages of Microsoft's frameworks, written again: what is made has the names that the messages around it use."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from message_history.formats.kit import BLOCKS
from message_history.formats.kit.message_rows import dialect_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role

LISTS: Final = ("contents", "Contents", "items", "Items")
ROLES: Final = ("role", "Role", "authorRole")
MADE: Final = "(made)"
"""The key of what is made, until the row is known that it is to be like."""


class _Names(NamedTuple):
    """How one of the frameworks calls what a content holds."""

    type: str
    text: tuple[str, str]
    call: tuple[str, str, str, str]
    result: tuple[str, str, str]


_DOTNET: Final = _Names(
    "$type", ("text", "text"), ("functionCall", "callId", "name", "arguments"), ("functionResult", "callId", "result")
)
_KERNEL: Final = _Names(
    "$type",
    ("TextContent", "Text"),
    ("FunctionCallContent", "Id", "FunctionName", "Arguments"),
    ("FunctionResultContent", "CallId", "Result"),
)
_PYTHON: Final = _Names(
    "type",
    ("text", "text"),
    ("function_call", "call_id", "name", "arguments"),
    ("function_result", "call_id", "result"),
)
_KERNEL_PYTHON: Final = _Names(
    "content_type", ("text", "text"), ("function_call", "id", "name", "arguments"), ("function_result", "id", "result")
)


def split(message: Mapping[str, Any], key: str, results: list[Any]) -> list[dict[str, Any]]:
    """Return a message as messages of one content each; what is not a result stays with the first result."""
    contents: list[Any] = list(message[key])
    groups = [[each] for each in contents]
    if results:
        beside = [each for each in contents if each not in results]
        groups = [[*beside, results[0]], *([each] for each in results[1:])]
    return [{**message, key: group} for group in groups]


def joined(row: dict[str, Any], items: list[Any]) -> dict[str, Any]:
    """Return a message that holds only some of what it was split into."""
    key = key_of(row)
    return {**row, key: [content for item in items for content in item[key]]}


def key_of(message: Mapping[str, Any], keys: tuple[str, ...] = LISTS) -> str:
    """Return which of some keys a message has; the first where it has none."""
    return next((key for key in keys if key in message), keys[0])


def made_of(role: Role, block: Block, before: Message | None) -> list[dict[str, Any]]:
    """Return what a block that was made says, under names that are nobody's yet."""
    return [{MADE: each} for each in dialect_items(BLOCKS, "content", role, block, before)]


def rows_of(role: Role, items: list[dict[str, Any]], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make messages of what was made, like another message."""
    names, rows = _names(like), []
    for is_result, run in groupby((item[MADE] for item in items), lambda made: bool(made.get("type") == "tool_result")):
        contents = [_content(made, names) for made in run]
        rows.append({**_head(like, "tool" if is_result else role), key_of(like): contents})
    return rows


def _names(like: Mapping[str, Any]) -> _Names:
    first = next((each for each in like.get(key_of(like)) or () if isinstance(each, dict)), {})
    if "$type" in first:
        return _KERNEL if str(first["$type"]).endswith("Content") else _DOTNET
    return _KERNEL_PYTHON if "content_type" in first else _PYTHON


def _head(like: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Return the role of a message, and its own type, as another message writes them."""
    key = key_of(like, ROLES)
    there = like.get(key)
    label = key_of(there, ("value", "Label", "label")) if isinstance(there, dict) else ""
    own = {"type": like["type"]} if isinstance(like.get("type"), str) else {}
    return {**own, key: {**there, label: role} if isinstance(there, dict) else role}


def _content(made: Mapping[str, Any], names: _Names) -> dict[str, Any]:
    if made.get("type") == "tool_result":
        kind, id, result = names.result
        return {names.type: kind, id: made["tool_use_id"], result: result_text(made)}
    if made.get("type") == "tool_use":
        kind, id, name, input = names.call
        return {names.type: kind, id: made["id"], name: made["name"], input: made["input"]}
    kind, text = names.text
    return {names.type: kind, text: str(made.get("text", ""))}


def result_text(made: Mapping[str, Any]) -> str:
    """Return the texts of a result that a dialect wrote."""
    content = made.get("content")
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    return "\n".join(str(part.get("text", "")) for part in parts)
