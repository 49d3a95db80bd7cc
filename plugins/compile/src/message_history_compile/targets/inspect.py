"""Samples of inspect_ai: the conversation up to the last assistant message is the input, that message the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history import TextBlock
from message_history_compile.targets.base import Sample, Settings, Target, features_of
from message_history_compile.targets.openai import image_url

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history_compile.turns import Turn


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    target, _ = _target(sample)
    turns = sample.turns[:-1] if target else sample.turns
    return {"input": [_message(turn) for turn in turns], "target": target}


def _target(sample: Sample) -> tuple[str, str]:
    """Return the text and the thinking of a last message that a model is to be compared with."""
    last = sample.turns[-1]
    is_answer = last.train and not last.calls and not last.parts and len(sample.turns) > 1
    return (last.text, last.reasoning) if is_answer else ("", "")


def _message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": turn.role, "content": _content(turn)}
    if turn.role == "assistant" and not turn.train:
        message["train"] = False
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "function": call.name, "arguments": call.input, "type": "function"} for call in turn.calls
        ]
    if turn.role == "tool":
        message |= {"tool_call_id": turn.call_id, "function": turn.name}
        if turn.is_error:
            message["error"] = {"type": "unknown", "message": turn.text}
    return message


def _content(turn: Turn) -> Any:
    thinking = [{"type": "reasoning", "reasoning": turn.reasoning}] if turn.reasoning else []
    if turn.parts:
        return [*thinking, *map(_part, turn.parts)]
    return [*thinking, {"type": "text", "text": turn.text}] if thinking else turn.text


def _part(part: Block) -> dict[str, Any]:
    if isinstance(part, TextBlock):
        return {"type": "text", "text": part.text}
    return {"type": "image", "image": image_url(part)}


def _receipt(sample: Sample, receipt: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"tools": sample.tools, "target_reasoning": _target(sample)[1], "receipt": receipt}}


INSPECT: Final = Target(
    name="inspect",
    title="Samples of inspect_ai (`json_dataset`)",
    row=_row,
    receipt=_receipt,
    id_key="id",
    learns=False,
    features=features_of(id="string", input="list", target="string", metadata="json"),
    media=frozenset({"image in a user message", "image in a result"}),
    source="UKGovernmentBEIS/inspect_ai: dataset/_util.py, model/_chat_message.py (0.3.285)",
)
