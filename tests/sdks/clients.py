# ruff: noqa: PLC0415 - each SDK is imported when its own test asks, so that the others do without it
"""The SDKs as clients of the strict server: each asks for one reply, or for a stream of events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from message_history import dialects
from tests.sdks.events import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from message_history import MessageHistory
    from message_history.dialects import Dialect
    from message_history_testing import StrictServer

__all__ = ["CLIENTS", "Client", "connected"]

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}


class Client(ABC):
    """One SDK, and the model that is asked."""

    models: ClassVar[tuple[str, ...]]
    kind: ClassVar[Any]
    model: str
    dialect: Dialect[Any]
    sdk: Any

    def use(self, model: str) -> None:
        """Ask this model from now on."""
        self.model = model
        self.dialect = self.kind.for_model(model)

    @abstractmethod
    def ask(self, sent: MessageHistory) -> Any:
        """Send a history, and give the reply as the SDK gives it."""

    @abstractmethod
    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        """Send a history, and give the events of the reply as the SDK gives them."""

    def close(self) -> None:
        """Close the connections."""
        self.sdk.close()


class AnthropicClient(Client):
    models = ("claude-opus-4-6", "claude-unheard-of-9")
    kind = dialects.Anthropic

    def __init__(self, server: StrictServer) -> None:
        import anthropic

        self.sdk = anthropic.Anthropic(api_key="none", base_url=f"{server.url}/anthropic", max_retries=0)

    def options(self, sent: MessageHistory) -> dict[str, Any]:
        system = sent.export(self.dialect).system
        tools = [{"name": name, "input_schema": SCHEMA} for name in ("weather", "now")]
        raw = {} if system is None else {"system": system}
        return {
            "model": self.model,
            "max_tokens": 100,
            "messages": sent.for_send(self.dialect),
            "tools": tools,
            **raw,
        }

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.messages.create(**self.options(sent))

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.messages.create(**self.options(sent), stream=True) as events:
            yield from events


class HelperClient(AnthropicClient):
    """The SDK's own helper for streams, whose events say more."""

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.messages.stream(**self.options(sent)) as events:
            yield from events


class OpenAIChatClient(Client):
    models = ("gpt-4.1", "gpt-5")
    kind = dialects.OpenAIChat

    def __init__(self, server: StrictServer) -> None:
        import openai

        self.sdk = openai.OpenAI(api_key="none", base_url=f"{server.url}/openai/v1", max_retries=0)

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.chat.completions.create(model=self.model, messages=sent.for_send(self.dialect))

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.chat.completions.create(
            model=self.model, messages=sent.for_send(self.dialect), stream=True
        ) as events:
            yield from events


class OpenAIChatHelper(OpenAIChatClient):
    """The SDK's own helper for streams, whose events wrap the chunks."""

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.chat.completions.stream(model=self.model, messages=sent.for_send(self.dialect)) as events:
            yield from events


class OpenAIResponsesClient(Client):
    models = ("gpt-5", "unheard-of")
    kind = dialects.OpenAIResponses

    def __init__(self, server: StrictServer) -> None:
        import openai

        self.sdk = openai.OpenAI(api_key="none", base_url=f"{server.url}/openai/v1", max_retries=0)

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.responses.create(model=self.model, input=sent.for_send(self.dialect), store=False)

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.responses.create(
            model=self.model, input=sent.for_send(self.dialect), store=False, stream=True
        ) as events:
            yield from events


class OpenAIResponsesHelper(OpenAIResponsesClient):
    """The SDK's own helper for streams, whose events say more."""

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.responses.stream(model=self.model, input=sent.for_send(self.dialect), store=False) as events:
            yield from events


class GeminiClient(Client):
    models = ("gemini-3-pro-preview", "gemini-2.5-pro", "unheard-of")
    kind = dialects.Gemini

    def __init__(self, server: StrictServer) -> None:
        from google import genai
        from google.genai import types

        self.types = types
        self.sdk = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=f"{server.url}/gemini"))

    def options(self, sent: MessageHistory) -> dict[str, Any]:
        config = self.types.GenerateContentConfig(system_instruction=sent.export(self.dialect).system)
        return {"model": self.model, "contents": sent.for_send(self.dialect), "config": config}

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.models.generate_content(**self.options(sent))

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        yield from self.sdk.models.generate_content_stream(**self.options(sent))


class MistralClient(Client):
    models = ("mistral-large-latest", "magistral-medium-latest", "unheard-of")
    kind = dialects.Mistral

    def __init__(self, server: StrictServer) -> None:
        from mistralai.client import Mistral

        self.sdk = Mistral(api_key="none", server_url=f"{server.url}/mistral")

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.chat.complete(model=self.model, messages=sent.for_send(self.dialect))

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with self.sdk.chat.stream(model=self.model, messages=sent.for_send(self.dialect)) as events:
            yield from events

    def close(self) -> None:
        self.sdk.__exit__(None, None, None)


class BedrockClient(Client):
    models = ("us.anthropic.claude-opus-4-6-v1", "amazon.nova-pro-v1:0", "unheard-of")
    kind = dialects.Bedrock

    def __init__(self, server: StrictServer) -> None:
        import boto3
        from botocore.config import Config

        self.sdk = boto3.client(
            "bedrock-runtime",
            endpoint_url=f"{server.url}/bedrock",
            region_name="us-east-1",
            aws_access_key_id="none",
            aws_secret_access_key="none",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def options(self, sent: MessageHistory) -> dict[str, Any]:
        tools = [{"toolSpec": {"name": name, "inputSchema": {"json": SCHEMA}}} for name in ("weather", "now")]
        system = sent.export(self.dialect).system
        raw = {} if system is None else {"system": system}
        messages = sent.for_send(self.dialect)
        return {"modelId": self.model, "messages": messages, "toolConfig": {"tools": tools}, **raw}

    def ask(self, sent: MessageHistory) -> Any:
        return self.sdk.converse(**self.options(sent))

    def stream(self, sent: MessageHistory) -> Generator[Any, None, None]:
        with closing(self.sdk.converse_stream(**self.options(sent))["stream"]) as events:
            yield from events


_KINDS: dict[str, tuple[str, type[Any]]] = {
    "anthropic": ("anthropic", AnthropicClient),
    "anthropic_helper": ("anthropic", HelperClient),
    "openai_chat": ("openai_chat", OpenAIChatClient),
    "openai_chat_helper": ("openai_chat", OpenAIChatHelper),
    "openai_responses": ("openai_responses", OpenAIResponsesClient),
    "openai_responses_helper": ("openai_responses", OpenAIResponsesHelper),
    "gemini": ("gemini", GeminiClient),
    "mistral": ("mistral", MistralClient),
    "bedrock": ("bedrock", BedrockClient),
}
CLIENTS = tuple(_KINDS)


@contextmanager
def connected(name: str, server: StrictServer) -> Iterator[Client]:
    """Make a client; the test is skipped when its SDK is not here."""
    dialect, kind = _KINDS[name]
    needs_sdk(dialect)
    client: Client = kind(server)
    client.use(client.models[0])
    try:
        yield client
    finally:
        client.close()
