"""pydantic-ai: a capability that repairs the messages before each request, and messages from and to a history.

agent = Agent(model, capabilities=[ValidHistory()])
result = await agent.run("And in Rome?", message_history=model_messages(history))
history = read_messages(result.all_messages())
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability

from message_history.core.policy import Policy
from message_history.dialects import PydanticAI
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestContext

__all__ = ["ValidHistory", "model_messages", "read_messages"]

_REQUEST = PydanticAI(objects=True)
_STORED = PydanticAI(objects=True, ends_with_response=True)


@dataclass
class ValidHistory(AbstractCapability[Any]):
    """A capability that lets no broken list of messages reach a model.

    Valid messages are passed on untouched, so that what was sent stays what it was. Others are repaired, and the run
    goes on with the repaired ones.

    Args:
        policy: decides where there is a choice.
        process: what else is done to the history, such as `lambda history: history.window(max_messages=40)`; it gives
            another history.
        on_repair: called with a history that had to be repaired; its `repairs` tell what was changed.
    """

    policy: Policy = field(default_factory=Policy)
    process: Callable[[MessageHistory], MessageHistory] | None = None
    on_repair: Callable[[MessageHistory], object] | None = None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Repair the messages of a request; pydantic-ai calls it."""
        history = read_messages(request_context.messages, policy=self.policy)
        kept = self.process(history) if self.process is not None else history
        if history.repairs and self.on_repair is not None:
            self.on_repair(history)
        if history.repairs or kept is not history:
            messages = kept.for_send(_REQUEST)
            request_context.messages = messages
            ctx.messages[:] = messages
        return request_context

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: it may hold functions, so no specification names it."""
        return None


def read_messages(messages: Sequence[ModelMessage], *, policy: Policy | None = None) -> MessageHistory:
    """Read the messages of a run.

    Args:
        messages: what `result.all_messages()` gives.
        policy: decides where there is a choice.

    Returns:
        The history. Calls that nothing answers have stubs.

    Raises:
        InvariantError: when the policy says to raise and the messages would need more than lossless repairs.

    Complexity: linear in the messages.
    """
    return MessageHistory.from_list(messages, dialect=PydanticAI(), policy=policy)


def model_messages(history: MessageHistory) -> list[ModelMessage]:
    """Write a history as what a run with a new prompt goes on from.

    Args:
        history: the history.

    Returns:
        Messages for `agent.run(prompt, message_history=...)`; calls that are awaited have stubs. A run without a
        prompt takes `history.for_send(PydanticAI(objects=True))`.

    Complexity: linear in the history.
    """
    return history.for_send(_STORED)
