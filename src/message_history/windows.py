"""Windows: the part of a history that goes on when it has grown too long, with what was omitted, in numbers.

`MessageHistory` has methods of the same names, which give the history alone. A whole turn is, here, a user message that
answers no call, and everything up to the next such message. Windows remove whole turns only, so no call loses its
result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, final

from attrs import frozen

from message_history.core import windows
from message_history.core.costs import Counter, Cut, estimate_tokens
from message_history.core.windows import TRIMMED, Kept, Omitted, WindowError
from message_history.history import MessageHistory, conversation_of, history_of

if TYPE_CHECKING:
    from message_history.core.blocks import Content

__all__ = [
    "TRIMMED",
    "Counter",
    "Cut",
    "Omitted",
    "Window",
    "WindowError",
    "compact",
    "drop_before",
    "estimate_tokens",
    "rewind",
    "safe_cuts",
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


def safe_cuts(history: MessageHistory, counter: Counter | None = None) -> tuple[Cut, ...]:
    """Find where a history may be cut: before each user message that answers no call.

    Args:
        history: the history; nothing of it changes.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.

    Returns:
        The places, oldest first, each with the cost of what follows it. The first is 0, unless the history is empty.

    Raises:
        TypeError: for a counter that gives no number.

    Complexity: linear in the history.
    """
    return windows.safe_cuts(conversation_of(history), counter)


def window(
    history: MessageHistory,
    *,
    max_tokens: float | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
) -> Window:
    """Keep the newest whole turns that fit.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated; when everything fits, nothing changes. A larger budget never keeps less.

    Args:
        history: the history.
        max_tokens: what the messages may cost, by the counter; the system prompt and tool definitions are not counted.
        max_messages: how many there may be.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.

    Returns:
        A history that begins with a user message, and what was omitted. Its calls that are awaited are so still.

    Raises:
        WindowError: when not even the newest whole turn fits.
        InvariantError: see `drop_before`.
        TypeError: when there is no budget, or it or what the counter gives is no number.
        ValueError: for a negative budget.

    Complexity: linear in what is kept, and see `drop_before`.
    """
    kept = windows.window(conversation_of(history), max_tokens=max_tokens, max_messages=max_messages, counter=counter)
    return _window(history, kept)


def drop_before(history: MessageHistory, cut: SupportsIndex) -> Window:
    """Omit all messages before a safe cut.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated.

    Args:
        history: the history.
        cut: one of `safe_cuts`, or its position.

    Returns:
        A history that begins with the message at the cut, and what was omitted.

    Raises:
        WindowError: when it may not be cut there.
        InvariantError: when the policy says to raise and a placeholder must go before what is kept.

    Complexity: linear in what is kept and in the repairs; a late result in what is kept makes it linear in the history.
    """
    return _window(history, windows.drop_before(conversation_of(history), cut))


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


def compact(history: MessageHistory, summary: Content, *, keep_from: SupportsIndex | None = None) -> Window:
    """Put a summary in the place of the messages before a safe cut.

    The summary becomes the leading user turn; the user message at the cut is joined to it.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is
    invalidated.

    Args:
        history: the history.
        summary: what the messages before the cut say: text, or blocks that a user may send.
        keep_from: one of `safe_cuts`, or its position; None to go on with the summary alone.

    Returns:
        A history that begins with the summary, and what was omitted.

    Raises:
        WindowError: when it may not be cut there, or when calls are awaited that would be omitted.
        InvariantError: when the policy says to raise and the summary cannot be taken as it is.
        ValueError: for a summary that says nothing.

    Complexity: as for `drop_before`.
    """
    return _window(history, windows.compact(conversation_of(history), summary, keep_from=keep_from))


def trim_results(history: MessageHistory, *, older_than: SupportsIndex, text: str = TRIMMED) -> Window:
    """Shorten old tool outputs; calls, ids and everything else stay.

    Results of calls that have no real result, results that are quoted as text and results that are not longer than
    the text stay as they are, so that doing it again changes nothing.

    Stable prefix: it stays up to the first result that is shortened, and changes from there on; thinking behind that
    is invalidated.

    Args:
        history: the history.
        older_than: a position, or one of `safe_cuts`: results in messages before it are shortened. A negative one
            counts from the end, as in a slice.
        text: what stands in their place.

    Returns:
        The same history with shorter results, and what was omitted.

    Raises:
        TypeError: for a text that is none.
        ValueError: for a text that would be taken for a result that is missing.

    Complexity: linear in the history.
    """
    return _window(history, windows.trim_results(conversation_of(history), older_than=older_than, text=text))


def _window(history: MessageHistory, kept: Kept) -> Window:
    conversation, omitted = kept
    return Window(history if conversation is conversation_of(history) else history_of(conversation), omitted)
