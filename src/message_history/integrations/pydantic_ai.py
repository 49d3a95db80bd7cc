"""pydantic-ai: a capability that repairs the messages before each request, and messages from and to a history.

agent = Agent(model, capabilities=[ValidHistory()])
result = await agent.run("And in Rome?", message_history=model_messages(history))
history = read_messages(result.all_messages())

A run that ends with `DeferredToolRequests` waits for a person: `read_requests` records that, and `deferred_results` and
`deferred_messages` go on with what was decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import DeferredToolResults, ToolApproved, ToolDenied

from message_history.core.messages.message import make_message
from message_history.core.messages.policy import Policy
from message_history.dialects import PydanticAI
from message_history.history import MessageHistory
from message_history.integrations.decisions import ask, decide, is_denied, record_of, undecided_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.tools import DeferredToolRequests

    from message_history.core.messages.block_base import Block

__all__ = [
    "ValidHistory",
    "deferred_messages",
    "deferred_results",
    "model_messages",
    "read_messages",
    "read_requests",
    "read_results",
]

_REQUEST = PydanticAI(objects=True, ends_with_response=False)
_STORED = PydanticAI(objects=True)


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
    """Write a history for a new run to go on from; the messages name no run, since they are not its own.

    Args:
        history: the history.

    Returns:
        Messages for `agent.run(prompt, message_history=...)`; calls that are awaited have stubs.

    Complexity: linear in the history.
    """
    return _of_no_run(history.for_send(_STORED))


def _of_no_run(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Take the old run's id off messages: a run that is tried again under its id would refuse them."""
    return [replace(message, run_id=None) if message.run_id else message for message in messages]


def read_requests(
    messages: Sequence[ModelMessage], requests: DeferredToolRequests, *, policy: Policy | None = None
) -> MessageHistory:
    """Read the messages of a run that ended with deferred calls.

    Args:
        messages: what `result.all_messages()` gives.
        requests: the output of the run.
        policy: decides where there is a choice.

    Returns:
        The history: the calls that need approval wait for it; those that run elsewhere may have run, for all that is
        known here.

    Raises:
        InvariantError: see `read_messages`.
        UnknownCallError: for a request whose call is not in the messages.

    Complexity: linear in the messages, for each request.
    """
    history = MessageHistory.from_list(messages, dialect=PydanticAI(), policy=policy, open_tail="keep")
    return ask(history, [call.tool_call_id for call in requests.approvals])


def read_results(history: MessageHistory, results: DeferredToolResults) -> MessageHistory:
    """Record what was decided on deferred calls, and the results of those that ran elsewhere.

    Args:
        history: the history, as `read_requests` returned it.
        results: what the run goes on with.

    Returns:
        A new history.

    Raises:
        CallStateError: when a call may not be decided any more.
        UnknownCallError: for a call that is not in the history.

    Complexity: linear in the history, for each call.
    """
    for id, approval in results.approvals.items():
        approved = approval is True or isinstance(approval, ToolApproved)
        reason = approval.message if isinstance(approval, ToolDenied) and approval != ToolDenied() else ""
        history = decide(history, id, approved=approved, reason=reason)
    for id, result in results.calls.items():
        value = getattr(result, "return_value", getattr(result, "message", result))
        failed = getattr(result, "kind", "tool-return") != "tool-return" and value is not result
        history = history.add_tool_result(record_of(history, id).call, value, is_error=failed)
    return history


def deferred_results(history: MessageHistory, requests: DeferredToolRequests) -> DeferredToolResults:
    """Return what a run goes on with, as a history says; give it `deferred_messages` too.

    Args:
        history: the history that the decisions were recorded in.
        requests: the output of the run that waits.

    Returns:
        Approvals and denials with their reasons, and the results of the calls that ran elsewhere.

    Raises:
        UnknownCallError: for a request whose call is not in the history.
        ValueError: when a call is not decided or has no result: pydantic-ai wants all of them at once; or when it was
            started, as pydantic-ai would run it again.

    Complexity: linear in the history, for each call.
    """
    results = DeferredToolResults()
    undecided = []
    for request in requests.approvals:
        record = record_of(history, request.tool_call_id)
        denied = is_denied(record)
        if denied is None:
            undecided.append(record)
        elif denied:
            results.approvals[record.call.id] = ToolDenied(record.detail) if record.detail else ToolDenied()
        else:
            results.approvals[record.call.id] = ToolApproved()
    for request in requests.calls:
        record = record_of(history, request.tool_call_id)
        if record.result is not None:
            results.calls[record.call.id] = record.result.text
        else:
            undecided.append(record)
    if undecided:
        raise undecided_error(undecided)
    return results


def deferred_messages(history: MessageHistory, requests: DeferredToolRequests) -> list[ModelMessage]:
    """Write the messages that a run with deferred results goes on from.

    Args:
        history: the history; the turn with the deferred calls is its last one.
        requests: the output of the run that waits.

    Returns:
        The messages, without results for the deferred calls, and without what was added after their turn's results.

    Complexity: linear in the history.
    """
    deferred = {call.tool_call_id for call in (*requests.approvals, *requests.calls)}
    messages = list(history)
    if messages and messages[-1].role == "user":
        done: tuple[Block, ...] = tuple(block for block in messages[-1].results if block.tool_use_id not in deferred)
        messages[-1:] = [make_message("user", done)] if done else []
    return _of_no_run(_STORED.render(messages).messages)
