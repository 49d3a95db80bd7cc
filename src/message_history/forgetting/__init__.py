"""Forgetting: what was said, removed from a history for good, so that nothing made from it can reveal it.

The structure stays, and all laws hold but two: what came in is not kept (law 5), and what was sent is not what it was
(law 6). A repair says that something was forgotten, and never what. Older versions that a program holds keep it (law
10), and what a client sends again comes back. For what sessions keep, see `message_history.storage.forgetting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from message_history.core.messages.blocks import ToolUseBlock, is_blank, keyed_call
from message_history.core.turns.naming import Names, the_place
from message_history.core.values.json_values import short_repr
from message_history.core.views.cuts import checked_index, starts_turn
from message_history.forgetting.erasing import blocks_of_call, erase_blocks, erase_messages, erase_repairs
from message_history.forgetting.finding import Find, Finder
from message_history.forgetting.redacting import Redaction
from message_history.forgetting.saved_form import Rewriting
from message_history.history import conversation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.history import MessageHistory

__all__ = ["REDACTED", "Find", "erase", "redact"]

REDACTED = "[redacted]"
"""The text that `redact` puts in the place of what it finds."""


def redact(history: MessageHistory, find: Find, replace: str = REDACTED, *, reason: str = "redacted") -> MessageHistory:
    """Replace what is found in every text that a history holds.

    Looked through are texts, inputs with their keys, results, thinking, ids and names of calls, what travels with
    blocks, the system prompt, metadata, what was said of replies, decisions, repairs and the conversation's name. JSON
    within texts and base64 are read; an image or document that holds it goes as a whole. Thinking that holds it loses
    its signature. What this library writes itself is not looked through: roles, types, states, counts.

    Stable prefix: it stays up to the first message that is changed. From there on cached prompts miss, and thinking is
    invalidated. Calls that are changed have other keys.

    Args:
        history: the history, all of it: quotes of calls that were not loaded lose their link to them.
        find: a text, a compiled pattern, several of them, or a function that returns each text without it.
        replace: the text that takes its place, for all but a function.
        reason: what the marks at the changed places say, and the repairs.

    Returns:
        A new history without it, or this one if it was not found.

    Raises:
        TypeError: for any other `find`, or a function that returns no text.
        ValueError: for a `find` that matches an empty text, or a `replace` or `reason` that holds it.

    Complexity: linear in the history.

    Examples:
        >>> from message_history import MessageHistory
        >>> history = MessageHistory().add_user("My number is 0123 456789.")
        >>> print(redact(history, "0123 456789", "[number]")[0].text)
        My number is [number].
    """
    finder = Finder(find, replace)
    if finder.text(_checked_reason(reason)) != reason:
        raise ValueError("reason must not hold what is to be forgotten")
    rewriting = Rewriting(history, reason)
    Redaction(finder, reason).whole(rewriting)
    return rewriting.finish() or history


def erase(
    history: MessageHistory,
    *,
    message: SupportsIndex | None = None,
    call: ToolUseBlock | str | None = None,
    key: str | None = None,
    turn: SupportsIndex | None = None,
    reason: str = "erased",
) -> MessageHistory:
    """Erase what a message, a call or a turn says; its place stays, and is marked.

    Calls and results keep id and tool, replies their id, model, stop reason and usage, and what was recorded of a call
    its states, with times and workers. Of a call its result and what was quoted of it go with it, and the metadata of
    the messages that they came in. Repairs lose what they hold of it; an entry that was dropped goes with the message
    before it and with the one after it, as it may have been a part of either. What others repeat of it in their own
    words stays: `redact` finds it.

    Stable prefix: as for `redact`.

    Args:
        history: the history.
        message: the position of a message; a negative one counts from the end.
        call: a call, as `calls` or `awaiting` returns it, or its id, if only one call that is not settled has it.
        key: the call's key, instead of `call`.
        turn: the number of a turn, which begins with what the user says and goes on to what the user says next.
        reason: what the marks at the places say, and the repairs.

    Returns:
        A new history without it, or this one if nothing of it is left.

    Raises:
        IndexError: for a message or a turn that there is not.
        AmbiguousCallError: for an id that could mean several calls.
        UnknownCallError: for a call that is not in this history.
        TypeError: unless exactly one of `message`, `call`, `key` and `turn` is given.

    Complexity: linear in the history.

    Examples:
        >>> from message_history import MessageHistory
        >>> history = MessageHistory().add_user("A secret.").add_assistant("I keep it.")
        >>> print(erase(history, message=0)[0].text)
        [This was removed.]
    """
    rewriting = Rewriting(history, _checked_reason(reason))
    if [message, call, key, turn].count(None) != 3:
        raise TypeError("erase takes one of message, call, key and turn, and only one")
    if message is not None or turn is not None:
        positions = _of_turn(history, turn) if turn is not None else [_position("message", message, len(history))]
        blocks = [block for n in positions for block in rewriting.entries[n]["content"]]
        erase_messages(rewriting, positions, reason)
        erase_repairs(rewriting, blocks, positions, reason)
        return rewriting.finish() or history
    _erase_call(rewriting, history, keyed_call(key) if key is not None else call, reason)
    return rewriting.finish() or history


def _erase_call(rewriting: Rewriting, history: MessageHistory, call: ToolUseBlock | str | None, reason: str) -> None:
    if not isinstance(call, ToolUseBlock | str):
        raise TypeError(f"call must be a ToolUseBlock or an id, not {type(call).__name__}: {short_repr(call)}")
    names = Names.of(conversation_of(history))
    place = the_place(names, call)
    found = names.call_at(place)
    places = list(blocks_of_call(rewriting, 2 * place.turn - 1, place.number, found.id, found.key))
    blocks = [rewriting.entries[position]["content"][number] for position, number in places]
    for position, number in places:
        erase_blocks(rewriting, position, [number], reason)
    erase_repairs(rewriting, blocks, {position for position, _ in places}, reason, found.id)


def _position(name: str, value: SupportsIndex | None, length: int) -> int:
    position = checked_index(name, value)  # type: ignore[arg-type]
    if not -length <= position < length:
        raise IndexError(f"{name}: there is no {name} {position}; there are {length:,}")
    return position % length


def _of_turn(history: MessageHistory, turn: SupportsIndex) -> Sequence[int]:
    starts = [n for n, message in enumerate(history) if n == 0 or starts_turn(message)]
    number = _position("turn", turn, len(starts))
    return range(starts[number], [*starts[1:], len(history)][number])


def _checked_reason(reason: str) -> str:
    if not isinstance(reason, str):
        raise TypeError(f"reason must be a str, not {type(reason).__name__}: {short_repr(reason)}")
    if is_blank(reason):
        raise ValueError("reason must say why, as 'asked' does")
    return reason
