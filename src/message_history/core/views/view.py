"""What can be read of a conversation: a read-only sequence of messages, and what is known about them."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator, Sequence
from operator import index as as_index
from typing import TYPE_CHECKING, Final, Never, Self, SupportsIndex, TypeVar, final, overload

from message_history.core.messages.message import Message
from message_history.core.messages.repairs import RepairCode
from message_history.core.messages.replies import COUNTS, Usage, total_usage
from message_history.core.turns.conversation import Conversation, context_of, length_of, message_at, messages_of
from message_history.core.turns.step import METADATA
from message_history.core.turns.stubs import awaited, repairs_of
from message_history.core.values.json_values import FrozenDict

if TYPE_CHECKING:
    from message_history.core.messages.blocks import ToolUseBlock
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.core.turns.calls import Calls

_REPLIES_GONE: Final = frozenset(
    {RepairCode.EMPTY_MESSAGE_DROPPED, RepairCode.UNANSWERED_CALL_REMOVED, RepairCode.REFUSAL_REMOVED}
)
"""The codes of repairs that hold what was said of replies that are not messages."""
_SAVED: Final = frozenset({"id", "model", "stop_reason", "provider", "usage", "raw_usage", "extra"})
"""The keys of `as_json`; an entry of a list has others too."""
_ADD: Final = "history = history.add_user(...), add_response(...), add_tool_result(...) or add(message)"
_INSTEAD: Final = {
    "add_message": _ADD,
    "add_system": "history.with_system(text)",
    "add_tool_results": "history.add_tool_result(call, content), once for each call",
    "append": _ADD,
    "clear": "history = MessageHistory(policy=history.policy)",
    "copy": "history: it never changes",
    "from_json": "MessageHistory.from_list(json.loads(text))",
    "insert": _ADD,
    "last": "history[-1]",
    "messages": "list(history): a history is the sequence of its messages",
    "pending": "history.awaiting",
    "pop": "history = history.rewind() for the newest turn, or history.window(max_messages=...) for the oldest",
    "save": "session.append(history), with a session of message_history.storage",
    "send": "history.for_send(dialect)",
    "system_prompt": "history.system",
    "to_dict": "history.to_list()",
    "to_json": "json.dumps(history.to_list()), or history.for_send_json(dialect)",
    "to_messages": "history.for_send(dialect)",
    "tool_calls": "history.awaiting, or history.calls for all of them",
}
"""What to write instead of the names that people try first."""


@final
class _Missing:
    """Stands for an attribute that there is not, and says what to write instead.

    A `__getattr__` could say so too, but a class that has one finds every attribute by the slow way.
    """

    def __init__(self, name: str, instead: str) -> None:
        self._name, self._instead = name, instead

    def __get__(self, view: object, owner: type) -> Never:
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {self._name!r}; write {self._instead}",
            name=self._name,
            obj=view,
        )


class ViewType(ABCMeta):
    """Leaves out of `dir` what is missing."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in _INSTEAD]


class ConversationView(Sequence[Message], metaclass=ViewType):
    """A frozen value with a conversation in it, as a read-only sequence of messages.

    Equal are those with equal messages and system prompts; repairs and policies do not count.
    """

    # One slot, set once: a frozen class with a slot per part takes a third longer to make, and `add` is little more.
    __slots__ = ("__weakref__", "_conversation")
    _conversation: Conversation

    if not TYPE_CHECKING:
        # A type checker refuses to set what is not declared, unless it sees a `__setattr__`.

        def __setattr__(self, name: str, value: object) -> Never:
            raise AttributeError(f"{type(self).__name__} cannot be changed (setting {name!r}); `add` returns a new one")

        def __delattr__(self, name: str) -> Never:
            raise AttributeError(f"{type(self).__name__} cannot be changed (deleting {name!r})")

        def __dir__(self) -> list[str]:
            return dir(type(self))

    @property
    def awaiting(self) -> tuple[ToolUseBlock, ...]:
        """Return the calls whose result has not come yet, even if a stub was sent; give each to `add_tool_result`."""
        return awaited(self._conversation)

    @property
    def calls(self) -> Calls:
        """Return every call with its state, its result and its place; filter with `where`. Linear in the history."""
        from message_history.core.turns.calls import find_calls  # noqa: PLC0415 - `awaiting` does without

        return find_calls(self._conversation)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Return what was repaired, in the order in which it happened; empty if nothing was."""
        return repairs_of(self._conversation)

    @property
    def policy(self) -> Policy:
        """Return what decides where there is a choice."""
        return context_of(self._conversation).policy

    @property
    def system(self) -> str | None:
        """Return the system prompt, its parts joined by blank lines; None if there is none."""
        blocks = context_of(self._conversation).system
        return "\n\n".join(block.text for block in blocks) if blocks else None

    def __len__(self) -> int:
        return length_of(self._conversation)

    def __iter__(self) -> Iterator[Message]:
        return messages_of(self._conversation)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return tuple(message_at(self._conversation, position) for position in range(*index.indices(len(self))))
        position = as_index(index)
        length = len(self)
        if not -length <= position < length:
            raise IndexError(f"position {position} is out of range: the history has {length:,} messages")
        return message_at(self._conversation, position % length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConversationView):
            return NotImplemented
        if self is other:
            return True
        same_system = context_of(self._conversation).system == context_of(other._conversation).system
        return same_system and len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((context_of(self._conversation).system, tuple(self)))

    def __repr__(self) -> str:
        counts = {"awaiting": len(self.awaiting), "repairs": len(self.repairs)}
        parts = [f"{len(self)} messages"]
        parts += [f"awaiting {counts['awaiting']}"] if counts["awaiting"] else []
        parts += [f"{counts['repairs']} repairs"] if counts["repairs"] else []
        return f"<{type(self).__name__}: {', '.join(parts)}>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


for _name, _instead in _INSTEAD.items():
    setattr(ConversationView, _name, _Missing(_name, _instead))

ViewT = TypeVar("ViewT", bound=ConversationView)


def conversation_in(view: ConversationView) -> Conversation:
    """Return the conversation that a view shows. Raises `TypeError` for anything else, such as a list."""
    try:
        return view._conversation
    except AttributeError:
        raise TypeError(
            f"history must be a MessageHistory, not {type(view).__name__}; MessageHistory.from_list reads a list"
        ) from None


def with_conversation(view: ViewT, conversation: Conversation) -> ViewT:
    """Return a view of the same class with another conversation in it, whose laws hold."""
    made = object.__new__(type(view))
    object.__setattr__(made, "_conversation", conversation)
    return made


def usage_of(conversation: Conversation) -> Usage:
    """Add up the usage of the replies in the messages and of those that are gone, which repairs hold as `as_json`."""
    counted = total_usage(reply for message in messages_of(conversation) for reply in message.replies)
    gone = (each for each in repairs_of(conversation) if each.code in _REPLIES_GONE and each.detail != METADATA)
    removed = (part for repair in gone for part in repair.removed)
    counts = [
        part["usage"] for part in removed if isinstance(part, FrozenDict) and part.keys() <= _SAVED and "usage" in part
    ]
    found = [count for count in counts if isinstance(count, FrozenDict) and count.keys() <= frozenset(COUNTS)]
    return counted + Usage(**{name: sum(_natural(count.get(name)) for count in found) for name in COUNTS})


def _natural(count: object) -> int:
    return count if type(count) is int and count > 0 else 0
