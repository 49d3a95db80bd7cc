"""Stubs: the results that this library makes for calls that have none, and how they are recognised in lists."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.messages.blocks import TextBlock, ToolResultBlock, ToolUseBlock, tool_result_block, with_meta
from message_history.core.messages.denials import OPENINGS, denial_of_text
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.values.meta import Mark, Meta

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.policy import Policy


def make_stub(
    call: ToolUseBlock, policy: Policy, reason: str = "not_recorded", detail: str = "", key: str = ""
) -> ToolResultBlock:
    """Make the result of a call that has none.

    A call whose provider asks for approval waits for it, if no other `reason` is known. `detail` is the reason that a
    person gave for denying the call, `key` its idempotency key. The stub is an error, unless the call may still run.
    """
    if call.approval and reason in ("not_recorded", "proposed"):
        reason = "pending"
    made = _stub_parts if detail or key else _usual_stub_parts
    content, meta = made(policy.stub_content(reason, detail), reason, detail, key)
    return tool_result_block(call.id, content, is_error=reason not in NO_ERROR, meta=meta)


def _stub_parts(text: str, reason: str, detail: str, key: str) -> tuple[tuple[TextBlock], Meta]:
    """Make the content and the mark of a stub."""
    return (TextBlock(text),), Meta(mark=Mark(kind="stub", reason=reason, detail=detail, key=key))


_usual_stub_parts: Final = lru_cache(maxsize=32)(_stub_parts)
"""Gives all stubs that say no more than their reason the same content and mark."""


def approved_result(result: ToolResultBlock, standing: ToolResultBlock) -> ToolResultBlock:
    """Return the result of a call that asked for approval, marked if a person has approved it."""
    if result.is_stub or not standing.is_stub or reason_of(standing) not in ("approved", "started"):
        return result
    meta = result.meta if result.meta is not None else Meta()
    return evolve(result, meta=evolve(meta, mark=Mark(kind="approval", reason="approved")))


NO_ERROR: Final = frozenset({"proposed", "pending", "approved"})
"""The reasons of stubs that are no errors: the call may still run."""


def is_final(result: ToolResultBlock) -> bool:
    """Return whether a result is a real one, or a stub that says in which state its call is."""
    return not result.is_stub or reason_of(result) not in ("not_recorded", "interrupted")


def stub_repair(position: int, call: ToolUseBlock, stub: ToolResultBlock, source: int | None = None) -> Repair:
    detail = f"call {call.id!r:.80} of {call.name!r:.80}, {reason_of(stub)}"
    return Repair(code=RepairCode.RESULT_STUBBED, index=position, source=source, added=(stub,), detail=detail)


def reason_of(stub: ToolResultBlock) -> str:
    return stub.mark.reason if stub.mark is not None else ""


def hides_stub(message: Message, policy: Policy) -> bool:
    """Return whether a result of a message says what a stub of the policy says."""
    return any(isinstance(block, ToolResultBlock) and known_stub(block, policy).is_stub for block in message.content)


def known_stub(block: ToolResultBlock, policy: Policy) -> ToolResultBlock:
    """Return a result, marked as a stub when its whole text is a stub's, whose mark was lost in a provider's format.

    So is the text in which another program says that the call was denied.
    """
    if block.is_stub or len(block.content) != 1 or not isinstance(block.content[0], TextBlock):
        return block
    text = block.content[0].text
    found = policy.reason_of_text(text)
    if found is None and (block.is_error or text in OPENINGS):
        denial = denial_of_text(text, is_error=block.is_error)
        found = ("denied", denial) if denial is not None else None
    if found is None:
        return block
    reason, detail = found
    return with_meta(block, mark=Mark(kind="stub", reason=reason, detail=detail))
