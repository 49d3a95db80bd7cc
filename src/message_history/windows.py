"""Windows: the part of a history that goes on when it has grown too long, with what was omitted, in numbers.

`MessageHistory` has methods of the same names, which give the history alone. A turn begins with what the user says, and
goes on to what the user says next; its rounds begin with its assistant messages. Windows keep whole turns where they
can, and rounds where they must, so that no call loses its result. The system prompt always stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, final

from attrs import evolve, field, frozen
from attrs.validators import ge, gt, le

from message_history.core.messages.message import Message
from message_history.core.turns.rewrites import TRIMMED
from message_history.core.views import fitting, windows
from message_history.core.views.costs import Costs, Counter, Cut, estimate_tokens
from message_history.core.views.cuts import Pin, WindowError, checked_pin, is_safe_cut
from message_history.core.views.windows import Kept, Omitted
from message_history.history import MessageHistory, conversation_of, history_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.blocks import Content
    from message_history.core.turns.calls import CallRecord
    from message_history.core.turns.conversation import Conversation

__all__ = [
    "TRIMMED",
    "Counter",
    "Cut",
    "MovingWindow",
    "Omitted",
    "Pin",
    "Window",
    "WindowError",
    "compact",
    "drop_before",
    "drop_from",
    "estimate_tokens",
    "rewind",
    "safe_cuts",
    "tokens",
    "trim_results",
    "window",
]


@final
@frozen
class Window:
    """A history that goes on with a part of another, and what was omitted.

    Args:
        history: the history.
        omitted: what it does not have any more.
    """

    history: MessageHistory
    omitted: Omitted


@final
@frozen(kw_only=True)
class MovingWindow:
    """A window that stays where it is until the limit is passed, and then moves by a large step.

    Store the whole history, and send the window. While it stays, each request begins with the one before, so prompt
    caches hit, and thinking that came since it moved stays valid. Save `cut`, `since` and `pinned` with the session,
    and pass them to go on after a restart.

    Args:
        max_tokens: what the messages may cost, by the counter; None for no limit.
        max_messages: how many there may be; None for no limit.
        keep: which part of the limits is kept when the window moves, between 0 and 1.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.
        pin: which of the user's words lead; see `window`.
        cut: the position of the history from which on it is sent.
        since: how long the history was when the window moved there.
        pinned: whether there was room for the words to lead.

    Raises:
        TypeError: when there is no limit, or it is not a number.
        ValueError: for a limit that is negative, or a `keep` that is not between 0 and 1.

    Examples:
        >>> window = MovingWindow(max_messages=4, keep=0.5)
        >>> history = MessageHistory().add_user("One").add_assistant("1").add_user("Two").add_assistant("2")
        >>> window = window.follow(history.add_user("Three"))
        >>> window.cut, len(window.of(history.add_user("Three")))
        (4, 1)
    """

    max_tokens: float | None = None
    max_messages: int | None = None
    keep: float = field(default=0.5, validator=[gt(0), le(1)])
    counter: Counter | None = field(default=None, eq=False)
    pin: Pin = field(default="turn", converter=checked_pin)
    cut: int = field(default=0, validator=ge(0))
    since: int = field(default=0, validator=ge(0))
    pinned: bool = True

    def __attrs_post_init__(self) -> None:
        if self.max_tokens is None and self.max_messages is None:
            raise TypeError("a moving window needs a limit: max_tokens, max_messages or both")
        fitting.budget("max_tokens", self.max_tokens)
        fitting.budget("max_messages", self.max_messages)

    def follow(self, history: MessageHistory) -> MovingWindow:
        """Move, if what is sent has passed the limit; call it before each request.

        Args:
            history: the whole history.

        Returns:
            The window to send; this one as long as it fits.

        Raises:
            WindowError: when not even the newest round fits into the limits.

        Complexity: linear in what is sent; constant for a number of messages.
        """
        conversation, length = conversation_of(history), len(history)
        here = self
        if self.cut and (self.cut >= length or not is_safe_cut(conversation, self.cut)):
            here = evolve(self, cut=0, since=0, pinned=True)  # The history was rewound to before the cut.
        elif self.since > length:
            here = evolve(self, since=length)
        if not length or here._fits(history):
            return here
        try:
            position, pin = here._cut_of(conversation, self.keep)
        except WindowError:
            position, pin = here._cut_of(conversation, 1)
        return evolve(here, cut=position, since=length, pinned=pin == self.pin)

    def of(self, history: MessageHistory) -> MessageHistory:
        """Return what is sent of a history: the messages after the cut, with the user's words that lead.

        Args:
            history: the history that was followed, or one that has grown since.

        Returns:
            The part of it; itself while nothing is cut.

        Raises:
            WindowError: when the history was cut or rewound since; call `follow` first.
            InvariantError: see `drop_before`.

        Complexity: as for `drop_before`.
        """
        if not self.cut:
            return history
        pin = self.pin if self.pinned else None
        kept = windows.drop_before(conversation_of(history), self.cut, pin=pin, since=self.since)
        return _window(history, kept).history

    def _fits(self, history: MessageHistory) -> bool:
        if self.max_messages is not None and len(history) - self.cut + self.cut % 2 > self.max_messages:
            return False
        pin = self.pin if self.pinned else None
        return (
            self.max_tokens is None
            or fitting.cost_behind(conversation_of(history), self.cut, self.counter, pin) <= self.max_tokens
        )

    def _cut_of(self, conversation: Conversation, part: float) -> tuple[int, Pin]:
        return fitting.fitting_cut(
            conversation,
            max_tokens=self.max_tokens * part if self.max_tokens is not None else None,
            max_messages=self.max_messages * part if self.max_messages is not None else None,
            counter=self.counter,
            pin=self.pin,
        )


def safe_cuts(history: MessageHistory, counter: Counter | None = None, *, pin: Pin = "turn") -> tuple[Cut, ...]:
    """Find where a history may be cut: where the user's words begin a turn, and before each assistant message.

    Args:
        history: the history; nothing of it changes.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.
        pin: which of the user's words lead after a cut; see `window`.

    Returns:
        The places, oldest first, each with the cost of what follows it and leads. The first is 0, unless the history is
        empty. `history[cut].role` is `user` where a turn begins, `assistant` inside a turn.

    Raises:
        TypeError: for a counter that gives no number.

    Complexity: linear in the history.
    """
    return fitting.safe_cuts(conversation_of(history), counter, pin)


def window(
    history: MessageHistory,
    *,
    max_tokens: float | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
    pin: Pin = "turn",
) -> Window:
    """Keep the newest whole turns that fit; of a turn that does not fit, keep its newest rounds.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated; when everything fits, nothing changes. Before each request, use a `MovingWindow`: it changes only when
    the limit is passed.

    Args:
        history: the history.
        max_tokens: what the messages may cost, by the counter; the system prompt and tool definitions are not counted.
        max_messages: how many there may be.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.
        pin: which of the user's words lead, although they come before the cut. `turn`: inside a turn, those that
            opened it. `task`: those of the first message too, after any cut. None: no words; inside a turn, a marked
            placeholder leads. Words that leave no room for the newest round are replaced by the placeholder.

    Returns:
        A history that begins with a user message, and what was omitted. Its calls that are awaited are so still. A
        larger budget never keeps less, unless it makes room for the pinned words.

    Raises:
        WindowError: when not even the newest round fits.
        InvariantError: see `drop_before`.
        TypeError: when there is no budget, or it or what the counter returns is not a number.
        ValueError: for a negative budget, or an unknown `pin`.

    Complexity: linear in what is kept, and see `drop_before`.
    """
    kept = windows.window(
        conversation_of(history), max_tokens=max_tokens, max_messages=max_messages, counter=counter, pin=pin
    )
    return _window(history, kept)


def drop_before(history: MessageHistory, cut: SupportsIndex, *, pin: Pin = "turn") -> Window:
    """Omit all messages before a safe cut.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated.

    Args:
        history: the history.
        cut: one of `safe_cuts`, or its position.
        pin: which of the user's words lead; see `window`.

    Returns:
        A history that begins with the message at the cut, or inside a turn with the words that lead; and what was
        omitted. A user message at the cut that answers calls too goes on without those results.

    Raises:
        WindowError: when it may not be cut there.
        InvariantError: when the policy says to raise and a placeholder must go before what is kept.

    Complexity: linear in the repairs, in the chunks of what is kept, and in what is kept if that holds thinking; the
        first time linear in what is kept.
    """
    return _window(history, windows.drop_before(conversation_of(history), cut, pin=pin))


def rewind(history: MessageHistory, n_turns: int = 1) -> Window:
    """Omit the newest whole turns, to go on from an earlier point.

    Stable prefix: it stays; what is left is sent as before, and thinking in it stays valid.

    Args:
        history: the history.
        n_turns: how many whole turns.

    Returns:
        A history without them, which is empty when they are all there are; and what was omitted.

    Raises:
        WindowError: when there are fewer.

    Complexity: linear in the history.
    """
    return _window(history, windows.rewind(conversation_of(history), n_turns))


def compact(
    history: MessageHistory, summary: Content, *, keep_from: SupportsIndex | None = None, pin: Pin = None
) -> Window:
    """Put a summary in the place of the messages before a safe cut.

    The summary becomes the leading user message; a user message at the cut is joined to it.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated.

    Args:
        history: the history.
        summary: what the messages before the cut say: text, or blocks that a user may send.
        keep_from: one of `safe_cuts`, or its position; None to go on with the summary and the calls that are awaited.
        pin: which of the user's words come before the summary; see `window`. Where the summary takes the place of
            all, they are those that no reply has ended.

    Returns:
        A history that begins with the summary, and what was omitted. Its calls that are awaited are so still.

    Raises:
        WindowError: when it may not be cut there.
        InvariantError: when the policy says to raise and the summary cannot be taken as it is.
        ValueError: for a summary that says nothing.

    Complexity: as for `drop_before`.
    """
    return _window(history, windows.compact(conversation_of(history), summary, keep_from=keep_from, pin=pin))


def trim_results(
    history: MessageHistory,
    *,
    older_than: SupportsIndex | None = None,
    keep: SupportsIndex | None = None,
    text: str | Callable[[CallRecord], str] = TRIMMED,
) -> Window:
    """Shorten old tool outputs; calls, ids and everything else stay.

    Results of calls that have no real result, results that are quoted as text and results that are not longer than
    the text stay as they are, so that doing it again changes nothing.

    Stable prefix: it stays up to the first result that is shortened, and changes from there on; thinking after that
    is invalidated.

    Args:
        history: the history.
        older_than: a position, or one of `safe_cuts`: results in messages before it are shortened. A negative one
            counts from the end, as in a slice.
        keep: instead of a position, how many of the newest results stay; all before them are shortened.
        text: the text in their place, or a function that returns it for each call, with its result in it.

    Returns:
        The same history with shorter results, and what was omitted.

    Raises:
        TypeError: for a text that is not a str; unless either `older_than` or `keep` is given.
        ValueError: for a text that would be taken for a result that is missing, or a negative `keep`.

    Complexity: linear in the history.
    """
    return _window(history, windows.trim_results(conversation_of(history), older_than=older_than, keep=keep, text=text))


def tokens(value: MessageHistory | Message, counter: Counter | None = None) -> int:
    """Count what a history or a message costs, as windows count it: messages, without system prompt and tools.

    Args:
        value: the history or the message.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.

    Returns:
        The sum.

    Raises:
        TypeError: for a counter that gives no number.

    Complexity: linear in the history.
    """
    costs = Costs(counter)
    return sum(map(costs.of, [value] if isinstance(value, Message) else value))


def drop_from(history: MessageHistory, position: SupportsIndex) -> Window:
    """Omit all messages from a position on: the history as it was before that message.

    It has the system prompt, the policy, the repairs and the keys that it had, which a slice has not, and is sent as it
    was. Calls whose results are omitted wait again, although they have run.

    Args:
        history: the history.
        position: the position of the first message that is omitted; a negative one counts from the end.

    Returns:
        A history without them, and what was omitted. Calls that are added from here on have keys of their own.

    Complexity: linear in the history.
    """
    return _window(history, windows.drop_from(conversation_of(history), position))


def _window(history: MessageHistory, kept: Kept) -> Window:
    conversation, omitted = kept
    return Window(history if conversation is conversation_of(history) else history_of(conversation), omitted)
