"""What every dialect is: a way in, a way out, and rules.

A dialect is a frozen value. `parse` reads raw entries into messages and drops nothing silently; `render` writes valid
messages as fresh payload and tells what it left out or rewrote; `violations` finds what the provider would refuse.
Fields hold what differs from model to model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, final

from attrs import field, frozen

from message_history.core.parsed import Note, Parsed
from message_history.dialects._shared.checker import shown
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.media.limits import NO_LIMITS, Limits

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.blocks import SystemBlock
    from message_history.core.message import Message
    from message_history.core.repairs import Repair
    from message_history.violations import Violation

__all__ = [
    "TRUNCATED",
    "Dialect",
    "Export",
    "Foreign",
    "ModelRow",
    "Note",
    "Parsed",
    "Reply",
    "Rule",
    "checked_dialect",
    "fields_for",
    "is_truncated",
]

WireT_co = TypeVar("WireT_co", covariant=True)

TRUNCATED: Final = frozenset(
    {
        "aborted",
        "content_filter",
        "content_filtered",
        "error",
        "guardrail_intervened",
        "interrupted",
        "length",
        "malformed_function_call",
        "malformed_model_output",
        "malformed_tool_use",
        "max_tokens",
        "model_context_window_exceeded",
        "model_length",
        "refusal",
        "safety",
    }
)
"""What the providers' stop reasons say, in lower case, when a reply ended before the model was done."""


def is_truncated(keys: Mapping[Any, Any]) -> bool:
    """Return whether the keys of a reply say that it was cut off.

    Args:
        keys: the reply, or the message that it was saved as.

    Returns:
        True when its stop reason says so.
    """
    for key in ("stop_reason", "stopReason", "finish_reason", "finishReason"):
        reason = keys.get(key)
        if isinstance(reason, str) and reason.lower() in TRUNCATED:
            return True
    return False


@final
@frozen(kw_only=True)
class Rule:
    """One rule of a provider.

    Args:
        id: its name, which never changes.
        rule: what the provider demands, in one sentence.
        errors: what it answers otherwise, verbatim, with `{...}` for what differs; empty when no text is known.
        repair: what this library does about it.
        source: where that was seen: a page or an issue.
        date: when the source was read or the report made, as `YYYY-MM`.
    """

    id: str
    rule: str
    errors: tuple[str, ...]
    repair: str
    source: str
    date: str

    def error(self, which: int = 0, **values: object) -> str:
        """Say what the provider answers in one case.

        Args:
            which: the position of the error among the rule's; one beyond them for a case without a known text.
            values: what stands in the places of the error's `{...}`; what is no text, in a few words.

        Returns:
            The text; an unnamed place stays as it is.
        """
        text = self.errors[which] if 0 <= which < len(self.errors) else ""
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", shown(value))
        return text


@final
@frozen(kw_only=True)
class ModelRow:
    """What holds for some models.

    Args:
        models: a pattern that is searched for in a model's name, in lower case.
        fields: the dialect's fields, with their values for these models.
        source: where that was seen: a page or an issue.
        date: when, as `YYYY-MM`.
    """

    models: re.Pattern[str]
    fields: Mapping[str, Any]
    source: str
    date: str


def fields_for(rows: Iterable[ModelRow], model: str) -> dict[str, Any]:
    """Choose the fields for a model: those of all rows that match, the later rows over the earlier.

    Args:
        rows: the dialect's table.
        model: the model's name.

    Returns:
        The fields; none for a model that no row matches.
    """
    found: dict[str, Any] = {}
    for row in rows:
        if row.models.search(model.lower()):
            found.update(row.fields)
    return found


Foreign: TypeAlias = Callable[[Any, int, Parsed], bool]
"""Reads one entry of the raw list that has another dialect's form; False when it has none that is known."""


@final
@frozen
class Reply:
    """What a provider's response holds for the history.

    Args:
        entries: the raw entries, in the dialect's form.
        interrupted: True when the response says that it was cut off, and its entries do not.
        others: the entries of what was offered besides, of which only one can be taken.
    """

    entries: list[Any]
    interrupted: bool = False
    others: list[Any] = field(factory=list)

    @staticmethod
    def of_choices(response: Mapping[str, Any]) -> Reply | None:
        """Read a response that has its messages in choices, as those of several APIs have.

        Args:
            response: the response, as a mapping.

        Returns:
            The first choice's message and the others', or None when there is none.
        """
        choices = [as_mapping(choice) or {} for choice in as_sequence(response.get("choices")) or ()]
        message, *others = [as_mapping(choice.get("message")) for choice in choices] or [None]
        if message is None:
            return None
        return Reply([message], is_truncated(choices[0]), [other for other in others if other is not None])


@final
@frozen
class Export:
    """What is sent.

    Args:
        messages: the messages in the dialect's form, yours to change.
        system: the system prompt in the dialect's form; None when there is none, or when it is in the messages.
        repairs: what was left out or rewritten for this dialect.
    """

    messages: list[Any]
    system: Any = None
    repairs: tuple[Repair, ...] = ()


@frozen
class Dialect(ABC, Generic[WireT_co]):
    """One provider API's wire format and rules.

    Args:
        limits: what is taken of images and documents; an export makes them fit.
    """

    name: ClassVar[str]
    rules: ClassVar[Sequence[Rule]] = ()
    shared: ClassVar[Mapping[str, frozenset[str]]] = {}
    """The keys of other dialects' blocks that this one's render reads too, by the dialect's name."""

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
            Fresh payload, and what was left out or rewritten.

        Complexity: linear in the messages.
        """

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """Write what `render` does, for those who do not ask what was left out or rewritten.

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
            assistant: what the assistant said; None in the first turn.
            user: what the user's side answered.

        Returns:
            Fresh messages; None when what is written depends on other turns, or may.

        Complexity: linear in the turn.
        """
        del assistant, user
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
        """Return whether an entry that has no other dialect's form has this one's; for lists whose dialect nobody gave.

        Args:
            entry: a raw entry.
        """
        del entry
        return False

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response of the provider.

        Args:
            response: the response, as a mapping.

        Returns:
            What it holds for the history, or None when it is no response of this provider.
        """
        del response
        return None

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether a conversation that ends with this assistant message may be sent.

        Args:
            assistant: the last message.

        Returns:
            False when a user message must follow.
        """
        del assistant
        return True

    def takes_leading_assistant(self) -> bool:
        """Return whether a list may begin with the assistant: then no placeholder is sent before it."""
        return False

    def allows_prefill_with_calls(self) -> bool:
        """Return whether `may_end_with` holds for a list that holds calls, too."""
        return True

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list of messages."""
        return False

    def sends(self, origin: str, key: str, *, of_message: bool = False) -> bool:
        """Return whether a key that came from a dialect is one that a render here writes, or records if it does not.

        Args:
            origin: the name of the dialect that it came from.
            key: the key.
            of_message: whether it was a message's, not a block's.

        Returns:
            False for a key that can only go back to its origin, which is another dialect.
        """
        return origin == self.name or (not of_message and key in self.shared.get(origin, ()))


def checked_dialect(dialect: object) -> Dialect[Any]:
    """Return what was passed as a dialect, or say what to write instead.

    Args:
        dialect: a dialect, or one of the common mistakes: its class, or its name.

    Raises:
        TypeError: for what is no dialect.
    """
    if isinstance(dialect, Dialect):
        return dialect
    if isinstance(dialect, type) and issubclass(dialect, Dialect):
        name = dialect.__name__
        raise TypeError(f"dialect must be a dialect, not the class {name}; write {name}() or {name}.for_model(...)")
    raise TypeError(
        f"dialect must be a dialect such as OpenAIChat() from message_history.dialects, not {type(dialect).__name__}"
    )
