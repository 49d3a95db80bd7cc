"""The history: opaque and thin. It steps, stores and exposes; the rules are in `turns`.

A version is one tuple: the settled turns, the open turn, and what rarely changes. Old versions stay as they are and
share their storage with new ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Final, Literal, Never, SupportsIndex, TypeVar, final, overload

from attrs import evolve

from message_history.coerce import content_of, parsed_entry
from message_history.core.blocks import (
    Block,
    Content,
    Mark,
    Meta,
    SystemBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.drafts import OpenTurn, Turn, UserDraft, assistant_message, user_message
from message_history.core.ingest import Ingest, length_of, log_new
from message_history.core.json_cache import json_array, json_of, json_of_settled
from message_history.core.json_values import short_repr
from message_history.core.log import Log
from message_history.core.message import Message, has_thinking, invalidate_thinking, make_message
from message_history.core.policy import Policy
from message_history.core.repairs import Repair, RepairCode
from message_history.core.rules import (
    NOTHING_YET,
    Context,
    Conversation,
    SystemPrompt,
    awaited,
    conversation_of,
    enforce,
    messages_in,
    parts_of,
    standing_stubs,
    step,
    stub_awaited,
)
from message_history.core.windows import (
    TRIMMED,
    Counter,
    Cut,
    compact,
    drop_before,
    rewind,
    safe_cuts,
    trim_results,
    window,
)
from message_history.dialects import Anthropic, Dialect, Export, Native
from message_history.dialects._shared.dropped_keys import unsent
from message_history.dialects._shared.leading import lead_with_placeholder, length_of_lead
from message_history.dialects._shared.sdk_objects import as_sequence
from message_history.dialects._shared.typed_blocks import common_message
from message_history.dialects.registry import read
from message_history.media import fit_media, has_media, with_media_notes
from message_history.replies import added_since, read_response

if TYPE_CHECKING:
    from anthropic.types import MessageParam
    from pydantic_core import CoreSchema

    from message_history.core.blocks import StubReason
    from message_history.dialects.base import Parsed
    from message_history.healing.following import Followed

__all__ = ["MessageHistory", "SystemPromptWarning", "history_of", "restored"]

WireT = TypeVar("WireT")


class SystemPromptWarning(UserWarning):
    """A list was sent without the system prompt, which its dialect carries beside the list: use `export`."""


@final
class MessageHistory(Sequence[Message]):
    """An immutable conversation that cannot be broken: every way in goes through `add`.

    It is a read-only sequence of messages in which the user leads, roles alternate, and every call is followed by its
    result. What had to be changed for that is in `repairs`.

    Args:
        policy: decides where there is a choice.

    Examples:
        >>> history = MessageHistory().add_user("What is 6 times 7?").add_assistant("42")
        >>> len(history), history[-1].text
        (2, '42')
    """

    # One slot, set once: a frozen class with a slot per part takes a third longer to make, and `add` is little more.
    # The other holds what `for_send_json` gave last, once somebody has asked: a retry copies nothing.
    __slots__ = ("__weakref__", "_conversation", "_encoded")
    _conversation: Conversation
    _encoded: tuple[Dialect[Any], bytes]

    def __new__(cls, *, policy: Policy | None = None, _saved: str | None = None) -> MessageHistory:
        """Make an empty history; serializers that take `_asdict` apart give back what it held."""
        if _saved is not None:
            from message_history.integrations.state import SAVED, load  # noqa: PLC0415

            return load({SAVED: _saved})
        if policy is not None and not isinstance(policy, Policy):
            raise TypeError(f"policy must be a Policy, not {type(policy).__name__}")
        return _of_parts(Log(), NOTHING_YET, Context(policy if policy is not None else _DEFAULT))

    def __init_subclass__(cls) -> Never:
        raise TypeError("MessageHistory cannot be subclassed: its laws hold because nothing can get round them")

    if not TYPE_CHECKING:
        # A type checker refuses to set what is not declared, unless it sees a `__setattr__`.

        def __setattr__(self, name: str, value: object) -> Never:
            raise AttributeError(f"MessageHistory cannot be changed (setting {name!r}); `add` gives a new one")

        def __delattr__(self, name: str) -> Never:
            raise AttributeError(f"MessageHistory cannot be changed (deleting {name!r})")

    # Ways in

    def add(self, message: Message | Mapping[str, Any]) -> MessageHistory:
        """Add a message: the one way into a history.

        Results go to the calls that wait for them, in any number of messages and in any order. Neighbours of one role
        are joined. User text may come while results are awaited; a call still unanswered then has a stub, until its
        result comes. What does not fit is mended as `Policy` says, and recorded in `repairs`.

        Args:
            message: a `Message`, or a raw dict or SDK object in the form of any provider.

        Returns:
            A new history; this one stays as it is.

        Raises:
            InvariantError: when the policy says to raise and the message would need more than a lossless repair.
            TypeError: for what is neither a message nor a mapping.

        Complexity: the size of the message; the length of the history does not matter.
        """
        if type(message) is not Message:
            common = common_message(message, 2)
            if common is None:
                return self._add_parsed(parsed_entry(message))
            message = common
        before = self._conversation
        grown = step(before, message)
        if grown[4] is not before[4]:
            log_new(before[4], grown[4])
        history = _new(MessageHistory)
        _set_conversation(history, grown)
        return history

    def add_user(self, content: Content) -> MessageHistory:
        """Add a user message.

        Args:
            content: text, a block, or several of both.

        Returns:
            A new history.

        Raises:
            InvariantError: see `add`.
            TypeError: for content that is neither text nor blocks.

        Complexity: the size of the message.
        """
        return self.add(Message("user", content))

    def add_assistant(self, content: Content, *, interrupted: bool = False) -> MessageHistory:
        """Add an assistant message.

        Args:
            content: text, a block, or several of both.
            interrupted: True for a reply that was cut off: its calls whose input cannot be read are dropped.

        Returns:
            A new history.

        Raises:
            InvariantError: see `add`.
            TypeError: for content that is neither text nor blocks.

        Complexity: the size of the message.
        """
        return self._stepped(Message("assistant", content), interrupted=interrupted)

    def add_tool_result(
        self, call: ToolUseBlock | str, content: object = None, is_error: bool = False
    ) -> MessageHistory:
        """Add the result of a call.

        Args:
            call: the call, as `awaiting` gives it: it knows its turn, so a repeated id cannot mispair. Or its id:
                the open turn is asked first, then the calls that settled without a result, the oldest first.
            content: text, blocks, None, or any JSON value, which is sent as its text.
            is_error: whether the tool failed.

        Returns:
            A new history. A result that comes after its turn has settled is quoted as marked text in the current
            user turn; the past stays as it was sent.

        Raises:
            InvariantError: see `add`.
            TypeError: for a `call` that is neither a call nor an id.

        Complexity: the size of the result; logarithmic in the history for a result that comes late.
        """
        if not isinstance(call, ToolUseBlock | str):
            raise TypeError(f"call must be a ToolUseBlock or an id, not {type(call).__name__}: {short_repr(call)}")
        id, known = (call, None) if isinstance(call, str) else (call.id, call)
        result = ToolResultBlock(id, content_of(content), is_error)
        return self._stepped(make_message("user", (result,)), answers=known)

    def add_response(
        self, response: object, *, dialect: Dialect[Any] | None = None, sent: MessageHistory | None = None
    ) -> MessageHistory:
        """Add a provider's response.

        Args:
            response: the response object of a provider's SDK, or its dict, from any dialect.
            dialect: the provider's dialect; None to find it by shape.
            sent: the version that it answers, as `close` gave it, if anything was added while it was under way: that
                is then heard after the response, and a result whose stub had been sent is quoted as late.

        Returns:
            A new history. Calls whose input was cut off with the response are dropped.

        Raises:
            InvariantError: see `add`.
            TypeError: for what is no response that is known.
            ValueError: when this history did not grow out of `sent`.

        Complexity: the size of the response and of what was added since `sent`.
        """
        parsed = read_response(response, dialect)
        if parsed is None:
            raise TypeError(f"no response of a known provider: {type(response).__name__}: {short_repr(response)}")
        if sent is None:
            return self._add_parsed(parsed)
        if not isinstance(sent, MessageHistory):
            raise TypeError(f"sent must be a MessageHistory, not {type(sent).__name__}: {short_repr(sent)}")
        return self._add_behind(sent.as_sent(dialect), parsed)

    def extend(self, messages: Iterable[Message | Mapping[str, Any]]) -> MessageHistory:
        """Add several messages, one by one.

        Args:
            messages: the messages.

        Returns:
            A new history.

        Raises:
            InvariantError: see `add`; then none of them has been added.
            TypeError: see `add`.

        Complexity: the size of the messages.
        """
        if isinstance(messages, str | bytes | Mapping):
            raise TypeError(f"extend takes several messages, not {type(messages).__name__}; `add` takes one")
        history = self
        for message in messages:
            history = history.add(message)
        return history

    @classmethod
    def from_list(
        cls,
        raw: Iterable[Any],
        *,
        dialect: Dialect[Any] | None = None,
        policy: Policy | None = None,
        open_tail: Literal["stub", "keep"] = "stub",
    ) -> MessageHistory:
        """Read a list that was saved, or recorded elsewhere, and mend it.

        Results are moved next to their calls, and every law is made true; `repairs` tells what was changed.

        Args:
            raw: the entries, in the form of any provider; they are never changed.
            dialect: their dialect; None to find it by shape.
            policy: decides where there is a choice.
            open_tail: what becomes of calls at the end that nothing in the list answers: `stub` gives them stubs
                (the process may have crashed before their results were saved), `keep` leaves them open.

        Returns:
            The history. Calls in its `awaiting` may have run already: ask before running one again.

        Raises:
            InvariantError: when the policy says to raise and the list would need more than lossless repairs.
            TypeError: when `raw` is no list of entries.

        Complexity: linear in the list.
        """
        entries = as_sequence(raw)
        if entries is None:
            raise TypeError(f"from_list takes a list of messages, not {type(raw).__name__}: {short_repr(raw)}")
        if open_tail not in ("stub", "keep"):
            raise ValueError(f"open_tail must be 'stub' or 'keep', not {short_repr(open_tail)}")
        rules = policy if policy is not None else _DEFAULT
        ingest = Ingest(Context(rules))
        parsed = read(entries, dialect)
        if dialect is not None and dialect.takes_leading_assistant():
            lead_with_placeholder(parsed, rules)
        ingest.fold(parsed)
        if open_tail == "stub":
            ingest.close()
        enforce(rules, ingest.repairs)
        return history_of(ingest.conversation())

    def follow(self, raw: Iterable[Any], *, dialect: Dialect[Any] | None = None) -> Followed:
        """Go on with a raw list that an agent grows and sends whole each time; see `healing.follow`.

        Args:
            raw: the whole list; it begins with this history's export, if the history is not empty.
            dialect: its dialect; None to find it by shape, and for a history that is not empty `Anthropic()`.

        Returns:
            What to send: `history` in it. Its own `follow` takes the list the next time.

        Raises:
            InvariantError: see `add`.
            TypeError: when `raw` is no list of entries.

        Complexity: linear in the list.
        """
        from message_history.healing.following import follow, followed_from  # noqa: PLC0415

        if not self:
            return follow(raw, dialect=dialect, policy=self.policy)
        return followed_from(self, dialect if dialect is not None else _ANTHROPIC).follow(raw)

    # Ways out

    @overload
    def for_send(self, dialect: None = None) -> list[MessageParam]: ...

    @overload
    def for_send(self, dialect: Dialect[WireT]) -> list[WireT]: ...

    @overload
    def for_send(self, dialect: Dialect[WireT] | None) -> list[WireT] | list[MessageParam]: ...

    def for_send(self, dialect: Dialect[Any] | None = None) -> list[Any]:
        """Write the conversation as a provider takes it.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.

        Returns:
            Fresh plain dicts, yours to change. They are the closed history's: see `close`. A system prompt that the
            dialect carries beside the list is in `export` only.

        Raises:
            InvariantError: when the policy says to raise and the history must be closed first.

        Complexity: linear in the history.
        """
        target = dialect if dialect is not None else _ANTHROPIC
        messages, prompt, _ = self._fitted(target)
        wire, beside = target.write(messages[length_of_lead(messages, target) :], prompt)
        if beside is not None:
            self._warn_of_system()
        return wire

    def for_send_json(self, dialect: Dialect[Any] | None = None) -> bytes:
        """Write the conversation as a provider takes it, encoded.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.

        Returns:
            The array of messages as JSON, in UTF-8.

        Raises:
            InvariantError: see `for_send`.

        Complexity: linear in what was not encoded before, plus one copy; a turn that depends on others, as one with
        images does, makes it linear in the history.
        """
        target = dialect if dialect is not None else _ANTHROPIC
        encoded = getattr(self, "_encoded", None)
        if encoded is None or encoded[0] != target:
            encoded = target, self._encode(target)
            _set_encoded(self, encoded)
            if self._context.system.blocks and target.render((), self._context.system.blocks).system is not None:
                self._warn_of_system()
        return encoded[1]

    def _encode(self, target: Dialect[Any]) -> bytes:
        """Encode the list; settled turns are as they were encoded before, where they depend on no other."""
        closed, _ = self._closed(target, "not_recorded")
        past, turn, context = closed._state
        assistant, user = _sides(turn, context.policy)
        settled = json_of_settled(past, target)
        # What ends with the assistant may be written in another way at the end than in the middle.
        newest = target.write_turn(assistant, user) if settled is not None and user is not None else None
        if settled is None or newest is None:
            messages, prompt, _ = self._fitted(target)
            return json_array(map(json_of, target.write(messages[length_of_lead(messages, target) :], prompt)[0]))
        spoken = target.render((), context.system.blocks).messages if context.system.blocks else []
        return json_array([*map(json_of, spoken), *settled, *map(json_of, newest)])

    def export(self, dialect: Dialect[Any] | None = None) -> Export:
        """Write the conversation as a provider takes it, with the system prompt and what had to be left out.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.

        Returns:
            The messages, the system prompt where the dialect carries it beside them, and the repairs of this export.

        Raises:
            InvariantError: see `for_send`.

        Complexity: linear in the history.
        """
        target = dialect if dialect is not None else _ANTHROPIC
        messages, prompt, changed = self._fitted(target)
        lead = length_of_lead(messages, target)
        exported = target.render(messages[lead:], prompt)
        rendered = exported.repairs
        if lead:
            rendered = tuple(evolve(repair, index=repair.index + lead) for repair in rendered)
        left = unsent(messages, self._context.system.blocks, target, rendered)
        return evolve(exported, repairs=(*changed, *rendered, *left)) if changed or left or lead else exported

    def _has_media(self) -> bool:
        past, turn, context = self._state
        return any(past.summaries(with_media_notes)) or any(map(has_media, _open_messages(turn, context.policy)))

    def _fitted(self, target: Dialect[Any]) -> tuple[list[Message], Sequence[SystemBlock], Sequence[Repair]]:
        """Give the messages and the prompt to be written, and what was changed to close them and to make media fit."""
        closed, added = self._closed(target, "not_recorded")
        messages = list(closed._messages())
        fitted: Sequence[Repair] = ()
        if closed._has_media():
            whole, fitted = fit_media(messages, target.limits)
            messages = list(whole)
        return messages, closed._context.system.blocks, (*added, *fitted)

    def to_list(self) -> list[dict[str, Any]]:
        """Write the saved form: plain JSON that `from_list` reads back to an equal history.

        Returns:
            Fresh dicts, the system prompt first.

        Complexity: linear in the history.
        """
        return _NATIVE.render(self._messages(), self._context.system.blocks).messages

    # What is asked of it

    @property
    def awaiting(self) -> tuple[ToolUseBlock, ...]:
        """Return the calls of the open turn that have no real result, stubbed or not; each knows its turn."""
        past, turn, _ = self._state
        return awaited(past, turn)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Return what was changed, in the order in which it happened; empty when nothing was."""
        past, turn, context = self._state
        return (*context.repairs, *standing_stubs(past, turn))

    @property
    def policy(self) -> Policy:
        """Return what decides where there is a choice."""
        return self._context.policy

    @property
    def system(self) -> str | None:
        """Return the system prompt, its parts joined by blank lines; None when there is none."""
        blocks = self._context.system.blocks
        return "\n\n".join(block.text for block in blocks) if blocks else None

    # Other versions

    def with_system(self, text: str | None) -> MessageHistory:
        """Give the same conversation with another system prompt.

        This changes what every provider is sent first: cached prompts miss, and thinking that is bound to what came
        before it is marked so.

        Args:
            text: the system prompt; None for none.

        Returns:
            A new history, or this one when nothing changes.

        Raises:
            TypeError: for what is neither text nor None.

        Complexity: linear in the history.
        """
        if text is not None and not isinstance(text, str):
            raise TypeError(f"a system prompt is text, not {type(text).__name__}: {short_repr(text)}")
        if text == self.system or (not text and self.system is None):
            return self
        past, turn, context = self._state
        if any(map(has_thinking, self._messages())):
            past = Log(
                (invalidate_thinking(assistant) if assistant is not None else None, user) for assistant, user in past
            )
            assistant = assistant_message(turn[0])
            turn = (invalidate_thinking(assistant) if assistant is not None else None), turn[1]
        prompt = SystemPrompt((SystemBlock(text),) if text else ())
        return _of_parts(past, turn, evolve(context, system=prompt))

    def as_sent(self, dialect: Dialect[Any] | None = None, *, reason: StubReason = "not_recorded") -> MessageHistory:
        """Give the value that is really sent.

        What is awaited gets stubs, and where the dialect refuses a list that ends with the assistant, a marked user
        turn follows that says to go on. It does not settle anything: `awaiting` stays, and a result that comes still
        takes its stub's place. Keep the closed value when you send an open one.

        Args:
            dialect: where it is sent; None to stub only.
            reason: why there are no results.

        Returns:
            The closed history; this one when it is closed already.

        Raises:
            InvariantError: when the policy says to raise and anything had to be added.

        Complexity: linear in the open turn.
        """
        if reason not in _REASONS:
            raise ValueError(f"reason must be one of {', '.join(_REASONS)}, not {short_repr(reason)}")
        return self._closed(dialect, reason)[0]

    def _closed(self, dialect: Dialect[Any] | None, reason: str) -> tuple[MessageHistory, Sequence[Repair]]:
        past, turn, context = self._state
        closed, stubs = stub_awaited(past, turn, context.policy, reason)
        enforce(context.policy, stubs)
        assistant = assistant_message(closed[0])
        if dialect is None or assistant is None or closed[1] is not None or self._may_end(dialect, assistant):
            return (self if closed is turn else _of_parts(past, closed, context)), stubs
        allow_assistant_tail = TextBlock(context.policy.continuation_text, meta=Meta(mark=Mark(kind="continuation")))
        added = Repair(code=RepairCode.CONTINUATION_ADDED, index=len(self), added=(allow_assistant_tail,))
        enforce(context.policy, (added,))
        past, turn, _ = parts_of(step(self._conversation, make_message("user", (allow_assistant_tail,))))
        return _of_parts(past, turn, evolve(context, repairs=context.repairs.append(added))), (added,)

    def _may_end(self, dialect: Dialect[Any], assistant: Message) -> bool:
        """Return whether this history, which ends with an assistant message, may be sent as it is."""
        if not dialect.may_end_with(assistant):
            return False
        return dialect.allows_prefill_with_calls() or not any(message.calls for message in self._messages())

    def without_unanswered(self) -> MessageHistory:
        """Give the conversation without the calls that have no real result, and without their stubs.

        This rewrites what was sent: cached prompts miss, and thinking that is bound to what came before it is marked.
        Keep stubs if you can.

        Returns:
            A new history whose `repairs` hold what was removed, or this one when every call is answered.

        Complexity: linear in the history.
        """
        ingest = Ingest(self._context)
        messages = list(self._messages())
        for index, message in enumerate(messages):
            after = messages[index + 1] if index + 1 < len(messages) else None
            kept, removed = _answered_only(message, after)
            if removed:
                detail = ", ".join(f"{block.id!r:.80}" for block in removed if isinstance(block, ToolUseBlock))
                ingest.record(RepairCode.UNANSWERED_CALL_REMOVED, None, removed, f"call {detail}")
            if kept.content:
                ingest.take(kept, None)
        return history_of(ingest.conversation()) if ingest.changed else self

    # Windows: see `windows`, whose functions of the same names also tell what was left out

    def safe_cuts(self, counter: Counter | None = None) -> tuple[Cut, ...]:
        """Find where the history may be cut, and what follows each cut costs; see `windows.safe_cuts`."""
        return safe_cuts(self, counter)

    def window(
        self, *, max_tokens: float | None = None, max_messages: int | None = None, counter: Counter | None = None
    ) -> MessageHistory:
        """Keep the newest whole turns that fit; see `windows.window`.

        All that is sent changes from the first message on; when everything fits, this history comes back.
        """
        return window(self, max_tokens=max_tokens, max_messages=max_messages, counter=counter).history

    def drop_before(self, cut: SupportsIndex) -> MessageHistory:
        """Leave out all messages before a safe cut; see `windows.drop_before`.

        All that is sent changes from the first message on.
        """
        return drop_before(self, cut).history

    def rewind(self, n_turns: int = 1) -> MessageHistory:
        """Leave out the newest whole turns; see `windows.rewind`. What is left is sent as before."""
        return rewind(self, n_turns).history

    def compact(self, summary: Content, *, keep_from: SupportsIndex | None = None) -> MessageHistory:
        """Put a summary in the place of the messages before a safe cut; see `windows.compact`.

        All that is sent changes from the first message on.
        """
        return compact(self, summary, keep_from=keep_from).history

    def trim_results(self, *, older_than: SupportsIndex, text: str = TRIMMED) -> MessageHistory:
        """Shorten old tool outputs, without touching anything else; see `windows.trim_results`.

        What is sent changes from the first shortened result on.
        """
        return trim_results(self, older_than=older_than, text=text).history

    def _folded(
        self,
        messages: Iterable[Message],
        repairs: Iterable[Repair],
        added: Iterable[Repair] = (),
        user: Message | UserDraft | None = None,
    ) -> MessageHistory:
        """Fold other messages into an empty history that has this one's system prompt and policy.

        Args:
            messages: the messages.
            repairs: those that were told before.
            added: those that are new.
            user: what the assistant's last message has heard so far.

        Returns:
            The history.
        """
        ingest = Ingest(evolve(self._context, repairs=Log(repairs)))
        ingest.told(added)
        for message in messages:
            ingest.take(message, None, bind=True)
        enforce(self.policy, ingest.repairs)
        return history_of(ingest.conversation(user))

    # A read-only sequence

    def _messages(self) -> Iterator[Message]:
        past, turn, context = self._state
        for assistant, user in past:
            if assistant is not None:
                yield assistant
            if user is not None:
                yield user
        yield from _open_messages(turn, context.policy)

    def __len__(self) -> int:
        return length_of(self._conversation)

    def __iter__(self) -> Iterator[Message]:
        return self._messages()

    @overload
    def __getitem__(self, index: SupportsIndex) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return tuple(self._at(position) for position in range(*index.indices(len(self))))
        position = as_index(index)
        length = len(self)
        if not -length <= position < length:
            raise IndexError(f"message {position} of a history of {length}")
        return self._at(position % length)

    def _at(self, position: int) -> Message:
        past, turn, context = self._state
        settled = messages_in(past)
        if position >= settled:
            return _open_messages(turn, context.policy)[position - settled]
        assistant, user = past[(position + 1) // 2]
        found = assistant if position % 2 else user
        if found is None:
            raise IndexError(position)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageHistory):
            return NotImplemented
        if self is other:
            return True
        same_system = self._context.system.blocks == other._context.system.blocks
        return same_system and len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._context.system.blocks, tuple(self._messages())))

    def __repr__(self) -> str:
        awaited_calls = len(self.awaiting)
        told = [f"{len(self)} messages"]
        told += [f"awaiting {awaited_calls}"] if awaited_calls else []
        told += [f"{len(self.repairs)} repairs"] if self.repairs else []
        return f"<MessageHistory: {', '.join(told)}>"

    def __copy__(self) -> MessageHistory:
        return self

    def __deepcopy__(self, memo: object) -> MessageHistory:
        return self

    def __reduce__(self) -> tuple[Any, tuple[list[dict[str, Any]], Policy, tuple[Repair, ...]]]:
        return restored, (self.to_list(), self.policy, self.repairs)

    # What frameworks ask of a value by name; the integration that answers is imported then

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        from message_history.integrations.pydantic import history_schema  # noqa: PLC0415

        return history_schema()

    def _asdict(self) -> dict[str, str]:
        from message_history.integrations.state import SAVED, save  # noqa: PLC0415

        return {"_saved": save(self)[SAVED]}

    # Inside

    @property
    def _state(self) -> tuple[Log[Turn], OpenTurn, Context]:
        return parts_of(self._conversation)

    @property
    def _context(self) -> Context:
        return self._conversation[4]

    def _stepped(
        self, message: Message, *, interrupted: bool = False, answers: ToolUseBlock | None = None, dialect: str = ""
    ) -> MessageHistory:
        before = self._conversation
        grown = step(before, message, interrupted=interrupted, answers=answers)
        log_new(before[4], grown[4], dialect)
        return history_of(grown)

    def _add_parsed(self, parsed: Parsed) -> MessageHistory:
        if len(parsed.messages) == 1 and not parsed.notes and not parsed.interrupted:
            return self._stepped(parsed.messages[0], dialect=parsed.dialect)
        ingest = Ingest(self._context, self._conversation)
        ingest.fold(parsed, arranged=False)
        enforce(self.policy, ingest.repairs)
        return history_of(ingest.conversation())

    def _add_behind(self, sent: MessageHistory, parsed: Parsed) -> MessageHistory:
        """Add what a parser read behind the version that was sent, and all that came since behind that."""
        added = added_since(sent._state, self._state)
        if added is None:
            raise ValueError("this history did not grow out of `sent`: it is another, or was cut since")
        ingest = Ingest(added.context, sent._conversation)
        ingest.fold(parsed, arranged=False)
        if not ingest.grew(sent._conversation):
            return self._add_parsed(parsed)  # an empty reply: what was sent may still change
        for message, call in added.steps:
            ingest.take(message, None, bind=True, answers=call)
        enforce(self.policy, ingest.repairs)
        return history_of(ingest.conversation())

    def _warn_of_system(self) -> None:
        warned = self._context.system.warned
        if not warned:
            warned.append(True)
            warnings.warn(
                "the system prompt is not in the list: this dialect carries it beside the messages; send "
                "`export(dialect).system` with them",
                SystemPromptWarning,
                stacklevel=3,
            )


_DEFAULT: Final = Policy()
_ANTHROPIC: Final = Anthropic()
_NATIVE: Final = Native()
_REASONS: Final = ("not_recorded", "interrupted", "cancelled", "pending")

_new = object.__new__
_set_conversation = MessageHistory._conversation.__set__  # type: ignore[attr-defined]
_set_encoded = MessageHistory._encoded.__set__  # type: ignore[attr-defined]


def history_of(conversation: Conversation) -> MessageHistory:
    """Make a history of a conversation whose laws hold; `add` does the same in place."""
    history = _new(MessageHistory)
    _set_conversation(history, conversation)
    return history


def _of_parts(past: Log[Turn], turn: OpenTurn, context: Context) -> MessageHistory:
    return history_of(conversation_of(past, turn, context))


def _sides(turn: OpenTurn, policy: Policy) -> Turn:
    assistant, user = turn
    return assistant_message(assistant), user_message(assistant, user, policy)


def _open_messages(turn: OpenTurn, policy: Policy) -> list[Message]:
    return [message for message in _sides(turn, policy) if message is not None]


def _answered_only(message: Message, after: Message | None) -> tuple[Message, tuple[Block, ...]]:
    """Take the unanswered calls out of a message, or the stubs; each call is removed with its stub."""
    if message.role == "user":
        kept = tuple(b for b in message.content if not (isinstance(b, ToolResultBlock) and b.is_stub))
        return make_message("user", kept), ()
    results = after.results if after is not None else ()
    stubs = {result.tool_use_id: result for result in results if result.is_stub}
    open_ids = set(message.ids) if after is None else stubs.keys()
    removed: list[Block] = []
    for call in message.calls:
        if call.id in open_ids:
            removed += [call, stubs[call.id]] if call.id in stubs else [call]
    kept = tuple(b for b in message.content if not (isinstance(b, ToolUseBlock) and b.id in open_ids))
    return make_message("assistant", kept), tuple(removed)


def restored(saved: Iterable[Any], policy: Policy, repairs: Iterable[Repair]) -> MessageHistory:
    """Give a saved history back, with what had been changed before it was saved.

    Args:
        saved: what `to_list` gave; it is read like any other list.
        policy: decides where there is a choice from now on; nothing that was saved is refused.
        repairs: what had been told before; it is not told again.

    Returns:
        The history; its repairs behind the given ones were made now.

    Complexity: linear in the list.
    """
    history = MessageHistory.from_list(saved, policy=evolve(policy, on_violation="repair"), open_tail="keep")
    past, (assistant, user), context = history._state
    known = (*repairs, *context.repairs)
    if isinstance(user, UserDraft):
        # A stub that stood while the user spoke was not final when this was saved.
        here = messages_in(past) + (assistant is not None)
        stubbed = (repair for repair in known if repair.code is RepairCode.RESULT_STUBBED and repair.index == here)
        stubs = (stub for repair in stubbed for stub in repair.added)
        user = user.without_stubs({stub.tool_use_id for stub in stubs if isinstance(stub, ToolResultBlock)})
    return _of_parts(past, (assistant, user), evolve(context, policy=policy, repairs=Log(known)))
