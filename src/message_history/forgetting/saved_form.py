"""Histories rebuilt from their saved form, which holds all that they hold, without what is to be forgotten."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve

from message_history.core.messages.blocks import FORGOTTEN
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.conversation import context_of, make_conversation, messages_of, parts_of
from message_history.core.turns.ingest import log_new
from message_history.core.turns.stubs import repairs_of, unrecorded_stubs
from message_history.core.values.json_values import EMPTY, freeze_mapping
from message_history.core.values.keys import Origin, key_at, lineage_from_json
from message_history.dialects.lists import restore
from message_history.dialects.native.parse import LINEAGE
from message_history.dialects.native.render import first_entry, mark_open_stubs, message_to_json
from message_history.dialects.registry import DIALECTS, NATIVE
from message_history.dialects.state import repair_from_json, repair_to_json
from message_history.history import conversation_of, history_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.history import MessageHistory

THINKING: Final = ("thinking", "redacted_thinking")
SAYS_NOTHING: Final = ("result_stubbed", "content_forgotten")
"""The codes of repairs whose details quote no content."""
ELSEWHERE: Final = ", places in the system prompt, repairs and names"
"""What a repair says of places that are in no message."""


@final
class Rewriting:
    """A history in the saved form, whose parts are replaced, and then read again.

    Args:
        history: the history.
        reason: what the marks say.
    """

    def __init__(self, history: MessageHistory, reason: str) -> None:
        self._conversation = conversation_of(history)
        context = context_of(self._conversation)
        self._messages = list(messages_of(self._conversation))
        self._keys = {(each.position, each.call.id): each.key for each in history.calls}
        self._reason = reason
        self.first = first_entry(context.system, context.lineage)
        self.entries = list(map(message_to_json, self._messages))
        mark_open_stubs(self.entries[-1:], unrecorded_stubs(self._conversation))
        self.repairs = list(map(repair_to_json, repairs_of(self._conversation)))
        self.places: dict[int, int] = {}
        """How many places were changed, by message."""
        self.elsewhere = 0
        """How many places were changed outside of the messages."""
        self._since: tuple[int, int] | None = None
        self._blocks: set[tuple[int, int]] = set()

    def replaced(self, position: int, number: int | None, places: int = 1) -> None:
        """Note that something in a message was replaced: in a block of its content, or next to that."""
        self.places[position] = self.places.get(position, 0) + places
        if number is not None:
            self._blocks.add((position, number))
            self._since = min(self._since or (position, number), (position, number))

    def replaced_prompt(self) -> None:
        """Note that the system prompt was replaced, which comes before everything."""
        self.elsewhere += 1
        self._since = -1, 0

    def finish(self) -> MessageHistory | None:
        """Return the history that is left; None when nothing was replaced."""
        if not self.places and not self.elsewhere:
            return None
        self._invalidate()
        self._keep_apart()
        self._rename_keys()
        forget_what_processes_keep()
        context = context_of(self._conversation)
        repairs = [repair for each in self.repairs if (repair := repair_from_json(each)) is not None]
        # Messages that nothing has changed are shared. The last one may say what is still open.
        entries = [
            self._messages[n] if n not in self.places and n < len(self.entries) - 1 else entry
            for n, entry in enumerate(self.entries)
        ]
        left = restore([*self.first, *entries], context.policy, repairs, DIALECTS[NATIVE])
        past, turn, after = parts_of(left)
        after = evolve(after, repairs=after.repairs.extend(self._recorded()))
        log_new(evolve(after, repairs=context_of(left).repairs), after)
        return history_of(make_conversation(past, turn, after))

    def _recorded(self) -> Iterator[Repair]:
        code = RepairCode.CONTENT_FORGOTTEN
        for position, places in sorted(self.places.items()):
            if places:
                yield Repair(code=code, index=position, detail=f"{self._reason}, places: {places:,}")
        if self.elsewhere:
            detail = f"{self._reason}{ELSEWHERE}: {self.elsewhere:,}"
            yield Repair(code=code, index=0, detail=detail)

    def _invalidate(self) -> None:
        """Rule 10: thinking after the first change is not what its issuer saw."""
        for position in range(
            max(self._since[0], 0) if self._since is not None else len(self.entries), len(self.entries)
        ):
            for number, block in enumerate(self.entries[position]["content"]):
                if block["type"] in THINKING and (position, number) > (self._since or (0, 0)):
                    block["bound"] = False
                    self.places.setdefault(position, 0)

    def _keep_apart(self) -> None:
        """Let no call be taken for another one that came with its id (rule 6): what is left of both may be the same."""
        for position in {position for position, _ in self._blocks}:
            for number, block in enumerate(self.entries[position]["content"]):
                mark = block.get("mark", {})
                if block["type"] == "tool_use" and mark.get("kind") == "renamed":
                    del block["mark"]
                    if mark.get("reason"):
                        block["mark"] = {"kind": "approval", "reason": mark["reason"]}
                    elif (position, number) in self._blocks:
                        block["mark"] = {"kind": "forgotten", "reason": self._reason}

    def _rename_keys(self) -> None:
        """Give calls that were changed other keys, as a key is a digest of the input, and name them so everywhere."""
        before = context_of(self._conversation).lineage
        lineage = (lineage_from_json(self.first[0].get(LINEAGE, {})) if self.first else None) or before
        names = dict.fromkeys(self._keys.values(), "")
        taken = set(names)
        for position, message in enumerate(self._messages):
            blocks = enumerate(self.entries[position]["content"])
            calls = ((number, block) for number, block in blocks if block["type"] == "tool_use")
            for place, (was, (number, call)) in enumerate(zip(message.calls, calls, strict=True)):
                old = new = self._keys[position, was.id]
                if (position, number) in self._blocks or lineage != before:
                    call.pop("key", None)
                    moved = was.meta is not None and was.meta.key
                    origin = Origin(lineage, (position + 1) // 2, place)
                    own = _key_of(call, origin)
                    # Where a call has moved to, one may have been that is gone.
                    new = key_at(origin, str(len(self.repairs)), "", EMPTY) if moved else own
                    while new != old and new in taken:
                        new = key_at(origin, new, "", EMPTY)
                    if new != own:
                        call["key"] = new
                names[old] = new
                taken.add(new)
        self._name_calls(names, lineage)

    def _name_calls(self, names: dict[str, str], lineage: Any) -> None:
        """Put the new keys into marks. A key of a call that the history does not have may be made of anything."""
        strangers = 0
        for position, mark in self._marks():
            old = mark.get("key")
            if not old:
                continue
            if old not in names:
                names[old] = key_at(Origin(lineage, 0, strangers), "", "", EMPTY)
                strangers += 1
            if names[old] != old:
                mark["key"] = names[old]
                if position is not None:
                    self.places.setdefault(position, 0)

    def _marks(self) -> Iterator[tuple[int | None, dict[str, Any]]]:
        for position, entry in enumerate(self.entries):
            yield from ((position, block["mark"]) for block in entry["content"] if "mark" in block)
        for repair in self.repairs:
            blocks = [item["block"] for item in repair.get("removed", ()) if "block" in item]
            yield from ((None, block["mark"]) for block in (*blocks, *repair.get("added", ())) if "mark" in block)


def _key_of(call: dict[str, Any], origin: Origin) -> str:
    """Return the key of a call at a place, as `ToolUseBlock.key` makes it."""
    if call.get("mark", {}).get("kind") == "forgotten":
        return key_at(origin, "", "", EMPTY)
    return key_at(origin, call["id"], call["name"], freeze_mapping(call["input"])[0])


def gone(reason: str, kind: str = "text") -> dict[str, Any]:
    """Return the block, in the saved form, that replaces one."""
    return {"type": kind, "text": FORGOTTEN, "mark": {"kind": "forgotten", "reason": reason}}


def forget_what_processes_keep() -> None:
    """Clear what was remembered of what came with blocks, so that it need not be made again."""
    for module, name in _REMEMBERED:
        if module in sys.modules:
            getattr(sys.modules[module], name).cache_clear()
    if "message_history.media.scale_cache" in sys.modules:
        sys.modules["message_history.media.scale_cache"].forget()


_REMEMBERED: Final = (
    ("message_history.core.messages.plain", "meta_of_keys"),
    ("message_history.dialects._shared.plain_messages", "are_foreign"),
    ("message_history.dialects._shared.writer", "_short_alias"),
    ("message_history.dialects.anthropic.plain_writer", "_own_keys"),
    ("message_history.dialects.native.pickled", "_text_of"),
    ("message_history.dialects.native.pickled", "_keys_of"),
    ("message_history.dialects.openai_chat.plain_writer", "_name_in"),
)
