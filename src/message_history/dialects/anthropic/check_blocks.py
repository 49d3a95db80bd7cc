"""Find what the Messages API refuses in one block alone; written separately from parsing, repair and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import entries, is_blank_text, kind_of, mappings, text_at
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects._shared.schema import Fits, Shape, anything, flag, misfits, text
from message_history.dialects.anthropic import schema, shapes

if TYPE_CHECKING:
    from message_history.dialects._shared.checker import Findings
    from message_history.dialects.anthropic.model_fields import Fields

_ID: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_IN_HISTORY: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
MODELLED: Final[dict[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source", "title"),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id", "content", "is_error"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
}
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
}
TYPED: Final[dict[str, dict[str, Fits]]] = {
    "text": {"text": text},
    "tool_result": {
        "tool_use_id": text,
        "content": lambda value: isinstance(value, (str, list, tuple)),
        "is_error": flag,
    },
    "thinking": {"thinking": text},
    "redacted_thinking": {"data": text},
}
_SHAPES: Final = shapes.WHOLE | {
    kind: Shape({**dict.fromkeys(names, anything), **TYPED.get(kind, {}), **shapes.VALUES[kind]}, REQUIRED[kind])
    for kind, names in MODELLED.items()
}
THINKING: Final = ("thinking", "redacted_thinking")


def _tags(kinds: frozenset[str]) -> str:
    return ", ".join(f"'{kind}'" for kind in sorted(kinds))


NO_PDF: Final = re.compile(r"^[^?#]*\.(txt|md|csv)([?#]|$)", re.IGNORECASE)
"""Addresses of what is not a PDF, as their endings say."""


@final
class BlockCheck:
    """The blocks of one list."""

    def __init__(self, found: Findings, dialect: Fields) -> None:
        self._dialect = dialect
        self.marks: list[tuple[int, int, Any]] = []
        self._found = found
        self.media = MediaCheck(dialect.limits, found.add)
        self._cited: dict[str, bool] = {}

    def block(self, n: int, m: int, block: object, role: str) -> None:
        path = f"content[{m}]"
        kind = kind_of(block)
        taken = schema.IN_ASSISTANT if role == "assistant" else schema.IN_USER
        if not isinstance(block, Mapping) or not kind:
            self._found.add("AN-B6", n, path, "a block without a type", m=m, tag=kind, tags=_tags(taken))
        elif kind in ("tool_use", "server_tool_use") and role == "user":
            self._found.add("AN-C10", n, path)
        elif kind == "tool_result" and role == "assistant":
            self._found.add("AN-C11", n, path)
        elif kind in THINKING and role == "user":
            self._found.add("AN-T7", n, path)
        elif kind == "search_result" and role == "assistant":
            self._found.add("AN-M9", n, path)
        elif kind not in taken:
            # An assistant message may hold response blocks that are newer than this list.
            foreign = role == "user" or re.fullmatch(schema.FOREIGN, kind)
            if foreign or kind in schema.IN_USER or kind in schema.IN_RESULTS:
                self._found.add("AN-B6", n, path, f"a block of type {kind!r:.60}", m=m, tag=kind, tags=_tags(taken))
        else:
            self._keys(n, m, path, block, kind)
            self._values(n, m, block, kind)

    def _keys(self, n: int, m: int, path: str, block: Mapping[Any, Any], kind: str) -> None:
        shape = _SHAPES.get(kind)
        if shape is None:
            return
        for key in block:
            if key == "cache_control" and kind in THINKING:
                self._found.add("AN-K3", n, path, m=m, tag=kind)
            elif key != "type" and key not in shape.fields:
                self._found.add("AN-B7", n, f"{path}.{key}", f"unknown key {key!r:.60}", m=m, tag=kind, key=key)
        for key, missing in misfits(shape, block):
            self._misfit(n, m, f"{path}.{key}", block, key, missing=missing)
        if block.get("cache_control") is not None and kind not in THINKING:
            self.marks.append((n, m, block["cache_control"]))
        if kind in ("document", "search_result"):
            self._alike(n, path, block, kind)

    def _misfit(self, n: int, m: int, path: str, block: Mapping[Any, Any], key: str, *, missing: bool) -> None:
        kind = kind_of(block)
        if missing:
            self._found.add("AN-B8", n, path, f"no {key}", m=m, tag=kind, key=key)
            return
        if kind == "server_tool_use" and key == "id":
            return  # AN-S3 says so
        rule = "AN-B8"
        if kind == "text" and key == "citations":
            rule = "AN-B10"
        elif kind == "compaction" and key == "content":
            rule = "AN-S13"
        elif kind == "web_search_tool_result" and key == "content":
            rule = "AN-S5"
        elif kind == "document" and key == "context":
            rule = "AN-M8"
        value = block[key]
        detail = f"{key} is {type(value).__name__}: {short_repr(value)}"
        self._found.add(rule, n, path, detail, which=int(rule == "AN-B8"), m=m, tag=kind, key=key)

    def _alike(self, n: int, path: str, block: Mapping[Any, Any], kind: str) -> None:
        config = block.get("citations")
        enabled = isinstance(config, Mapping) and config.get("enabled") is True
        if self._cited.setdefault(kind, enabled) != enabled:
            self._found.add("AN-M9", n, f"{path}.citations", f"citations are on for some of the {kind} blocks only")

    def _values(self, n: int, m: int, block: Mapping[Any, Any], kind: str) -> None:
        path = f"content[{m}]"
        if kind == "text" and "text" in block:
            if block["text"] == "":
                self._found.add("AN-K2" if "cache_control" in block else "AN-B2", n, path, m=m)
        elif kind == "thinking":
            signature = text_at(block, "signature")
            if not signature:
                if block.get("signature") != "" or not self._dialect.unsigned_thinking:
                    self._found.add("AN-T5", n, path, m=m)
            elif not schema.SIGNATURE.fullmatch(signature):
                self._found.add("AN-T4", n, path, "a signature that this API cannot have made", m=m)
        elif kind == "tool_use":
            self._call(n, m, block)
        elif kind == "tool_result":
            self._result(n, m, block)
        elif kind == "image":
            self._image(n, m, path, block)
        elif kind == "document":
            self._document(n, m, path, block)

    def _call(self, n: int, m: int, block: Mapping[Any, Any]) -> None:
        path = f"content[{m}]"
        id, name = block.get("id"), block.get("name")
        if "id" in block and not (isinstance(id, str) and _ID.fullmatch(id)):
            self._found.add("AN-C7", n, f"{path}.id", f"id {short_repr(id)}", m=m, tag="tool_use", key="id")
        if "name" in block and not (isinstance(name, str) and NAME_IN_HISTORY.fullmatch(name)):
            self._found.add("AN-C8", n, f"{path}.name", f"name {short_repr(name)}", m=m)
        if "input" in block and not isinstance(block["input"], Mapping):
            self._found.add("AN-C9", n, f"{path}.input", f"input is {type(block['input']).__name__}", m=m)

    def _result(self, n: int, m: int, block: Mapping[Any, Any]) -> None:
        path = f"content[{m}]"
        called = block.get("tool_use_id")
        if isinstance(called, str) and not _ID.fullmatch(called):
            key = "tool_use_id"
            self._found.add("AN-C7", n, f"{path}.{key}", f"id {called!r:.80}", m=m, tag="tool_result", key=key)
        content = block.get("content")
        errs = block.get("is_error") is True
        if errs and not content:
            self._found.add("AN-C12", n, path, m=m)
        parts = mappings(entries(content))
        kinds = [kind_of(part) for part in parts]
        for k, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
            inner = f"{path}.content[{k}]"
            if kind not in schema.IN_RESULTS:
                self._found.add("AN-C14", n, inner, f"a block of type {kind!r:.60}", m=m, k=k, tag=kind)
                continue
            self._keys(n, m, inner, part, kind)
            if errs and kind != "text":
                self._found.add("AN-C13", n, inner, m=m)
            elif kind == "text" and is_blank_text(part.get("text")):
                self._found.add("AN-B2" if part["text"] == "" else "AN-B3", n, inner)
            elif kind == "image":
                self._image(n, m, inner, part)
            elif kind == "document":
                self._document(n, m, inner, part)
        if "search_result" in kinds and set(kinds) != {"search_result"}:
            self._found.add("AN-C15", n, path)

    def _source(self, n: int, path: str, block: Mapping[Any, Any], shapes: Mapping[str, Shape]) -> Mapping[Any, Any]:
        """Look at where media are, and return that."""
        source = block.get("source")
        shape = shapes.get(kind_of(source))
        if not isinstance(source, Mapping) or shape is None:
            if "source" in block:
                self._found.add(
                    "AN-B6", n, f"{path}.source", f"a source of type {kind_of(source)!r:.60}", tag=kind_of(source)
                )
            return {}
        for key in source:
            if key != "type" and key not in shape.fields:
                self._found.add("AN-B7", n, f"{path}.source.{key}", f"unknown key {key!r:.60}", tag="source", key=key)
        for key, missing in misfits(shape, source):
            if missing or not text(source[key]):
                self._found.add("AN-B8", n, f"{path}.source.{key}", f"no {key}", tag="source", key=key)
        return source

    def _image(self, n: int, m: int, path: str, block: Mapping[Any, Any]) -> None:
        source = self._source(n, path, block, shapes.IMAGE_SOURCES)
        self._address(n, m, path, source)
        if source.get("type") != "base64":
            self.media.elsewhere(n, path)
            return
        media_type = text_at(source, "media_type")
        if media_type not in schema.IMAGE_TYPES:
            self._found.add(
                "AN-M5", n, f"{path}.source.media_type", f"media type {media_type!r:.60}", which=1, m=m, tag=media_type
            )
            return
        self.media.image(n, f"{path}.source.data", media_type, text_at(source, "data"), m=m)

    def _address(self, n: int, m: int, path: str, source: Mapping[Any, Any]) -> None:
        if self._dialect.data_only and source.get("type") == "url":
            self._found.add("AN-M12", n, f"{path}.source", "a URL", m=m)

    def _document(self, n: int, m: int, path: str, block: Mapping[Any, Any]) -> None:
        source = self._source(n, path, block, shapes.DOCUMENT_SOURCES)
        self._address(n, m, path, source)
        if source.get("type") == "url" and NO_PDF.search(text_at(source, "url")):
            self._found.add("AN-M11", n, f"{path}.source.url", "the address of a text", m=m)
        wanted = {"base64": "application/pdf", "text": "text/plain"}.get(text_at(source, "type"))
        if wanted is not None and text_at(source, "media_type") not in ("", wanted):
            self._found.add("AN-M7", n, f"{path}.source.media_type", f"media type {source['media_type']!r:.60}")
        elif text_at(source, "type") == "base64":
            self.media.document(n, f"{path}.source.data", "application/pdf", text_at(source, "data"))
        for k, part in enumerate(entries(source.get("content"))):
            if kind_of(part) == "image":
                self._image(n, m, f"{path}.source.content[{k}]", part)
        title = block.get("title")
        if title is not None and (not isinstance(title, str) or not 1 <= len(title) <= 500):
            self._found.add("AN-M8", n, f"{path}.title")
