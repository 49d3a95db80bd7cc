"""Find what Mistral refuses in a list; written separately from parsing, repair and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import (
    Findings,
    OpenCalls,
    check_list,
    entries,
    has_lone_surrogate,
    kind_of,
    mapping_of,
    mappings,
    text_at,
)
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects._shared.rules import shown
from message_history.dialects.mistral import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.mistral.model_fields import Fields
    from message_history.violations import Violation

TOOL_NAME: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
FOLLOWERS: Final = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    "tool": ("assistant", "tool", "user"),
}
"""Which roles may follow which (MS-M03)."""


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    return check_list(_Check(wire, dialect), "MS-M01")


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        self.found = Findings(schema.RULES.by_id)
        self.entries = mappings(wire)
        self._roles = [shown(entry.get("role")) for entry in self.entries]
        self._dialect = dialect
        self._media = MediaCheck(dialect.limits, self.found.add)

    def whole(self) -> None:
        """Check the order of roles, calls and results, and the ends."""
        self._media.finish()
        self._order()
        if self._dialect.alternate:
            self._turns()
        if self._dialect.pair_ids:
            self._pairs()
        else:
            self._counts()
        self._ends()
        self._audio()

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        role = self._roles[n]
        if role not in FOLLOWERS:
            self.found.add("MS-M13", n, "role", f"role {role!r:.40}", which=1, role=role)
            return
        if has_lone_surrogate(entry):
            self.found.add("MS-M23", n)
        for key in entry:
            if key not in schema.KEYS[role]:
                self.found.add("MS-M12", n, str(key), f"unknown key {key!r:.60}", role=role, key=key)
        self._content(n, entry, role)
        if role == "assistant":
            self._assistant(n, entry)
        elif role == "tool":
            self._result(n, entry)

    def _content(self, n: int, entry: Mapping[Any, Any], role: str) -> None:
        content = entry.get("content")
        if isinstance(content, list):
            thinking = set() if self._dialect.thinking is False else {"thinking"}
            allowed = {
                "user": self._dialect.user_chunks,
                "assistant": self._dialect.assistant_chunks | thinking,
                "tool": self._dialect.tool_chunks,
                "system": {"text", *thinking},
            }[role]
            for m, chunk in enumerate(content):
                kind = kind_of(chunk)
                if not kind:
                    self.found.add("MS-M13", n, f"content[{m}]", "a chunk without a type")
                elif kind not in allowed and not (kind in schema.CHUNKS and self._may_be_taken(role)):
                    tag = schema.CHUNKS.get(kind, kind)
                    self.found.add("MS-M10", n, f"content[{m}]", f"a chunk of type {kind!r:.40}", role=role, tag=tag)
                elif kind == "image_url":
                    image = chunk.get("image_url")
                    url = image.get("url") if isinstance(image, Mapping) else image
                    self._media.url(n, f"content[{m}].image_url", url)
        elif not isinstance(content, str) and not (content is None and role == "assistant"):
            self.found.add("MS-M13", n, "content", f"content is {type(content).__name__}")

    def _may_be_taken(self, role: str) -> bool:
        """Return whether nobody was seen to be refused for a chunk of another type in a message of this role."""
        return role == "tool" and not self._dialect.tool_chunks_only

    def _assistant(self, n: int, entry: Mapping[Any, Any]) -> None:
        content, calls = entry.get("content"), entries(entry.get("tool_calls"))
        if not content and not calls:
            self.found.add("MS-M09a", n, "content")
        elif content and calls and not self._dialect.text_with_calls:
            self.found.add("MS-M09", n, "content")
        kinds = [text_at(chunk, "type") for chunk in entries(content) if isinstance(chunk, Mapping)]
        if "thinking" in kinds:
            last = len(kinds) - 1 - kinds[::-1].index("thinking")
            if any(kind != "thinking" for kind in kinds[:last]):
                self.found.add("MS-M19", n, f"content[{last}]")
            if entry.get("reasoning") or entry.get("reasoning_content"):
                self.found.add("MS-M19", n, which=1)
        if entry.get("prefix") and n != len(self.entries) - 1:
            self.found.add("MS-M05", n, "prefix")
        for m, call in enumerate(calls):
            self._call(n, f"tool_calls[{m}]", mapping_of(call))

    def _call(self, n: int, path: str, call: Mapping[Any, Any]) -> None:
        id, function = call.get("id"), call.get("function")
        name = text_at(function, "name") if isinstance(function, Mapping) else ""
        for key in call:
            if key not in schema.KEYS["call"]:
                self.found.add("MS-M12", n, f"{path}.{key}", f"unknown key {key!r:.60}", role="assistant", key=key)
        if id is None or id == "null":
            self.found.add("MS-M07c", n, f"{path}.id")
        elif not isinstance(id, str) or not self._dialect.id_pattern.fullmatch(id):
            any_id = self._dialect.id_pattern is schema.ANY_ID
            self.found.add("MS-M07a" if any_id else "MS-M07", n, f"{path}.id", f"id {short_repr(id)}", ids=id)
        if not self._dialect.name_pattern.fullmatch(name):
            self.found.add("MS-M08", n, f"{path}.function.name", f"name {name!r:.80}", name=name)

    def _result(self, n: int, entry: Mapping[Any, Any]) -> None:
        id, name = entry.get("tool_call_id"), entry.get("name")
        if id is None:
            self.found.add("MS-M07b", n, "tool_call_id")
        elif not isinstance(id, str) or not self._dialect.id_pattern.fullmatch(id):
            if self._dialect.id_pattern is schema.ANY_ID:
                self.found.add("MS-M07a", n, "tool_call_id")
            else:
                self.found.add("MS-M07b", n, "tool_call_id", f"id {short_repr(id)}", which=1, ids=id)
        if name is not None and not (isinstance(name, str) and TOOL_NAME.fullmatch(name)):
            self.found.add("MS-M08", n, "name", f"name {short_repr(name)}", name=name)

    def _order(self) -> None:
        for n in range(1, len(self.entries)):
            before, role = self._roles[n - 1], self._roles[n]
            if role not in FOLLOWERS or before not in FOLLOWERS:
                continue
            detail = f"{role} after {before}"
            if role not in FOLLOWERS[before]:
                self.found.add("MS-M03b" if role == "system" else "MS-M03", n, "role", detail, role=role, before=before)
            elif role == "user" and before == "tool" and self._dialect.bridge:
                self.found.add("MS-M03a", n, "role", detail, role=role, before=before)

    def _turns(self) -> None:
        """MS-M22 and MS-M02: one system message, then user and assistant in turn; calls and results do not count."""
        before = ""
        for n, role in enumerate(self._roles):
            if role == "system" and n:
                self.found.add("MS-M22", n, "role", "a system message that is not the first", which=2)
            elif role == "user" and before == "user":
                self.found.add("MS-M22", n, "role", "two user messages in a row")
            elif role == "assistant" and before == "assistant" and self._roles[n - 1] != "tool":
                self.found.add("MS-M22", n, "role", "two assistant messages in a row")
            elif role in ("assistant", "tool") and before == "":
                self.found.add("MS-M02", n, "role", f"{role} first", which=1, role=role)
            if role in ("user", "assistant", "tool"):
                before = "user" if role == "user" else "assistant"

    def _counts(self) -> None:
        """MS-M06: as many tool messages as calls, whatever their ids."""
        calling, waiting = 0, 0
        for n, entry in enumerate(self.entries):
            if self._roles[n] == "tool":
                waiting -= 1
            elif self._roles[n] == "assistant":
                if waiting:
                    self.found.add("MS-M06", calling, "tool_calls")
                calling, waiting = n, len(entries(entry.get("tool_calls")))
        if waiting:
            self.found.add("MS-M06", calling, "tool_calls")

    def _pairs(self) -> None:
        """MS-M06 to MS-M06d: each call is answered once, by id, before the next assistant message."""
        calls, results = OpenCalls(), 0
        for n, entry in enumerate(self.entries):
            if self._roles[n] == "tool":
                id = shown(entry.get("tool_call_id"))
                results += 1
                if (found := calls.answer(id, n)) != "answered":
                    rule = "MS-M06b" if found == "again" else "MS-M06a"
                    self.found.add(rule, n, "tool_call_id", f"id {id!r:.80}", ids=id)
            elif self._roles[n] == "assistant":
                self._unanswered(calls, results)
                calls, results = OpenCalls(index=n), 0
                for m, call in enumerate(entries(entry.get("tool_calls"))):
                    id = shown(call.get("id")) if isinstance(call, Mapping) else ""
                    if not calls.add(id):
                        self.found.add("MS-M06c", n, f"tool_calls[{m}].id", f"id {id!r:.80}", ids=id)
        self._unanswered(calls, results)

    def _unanswered(self, calls: OpenCalls, results: int) -> None:
        if calls.is_waiting:
            # The older rule counts only, and the default fields stand for all versions.
            for rule in ("MS-M06", "MS-M06d") if calls.count != results else ("MS-M06d",):
                self.found.add(rule, calls.index, "tool_calls", f"no result for {', '.join(calls.waiting):.200}")

    def _ends(self) -> None:
        last = len(self.entries) - 1
        role = self._roles[last]
        if not last and role in ("assistant", "tool") and not self._dialect.alternate:
            self.found.add("MS-M02", 0, "role")
        elif role == "assistant" and not (
            self._dialect.prefix is not False and self.entries[last].get("prefix") is True
        ):
            self.found.add("MS-M04", last, "role", role=role)

    def _audio(self) -> None:
        if self._dialect.audio_beside_system:
            return
        systems = [n for n, role in enumerate(self._roles) if role == "system"]
        audios = [
            n
            for n, entry in enumerate(self.entries)
            if any(
                isinstance(chunk, Mapping) and chunk.get("type") == "input_audio"
                for chunk in entries(entry.get("content"))
            )
        ]
        if systems and audios:
            self.found.add("MS-M11", audios[0], systems=systems, audios=audios)
