"""pydantic-ai: its messages, their repair, and the mapping of its Anthropic model."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from benchmarks.broken_histories import text_of
from benchmarks.contenders.base import Case, Contender, folder, next_step, pickled

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from benchmarks.transcripts import Raw

__all__ = ["PydanticAgents"]

MODEL = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(api_key="none"))


def objects(raw: Raw) -> list[Any]:
    """Write a list as objects, broken as it is."""
    names: dict[str, str] = {}
    messages: list[Any] = []
    for message in raw:
        parts: list[Any] = []
        for block in message["content"]:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
                parts.append(ToolCallPart(block["name"], block["input"], block["id"]))
            elif block["type"] == "tool_result":
                id = block["tool_use_id"]
                parts.append(ToolReturnPart(names.get(id, "unknown_tool"), text_of(block), id))
            else:
                text = block["text"]
                parts.append(TextPart(text) if message["role"] == "assistant" else UserPromptPart(text))
        messages.append(ModelResponse(parts) if message["role"] == "assistant" else ModelRequest(parts))
    return messages


def mapped(messages: list[Any]) -> list[Any]:
    """Map messages as the model does before it sends them; nothing in that waits."""
    mapping: Coroutine[Any, Any, Any] = MODEL._map_message(messages, ModelRequestParameters(), {})
    try:
        mapping.send(None)
    except StopIteration as done:
        wire: list[Any] = done.value[1]
        return wire
    raise RuntimeError("the mapping waits for something")


class PydanticAgents(Contender):
    """pydantic-ai."""

    @cached_property
    def messages(self) -> list[Any]:
        """The transcript as objects."""
        return objects(self.raw)

    def ingest_json(self) -> Case:
        text = ModelMessagesTypeAdapter.dump_json(self.messages)
        return Case(lambda: ModelMessagesTypeAdapter.validate_json(text))

    def ingest_dicts(self) -> Case:
        dicts = ModelMessagesTypeAdapter.dump_python(self.messages, mode="json")
        return Case(lambda: ModelMessagesTypeAdapter.validate_python(dicts))

    def repair(self) -> Case:
        messages = objects(self.damaged)
        return Case(lambda: repair_messages(messages))

    def export(self) -> Case:
        messages = self.messages
        return Case(lambda: mapped(messages))

    def export_again(self) -> Case:
        messages, turn = self.messages, objects(self.turn)
        return Case(lambda: mapped(repair_messages([*messages, *turn])))

    def step(self) -> Case:
        """One step of an agent, which saves its messages as its documentation shows: all of them as JSON."""
        messages, numbers = list(self.messages), count()
        path = folder() / "session.json"

        def run() -> None:
            messages.extend(objects(list(next_step(next(numbers)))))
            json.dumps(mapped(repair_messages(messages)))
            path.write_bytes(ModelMessagesTypeAdapter.dump_json(messages))

        return Case(run)

    def pickle(self) -> Case:
        return pickled(self.messages)

    def memory(self) -> Case:
        text = ModelMessagesTypeAdapter.dump_json(self.messages)
        return Case(lambda: ModelMessagesTypeAdapter.validate_json(text), self.size)

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        return mapped(repair_messages(objects(raw)))
