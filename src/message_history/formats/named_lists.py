"""Lists of messages under names of a program's own: `history`, `dialogue`, or the id of each conversation."""

from __future__ import annotations

from itertools import pairwise, starmap
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects.elsewhere import API_ROLES
from message_history.dialects.registry import shape_of
from message_history.files.request_bodies import entries_at, find_place
from message_history.formats.kit.base import NOTHING_JUDGED, Fit, Format
from message_history.formats.kit.document import INSPECTED
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.message_lists import fit_of_messages, is_reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.files.conversations import Conversation
    from message_history.formats.kit.base import Collector, Reading
    from message_history.formats.kit.document import Document

_INPUT: Final = "input"
_OUTPUT: Final = "output"
_MESSAGE: Final = "message"
_PARENT: Final = "parent"
_IDS: Final = ("id", "conversation_id", "session_id", "chat_id")


def _messages(name: str, value: Any) -> list[Any]:
    """Return the messages that a value is, or that are in it where a request has them; else none."""
    if isinstance(value, dict) and name.removesuffix("s") in (_INPUT, _OUTPUT):
        # A test asks for one message, or expects one.
        inner = value.get(_MESSAGE)
        value = [value] if "role" in value else [inner] if isinstance(inner, dict) else value
    if isinstance(value, dict) and "role" not in value and shape_of(value) is None:
        place = find_place(value)
        value = entries_at(value, place) if place is not None else None
    if not isinstance(value, list) or not value:
        return []
    are_messages = all(isinstance(each, dict) and each.get("role") in API_ROLES for each in value)
    return value if are_messages and fit_of_messages(value) is Fit.CERTAIN else []


def _lists(item: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of messages in an object, by their names."""
    if "role" in item or is_reply(item) or find_place(item) is not None:
        return {}
    found = {str(key): messages for key, value in item.items() if (messages := _messages(str(key), value))}
    # A row of a test goes on from what was asked to what is expected.
    names = tuple(name.removesuffix("s") for name in found)
    return {_OUTPUT: [message for each in found.values() for message in each]} if names == (_INPUT, _OUTPUT) else found


def _wrapped(items: Sequence[Any]) -> list[Any]:
    """Return the messages of items that hold one each and name no other order."""
    are_rows = all(isinstance(item, dict) for item in items) and all(starmap(_follows, pairwise(items)))
    found = [item.get(_MESSAGE) for item in items] if are_rows else []
    are_alone = all(
        not any(_has_objects(value) for key, value in item.items() if key != _MESSAGE) for item in items[: len(found)]
    )
    is_bare = len(items) == 1 and items[0].keys() <= {_MESSAGE, "type"}
    return found if are_alone and (len(items) > 1 or is_bare) and _messages("", found) else []


def _follows(before: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Return whether an item names no parent but the one before it."""
    parents = [value for key, value in item.items() if _PARENT in key.lower() and value is not None]
    ids = [value for key, value in before.items() if _PARENT not in key.lower()]
    return all(parent in ids for parent in parents)


def _is_whole(item: Any) -> bool:
    """Return whether an object has such lists, and no other list of objects in it."""
    if not isinstance(item, dict):
        return False
    rest = [value for key, value in item.items() if not _messages(str(key), value)]
    return bool(_lists(item)) and not any(map(_has_objects, rest))


def _has_objects(value: Any) -> bool:
    """Return whether a list of objects, or a message, is in a value: nobody would read it."""
    if isinstance(value, dict):
        return "role" in value or any(map(_has_objects, value.values()))
    return isinstance(value, list) and any(isinstance(each, dict) or _has_objects(each) for each in value)


def _fit(document: Document) -> Fit:
    items = [item for _, item in document.numbered_items[:INSPECTED]]
    if _wrapped(items):
        return Fit.CERTAIN
    found = [bool(isinstance(item, dict) and _lists(item)) for item in items]
    if found and all(found) and all(map(_is_whole, items)):
        return Fit.CERTAIN
    return Fit.NEAR if any(found) else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    if _wrapped([item for _, item in document.numbered_items]):
        found.add(_of_rows(document, found.collector()))
        return found.reading()
    for n, item in document.numbered_items:
        lists = _lists(item) if isinstance(item, dict) else {}
        if not lists:
            found.collector().note(n, "an item without a list of messages", item)
            continue
        id = next((item[key] for key in _IDS if key in item), None)
        for name, messages in lists.items():
            collector = found.collector()
            for message in messages:
                collector.add(n, message)
            collector.omit("other keys next to the messages", _rest(item))
            label = name if document.value is not None and not document.items else f"item {n}, {name}"
            found.add(collector.conversation(None, label=label if found else "", id=id, tools=item.get("tools")))
    return found.reading()


def _rest(item: Mapping[str, Any]) -> int:
    return sum(not _messages(str(key), value) for key, value in item.items())


def _of_rows(document: Document, collector: Collector) -> Conversation:
    """Read items that hold one message each as one conversation."""
    for n, item in document.numbered_items:
        collector.add(n, item[_MESSAGE])
        collector.omit("other keys next to the messages", len(item) - 1)
    return collector.conversation(None)


NAMED_LISTS: Final = Format(
    name="named-lists",
    rank=2040,
    title="Lists of messages under other names (`history`, `dialogue`, the id of each conversation)",
    files="anywhere",
    omits="other keys, which are counted",
    unwritten="who wrote the file is not known, nor what else it is read for",
    source="data sets and logs",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
    general=True,
)
