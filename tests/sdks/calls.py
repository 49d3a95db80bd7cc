"""Every call of every SDK that takes a list of messages; never run, only checked by mypy and by pyright."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

from message_history import MessageHistory
from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses, Portable

if TYPE_CHECKING:
    from anthropic import Anthropic as AnthropicSDK
    from anthropic import AsyncAnthropic
    from google.genai import Client
    from mistralai.client import Mistral as MistralSDK
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from openai import AsyncOpenAI, OpenAI

HISTORY = MessageHistory()
assert_type(HISTORY, MessageHistory)  # else pyright lets every use of a history pass


def anthropic(sdk: AnthropicSDK) -> None:
    sdk.messages.create(model="m", max_tokens=1, messages=HISTORY.for_send())
    sdk.messages.create(model="m", max_tokens=1, messages=HISTORY.for_send(Anthropic()))
    sdk.messages.create(model="m", max_tokens=1, messages=HISTORY.for_send(), stream=True)
    sdk.messages.count_tokens(model="m", messages=HISTORY.for_send())
    with sdk.messages.stream(model="m", max_tokens=1, messages=HISTORY.for_send(Anthropic.for_model("m"))):
        pass


def openai(sdk: OpenAI) -> None:
    sdk.chat.completions.create(model="m", messages=HISTORY.for_send(OpenAIChat()))
    sdk.chat.completions.create(model="m", messages=HISTORY.for_send(OpenAIChat.for_model("m")), stream=True)
    sdk.chat.completions.create(model="m", messages=HISTORY.for_send(Portable()))
    sdk.responses.create(model="m", input=HISTORY.for_send(OpenAIResponses()))
    sdk.responses.create(model="m", input=HISTORY.for_send(OpenAIResponses.for_model("m")), stream=True)


async def asynchronous(sdk: AsyncAnthropic, other: AsyncOpenAI) -> None:
    await sdk.messages.create(model="m", max_tokens=1, messages=HISTORY.for_send())
    await other.chat.completions.create(model="m", messages=HISTORY.for_send(OpenAIChat()))
    await other.responses.create(model="m", input=HISTORY.for_send(OpenAIResponses()))


async def gemini(sdk: Client) -> None:
    sdk.models.generate_content(model="m", contents=HISTORY.for_send(Gemini()))
    sdk.models.generate_content_stream(model="m", contents=HISTORY.for_send(Gemini.for_model("m")))
    sdk.models.count_tokens(model="m", contents=HISTORY.for_send(Gemini()))
    await sdk.aio.models.generate_content(model="m", contents=HISTORY.for_send(Gemini()))


async def mistral(sdk: MistralSDK) -> None:
    sdk.chat.complete(model="m", messages=HISTORY.for_send(Mistral()))
    sdk.chat.stream(model="m", messages=HISTORY.for_send(Mistral.for_model("m")))
    await sdk.chat.complete_async(model="m", messages=HISTORY.for_send(Mistral()))


def bedrock(sdk: BedrockRuntimeClient) -> None:
    sdk.converse(modelId="m", messages=HISTORY.for_send(Bedrock()))
    sdk.converse_stream(modelId="m", messages=HISTORY.for_send(Bedrock.for_model("m")))
