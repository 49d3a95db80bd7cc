"""OpenAI's supervised fine-tuning: Chat Completions with tools, and a weight on each assistant message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from message_history import ImageBlock, TextBlock
from message_history.core.values.json_values import thaw
from message_history_compile.errors import CannotCompileError
from message_history_compile.targets.base import Sample, Settings, Target, features_of

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history_compile.turns import Turn

ID_LIMIT: Final = 40
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    del settings
    ids: dict[str, str] = {}
    row: dict[str, Any] = {"messages": [_message(turn, ids) for turn in sample.turns]}
    return {**row, "tools": sample.tools} if sample.tools else row


def _message(turn: Turn, ids: dict[str, str]) -> dict[str, Any]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": _short(turn.call_id, ids), "content": turn.text}
    if turn.role == "assistant":
        message: dict[str, Any] = {"role": "assistant"}
        if turn.text:
            message["content"] = turn.text
        if turn.calls:
            message["tool_calls"] = chat_calls(turn, ids)
        return {**message, "weight": int(turn.train)}
    content: Any = [_part(part) for part in turn.parts] if turn.parts else turn.text
    return {"role": turn.role, "content": content}


def chat_calls(turn: Turn, ids: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Write the calls of a turn as Chat Completions has them, with arguments as text.

    `ids` are shorter ones for those that are too long, grown here; None to leave them. Raises `CannotCompileError` for
    a name that OpenAI refuses, where ids are shortened.
    """
    for call in turn.calls if ids is not None else ():
        if not _NAME.fullmatch(call.name):
            raise CannotCompileError("name", f"OpenAI refuses the tool name {call.name!r:.80}")
    return [
        {
            "id": _short(call.id, ids) if ids is not None else call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in turn.calls
    ]


def _short(id: str, ids: dict[str, str]) -> str:
    """Give an id that is too long a number; no id of the providers looks like that."""
    return id if len(id) <= ID_LIMIT else ids.setdefault(id, f"call_shortened_{len(ids)}")


def _part(part: Block) -> dict[str, Any]:
    if isinstance(part, TextBlock):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": image_url(part)}}


def image_url(block: Block) -> str:
    """Return the URL of an image; one that is there in bytes has them in the URL.

    Raises `CannotCompileError` when it is named by an id that only its provider knows.
    """
    source = thaw(block.source) if isinstance(block, ImageBlock) else {}
    if source.get("type") == "base64":
        return f"data:{source.get('media_type', 'image/png')};base64,{source.get('data', '')}"
    if isinstance(source.get("url"), str):
        return str(source["url"])
    raise CannotCompileError("media", "an image that only its provider can find")


OPENAI: Final = Target(
    name="openai_chat",
    title="OpenAI fine-tuning (also Azure, Together, Fireworks), with tools",
    row=_row,
    thinking=False,
    media=frozenset({"image in a user message"}),
    features=features_of(messages="list", tools="json"),
    source="OpenAI: API reference, the per-line training example of a chat model; cookbook: Chat_finetuning_data_prep",
)
