"""Where a history may be cut, and what leads after a cut.

A cut before a user message begins a turn: the user's words lead. That message may answer calls as well, when the user
said something while tools ran; its results stay with their calls, before the cut. A cut before an assistant message is
inside a turn; there the user's words that opened the turn lead, or a placeholder. Nowhere else is a cut safe: results
would lose their calls, or the model would never see the newest of them.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Final, Literal, SupportsIndex, TypeAlias, final

from message_history.core.messages.blocks import SystemBlock, ToolResultBlock
from message_history.core.turns.conversation import context_of, length_of, message_at, past_of
from message_history.core.turns.rules import placeholder
from message_history.core.values.json_values import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.turns.conversation import Conversation
    from message_history.core.turns.past import Turn

Pin: TypeAlias = Literal["turn", "task"] | None
"""Which of the user's words lead after a cut, though they come before it: see `leading_blocks`."""

_PINS: Final = ("turn", "task", None)


@final
class WindowError(ValueError):
    """A history cannot be cut as it was asked for.

    Args:
        problem: what is wrong, with the numbers.
        cost: what the newest round costs, where it does not fit.
        messages: how many messages it has.
    """

    def __init__(self, problem: str, cost: int | None = None, messages: int | None = None) -> None:
        super().__init__(problem)
        self.cost = cost
        self.messages = messages

    def __reduce__(self) -> tuple[type[WindowError], tuple[str, int | None, int | None]]:
        return WindowError, (str(self), self.cost, self.messages)


def checked_pin(pin: object) -> Pin:
    """Return what was passed as `pin`, if it is one."""
    if pin not in _PINS:
        raise ValueError(f"pin must be 'turn', 'task' or None, not {short_repr(pin)}")
    return pin


def starts_turn(message: Message) -> bool:
    """Return whether a message is a user message that answers no call."""
    return message.role == "user" and not message.ids


def begins_turn(message: Message) -> bool:
    """Return whether a turn begins with the user's words in a message: it answers no call, or says more than that."""
    if message.role != "user":
        return False
    return not message.ids or any(not isinstance(block, SystemBlock) for block in _written_by_user(message))


def is_safe_cut(conversation: Conversation, position: int) -> bool:
    """Return whether a history may be cut before the message at a position from 0 on."""
    message = message_at(conversation, position)
    if message.role == "assistant" or not message.ids:
        return True
    # The results in the last message have not been sent yet.
    return position < length_of(conversation) - 1 and begins_turn(message)


def checked_index(name: str, value: SupportsIndex) -> int:
    """Return what was passed as a position, if it is one."""
    if not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    return index(value)


def safe_position(conversation: Conversation, cut: SupportsIndex, name: str = "cut") -> int:
    """Return the position of a safe cut; `WindowError` for any other."""
    position, length = checked_index(name, cut), length_of(conversation)
    if 0 <= position < length and is_safe_cut(conversation, position):
        return position
    before = next((n for n in range(min(position, length) - 1, -1, -1) if is_safe_cut(conversation, n)), None)
    after = next((n for n in range(max(position, 0), length) if is_safe_cut(conversation, n)), None)
    near = " and ".join(str(n) for n in (before, after) if n is not None)
    where = f"the nearest safe cuts are {near}" if near else "the history is empty"
    raise WindowError(f"{name}: {position} is not a safe cut of a history of {length:,} messages; {where}")


def content_behind(message: Message) -> tuple[Block, ...]:
    """Return what stays of a user message that a cut is made before: its results go with their calls."""
    return tuple(block for block in message.content if not isinstance(block, ToolResultBlock))


def leading_blocks(conversation: Conversation, position: int, pin: Pin) -> tuple[Block, ...]:
    """Return what must come before the kept messages, in the leading user message.

    `position` is a safe cut; or the end, where a summary takes the place of all. `pin` is `turn` for the words that
    opened the turn that is cut, `task` for the words of the first message as well, None for no words. Where no words of
    the user lead, or a system message would, the placeholder does; nothing where none is needed. The cost is
    logarithmic in the history when it was asked before, else linear.
    """
    if position == 0:
        return ()
    at_end = position == length_of(conversation)
    # An assistant message is there, or would come next.
    inside = position % 2 == 1
    places = pinned_places(conversation, position, pin)
    words = [block for place in places for block in _written_by_user(message_at(conversation, place))]
    if at_end and not words:
        return ()
    follows = () if inside or at_end else content_behind(message_at(conversation, position))
    if not words and follows and not isinstance(follows[0], SystemBlock):
        return ()
    if not words or isinstance(words[0], SystemBlock):
        return (placeholder(context_of(conversation).policy), *words)
    return tuple(words)


def pinned_places(conversation: Conversation, position: int, pin: Pin) -> list[int]:
    """Return the positions of the messages whose words lead after a cut."""
    places = [0] if pin == "task" and position else []
    if pin is not None and position % 2 == 1:
        at_end = position == length_of(conversation)
        places.append(newest_opening(conversation) if at_end else opening_before(conversation, position))
    return list(dict.fromkeys(places))


def opening_before(conversation: Conversation, position: int) -> int:
    """Return the position of the user message whose words opened the turn that a position is in.

    The cost is logarithmic in the history when it was asked before, else linear.
    """
    earlier = past_of(conversation).first((position + 1) // 2)
    return 2 * next(turn for turn in reversed([*earlier.summaries(_last_opening)]) if turn is not None)


def newest_opening(conversation: Conversation) -> int:
    """Return the position of the last safe cut where a turn begins; -1 for an empty conversation."""
    last = length_of(conversation) - 1
    if last < 0:
        return -1
    if last % 2 == 0 and is_safe_cut(conversation, last):
        return last
    return opening_before(conversation, last if last % 2 else last - 1)


def _last_opening(start: int, turns: list[Turn]) -> int | None:
    """Find the last turn of a run whose user message begins a turn, for `Log.summaries`."""
    for number in range(len(turns) - 1, -1, -1):
        user = turns[number][1]
        if user is not None and begins_turn(user):
            return start + number
    return None


def _written_by_user(message: Message) -> Sequence[Block]:
    """Return what the user or the system wrote in a user message: no results, quotes or text of this library."""
    words: list[Block] = []
    quoted = 0
    for block in message.content:
        mark = block.mark
        if isinstance(block, ToolResultBlock) or quoted:
            quoted = max(quoted - 1, 0)
        elif mark is not None and mark.kind != "forgotten":
            quoted = mark.blocks
        else:
            words.append(block)
    return words
