"""The stream of the Responses API: items one by one, each in parts; what is done comes once more as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    AHEAD,
    Assembler,
    add_text,
    field_of,
    mappings,
    other_fields,
    place_of,
    taken_apart,
    text_piece,
    whole,
)
from message_history.dialects._shared.beside import REPEATED
from message_history.dialects._shared.sdk_objects import as_sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_TEXTS: Final = {
    "response.output_text": ("content", "content_index", "text", "output_text"),
    "response.refusal": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": ("content", "content_index", "text", "reasoning_text"),
    "response.reasoning_summary_text": ("summary", "summary_index", "text", "summary_text"),
}
"""Where the text of an event goes: the item's key, the event's key of the place there, the part's key and its type."""
_INPUTS: Final = {"response.function_call_arguments": "arguments", "response.custom_tool_call_input": "input"}
_PARTS: Final = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}


@final
class Stream(Assembler):
    """One response on its way in."""

    def __init__(self) -> None:
        super().__init__()
        self._fields: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}
        self._done: set[int] = set()

    def take(self, event: object) -> None:
        kind = field_of(event, "type")
        if not isinstance(kind, str):
            return
        about, _, what = kind.rpartition(".")
        if kind in _ENDS or kind in ("response.created", "response.in_progress", "response.queued"):
            self._report(taken_apart(field_of(event, "response")), ended=kind in _ENDS)
        elif about == "response.output_item":
            index = self._place(event, starts=what == "added")
            self._items[index] = dict(taken_apart(field_of(event, "item")))
            if what == "done":
                self._done.add(index)
        elif about in _PARTS:
            key, place = _PARTS[about]
            self._part(event, key, place).update(taken_apart(field_of(event, "part")))
        elif about in _TEXTS:
            key, place, text, part_type = _TEXTS[about]
            _add_text(self._part(event, key, place, part_type), text, event, what)
        elif about in _INPUTS:
            _add_text(self._item(event), _INPUTS[about], event, what)
            if what == "done":
                self._done.add(self._place(event))
        elif kind == "response.output_text.annotation.added":
            part = self._part(event, "content", "content_index", "output_text")
            added = dict(taken_apart(field_of(event, "annotation")))
            part["annotations"] = [*(as_sequence(part.get("annotations")) or ()), added]

    def _report(self, response: Mapping[Any, Any], *, ended: bool) -> None:
        self._fields = other_fields(response, REPEATED | {"output"})
        output = list(mappings(response.get("output")))
        if ended:
            self.finished = True
            if output:
                # Some servers announce the items only as they come.
                self._items = dict(enumerate(map(dict, output)))
            self._done.update(self._items)

    def _item(self, event: object) -> dict[str, Any]:
        return self._items.setdefault(self._place(event), {})

    def _place(self, event: object, *, starts: bool = False) -> int:
        return place_of(field_of(event, "output_index"), self._items, starts=starts)

    def _part(self, event: object, key: str, place: str, part_type: str | None = None) -> dict[str, Any]:
        """Find the part of an item that an event is about."""
        item = self._item(event)
        parts = item[key] = list(as_sequence(item.get(key)) or ())
        named = field_of(event, place)
        index = named if type(named) is int and 0 <= named < len(parts) + AHEAD else max(len(parts) - 1, 0)
        while len(parts) <= index:
            parts.append({"type": part_type} if part_type else {})
        parts[index] = dict(taken_apart(parts[index]))
        found: dict[str, Any] = parts[index]
        return found

    def response(self) -> dict[str, Any] | None:
        fields = {**self._fields, "object": "response"}
        if not self.finished:
            # A response that is in progress counts as truncated; here only half a call does.
            fields.pop("status", None)
        output = []
        for index, item in sorted(whole(self._items).items()):
            kind = text_piece(item.get("type"))
            if index in self._done:
                output.append(item)
                if kind in _CALLS and item.get("status") == "incomplete" and not self.finished:
                    fields["status"] = "incomplete"
                continue
            parts = {
                key: [part for part in parts if _has_text(part)]
                for key in ("content", "summary")
                if (parts := as_sequence(item.get(key)))
            }
            if kind in _CALLS:
                fields["status"] = "incomplete"
                output.append({**item, "status": "incomplete"} if kind == "function_call" else item)
            elif kind in ("message", "reasoning") and any(parts.values()):
                output.append({**item, **parts})
        return {**fields, "output": output} if output or self.finished else None


def _add_text(into: dict[str, Any], key: str, event: object, what: str) -> None:
    """Add the text of a delta, or put the whole text in its place."""
    if what == "delta":
        add_text(into, key, field_of(event, "delta"))
    elif what == "done":
        whole = field_of(event, key)
        into[key] = whole if whole is not None else into.get(key)


def _has_text(part: Any) -> bool:
    found = taken_apart(part)
    return bool(found.get("text") or found.get("refusal"))
