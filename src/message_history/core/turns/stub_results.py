"""Stubs: the results that this library makes for calls that have none, and how they are recognised in lists."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.messages.blocks import TextBlock, ToolResultBlock, ToolUseBlock, tool_result_block, with_meta
from message_history.core.messages.denials import OPENINGS, denial_of_text
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.values.meta import Decision, Mark, Meta

if TYPE_CHECKING:
    from message_history.core.messages.message import Message
    from message_history.core.messages.policy import Policy


def make_stub(
    call: ToolUseBlock,
    policy: Policy,
    reason: str = "not_recorded",
    detail: str = "",
    key: str = "",
    *,
    decisions: tuple[Decision, ...] = (),
) -> ToolResultBlock:
    """Make the result of a call that has none.

    A call whose provider asks for approval waits for it, if no other `reason` is known. `detail` is the reason that a
    person gave for denying the call, `key` its idempotency key. The stub is an error, unless the call may still run.
    """
    if call.approval and reason in ("not_recorded", "proposed"):
        reason = "pending"
    made = _stub_parts if detail or key or decisions else _usual_stub_parts
    content, meta = made(policy.stub_content(reason, detail), reason, detail, key, decisions)
    return tool_result_block(call.id, content, is_error=reason not in NO_ERROR, meta=meta)


def _stub_parts(
    text: str, reason: str, detail: str, key: str, decisions: tuple[Decision, ...]
) -> tuple[tuple[TextBlock], Meta]:
    """Make the content and the mark of a stub."""
    return (TextBlock(text),), Meta(mark=Mark(kind="stub", reason=reason, detail=detail, key=key, decisions=decisions))


_usual_stub_parts: Final = lru_cache(maxsize=32)(_stub_parts)
"""Gives all stubs that say no more than their reason the same content and mark."""


def after_decisions(result: ToolResultBlock, before: Mark | None, call: ToolUseBlock) -> ToolResultBlock:
    """Return a result, or a stub, of a call with what was recorded of it before."""
    earlier = before.recorded() if before is not None else ()
    if before is None or not earlier:
        return result if result.mark is None else _with_note(result, result.mark)
    mark = result.mark if result.mark is not None else Mark(kind="decided", key=before.key)
    later = mark.recorded()
    # What a stub says last is new, though it may have been so before.
    new = (each for each in later if each not in earlier or (result.is_stub and each is later[-1]))
    decisions = later if later[: len(earlier)] == earlier else (*earlier, *new)
    if not result.is_stub:
        decisions = decisions if any(map(says_more, decisions)) else ()
        if call.approval and before.reason in ("approved", "started"):
            mark = Mark(kind="approval", reason="approved", key=before.key)
        elif not decisions:
            return result
    mark = evolve(mark, decisions=decisions)
    return _with_note(with_meta(result, mark=mark), mark)


def says_more(decision: Decision) -> bool:
    """Return whether a decision says more than a state."""
    return decision != Decision(state=decision.state)


def _with_note(result: ToolResultBlock, mark: Mark) -> ToolResultBlock:
    """Return a result that tells the model of edited arguments, and of nothing else that was recorded."""
    last = result.content[-1].mark if result.content else None
    if not any(decision.input is not None for decision in mark.decisions) or (last and last.kind == "edited"):
        return result
    return evolve(result, content=(*result.content, TextBlock(EDITED, meta=Meta(mark=Mark(kind="edited")))))


EDITED: Final = "[A person edited the arguments of this call.]"
NO_ERROR: Final = frozenset({"proposed", "pending", "approved"})
"""The reasons of stubs that are not errors: the call may still run."""


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
    """Return a result, marked as a stub if its whole text is a stub's or another program's denial."""
    text = _only_text(block)
    found = policy.reason_of_text(text) if text is not None else None
    return known_denial(block) if found is None else _marked(block, *found)


def known_denial(block: ToolResultBlock) -> ToolResultBlock:
    """Return a result, marked as denied when its whole text is one in which a program says that its call was."""
    text = _only_text(block)
    if text is None or not (block.is_error or text.startswith(OPENINGS)):
        return block
    denial = denial_of_text(text, is_error=block.is_error)
    return block if denial is None else _marked(block, "denied", denial)


def _only_text(block: ToolResultBlock) -> str | None:
    if block.is_stub or len(block.content) != 1 or not isinstance(block.content[0], TextBlock):
        return None
    return block.content[0].text


def _marked(block: ToolResultBlock, reason: str, detail: str) -> ToolResultBlock:
    return with_meta(block, mark=Mark(kind="stub", reason=reason, detail=detail))
