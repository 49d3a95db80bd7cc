"""Find what Chat Completions refuses in a list as it stands; written apart from parsing, repair and rendering."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects.checks import Findings, entries, has_lone_surrogate, text_at
from message_history.dialects.openai_chat import rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.checking import Violation
    from message_history.dialects.openai_chat import OpenAIChat

__all__ = ["violations"]

FUNCTION_NAME: Final = re.compile("[a-zA-Z0-9_-]+")
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def violations(wire: Sequence[Any], dialect: OpenAIChat) -> list[Violation]:
    """Find what the API refuses.

    Args:
        wire: the list.
        dialect: the model's fields.

    Returns:
        What is wrong.

    Complexity: linear in the list.
    """
    check = _Check(wire, dialect)
    check.run()
    return check.found.violations


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: OpenAIChat) -> None:
        self.found = Findings(rules.BY_ID)
        self._wire = [entry if isinstance(entry, Mapping) else {} for entry in wire]
        self._dialect = dialect

    def run(self) -> None:
        """Look at every message, then at runs of tool messages."""
        if not self._wire:
            self.found.add("OC-10")
            return
        for n, entry in enumerate(self._wire):
            self._message(n, entry)
        self._pairs()

    def _message(self, n: int, entry: Mapping[Any, Any]) -> None:
        role = entry.get("role")
        if not isinstance(role, str) or role not in ROLES:
            self.found.add("OC-17", n, "role", f"role {role!r:.40}", role=role)
            return
        if has_lone_surrogate(entry):
            self.found.add("OC-20", n)
        if role in ("system", "developer") and self._dialect.system_role == "user":
            self.found.add("OC-17", n, "role", role=role)
        name = entry.get("name")
        if name is not None and role not in ("tool", "function"):
            if not isinstance(name, str) or len(name) > rules.NAME_LIMIT or not FUNCTION_NAME.fullmatch(name):
                self.found.add("OC-14", n, "name", f"name {name!r:.80}")
        if role == "tool" and not isinstance(entry.get("tool_call_id"), str):
            self.found.add("OC-19", n, "tool_call_id")
        self._content(n, entry, str(role))
        if "tool_calls" in entry and entry["tool_calls"] is not None:
            self._calls(n, entries(entry["tool_calls"]))

    def _content(self, n: int, entry: Mapping[Any, Any], role: str) -> None:
        content = entry.get("content")
        if content is None:
            speaks = entries(entry.get("tool_calls")) or any(
                entry.get(key) for key in ("function_call", "refusal", "audio")
            )
            if role != "assistant" or not speaks:
                self.found.add("OC-07", n, "content")
        elif isinstance(content, list):
            if not content:
                self.found.add("OC-18", n, "content", "an empty list of parts")
            for m, part in enumerate(content):
                self._part(n, m, part, role)
        elif not isinstance(content, str):
            tag = "object" if isinstance(content, Mapping) else type(content).__name__
            self.found.add("OC-08", n, "content", tag=tag)

    def _part(self, n: int, m: int, part: object, role: str) -> None:
        path = f"content[{m}]"
        kind = text_at(part, "type") if isinstance(part, Mapping) else ""
        if not kind:
            self.found.add("OC-09", n, path, m=m)
        elif kind == "image_url" and role != "user":
            self.found.add("OC-15", n, path, role=role)
        elif kind not in rules.PARTS.get(role, frozenset()):
            self.found.add("OC-16" if role == "user" else "OC-18", n, path, f"a part of type {kind!r:.40}")
        elif kind == "image_url" and not self._dialect.images:
            self.found.add("OC-16", n, path)

    def _calls(self, n: int, calls: list[Any]) -> None:
        if not calls:
            self.found.add("OC-04", n, "tool_calls")
        if len(calls) > self._dialect.max_calls:
            self.found.add("OC-05", n, "tool_calls", count=len(calls))
        for m, call in enumerate(calls):
            path = f"tool_calls[{m}]"
            data = call if isinstance(call, Mapping) else {}
            id = text_at(data, "id")
            if len(id) > self._dialect.id_limit:
                self.found.add("OC-06", n, f"{path}.id", f"id of {len(id)} characters", m=m, count=len(id))
            function = data.get("function") if data.get("type") != "custom" else data.get("custom")
            function = function if isinstance(function, Mapping) else {}
            name = text_at(function, "name")
            if not FUNCTION_NAME.fullmatch(name):
                self.found.add("OC-11", n, f"{path}.function.name", f"name {name!r:.80}", m=m)
            elif len(name) > rules.NAME_LIMIT:
                self.found.add("OC-12", n, f"{path}.function.name", count=len(name), limit=rules.NAME_LIMIT)
            if data.get("type") != "custom":
                self._arguments(n, path, function.get("arguments"))

    def _arguments(self, n: int, path: str, arguments: object) -> None:
        if not isinstance(arguments, str):
            self.found.add("OC-13", n, f"{path}.function.arguments", "arguments that are no text")
        elif self._dialect.object_arguments:
            try:
                readable = isinstance(json.loads(arguments), dict)
            except (ValueError, RecursionError):
                readable = False
            if not readable:
                self.found.add("OC-13", n, f"{path}.function.arguments", "arguments that are no JSON object")

    def _pairs(self) -> None:
        """OC-01 to OC-03: each assistant message with the run of tool messages right behind it."""
        calling = -1
        waiting: list[str] = []
        answered: dict[str, int] = {}
        for n, entry in enumerate(self._wire):
            role = entry.get("role")
            if role == "tool":
                id = text_at(entry, "tool_call_id")
                if id in waiting:
                    waiting.remove(id)
                    answered[id] = n
                elif id in answered:
                    self.found.add("OC-03", answered[id], "", f"id {id!r:.80}", ids=id, m=n)
                elif "tool_call_id" in entry:
                    self.found.add("OC-02", n, "role", f"id {id!r:.80}")
                continue
            self._unanswered(calling, waiting)
            calls = entries(entry.get("tool_calls")) if role == "assistant" else []
            calling, answered = n, {}
            waiting = [text_at(call, "id") for call in calls if isinstance(call, Mapping)]
        self._unanswered(calling, waiting)

    def _unanswered(self, n: int, waiting: list[str]) -> None:
        if waiting:
            ids = ", ".join(waiting)
            self.found.add("OC-01", n, "tool_calls", f"no tool message right behind for {ids:.200}", ids=ids)
