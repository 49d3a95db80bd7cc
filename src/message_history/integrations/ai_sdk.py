"""AI SDK: decisions of a person, from a history into the messages of the interface.

messages = answer_approvals(messages, history)

Reading the messages of the AI SDK needs nothing of this: `from_file` finds the states of their calls.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from message_history.integrations.decisions import is_denied

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from message_history.history import MessageHistory

__all__ = ["answer_approvals"]


def answer_approvals(messages: Iterable[Mapping[str, Any]], history: MessageHistory) -> list[dict[str, Any]]:
    """Answer the requests for approval that a history has a decision for.

    Args:
        messages: the messages of the interface (`UIMessage`); they are not changed.
        history: the history that the decisions were recorded in.

    Returns:
        Fresh messages: a tool part in the state `approval-requested` whose call is approved or denied is in the state
        `approval-responded`, with the reason. All else is as it was: so is a call that was started, as the AI SDK
        would run it again.

    Complexity: linear in the messages and the history.
    """
    decided = {record.call.id: record for record in history.calls if is_denied(record) is not None}
    answered = [copy.deepcopy(dict(message)) for message in messages]
    for message in answered:
        parts = message.get("parts")
        for part in parts if isinstance(parts, list) else ():
            if not isinstance(part, dict) or part.get("state") != "approval-requested":
                continue
            record = decided.get(str(part.get("toolCallId")))
            if record is not None:
                part["state"] = "approval-responded"
                approval = {**(part.get("approval") or {}), "approved": not is_denied(record)}
                part["approval"] = {**approval, "reason": record.detail} if record.detail else approval
    return answered
