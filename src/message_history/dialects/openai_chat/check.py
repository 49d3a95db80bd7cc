"""Find what Chat Completions refuses in a list; written separately from parsing, repair and rendering.

The check finds faults; which rule a fault breaks, in whose text, is the provider's to say (`providers.py`). One
that a provider does not mind is not reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

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
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.check_order import faults_of_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from message_history.dialects._shared.rules import Rule
    from message_history.dialects.openai_chat.model_fields import Fields
    from message_history.violations import Violation

FUNCTION_NAME: Final = re.compile("[a-zA-Z0-9_-]+")
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
REASONING: Final = ("reasoning_content", "reasoning")


def violations(wire: Sequence[Any], dialect: Fields, quoted: Mapping[str, Rule]) -> list[Violation]:
    check = _Check(wire, dialect, quoted)
    check.length()
    return check_list(check)


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields, quoted: Mapping[str, Rule]) -> None:
        self.found = Findings(quoted)
        self.entries = mappings(wire)
        self._dialect = dialect
        self._quoted = quoted
        self._media = MediaCheck(evolve(dialect.limits, rules=_MEDIA_FAULTS), self._media_fault)
        self._reasons = any(_has_reasoning(entry) for entry in self.entries)

    def length(self) -> None:
        limit = self._dialect.max_messages
        if not self.entries:
            self._add("no messages")
        elif limit is not None and len(self.entries) > limit:
            self._add("many messages", count=len(self.entries))

    def whole(self) -> None:
        """Check runs of tool messages, ids and the order of roles."""
        self._media.finish()
        self._ids()
        self._pairs()
        for fault, at, detail, before in faults_of_order(self.entries, self._dialect):
            self._add(fault, at, "role", detail, before=before, model="deepseek-reasoner")

    def _add(
        self, fault: str, at: int | None = None, path: str = "", detail: str = "", *, text: int = 0, **values: object
    ) -> None:
        """Report a fault, if the provider minds it, in the text that it has for it."""
        rule = self._quoted.get(fault)
        if rule is None:
            return
        places = values if at is None else {"n": at, "role": self._role(at), "behind": self._role(at - 1), **values}
        self.found.add(fault, at, path, detail, which=min(text, len(rule.errors) - 1), **places)

    def _media_fault(
        self, rule: str, index: int | None = None, path: str = "", detail: str = "", *, which: int = 0, **values: Any
    ) -> None:
        self._add(rule, index, path, detail, text=which, **values)

    def _role(self, n: int) -> object:
        return self.entries[n].get("role", "") if n >= 0 else ""

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        role = entry.get("role")
        if not isinstance(role, str) or role not in ROLES:
            self._add("role", n, "role", f"role {short_repr(role)}", role=short_repr(role))
            return
        if has_lone_surrogate(entry):
            self._add("surrogate", n)
        token = self._dialect.banned_text
        if token is not None and any(token in text for text in _texts(entry)):
            self._add("banned text", n, token=token)
        if role in ("system", "developer") and self._dialect.system_role == "user":
            self._add("no system", n, "role", role=role)
        if role == "developer" and not self._dialect.developer:
            self._add("developer", n, "role", role=role)
        name = entry.get("name")
        if name is not None and role not in ("tool", "function"):
            if not isinstance(name, str) or len(name) > schema.NAME_LIMIT or not FUNCTION_NAME.fullmatch(name):
                self._add("message name", n, "name", f"name {short_repr(name)}")
        if role == "tool" and not isinstance(entry.get("tool_call_id"), str) and not self._pairs_in_order(entry):
            self._add("no id", n, "tool_call_id")
        if role == "tool" and self._dialect.result_names and not entry.get("name"):
            self._add("no tool name", n, "name")
        if role == "function" and not entry.get("name"):
            self._add("no function name", n, "name")
        self._keys(n, entry, role)
        self._content(n, entry, role)
        if "tool_calls" in entry and entry["tool_calls"] is not None:
            self._calls(n, entries(entry["tool_calls"]))

    def _keys(self, n: int, entry: Mapping[Any, Any], role: str) -> None:
        """Find reasoning where it must not be, and where it must."""
        dialect = self._dialect
        for key in sorted(dialect.refused_keys):
            if key == "name" and role in ("tool", "function"):
                continue
            if key != dialect.reasoning and entry.get(key) is not None:
                self._add("refused key", n, key, f"the key {key!r}", text=int(key == "reasoning"), key=key, role=role)
                if key == "reasoning":
                    self._add("refused reasoning", n, key)
        calls = entries(entry.get("tool_calls"))
        required = dialect.reasoning_required
        wanted = (bool(calls) and required in ("calls", "always")) or (
            self._reasons and required in ("once shown", "always")
        )
        if role == "assistant" and wanted and not isinstance(entry.get(str(dialect.reasoning)), str):
            self._add("no reasoning", n, str(dialect.reasoning), f"no `{dialect.reasoning}`", text=int(not calls))

    def _content(self, n: int, entry: Mapping[Any, Any], role: str) -> None:
        content = entry.get("content")
        speaks = bool(entries(entry.get("tool_calls"))) or any(
            entry.get(key) for key in ("function_call", "refusal", "audio")
        )
        if "content" not in entry and self._dialect.content_key:
            self._add("no content key", n, "content")
        if content is None:
            if role != "assistant":
                self._add("null elsewhere", n, "content")
            elif speaks:
                if self._dialect.null_content == "empty":
                    self._add("no content beside calls", n, "content")
            elif not self._dialect.no_content:
                self._add("null content", n, "content")
        elif isinstance(content, list):
            self._parts(n, content, role, speaks=speaks)
        elif not isinstance(content, str):
            tag = "object" if isinstance(content, Mapping) else type(content).__name__
            self._add("odd content", n, "content", tag=tag)
        elif self._dialect.parts == "always":
            self._add("text as content", n, "content", "a text that is not a part")
        elif not content and role == "assistant" and speaks:
            self._add("empty content beside calls", n, "content", "an empty text next to calls")
        elif not content and not self._dialect.empty_content:
            self._add("empty result" if role == "tool" else "empty content", n, "content", "an empty text", role=role)
        if content and not self._dialect.text_with_calls and entries(entry.get("tool_calls")):
            self._add("content beside calls", n, "content", "content next to calls")

    def _parts(self, n: int, parts: list[Any], role: str, *, speaks: bool) -> None:
        dialect = self._dialect
        if not parts:
            fault = "no parts beside calls" if role == "assistant" and speaks else "no parts"
            if fault == "no parts" or dialect.parts != "always":
                self._add(fault, n, "content", "an empty list of parts", text=2)
        elif not dialect.parts:
            if role != "user":
                self._add("parts", n, "content", "a list of parts", text=2)
            elif not dialect.images or dialect.native or not any(kind_of(part) == "image_url" for part in parts):
                self._add("user parts", n, "content", "a list of parts")
        if role == "tool" and not dialect.empty_content and not any(_has_text(part) for part in parts):
            self._add("empty result", n, "content", "no text that is not empty")
        if role == "assistant" and len(parts) > 1 and any(kind_of(part) == "refusal" for part in parts):
            self._add("mixed refusal", n, "content", "a refusal next to other parts")
        for m, part in enumerate(parts):
            self._part(n, m, part, role)

    def _part(self, n: int, m: int, part: object, role: str) -> None:
        path = f"content[{m}]"
        dialect = self._dialect
        kind = kind_of(part)
        taken = {"input_audio": dialect.audio, "file": dialect.files, "video_url": dialect.videos}.get(kind, True)
        if isinstance(part, str):
            self._add("bare text", n, path, "a text that is not a part", m=m)
        elif not kind:
            self._add("no part type", n, path, m=m)
        elif kind == "image_url":
            self._image(n, m, part, role)
        elif kind == "file" and role == "user" and taken and not _has_file(part, exact=dialect.strict_urls):
            self._add("file", n, path, "a file that is not a data URL and has no id", m=m)
        elif kind == "file" and role == "user" and dialect.strict_urls and (tag := _recording(part)):
            self._add("recording", n, f"{path}.file.file_data", f"a file of type {tag!r:.60}", m=m, type=tag)
        elif role == "assistant" and kind not in schema.KNOWN_PARTS and dialect.unknown_parts:
            return  # No rule knows it: no violation.
        elif role == "tool" and kind in dialect.result_parts:
            return
        elif kind not in schema.PARTS.get(role, frozenset()) or not taken:
            fault = "part type" if role == "user" else "part of another role"
            self._add(fault, n, path, f"a part of type {kind!r:.40}", kind=kind, role=role)
        elif kind == "text" and isinstance(part, Mapping) and part.get("text") == "":
            self._add("empty part", n, path, "an empty text")

    def _image(self, n: int, m: int, part: object, role: str) -> None:
        path, dialect, url = f"content[{m}]", self._dialect, _url_of(part)
        place: dict[str, Any] = {"kind": "image_url", "role": role}
        if not dialect.images:
            self._add("image", n, path, **place)
        elif role == "tool" and dialect.result_images == "refused":
            self._add("image in a result", n, path, **place)
        elif role not in ("user", "tool"):
            self._add("image elsewhere", n, path, **place)
        elif not dialect.image_urls and not _is_inline(part):
            self._add("image url", n, path, "an image that is only a URL", text=1, url=url)
        elif (dialect.strict_urls and not _is_address(url)) or (isinstance(url, str) and not url.strip()):
            self._add("image address", n, f"{path}.image_url.url", text=int(url is not None), m=m, url=url)
        else:
            self._media.url(n, f"{path}.image_url.url", url)

    def _calls(self, n: int, calls: list[Any]) -> None:
        dialect = self._dialect
        if not calls:
            self._add("no calls", n, "tool_calls")
        if len(calls) > dialect.max_calls:
            self._add("many calls", n, "tool_calls", f"{len(calls)} calls", count=len(calls))
        for m, item in enumerate(calls):
            path = f"tool_calls[{m}]"
            call = mapping_of(item)
            id = text_at(call, "id")
            if dialect.id_limit is not None and len(id) > dialect.id_limit:
                detail = f"id of {len(id)} characters"
                self._add("long id", n, f"{path}.id", detail, m=m, limit=dialect.id_limit, count=len(id), ids=id)
            custom = call.get("type") == "custom"
            if custom and not dialect.custom_calls:
                self._add("custom call", n, f"{path}.type", "a call of type custom")
            if not text_at(call, "type"):
                self._add("no call type", n, f"{path}.type")
            function = mapping_of(call.get("custom" if custom else "function"))
            name = text_at(function, "name")
            if not dialect.name_pattern.fullmatch(name):
                detail = f"name {short_repr(name)}"
                self._add("call name", n, f"{path}.function.name", detail, text=int(not name), m=m, name=name)
            elif len(name) > schema.NAME_LIMIT:
                self._add(
                    "long call name", n, f"{path}.function.name", count=len(name), limit=schema.NAME_LIMIT, name=name
                )
            if not custom:
                self._arguments(n, m, function.get("arguments"), id)

    def _arguments(self, n: int, m: int, arguments: object, id: str) -> None:
        path = f"tool_calls[{m}].function.arguments"
        if self._dialect.native:
            if not isinstance(arguments, Mapping):
                self._add("arguments no object", n, path, "arguments that are not an object", m=m, ids=id)
        elif not isinstance(arguments, str):
            self._add("arguments not text", n, path, "arguments that are not text")
        elif self._dialect.object_arguments:
            try:
                read = json.loads(arguments, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                place = _place_of(error)
                self._add("arguments not json", n, path, "arguments that are not JSON", m=m, ids=id, **place)
            else:
                if not isinstance(read, dict):
                    self._add("arguments no object", n, path, "arguments that are not a JSON object", m=m, ids=id)

    def _pairs(self) -> None:
        """Each assistant message with the run of tool messages right after it."""
        calls = _NO_CALLS
        for n, entry in enumerate(self.entries):
            role = entry.get("role")
            if role != "tool":
                self._unanswered(calls, n)
                made = entries(entry.get("tool_calls")) if role == "assistant" else []
                ids = [text_at(call, "id") for call in made if isinstance(call, Mapping)]
                calls = OpenCalls(index=n, ids=ids) if ids else _NO_CALLS
                continue
            id = text_at(entry, "tool_call_id")
            if calls.is_waiting and self._pairs_in_order(entry):
                id = calls.waiting[0]
            others = calls.is_waiting
            before = calls.answered_at(id)
            found = calls.answer(id, n)
            if before is not None:
                self._add("answered twice", before, "", f"id {id!r:.80}", ids=id, m=n)
                if not others:
                    self._add("surplus", n, "role", f"id {id!r:.80}")
            elif found == "unknown" and "tool_call_id" in entry:
                self._add("unexpected id" if others else "orphan", n, "role", f"id {id!r:.80}", ids=id)
        self._unanswered(calls, len(self.entries))

    def _pairs_in_order(self, entry: Mapping[Any, Any]) -> bool:
        """Return whether a result without an id is the next call's: some hosts take it so, unknown ones may."""
        return "tool_call_id" not in entry and ("no id" not in self._quoted or self._dialect.prefill is None)

    def _unanswered(self, calls: OpenCalls, behind: int) -> None:
        if calls.is_waiting:
            ids = ", ".join(calls.waiting)
            detail = f"no tool message follows for {ids:.200}"
            self._add("unanswered", calls.index, "tool_calls", detail, ids=ids, m=behind)

    def _ids(self) -> None:
        """Ids that are empty, of another form than demanded, or used before."""
        used: set[str] = set()
        for n, entry in enumerate(self.entries):
            calls = entries(entry.get("tool_calls"))
            here: set[str] = set()
            for m, call in enumerate(calls):
                id = text_at(call, "id") if isinstance(call, Mapping) else ""
                path = f"tool_calls[{m}].id"
                if not id:
                    self._add("empty id", n, path, "an empty id")
                if not self._dialect.id_pattern.fullmatch(id):
                    self._add("id", n, path, f"id {id!r:.80}", ids=id)
                if id in here:
                    self._add("id twice", n, path, f"id {id!r:.80}", ids=id)
                elif id in used and self._dialect.unique_ids:
                    self._add("used id", n, path, f"id {id!r:.80}", ids=id)
                here.add(id)
            used |= here
            if entry.get("role") == "tool" and entry.get("tool_call_id") == "":
                self._add("empty id", n, "tool_call_id", "an empty id")


def _has_reasoning(entry: Mapping[Any, Any]) -> bool:
    return entry.get("role") == "assistant" and any(isinstance(entry.get(key), str) for key in REASONING)


def _has_text(part: object) -> bool:
    return isinstance(part, Mapping) and kind_of(part) == "text" and bool(part.get("text"))


def _url_of(part: object) -> object:
    image = part.get("image_url") if isinstance(part, Mapping) else None
    return image.get("url") if isinstance(image, Mapping) else image


def _is_address(url: object) -> bool:
    """Return whether a URL says where an image is, or holds it."""
    return isinstance(url, str) and url.startswith(("https://", "http://", "data:"))


def _has_file(part: object, *, exact: bool) -> bool:
    """Return whether a part holds or names a file; where not `exact`, in whatever way."""
    file = mapping_of(part.get("file") if isinstance(part, Mapping) else None)
    if not exact:
        return any(value for key, value in file.items() if key != "filename")
    return bool(text_at(file, "file_id")) or text_at(file, "file_data").startswith("data:")


def _recording(part: object) -> str:
    """Return the type of a file that is a recording; empty for another."""
    file = mapping_of(part.get("file") if isinstance(part, Mapping) else None)
    kind = text_at(file, "file_data")[5:].partition(";")[0].partition(",")[0]
    return kind if kind.startswith(("audio/", "video/")) else ""


def _is_inline(part: object) -> bool:
    url = _url_of(part)
    return isinstance(url, str) and url.startswith("data:")


def _place_of(error: Exception) -> dict[str, Any]:
    """Return where text stops being JSON, as the servers that are written in Python do."""
    if not isinstance(error, json.JSONDecodeError):
        return {}
    return {"error": error.msg, "line": error.lineno, "column": error.colno, "position": error.pos}


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _texts(value: object) -> Iterator[str]:
    """Return the texts in a raw value; what is nested deeper than 200 is not looked at."""
    todo: list[tuple[object, int]] = [(value, 0)]
    while todo:
        item, depth = todo.pop()
        if isinstance(item, str):
            yield item
        elif depth < 200 and isinstance(item, Mapping):
            todo += [(part, depth + 1) for part in item.values()]
        elif depth < 200 and isinstance(item, (list, tuple)):
            todo += [(part, depth + 1) for part in item]


_NO_CALLS: Final = OpenCalls()
_MEDIA_FAULTS: Final = {
    **dict.fromkeys(("type", "broken", "animated"), "image data"),
    **dict.fromkeys(("bytes", "side", "pixels", "many", "count", "total"), "image size"),
}
