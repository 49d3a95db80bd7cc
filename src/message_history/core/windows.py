"""Windows: what of a history goes on when it has grown too long.

A whole turn is, here, a user message that answers no call, and all that follows up to the next such message. Windows
take out whole turns only, so no call loses its result; what is kept goes through the same step as any message.

Nothing here decides what a valid conversation is. Nothing that was left out is kept alive: the old history has it.
"""

from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Final, NamedTuple, SupportsIndex, TypeAlias, final

from attrs import evolve, frozen

from message_history.core.blocks import (
    Block,
    Content,
    DocumentBlock,
    ImageBlock,
    Mark,
    Meta,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    blocks_of,
    is_blank,
    with_meta,
)
from message_history.core.drafts import UserDraft
from message_history.core.json_values import json_text, short_repr, thaw
from message_history.core.log import Log
from message_history.core.message import Message, has_thinking, invalidate_thinking, make_message
from message_history.core.past import records_of
from message_history.core.repairs import Repair, RepairCode
from message_history.core.rules import messages_in

if TYPE_CHECKING:
    from message_history.core.drafts import Turn
    from message_history.core.policy import Policy
    from message_history.history import MessageHistory

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

TRIMMED: Final = "[This result was left out to save space.]"
"""What `trim_results` puts in the place of an old result."""

Counter: TypeAlias = Callable[[Any], int]
"""What a message costs. It is called with one message; one that takes lists of messages gets a list of one."""

IMAGE_TOKENS: Final = 1_600
BYTES_PER_TOKEN: Final = 4
ENCODED_BYTES_PER_TOKEN: Final = 30
BLOCK_TOKENS: Final = 4


class Cut(NamedTuple):
    """A place where a history may be cut; it can be used as an index.

    Args:
        position: the user message that a window from here on begins with.
        cost: what the messages from here on cost, all together.
    """

    position: int
    cost: int

    def __index__(self) -> int:
        return self.position


@final
@frozen(kw_only=True)
class Omitted:
    """What is not in a window any more, in numbers; the history that the window was taken of still has it.

    Args:
        messages: how many messages were left out.
        results: how many results were shortened.
        positions: where the messages stood that were left out or shortened, in the old history.
        repairs: how many repairs went with them.
        invalidated: how many thinking blocks were marked, because what came before them has changed.
    """

    messages: int = 0
    results: int = 0
    positions: Sequence[int] = ()
    repairs: int = 0
    invalidated: int = 0


@final
@frozen
class Window:
    """A history that goes on with a part of another, and what was left out of that.

    Args:
        history: what goes on.
        omitted: what does not.
    """

    history: MessageHistory
    omitted: Omitted = Omitted()


@final
class WindowError(ValueError):
    """What was asked for cannot be cut out of the history.

    Args:
        problem: what is wrong, in words and with the numbers.
        cost: what the newest whole turn costs, where it does not fit.
        messages: how many messages it has.
    """

    def __init__(self, problem: str, cost: int | None = None, messages: int | None = None) -> None:
        super().__init__(problem)
        self.cost = cost
        self.messages = messages

    def __reduce__(self) -> tuple[type[WindowError], tuple[str, int | None, int | None]]:
        return WindowError, (str(self), self.cost, self.messages)


def estimate_tokens(message: Message) -> int:
    """Estimate how many tokens a message has, without a tokenizer.

    It is a rough guess: four bytes of text are taken for a token, which is about right for English and code and too
    little for some other scripts; an image counts 1,600, an encoded document a token for each 30 bytes. Leave a fifth
    of the budget free, or give a counter of your own.

    Args:
        message: the message.

    Returns:
        The estimate.

    Complexity: linear in the message.
    """
    return BLOCK_TOKENS + sum(map(_tokens, message.content))


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
    costs = _Costs(history, counter)
    return tuple(reversed([Cut(position, cost) for position, cost in costs.of_turns()]))


def window(
    history: MessageHistory,
    *,
    max_tokens: float | None = None,
    max_messages: int | None = None,
    counter: Counter | None = None,
) -> Window:
    """Keep the newest whole turns that fit.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is marked
    unbound; when everything fits, nothing changes. A larger budget never keeps less.

    Args:
        history: the history.
        max_tokens: what the messages may cost, by the counter; the system prompt and tool definitions are not counted.
        max_messages: how many there may be.
        counter: what a message costs; an estimate of its tokens by default, see `estimate_tokens`.

    Returns:
        A history that begins with a user message, and what was left out. Its calls that are awaited are so still.

    Raises:
        WindowError: when not even the newest whole turn fits.
        InvariantError: see `drop_before`.
        TypeError: when there is no budget, or it or what the counter gives is no number.
        ValueError: for a negative budget.

    Complexity: linear in what is kept, and see `drop_before`.
    """
    if max_tokens is None and max_messages is None:
        raise TypeError("a window needs a budget: max_tokens, max_messages or both")
    tokens = _budget("max_tokens", max_tokens)
    messages = _budget("max_messages", max_messages)
    costs = _Costs(history, (lambda _: 0) if max_tokens is None else counter)
    kept: int | None = None
    newest: Cut | None = None
    for position, cost in costs.of_turns(tokens, messages):
        newest = newest if newest is not None else Cut(position, cost)
        if cost <= tokens and len(history) - position <= messages:
            kept = position
    if newest is None:
        return Window(history)
    if kept is not None:
        return drop_before(history, kept)
    number = len(history) - newest.position
    asked = [f"a budget of {max_tokens:,}"] if max_tokens is not None else []
    asked += [f"at most {max_messages:,} messages"] if max_messages is not None else []
    needs = f"has {number:,} messages" + (f" and costs {newest.cost:,}" if max_tokens is not None else "")
    raise WindowError(f"the newest whole turn {needs}; it does not fit {' and '.join(asked)}", newest.cost, number)


def _budget(name: str, given: float | None) -> float:
    """Read a budget; there may be any number of what has none."""
    if given is None:
        return math.inf
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"{name} must be a number, not {short_repr(given)}")
    if not given >= 0:
        raise ValueError(f"{name} must not be negative, not {given!r}")
    return given


def drop_before(history: MessageHistory, cut: SupportsIndex) -> Window:
    """Leave out all messages before a safe cut.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is marked
    unbound.

    Args:
        history: the history.
        cut: one of `safe_cuts`, or its position.

    Returns:
        A history that begins with the message at the cut, and what was left out.

    Raises:
        WindowError: when it may not be cut there.
        InvariantError: when the policy says to raise and words of ours must stand before what is kept.

    Complexity: linear in what is kept and in the repairs; a late result in what is kept makes it linear in the history.
    """
    position = _position(history, cut)
    if position == 0:
        return Window(history)
    opening = _opening(history[position], history.policy)
    if not opening:
        return _from(history, position)
    added = Repair(code=RepairCode.BOOTSTRAP_ADDED, index=0, added=opening)
    return _from(history, position, [make_message("user", opening)], [added])


def rewind(history: MessageHistory, n_turns: int = 1) -> Window:
    """Leave out the newest whole turns, to go on from an earlier point.

    Stable prefix: it stays; what is left is sent as before, and thinking in it stays bound.

    Args:
        history: the history.
        n_turns: how many whole turns.

    Returns:
        A history without them, which is empty when they are all there are; and what was left out.

    Raises:
        WindowError: when there are fewer.

    Complexity: linear in the history.
    """
    if n_turns < 0:
        raise WindowError(f"{n_turns} turns cannot be taken back")
    starts = [0, *(position for position in range(1, len(history)) if _starts_turn(history[position]))]
    found = len(starts) if history else 0
    if n_turns > found:
        raise WindowError(f"{n_turns:,} turns cannot be taken back: the history has {found:,}")
    if n_turns == 0:
        return Window(history)
    position = starts[found - n_turns]
    repairs = [repair for repair in history._state[2].repairs if repair.index < position]
    omitted = Omitted(
        messages=len(history) - position,
        positions=range(position, len(history)),
        repairs=len(history.repairs) - len(repairs),
    )
    return Window(history._folded(history[:position], repairs), omitted)


def compact(history: MessageHistory, summary: Content, *, keep_from: SupportsIndex | None = None) -> Window:
    """Put a summary in the place of the messages before a safe cut.

    The summary becomes the leading user turn; the user message at the cut is joined to it.

    Stable prefix: all that is sent changes from the first message on, so cached prompts miss and thinking is marked
    unbound.

    Args:
        history: the history.
        summary: what the messages before the cut said: text, or blocks that a user may send.
        keep_from: one of `safe_cuts`, or its position; None to go on with the summary alone.

    Returns:
        A history that begins with the summary, and what was left out.

    Raises:
        WindowError: when it may not be cut there, or when calls are awaited that would be left out.
        InvariantError: when the policy says to raise and the summary cannot be taken as it is.
        ValueError: for a summary that says nothing.

    Complexity: as for `drop_before`.
    """
    leading = blocks_of(summary)
    if not all(isinstance(block, _SAYABLE) for block in leading):
        raise ValueError("a summary is made of text, images and documents")
    if all(isinstance(block, TextBlock) and is_blank(block.text) for block in leading):
        raise ValueError("a summary must say something")
    if keep_from is None and history.awaiting:
        names = ", ".join(f"{call.id!r:.80}" for call in history.awaiting)
        raise WindowError(f"calls are awaited ({names}); keep them, or add their results first")
    position = len(history) if keep_from is None else _position(history, keep_from)
    return _from(history, position, [make_message("user", leading)])


def trim_results(history: MessageHistory, *, older_than: SupportsIndex, text: str = TRIMMED) -> Window:
    """Shorten old tool outputs; calls, ids and everything else stay.

    Results of calls that have no real result, results that are quoted as text and results that are not longer than
    the text stay as they are, so that doing it again changes nothing.

    Stable prefix: it stays up to the first result that is shortened, and changes from there on; thinking behind that
    is marked unbound.

    Args:
        history: the history.
        older_than: a position, or one of `safe_cuts`: results in messages before it are shortened. A negative one
            counts from the end, as in a slice.
        text: what stands in their place.

    Returns:
        The same conversation with shorter results, and what was left out.

    Raises:
        TypeError: for a text that is none.
        ValueError: for a text that would be taken for a result that is missing.

    Complexity: linear in the history.
    """
    if not isinstance(text, str):
        raise TypeError(f"what stands in the place of a result is text, not {short_repr(text)}")
    if text == history.policy.stub_text:
        raise ValueError("this text says that a result is missing; a shortened result needs another one")
    past, (assistant, user), context = history._state
    end = slice(index(older_than)).indices(len(history))[1]
    trimming = _Trimming(() if is_blank(text) else (TextBlock(text),))
    closed = messages_in(past) + (assistant is not None)
    messages = [trimming.message(n, message) for n, message in enumerate(history[: min(end, closed)])]
    user = trimming.user(closed, user) if end > closed else user
    if not trimming.positions:
        return Window(history)
    first = trimming.positions[0]
    messages += history[len(messages) : closed]
    omitted = Omitted(
        results=trimming.results, positions=tuple(trimming.positions), invalidated=_thoughts(history[first:])
    )
    messages = [*messages[:first], *_marked(messages[first:])]
    return Window(history._folded(messages, context.repairs, user=user), omitted)


_SAYABLE: Final = (TextBlock, ImageBlock, DocumentBlock, ProviderBlock)


@final
class _Costs:
    """What whole turns cost, counted from the newest on and no further than asked for.

    Args:
        history: the history.
        counter: what a message costs.
    """

    def __init__(self, history: MessageHistory, counter: Counter | None) -> None:
        self.spent = 0
        self._history = history
        self._counter: Counter = counter if counter is not None else estimate_tokens
        # None until it has been asked once.
        self._takes_lists: bool | None = None

    def of_turns(self, tokens: float = math.inf, messages: float = math.inf) -> Iterator[tuple[int, int]]:
        """Give each position where a whole turn begins, newest first, with the cost of all that follows it.

        Behind the newest one, no more is counted than it takes to see that nothing else fits.
        """
        found = False
        for position in range(len(self._history) - 1, -1, -1):
            if found and (self.spent > tokens or len(self._history) - position > messages):
                return
            message = self._history[position]
            own = self._of(message)
            if _starts_turn(message):
                found = True
                opening = _opening(message, self._history.policy) if position else ()
                yield position, self.spent + (self._of(_opened(opening, message)) if opening else own)
            self.spent += own

    def _of(self, message: Message) -> int:
        """Count one message, in the way that the counter takes it."""
        cost: object
        if self._takes_lists is None:
            cost = self._first(message)
        else:
            cost = self._counter([message] if self._takes_lists else message)
        if not isinstance(cost, int) or cost < 0:
            raise TypeError(f"the counter must give a whole number that is not negative, not {cost!r:.80}")
        return cost

    def _first(self, message: Message) -> object:
        """Find out what the counter takes."""
        self._takes_lists = False
        try:
            return self._counter(message)
        except TypeError as error:
            self._takes_lists = True
            try:
                return self._counter([message])
            except Exception:  # noqa: BLE001 - a counter that takes no list may fail in any way
                raise error from None


def _starts_turn(message: Message) -> bool:
    return message.role == "user" and not message.ids


def _position(history: MessageHistory, cut: SupportsIndex) -> int:
    """Check that a history may be cut somewhere."""
    position = index(cut)
    if 0 <= position < len(history) and _starts_turn(history[position]):
        return position
    before = next((n for n in range(min(position, len(history)) - 1, -1, -1) if _starts_turn(history[n])), None)
    after = next((n for n in range(max(position, 0), len(history)) if _starts_turn(history[n])), None)
    near = " and ".join(str(found) for found in (before, after) if found is not None)
    where = f"the nearest safe cuts are {near}" if near else "the history is empty"
    raise WindowError(f"{position} is no safe cut of a history of {len(history):,} messages; {where}")


def _opening(message: Message, policy: Policy) -> tuple[Block, ...]:
    """Give what must stand before a message that is to lead: the system prompt would swallow its first words."""
    if not isinstance(message.content[0], SystemBlock):
        return ()
    return (TextBlock(policy.bootstrap_text, meta=Meta(mark=Mark(kind="bootstrap"))),)


def _opened(opening: tuple[Block, ...], message: Message) -> Message:
    return make_message(message.role, (*opening, *message.content))


def _from(
    history: MessageHistory, position: int, leading: Sequence[Message] = (), added: Sequence[Repair] = ()
) -> Window:
    """Go on from a position, with something else before it."""
    past, (assistant, user), context = history._state
    kept = history[position:]
    repairs = [evolve(each, index=each.index - position) for each in context.repairs if each.index >= position]
    # Results that are still coming in stay as they stand: their stubs are not final yet.
    calling = messages_in(past) + 1 - position if assistant is not None else 0
    messages, user = (kept[:calling], user) if calling > 0 else (kept, None)
    owed = _owed(history, position, kept)
    if owed:
        messages = tuple(make_message(message.role, _settle(message.content, owed)) for message in messages)
        if isinstance(user, UserDraft):
            user = evolve(user, rest=Log(_settle(user.rest, owed)))
        elif user is not None:
            user = make_message("user", _settle(user.content, owed))
    goes_on = history._folded([*leading, *_marked(messages)], repairs, added, user)
    omitted = Omitted(
        messages=position,
        positions=range(position),
        repairs=len(history.repairs) + len(added) - len(goes_on.repairs),
        invalidated=_thoughts(kept),
    )
    return Window(goes_on, omitted)


def _marked(messages: Iterable[Message]) -> Iterator[Message]:
    return (invalidate_thinking(message) if has_thinking(message) else message for message in messages)


def _thoughts(messages: Iterable[Message]) -> int:
    """Count the thinking that is bound to what came before it."""
    return sum(
        isinstance(block, ThinkingBlock | RedactedThinkingBlock) and block.bound
        for message in messages
        if has_thinking(message)
        for block in message.content
    )


def _owed(history: MessageHistory, position: int, kept: Iterable[Message]) -> Tally[str]:
    """Count the late results in what is kept whose calls are left out, by their calls' ids."""
    owed: Tally[str] = Tally()
    ids = {block.mark.tool_use_id for message in kept for block in message.content if _is_late(block) and block.mark}
    omitted: Log[Turn] = Log(history._state[0][: position // 2]) if ids else Log()
    for id in ids:
        record = records_of(omitted, id)
        if record is not None and len(record.stubs) > record.late:
            owed[id] = len(record.stubs) - record.late
    return owed


def _settle(blocks: Iterable[Block], owed: Tally[str]) -> tuple[Block, ...]:
    """Mark quotes of late results whose calls are left out: they answer no call of what is kept."""
    content: list[Block] = []
    for block in blocks:
        mark = block.mark
        if mark is not None and _is_late(block) and owed[mark.tool_use_id] > 0:
            owed[mark.tool_use_id] -= 1
            content.append(with_meta(block, mark=evolve(mark, reason="omitted")))
        else:
            content.append(block)
    return tuple(content)


def _is_late(block: Block) -> bool:
    mark = block.mark
    return mark is not None and mark.kind == "quote" and mark.reason == "late"


@final
class _Trimming:
    """Results that are shortened, and where they are.

    Args:
        content: what stands in the place of what they held.
    """

    def __init__(self, content: tuple[Block, ...]) -> None:
        self.positions: list[int] = []
        self.results = 0
        self._content = content
        self._size = _size(content)

    def message(self, position: int, message: Message) -> Message:
        """Give a message with shorter results; the same message when there is nothing to shorten."""
        content = tuple(self._block(position, block) for block in message.content)
        return make_message(message.role, content) if position in self.positions[-1:] else message

    def user(self, position: int, user: Message | UserDraft | None) -> Message | UserDraft | None:
        """Give the user's side of the open turn with shorter results."""
        if not isinstance(user, UserDraft):
            return self.message(position, user) if user is not None else None
        answers = []
        for answer in user.answers:
            result = self._block(position, answer.result)
            answers.append(answer._replace(result=result) if isinstance(result, ToolResultBlock) else answer)
        return evolve(user, answers=Log(answers)) if position in self.positions[-1:] else user

    def _block(self, position: int, block: Block) -> Block:
        """Give a real result with other content, if that is shorter."""
        if not isinstance(block, ToolResultBlock) or block.is_stub or _size(block.content) <= self._size:
            return block
        self.results += 1
        if position not in self.positions[-1:]:
            self.positions.append(position)
        return evolve(block, content=self._content)


def _size(content: tuple[Block, ...]) -> int:
    return sum(len(block.text) if isinstance(block, TextBlock) else len(_json_of(block)) for block in content)


def _json_of(block: Block) -> str:
    """Write what an image, a document or a provider's block holds."""
    held = block.source if isinstance(block, ImageBlock | DocumentBlock) else None
    return json_text(thaw(block.data if isinstance(block, ProviderBlock) else held))


def _tokens(block: Block) -> int:
    if isinstance(block, TextBlock | SystemBlock):
        return BLOCK_TOKENS + _of_text(block.text)
    if isinstance(block, ToolUseBlock):
        return 2 * BLOCK_TOKENS + _of_text(block.name) + _of_text(block.arguments or json_text(thaw(block.input)))
    if isinstance(block, ToolResultBlock):
        return 2 * BLOCK_TOKENS + sum(map(_tokens, block.content))
    if isinstance(block, ThinkingBlock):
        return BLOCK_TOKENS + _of_text(block.thinking)
    if isinstance(block, RedactedThinkingBlock):
        return BLOCK_TOKENS + _of_text(block.data)
    if isinstance(block, ImageBlock):
        return IMAGE_TOKENS
    if isinstance(block, DocumentBlock):
        per_token = BYTES_PER_TOKEN if block.source.get("type") == "text" else ENCODED_BYTES_PER_TOKEN
        return BLOCK_TOKENS + _of_text(_json_of(block), per_token)
    return BLOCK_TOKENS + _of_text(_json_of(block))


def _of_text(text: str, per_token: int = BYTES_PER_TOKEN) -> int:
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return -(-size // per_token)
