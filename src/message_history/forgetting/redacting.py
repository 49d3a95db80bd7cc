"""Every place of a history, in the saved form, looked through for what is to be forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.messages.blocks import is_blank
from message_history.core.turns.rules import UNKNOWN_TOOL
from message_history.dialects.native.parse import LINEAGE
from message_history.forgetting.finding import free_name
from message_history.forgetting.saved_form import SAYS_NOTHING, THINKING, gone

if TYPE_CHECKING:
    from message_history.forgetting.finding import Finder
    from message_history.forgetting.saved_form import Rewriting

OURS: Final = frozenset({"type", "role", "native", "bound", "is_error", "dialect", "issuer", "key", "end", "usage"})
"""Keys of the saved form whose values are never anybody's words."""
OF_MARKS: Final = frozenset({"kind", "key", "blocks", "is_error", "open", "reason"})
OF_DECISIONS: Final = frozenset({"state", "at", "until"})
OF_REPLIES: Final = frozenset({"usage", "stop_reason", "model", "provider"})
IN_PLACE: Final = ("text", "content")
"""The kinds of sources of which a part can be replaced."""


@final
class Redaction:
    """One history that is looked through.

    Args:
        finder: what finds it.
        reason: what the marks say.
    """

    def __init__(self, finder: Finder, reason: str) -> None:
        self._finder, self._reason = finder, reason
        self._ids: dict[str, str] = {}

    def whole(self, rewriting: Rewriting) -> None:
        """Look through all of a history."""
        for position, entry in enumerate(rewriting.entries):
            for number, block in enumerate(entry["content"]):
                before = self._finder.places
                entry["content"][number] = self.block(block)
                if self._finder.places > before:
                    rewriting.replaced(position, number, self._finder.places - before)
            before = self._finder.places
            rewriting.entries[position] = {**entry, **self._beside(entry)}
            if self._finder.places > before:
                rewriting.replaced(position, None, self._finder.places - before)
        self._first(rewriting)
        for n, repair in enumerate(rewriting.repairs):
            before = self._finder.places
            rewriting.repairs[n] = self._repair(repair, rewriting)
            rewriting.elsewhere += self._finder.places > before

    def block(self, block: dict[str, Any]) -> dict[str, Any]:
        """Return a block without it; the same one when it does not hold it."""
        before = self._finder.places
        left = {key: self._field(block["type"], key, value) for key, value in block.items()}
        return self._settled(left, block) if self._finder.places > before else block

    def _field(self, kind: str, key: str, value: Any) -> Any:
        if key in OURS:
            return value
        if key == "mark":
            return self._mark(value)
        if kind in ("tool_use", "tool_result") and key in ("id", "tool_use_id"):
            return self.id(value)
        if kind == "tool_use" and key == "name":
            return self._name(value)
        if kind == "tool_result" and key == "content":
            return list(map(self.block, value))
        return self._finder.value(value)

    def _settled(self, left: dict[str, Any], block: dict[str, Any]) -> dict[str, Any]:
        """Return a block that was changed as one that may be so."""
        kind, source = left["type"], left.get("source")
        if kind in THINKING:
            # What its issuer has signed or encrypted says it too.
            left = {"type": "thinking", "thinking": left.get("thinking", ""), "bound": False}
            if is_blank(left["thinking"]):
                left = gone(self._reason)
        elif isinstance(source, dict) and source != block["source"]:
            if source.get("type") not in IN_PLACE or is_blank(str(source.get("data", "-"))):
                left = gone(self._reason)
        elif kind in ("text", "system") and is_blank(left.get("text") or ""):
            left["text"] = gone(self._reason)["text"]
        elif "arguments" in left:
            _settle_arguments(left, block)
        if kind not in THINKING:
            left.pop("signature", None)
        left.setdefault("mark", {"kind": "forgotten", "reason": self._reason})
        return left

    def id(self, id: str) -> str:
        """Return the id of a call; the ids of two calls stay two."""
        if id not in self._ids:
            left = self._finder.text(id)
            self._ids[id] = id if left == id else free_name("call" if is_blank(left) else left, self._ids.values())
        elif self._ids[id] != id:
            self._finder.places += 1
        return self._ids[id]

    def _name(self, name: str) -> str:
        left = self._finder.text(name)
        return UNKNOWN_TOOL if is_blank(left) and left != name else left

    def _mark(self, mark: dict[str, Any]) -> dict[str, Any]:
        return {key: value if key in OF_MARKS else self._of_mark(key, value) for key, value in mark.items()}

    def _of_mark(self, key: str, value: Any) -> Any:
        if key == "tool_use_id" and value:
            return self.id(value)
        if key == "decisions":
            return [self._known(each, OF_DECISIONS) for each in value]
        return self._name(value) if key == "name" and value else self._finder.value(value)

    def _known(self, value: dict[str, Any], ours: frozenset[str]) -> dict[str, Any]:
        return {key: item if key in ours else self._finder.value(item) for key, item in value.items()}

    def _beside(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return what is saved next to the content of a message."""
        beside = {key: entry[key] for key in ("replies", "arrivals") if key in entry}
        ours = {"replies": OF_REPLIES, "arrivals": OURS}
        return {key: [self._known(each, ours[key]) for each in value] for key, value in beside.items()}

    def _first(self, rewriting: Rewriting) -> None:
        """Look through the system prompt, and the name of the conversation."""
        for entry in rewriting.first:
            for number, block in enumerate(entry["content"]):
                entry["content"][number] = left = self.block(block)
                if left is not block:
                    rewriting.replaced_prompt()
            for branch in entry.get(LINEAGE, {}).get("branches", ()):
                left_name = self._finder.text(branch[2])
                rewriting.elsewhere += left_name != branch[2]
                branch[2] = left_name

    def _repair(self, repair: dict[str, Any], rewriting: Rewriting) -> dict[str, Any]:
        before = self._finder.places
        left = dict(repair)
        for key in ("removed", "added"):
            if key in repair:
                left[key] = [self._item(each) for each in repair[key]]
        if "detail" in repair:
            left["detail"] = self._finder.text(repair["detail"])
            is_near = self._finder.places > before or repair["index"] in rewriting.places
            if is_near and repair["code"] not in SAYS_NOTHING:
                left["detail"] = ""  # It shortens texts: a part of one may be there.
                self._finder.places += bool(repair["detail"])
        return left

    def _item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a block, or what a repair has removed: a block or a raw value."""
        if "value" in item:
            return {"value": self._finder.value(item["value"])}
        return {"block": self.block(item["block"])} if "block" in item else self.block(item)


def _settle_arguments(left: dict[str, Any], block: dict[str, Any]) -> None:
    """Keep the provider's own text of an input only where it is the input, and could not be read."""
    if block["input"] == {"_raw": block["arguments"]} and left["input"].keys() == {"_raw"}:
        left["arguments"] = left["input"]["_raw"]
    elif (left["input"], left["arguments"]) != (block["input"], block["arguments"]):
        del left["arguments"]
