"""Which replies were truncated, and what such a reply had not finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ToolUseBlock
from message_history.core.messages.repairs import RepairCode
from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.typed_blocks import half_written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.parsed import Parsed

TRUNCATED: Final = frozenset(
    {
        "aborted",
        "content_filter",
        "content_filtered",
        "error",
        "guardrail_intervened",
        "interrupted",
        "length",
        "malformed_function_call",
        "malformed_model_output",
        "malformed_tool_use",
        "max_tokens",
        "model_context_window_exceeded",
        "model_length",
        "refusal",
        "safety",
    }
)
"""What the providers' stop reasons say, in lower case, when a reply ended before the model was done."""


def is_truncated(keys: Mapping[Any, Any]) -> bool:
    for key in ("stop_reason", "stopReason", "finish_reason", "finishReason", "done_reason"):
        reason = keys.get(key)
        if isinstance(reason, str) and reason.lower() in TRUNCATED:
            return True
    return False


def finished(
    blocks: list[Block], source: int, parsed: Parsed, own_call: Callable[[Block], Mapping[str, Any] | None]
) -> list[Block]:
    """Return what a reply that was truncated had finished.

    A call at its very end is given as half written, for whoever decides what becomes of it. A call of the provider's
    own tools cannot be sent back like that: one that ends the reply, or whose input is not an object, is taken out.
    `source` is the entry of the raw list that they came from; `parsed` gets notes of what was taken out. `own_call`
    gives the id, the name and the input of a call of the provider's own tools; None for another block.
    """
    kept: list[Block] = []
    for n, block in enumerate(blocks, 1):
        ends = n == len(blocks)
        call = own_call(block)
        if call is not None and (ends or as_mapping(call.get("input")) is None):
            detail = f"call {call.get('id')!r:.80} of {call.get('name')!r:.80}"
            parsed.note(RepairCode.INCOMPLETE_CALL_DROPPED, source, (block,), detail)
        else:
            kept.append(half_written(block) if ends and isinstance(block, ToolUseBlock) else block)
    return kept
