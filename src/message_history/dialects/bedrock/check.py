"""Find what Converse refuses in a list; written separately from parsing, repair and rendering.

Blobs may be bytes, as boto3 takes them, or base64 text, as they are in the HTTP request.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import (
    Findings,
    check_list,
    entries,
    has_lone_surrogate,
    is_blank_text,
    mappings,
    text_at,
)
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects.anthropic.schema import SIGNATURE
from message_history.dialects.bedrock import schema
from message_history.media.encoded import is_masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.bedrock.model_fields import Fields
    from message_history.violations import Violation

SERVICE_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
TOOL_NAME: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
DOCUMENT_NAME: Final = re.compile(r"(?! )(?!.*  )[a-zA-Z0-9_ ()\[\]-]{1,200}(?<! )")
FORMATS: Final = {"image": tuple(schema.IMAGES), "document": tuple(schema.DOCUMENTS), "video": schema.VIDEOS}
MEDIA: Final = ("image", "document", "video", "audio", "searchResult")
REQUIRED: Final = {
    "image": ("format", "source"),
    "document": ("name", "source"),
    "video": ("format", "source"),
    "toolUse": ("toolUseId", "name", "input"),
    "toolResult": ("toolUseId", "content"),
    "cachePoint": ("type",),
}
KNOWN: Final = {
    # The service takes a name of an image, which SDKs do not know.
    "image": frozenset({"format", "source", "error", "name"}),
    "document": frozenset({"format", "name", "source", "context", "citations"}),
    "video": frozenset({"format", "source"}),
    "toolUse": frozenset({"toolUseId", "name", "input", "type"}),
    "toolResult": frozenset({"toolUseId", "content", "status", "type"}),
    "cachePoint": frozenset({"type", "ttl"}),
    "reasoningContent": frozenset({"reasoningText", "redactedContent"}),
}
NOTHING: Final[Mapping[Any, Any]] = {}


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    return check_list(_Check(wire, dialect), "BR-B01", "an empty list")


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        self.found = Findings(schema.RULES.by_id)
        self.entries = mappings(wire)
        self._roles = [text_at(entry, "role") for entry in self.entries]
        self._dialect = dialect
        self._names: set[str] = set()
        self._has_text: dict[int, bool] = {}
        self._points = 0
        self._media_check = MediaCheck(dialect.limits, self.found.add)

    def whole(self) -> None:
        self._turns()
        self._pairs()
        self._media_check.finish()

    def _turns(self) -> None:
        if self._roles[0] == "assistant" and self._dialect.leading_assistant is False:
            self.found.add("BR-B01", 0, "role")
        for n in range(1, len(self._roles)):
            if self._roles[n] == self._roles[n - 1] and self._dialect.joins_neighbours is False:
                self.found.add("BR-B02", n, "role", f"two {self._roles[n]!r:.20} messages in a row")
        if self._roles[-1] == "assistant" and self._dialect.prefill is False:
            self.found.add("BR-B03", len(self._roles) - 1, "role")
        elif self._roles[-1] == "assistant" and not self._dialect.prefill_with_tools and self._has_calls():
            self.found.add("BR-B03", len(self._roles) - 1, "role", "an assistant message after calls", which=2)

    def _has_calls(self) -> bool:
        blocks = (block for entry in self.entries for block in entries(entry.get("content")))
        return any(isinstance(block, Mapping) and "toolUse" in block for block in blocks)

    def _order(self, n: int, kinds: Sequence[str], content: Sequence[Any]) -> None:
        """BR-B32: what follows a call."""
        called: list[str] = []
        for m, kind in enumerate(kinds):
            inner = content[m].get(kind) if isinstance(content[m], Mapping) else None
            is_servers = isinstance(inner, Mapping) and inner.get("type") == "server_tool_use"
            if kind == "toolUse" and not is_servers:
                called.append(_id_of(content[m], kind))
            elif kind == "reasoningContent":
                called = []  # A reply that thinks between calls is sent back unchanged.
            elif (
                called and not is_servers and kind not in ("cachePoint", "toolResult")
            ):  # Results here are of server tools (BR-B30).
                detail = f"a {kind} after the call {called[-1]:.80}"
                self.found.add("BR-B32", n, f"content[{m}]", detail, ids=", ".join(called))
                return

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        role, content = self._roles[n], entry.get("content")
        if role not in ("user", "assistant"):
            found = entry.get("role")
            self.found.add("BR-B25", n, "role", f"role {short_repr(found)}", role=found, member=n + 1)
            return
        if has_lone_surrogate(entry):
            self.found.add("BR-B29", n)
        for key in entry:
            if key not in ("role", "content"):
                self.found.add("BR-B24", n, str(key), f"unknown key {key!r:.60}", which=2, key=key)
        if content is None or content == []:
            self.found.add("BR-B04", n, "content", which=int(content is None), member=n + 1)
        elif not isinstance(content, (list, tuple)):
            value, kind = short_repr(content), type(content)
            self.found.add("BR-B24", n, "content", "content is not a list", which=3, value=value, kind=kind)
        else:
            self._content(n, role, content)

    def _content(self, n: int, role: str, content: Sequence[Any]) -> None:
        kinds = []
        for m, block in enumerate(content):
            kinds.append(self._block(n, m, f"content[{m}]", block, role=role, allowed=schema.BLOCKS))
        self._together(n, role, content, kinds)
        if role == "assistant" and self._dialect.calls_last:
            self._order(n, kinds, content)
        for m, kind in enumerate(kinds):
            if kind == "cachePoint":
                self._cache_point(n, m, content, kinds)
        if role == "user" and "document" in kinds and "text" not in kinds:
            self.found.add("BR-B19", n, f"content[{kinds.index('document')}]")
        if role == "assistant" and kinds and kinds[-1] == "reasoningContent":
            self.found.add("BR-B23", n, f"content[{len(kinds) - 1}]", "a message that ends with reasoning", which=2)
        self._number_of_media(n, content, kinds)

    def _block(self, n: int, m: int, path: str, block: object, *, role: str, allowed: Sequence[str]) -> str:
        data = block if isinstance(block, Mapping) else NOTHING
        known = [key for key in data if key in allowed]
        tags = ", ".join(allowed)
        for key in data:
            if key not in allowed:
                self.found.add("BR-B24", n, path, f"unknown key {key!r:.60}", which=1, m=m, key=key, tags=tags)
        if len(known) != 1:
            self.found.add("BR-B24", n, path, f"a block with {len(known)} known keys", m=m, tags=tags)
            return known[0] if known else ""
        kind: str = known[0]
        value = data[kind]
        if kind == "text":
            self._text(n, m, path, value)
            return kind
        inner = value if isinstance(value, Mapping) else NOTHING
        for key in REQUIRED.get(kind, ()):
            if key not in inner:
                self.found.add("BR-B24", n, f"{path}.{kind}", f"no {key}", which=4, m=m, tag=kind, key=key)
        for key in inner:
            if kind in KNOWN and key not in KNOWN[kind]:
                tags = ", ".join(sorted(KNOWN[kind]))
                self.found.add(
                    "BR-B24", n, f"{path}.{kind}", f"unknown key {key!r:.60}", which=1, m=m, key=key, tags=tags
                )
        if kind in MEDIA:
            self._media(n, m, path, kind, inner, role=role)
        elif kind == "toolUse":
            self._call(n, m, path, inner, role)
        elif kind == "toolResult":
            self._result(n, m, path, inner, role)
        elif kind == "reasoningContent":
            self._reasoning(n, path, inner, role)
        return kind

    def _text(self, n: int, m: int, path: str, text: object) -> None:
        if not isinstance(text, str):
            self.found.add("BR-B24", n, path, f"text is {type(text).__name__}", m=m, tags=", ".join(schema.BLOCKS))
        elif text == "" or (not text.strip() and not self._takes_white_space(n)):
            self.found.add("BR-B05", n, path, which=2 if text else 0, m=m)

    def _takes_white_space(self, n: int) -> bool:
        if self._dialect.white_space != "beside_text":
            return self._dialect.white_space == "alone"
        if n not in self._has_text:
            parts = entries(self.entries[n].get("content"))
            self._has_text[n] = any(isinstance(part, Mapping) and text_at(part, "text").strip() for part in parts)
        return self._has_text[n]

    def _media(self, n: int, m: int, path: str, kind: str, data: Mapping[Any, Any], *, role: str) -> None:
        if role == "assistant":
            self.found.add("BR-B20", n, path, tag=kind)
            return
        if kind not in self._dialect.media:
            self.found.add("BR-B20", n, path, f"this model takes no {kind}", which=1, tag=kind)
        form, source = data.get("format"), data.get("source")
        if kind in FORMATS and form is not None and form not in FORMATS[kind]:
            places = {"value": form, "member": n + 1, "part": m + 1, "tag": kind, "tags": ", ".join(FORMATS[kind])}
            self.found.add("BR-B28", n, f"{path}.{kind}.format", f"format {short_repr(form)}", **places)
        if isinstance(source, Mapping):
            in_results = self._dialect.s3_in_results if "toolResult" in path else None
            if "s3Location" in source and kind not in (self._dialect.s3 if in_results is None else in_results):
                elsewhere = int(kind in (self._dialect.s3_in_results or ()))
                self.found.add("BR-B27", n, f"{path}.{kind}.source", which=elsewhere, m=m, tag=kind)
            if "bytes" in source and not source["bytes"]:
                self.found.add("BR-B28", n, f"{path}.{kind}.source.bytes", "no bytes")
            elif kind in FORMATS:
                self._bytes(n, f"{path}.{kind}.source.bytes", kind, form, source)
            if len(source) != 1:
                self.found.add("BR-B24", n, f"{path}.{kind}.source", f"a source with {len(source)} keys", m=m)
        if kind == "document" and "name" in data:
            self._name(n, f"{path}.document.name", data["name"])

    def _bytes(self, n: int, path: str, kind: str, form: object, source: Mapping[Any, Any]) -> None:
        held = source.get("bytes")
        blob = base64.b64encode(held).decode() if isinstance(held, (bytes, bytearray, memoryview)) else held
        blob = blob if isinstance(blob, str) else None
        declared = _declared(kind, form)
        if kind == "document":
            self._media_check.document(n, path, declared, blob or "")
        elif blob is None or (isinstance(held, bytes) and is_masked(held)):
            self._media_check.elsewhere(n, path)
        else:
            self._media_check.image(n, path, declared, blob)

    def _name(self, n: int, path: str, name: object) -> None:
        if not isinstance(name, str) or not DOCUMENT_NAME.fullmatch(name):
            self.found.add("BR-B17", n, path, f"name {short_repr(name)}")
            return
        if name.lower() in self._names:
            self.found.add("BR-B18", n, path, f"name {name!r:.80}")
        self._names.add(name.lower())

    def _call(self, n: int, m: int, path: str, data: Mapping[Any, Any], role: str) -> None:
        if role == "user":
            self.found.add("BR-B30", n, path, "a call in a user message")
        self._id(n, m, path, data, "toolUse")
        name = data.get("name")
        if "name" in data and not (isinstance(name, str) and TOOL_NAME.fullmatch(name)):
            self.found.add(
                "BR-B10", n, f"{path}.toolUse.name", f"name {short_repr(name)}", name=name, member=n + 1, part=m + 1
            )
        if "input" in data and not isinstance(data["input"], Mapping):
            self.found.add("BR-B12", n, f"{path}.toolUse.input", f"input is {type(data['input']).__name__}", m=m)

    def _id(self, n: int, m: int, path: str, data: Mapping[Any, Any], kind: str) -> None:
        id = data.get("toolUseId")
        if "toolUseId" in data and not (isinstance(id, str) and SERVICE_ID.fullmatch(id)):
            self.found.add(
                "BR-B09", n, f"{path}.{kind}.toolUseId", f"id {short_repr(id)}", member=n + 1, part=m + 1, tag=kind
            )

    def _result(self, n: int, m: int, path: str, data: Mapping[Any, Any], role: str) -> None:
        self._id(n, m, path, data, "toolResult")
        status, content = data.get("status"), entries(data.get("content"))
        if status is not None and not self._dialect.status:
            self.found.add("BR-B26", n, f"{path}.toolResult.status")
        if "content" in data and not content:
            if status == "error":
                self.found.add("BR-B13", n, f"{path}.toolResult.content", m=m)
            elif not self._dialect.empty_results:
                self.found.add("BR-B14", n, f"{path}.toolResult.content")
        taken = schema.MEDIA_OF_RESULTS if self._dialect.in_results is None else self._dialect.in_results
        for k, part in enumerate(content):
            inner = f"{path}.toolResult.content[{k}]"
            if isinstance(part, Mapping) and part.keys() == {"text"} and is_blank_text(part["text"]):
                if status == "error" or not self._dialect.empty_results:
                    self.found.add("BR-B05", n, inner, m=m)
                continue
            side = role if role == "user" else "server"
            kind = self._block(n, k, inner, part, role=side, allowed=schema.IN_RESULTS)
            if kind == "json" and not isinstance(part["json"], Mapping):
                self.found.add("BR-B12", n, inner, "JSON that is not an object", which=1, m=m, k=k)
            elif kind in MEDIA and not _is_of(part, kind, taken):
                which = {"image": 0, "video": 1}.get(kind, 2)
                self.found.add("BR-B16", n, inner, f"a {kind} in a result", which=which, m=m, tag=kind)

    def _reasoning(self, n: int, path: str, data: Mapping[Any, Any], role: str) -> None:
        text = data.get("reasoningText")
        if (
            role == "assistant"
            and self._dialect.unsigned_reasoning is not False
            and isinstance(text, Mapping)
            and "signature" not in text
        ):
            return
        if role == "user" or not self._dialect.reasoning:
            self.found.add("BR-B23", n, path, which=1)
        elif "reasoningText" in data and not (isinstance(text, Mapping) and text_at(text, "signature")):
            self.found.add("BR-B23", n, f"{path}.reasoningContent", "unsigned reasoning")
        elif isinstance(text, Mapping) and not SIGNATURE.fullmatch(text_at(text, "signature")):
            self.found.add("BR-B23", n, f"{path}.reasoningContent", "a signature that Claude cannot have made", which=4)
        elif len(data) != 1 or ("redactedContent" in data and not data["redactedContent"]):
            self.found.add("BR-B24", n, f"{path}.reasoningContent", f"reasoning with {len(data)} keys")

    def _together(self, n: int, role: str, content: Sequence[Any], kinds: Sequence[str]) -> None:
        """BR-B15: what may be in one message with calls or results."""
        if role == "assistant":
            has_text = any(kind not in ("toolUse", "toolResult", "cachePoint", "") for kind in kinds)
            if (
                "toolUse" in kinds
                and has_text
                and not self._dialect.text_with_calls
                and "reasoningContent" not in kinds
            ):
                self.found.add("BR-B15", n, "content", "text next to calls", which=1)
            return
        if "toolResult" not in kinds:
            return
        for m, kind in enumerate(kinds):
            if kind in ("toolResult", "cachePoint", ""):
                continue
            guarded = content[m][kind] if kind == "guardContent" else None
            block = guarded if isinstance(guarded, Mapping) and guarded else content[m]
            if not _is_of(block, kind if block is content[m] else next(iter(block)), self._dialect.beside_results):
                which = 2 if self._dialect.beside_results else 0
                self.found.add("BR-B15", n, f"content[{m}]", f"a {kind} next to results", which=which)

    def _cache_point(self, n: int, m: int, content: Sequence[Any], kinds: Sequence[str]) -> None:
        path = f"content[{m}]"
        self._points += 1
        point = content[m]["cachePoint"]
        before = [position for position in range(m) if kinds[position] != "cachePoint"]
        last = before[-1] if before else -1
        if not self._dialect.cache_points:
            self.found.add("BR-B22", n, path, "a cache point for a model that has no cache", which=3)
        if self._points == schema.MAX_CACHE_POINTS + 1:
            self.found.add("BR-B22", n, path, "more than four cache points", which=4, count=self._points)
        if isinstance(point, Mapping) and point.get("ttl") is not None and self._dialect.cache_ttl is False:
            self.found.add("BR-B22", n, path, "a time to live, which this model does not know", which=3)
        if last >= 0 and kinds[last] == "reasoningContent":
            self.found.add("BR-B22", n, path, "a cache point after reasoning")
        elif not before or kinds[before[0]] in ("document", "video"):
            self.found.add("BR-B22", n, path, "nothing that can be cached before a cache point", which=1)
        elif kinds[last] == "video" or (kinds[last] == "document" and not _is_of(content[last], "document", {"pdf"})):
            self.found.add("BR-B22", n, path, "a cache point after a document", which=2, m=m + 1)

    def _number_of_media(self, n: int, content: Sequence[Any], kinds: Sequence[str]) -> None:
        counts = {"image": kinds.count("image"), "document": kinds.count("document")}
        for m, kind in enumerate(kinds):
            if kind == "toolResult" and isinstance(content[m]["toolResult"], Mapping):
                for part in entries(content[m]["toolResult"].get("content")):
                    for key in counts:
                        counts[key] += isinstance(part, Mapping) and key in part
        for key, limit in (("image", self._dialect.max_images), ("document", self._dialect.max_documents)):
            if counts[key] > limit:
                self.found.add("BR-B21", n, "content", f"{counts[key]} {key}s")

    def _pairs(self) -> None:
        """BR-B06 to BR-B08 and BR-B30: each message's calls with the results of the next."""
        waiting: list[str] = []
        for n, entry in enumerate(self.entries):
            content = [block for block in entries(entry.get("content")) if isinstance(block, Mapping)]
            if self._roles[n] == "assistant":
                self._missing(n, waiting)
                waiting = self._calls(n, content)
                continue
            ids = [_id_of(block, "toolResult") for block in content if "toolResult" in block]
            self._doubled(n, ids)
            if len(ids) > len(waiting):
                self.found.add("BR-B07", n, "content", f"{len(ids)} results for {len(waiting)} calls")
            elif not set(waiting).issuperset(ids):
                self.found.add("BR-B07", n, "content", f"a result of no call before it: {', '.join(ids):.200}")
            answered = set(ids)
            self._missing(n, [id for id in waiting if id not in answered])
            kinds = ["toolResult" in block for block in content if "cachePoint" not in block]
            if ids and waiting and kinds[: len(ids)] != [True] * len(ids):
                self.found.add("BR-B06", n, "content", "results after other content", which=1, count=len(ids))
            waiting = []
        self._missing(len(self.entries), waiting)

    def _calls(self, n: int, content: Sequence[Mapping[Any, Any]]) -> list[str]:
        """Return the ids of a message's calls that the user has to answer."""
        calls: list[str] = []
        served: list[str] = []
        for block in content:
            call = block.get("toolUse")
            if isinstance(call, Mapping) and call.get("type") == "server_tool_use":
                served.append(_id_of(block, "toolUse"))
                if not self._dialect.server_tools:
                    self.found.add("BR-B30", n, "content", "a call of a server tool, which this model does not have")
            elif "toolUse" in block:
                calls.append(_id_of(block, "toolUse"))
            elif "toolResult" in block:
                id = _id_of(block, "toolResult")
                if id in served:
                    served.remove(id)
                else:
                    self.found.add("BR-B30", n, "content", f"a result in an assistant message: {id:.80}")
        if served:
            self.found.add("BR-B30", n, "content", f"server tools without results: {', '.join(served):.200}")
        if len(set(calls)) != len(calls):
            doubled = ", ".join(sorted(id for id, count in Counter(calls).items() if count > 1))
            self.found.add("BR-B08", n, "content", f"calls with one id: {doubled:.200}", ids=doubled)
        return calls

    def _missing(self, n: int, ids: Sequence[str]) -> None:
        if ids:
            named = ", ".join(dict.fromkeys(ids))
            index = min(n, len(self.entries) - 1)
            self.found.add("BR-B06", index, "content", f"no result follows for {named:.200}", ids=named)

    def _doubled(self, n: int, ids: Sequence[str]) -> None:
        doubled = sorted(id for id, count in Counter(ids).items() if count > 1)
        if doubled:
            named = ", ".join(doubled)
            self.found.add("BR-B08", n, "content", f"results with one id: {named:.200}", ids=named)


def _id_of(block: Mapping[Any, Any], kind: str) -> str:
    data = block.get(kind)
    return text_at(data, "toolUseId") if isinstance(data, Mapping) else ""


def _is_of(block: Mapping[Any, Any], kind: str, kinds: frozenset[str] | set[str]) -> bool:
    """Return whether a block's key, or a document's format, is among some kinds."""
    data = block.get(kind)
    return kind in kinds or (kind == "document" and isinstance(data, Mapping) and text_at(data, "format") in kinds)


def _declared(kind: str, form: object) -> str:
    """Return the media type that a format stands for."""
    name = form if isinstance(form, str) else "octet-stream"
    if kind == "image":
        return "image/jpeg" if name.lower() == "jpg" else schema.IMAGES.get(name.lower(), f"image/{name}")
    return schema.DOCUMENTS.get(name.lower(), f"application/{name}")
