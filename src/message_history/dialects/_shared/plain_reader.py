"""Read messages of the shapes that nearly all have, in the Messages API's form or our own, at one look each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from message_history.core.messages.message import (
    CLEAN_ASSISTANT,
    CLEAN_USER,
    NEEDS_REPAIR,
    STUB_OPENINGS,
    Message,
    Unfinished,
)
from message_history.core.messages.plain import pack, result_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def common_message(entry: Any, size: int) -> Message | None:
    """Read a message of the common shapes, with `size` keys; None when anything about it needs a second look."""
    found: list[Message] = []
    try:
        read_common((entry,), size, found)
    except Exception:  # noqa: BLE001 - a foreign object may do anything; the second look copies what raises
        return None
    return found[0] if found else None


def read_each(entries: Sequence[Any], size: int, known: Sequence[Message] = ()) -> list[Message | None]:
    """Read the messages of the common shapes, with `size` keys, wherever they stand; None for each other entry."""
    found: list[Message | None] = [*known]
    rest = iter(entries[len(found) :] if known else entries)
    read_common(rest, size, found)
    while len(found) < len(entries):
        found.append(None)  # The entry at which the reading stopped.
        read_common(rest, size, found)
    return found


def read_common(entries: Iterable[Any], size: int, found: list[Any]) -> None:  # noqa: PLR0915 - see below
    """Read messages as long as they have the shapes that nearly all have.

    All of it is one loop: each function that it would call for a message costs 5 % of it. `size` is how many keys each
    must have, `role` and `content` among them. `found` gets the messages, up to the first entry about which anything
    needs a second look.
    """
    try:
        for entry in entries:
            if type(entry) is not dict or len(entry) != size:
                return
            role, content = entry["role"], entry["content"]
            # The role itself may be of a class that derives from `str`.
            if role == "assistant":
                role, shape = "assistant", CLEAN_ASSISTANT
            elif role == "user":
                role, shape = "user", CLEAN_USER
            else:
                return
            plain: list[Any] = []
            ids: list[str] = []
            if type(content) is str:
                if not content or content.isspace():
                    return
                plain.append(content)
            elif type(content) is not list or not content:
                return
            else:
                for item in content:
                    if type(item) is not dict:
                        return
                    kind = item["type"]
                    if kind == "text":
                        text = item["text"]
                        if len(item) != 2 or type(text) is not str or not text or text.isspace():
                            return
                        plain.append(text)
                    elif kind == "tool_use":
                        id, name, input = item["id"], item["name"], item["input"]
                        if len(item) != 4 or type(id) is not str or type(name) is not str or type(input) is not dict:
                            return
                        packed = pack(input)
                        if packed is None or role == "user" or not (id and name and id.isascii() and name.isascii()):
                            return
                        if name.isspace():
                            return
                        ids.append(id)
                        plain.append((id, name, packed))
                    elif kind == "tool_result":
                        id, inner = item["tool_use_id"], item["content"]
                        if type(inner) is not str:
                            inner = _common_result(inner)
                        if len(item) != 3 and (len(item) != 4 or item["is_error"] is not False):
                            return
                        if type(id) is not str or not id or not id.isascii() or inner is None or role != "user":
                            return
                        # Most texts fail the cheap test for the text of a stub.
                        if len(ids) != len(plain) or (inner and inner[0] == "[" and inner.startswith(STUB_OPENINGS)):
                            shape = NEEDS_REPAIR
                        ids.append(id)
                        plain.append((id, inner))
                    elif kind == "thinking":
                        text, signature = item["thinking"], item["signature"]
                        if type(text) is not str or type(signature) is not str or role == "user":
                            return
                        if len(item) != 3 and (len(item) != 4 or item["bound"] is not False):
                            return
                        plain.append((text, signature) if len(item) == 3 else ((text, signature),))
                    else:
                        return
                if len(ids) > 1 and (len(set(ids)) != len(ids) if len(ids) > 2 else ids[0] == ids[1]):
                    return
            message: Any = Unfinished()
            message.role = role
            message.ids = tuple(ids)
            message.shape = shape
            message._plain = tuple(plain)
            message._reach = None
            message.__class__ = Message
            found.append(message)
    except (KeyError, TypeError):
        return  # A key is missing: to ask for each takes 10 % longer, and `suppress` as long as half a message.


def _common_result(content: Any) -> str | tuple[str, ...] | None:
    """Read the content of a result, as a plain content holds it."""
    if type(content) is not list:
        return None
    texts: list[str] = []
    for item in content:
        if type(item) is not dict or len(item) != 2 or item.get("type") != "text" or type(item.get("text")) is not str:
            return None
        texts.append(item["text"])
    return result_content(tuple(texts))
