"""What every dialect is: a way in, a way out, and rules.

A dialect is a frozen value. `parse` reads raw entries into messages and drops nothing silently; `render` writes valid
messages as fresh payload and records what it omitted or rewrote; `violations` finds what the provider would refuse.
Fields hold what differs from model to model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, final

from attrs import field, frozen

from message_history.core.messages.parsed import Parsed
from message_history.core.values.json_values import short_repr
from message_history.core.values.value import Value
from message_history.dialects._shared.beside import beside_content
from message_history.dialects._shared.rules import Rule
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.truncated import is_truncated
from message_history.media.limits import NO_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Repair
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.violations import Violation

__all__ = ["Dialect", "Export", "Foreign", "Parsed", "Reply", "Rule", "checked_dialect", "names_in_order", "of_model"]

WireT_co = TypeVar("WireT_co", covariant=True)


Foreign: TypeAlias = Callable[[Any, int], Parsed | None]
"""Reads one entry of the raw list that has another dialect's form; None when it has none that is known."""


def names_in_order(names: frozenset[str] | None) -> str:
    """Show names as a set does, in an order that does not depend on their hashes."""
    if names is None:
        return "None"
    return f"frozenset({{{str(sorted(names))[1:-1]}}})" if names else "frozenset()"


@final
@frozen(repr=False, eq=False)
class Reply(Value):
    """What a provider's response holds for the history.

    Args:
        entries: the raw entries, in the dialect's form.
        interrupted: True when the response says that it was truncated, and its entries do not.
        others: the entries of the other choices; only one choice can be taken.
        beside: what else the response holds, under its own keys.
    """

    entries: list[Any]
    interrupted: bool = False
    others: list[Any] = field(factory=list)
    beside: dict[str, Any] = field(factory=dict)

    @staticmethod
    def of_choices(response: Mapping[str, Any]) -> Reply | None:
        """Read a response that has its messages in choices, as those of several APIs have, or one as Cohere and Ollama.

        Args:
            response: the response, as a mapping.

        Returns:
            The first choice's message and the others', or None without a message.
        """
        alone = as_mapping(response.get("message"))
        has_ended = "finish_reason" in response or response.get("done") is True
        if alone is not None and alone.get("role") == "assistant" and has_ended:
            return Reply([alone], is_truncated(response), [], {k: v for k, v in response.items() if k != "message"})
        choices = [as_mapping(choice) or {} for choice in as_sequence(response.get("choices")) or ()]
        message, *others = [as_mapping(choice.get("message")) for choice in choices] or [None]
        if message is None:
            return None
        beside = beside_content(response, "choices", choices, "message")
        rest = [of_model(other) for other in others if other is not None]
        return Reply([of_model(message)], is_truncated(choices[0]), rest, beside)


def of_model(message: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the message of a response as the assistant's, where its role says nothing that is known."""
    role = message.get("role")
    return message if isinstance(role, str) and role in _ROLES else {**message, "role": "assistant"}


_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@final
@frozen(repr=False, eq=False)
class Export(Value):
    """What is sent.

    Args:
        messages: the messages in the dialect's form, yours to change.
        system: the system prompt in the dialect's form; None without one, or when it is in the messages.
        repairs: what was omitted or rewritten for this dialect.
    """

    messages: list[Any]
    system: Any = None
    repairs: tuple[Repair, ...] = ()


@frozen(repr=False, eq=False)
class Dialect(Value, ABC, Generic[WireT_co]):
    """One provider API's wire format and rules.

    Args:
        limits: what is taken of images and documents; an export makes them fit.
    """

    name: ClassVar[str]
    rules: ClassVar[Sequence[Rule]] = ()
    shared: ClassVar[Mapping[str, frozenset[str]]] = {}
    """The keys of other dialects' blocks that this one's render reads too, by the dialect's name."""

    of_objects: ClassVar[bool] = False
    """Whether it writes objects of a package: no list is recognised in it, and no file holds one."""

    limits: Limits = field(default=NO_LIMITS, kw_only=True)

    @abstractmethod
    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read raw entries.

        Args:
            raw: the entries, in this dialect's form; they are never changed.
            foreign: reads an entry that has another dialect's form; without it such an entry is noted as dropped.

        Returns:
            The messages in them.

        Complexity: linear in the entries.
        """

    @abstractmethod
    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write valid messages in this dialect's form.

        Args:
            messages: the messages of a closed history.
            system: the system prompt.

        Returns:
            Fresh payload, and what was omitted or rewritten.

        Complexity: linear in the messages.
        """

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """Write what `render` does, for those who do not ask what was omitted or rewritten.

        Args:
            messages: the messages of a closed history.
            system: the system prompt.

        Returns:
            The messages and the system prompt of an `Export`.

        Complexity: linear in the messages.
        """
        export = self.render(messages, system)
        return export.messages, export.system

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[WireT_co] | None:
        """Write a settled turn alone, just as `render` writes it in its place.

        Args:
            assistant: the assistant message; None in the first turn.
            user: the user message; None without one.

        Returns:
            Fresh messages; None when what is written depends on other turns, or may.

        Complexity: linear in the turn.
        """
        return None

    @abstractmethod
    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what the provider refuses in a list.

        Args:
            wire: the list, as it would be sent.

        Returns:
            What is wrong; empty when the list is acceptable.

        Complexity: linear in the list.
        """

    def owns(self, entry: Mapping[Any, Any]) -> bool:
        """Return whether an entry that has no other dialect's form has this one's; asked where no dialect was named.

        Args:
            entry: a raw entry.
        """
        return False

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response of the provider.

        Args:
            response: the response, as a mapping.

        Returns:
            What it holds for the history, or None when it is not a response of this provider.
        """
        return None

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether a conversation that ends with this assistant message may be sent.

        Args:
            assistant: the last message.

        Returns:
            False when a user message must follow.
        """
        return True

    def takes_leading_assistant(self) -> bool | None:
        """Return whether a list may begin with the assistant: then no placeholder is sent before it.

        Returns:
            None where some models take it and which one is asked is not known: such a list is sent unchanged.
        """
        return False

    def allows_prefill_with_calls(self) -> bool:
        """Return whether `may_end_with` holds for a list that holds calls, too."""
        return True

    def takes_blank_lead(self) -> bool:
        """Return whether a list may begin with an empty text of the user; such a text is then sent."""
        return False

    def takes_cache_marks(self) -> bool:
        """Return whether a request may mark what is to be cached; other providers need no marks."""
        return False

    def mark_cache(self, blocks: list[Any], ttl: str | None) -> bool:
        """Mark the end of a message's or a system prompt's blocks, to be cached up to there.

        Args:
            blocks: the blocks, as this dialect writes them; they are changed.
            ttl: how long it is kept; None for the default.

        Returns:
            False when no mark is allowed there.
        """
        return False

    def unmark_cache(self, blocks: list[Any]) -> None:
        """Take the cache marks off blocks."""

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list of messages."""
        return False

    def tool_form(self) -> ToolForm | None:
        """Return how requests of this dialect write tools; None where it has no requests."""
        return None

    def returns_unknown(self) -> str | None:
        """Return the host that gets back the keys and parts of its replies that no rule knows.

        Returns:
            Its name; an empty text where nobody named it; None where the API is on record as refusing them.
        """
        return None

    def holds_unknown(self, block: Block) -> bool:
        """Return whether a block of the assistant's came with a key, or is a part, that no rule knows.

        Args:
            block: a block that was read in this dialect.
        """
        return False

    def unknown(self, wire: Sequence[Any]) -> list[Violation]:
        """Find in the assistant's messages what no rule knows, and the API is not on record as refusing.

        Args:
            wire: the list, as it would be sent.

        Returns:
            What is not known: no violations, and their `severity` says so.

        Complexity: linear in the list.
        """
        return []

    def sends(self, origin: str, key: str, *, of_message: bool = False) -> bool:
        """Return whether a key that came from a dialect is one that a render here writes, or records if it does not.

        Args:
            origin: the name of the dialect that it came from.
            key: the key.
            of_message: whether it was a message's, not a block's.

        Returns:
            False for a key that is sent back to its origin only, which is another dialect.
        """
        return origin == self.name or (not of_message and key in self.shared.get(origin, ()))


def checked_dialect(dialect: object) -> Dialect[Any]:
    """Return what was passed as a dialect, or say for a class or a name what to write instead."""
    if isinstance(dialect, Dialect):
        return dialect
    if isinstance(dialect, type) and issubclass(dialect, Dialect):
        name = dialect.__name__
        raise TypeError(f"dialect must be a dialect, not the class {name}; write {name}() or {name}.for_model(...)")
    if isinstance(dialect, str):
        known = import_module("message_history.dialects.registry").DIALECTS
        # `openai` is what other libraries call it.
        meant = known.get(dialect.lower()) or known.get(f"{dialect.lower()}_chat")
        advice = (
            f"write {type(meant).__name__}()"
            if meant is not None
            else "take one of message_history.dialects, such as Anthropic()"
        )
        raise TypeError(f"dialect must be a dialect, not the text {short_repr(dialect)}; {advice}")
    raise TypeError(
        f"dialect must be a dialect such as OpenAIChat() from message_history.dialects, not {type(dialect).__name__}"
    )
