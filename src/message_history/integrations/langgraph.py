"""LangGraph: a history as a channel of a graph's state.

    class State(TypedDict):
        history: Annotated[MessageHistory, grow]

`grow` is a reducer of two positional parameters, and the channel that keeps the value as well. So checkpoints hold
plain data that every serializer saves and loads, even the default one in its strict mode, and additions of branches
that ran at the same time are distinguished from a history that was rewritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from langgraph.channels.base import BaseChannel
from langgraph.errors import InvalidUpdateError
from langgraph.types import Overwrite

from message_history.core.messages.message import Message
from message_history.core.turns.ingest import add_parsed
from message_history.core.turns.replying import add_reply_to
from message_history.dialects.inputs import parse_response
from message_history.dialects.langchain.schema import as_message
from message_history.dialects.sending import answered_version
from message_history.history import MessageHistory, conversation_of, history_of
from message_history.integrations.langchain import LangChain
from message_history.integrations.merging import goes_on, merged
from message_history.integrations.state import is_saved, load, save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import CoreSchema

    from message_history.core.messages.policy import Policy

__all__ = ["Growing", "as_history", "grow"]

_OVERWRITE: Final = "__overwrite__"


@dataclass
class _Allowed:
    """What LangGraph treats as `MessageHistory` in its list of types that a strict serializer may read.

    It looks for dataclasses in the state, and asks them for no more than their name.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        return MessageHistory.__get_pydantic_core_schema__()


_Allowed.__module__, _Allowed.__name__ = MessageHistory.__module__, MessageHistory.__name__


@final
class Growing(BaseChannel[MessageHistory, Any, dict[str, str]]):
    """A channel that holds a history.

    Args:
        typ: what LangGraph treats as the type of the value.
        policy: decides where there is a choice; it is kept in the checkpoints.

    Raises:
        ValueError: for a policy that raises. What nodes gave is saved before it is reduced, so a thread whose channel
            raises would do so each time it is read.
    """

    __slots__ = ("_policy", "_saved", "_value")

    def __init__(self, typ: Any = MessageHistory, *, policy: Policy | None = None) -> None:
        if policy is not None and policy.on_violation == "raise":
            raise ValueError("a channel cannot have a policy with on_violation='raise': the thread could not go on")
        super().__init__(typ)
        self._policy = policy
        self._value = MessageHistory(policy=policy)
        self._saved: tuple[MessageHistory, dict[str, str]] | None = None

    def __call__(self, history: MessageHistory, update: Any, /) -> MessageHistory:
        """Reduce: give a history with an update.

        Args:
            history: the history.
            update: what a node gave, see `update`; a history must have grown from this one.

        Returns:
            A new history.

        Raises:
            ValueError: for a history that is cut or rewritten; a reducer cannot tell it from a branch's.
        """
        replaced, value = _replacement(update)
        if replaced:
            return as_history(value, policy=self._policy)
        if _is_history(value):
            loaded = as_history(value, policy=self._policy)
            if not goes_on(history, loaded):
                raise ValueError("this history is not a later version of the other: Overwrite(...) replaces that")
            return loaded
        return _added(history, history, value)

    @property
    def ValueType(self) -> type[MessageHistory]:  # noqa: N802 - LangGraph's name
        """Return the type of the value."""
        return MessageHistory

    @property
    def UpdateType(self) -> Any:  # noqa: N802 - LangGraph's name
        """Return a type that lets a strict serializer read the histories that nodes returned; `update` accepts more."""
        return _Allowed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Growing) and self._policy == other._policy

    def __hash__(self) -> int:
        return hash((Growing, self._policy))

    def get(self) -> MessageHistory:
        """Return the history."""
        return self._value

    def is_available(self) -> bool:
        """Return whether there is a value: always, an empty history is one."""
        return True

    def copy(self) -> Growing:
        """Return a channel with the same history."""
        return self._with(self._value, self._saved)

    def checkpoint(self) -> dict[str, str]:
        """Write the history as plain data; a history that was written before is not written again."""
        if self._saved is None or self._saved[0] is not self._value:
            self._saved = (self._value, save(self._value))
        return self._saved[1]

    def from_checkpoint(self, checkpoint: Any) -> Growing:
        """Return a channel with the history of a checkpoint.

        Args:
            checkpoint: what `checkpoint` gave, or a list of messages from when the state held one; nothing else is a
                history, and LangGraph passes an object of its own where there is no checkpoint.

        Returns:
            The channel.
        """
        if not _is_history(checkpoint) and not isinstance(checkpoint, list):
            return self._with(MessageHistory(policy=self._policy))
        return self._with(as_history(checkpoint, policy=self._policy))

    def update(self, values: Sequence[Any]) -> bool:
        """Take what the nodes of one step gave.

        Args:
            values: a message or a list of them: our own, where no checkpointer saves it first, a provider's reply or
                raw messages, langchain-core's, or text of the user's; or a history. A history that grew from the one
                that the step began with adds what it grew by. Any other, and one in an `Overwrite`, takes its place.

        Returns:
            True when there were any.

        Raises:
            InvalidUpdateError: when two nodes of a step want to replace the history.
        """
        base = self._value
        found = [_replacement(value) for value in values if value is not None]
        branches = [(_is_history(value), replaced, value) for replaced, value in found]
        parts = [
            (replaced, as_history(v, policy=self._policy) if whole or replaced else v)
            for whole, replaced, v in branches
        ]
        others: list[Any] = []
        replacing: list[MessageHistory] = []
        for replaced, value in parts:
            rewritten = replaced or (isinstance(value, MessageHistory) and not goes_on(base, value))
            (replacing if rewritten else others).append(value)
        if len(replacing) > 1:
            raise InvalidUpdateError(f"At key '{self.key}': only one node of a step can replace the history.")
        history = replacing[0] if replacing else base
        start = history
        for value in others:
            if not isinstance(value, MessageHistory):
                history = _added(start, history, value)
            else:
                history = value if history is base else merged(base, history, value)
        self._value = history
        return bool(parts)

    def _with(self, history: MessageHistory, saved: tuple[MessageHistory, dict[str, str]] | None = None) -> Growing:
        channel = Growing(self.typ, policy=self._policy)
        channel.key = self.key
        channel._value, channel._saved = history, saved
        return channel


grow: Final = Growing()
"""The channel with the default policy, for `Annotated[MessageHistory, grow]`."""


def as_history(value: Any, *, policy: Policy | None = None) -> MessageHistory:
    """Read a history from what a checkpoint returns for one.

    Args:
        value: a history, what became of one in a checkpoint, or a list of messages, langchain-core's too.
        policy: decides where there is a choice, when the value does not say.

    Returns:
        The history.

    Raises:
        TypeError: for anything else.

    Complexity: linear in the value.
    """
    if isinstance(value, list) and any(as_message(entry) is not None for entry in value):
        return MessageHistory.from_list(value, dialect=LangChain(), policy=policy, open_tail="keep")
    return load(value, policy=policy)


def _is_history(value: object) -> bool:
    return isinstance(value, MessageHistory) or is_saved(value)


def _replacement(value: Any) -> tuple[bool, Any]:
    """Return whether a value is to replace the history, also after JSON has taken its type away."""
    if isinstance(value, Overwrite):
        return True, value.value
    if isinstance(value, Mapping):
        if len(value) == 1 and _OVERWRITE in value:
            return True, value[_OVERWRITE]
        if value.get("type") == _OVERWRITE and "value" in value:
            return True, value["value"]
    return False, value


def _added(start: MessageHistory, history: MessageHistory, value: Any) -> MessageHistory:
    """Add a message, or several, of a node that began with a version; replies in a row answer the same one."""
    sent: MessageHistory | None = start
    for item in value if isinstance(value, list) else [value]:
        of_langchain = as_message(item) is not None
        reply = parse_response(item, LangChain() if of_langchain else None) if not _is_own(item) else None
        if reply is not None:
            sent = history if sent is None else sent
            answers = answered_version(conversation_of(sent), None, reply)
            history = history_of(add_reply_to(answers, conversation_of(history), reply))
            continue
        sent = None
        if isinstance(item, str):
            history = history.add_user(item)
        elif of_langchain:
            history = history_of(add_parsed(conversation_of(history), LangChain().parse([item])))
        else:
            history = history.add(item)
    return history


def _is_own(item: object) -> bool:
    return isinstance(item, str | Message)
