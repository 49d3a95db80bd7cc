"""LangChain: messages of langchain-core, read and written like those of any dialect.

history = MessageHistory.from_list(messages, dialect=LangChain())
history = history.add_response(model.invoke(history.for_send(LangChain())), dialect=LangChain())

Lists are not recognised as this dialect: its messages are objects of a package that need not be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects._shared.reader import read_entries
from message_history.dialects.base import Reply
from message_history.dialects.langchain.model_fields import Fields
from message_history.dialects.langchain.parse import Reader
from message_history.dialects.langchain.schema import LANGCHAIN, RULES, as_message, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.rules import Rule
    from message_history.dialects.base import Foreign

__all__ = ["LangChain"]


@final
@frozen(kw_only=True)
class LangChain(Fields):
    """The messages of langchain-core.

    Args:
        ends_with_ai: whether the list may end with an AI message: to store it. By default it is what a chat model is
            given, and several refuse to continue their own text.
        late_system: whether system messages may be in the middle; by default their text becomes marked text of the
            human message, as several chat models refuse them there.
        binds_thinking: whether signed thinking is omitted once anything before it has changed.
    """

    name: ClassVar[str] = LANGCHAIN
    rules: ClassVar[Sequence[Rule]] = RULES
    of_objects: ClassVar[bool] = True

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read messages, objects or their dumps; see `Dialect.parse`."""
        return read_entries(raw, foreign, Reader())

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read an AI message; see `Dialect.reply`."""
        return Reply([response]) if as_message(response) is not None and kind_of(response) == "assistant" else None

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the assistant."""
        return self.ends_with_ai

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first message."""
        return True
