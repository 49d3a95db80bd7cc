"""A list around each instance of each block, item and part that the providers' SDKs have a type for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from message_history.dialects.anthropic.schema import SERVER_TOOLS

pytest.importorskip("anthropic")
pytest.importorskip("botocore")
pytest.importorskip("cohere")
pytest.importorskip("google.genai")
pytest.importorskip("mistralai")
pytest.importorskip("openai")

import cohere
from anthropic.types.beta.beta_assistant_message_param import BetaAssistantMessageParam
from google.genai import interactions
from google.genai.types import Part
from mistralai.client import models
from openai.types.chat.chat_completion_message_param import ChatCompletionMessageParam
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from typing_extensions import get_type_hints

from tests.oracles.instances import PIXEL, bare, of_model, of_shape, of_type, shapes_of_converse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Case = tuple[str, list[Any]]
SIGNED: Final = "gAAAAABoVO6Zx2Kq1c9d8e7f6a5b4c3d2e1f"


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
        call = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}, **_toolset(block)}
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
    return {"type": "tool_result", "content": [{"type": "text", "text": "r"}], **_toolset(call)}


def _toolset(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"toolset_name": block["toolset_name"]} if "toolset_name" in block else {}


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
                signed = {**part, "thoughtSignature": SIGNED}
                yield name, [q, {"role": "model", "parts": [signed]}, {"role": "user", "parts": [response]}]
            elif name == "functionResponse":
                held = {"parts": [_held(_typed(each)) for each in value["parts"]]} if "parts" in value else {}
                part = {name: {**value, "name": "lookup", "response": {"output": "r"}, **held}}
                call = {"functionCall": {"name": "lookup", "args": {}, **_id(value)}, "thoughtSignature": SIGNED}
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


def _typed(part: Mapping[str, Any]) -> dict[str, Any]:
    """Let what a tool returns be media whose type is known."""
    return {**part, "fileData": {"mimeType": "image/png"}} if "fileData" in part else {"inlineData": {}, **part}


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
    for message in of_model(models.SystemMessage):
        yield "system", [{**message, "role": "system"}, user("q")]
    for message in of_model(models.UserMessage):
        yield "user", [{"content": "q", **message, "role": "user"}]
    for message in of_model(models.AssistantMessage):
        if message.get("tool_calls"):
            yield "assistant", [user("q"), MISTRALS, _answer("r")]
        elif message.get("prefix"):
            yield "assistant", [user("q"), assistant("so", prefix=True)]
        else:
            yield "assistant", [user("q"), {"content": "so", **message, "role": "assistant"}, user("q")]
    for message in of_model(models.ToolMessage):
        yield "tool", [user("q"), MISTRALS, {**_answer("r"), **message, "role": "tool", "tool_call_id": "abcdefgh1"}]


MISTRALS: Final = assistant(
    "", tool_calls=[{"id": "abcdefgh1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]
)


def _answer(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "abcdefgh1", "name": "lookup", "content": content}


def of_conversations() -> Iterator[Case]:
    asked = {"object": "entry", "type": "message.input", "id": "a", "role": "user", "content": "q"}
    called = {"object": "entry", "type": "function.call", "id": "f", "tool_call_id": "call_1", "name": "lookup"}
    answered = {"object": "entry", "type": "function.result", "id": "r", "tool_call_id": "call_1", "result": "r"}
    for name in ("MessageInput", "MessageOutput", "FunctionCall", "FunctionResult", "ToolExecution", "AgentHandoff"):
        for entry in of_model(getattr(models, f"{name}Entry")):
            kind = entry["type"]
            if kind == "function.call":
                yield kind, [asked, {**entry, "tool_call_id": "call_1", "arguments": {"a": 1}}, answered]
            elif kind == "function.result":
                yield kind, [asked, {**called, "arguments": {}}, {**entry, "tool_call_id": "call_1"}]
            else:
                yield kind, [asked, entry, asked]


def of_interactions() -> Iterator[Case]:
    found = {step["type"]: step for kind in bare(interactions.Step) for step in of_model(kind)[:1]}
    asked = {"type": "user_input", "content": [{"type": "text", "text": "q"}]}
    for kind in bare(interactions.Step):
        for step in of_model(kind):
            tag = str(step["type"])
            if tag.endswith("_call"):
                result = found.get(tag.replace("_call", "_result"))
                after = [{**result, "call_id": "c1"}] if result else []
                yield tag, [asked, {**step, "id": "c1"}, *after, asked]
            elif tag.endswith("_result"):
                call = found.get(tag.replace("_result", "_call"))
                yield tag, [asked, *([{**call, "id": "c1"}] if call else []), {**step, "call_id": "c1"}, asked]
            elif tag == "user_input":
                yield tag, [{"content": asked["content"], **step}]
            elif tag in found and tag != "UNKNOWN":
                content = {"content": asked["content"]} if tag == "model_output" else {"signature": SIGNED}
                yield tag, [asked, {**content, **step}, asked]


def of_responses() -> Iterator[Case]:
    said = {"type": "output_text", "text": "so", "annotations": []}
    words = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [said]}
    items = [(item.get("type") or "message", item) for kind in bare(ResponseInputItemParam) for item in of_type(kind)]
    smallest: dict[str, Any] = {}
    for tag, item in items:
        smallest.setdefault(tag, _of_responses(tag, item))
    outputs = {tag: f"{tag}_output" for tag in smallest if f"{tag}_output" in smallest}
    outputs |= {"tool_search_call": "tool_search_output"}
    calls = {output: call for call, output in outputs.items()}
    for tag, found in items:
        item = _of_responses(tag, found)
        if tag in outputs:
            yield tag, [user("q"), item, smallest[outputs[tag]], user("q")]
        elif tag in calls:
            yield tag, [user("q"), smallest[calls[tag]], item, user("q")]
        elif tag == "message":
            after = [user("q")] if item["role"] == "assistant" else []
            yield tag, [*([user("q")] if after else []), item, *after]
        elif tag == "mcp_approval_request":
            answer = {"type": "mcp_approval_response", "approval_request_id": item["id"], "approve": True}
            yield tag, [user("q"), item, answer]
        elif tag == "mcp_approval_response":
            yield tag, [user("q"), smallest["mcp_approval_request"], {**item, "approval_request_id": "mcpr_1"}]
        elif tag == "compaction_trigger":
            yield tag, [user("q"), words, user("q"), item]
        else:
            yield tag, [user("q"), item, *([words] if tag.endswith(("_call", "reasoning")) else []), user("q")]


def _of_responses(tag: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the ids that its type has, and what the API demands and the type does not say."""
    item = dict(found)
    if "call_id" in item or tag == "function_call_output":
        item["call_id"] = "call_1"
    if item.get("id"):
        item["id"] = f"{PREFIXES.get(tag, 'x')}_1" if tag != "local_shell_call_output" else "call_1"
    if tag == "reasoning":
        item["encrypted_content"] = SIGNED
    if tag == "computer_call" and not item.keys() & {"action", "actions"}:
        item["action"] = {"type": "click", "button": "left", "x": 1, "y": 1}
    if "pending_safety_checks" in item:
        item["pending_safety_checks"] = []
    if tag == "item_reference" or set(item) == {"id"}:
        item["id"] = "msg_1"
    return item


PREFIXES: Final = {
    "apply_patch_call": "apc",
    "code_interpreter_call": "ci",
    "compaction": "cmp",
    "computer_call": "cu",
    "custom_tool_call": "ctc",
    "file_search_call": "fs",
    "function_call": "fc",
    "image_generation_call": "ig",
    "local_shell_call": "lsh",
    "mcp_approval_request": "mcpr",
    "mcp_call": "mcp",
    "mcp_list_tools": "mcpl",
    "message": "msg",
    "program": "prg",
    "reasoning": "rs",
    "shell_call": "sh",
    "tool_search_call": "tsc",
    "web_search_call": "ws",
}


def of_chat() -> Iterator[Case]:
    call = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "r"}
    for kind in bare(ChatCompletionMessageParam):
        for message in of_type(kind):
            role = message["role"]
            if role in ("system", "developer"):
                yield role, [message, user("q")]
            elif role == "user":
                yield role, [message]
            elif role == "tool":
                yield role, [user("q"), assistant(None, tool_calls=[call]), {**message, "tool_call_id": "call_1"}]
            elif role == "function":
                called = {"name": "lookup", "arguments": "{}"}
                yield role, [user("q"), assistant(None, function_call=called), {**message, "name": "lookup"}]
            elif "function_call" in message:
                answer = {"role": "function", "name": "lookup", "content": "r"}
                yield role, [user("q"), {"content": None, **message}, answer]
            elif "tool_calls" in message:
                calls = [{**each, "id": "call_1"} for each in message["tool_calls"]]
                yield role, [user("q"), {"content": None, **message, "tool_calls": calls}, result]
            else:
                content = {} if "audio" in message else {"content": "so"}
                yield role, [user("q"), {**content, **message}, user("q")]


def of_cohere() -> Iterator[Case]:
    call = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    called = {"role": "assistant", "tool_plan": "I look.", "tool_calls": [call]}
    for message in of_model(cohere.SystemChatMessageV2):
        yield "system", [{**message, "role": "system"}, user("q")]
    for message in of_model(cohere.UserChatMessageV2):
        yield "user", [{**message, "role": "user"}]
    for message in of_model(cohere.AssistantChatMessageV2):
        if message.get("tool_calls"):
            yield "assistant", [user("q"), called, {"role": "tool", "tool_call_id": "call_1", "content": "r"}]
        else:
            yield "assistant", [user("q"), {"content": "so", **message, "role": "assistant"}, user("q")]
    for message in of_model(cohere.ToolChatMessageV2):
        yield "tool", [user("q"), called, {**message, "role": "tool", "tool_call_id": "call_1"}]
