"""`MessageHistory`: a thin facade over the conversation inside it. The rules are in `core/turns/rules.py`.

Modules that need more than the public methods (sessions, windows, integrations) use `conversation_of` and `history_of`,
and work on the conversation; nothing else reaches into a history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, Never, SupportsIndex, TypeVar, final, get_args, overload

from message_history.core.messages.blocks import Content, SystemBlock, ToolUseBlock, is_blank, keyed_call
from message_history.core.messages.message import Message, arrived
from message_history.core.messages.parsed import Parsed
from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.core.turns.conversation import NO_TURN, Context, Conversation, make_conversation
from message_history.core.turns.ingest import add_by_blocks, add_message, add_parsed, add_result
from message_history.core.turns.replying import add_reply, add_reply_to
from message_history.core.turns.rewrites import TRIMMED, with_system, without_refusals, without_unanswered
from message_history.core.turns.rules import CallState
from message_history.core.turns.whole import move
from message_history.core.values.json_values import freeze_mapping, short_repr
from message_history.core.values.keys import named
from message_history.core.values.log import Log
from message_history.core.values.meta import Decision, StubReason
from message_history.core.views.view import ConversationView, ViewType, conversation_in, usage_of
from message_history.dialects._shared.metadata import SIZES, described, with_metadata
from message_history.dialects._shared.plain_reader import KEEP_OF_CALLS, common_message
from message_history.dialects.base import checked_dialect
from message_history.dialects.inputs import parse_entry, parse_response, parse_tool_output, response_hint
from message_history.dialects.lists import from_list, restore, to_list
from message_history.dialects.registry import DIALECTS, NATIVE, TYPED
from message_history.dialects.sending import (
    answered_version,
    export,
    has_system_beside,
    sent_version,
    warn_of_system,
    write,
    write_json,
)

if TYPE_CHECKING:
    from datetime import datetime

    from anthropic.types import MessageParam
    from pydantic_core import CoreSchema

    from message_history.core.messages.repairs import Repair
    from message_history.core.messages.replies import Usage
    from message_history.core.turns.calls import CallRecord
    from message_history.core.views.costs import Counter, Cut
    from message_history.core.views.cuts import Pin
    from message_history.dialects import Dialect, Export
    from message_history.dialects.caching import PromptCache
    from message_history.dialects.inputs import RawMessage
    from message_history.following.followed import Followed

WireT = TypeVar("WireT")


@final
class _HistoryType(ViewType):
    """Lets serializers that take a history apart by its `_asdict` call the class with what that returned."""

    # pyright would take every history for what this returns, and check none of them.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **fields: Any) -> Any:  # noqa: N805 - a metaclass
            if fields.keys() == {STATE_KEY}:
                from message_history.dialects.state import from_state_text  # noqa: PLC0415 - few serializers come this way

                return history_of(from_state_text(fields[STATE_KEY]))
            if "system" in fields:
                raise TypeError("MessageHistory() is empty; write MessageHistory().with_system(text)")
            if args or "messages" in fields:
                raise TypeError("MessageHistory() is empty; write MessageHistory.from_list(messages) to read a list")
            return super().__call__(**fields)


STATE_KEY: Final = "_saved"
"""The one key of a history's `_asdict`."""


@final
class MessageHistory(ConversationView, metaclass=_HistoryType):
    """An immutable message history that cannot be broken: everything that is added goes through `add`.

    It is a read-only sequence of messages: the user leads, roles alternate, and every call is followed by its result.
    What had to be repaired is in `repairs`.

    Args:
        policy: decides where there is a choice.
        name: the conversation's name, of which the keys of its calls are made; sessions give their own. Without a name,
            the same call at the same place has the same key in every conversation.

    Examples:
        >>> history = MessageHistory().add_user("What is 6 times 7?").add_assistant("42")
        >>> len(history), history[-1].text
        (2, '42')
    """

    # What `for_send_json` returned last, so that a retry copies nothing.
    __slots__ = ("_encoded",)
    _encoded: tuple[Dialect[Any], bytes]

    def __new__(cls, *, policy: Policy | None = None, name: str = "") -> MessageHistory:
        """Make an empty history."""
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}: {short_repr(name)}")
        return history_of(make_conversation(Log(), NO_TURN, Context(_checked(policy), lineage=named(name))))

    def __init_subclass__(cls) -> Never:
        raise TypeError("MessageHistory cannot be subclassed: a subclass could break what it guarantees")

    # Adding

    def add(self, message: Message | RawMessage, *, metadata: Mapping[str, Any] | None = None) -> MessageHistory:
        """Return the history with a message added: of either role, in the form of any provider.

        Results go to the calls that wait for them, in any number of messages and in any order. Messages of one role are
        joined, also a message of the assistant to one that was sent: `add_response` takes replies. User text may be
        added while results are awaited; a call without a result then has a stub, until its result arrives. What does
        not fit is repaired as `Policy` says, and recorded in `repairs`.

        Args:
            message: a `Message`, or a raw dict or SDK object in the form of any provider.
            metadata: what you keep with it, as its id and its time: saved, in the message's `arrivals`, and never sent.

        Returns:
            A new history; this one stays as it is.

        Raises:
            InvariantError: when the policy says to raise and the message would need more than a lossless repair.
            TypeError: for what is neither a message nor a mapping.

        Complexity: the size of the message; the length of the history does not matter.
        """
        if type(message) is not Message:
            entry: Any = message
            common = common_message(entry, SIZES, KEEP_OF_CALLS)
            if common is not None and len(entry) > SIZES[0]:
                common = described(common, entry) if metadata is None else None
            if common is None:
                parsed = parse_entry(message)
                parsed = parsed if metadata is None else with_metadata(parsed, metadata)
                return history_of(add_parsed(self._conversation, parsed))
            message = common if metadata is None else arrived(common, metadata)
        elif metadata is not None:
            message = with_metadata(Parsed([message], [0]), metadata).messages[0]
        # As `add_message`: to ask `move` here saves a fifth of an append.
        grown = move(self._conversation, message) or add_by_blocks(self._conversation, message)
        history: Any = _Unfinished()
        history._conversation = grown
        history.__class__ = MessageHistory
        return history  # type: ignore[no-any-return]

    def add_user(self, content: Content, *, metadata: Mapping[str, Any] | None = None) -> MessageHistory:
        """Return the history with a user message added.

        Args:
            content: text, a block, or several of both.
            metadata: see `add`.

        Returns:
            A new history; this one stays as it is.

        Raises:
            InvariantError: see `add`.
            TypeError: for content that is neither text nor blocks.

        Complexity: the size of the message.
        """
        message = Message("user", content)
        return self.add(message if metadata is None else arrived(message, metadata))

    def add_assistant(self, content: Content, *, interrupted: bool = False) -> MessageHistory:
        """Return the history with an assistant message added; it is joined to one that directly precedes it.

        Use `add_response` for a reply to what was sent.

        Args:
            content: text, a block, or several of both.
            interrupted: True for a truncated reply: its calls whose input cannot be read are dropped.

        Returns:
            A new history; this one stays as it is.

        Raises:
            InvariantError: see `add`.
            TypeError: for content that is neither text nor blocks.

        Complexity: the size of the message.
        """
        message = Message("assistant", content)
        return history_of(add_message(self._conversation, message, interrupted=interrupted))

    def add_tool_result(
        self, call: ToolUseBlock | str, content: object = None, is_error: bool = False
    ) -> MessageHistory:
        """Return the history with the result of a call added, right after the call.

        Args:
            call: the call, as `awaiting` returns it: it knows its key, so a repeated id cannot mispair. Or its id, if
                only one call that is not settled has it.
            content: text, blocks, None, or any JSON value, which is sent as its text.
            is_error: whether the tool failed; the result of an MCP tool may say so itself.

        Returns:
            A new history; this one stays as it is. A result that arrives after its turn has settled is quoted as marked
            text in the current user message; what was sent stays as it was.

        Raises:
            AmbiguousCallError: for an id that could mean several calls.
            UnknownCallError: when the history has no such call.
            InvariantError: see `add`.
            TypeError: for a `call` that is neither a call nor an id.

        Complexity: the size of the result; logarithmic in the history for a late result.
        """
        if not isinstance(call, ToolUseBlock | str):
            raise TypeError(f"call must be a ToolUseBlock or its id, not {type(call).__name__}; pass one of `awaiting`")
        output, failed = parse_tool_output(content)
        return history_of(add_result(self._conversation, call, output, is_error=is_error or failed))

    def add_response(
        self,
        response: object,
        *,
        dialect: Dialect[Any] | None = None,
        sent: MessageHistory | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> MessageHistory:
        """Return the history with a provider's response added: the object of its SDK, or its dict.

        It answers what `for_send` gives: calls that wait settle with the stubs that were sent. A response that is in
        the open turn already, by its id, texts and calls, adds nothing. It is joined to an assistant message that it
        goes on from: a paused turn, a prefilled text, a piece of the same response.

        Args:
            response: the response object of a provider's SDK, or its dict, from any dialect.
            dialect: the provider's dialect; None to find it by shape. Where that, or the model that the response
                names, refuses a list that ends with the assistant, it answers the user message that said to go on.
            sent: the version that it answers, if anything was added since: that then follows the response, and a
                result whose stub had been sent is quoted as late. Another response to it stays before this one, in the
                same message; branches and retries say `sent`.
            metadata: see `add`.

        Returns:
            A new history, or this one if the response is there. Calls whose input was truncated with it are dropped.

        Raises:
            InvariantError: see `add`.
            TypeError: for anything but a response of a known provider.
            ValueError: when `sent` is not an earlier version of this history.

        Complexity: the size of the response and of what was added since `sent`.
        """
        parsed = parse_response(response, dialect if dialect is None else checked_dialect(dialect))
        if parsed is None:
            raise TypeError(
                "response must be a whole response of a provider's SDK or its dict, not "
                f"{type(response).__name__}; {response_hint(response)}"
            )
        if metadata is not None:
            parsed = with_metadata(parsed, metadata)
        if sent is None:
            answered = partial(answered_version, self._conversation, dialect, parsed)
            return self._with(add_reply(self._conversation, parsed, answered))
        if not isinstance(sent, MessageHistory):
            raise TypeError(f"sent must be a MessageHistory, not {type(sent).__name__}; pass what `as_sent` returned")
        answers = answered_version(sent._conversation, dialect, parsed)
        return self._with(add_reply_to(answers, self._conversation, parsed))

    def record_call(
        self,
        call: ToolUseBlock | str | None = None,
        state: CallState | str = "",
        *,
        key: str | None = None,
        reason: str = "",
        by: str = "",
        at: float | datetime | None = None,
        until: float | datetime | None = None,
        input: Mapping[str, Any] | None = None,
    ) -> MessageHistory:
        """Record what became of a call; save the history before you act on it.

        Args:
            call: the call, as `calls` or `awaiting` returns it, or its id, if only one call that is not settled has it.
            key: the call's key, instead of `call`.
            state: its new state: `waiting`, `approved`, `denied`, `started` or `cancelled`. A result is added with
                `add_tool_result`.
            reason: the reason that a person gave for denying it.
            by: who decided, or which worker holds the call from now on.
            at: when, in seconds since 1970, or with a time zone; nothing here looks at a clock.
            until: until when the call is held: who asks later, with `calls.expired(now)`, finds it unknown.
            input: the arguments that it is to run with, where a person edited those that were proposed. The model is
                shown that they were edited, and nothing else of this.

        Returns:
            A new history; this one stays as it is. In the open turn the state is a stub, which a result replaces; for
            a call of a settled turn it is a marked text in the open user message, so what was sent stays as it was.

        Raises:
            CallStateError: when the state may not follow the one that the call is in; see `MOVES` in
                `core/turns/rules.py`.
            AmbiguousCallError: for an id that could mean several calls.
            UnknownCallError: for a call that is not in this history.
            ValueError: for an unknown state.

        Complexity: linear in the open turn; logarithmic in the history, but for the key of a call that settled with
            its result, which is looked for in all of it.
        """
        if key is not None and call is None:
            call = keyed_call(key)
        if not isinstance(call, ToolUseBlock | str):
            raise TypeError(f"call must be a ToolUseBlock or an id, not {type(call).__name__}: {short_repr(call)}")
        from message_history.core.turns.calls import seconds  # noqa: PLC0415 - as below
        from message_history.core.turns.states import record_state  # noqa: PLC0415 - most calls only get their results

        decision = Decision(
            state="",
            by=by,
            at=seconds("at", at),
            until=seconds("until", until),
            reason=reason,
            input=freeze_mapping(input)[0] if input is not None else None,
        )
        return history_of(record_state(self._conversation, call, CallState(state), decision))

    def extend(self, messages: Iterable[Message | RawMessage]) -> MessageHistory:
        """Return the history with several messages added, one by one.

        Args:
            messages: the messages.

        Returns:
            A new history; this one stays as it is.

        Raises:
            InvariantError: see `add`; then none of them has been added.
            TypeError: see `add`.

        Complexity: the size of the messages.
        """
        if isinstance(messages, str | bytes | Mapping | Message) or not hasattr(messages, "__iter__"):
            raise TypeError(f"messages must be a list of messages, not {type(messages).__name__}; `add` takes one")
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
        open_tail: Literal["stub", "keep"] | None = None,
    ) -> MessageHistory:
        """Read a list that was saved, or recorded elsewhere, and repair it.

        Results are moved next to their calls, and every law is made true; what was repaired is in `repairs`. For a list
        that an agent grows and sends again and again use `follow`: read anew, what was sent may come out otherwise.

        Args:
            raw: the entries, in the form of any provider or of any format of files that is known, or an object that
                holds them; they are never changed. `message_history.formats.from_data` gives all conversations of one.
            dialect: their dialect; None to find it by shape.
            policy: decides where there is a choice.
            open_tail: what becomes of calls at the end without a result: `keep` leaves them open, `stub` adds stubs
                (the process may have crashed before their results were saved). None keeps them for the saved form
                that `to_list` writes, and adds stubs for lists from elsewhere.

        Returns:
            The history. Calls in its `awaiting` may have run already: ask before running one again.

        Raises:
            InvariantError: when the policy says to raise and the list would need more than lossless repairs.
            TypeError: when `raw` is not a list of entries.

        Complexity: linear in the list.
        """
        chosen = dialect if dialect is None else checked_dialect(dialect)
        return history_of(from_list(raw, chosen, _checked(policy), open_tail))

    def follow(self, raw: Iterable[Any], *, dialect: Dialect[Any] | None = None) -> Followed[MessageHistory]:
        """Go on with a raw list that an agent grows and sends whole each time; what was sent stays as it was sent.

        Args:
            raw: the whole list; it begins with this history's export, if the history is not empty.
            dialect: its dialect; None to find it by shape, and for a history that is not empty `Anthropic()`.

        Returns:
            What to send: `history` in it. Its own `follow` takes the list the next time.
        """
        from message_history.following.followed import follow_new, followed_from  # noqa: PLC0415 - few follow lists

        if not self:
            return follow_new(self, raw, dialect)
        return followed_from(self, dialect if dialect is not None else DIALECTS[TYPED]).follow(raw)

    # Sending and saving

    @overload
    def for_send(self, dialect: None = None, *, cache: PromptCache | None = None) -> list[MessageParam]: ...

    @overload
    def for_send(self, dialect: Dialect[WireT], *, cache: PromptCache | None = None) -> list[WireT]: ...

    @overload
    def for_send(
        self, dialect: Dialect[WireT] | None, *, cache: PromptCache | None = None
    ) -> list[WireT] | list[MessageParam]: ...

    def for_send(self, dialect: Dialect[Any] | None = None, *, cache: PromptCache | None = None) -> list[Any]:
        """Return the messages as a provider accepts them.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.
            cache: puts cache marks where they pay; see `export`.

        Returns:
            Fresh plain dicts, yours to change: those of `as_sent(dialect)`. A system prompt that the dialect carries
            outside the list is in `export` only; there is a `SystemPromptWarning` then.

        Raises:
            InvariantError: when the policy says to raise and stubs or a continuation are needed.

        Complexity: linear in the history.
        """
        if cache is not None:
            exported = self.export(dialect, cache=cache)
            wire, system = exported.messages, exported.system
        else:
            wire, system = write(self._conversation, _chosen(dialect))
        if system is not None:
            warn_of_system()
        return wire

    def for_send_json(self, dialect: Dialect[Any] | None = None) -> bytes:
        """Return the messages as a provider accepts them, as JSON text; a settled turn is encoded once.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.

        Returns:
            The array of messages as JSON, in UTF-8.

        Raises:
            InvariantError: see `for_send`.

        Complexity: linear in what was not encoded before, plus one copy; a turn that depends on others, as one with
        images does, makes it linear in the history.
        """
        target = _chosen(dialect)
        encoded = getattr(self, "_encoded", None)
        if encoded is None or encoded[0] != target:
            encoded = target, write_json(self._conversation, target)
            _set_encoded(self, encoded)
            if has_system_beside(self._conversation, target):
                warn_of_system()
        return encoded[1]

    def export(self, dialect: Dialect[Any] | None = None, *, cache: PromptCache | None = None) -> Export:
        """Return the messages as a provider accepts them, with the system prompt and what had to be omitted.

        Args:
            dialect: the provider's dialect; `Anthropic()` by default.
            cache: puts cache marks where the next request still begins the same, for dialects that take marks; marks
                that came in with the messages give way.

        Returns:
            The messages, the system prompt where the dialect carries it outside them, and the repairs of this export.

        Raises:
            InvariantError: see `for_send`.

        Complexity: linear in the history.
        """
        target = _chosen(dialect)
        exported = export(self._conversation, target)
        if cache is None:
            return exported
        from message_history.dialects.caching import with_cache_marks  # noqa: PLC0415 - few ask for marks

        return with_cache_marks(exported, cache, target, sent_version(self._conversation, target)[0])

    def as_sent(self, dialect: Dialect[Any] | None = None, *, reason: StubReason = "not_recorded") -> MessageHistory:
        """Return the history as `for_send` sends it, with a stub for each awaited call.

        Where the dialect refuses a list that ends with an assistant message, a marked user message that says to go on
        follows. It settles nothing: `awaiting` stays, and a result that arrives still replaces its stub. Keep this
        version when you send an open one.

        Args:
            dialect: where it is sent; None to add stubs only.
            reason: why there are no results. Calls that are `denied` or `cancelled` are not awaited any more.

        Returns:
            A new history, or this one if nothing had to be added.

        Raises:
            InvariantError: when the policy says to raise and anything had to be added.

        Complexity: linear in the open turn.
        """
        if reason not in _REASONS:
            raise ValueError(f"reason must be one of {', '.join(_REASONS)}, not {short_repr(reason)}")
        chosen = dialect if dialect is None else checked_dialect(dialect)
        return self._with(sent_version(self._conversation, chosen, reason)[0])

    def to_list(self) -> list[dict[str, Any]]:
        """Return the saved form: plain JSON that `from_list` reads back to an equal history.

        Returns:
            Fresh dicts, the system prompt first.

        Complexity: linear in the history.
        """
        return to_list(self._conversation)

    def usage(self) -> Usage:
        """Add up the tokens of the replies in the history, as their providers counted them.

        Replies that a window has omitted are not in the sum. Those without content, and those that `without_refusals`
        or `without_unanswered` removed, are counted from what `repairs` hold of them.

        Returns:
            The sum; zeros when no provider said anything.

        Complexity: linear in the history.
        """
        return usage_of(self._conversation)

    # Other versions

    def with_system(self, text: str | None) -> MessageHistory:
        """Return the same messages with another system prompt.

        This changes what every provider is sent first: cached prompts miss, and thinking is invalidated.

        Args:
            text: the system prompt; None or blank text for none.

        Returns:
            A new history, or this one if nothing changes.

        Raises:
            TypeError: for what is neither text nor None.

        Complexity: linear in the history.
        """
        if text is not None and not isinstance(text, str):
            raise TypeError(f"text must be a str or None, not {type(text).__name__}: {short_repr(text)}")
        prompt = text if text is not None and not is_blank(text) else None
        if prompt == self.system:
            return self
        return history_of(with_system(self._conversation, (SystemBlock(prompt),) if prompt is not None else ()))

    def without_unanswered(self) -> MessageHistory:
        """Return the history without the calls that have no real result, and without their stubs.

        Calls that a person has denied stay, and so do those that a provider runs once you have decided.
        This changes what was sent: cached prompts miss, and thinking after it is invalidated. Keep stubs if you can.

        Returns:
            A new history whose `repairs` hold what was removed, or this one if every call has a result.

        Complexity: linear in the history.
        """
        return self._with(without_unanswered(self._conversation))

    def without_refusals(self, *, keep_prompts: bool = False) -> MessageHistory:
        """Return the history without the replies in which the model refused, and without what they answered.

        Anthropic goes on refusing until the turn that was refused is removed or rephrased. This changes what was sent,
        as `without_unanswered` does.

        Args:
            keep_prompts: True to keep what the replies answered, and to remove them alone.

        Returns:
            A new history whose `repairs` hold what was removed, or this one if no message has a `refusal`.

        Complexity: linear in the history.
        """
        return self._with(without_refusals(self._conversation, keep_prompts=keep_prompts))

    def safe_cuts(self, counter: Counter | None = None, *, pin: Pin = "turn") -> tuple[Cut, ...]:
        """Return where the history may be cut, and what follows each cut costs; see `windows.safe_cuts`."""
        from message_history.core.views.fitting import safe_cuts  # noqa: PLC0415 - a history that fits does without

        return safe_cuts(self._conversation, counter, pin)

    def window(
        self,
        *unnamed: Never,
        max_tokens: float | None = None,
        max_messages: int | None = None,
        counter: Counter | None = None,
        pin: Pin = "turn",
    ) -> MessageHistory:
        """Return a new history of the newest turns, or rounds, that fit; see `windows.window`. What is sent changes."""
        from message_history.core.views.windows import window  # noqa: PLC0415 - as in `safe_cuts`

        if unnamed:
            raise TypeError("window takes its limit by name: write window(max_tokens=...) or window(max_messages=...)")

        kept, _ = window(self._conversation, max_tokens=max_tokens, max_messages=max_messages, counter=counter, pin=pin)
        return self._with(kept)

    def drop_before(self, cut: SupportsIndex, *, pin: Pin = "turn") -> MessageHistory:
        """Return a new history from a safe cut on; see `windows.drop_before`. All that is sent changes."""
        from message_history.core.views.windows import drop_before  # noqa: PLC0415 - as in `safe_cuts`

        return self._with(drop_before(self._conversation, cut, pin=pin)[0])

    def rewind(self, n_turns: int = 1) -> MessageHistory:
        """Return a new history without the newest whole turns; see `windows.rewind`. The others are sent as before."""
        from message_history.core.views.windows import rewind  # noqa: PLC0415 - as in `safe_cuts`

        return self._with(rewind(self._conversation, n_turns)[0])

    def compact(self, summary: Content, *, keep_from: SupportsIndex | None = None, pin: Pin = None) -> MessageHistory:
        """Return a new history with a summary up to a safe cut; see `windows.compact`. All that is sent changes."""
        from message_history.core.views.windows import compact  # noqa: PLC0415 - as in `safe_cuts`

        return self._with(compact(self._conversation, summary, keep_from=keep_from, pin=pin)[0])

    def trim_results(
        self,
        *,
        older_than: SupportsIndex | None = None,
        keep: SupportsIndex | None = None,
        text: str | Callable[[CallRecord], str] = TRIMMED,
    ) -> MessageHistory:
        """Return a new history with old results shortened; see `windows.trim_results`. What is sent changes."""
        from message_history.core.views.windows import trim_results  # noqa: PLC0415 - as in `safe_cuts`

        return self._with(trim_results(self._conversation, older_than=older_than, keep=keep, text=text)[0])

    # What pickle and frameworks ask of a value by name

    def __reduce__(self) -> tuple[Any, tuple[list[Any], Policy | None, tuple[Repair, ...]]]:
        from message_history.dialects.native.pickled import to_pickle  # noqa: PLC0415 - only pickle needs it

        # The default policy is a tenth of a short history's pickle.
        return unpickled, (
            to_pickle(self._conversation),
            self.policy if self.policy is not DEFAULT_POLICY else None,
            self.repairs,
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        from message_history.dialects.pydantic_schema import history_schema  # noqa: PLC0415 - only pydantic asks

        return history_schema(cls, lambda value: cls.from_list(value, open_tail="keep"), cls.to_list)

    def _repr_html_(self) -> str:
        try:
            pages = import_module("message_history_pages")
        except ModuleNotFoundError:
            from html import escape  # noqa: PLC0415 - few are without the pages and in a notebook

            from message_history.extras import not_installed  # noqa: PLC0415

            return f"<pre>{escape(repr(self))}\n{escape(not_installed('message-history-pages', 'pages'))}</pre>"
        return str(pages.notebook_html(self))

    def _asdict(self) -> dict[str, str]:
        from message_history.dialects.state import state_text  # noqa: PLC0415 - as in `_HistoryType`

        return {STATE_KEY: state_text(self._conversation)}

    def _with(self, conversation: Conversation) -> MessageHistory:
        return self if conversation is self._conversation else history_of(conversation)


_REASONS: Final[tuple[str, ...]] = get_args(StubReason)


class _Unfinished(ConversationView):
    """A history that is being made: its attributes are set as any others, at less than half the cost."""

    __slots__ = MessageHistory.__slots__
    # Both, as Python keeps them in one slot.
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__


_set_encoded = MessageHistory._encoded.__set__  # type: ignore[attr-defined]


def _chosen(dialect: Dialect[Any] | None) -> Dialect[Any]:
    return checked_dialect(dialect) if dialect is not None else DIALECTS[TYPED]


def _checked(policy: Policy | None) -> Policy:
    if policy is not None and not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy, not {type(policy).__name__}; write Policy(on_violation=...)")
    return policy if policy is not None else DEFAULT_POLICY


def history_of(conversation: Conversation) -> MessageHistory:
    """Return a history with a conversation in it whose laws hold; `add` does the same in place."""
    history: Any = _Unfinished()
    history._conversation = conversation
    history.__class__ = MessageHistory
    return history  # type: ignore[no-any-return]


def conversation_of(history: MessageHistory) -> Conversation:
    """Return the conversation inside a history."""
    return conversation_in(history)


def restored(saved: Iterable[Any], policy: Policy | None, repairs: Iterable[Repair]) -> MessageHistory:
    """Return a saved history; see `dialects.lists.restore`."""
    return history_of(restore(saved, policy if policy is not None else DEFAULT_POLICY, repairs))


def unpickled(saved: Iterable[Any], policy: Policy | None, repairs: Iterable[Repair]) -> MessageHistory:
    """Return a history that was pickled: pickles name this function, with None for the default policy."""
    from message_history.dialects.native.pickled import from_pickle  # noqa: PLC0415 - only pickle needs it

    entries = from_pickle(saved)
    return history_of(restore(entries, policy if policy is not None else DEFAULT_POLICY, repairs, DIALECTS[NATIVE]))
