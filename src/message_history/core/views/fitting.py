"""Which cut of a history leaves what fits into a budget."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, final

from message_history.core.turns.conversation import length_of, message_at
from message_history.core.values.json_values import short_repr
from message_history.core.views.costs import Costs, Cut
from message_history.core.views.cuts import (
    WindowError,
    begins_turn,
    checked_pin,
    content_behind,
    is_safe_cut,
    leading_blocks,
    newest_opening,
    opening_before,
)

if TYPE_CHECKING:
    from message_history.core.turns.conversation import Conversation
    from message_history.core.views.costs import Counter
    from message_history.core.views.cuts import Pin


def safe_cuts(conversation: Conversation, counter: Counter | None = None, pin: Pin = "turn") -> tuple[Cut, ...]:
    """Find where a conversation may be cut, oldest first; see `windows.safe_cuts`."""
    counting = _Counting(conversation, Costs(counter))
    checked_pin(pin)
    cuts: list[Cut] = []
    inside: list[int] = []
    for position in range(length_of(conversation) - 1, -1, -1):
        counting.count_back()
        if position % 2:
            inside.append(position)
            continue
        if inside and begins_turn(message_at(conversation, position)):
            cuts += [Cut(place, counting.cost_at(place, pin, position)) for place in inside]
            inside = []
        if is_safe_cut(conversation, position):
            cuts.append(Cut(position, counting.cost_at(position, pin)))
    return tuple(sorted(cuts))


def fitting_cut(
    conversation: Conversation,
    *,
    max_tokens: float | None,
    max_messages: float | None,
    counter: Counter | None,
    pin: Pin,
) -> tuple[int, Pin]:
    """Find the oldest cut after which all fits: where a turn begins if possible, else inside a turn.

    `max_tokens` is what the messages may cost, `max_messages` how many there may be. Returns the cut, 0 for an empty
    conversation, and which words lead: none if there is no room for them. Raises `WindowError` when not even the newest
    round fits. Raises `TypeError` when there is no budget or it is not a number, `ValueError` when it is negative. The
    cost is linear in what is kept; logarithmic in the history for a number of messages.
    """
    if max_tokens is None and max_messages is None:
        raise TypeError("a window needs a budget: max_tokens, max_messages or both")
    tokens, messages = budget("max_tokens", max_tokens), budget("max_messages", max_messages)
    length = length_of(conversation)
    counting = _Counting(conversation, Costs(counter) if max_tokens is not None else None)
    reach = length - counting.reach(tokens, min(length, messages))
    if reach == 0 and counting.cost <= tokens:
        return 0, pin

    def fits(position: int, pin: Pin) -> bool:
        return length - position + position % 2 <= messages and counting.cost_at(position, pin) <= tokens

    for position in range(reach + reach % 2, newest_opening(conversation) + 1, 2):
        if is_safe_cut(conversation, position) and fits(position, pin):
            return position, pin
    for pinned in (pin, None):
        for position in range(reach + 1 - reach % 2, length, 2):
            if fits(position, pinned):
                return position, pinned
    newest = length - 1 if is_safe_cut(conversation, length - 1) else length - 2
    counting.reach(math.inf, length - newest)
    cost, number = min(counting.cost_at(newest, kind) for kind in (pin, None)), length - newest + newest % 2
    limits = {"max_tokens": max_tokens, "max_messages": max_messages}
    asked = " and ".join(f"{name}={limit:,}" for name, limit in limits.items() if limit is not None)
    needs = f"has {number:,} messages" + (f" and costs {cost:,}" if max_tokens is not None else "")
    more = "pass more" if max_tokens is None else "pass more, or shorten its results with trim_results"
    raise WindowError(f"the newest round {needs}; it does not fit {asked}: {more}", cost, number)


def cost_behind(conversation: Conversation, position: int, counter: Counter | None, pin: Pin) -> int:
    """Return the cost of what would be kept after a safe cut, with what leads."""
    counting = _Counting(conversation, Costs(counter))
    counting.reach(math.inf, length_of(conversation) - position)
    return counting.cost_at(position, pin)


def budget(name: str, value: float | None) -> float:
    """Check a budget; None means no limit."""
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {short_repr(value)}")
    if not value >= 0:
        raise ValueError(f"{name} must not be negative, not {value!r}")
    return value


@final
class _Counting:
    """What the newest messages cost, counted from the last one back and no further than asked for."""

    def __init__(self, conversation: Conversation, costs: Costs | None) -> None:
        self._conversation = conversation
        self._length = length_of(conversation)
        self._costs = costs  # what a message costs; None to count messages only
        self._behind = [0]
        self._heads: dict[tuple[int, Pin], int] = {}

    @property
    def cost(self) -> int:
        """Return what the messages cost that were counted."""
        return self._behind[-1]

    def reach(self, tokens: float, messages: float) -> int:
        """Count messages back to the one that exceeds the tokens: it may fit, as its results go before the cut."""
        if self._costs is None:
            return int(messages)
        while len(self._behind) <= messages and self.cost <= tokens:
            self.count_back()
        return len(self._behind) - 1

    def count_back(self) -> None:
        """Count one more message."""
        position = self._length - len(self._behind)
        own = self._costs.of(message_at(self._conversation, position)) if self._costs is not None else 0
        self._behind.append(self.cost + own)

    def cost_at(self, position: int, pin: Pin, opening: int | None = None) -> int:
        """Count what would be kept after a cut, with what leads; the messages after it are counted already."""
        if self._costs is None:
            return self.cost
        if position % 2:
            return self._behind[self._length - position] + self._head(position, pin, opening)
        first = message_at(self._conversation, position)
        leading = leading_blocks(self._conversation, position, pin)
        if leading or (first.ids and position):
            behind = self._behind[self._length - position - 1]
            return behind + self._costs.of_blocks((*leading, *content_behind(first)))
        return self._behind[self._length - position]

    def _head(self, position: int, pin: Pin, opening: int | None) -> int:
        """Count what leads after a cut inside a turn; it is the same for all cuts in that turn."""
        if opening is None:
            opening = opening_before(self._conversation, position) if pin is not None else 0
        key = opening, pin
        if key not in self._heads and self._costs is not None:
            self._heads[key] = self._costs.of_blocks(leading_blocks(self._conversation, position, pin))
        return self._heads[key]
