"""Find what the Interactions API refuses in a list; written separately from parsing, repair and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import Findings, check_list, mapping_of, mappings, text_at
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects.gemini_interactions.schema import CONTENT, RULES, STEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.gemini_interactions.model_fields import Fields
    from message_history.violations import Violation

TOOL_NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
MEDIA_TYPE: Final = re.compile("(image|audio|video|text|application)/[a-zA-Z0-9][a-zA-Z0-9.+-]*")
BASE64: Final = re.compile("[A-Za-z0-9+/_-]*={0,2}")
USER: Final = frozenset({"user_input", "function_result"})


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    return check_list(_Check(wire, dialect), "GI-01")


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        self.found = Findings(RULES.by_id)
        self.entries = mappings(wire)
        self._dialect = dialect
        self._media = MediaCheck(dialect.limits, self.found.add)

    def whole(self) -> None:
        self._media.finish()
        self._pairs()
        if text_at(self.entries[0], "type") == "function_call" and not self._dialect.continues:
            self.found.add("GI-10", 0)
        if text_at(self.entries[-1], "type") not in USER and not self._dialect.prefill:
            self.found.add("GI-09", len(self.entries) - 1)

    # One step

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        kind = text_at(entry, "type")
        known = STEPS.get(kind)
        if known is None:
            detail = f"a step of type {short_repr(entry.get('type'))}"
            self.found.add("GI-02", n, "type", detail, key=kind, where="input")
            return
        self._fields(n, "", entry, known)
        if kind in ("user_input", "model_output"):
            self._content(n, "content", entry.get("content"))
        elif kind == "function_call":
            self._call(n, entry)
        elif kind == "function_result":
            self._result(n, entry)
        elif kind == "thought" and entry.get("signature") is None and not self._dialect.unsigned_thoughts:
            self.found.add("GI-14", n, "signature")
        signature = entry.get("signature")
        if signature is not None and not _decodes(signature):
            self.found.add("GI-11", n, "signature", f"signature {short_repr(signature)}")

    def _fields(self, n: int, path: str, data: Mapping[Any, Any], known: frozenset[str]) -> None:
        for key in data:
            if key not in known:
                where = f"input[{n}]{path and '.'}{path}"
                self.found.add("GI-02", n, f"{path}{path and '.'}{key}", f"the field {key!r:.60}", key=key, where=where)

    def _call(self, n: int, step: Mapping[Any, Any]) -> None:
        if not text_at(step, "id"):
            self.found.add("GI-05", n, "id", "a call without an id")
        if not TOOL_NAME.fullmatch(text_at(step, "name")):
            self.found.add("GI-12", n, "name", f"name {short_repr(step.get('name'))}")
        if not isinstance(step.get("arguments"), Mapping):
            self.found.add("GI-05", n, "arguments", "arguments that are not an object")

    def _result(self, n: int, step: Mapping[Any, Any]) -> None:
        result = step.get("result")
        if step.get("name") is not None and not TOOL_NAME.fullmatch(text_at(step, "name")):
            self.found.add("GI-12", n, "name", f"name {short_repr(step.get('name'))}")
        if isinstance(result, list):
            if not result:
                self.found.add("GI-06", n, "result", "a list of nothing", field="result")
            self._items(n, "result", result)
        elif not isinstance(result, str | Mapping):
            self.found.add("GI-06", n, "result", f"a result that is {short_repr(result)}", field="result")

    # Content

    def _content(self, n: int, path: str, content: object) -> None:
        if isinstance(content, str) and content:
            return
        if not isinstance(content, list) or not content:
            self.found.add("GI-07", n, path)
            return
        self._items(n, path, content)

    def _items(self, n: int, path: str, items: list[Any]) -> None:
        for m, item in enumerate(items):
            data = mapping_of(item)
            where, kind = f"{path}[{m}]", text_at(data, "type")
            known = CONTENT.get(kind)
            if known is None:
                if kind != "function" or path != "result":
                    self.found.add("GI-02", n, where, f"content of type {kind!r:.40}", key=kind, where=f"input[{n}]")
                continue
            self._fields(n, where, data, known)
            if kind != "text":
                self._file(n, where, kind, data)
            elif not isinstance(data.get("text"), str):
                self.found.add("GI-07", n, f"{where}.text", "text that is not a string")

    def _file(self, n: int, path: str, kind: str, item: Mapping[Any, Any]) -> None:
        mime, data, uri = item.get("mime_type"), item.get("data"), item.get("uri")
        if mime is not None and (not isinstance(mime, str) or not MEDIA_TYPE.fullmatch(mime)):
            self.found.add("GI-08", n, f"{path}.mime_type", f"media type {short_repr(mime)}", type=mime)
        if data is None and not isinstance(uri, str):
            self.found.add("GI-08", n, path, f"{kind} without data and without a URI", type=mime)
        elif data is not None and not _decodes(data):
            self.found.add("GI-08", n, f"{path}.data", "data that are not bare base64", type=mime)
        elif isinstance(data, str) and kind == "image":
            self._media.image(n, f"{path}.data", mime if isinstance(mime, str) else "", data)

    # Calls and results

    def _pairs(self) -> None:
        """GI-03 and GI-04: results by id, right after the reply with their calls."""
        waiting: dict[str, int] = {}
        for n, step in enumerate(self.entries):
            kind, id = text_at(step, "type"), text_at(step, "call_id")
            if kind == "function_call":
                waiting[text_at(step, "id")] = n
            elif kind == "function_result":
                if waiting.pop(id, None) is None and not self._dialect.continues:
                    self.found.add("GI-03", n, "call_id", f"id {id!r:.80}")
            elif kind == "user_input" or (kind in STEPS and n and text_at(self.entries[n - 1], "type") in USER):
                self._unanswered(waiting)
        self._unanswered(waiting)

    def _unanswered(self, waiting: dict[str, int]) -> None:
        for id, n in waiting.items():
            self.found.add("GI-04", n, "id", f"no result follows for {id!r:.80}")
        waiting.clear()


def _decodes(text: object) -> bool:
    return isinstance(text, str) and BASE64.fullmatch(text) is not None and len(text.rstrip("=")) % 4 != 1
