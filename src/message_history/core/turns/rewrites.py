"""Conversations rebuilt from another, which changes what was sent: without some calls, or with another prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from attrs import evolve

from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
from message_history.core.messages.message import is_bootstrap, with_content
from message_history.core.messages.repairs import RepairCode
from message_history.core.messages.replies import as_json
from message_history.core.turns.conversation import (
    branched,
    context_of,
    make_conversation,
    messages_of,
    open_turn_of,
    parts_of,
    past_of,
)
from message_history.core.turns.drafts import assistant_message
from message_history.core.turns.effects import say_again
from message_history.core.turns.ingest import Ingest
from message_history.core.turns.naming import with_own_keys
from message_history.core.turns.rules import behind_change, is_unanswered
from message_history.core.values.json_values import freeze
from message_history.core.values.log import Log

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Repair
    from message_history.core.messages.replies import ReplyInfo
    from message_history.core.turns.calls import CallRecord
    from message_history.core.turns.conversation import Context, Conversation
    from message_history.core.values.json_values import Frozen

_Pruned: TypeAlias = "tuple[Message | None, Message | None, list[Block]]"
"""Both messages of a turn without its unanswered calls, and what was removed."""
TRIMMED: Final = "[This result was left out to save space.]"
"""The text that `trim_results` puts in the place of an old result."""


def folded(
    context: Context, messages: Iterable[Message], repairs: Iterable[Repair], added: Iterable[Repair] = ()
) -> Ingest:
    """Add messages to an empty conversation with a context; `repairs` were recorded before, `added` are new."""
    ingest = Ingest(evolve(context, repairs=Log(repairs)))
    ingest.record_all(added)
    for message in messages:
        ingest.add(message, None, keep_thinking=True)
    return ingest


def with_system(conversation: Conversation, system: tuple[SystemBlock, ...]) -> Conversation:
    """Give a conversation another system prompt; thinking after it is invalidated."""
    past, (assistant, user), context = parts_of(conversation)
    if any(behind_change(message) is not message for message in messages_of(conversation)):
        past = Log((behind_change(first) if first is not None else None, second) for first, second in past)
        standing = assistant_message(assistant)
        assistant = behind_change(standing) if standing is not None else None
    return make_conversation(past, (assistant, user), evolve(context, system=system))


def without_unanswered(conversation: Conversation) -> Conversation:
    """Remove the calls that have no real result, with their stubs; see `MessageHistory.without_unanswered`."""
    from message_history.core.turns.calls import find_calls  # noqa: PLC0415 - few histories are rewritten

    turns = [*past_of(conversation), open_turn_of(conversation)]
    calls: list[list[CallRecord]] = [[] for _ in turns]
    for each in find_calls(conversation):
        calls[(each.position + 1) // 2].append(each)
    ingest = Ingest(context_of(conversation))
    pruned = [_without_unanswered_calls(turn[0], turn[1], each) for turn, each in zip(turns, calls, strict=True)]
    placeholder: tuple[Block, ...] = ()
    for n, (assistant, user, removed) in enumerate(pruned):
        if removed:
            gone = assistant.replies if assistant is not None and not assistant.content else ()
            ids = ", ".join(f"{block.id!r:.80}" for block in removed if isinstance(block, ToolUseBlock))
            ingest.record(
                RepairCode.UNANSWERED_CALL_REMOVED, None, (*placeholder, *removed, *_replies_in(gone)), f"call {ids}"
            )
        # As in `without_refusals`, but it stays where it still leads a message of the assistant.
        drops = is_bootstrap(user) and n + 1 < len(pruned) and _next_role(pruned, n + 1) != "assistant"
        placeholder = user.content if user is not None and drops else ()
        for message in (assistant, None if placeholder else user):
            if message is not None and message.content:
                ingest.add(
                    with_own_keys(message, [each.call for each in calls[n]]) if ingest.changed else message, None
                )
    return branched(ingest.finish(allowed=len(ingest.repairs))) if ingest.changed else conversation


def _next_role(turns: Sequence[_Pruned], start: int) -> str | None:
    """Return whose message comes first from a turn on, where turns may be empty; None if all are."""
    messages = (message for n in range(start, len(turns)) for message in turns[n][:2])
    return next((message.role for message in messages if message is not None and message.content), None)


def _without_unanswered_calls(assistant: Message | None, user: Message | None, calls: Sequence[CallRecord]) -> _Pruned:
    """Return both messages of a turn without its unanswered calls, and what was removed: each call with its stub."""
    gone = {each.call.id: each.call for each in calls if is_unanswered(each.call, each.state)}
    if assistant is None or not gone:
        return assistant, user, []
    stubs: dict[str, Block] = {}
    if user is not None:
        stubs = {block.tool_use_id: block for block in user.results if block.tool_use_id in gone}
        kept = (each for each in user.content if not (isinstance(each, ToolResultBlock) and each.tool_use_id in gone))
        user = with_content(user, tuple(kept))
    calling = (block for block in assistant.content if not (isinstance(block, ToolUseBlock) and block.id in gone))
    removed = [block for id, call in gone.items() for block in (call, stubs.get(id)) if block is not None]
    return with_content(assistant, tuple(calling)), user, removed


def _replies_in(replies: Iterable[ReplyInfo]) -> Iterable[Frozen]:
    """Return what was said of replies that are removed: their tokens are paid for."""
    return (freeze(as_json(reply))[0] for reply in replies if reply.usage is not None)


def without_refusals(conversation: Conversation, *, keep_prompts: bool) -> Conversation:
    """Remove the replies in which the model refused, with the results of their calls and with what they answered.

    With `keep_prompts`, the content of the user message before stays, but for results. The repairs hold what was
    removed; the conversation is the same one if no reply is a refusal.
    """
    messages = list(messages_of(conversation))
    refused = [n for n, message in enumerate(messages) if message.role == "assistant" and message.refusal is not None]
    if not refused:
        return conversation
    from message_history.core.turns.calls import find_calls  # noqa: PLC0415 - as above

    ingest = Ingest(context_of(conversation))
    kept: list[tuple[Block, ...]] = [message.content for message in messages]
    for n in refused:
        answered = tuple(block for block in kept[n - 1] if isinstance(block, ToolResultBlock))
        # A placeholder before the reply is nobody's prompt: alone it would be sent once, and left out after a reply.
        keeps = keep_prompts and not is_bootstrap(messages[n - 1])
        prompt = () if keeps else kept[n - 1][len(answered) :]
        results = messages[n + 1].results if n + 1 < len(messages) else ()
        detail = f"message {n}: {messages[n].refusal!r:.120}"
        removed = (*prompt, *kept[n], *results, *_replies_in(messages[n].replies))
        ingest.record(RepairCode.REFUSAL_REMOVED, None, removed, detail, index=n)
        kept[n] = ()
        if prompt:
            kept[n - 1] = answered
        if results:
            kept[n + 1] = kept[n + 1][len(results) :]
    calls = find_calls(conversation)
    for n, (message, content) in enumerate(zip(messages, kept, strict=True)):
        if content:
            left = message if content == message.content else with_content(message, content)
            ingest.add(
                with_own_keys(left, [each.call for each in calls.where(turn=n)]) if n > refused[0] else left, None
            )
    for message, content in zip(messages, kept, strict=True):
        if content != message.content and message.role == "user":
            # Of a prompt its results are kept, which come first; else they are what is removed.
            end = len(content) if message.content[: len(content)] == content else 0
            gone = message.content[end : len(message.content) - len(content) + end]
            say_again(ingest, gone, context_of(conversation).policy)
    return branched(ingest.finish(allowed=len(ingest.repairs)))
