"""Fine-tuning of Claude and of Bedrock's models: three forms, with and without tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, TextBlock
from message_history.core.values.json_values import thaw
from message_history_compile.errors import CannotCompileError
from message_history_compile.targets.base import Sample, Settings, Target, features_of
from message_history_compile.targets.forms import system_in_user

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from message_history.core.messages.block_base import Block
    from message_history_compile.turns import Turn


def _claude_row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    messages = []
    for turn in system_in_user(sample):
        if turn.calls or turn.role == "tool":
            raise CannotCompileError("calls", "fine-tuning of Claude 3 Haiku has no form for calls; --to bedrock has")
        messages.append({"role": turn.role, "content": turn.text})
    return {"system": sample.system, "messages": messages} if sample.system else {"messages": messages}


def _bedrock_row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    row: dict[str, Any] = {"schemaVersion": "bedrock-conversation-2024"}
    if sample.system:
        row["system"] = [{"text": sample.system}]
    row["messages"] = _grouped(system_in_user(sample), _bedrock_blocks)
    if sample.tools:
        row["toolConfig"] = {"tools": [{"toolSpec": _spec(tool["function"])} for tool in sample.tools]}
    return row


def _spec(function: dict[str, Any]) -> dict[str, Any]:
    spec = {"name": function["name"], "inputSchema": {"json": function["parameters"]}}
    return {**spec, "description": function["description"]} if function["description"] else spec


def _anthropic_row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    row: dict[str, Any] = {"system": sample.system} if sample.system else {}
    row["messages"] = _grouped(system_in_user(sample), _anthropic_blocks)
    if sample.tools:
        row["tools"] = [
            {
                "name": tool["function"]["name"],
                "description": tool["function"]["description"],
                "input_schema": tool["function"]["parameters"],
            }
            for tool in sample.tools
        ]
    return row


def _grouped(turns: Iterable[Turn], blocks_of: Callable[[Turn], list[Any]]) -> list[dict[str, Any]]:
    """Write results and the user text after them as one user message."""
    messages: list[dict[str, Any]] = []
    for turn in turns:
        role = "assistant" if turn.role == "assistant" else "user"
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks_of(turn)
        else:
            messages.append({"role": role, "content": blocks_of(turn)})
    return messages


def _bedrock_blocks(turn: Turn) -> list[Any]:
    if turn.role == "tool":
        result = {"toolUseId": turn.call_id, "content": _bedrock_parts(turn) or [{"text": ""}]}
        return [{"toolResult": {**result, "status": "error"} if turn.is_error else result}]
    blocks: list[Any] = [{"reasoningContent": {"reasoningText": {"text": turn.reasoning}}}] if turn.reasoning else []
    blocks += _bedrock_parts(turn)
    return blocks + [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.input}} for call in turn.calls]


def _bedrock_parts(turn: Turn) -> list[Any]:
    if not turn.parts:
        return [{"text": turn.text}] if turn.text else []
    return [{"text": part.text} if isinstance(part, TextBlock) else {"image": _image(part)} for part in turn.parts]


def _image(part: Block) -> dict[str, Any]:
    source = thaw(part.source) if isinstance(part, ImageBlock) else {}
    if source.get("type") != "base64":
        raise CannotCompileError("media", "an image that is not there in bytes")
    return {"format": str(source.get("media_type")).rpartition("/")[2], "source": {"bytes": source.get("data")}}


def _anthropic_blocks(turn: Turn) -> list[Any]:
    if turn.role == "tool":
        content: Any = _anthropic_parts(turn) if turn.parts else turn.text
        result = {"type": "tool_result", "tool_use_id": turn.call_id, "content": content}
        return [{**result, "is_error": True} if turn.is_error else result]
    calls = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in turn.calls]
    return [*_anthropic_parts(turn), *calls]


def _anthropic_parts(turn: Turn) -> list[Any]:
    if not turn.parts:
        return [{"type": "text", "text": turn.text}] if turn.text else []
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, TextBlock)
        else {"type": "image", "source": thaw(part.source) if isinstance(part, ImageBlock) else {}}
        for part in turn.parts
    ]


BEDROCK_CLAUDE: Final = Target(
    name="bedrock-claude",
    title="Fine-tuning of Claude 3 Haiku on Bedrock: text only",
    row=_claude_row,
    masks=False,
    thinking=False,
    features=features_of(system="string", messages="list"),
    source="Amazon Bedrock user guide: preparing a data set for fine-tuning; anthropic-cookbook: finetuning_on_bedrock",
)
BEDROCK: Final = Target(
    name="bedrock",
    title="Fine-tuning on Bedrock in the form of Converse (`bedrock-conversation-2024`), with tools",
    row=_bedrock_row,
    masks=False,
    media=frozenset({"image in a user message"}),
    features=features_of(schemaVersion="string", system="json", messages="list", toolConfig="json"),
    source="Amazon Nova user guide: supervised fine-tuning on Amazon Nova 2.0, data preparation",
)
ANTHROPIC: Final = Target(
    name="anthropic",
    title="Rows in the form of the Messages API (`system`, `messages`, `tools`)",
    row=_anthropic_row,
    masks=False,
    thinking=False,
    media=frozenset({"image in a user message", "image in a result"}),
    features=features_of(system="string", messages="list", tools="json"),
    source="Anthropic: Messages API reference",
)
