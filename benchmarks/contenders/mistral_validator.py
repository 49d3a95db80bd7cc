"""mistral-common: reading and validating a chat request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import MistralRequestValidatorV5, ValidationMode

from benchmarks.broken_histories import as_chat
from benchmarks.contenders.base import Case, Contender

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["MistralValidator"]

VALIDATOR = MistralRequestValidatorV5(ValidationMode.serving)


def chat(raw: Raw) -> dict[str, Any]:
    """Write a list as a request, broken as it is, with ids of the nine characters that the API wants."""
    ids: dict[str, str] = {}
    messages = as_chat(raw)
    for message in messages:
        for call in message.get("tool_calls", ()):
            call["id"] = ids.setdefault(call["id"], f"{len(ids):09}")
        if "tool_call_id" in message:
            id = message["tool_call_id"]
            message["tool_call_id"] = ids.setdefault(id, f"{len(ids):09}")
    return {"model": "any", "messages": messages}


class MistralValidator(Contender):
    """mistral-common."""

    form = "chat"

    def ingest_json(self) -> Case:
        text = json.dumps(chat([*self.raw, self.turn[0]]))
        return Case(lambda: VALIDATOR.validate_request(ChatCompletionRequest.model_validate_json(text)))

    def ingest_dicts(self) -> Case:
        request = chat([*self.raw, self.turn[0]])
        return Case(lambda: VALIDATOR.validate_request(ChatCompletionRequest.model_validate(request)))

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        request = chat(raw)
        VALIDATOR.validate_request(ChatCompletionRequest.model_validate(request))
        wire: list[Any] = request["messages"]
        return wire
