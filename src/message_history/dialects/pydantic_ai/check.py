"""Find what pydantic-ai refuses in a list, or repairs in silence; written separately from parsing and rendering.

It judges objects too: they are read as the JSON that they are saved as.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import Findings, check_list, entries, has_lone_surrogate, text_at
from message_history.dialects._shared.schema import misfits
from message_history.dialects.pydantic_ai import schema, shapes
from message_history.dialects.pydantic_ai.objects import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects._shared.schema import Shape
    from message_history.violations import Violation


def violations(wire: Sequence[Any], _: object = None) -> list[Violation]:
    return check_list(_Check(wire), "PA-17")


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any]) -> None:
        self.found = Findings(schema.RULES.by_id)
        self.entries = [entry if isinstance(entry, dict) else plain(entry) for entry in wire]

    def whole(self) -> None:
        self._pairs()
        for n, entry in enumerate(self.entries[:-1]):
            if isinstance(entry, Mapping) and entry.get("state") == "suspended":
                self.found.add("PA-18", n, "state")

    def entry(self, n: int, entry: object) -> None:
        kind = entry.get("kind") if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or kind not in ("request", "response"):
            self.found.add(
                "PA-01", n, "kind" if isinstance(entry, Mapping) else "", f"kind {short_repr(kind)}", tag=kind
            )
            return
        if has_lone_surrogate(entry):
            self.found.add("PA-09", n)
        shape = shapes.REQUEST if kind == "request" else shapes.RESPONSE
        for key, _ in misfits(shape, entry):
            self.found.add("PA-06", n, key, f"{key} is {type(entry[key]).__name__}: {short_repr(entry[key])}", tag=key)
        if not isinstance(entry.get("parts"), (list, tuple)):
            self.found.add("PA-02", n, "parts")
            return
        for m, part in enumerate(entry["parts"]):
            self._part(n, m, part, str(kind))

    def _part(self, n: int, m: int, part: object, role: str) -> None:
        path = f"parts[{m}]"
        known = shapes.IN_REQUEST if role == "request" else shapes.IN_RESPONSE
        rule = "PA-03" if role == "request" else "PA-04"
        data = part if isinstance(part, Mapping) else plain(part)
        kind = text_at(data, "part_kind") if isinstance(data, Mapping) else ""
        shape = known.get(kind)
        if not isinstance(data, Mapping) or shape is None:
            # A response may hold parts that are newer than this list.
            if role == "request" or not kind or kind in shapes.IN_REQUEST:
                tags = ", ".join(f"'{tag}'" for tag in known)
                self.found.add(rule, n, path, f"a part of kind {kind!r:.60}", tag=kind, tags=tags)
            return
        self._keys(n, m, data, kind, shape)
        if not shapes.typed_kind_fits(data):
            self.found.add(
                "PA-19", n, f"{path}.tool_kind", f"tool_kind {short_repr(data['tool_kind'])}", tag=data["tool_kind"]
            )

    def _keys(self, n: int, m: int, data: Mapping[Any, Any], kind: str, shape: Shape) -> None:
        for key, missing in misfits(shape, data):
            path = f"parts[{m}].{key}"
            if missing:
                self.found.add("PA-05", n, path, f"no {key}")
            elif kind == "user-prompt" and key == "content":
                self._prompt(n, m, data[key])
            elif kind == "speech" and key == "speaker":
                self.found.add("PA-10", n, path, tag=data[key])
            elif kind == "compaction" and shape is shapes.IN_REQUEST[kind] and data[key] is not None:
                self.found.add("PA-11", n, path)
            elif kind == "file" and not shapes.is_base64(_inner(data[key], "data")):
                self.found.add("PA-08", n, f"{path}.data")
            else:
                self.found.add(
                    "PA-06", n, path, f"{key} is {type(data[key]).__name__}: {short_repr(data[key])}", tag=key
                )

    def _prompt(self, n: int, m: int, content: object) -> None:
        path = f"parts[{m}].content"
        if not isinstance(content, (list, tuple)):
            self.found.add("PA-07", n, path, f"content is {type(content).__name__}", m=m, tag=type(content).__name__)
        for k, item in enumerate(entries(content)):
            if isinstance(item, str):
                continue
            kind = text_at(item, "kind") if isinstance(item, Mapping) else ""
            shape = shapes.ITEMS.get(kind)
            if shape is None or not isinstance(item, Mapping):
                self.found.add("PA-07", n, f"{path}[{k}]", f"content of kind {kind!r:.60}", m=k, tag=kind)
                continue
            for key, missing in misfits(shape, item):
                rule = "PA-05" if missing else "PA-08" if key == "data" else "PA-06"
                self.found.add(rule, n, f"{path}[{k}].{key}", tag=key)

    def _pairs(self) -> None:
        """PA-12 to PA-15: the calls of neighbouring responses with the results of the requests after them."""
        waiting: dict[str, tuple[int, int]] = {}
        answered: set[str] = set()
        after_request = True
        for n, entry in enumerate(self.entries):
            if not isinstance(entry, Mapping):
                continue
            if entry.get("kind") == "response":
                if after_request:
                    self._unanswered(waiting)
                    waiting, answered = {}, set()
                after_request = False
                for m, part in enumerate(entries(entry.get("parts"))):
                    if _kind(part) == "tool-call":
                        waiting.setdefault(text_at(part, "tool_call_id"), (n, m))
            elif entry.get("kind") == "request":
                after_request = True
                self._results(n, entry, waiting, answered)
        if not after_request and waiting:
            for id, (n, m) in waiting.items():
                self.found.add("PA-12", n, f"parts[{m}]", f"no result for {id!r:.80}")
        else:
            self._unanswered(waiting)

    def _results(
        self, n: int, entry: Mapping[Any, Any], waiting: dict[str, tuple[int, int]], answered: set[str]
    ) -> None:
        for m, part in enumerate(entries(entry.get("parts"))):
            kind = _kind(part)
            if kind != "tool-return" and not (kind == "retry-prompt" and part.get("tool_name") is not None):
                continue
            id = text_at(part, "tool_call_id")
            if id in waiting:
                del waiting[id]
                answered.add(id)
            else:
                rule = "PA-15" if id in answered else "PA-14"
                self.found.add(rule, n, f"parts[{m}].tool_call_id", f"id {id!r:.80}")

    def _unanswered(self, waiting: Mapping[str, tuple[int, int]]) -> None:
        for id, (n, m) in waiting.items():
            self.found.add("PA-13", n, f"parts[{m}]", f"no result right after for {id!r:.80}")


def _kind(part: object) -> str:
    return text_at(part, "part_kind") if isinstance(part, Mapping) else ""


def _inner(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else None
