"""Columns of a data set's row other than its conversation: what was read contains them, or the row is rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, TextBlock
from message_history_compile.errors import CannotCompileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.files.conversations import Conversation
    from message_history_compile.turns import Turn

IMAGES: Final = ("images", "image")
IMAGE_HERE: Final = "<image>"
"""What marks the place of an image in the text of a row, in LLaMA-Factory and TRL."""
_UNSEEN: Final = ("audios", "audio", "videos", "video")
"""The columns of what no target has a place for."""
_TEXTS: Final = (
    *("system", "system_prompt", "instruction", "prompt", "question", "query", "input", "context"),
    *("output", "completion", "response", "answer", "chosen", "rejected"),
)
"""The columns that hold words of a conversation in some data set."""
_LIST: Final = re.compile(r"\s*\[\s*\{")
_SPEAKER: Final = frozenset({"role", "from"})
_TOOLS: Final = ("tools", "functions", "function")


def check_columns(item: Any, conversations: Sequence[Conversation]) -> None:
    """Reject a row of which a column would be lost. Columns such as a source or a score are not one."""
    if not isinstance(item, Mapping) or "role" in item or not conversations:
        return
    unseen = next((key for key in _UNSEEN if item.get(key)), None)
    if unseen is not None:
        raise CannotCompileError("media", f"the column `{unseen}`, which no target has a place for")
    tools = next((key for key in _TOOLS if _objects(item.get(key))), None)
    if tools is not None and not any(each.tools for each in conversations):
        raise CannotCompileError("column", f"the column `{tools}` would be lost")
    named = [(key, words) for key in _TEXTS if isinstance(words := item.get(key), str) and words.strip()]
    if named:
        read = "\n".join(_strings([[each.file.system, list(each.file.entries)] for each in conversations]))
        lost = next((key for key, words in named if not _is_in(words, read)), None)
        if lost is not None:
            raise CannotCompileError("column", f"the column `{lost}` would be lost")


def with_lists(item: Any) -> Any:
    """Return a row in which conversations that are JSON text are lists; the same row if it has none."""
    if not isinstance(item, dict):
        return item
    found = {key: each for key, value in item.items() if (each := _messages_in(value)) is not None}
    return {**item, **found} if found else item


def _messages_in(value: Any) -> list[Any] | None:
    """Return the list of messages that a text holds; None for any other value."""
    if not isinstance(value, str) or not _LIST.match(value):
        return None
    try:
        found = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None
    are_messages = isinstance(found, list) and all(isinstance(each, dict) and each.keys() & _SPEAKER for each in found)
    return found if are_messages else None


def images_of(item: Any) -> tuple[Any, ...]:
    """Return the images in a row's separate column."""
    found = next((item[key] for key in IMAGES if item.get(key)), ()) if isinstance(item, Mapping) else ()
    return tuple(found) if isinstance(found, list) else (found,) if found else ()


def with_images(turns: Sequence[Turn], images: Sequence[Any]) -> list[Turn]:
    """Put a row's images where its text says that they are.

    Raises `CannotCompileError` when there are more or fewer places, or an image is neither a path nor a URL.
    """
    places = sum(turn.text.count(IMAGE_HERE) for turn in turns if turn.role in ("user", "tool"))
    if places != len(images) or any(not isinstance(each, str) or not each for each in images):
        why = f"the row has {len(images)} images as paths or URLs for {places} places `{IMAGE_HERE}` in its text"
        raise CannotCompileError("media", why)
    waiting = iter(images)
    return [_parted(turn, waiting) if turn.role in ("user", "tool") else turn for turn in turns]


def _parted(turn: Turn, waiting: Iterable[str]) -> Turn:
    first, *others = turn.text.split(IMAGE_HERE)
    if not others:
        return turn
    parts: list[Block] = [TextBlock(first)] if first.strip() else []
    for words, url in zip(others, waiting, strict=False):
        parts.append(ImageBlock({"type": "url", "url": url}))
        parts += [TextBlock(words)] if words.strip() else []
    return turn._replace(text="".join([first, *others]), parts=tuple(parts))


def _objects(value: Any) -> bool:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return bool(value.strip())
    return bool(value)


def _is_in(words: str, read: str) -> bool:
    """Return whether the words of a column were read; a transcript is parted, and its lines are looked for."""
    return words.strip() in read or all(line.strip() in read for line in _lines(words))


def _lines(words: str) -> list[str]:
    return [line.rpartition(":")[2] for line in words.splitlines() if line.strip()]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
