"""Find what the Messages API refuses in a list as it stands; written apart from parsing, repair and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects.anthropic import rules
from message_history.dialects.checks import Findings, entries, has_lone_surrogate, is_blank_text, text_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.checking import Violation
    from message_history.dialects.anthropic import Anthropic

__all__ = ["violations"]

_ID: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_IN_HISTORY: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
MESSAGE_KEYS: Final = frozenset({"role", "content"})
SYSTEM_KEYS: Final = frozenset({"role", "content", "clear_at", "output_config"})
BLOCK_KEYS: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "image": frozenset({"type", "source", "cache_control"}),
    "document": frozenset({"type", "source", "title", "context", "citations", "cache_control"}),
    "tool_use": frozenset({"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
    "redacted_thinking": ("data",),
}
THINKING: Final = ("thinking", "redacted_thinking")


def violations(wire: Sequence[Any], dialect: Anthropic) -> list[Violation]:
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

    def __init__(self, wire: Sequence[Any], dialect: Anthropic) -> None:
        self.found = Findings(rules.BY_ID)
        self._wire = [entry if isinstance(entry, Mapping) else {} for entry in wire]
        self._dialect = dialect
        self._server: dict[str, tuple[int, str]] = {}
        self._marks: list[tuple[int, str, Any]] = []

    def run(self) -> None:
        """Look at every message, then at pairs of messages, then at the whole."""
        if not self._wire:
            self.found.add("A1")
            return
        for n, entry in enumerate(self._wire):
            self._message(n, entry)
        self._pairs()
        self._server_tools()
        self._cache_marks()
        self._end()

    def _message(self, n: int, entry: Mapping[Any, Any]) -> None:
        role = entry.get("role")
        if role == "system":
            self._system(n, entry)
            return
        if role not in ("user", "assistant"):
            self.found.add("A4", n, "role", f"role {role!r:.40}")
            return
        if has_lone_surrogate(entry):
            self.found.add("B9", n)
        for key in entry:
            if key not in MESSAGE_KEYS:
                self.found.add("A11" if key == "clear_at" else "B7", n, str(key), f"unknown key {key!r:.60}", key=key)
        content = entry.get("content")
        last = n == len(self._wire) - 1
        if isinstance(content, str):
            if content == "" and not (last and role == "assistant"):
                self.found.add("B1", n)
            elif content and not content.strip():
                self.found.add("B3", n)
        elif not isinstance(content, list):
            self.found.add("B5", n, "content")
        elif not content and not (last and role == "assistant"):
            self.found.add("B1", n)
        else:
            for m, block in enumerate(content):
                self._block(n, m, block, str(role))
            if role == "assistant" and content and self._kind(content[-1]) in THINKING:
                self.found.add("T8", n, f"content[{len(content) - 1}]")

    def _block(self, n: int, m: int, block: object, role: str) -> None:
        path = f"content[{m}]"
        kind = self._kind(block)
        if not isinstance(block, Mapping) or not kind:
            self.found.add("B6", n, path, "a block without a type", m=m, tag=kind)
            return
        if kind in ("tool_use", "server_tool_use") and role == "user":
            self.found.add("C10", n, path)
            return
        if kind == "tool_result" and role == "assistant":
            self.found.add("C11", n, path)
            return
        if kind in THINKING and role == "user":
            self.found.add("T7", n, path)
            return
        if kind not in (rules.IN_ASSISTANT if role == "assistant" else rules.IN_USER):
            # An assistant message may hold response blocks that are newer than this list.
            if role == "user" or kind in rules.IN_USER:
                self.found.add("B6", n, path, f"a block of type {kind!r:.60}", m=m, tag=kind)
            return
        self._keys(n, m, block, kind)
        self._values(n, m, block, kind)
        if "cache_control" in block:
            self._marks.append((n, path, block["cache_control"]))

    def _keys(self, n: int, m: int, block: Mapping[Any, Any], kind: str) -> None:
        path = f"content[{m}]"
        known = BLOCK_KEYS.get(kind)
        for key in block if known is not None else ():
            if key == "cache_control" and kind in THINKING:
                self.found.add("K3", n, path, m=m, tag=kind)
            elif known is not None and key not in known:
                self.found.add("B7", n, f"{path}.{key}", f"unknown key {key!r:.60}", m=m, tag=kind, key=key)
        for key in REQUIRED.get(kind, ()):
            if key not in block:
                self.found.add("B8", n, f"{path}.{key}", f"no {key}", m=m, tag=kind, key=key)

    def _values(self, n: int, m: int, block: Mapping[Any, Any], kind: str) -> None:
        path = f"content[{m}]"
        if kind == "text" and "text" in block:
            text = block["text"]
            if text == "":
                self.found.add("K2" if "cache_control" in block else "B2", n, path, m=m)
            elif is_blank_text(text):
                self.found.add("B3", n, path)
        elif kind == "thinking":
            if not isinstance(block.get("signature"), str) or not block["signature"]:
                self.found.add("T5", n, path, m=m)
        elif kind == "tool_use":
            self._call(n, m, block)
        elif kind == "tool_result":
            self._result(n, m, block)
        elif kind == "image":
            self._image(n, path, block)
        elif kind == "document" and block.get("title") is not None:
            title = block["title"]
            if not isinstance(title, str) or not 1 <= len(title) <= 500:
                self.found.add("M8", n, f"{path}.title")
        elif kind == "compaction" and block.get("content") == "":
            self.found.add("S13", n, path, m=m)

    def _call(self, n: int, m: int, block: Mapping[Any, Any]) -> None:
        path = f"content[{m}]"
        if str(block.get("id")).startswith("srvtoolu_"):
            self.found.add("C19", n, f"{path}.id", "a client's call under a server tool's id", m=m, ids=block["id"])
        elif "id" in block and not rules.ID.fullmatch(str(block["id"])):
            self.found.add("C7", n, f"{path}.id", f"id {block['id']!r:.80}", m=m, tag="tool_use", key="id")
        if "name" in block and not NAME_IN_HISTORY.fullmatch(str(block["name"])):
            self.found.add("C8", n, f"{path}.name", f"name {block['name']!r:.80}", m=m)
        if "input" in block and not isinstance(block["input"], Mapping):
            self.found.add("C9", n, f"{path}.input", f"input is {type(block['input']).__name__}", m=m)

    def _result(self, n: int, m: int, block: Mapping[Any, Any]) -> None:
        path = f"content[{m}]"
        called = block.get("tool_use_id")
        if called is not None and not _ID.fullmatch(str(called)):
            key = "tool_use_id"
            self.found.add("C7", n, f"{path}.{key}", f"id {called!r:.80}", m=m, tag="tool_result", key=key)
        content = block.get("content")
        errs = block.get("is_error") is True
        if errs and not content:
            self.found.add("C12", n, path, m=m)
        parts = [part if isinstance(part, Mapping) else {} for part in entries(content)]
        kinds = [self._kind(part) for part in parts]
        for k, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
            if kind not in rules.IN_RESULTS:
                self.found.add("C14", n, f"{path}.content[{k}]", f"a block of type {kind!r:.60}", m=m, k=k, tag=kind)
            elif errs and kind != "text":
                self.found.add("C13", n, f"{path}.content[{k}]", m=m)
            elif kind == "text" and is_blank_text(part.get("text")):
                self.found.add("B2" if part["text"] == "" else "B3", n, f"{path}.content[{k}]")
            elif kind == "image":
                self._image(n, f"{path}.content[{k}]", part)
        if "search_result" in kinds and set(kinds) != {"search_result"}:
            self.found.add("C15", n, path)

    def _image(self, n: int, path: str, block: Mapping[Any, Any]) -> None:
        source = block.get("source")
        if not isinstance(source, Mapping) or source.get("type") != "base64":
            return
        media_type = source.get("media_type")
        if media_type not in rules.IMAGE_TYPES:
            self.found.add("M5", n, f"{path}.source.media_type", f"media type {media_type!r:.60}", tag=media_type)
            return
        actual = _image_type(text_at(source, "data"))
        if actual is None:
            self.found.add("M6", n, f"{path}.source.data")
        elif actual != media_type:
            self.found.add("M5", n, f"{path}.source.media_type", f"the data is {actual}", tag=media_type)

    def _system(self, n: int, entry: Mapping[Any, Any]) -> None:
        content = entry.get("content")
        if content in ([], None) and "output_config" in entry:
            return
        if not self._dialect.system_in_list:
            self.found.add("A5" if n == 0 else "A9", n, "role")
            return
        before = self._wire[n - 1] if n else {}
        after = self._wire[n + 1] if n + 1 < len(self._wire) else {"role": "assistant"}
        ends = self._kind(entries(before.get("content"))[-1]) if entries(before.get("content")) else ""
        if n == 0:
            self.found.add("A5", n, "role")
        elif before.get("role") == "assistant" and self._calls_of(n - 1):
            self.found.add("A8", n, "role")
        elif before.get("role") == "assistant" and not ends.endswith("_tool_result"):
            self.found.add("A6", n, "role")
        elif after.get("role") == "user":
            self.found.add("A7", n, "role")
        for key in entry:
            if key not in SYSTEM_KEYS:
                self.found.add("B7", n, str(key), f"unknown key {key!r:.60}", key=key)

    def _pairs(self) -> None:
        """C1 to C6 and C19: calls of neighbouring assistant messages are one message's."""
        calls: list[str] = []
        last = -1
        after_results = False
        for n, entry in enumerate(self._wire):
            role = entry.get("role")
            if role == "assistant":
                if after_results or not calls:
                    calls = []
                for m, id in self._calls_of(n):
                    if id in calls:
                        self.found.add("C6", n, f"content[{m}].id", f"id {id!r:.80}", m=m)
                    calls.append(id)
                last, after_results = n, False
            elif role == "user":
                answered = self._results(n, calls if not after_results else [], fresh=not after_results)
                if calls and not after_results:
                    self._unanswered(n, last, calls, answered)
                after_results = True
        if calls and not after_results:
            self._missing(last, list(dict.fromkeys(calls)))

    def _results(self, n: int, calls: list[str], *, fresh: bool) -> list[str]:
        answered: list[str] = []
        misplaced = False
        for m, block in enumerate(entries(self._wire[n].get("content"))):
            if self._kind(block) != "tool_result":
                misplaced = True
                continue
            id = text_at(block, "tool_use_id")
            path = f"content[{m}].tool_use_id"
            if id in answered:
                self.found.add("C5", n, path, f"id {id!r:.80}", m=m, ids=id)
            elif id.startswith("srvtoolu_") and id not in calls:
                self.found.add("C19", n, path, f"id {id!r:.80}", m=m, ids=id)
            elif id not in calls and "tool_use_id" in block and (fresh or id not in self._calls_before(n)):
                self.found.add("C4", n, path, f"id {id!r:.80}", m=m, ids=id)
            elif misplaced and id in calls:
                self.found.add("C2", n, f"content[{m}]", ids=id)
            answered.append(id)
        return answered

    def _unanswered(self, n: int, last: int, calls: list[str], answered: list[str]) -> None:
        missing = [id for id in dict.fromkeys(calls) if id not in answered]
        if not missing:
            return
        later: list[str] = []
        for entry in self._wire[n + 1 :]:
            if entry.get("role") != "user":
                break
            later += [
                text_at(block, "tool_use_id")
                for block in entries(entry.get("content"))
                if self._kind(block) == "tool_result"
            ]
        if all(id in later for id in missing):
            self.found.add("C3", last, detail=f"answered in another message: {', '.join(missing):.200}", ids=missing)
        else:
            self._missing(last, missing)

    def _missing(self, last: int, missing: list[str]) -> None:
        ids = ", ".join(missing)
        self.found.add("C1", last, detail=f"no result right after: {ids:.200}", ids=ids)

    def _server_tools(self) -> None:
        """S1 to S4, S7 and S10: pairs within a turn; a turn goes on over messages that hold results only."""
        waiting: dict[str, tuple[int, str]] = {}
        for n, entry in enumerate(self._wire):
            content = entries(entry.get("content"))
            if entry.get("role") == "user":
                only_results = bool(content) and all(self._kind(block) == "tool_result" for block in content)
                pending = bool(n) and bool(self._calls_of(n - 1)) and only_results
                if not pending:
                    self._unresolved(waiting)
            elif entry.get("role") == "assistant":
                for m, block in enumerate(content):
                    if isinstance(block, Mapping):
                        self._server_block(n, m, block, waiting)

    def _server_block(self, n: int, m: int, block: Mapping[Any, Any], waiting: dict[str, tuple[int, str]]) -> None:
        kind = self._kind(block)
        id, called, name = text_at(block, "id"), text_at(block, "tool_use_id"), text_at(block, "name")
        path = f"content[{m}]"
        if kind == "server_tool_use":
            if not rules.SERVER_ID.fullmatch(id):
                self.found.add("S3", n, f"{path}.id", f"id {id!r:.80}", m=m, tag=kind, key="id")
            if name not in rules.SERVER_TOOLS:
                self.found.add("S4", n, f"{path}.name", f"name {name!r:.80}", m=m)
            waiting[id] = n, name
        elif kind == "mcp_tool_use":
            waiting[id] = n, "mcp"
        elif kind.endswith("_tool_result"):
            if called not in waiting:
                self.found.add("S2", n, path, f"id {called!r:.80}", m=m, ids=called, tag=kind)
            waiting.pop(called, None)
            if kind == "web_search_tool_result" and any(
                isinstance(part, Mapping) and not part.get("encrypted_content")
                for part in entries(block.get("content"))
            ):
                self.found.add("S5", n, path)

    def _unresolved(self, waiting: dict[str, tuple[int, str]]) -> None:
        for id, (where, name) in waiting.items():
            self.found.add("S10" if name == "mcp" else "S1", where, detail=f"no result: {id:.80}", ids=id, name=name)
        waiting.clear()

    def _cache_marks(self) -> None:
        if len(self._marks) > rules.MAX_CACHE_MARKS:
            self.found.add("K1", self._marks[-1][0], self._marks[-1][1], count=len(self._marks))
        short = False
        for n, path, mark in self._marks:
            ttl = mark.get("ttl") if isinstance(mark, Mapping) else None
            if short and ttl == "1h":
                self.found.add("K4", n, f"{path}.cache_control.ttl")
            short = short or (isinstance(mark, Mapping) and ttl != "1h")

    def _end(self) -> None:
        last = len(self._wire) - 1
        entry = self._wire[last]
        if entry.get("role") != "assistant":
            return
        content = entry.get("content")
        uses = {text_at(block, "id") for block in entries(content) if self._kind(block) == "server_tool_use"}
        done = {text_at(block, "tool_use_id") for block in entries(content) if isinstance(block, Mapping)}
        paused = bool(uses - done) and not self._calls_of(last)
        if not self._dialect.prefill and not paused and not self._calls_of(last):
            self.found.add("A15", last)
        text = content if isinstance(content, str) else ""
        if isinstance(content, list) and content and isinstance(content[-1], Mapping):
            text = text_at(content[-1], "text")
        if text != text.rstrip() and text.strip() and not paused:
            self.found.add("B4", last)

    def _calls_of(self, n: int) -> list[tuple[int, str]]:
        content = entries(self._wire[n].get("content"))
        return [(m, text_at(block, "id")) for m, block in enumerate(content) if self._kind(block) == "tool_use"]

    def _calls_before(self, n: int) -> set[str]:
        """Return the ids that the user messages right before this one could have answered."""
        while n and self._wire[n - 1].get("role") == "user":
            n -= 1
        ids: set[str] = set()
        while n and self._wire[n - 1].get("role") == "assistant":
            n -= 1
            ids |= {id for _, id in self._calls_of(n)}
        return ids

    def _kind(self, block: object) -> str:
        return text_at(block, "type") if isinstance(block, Mapping) else ""


_MAGIC: Final = (("/9j/", "image/jpeg"), ("iVBOR", "image/png"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"))


def _image_type(data: str) -> str | None:
    """Tell an image's type from the beginning of its base64 text."""
    return next((kind for start, kind in _MAGIC if data.startswith(start)), None)
