"""Find what the Messages API refuses in a list; written separately from parsing, repair and rendering."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import (
    Findings,
    check_list,
    entries,
    has_lone_surrogate,
    is_blank_text,
    kind_of,
    mappings,
    text_at,
)
from message_history.dialects.anthropic import schema
from message_history.dialects.anthropic.check_blocks import THINKING, BlockCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.anthropic.model_fields import Fields
    from message_history.violations import Violation

MESSAGE_KEYS: Final = frozenset({"role", "content"})
NOT_BEHIND_CALLS: Final = frozenset({"text", "image", "document", *schema.SERVER_TOOLS.values()})
SYSTEM_KEYS: Final = frozenset({"role", "content", "clear_at", "output_config"})


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    return check_list(_Check(wire, dialect), "AN-A1")


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        self.found = Findings(schema.RULES.by_id)
        self.entries = mappings(wire)
        self._dialect = dialect
        self._blocks = BlockCheck(self.found, dialect)
        self._calls: dict[str, Mapping[Any, Any]] = {}
        self._answered: set[str] = set()
        self._behind_others = False

    def whole(self) -> None:
        self._pairs()
        self._order()
        self._server_tools()
        self._cache_marks()
        self._blocks.media.finish()
        self._end()

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        role = entry.get("role")
        if role == "system":
            self._system(n, entry)
            return
        if role not in ("user", "assistant"):
            self.found.add("AN-A4", n, "role", f"role {short_repr(role)}")
            return
        if has_lone_surrogate(entry):
            self.found.add("AN-B9", n)
        for key in entry:
            if key not in MESSAGE_KEYS:
                rule, which = ("AN-A11", 0) if key == "clear_at" else ("AN-B7", 1)
                self.found.add(rule, n, str(key), f"unknown key {key!r:.60}", which=which, key=key)
        content = entry.get("content")
        last = n == len(self.entries) - 1
        if isinstance(content, str):
            if content == "" and not (last and role == "assistant"):
                self.found.add("AN-B1", n)
            elif content and not content.strip():
                self.found.add("AN-B3", n)
        elif not isinstance(content, list):
            self.found.add("AN-B5", n, "content")
        elif not content and not (last and role == "assistant"):
            self.found.add("AN-B1", n)
        else:
            for m, block in enumerate(content):
                self._blocks.block(n, m, block, str(role))
            self._blank_texts(n, content)
            # Neighbours of one role are one message to the API.
            goes_on = n + 1 < len(self.entries) and self.entries[n + 1].get("role") == "assistant"
            if role == "assistant" and content and kind_of(content[-1]) in THINKING and not goes_on:
                self.found.add("AN-T8", n, f"content[{len(content) - 1}]")

    def _blank_texts(self, n: int, content: Sequence[Any]) -> None:
        """AN-B3: white space is refused where the message has no other text."""
        if self._dialect.blank_beside_calls is not False and any(kind_of(block) == "tool_use" for block in content):
            return
        texts = {m: block.get("text") for m, block in enumerate(content) if kind_of(block) == "text"}
        if all(map(is_blank_text, texts.values())):
            for m in (m for m, text in texts.items() if text):
                self.found.add("AN-B3", n, f"content[{m}]")

    def _system(self, n: int, entry: Mapping[Any, Any]) -> None:
        content = entry.get("content")
        if content in ([], "", None):
            if "output_config" not in entry or not self._dialect.system_in_list:
                self.found.add("AN-A12", n)
            return
        if self._dialect.system_in_list is False:
            self.found.add("AN-A5" if n == 0 else "AN-A9", n, "role")
            return
        for m, block in enumerate(entries(content)):
            if kind_of(block) != "text" and kind_of(block) not in schema.TOOL_CHANGES:
                self.found.add("AN-A10", n, f"content[{m}]", f"a block of type {kind_of(block)!r:.60}")
        before = self.entries[n - 1] if n else {}
        after = self.entries[n + 1] if n + 1 < len(self.entries) else {"role": "assistant"}
        ends = kind_of(entries(before.get("content"))[-1]) if entries(before.get("content")) else ""
        if n == 0:
            self.found.add("AN-A5", n, "role")
        elif before.get("role") == "assistant" and self._calls_of(n - 1):
            self.found.add("AN-A8", n, "role")
        elif before.get("role") == "assistant" and not ends.endswith("_tool_result"):
            self.found.add("AN-A6", n, "role")
        elif after.get("role") == "user":
            self.found.add("AN-A7", n, "role")
        for key in entry:
            if key not in SYSTEM_KEYS:
                self.found.add("AN-B7", n, str(key), f"unknown key {key!r:.60}", which=1, key=key)

    def _pairs(self) -> None:
        """AN-C1 to AN-C6 and AN-C19: calls of neighbouring assistant messages are one message's."""
        last = -1
        after_results = False
        for n, entry in enumerate(self.entries):
            role = entry.get("role")
            if role == "assistant":
                self._behind_others, self._answered = False, set()
                if after_results:
                    self._calls = {}
                for m, id in self._calls_of(n):
                    if id in self._calls:
                        self.found.add("AN-C6", n, f"content[{m}].id", f"id {id!r:.80}", m=m)
                    self._calls[id] = self.entries[n]["content"][m]
                last, after_results = n, False
            elif role == "user":
                answered = self._results(n, fresh=not after_results)
                if self._calls and not after_results:
                    self._unanswered(n, last, answered)
                after_results = True
        if self._calls and not after_results:
            self._missing(last, list(self._calls))

    def _results(self, n: int, *, fresh: bool) -> set[str]:
        """Look at the results of a user message; a fresh one is the first after the calls."""
        answered: set[str] = set()
        content = self.entries[n].get("content")
        # Neighbouring messages of the user are one, which begins with the results.
        first = fresh or self._dialect.split_results
        self._behind_others = self._behind_others or (isinstance(content, str) and content != "")
        for m, block in enumerate(entries(content)):
            if kind_of(block) != "tool_result":
                self._behind_others = True
                continue
            id = text_at(block, "tool_use_id")
            path = f"content[{m}].tool_use_id"
            if id in answered:
                self.found.add("AN-C5", n, path, f"id {id!r:.80}", m=m, ids=id)
            elif id not in self._calls and "tool_use_id" in block:
                rule = "AN-C19" if id.startswith("srvtoolu_") else "AN-C4"
                self.found.add(rule, n, path, f"id {id!r:.80}", m=m, ids=id)
            elif self._behind_others and first and id in self._calls and id not in self._answered:
                self.found.add("AN-C2", n, f"content[{m}]", ids=id)
            if fresh and id in self._calls:
                self._answers(n, m, block, self._calls[id])
            answered.add(id)
        self._answered |= answered
        return answered

    def _answers(self, n: int, m: int, block: Mapping[Any, Any], call: Mapping[Any, Any]) -> None:
        """AN-C17 and AN-S8: what only some calls demand of their results."""
        toolset, caller = text_at(call, "toolset_name"), call.get("caller")
        kinds = {kind_of(part) for part in entries(block.get("content"))}
        if text_at(block, "toolset_name") != toolset or (toolset and not kinds <= {"text", "image"}):
            self.found.add("AN-C17", n, f"content[{m}]", f"toolset {toolset!r:.60}")
        if isinstance(caller, Mapping) and caller.get("tool_id") is not None and not kinds <= {"text"}:
            self.found.add("AN-S8", n, f"content[{m}].content")

    def _unanswered(self, n: int, last: int, answered: set[str]) -> None:
        missing = [id for id in self._calls if id not in answered]
        if not missing:
            return
        later: set[str] = set()
        for entry in takewhile(lambda entry: entry.get("role") == "user", islice(self.entries, n + 1, None)):
            content = entries(entry.get("content"))
            later.update(text_at(block, "tool_use_id") for block in content if kind_of(block) == "tool_result")
        if later.issuperset(missing):
            if not self._dialect.split_results:
                ids = ", ".join(missing)
                self.found.add("AN-C3", last, detail=f"answered in another message: {ids:.200}", ids=ids)
            return
        self._missing(last, missing)
        content = entries(self.entries[n].get("content"))
        if not content or kind_of(content[0]) != "tool_result":
            self.found.add("AN-C2", n, "content[0]", "the message does not begin with a result", ids=", ".join(missing))

    def _missing(self, last: int, missing: list[str]) -> None:
        ids = ", ".join(missing)
        self.found.add("AN-C1", last, detail=f"no result right after: {ids:.200}", ids=ids)

    def _order(self) -> None:
        """AN-C20: what follows a call; neighbouring assistant messages are one."""
        called: list[str] = []
        for n, entry in enumerate(self.entries):
            if entry.get("role") != "assistant":
                called = []
                continue
            content = entry.get("content")
            parts = [{"type": "text"}] if isinstance(content, str) and content else entries(content)
            for m, block in enumerate(parts):
                kind = kind_of(block)
                if kind == "tool_use":
                    called.append(text_at(block, "id"))
                elif kind in THINKING:
                    called = []  # A reply that thinks between calls is sent back unchanged.
                elif called and kind in NOT_BEHIND_CALLS:
                    self._behind(n, m, kind, called, text_at(block, "tool_use_id"))
                    break

    def _behind(self, n: int, m: int, kind: str, calls: list[str], server: str) -> None:
        name = kind.removesuffix("_tool_result")
        ids = server or ", ".join(calls)
        detail = f"a {kind} after the call {calls[-1]:.80}"
        self.found.add("AN-C20", n, f"content[{m}]", detail, which=int(bool(server)), ids=ids, name=name)

    def _server_tools(self) -> None:
        """AN-S1 to AN-S4, AN-S7 and AN-S10: pairs within a turn, which messages of results do not end."""
        waiting: dict[str, tuple[int, str]] = {}
        for n, entry in enumerate(self.entries):
            content = entries(entry.get("content"))
            if entry.get("role") == "user" and waiting:
                kinds = {kind_of(block) for block in content}
                calling = bool(n) and bool(self._calls_of(n - 1))
                if not calling or kinds != {"tool_result"}:
                    self._unresolved(waiting, "AN-S7" if calling and "tool_result" in kinds else "AN-S1")
            elif entry.get("role") == "assistant":
                for m, block in enumerate(content):
                    if isinstance(block, Mapping):
                        self._server_block(n, m, block, waiting)

    def _server_block(self, n: int, m: int, block: Mapping[Any, Any], waiting: dict[str, tuple[int, str]]) -> None:
        kind = kind_of(block)
        path = f"content[{m}]"
        if kind == "server_tool_use":
            id, name = text_at(block, "id"), text_at(block, "name")
            if not schema.SERVER_ID.fullmatch(id):
                self.found.add("AN-S3", n, f"{path}.id", f"id {id!r:.80}", m=m, tag=kind, key="id")
            if name not in schema.SERVER_TOOLS:
                self.found.add("AN-S4", n, f"{path}.name", f"name {name!r:.80}", m=m)
            waiting[id] = n, name
        elif kind == "mcp_tool_use":
            waiting[text_at(block, "id")] = n, "mcp"
        elif kind.endswith("_tool_result"):
            called = text_at(block, "tool_use_id")
            if called not in waiting:
                self.found.add("AN-S2", n, path, f"id {called!r:.80}", m=m, ids=called, tag=kind)
            waiting.pop(called, None)

    def _unresolved(self, waiting: dict[str, tuple[int, str]], rule: str) -> None:
        for id, (where, name) in waiting.items():
            self.found.add("AN-S10" if name == "mcp" else rule, where, detail=f"no result: {id:.80}", ids=id, name=name)
        waiting.clear()

    def _cache_marks(self) -> None:
        if len(self._blocks.marks) > schema.MAX_CACHE_MARKS:
            n, m, _ = self._blocks.marks[-1]
            self.found.add("AN-K1", n, f"content[{m}]", count=len(self._blocks.marks))
        short = False
        for n, m, mark in self._blocks.marks:
            ttl = mark.get("ttl") if isinstance(mark, Mapping) else None
            if short and ttl == "1h":
                self.found.add("AN-K4", n, f"content[{m}].cache_control.ttl", m=m)
            short = short or (isinstance(mark, Mapping) and ttl != "1h")

    def _end(self) -> None:
        last = len(self.entries) - 1
        entry = self.entries[last]
        if entry.get("role") != "assistant":
            return
        content = entry.get("content")
        waiting: set[str] = set()
        for block in mappings(entries(content)):
            waiting.discard(text_at(block, "tool_use_id"))
            if kind_of(block) == "server_tool_use":
                waiting.add(text_at(block, "id"))
        behind_result = bool(entries(content)) and kind_of(entries(content)[-1]) in schema.SERVER_TOOLS.values()
        paused = (bool(waiting) or behind_result) and not self._calls_of(last)
        if self._dialect.prefill is False and not paused and not self._calls_of(last):
            self.found.add("AN-A15", last)
        text = content if isinstance(content, str) else ""
        if isinstance(content, list) and content and kind_of(content[-1]) == "text":
            text = text_at(content[-1], "text")
        if text != text.rstrip() and text.strip() and not paused:
            self.found.add("AN-B4", last)

    def _calls_of(self, n: int) -> list[tuple[int, str]]:
        content = entries(self.entries[n].get("content"))
        return [(m, text_at(block, "id")) for m, block in enumerate(content) if kind_of(block) == "tool_use"]
