"""The streams of `tests/replies/streams.py` as the objects of the SDKs, strictly: what no type names is refused."""

# ruff: noqa: PLC0415 - each SDK is imported when its own test asks, so that the others do without it

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

__all__ = ["SDKS", "as_event", "as_reply", "needs_sdk"]

SDKS = {
    "anthropic": "anthropic",
    "openai_chat": "openai",
    "openai_responses": "openai",
    "gemini": "google.genai",
    "mistral": "mistralai.client",
    "bedrock": "botocore",
}


def needs_sdk(dialect: str) -> None:
    """Skip a test when the SDK is not here."""
    top = SDKS[dialect].split(".")[0]
    if importlib.util.find_spec(top) is None or importlib.util.find_spec(SDKS[dialect]) is None:
        pytest.skip(f"{SDKS[dialect]} is not installed")


def _checked(kind: Any, data: Any) -> Any:
    """Read JSON as an SDK's type, and hold that the type names every key and value."""
    from pydantic import TypeAdapter

    found = TypeAdapter(kind).validate_python(data)
    unknown = _unnamed(found)
    assert unknown == [], unknown
    return found


def _unnamed(value: Any) -> list[str]:
    """Find what models took in although no field of theirs names it."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        extra = [f"{type(value).__name__}.{key}" for key in value.model_extra or ()]
        return extra + [each for key in type(value).model_fields for each in _unnamed(getattr(value, key))]
    return [each for item in value for each in _unnamed(item)] if isinstance(value, list) else []


def as_event(dialect: str, event: dict[str, Any]) -> Any:
    """Give an event as the SDK's client yields it."""
    if dialect == "anthropic":
        from anthropic.types import RawMessageStreamEvent

        # The client passes pings over.
        return event if event["type"] == "ping" else _checked(RawMessageStreamEvent, event)
    if dialect == "openai_chat":
        from openai.types.chat import ChatCompletionChunk

        found = ChatCompletionChunk.model_validate(event)
        assert [each for each in _unnamed(found) if each != "ChoiceDelta.reasoning_content"] == []
        return found
    if dialect == "openai_responses":
        from openai.types.responses import ResponseStreamEvent

        return _checked(ResponseStreamEvent, event)
    if dialect == "gemini":
        from google.genai.types import GenerateContentResponse

        return _checked(GenerateContentResponse, event)
    if dialect == "mistral":
        from mistralai.client.models import CompletionEvent

        return _checked(CompletionEvent, event)
    return _converse("ConverseStream", event)


def as_reply(dialect: str, response: dict[str, Any]) -> Any:
    """Give a response as the SDK's client returns it."""
    if dialect == "anthropic":
        from anthropic.types import Message

        return _checked(Message, response)
    if dialect == "openai_chat":
        from openai.types.chat import ChatCompletion

        found = ChatCompletion.model_validate(response)
        assert [each for each in _unnamed(found) if each != "ChatCompletionMessage.reasoning_content"] == []
        return found
    if dialect == "openai_responses":
        from openai.types.responses import Response

        return _checked(Response, response)
    if dialect == "gemini":
        from google.genai.types import GenerateContentResponse

        return _checked(GenerateContentResponse, response)
    if dialect == "mistral":
        from mistralai.client.models import ChatCompletionResponse

        return _checked(ChatCompletionResponse, response)
    return _converse("Converse", response)


def _converse(operation: str, data: dict[str, Any]) -> dict[str, Any]:
    """Hold that botocore's model of Converse names every key, and give the data: botocore has no objects."""
    from botocore.session import get_session
    from botocore.validate import ParamValidator

    shape: Any = get_session().get_service_model("bedrock-runtime").operation_model(operation).output_shape
    inner = shape.members["stream"] if operation == "ConverseStream" else shape
    report = ParamValidator().validate(data, inner)
    assert not report.has_errors(), report.generate_report()
    return data
