"""Plain Parquet: one schema for all rows; what is not uniform is JSON text, and nothing is omitted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, ProviderBlock, TextBlock
from message_history.core.values.json_values import thaw
from message_history_compile.targets.base import Sample, Settings, Target
from message_history_compile.targets.trl import receipt_as_text

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history_compile.turns import Turn


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    tools = json.dumps(sample.tools, ensure_ascii=False) if sample.tools else None
    return {"messages": [_message(turn) for turn in sample.turns], "tools": tools}


def _message(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": turn.text,
        "reasoning": turn.reasoning or None,
        "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.calls],
        "tool_call_id": turn.call_id or None,
        "name": turn.name or None,
        "is_error": turn.is_error,
        "parts": json.dumps([_part(part) for part in turn.parts], ensure_ascii=False) if turn.parts else None,
        "train": turn.train,
        "synthetic": turn.synthetic,
    }


def _part(part: Block) -> dict[str, Any]:
    if isinstance(part, TextBlock):
        return {"type": "text", "text": part.text}
    if isinstance(part, ProviderBlock):
        return {"type": "provider", "dialect": part.dialect, "data": thaw(part.data)}
    kind = "image" if isinstance(part, ImageBlock) else "document"
    source = getattr(part, "source", None)
    return {"type": kind, "source": thaw(source) if source is not None else repr(part)}


PARQUET: Final = Target(
    name="parquet",
    title="Parquet with one schema, for data pipelines",
    row=_row,
    receipt=receipt_as_text,
    id_key="id",
    learns=False,
    tells=True,
    media=frozenset({"*"}),
    arrow=True,
    source="docs/how-to/compile.md",
)
