"""Claude Agent SDK: the messages of a session, and the calls that a person or a rule has denied.

history = read_messages([message async for message in query(prompt=prompt, options=options)], prompt=prompt)

Messages of the Python SDK are read, and the lines that `claude -p --output-format stream-json` prints, as dicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ToolResultBlock, with_meta
from message_history.core.messages.denials import denial_of_text
from message_history.core.messages.message import with_content
from message_history.core.turns.conversation import context_of
from message_history.core.turns.rewrites import folded
from message_history.core.values.meta import Mark
from message_history.dialects import Anthropic
from message_history.history import MessageHistory, conversation_of, history_of
from message_history.integrations.decisions import is_denied, record_of, undecided_error

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.policy import Policy

__all__ = ["permission", "read_messages", "with_denials"]

_ROLES: Final = {"AssistantMessage": "assistant", "UserMessage": "user"}
_BLOCKS: Final = {
    "TextBlock": "text",
    "ThinkingBlock": "thinking",
    "ToolUseBlock": "tool_use",
    "ToolResultBlock": "tool_result",
    "ServerToolUseBlock": "server_tool_use",
}


def read_messages(messages: Iterable[object], *, prompt: str = "", policy: Policy | None = None) -> MessageHistory:
    """Read the messages of a session.

    Args:
        messages: the messages; those of subagents are skipped, and so is all that is not part of a conversation.
        prompt: what the session was asked, which is not among the messages.
        policy: decides where there is a choice.

    Returns:
        The history. The calls in `permission_denials` of the results are denied.

    Raises:
        InvariantError: when the policy says to raise and the messages would need more than lossless repairs.

    Complexity: linear in the messages.
    """
    raw: list[dict[str, Any]] = [{"role": "user", "content": prompt}] if prompt else []
    denials: list[Any] = []
    for message in messages:
        data = _plain(message)
        if data.get("parent_tool_use_id") is not None:
            continue
        inner = data.get("message")
        if data.get("type") in ("assistant", "user") and isinstance(inner, Mapping):
            raw.append(dict(inner))
        elif data.get("type") in ("assistant", "user"):
            raw.append({key: data[key] for key in _OF_MESSAGE if data.get(key) is not None} | {"role": data["type"]})
        denials += data.get("permission_denials") or ()
    return with_denials(MessageHistory.from_list(raw, dialect=Anthropic(prefill=True), policy=policy), denials)


def with_denials(history: MessageHistory, denials: Iterable[Any]) -> MessageHistory:
    """Mark the results of calls that were denied, so that their state is `denied`; what is sent stays the same.

    Args:
        history: the history.
        denials: `permission_denials` of a result: mappings or objects with a `tool_use_id`.

    Returns:
        A new history, or this one if no result of a denied call is in it.

    Complexity: linear in the history.
    """
    ids = {_plain(denial).get("tool_use_id") for denial in denials}
    marked = [_marked(message, ids) for message in history]
    if all(one is other for one, other in zip(marked, history, strict=True)):
        return history
    conversation = conversation_of(history)
    context = context_of(conversation)
    return history_of(folded(context, marked, context.repairs).finish())


def permission(history: MessageHistory, id: str) -> dict[str, str]:
    """Return the answer to a request for permission, for `can_use_tool`.

    Args:
        history: the history that the decision was recorded in.
        id: the id of the call: `tool_use_id` of the context.

    Returns:
        The fields of a `PermissionResultAllow` or a `PermissionResultDeny`, by its `behavior`.

    Raises:
        UnknownCallError: when the history has no such call.
        ValueError: when nobody has decided, or when the call was started: the SDK would run it again.

    Complexity: linear in the history.
    """
    record = record_of(history, id)
    denied = is_denied(record)
    if denied is None:
        raise undecided_error([record])
    if not denied:
        return {"behavior": "allow"}
    return {"behavior": "deny", "message": record.detail or history.policy.denied_text}


_OF_MESSAGE: Final = ("content", "model", "usage", "stop_reason")


def _marked(message: Message, ids: set[object]) -> Message:
    if not any(block.tool_use_id in ids and not block.is_stub for block in message.results):
        return message
    return with_content(
        message,
        tuple(_denied(block, ids) if isinstance(block, ToolResultBlock) else block for block in message.content),
    )


def _denied(result: ToolResultBlock, ids: set[object]) -> ToolResultBlock:
    if result.tool_use_id not in ids or result.is_stub:
        return result
    known = denial_of_text(result.text, is_error=True)
    return with_meta(result, mark=Mark(kind="stub", reason="denied", detail=result.text if known is None else known))


def _plain(value: object) -> dict[str, Any]:
    """Return a message or a block of the SDK as a dict; it says by its class what it is."""
    if isinstance(value, Mapping):
        return dict(value)
    name = type(value).__name__
    fields = (
        {key: field for key, field in vars(value).items() if field is not None} if hasattr(value, "__dict__") else {}
    )
    if isinstance(fields.get("content"), list):
        fields["content"] = [_plain(block) for block in fields["content"]]
    kind = _ROLES.get(name) or _BLOCKS.get(name)
    return {"type": kind, **fields} if kind is not None else fields
