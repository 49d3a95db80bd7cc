"""Decide which items an assistant message becomes: what is sent under its id, and in which order.

Rule 1. Reasoning is sent back with the item that it led to right after it, or not at all. A run of reasoning and all
        that follows it up to the next run is a group: where the reasoning is omitted, so are the group's ids (OR-07).
Rule 2. An id without reasoning before it is omitted where the model always reasons: the reasoning has been lost. A list
        that has sent reasoning before keeps its reasoning: there such an item was made without.
        Both rules are for servers that keep items (`store`); elsewhere no item depends on another.
Rule 3. Text comes before the calls of its turn, and outputs right after the calls (DS-15). Calls with reasoning between
        them are answered one by one, so that nothing comes between reasoning and its item (OR-08).
        Where other items may be between calls and outputs (OR-24), a message with reasoning keeps its own order.

Nothing here writes an item, or looks at a later message, except for the results of the calls.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, final

from attrs import define, field

from message_history.core.messages.blocks import TextBlock
from message_history.core.values.json_values import FrozenDict
from message_history.dialects._shared.held import is_referred
from message_history.dialects._shared.writer import PLACEHOLDER
from message_history.dialects.openai_responses import notes, schema
from message_history.dialects.openai_responses.items import Item
from message_history.dialects.openai_responses.parse import refers_to_call
from message_history.dialects.openai_responses.schema import OPENAI_RESPONSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.blocks import ToolResultBlock
    from message_history.core.messages.message import Message
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.openai_responses.items import Items
    from message_history.dialects.openai_responses.model_fields import Fields


@final
@define
class Segment:
    """Items that are sent at once, and the calls among them, whose outputs follow."""

    words: list[Item] = field(factory=list)  # the items before the calls
    calls: list[Item] = field(factory=list)  # the calls, with what must be among them


@final
class Planner:
    """One export's decisions."""

    def __init__(self, dialect: Fields, changes: Changes, items: Items) -> None:
        self._dialect = dialect
        self._changes = changes
        self._made = items
        self._encrypted = dialect.reasoning != "text"
        self._reasoned = False

    def plan(self, message: Message, results: Mapping[str, ToolResultBlock]) -> list[Segment]:
        """Decide for one message. Returns what is sent, at least one item."""
        items = self._made.of(message, results)
        items = self._grouped(items) if self._encrypted else self._flawless(items)
        self._write_unreferred(items)
        self._reasoned = self._reasoned or any(item.is_reasoning for item in items)
        if not items:
            self._changes.added("a message of which nothing could be sent")
            items = [Item("message", [TextBlock(PLACEHOLDER)])]
        if self._dialect.interleaved and any(item.is_reasoning for item in items):
            return [Segment([], items)]
        return self._contiguous(items)

    def _write_unreferred(self, items: Sequence[Item]) -> None:
        """Write the calls to which no reference is sent: those that a list refers to go without one."""
        refers = any(map(refers_to_call, (block for item in items for block in item.blocks)))
        for item in items:
            if item.is_held and is_referred(item.blocks[0]) and not (refers and self._dialect.store):
                item.is_held = bool(self._dialect.continues)
                if not item.is_held and item.kind != schema.FUNCTION:
                    self._made.as_function(item, "the list only referred to it")

    # Rules 1 and 2

    def _flawless(self, items: list[Item]) -> list[Item]:
        """Keep what can be sent back where reasoning is text, and nothing depends on it."""
        for item in items:
            if item.flaw:
                self._omit(item, item.flaw)
        return [item for item in items if not item.flaw]

    def _grouped(self, items: list[Item]) -> list[Item]:
        kept: list[Item] = []
        reasoned, orphaned = self._reasoned, False
        asks = self._dialect.reasons is not False and self._dialect.pairs_items
        position = 0
        while position < len(items):
            end = _end_of_run(items, position, reasoning=True)
            run = items[position:end]
            following = items[end : _end_of_run(items, end, reasoning=False)]
            if run:
                why = self._refused(run, following)
                orphaned = bool(why)
                reasoned = reasoned or not orphaned
                for item in run:
                    if orphaned:
                        self._omit(item, item.flaw or why)
                kept += [] if orphaned else run
                orphaned = orphaned and self._dialect.pairs_items
            for item in following:
                lost = not reasoned and asks and self._asks_for_reasoning(item)
                kept += self._without_id(item) if (orphaned or lost) and not item.is_free else [item]
            position = end + len(following)
        return kept

    def _refused(self, run: Sequence[Item], following: Sequence[Item]) -> str:
        """Return why a run of reasoning cannot be sent back; an empty text if it can."""
        for item in run:
            if item.flaw:
                return f"reasoning next to some that cannot go back: {item.flaw}"
        if self._dialect.lone_reasoning or all(item.is_free for item in run):
            return ""
        if not following:
            return "reasoning that nothing follows (OR-06)"
        if not self._dialect.pairs_items:
            return ""
        led = [item.id for item in (*run[1:], following[0])]
        if any(item.id is not None for item in run) and led[-1] is None:
            return "reasoning whose following item is not what it was (OR-06)"
        for item, next_id in zip(run, led, strict=True):
            led_to = item.blocks[0].extra(OPENAI_RESPONSES).get(notes.LED_TO)
            if item.id is not None and led_to is not None and led_to != (next_id or ""):
                return "reasoning whose following item is another one now (OR-06)"
        if not self._dialect.interleaved:
            for before, item in pairwise(following):
                if before.kind == "message" and before.id is not None and schema.is_hosted(item.kind):
                    return "reasoning that is not directly before a server tool's call (OR-08)"
        return ""

    def _asks_for_reasoning(self, item: Item) -> bool:
        """Return whether an item without its reasoning is refused; a reference is all that there is of its item."""
        if item.kind == "item_reference":
            return bool(self._dialect.reasons) and str(item.id).startswith(("msg_", "fc_", "ctc_"))
        return item.kind in schema.REASONED

    def _without_id(self, item: Item) -> list[Item]:
        """Take an item's id away; an item that needs one goes another way, or not at all."""
        if item.id is None:
            return [item]
        if item.is_call and item.kind in schema.NEEDS_ID:
            self._made.as_function(item, "its reasoning is not sent (OR-07)")
        elif item.kind in schema.NEEDS_ID:
            self._omit(item, "an item whose reasoning is not sent (OR-07)")
            return []
        else:
            # The item goes in full, so nothing depends on the id that the server could look it up by.
            self._changes.rewritten("an item's id without its reasoning (OR-07)", FrozenDict({"id": item.id}))
            item.id = None
        return [item]

    def _omit(self, item: Item, why: str) -> None:
        for block in item.blocks:
            self._changes.omitted(block, why)

    # Rule 3

    def _contiguous(self, items: Sequence[Item]) -> list[Segment]:
        segments = [Segment()]
        reasoned = any(item.is_reasoning for item in items)
        moved = False
        for unit in _units(items, paired=self._encrypted):
            segment = segments[-1]
            if unit[-1].is_call:
                if segment.calls and len(unit) > 1:
                    segment = Segment()
                    segments.append(segment)
                segment.calls += unit
                continue
            if segment.calls:
                moved = True
            # What is moved out of a group loses its id; reasoning by itself was in no group.
            alone = len(unit) == 1 and not unit[0].is_reasoning
            leaves = self._dialect.pairs_items and bool(segment.calls) and reasoned and alone
            segment.words += self._without_id(unit[0]) if leaves and not unit[0].is_free else unit
        if moved:
            self._changes.rewritten("text after calls, written before them (DS-15)")
        return segments


def _end_of_run(items: Sequence[Item], start: int, *, reasoning: bool) -> int:
    end = start
    while end < len(items) and items[end].is_reasoning is reasoning:
        end += 1
    return end


def _units(items: Iterable[Item], *, paired: bool) -> list[list[Item]]:
    """Put items together that must not be parted: reasoning and what it led to, where that matters."""
    units: list[list[Item]] = []
    run: list[Item] = []
    for item in items:
        run.append(item)
        if not (paired and item.is_reasoning):
            units.append(run)
            run = []
    return [*units, run] if run else units
