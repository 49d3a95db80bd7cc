"""LangChain: a middleware for `create_agent` that heals the messages before the model is called.

agent = create_agent(model, tools, middleware=[HealingMiddleware()])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from message_history.dialects import LangChain
from message_history.following.digests import digest_of
from message_history_healing.conversations import Conversations, Found, MemoryConversations
from message_history_healing.request import HealedList, heal_list

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, BaseMessage

    from message_history.dialects import Dialect

_GROUP = "langchain"


@final
class HealingMiddleware(AgentMiddleware[Any, Any]):
    """Heals the messages before the model is called.

    Args:
        replace_state: False keeps the state's own list as it is and heals what the model is given; True puts the
            healed list into the state.
        dialect: what the model takes; `LangChain()` by default.
        conversations: keeps what was sent, so that it stays as it is; in memory by default.
        on_healed: called with each list that was healed.
    """

    def __init__(
        self,
        *,
        replace_state: bool = False,
        dialect: Dialect[BaseMessage] | None = None,
        conversations: Conversations | None = None,
        on_healed: Callable[[HealedList[AnyMessage]], object] | None = None,
    ) -> None:
        super().__init__()
        self._replace_state = replace_state
        self._dialect = dialect if dialect is not None else LangChain()
        self._conversations = conversations if conversations is not None else MemoryConversations()
        self._on_healed = on_healed

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Put the healed list into the state, if that was asked for."""
        messages = list(state["messages"])
        if not self._replace_state or not messages:
            return None
        healed = heal_list(messages, self._dialect)
        if not healed.is_healed:
            return None
        self._report(healed)
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *healed.messages]}

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Put the healed list into the state, if that was asked for."""
        return self.before_model(state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Give the model healed messages."""
        healed, found = self._heal(request.messages)
        response = handler(request.override(messages=healed.messages) if healed.is_healed else request)
        self._keep(healed, found)
        return response

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Give the model healed messages."""
        healed, found = self._heal(request.messages)
        response = await handler(request.override(messages=healed.messages) if healed.is_healed else request)
        self._keep(healed, found)
        return response

    def _heal(self, messages: list[AnyMessage]) -> tuple[HealedList[AnyMessage], Found]:
        digests = [digest_of(message) for message in messages]
        found = self._conversations.find(_GROUP, digests)
        healed = heal_list(messages, self._dialect, sent=found.sent, digests=digests)
        if healed.is_healed:
            self._report(healed)
        return healed, found

    def _keep(self, healed: HealedList[AnyMessage], found: Found) -> None:
        if healed.sent is not None:
            self._conversations.keep(_GROUP, healed.sent, found, 1_000 * len(healed.messages))

    def _report(self, healed: HealedList[AnyMessage]) -> None:
        if self._on_healed is not None:
            self._on_healed(healed)
