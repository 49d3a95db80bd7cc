"""Every block, item and part that the providers' SDKs have a type for goes through its own dialect unchanged."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pytest

from message_history import MessageHistory, check
from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.dialects.anthropic.schema import SERVER_TOOLS

pytest.importorskip("anthropic")
pytest.importorskip("botocore")
pytest.importorskip("google.genai")
pytest.importorskip("mistralai")
pytest.importorskip("openai")

from anthropic.types.beta.beta_assistant_message_param import BetaAssistantMessageParam
from google.genai.types import Part
from mistralai.client import models
from openai.types.chat.chat_completion_message_param import ChatCompletionMessageParam
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from typing_extensions import get_type_hints

from tests.oracles.instances import PIXEL, bare, of_model, of_shape, of_type, shapes_of_converse, walk, with_media

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.dialects.base import Dialect

Case = tuple[str, list[Any]]

EXCEPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "anthropic/tool_result AN-C12": "AN-C12: an error result without content was refused.",
        "anthropic/tool_(use|result) .*(AN-C17|toolset_name)": "AN-C17: a result names the toolset of its call.",
        "gemini/functionCall .*(GM-G25|partialArgs)": "GM-G25: the SDK itself refuses it for the Developer API.",
        "gemini/functionResponse .*(functionResponse.parts|response.output)": "GM-G24: refused before Gemini 3.",
        "bedrock/document .*source.(text|content.text)": "BR-B28: bytes are demanded (maximhq/bifrost#7072).",
        "bedrock/toolResult .*content.(document|video|searchResult)": "BR-B16: Nova 2 refused them in a result.",
        "openai_responses/reasoning .*(content|status|OR-17)": "OR-17: OpenAI's reasoning holds no status.",
    }
)
"""What does not pass, by a pattern for its name and keys, and the refusal on record."""


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **keys}


def of_anthropic() -> Iterator[Case]:
    by_result = {kind: name for name, kind in SERVER_TOOLS.items()}
    held = get_type_hints(BetaAssistantMessageParam, include_extras=True)["content"]
    blocks = next(one for one in bare(held) if one is not str)
    text = {"type": "text", "text": "so"}
    for kind in {id(one): one for one in bare(blocks.__args__[0])}.values():
        if not hasattr(kind, "__required_keys__"):
            continue
        for block in of_type(kind):
            tag = block["type"]
            yield tag, _of_anthropic(tag, block, by_result, text)


def _of_anthropic(tag: str, block: Any, by_result: Mapping[str, str], text: Any) -> list[Any]:
    q = user("q")
    if tag == "tool_use":
        return [q, assistant([{**block, "id": "toolu_1"}]), user([{**_result(block), "tool_use_id": "toolu_1"}])]
    if tag == "tool_result":
        call = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}}
        return [q, assistant([call]), user([{**block, "tool_use_id": "toolu_1"}])]
    if tag in by_result:
        call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": by_result[tag], "input": {"query": "words"}}
        return [q, assistant([call, {**block, "tool_use_id": "srvtoolu_1"}, text]), q]
    if tag == "server_tool_use":
        kind = next(result for result, name in by_result.items() if name == "web_fetch")
        name = "web_fetch"
        error = {"type": f"{kind}_error", "error_code": "unavailable"}
        called = {**block, "id": "srvtoolu_1", "name": name}
        return [q, assistant([called, {"type": kind, "tool_use_id": "srvtoolu_1", "content": error}, text]), q]
    if tag == "mcp_tool_use":
        result = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": [text]}
        return [q, assistant([{**block, "id": "mcptoolu_1"}, result, text]), q]
    if tag == "mcp_tool_result":
        call = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "lookup", "server_name": "srv", "input": {}}
        return [q, assistant([call, {**block, "tool_use_id": "mcptoolu_1"}, text]), q]
    if tag in ("tool_addition", "tool_removal"):
        return [q, assistant([text]), q, {"role": "system", "content": [block]}]
    if tag in ("text", "image", "document", "search_result", "container_upload"):
        return [user([{"type": "text", "text": "look"}, block])]
    return [q, assistant([block, text]), q]


def _result(call: Mapping[str, Any]) -> dict[str, Any]:
    toolset = {"toolset_name": call["toolset_name"]} if "toolset_name" in call else {}
    return {"type": "tool_result", "content": [{"type": "text", "text": "r"}], **toolset}


def of_gemini() -> Iterator[Case]:
    fields = {field.alias or name: field for name, field in Part.model_fields.items()}
    of_media = {"videoMetadata", "mediaResolution", "mediaProcessing", "audioMetadata", "documentMetadata"}
    for name, field in fields.items():
        for value in of_type(field.annotation, name, 1):
            part: dict[str, Any] = {name: value}
            q = {"role": "user", "parts": [{"text": "q"}]}
            if name == "functionCall":
                part = {name: {**value, "name": "lookup"}}
                response = {"functionResponse": {"name": "lookup", "response": {"output": "r"}, **_id(value)}}
                yield name, [q, {"role": "model", "parts": [part]}, {"role": "user", "parts": [response]}]
            elif name == "functionResponse":
                part = {name: {**value, "name": "lookup", "response": {"output": "r"}}}
                call = {"functionCall": {"name": "lookup", "args": {}, **_id(value)}}
                yield name, [q, {"role": "model", "parts": [call]}, {"role": "user", "parts": [part]}]
            elif name in ("executableCode", "codeExecutionResult", "toolCall", "toolResponse", "thought"):
                beside = {"text": "hm"} if name == "thought" else {}
                yield name, [q, {"role": "model", "parts": [{**beside, **part}, {"text": "so"}]}, q]
            elif name == "thoughtSignature":
                yield name, [q, {"role": "model", "parts": [{"text": "so", **part}]}, q]
            elif name in of_media | {"spreadsheetMetadata", "audioTranscription"}:
                media = {"fileData": {"fileUri": "https://example.com/x.mp4", "mimeType": "video/mp4"}}
                yield name, [{"role": "user", "parts": [{"text": "q"}, {**media, **part}]}]
            elif name in ("partMetadata", "speechMetadata"):
                yield name, [{"role": "user", "parts": [{"text": "q", **part}]}]
            else:
                yield name, [{"role": "user", "parts": [{"text": "look"}, _held(part)]}]


def _id(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": value["id"]} if "id" in value else {}


def _held(part: dict[str, Any]) -> dict[str, Any]:
    """Let media have what they need, which the SDK types as optional."""
    needed = {
        "inlineData": {"mimeType": "image/png", "data": PIXEL},
        "fileData": {"fileUri": "https://example.com/x.png"},
    }
    return {key: {**needed[key], **value} if key in needed else value for key, value in part.items()}


def of_bedrock() -> Iterator[Case]:
    shapes = shapes_of_converse()
    q = user([{"text": "q"}])
    for block in of_shape(shapes, "ContentBlock"):
        for kind, found in block.items():
            value = dict(found) if isinstance(found, dict) else found
            if kind == "toolUse":
                call = {kind: {"toolUseId": "tooluse_1", "name": "lookup", "input": {"a": 1}}}
                result = {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "r"}]}}
                yield kind, [q, assistant([call]), user([result])]
            elif "error" in value or (kind == "toolResult" and "type" in value):
                continue  # What replies say of themselves, and the results of tools that the model's servers run.
            elif kind == "toolResult":
                call = {"toolUse": {"toolUseId": "tooluse_1", "name": "lookup", "input": {}}}
                yield kind, [q, assistant([call]), user([block])]
            elif kind in ("reasoningContent", "citationsContent"):
                if kind == "citationsContent":
                    cited = {"title": "words", "location": {"documentChar": {"documentIndex": 0}}}
                    value = {"content": [{"text": "words"}], "citations": [cited], **value}
                if "reasoningText" in value:
                    value["reasoningText"]["signature"] = "EqQBCkgIBRABGAIiQL8x9TzQm1mKcXzH0a7Yw2vGgA="
                yield kind, [q, assistant([{kind: value}, {"text": "so"}]), q]
            else:
                form = {"format": "pdf"} if kind == "document" and "text" not in str(value["source"]) else {}
                yield kind, [user([{"text": "look"}, {kind: {**value, **form} if form else value}])]


def of_mistral() -> Iterator[Case]:
    call = {"id": "abcdefgh1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    for message in of_model(models.SystemMessage):
        yield "system", [{**message, "role": "system"}, user("q")]
    for message in of_model(models.UserMessage):
        yield "user", [{"content": "q", **message, "role": "user"}]
    for message in of_model(models.AssistantMessage):
        if message.get("tool_calls"):
            yield "assistant", [user("q"), assistant("", tool_calls=[call]), _answer("r")]
        elif message.get("prefix"):
            yield "assistant", [user("q"), assistant("so", prefix=True)]
        else:
            yield "assistant", [user("q"), {"content": "so", **message, "role": "assistant"}, user("q")]


def _answer(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "abcdefgh1", "name": "lookup", "content": content}


def of_responses() -> Iterator[Case]:
    said = {"type": "output_text", "text": "so", "annotations": []}
    words = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [said]}
    for kind in bare(ResponseInputItemParam):
        for item in of_type(kind):
            tag = item.get("type", "message")
            if tag.endswith(("_call", "_output")) and "call_id" in item:
                continue  # Pairs are tried by the dialect's own tests.
            if tag == "reasoning":
                yield tag, [user("q"), {**item, "id": "rs_1", "encrypted_content": SIGNED}, words, user("q")]
            elif tag == "web_search_call":
                yield tag, [user("q"), {**item, "id": "ws_1"}, words, user("q")]


SIGNED = "gAAAAABoVO6Zx2Kq1c9d8e7f6a5b4c3d2e1f"


def of_chat() -> Iterator[Case]:
    for kind in bare(ChatCompletionMessageParam):
        for message in of_type(kind):
            role = message["role"]
            if role in ("system", "developer"):
                yield role, [message, user("q")]
            elif role == "user":
                yield role, [message]
            elif role == "assistant" and not message.keys() & {"tool_calls", "function_call", "audio"}:
                yield role, [user("q"), {"content": "so", **message}, user("q")]


CASES: Final[Mapping[str, tuple[Dialect[Any], Any]]] = {
    "anthropic": (Anthropic(), of_anthropic),
    "bedrock": (Bedrock(), of_bedrock),
    "gemini": (Gemini(), of_gemini),
    "mistral": (Mistral(), of_mistral),
    "openai_chat": (OpenAIChat(), of_chat),
    "openai_responses": (OpenAIResponses.for_model("gpt-5.5", "openai"), of_responses),
}


def plain(value: Any) -> Any:
    """Write in one way what may be written in two: a text as a list of it, null as absent."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: plain(item) for key, item in value.items() if item is not None}
    if isinstance(found.get("content"), str):
        found["content"] = [{"type": "text", "text": found["content"]}]
    return found


def fails(dialect: Dialect[Any], wire: list[Any]) -> str:
    """Say what becomes of a list that is not what it was; an empty text when it is."""
    found = [each.rule for each in check(wire, dialect)]
    sent = list(walk(plain(MessageHistory.from_list(wire, dialect=dialect).for_send(dialect))))
    gone = [place for place, leaf in walk(plain(wire)) if (place, leaf) not in sent]
    return " ".join(dict.fromkeys([*found, *gone]))


@pytest.mark.parametrize("name", CASES)
def test_each_instance_of_each_type_passes_unchanged(name: str) -> None:
    dialect, cases = CASES[name]
    failed: list[str] = []
    count = 0
    for tag, instance in cases():
        wire = with_media(instance)
        count += 1
        why = fails(dialect, wire)
        if why and not any(re.search(pattern, f"{name}/{tag} {why}") for pattern in EXCEPTIONS):
            failed.append(f"{name}/{tag} {why}")
    assert count > 8
    assert sorted(set(failed)) == []


def test_there_are_few_exceptions() -> None:
    assert len(EXCEPTIONS) <= 20
    assert all(re.match("[A-Z]{2}-[A-Z]?[0-9]+", why) for why in EXCEPTIONS.values())
