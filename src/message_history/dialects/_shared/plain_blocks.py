"""Write plain content as typed blocks: the form of the Messages API and of our own saved form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.messages.plain import input_of, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.plain import Plain

Wire = dict[str, Any]


def assistant_blocks(plain: Plain) -> list[Wire]:
    """Write texts, thinking and calls in order; for our own forms, as invalidated thinking says that it is.

    Packed blocks of a provider are written in our own form.
    """
    return [
        {"type": "text", "text": item}
        if type(item) is str
        else {"type": "tool_use", "id": item[0], "name": item[1], "input": input_of(item[2])}
        if len(item) == 3
        else {"type": "thinking", "thinking": item[0], "signature": item[1]}
        if len(item) == 2
        else {"type": "thinking", "thinking": item[0][0], "signature": item[0][1], "bound": False}
        if len(item) == 1
        else unpack(item)
        for item in plain
    ]


def user_blocks(plain: Plain, *, with_empty: bool = False) -> list[Wire]:
    """Write the plain content of a user message; `with_empty` gives a result without content an empty list."""
    return [
        {"type": "text", "text": item}
        if type(item) is str
        else {"type": "tool_result", "tool_use_id": item[0], "content": [{"type": "text", "text": item[1]}]}
        if type(item[1]) is str and item[1]
        else {"type": "tool_result", "tool_use_id": item[0], **_content(item[1], with_empty)}
        for item in plain
    ]


def _content(parts: Iterable[Any], with_empty: bool) -> Wire:
    content = [{"type": "text", "text": part} if type(part) is str else unpack(part) for part in parts]
    return {"content": content} if parts or with_empty else {}
