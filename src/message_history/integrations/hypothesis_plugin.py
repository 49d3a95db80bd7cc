"""Tell Hypothesis of the strategies, by its entry point: `st.from_type(MessageHistory)` then needs no import of ours.

It runs whenever Hypothesis is imported, so it makes no strategy yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from message_history.core.messages.message import Message
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def register() -> None:
    """Register a strategy for `MessageHistory` and one for `Message`."""
    from hypothesis import strategies as st  # noqa: PLC0415 - Hypothesis itself is being imported when this is called

    st.register_type_strategy(MessageHistory, _histories)
    st.register_type_strategy(Message, _messages)


def _histories(_: type[MessageHistory]) -> SearchStrategy[MessageHistory]:
    from message_history.integrations.strategies import histories  # noqa: PLC0415 - see above

    return histories()


def _messages(_: type[Message]) -> SearchStrategy[Message]:
    from message_history.integrations.strategies import messages  # noqa: PLC0415 - see above

    return messages()
