"""Conversational data sets of TRL and Hugging Face: messages and tools, and a card with one schema to load them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history_compile.targets.base import Sample, Settings, Target, features_of
from message_history_compile.targets.forms import system_in_user

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_compile.turns import Turn


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    system = [sample.turns[0]] if sample.system else []
    messages = chat_messages([*system, *system_in_user(sample)])
    return {"messages": messages, "tools": sample.tools or None}


def chat_messages(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Write turns as chat templates take them: arguments are objects, and a key is there when it has a value."""
    messages: list[dict[str, Any]] = []
    for turn in turns:
        message: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.reasoning:
            message["reasoning_content"] = turn.reasoning
        if turn.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.input}}
                for call in turn.calls
            ]
        if turn.role == "tool":
            message["tool_call_id"] = turn.call_id
            message["name"] = turn.name
        message["train"] = turn.train
        if turn.synthetic:
            message["synthetic"] = True
        messages.append(message)
    return messages


def receipt_as_text(sample: Sample, receipt: dict[str, Any]) -> dict[str, Any]:
    """Return a receipt as JSON text, which is of one type however receipts differ."""
    del sample
    return {"receipt": json.dumps(receipt, ensure_ascii=False)}


def _receipt(sample: Sample, receipt: dict[str, Any]) -> dict[str, Any]:
    del sample
    return {"receipt": receipt}


TRL: Final = Target(
    name="trl",
    title="TRL and Hugging Face: conversational rows with tools and tool calls",
    row=_row,
    receipt=_receipt,
    id_key="id",
    masks=False,
    features=features_of(id="string", messages="list", tools="json", receipt="json"),
    source="huggingface/trl: docs/source/dataset_formats.md, trl/trainer/sft_trainer.py (1.16); datasets 5.2: Json",
)
