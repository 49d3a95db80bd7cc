"""The rules of Chat Completions and of those who speak it, one broken list for each, in the providers' own words."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from message_history import MessageHistory, RepairCode, TextBlock, ToolUseBlock, check
from message_history.core.messages.blocks import ThinkingBlock
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.values.json_values import freeze
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Bedrock, Dialect, Mistral, OpenAIChat, Portable
from message_history.integrations.langchain import LangChain
from tests.campaigns.growth import lines_of
from tests.dialects.chat import CONFIGURATIONS

Wire = dict[str, Any]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = f"data:image/png;base64,{PIXEL}"
SOUND = "data:audio/aac;base64,//FgQA=="
ASK = {"role": "user", "content": "q"}
MORE = {"role": "user", "content": "more"}
SAID = {"role": "assistant", "content": "a"}
RULED = {"role": "system", "content": "be brief"}


def call(*ids: str, arguments: Any = "{}", name: str = "f", **keys: Any) -> Wire:
    """Write an assistant message with calls."""
    calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **keys}


def tool(id: str, content: Any = "r") -> Wire:
    """Write a tool message."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def parts(*items: str | Wire) -> list[Wire]:
    """Write a list of parts."""
    return [{"type": "text", "text": item} if isinstance(item, str) else item for item in items]


def image(url: str = IMAGE) -> Wire:
    """Write an image part."""
    return {"type": "image_url", "image_url": {"url": url}}


def pictured(*urls: str) -> Wire:
    """Write a user message with images."""
    return {"role": "user", "content": parts("what is it?", *map(image, urls))}


def served(name: str) -> OpenAIChat:
    """Give the dialect of a provider, or of a model at one."""
    if name == "measured":
        return CONFIGURATIONS[name]
    provider, _, model = name.partition("|")
    return OpenAIChat.for_model(model, provider or None) if model else OpenAIChat.for_provider(provider)


BROKEN: list[tuple[str, str, list[Wire], str]] = [
    (
        "OC-01",
        "openai",
        [ASK, call("c1"), MORE],
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        "The following tool_call_ids did not have response messages: c1",
    ),
    (
        "OC-02",
        "openai",
        [ASK, SAID, tool("c1")],
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    (
        "OC-03",
        "openai",
        [ASK, call("c1"), tool("c1"), tool("c1")],
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3].",
    ),
    (
        "OC-04",
        "openai",
        [ASK, {**SAID, "tool_calls": []}, MORE],
        "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty "
        "array instead.",
    ),
    (
        "OC-05",
        "openai",
        [ASK, call(*(f"c{n}" for n in range(130))), *(tool(f"c{n}") for n in range(130))],
        "Invalid 'messages[1].tool_calls': array too long. Expected an array with maximum length 128, but got an array "
        "with length 130 instead.",
    ),
    (
        "OC-06",
        "openai",
        [ASK, call("c" * 44), tool("c" * 44)],
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a "
        "string with length 44 instead.",
    ),
    ("OC-07", "openai", [ASK, {**SAID, "content": None}, MORE], "Invalid value for 'content': expected a string"),
    (
        "OC-08",
        "openai",
        [{"role": "user", "content": {"a": 1}}],
        "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object",
    ),
    (
        "OC-09",
        "openai",
        [ASK, call("c1"), tool("c1", [{"id": 1}])],
        "Missing required parameter: 'messages[2].content[0].type'.",
    ),
    ("OC-10", "openai", [], "Invalid 'messages': empty array. Expected an array with minimum length 1, but got"),
    (
        "OC-11",
        "openai",
        [ASK, call("c1", name="a b"), tool("c1")],
        "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that "
        "matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ),
    (
        "OC-11",
        "openai",
        [ASK, call("c1", name=""), tool("c1")],
        "Invalid 'messages[1].tool_calls[0].function.name': empty string. Expected a string with minimum length 1, but "
        "got an empty string instead.",
    ),
    ("OC-12", "openai", [ASK, call("c1", name="f" * 65), tool("c1")], "Invalid 'tools[1].function.name': string too"),
    ("OC-13", "openai", [ASK, call("c1", arguments={"a": 1}), tool("c1")], ""),
    (
        "OC-14",
        "openai",
        [{**ASK, "name": "José Silva"}],
        "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern",
    ),
    (
        "OC-15",
        "openai",
        [ASK, call("c1"), tool("c1", parts("shot", image()))],
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role "
        "'tool' contains an image URL.",
    ),
    (
        "OC-16",
        "openai",
        [{"role": "user", "content": parts("hear", {"type": "input_audio", "input_audio": {}})}],
        "Invalid 'messages[0]'. Content blocks are expected to be either text or image_url type.",
    ),
    (
        "OC-17",
        "openai|o1-mini",
        [{"role": "developer", "content": "s"}, ASK],
        "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
    ),
    ("OC-18", "openai", [ASK, {"role": "assistant", "content": [{"type": "file"}]}, MORE], ""),
    ("OC-18", "openai", [ASK, {"role": "assistant", "content": parts("a", {"type": "refusal", "refusal": "no"})}, MORE],
     ""),
    ("OC-19", "openai", [ASK, call("c1"), {"role": "tool", "content": "r"}], "Missing required parameter"),
    ("OC-20", "openai", [{"role": "user", "content": "\ud83d"}], "Failed to parse the request body as JSON: messages"),
    ("OC-22", "openai", [pictured("data:image/png;base64,aGk=")], "You uploaded an unsupported image."),
    ("OC-23", "openai", [pictured(*[IMAGE] * 501)], "You uploaded an unsupported image."),
    ("OC-25", "openai|gpt-5", [{"role": "user", "content": parts({"type": "file", "file": {"file_data": "aGk="}})}],
     "Missing required parameter: 'messages[0].content[0].file.file_id'."),
    ("OC-28", "openai|gpt-5",
     [{"role": "user", "content": parts("q", {"type": "file", "file": {"filename": "a.aac", "file_data": SOUND}})}],
     "Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL with an "
     "application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME "
     "type 'audio/aac'."),
    ("OC-26", "openai|gpt-4.1", [pictured("/foobar.exe")],
     "Failed to download image from /foobar.exe. Image URL is invalid."),
    ("OC-26", "openai|gpt-4o-mini",
     [{"role": "user", "content": parts("q", {"type": "image_url", "image_url": {"url": None}})}],
     "Invalid type for 'messages[0].content[1].image_url.url': expected a base64-encoded data URL, but got null"),
    ("AZ-01", "azure", [ASK, {"role": "assistant", "tool_calls": call("c1")["tool_calls"]}, tool("c1")],
     "'content' is a required property - 'messages.1'"),
    ("AZ-02", "azure", [ASK, SAID] * 1024 + [ASK], '"$.messages" is too long. Maximum length is 2048, but got 2049'),
    ("AZ-03", "azure on your data", [{"role": "user", "content": parts("q")}],
     "Invalid chat message detected: message content must be string"),
    ("DS-01", "deepseek", [ASK, call("a"), MORE],
     "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
     "(insufficient tool messages following tool_calls message)"),
    ("DS-02", "deepseek", [ASK, call("a"), tool("zzz")],
     "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
     "Unexpected tool_call_id: zzz"),
    ("DS-03", "deepseek", [ASK, call("a"), tool("a"), tool("b")],
     "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"),
    ("DS-04", "deepseek", [ASK, call("a"), tool("a"), call("a"), tool("a")],
     "Duplicate value for 'tool_call_id' of a in message[3]"),
    ("DS-05", "deepseek", [ASK, {**SAID, "tool_calls": []}, MORE], "Invalid 'messages[1].tool_calls': empty array."),
    ("DS-06", "deepseek", [ASK, {"role": "assistant"}, MORE],
     "Invalid assistant message: content or tool_calls must be set"),
    ("DS-07", "deepseek-r1", [RULED, ASK, MORE],
     "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your "
     "input). You should interleave the user/assistant messages in the message sequence."),
    ("DS-08", "deepseek-r1", [ASK, SAID, RULED],
     "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on"),
    ("DS-09", "deepseek", [ASK, call("a"), tool("a")],
     "Missing `reasoning_content` field in the assistant message at message index 1."),
    ("DS-09", "deepseek|deepseek-v4-pro", [ASK, {**SAID, "reasoning_content": "t"}, MORE, SAID, MORE],
     "The `reasoning_content` in the thinking mode must be passed back to the API."),
    ("DS-10", "deepseek-r1", [ASK, {**SAID, "reasoning_content": "t"}, MORE], ""),
    ("DS-11", "deepseek", [{"role": "user", "content": parts("look", image())}],
     "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected"),
    ("DS-11", "deepseek", [ASK, call("a", content=[], reasoning_content=""), tool("a")],
     "Failed to deserialize the JSON body into the target type: messages[1]: invalid type: sequence, expected a"),
    ("DS-12", "deepseek", [{"role": "user", "content": [{"a": 1}]}],
     "Failed to deserialize the JSON body into the target type: messages[0]: missing field `type`"),
    ("DS-13", "deepseek", [{"role": "user", "content": "see <\uff5cimage\uff5c>"}],
     'The sub-string "<\uff5cimage\uff5c>" in your input is not allowed for this API.'),
    ("DS-14", "deepseek", [], "Empty input messages"),
    ("KM-01", "kimi", [ASK, {**SAID, "content": ""}, MORE],
     "Invalid request: the message at position 1 with role 'assistant' must not be empty"),
    ("KM-02", "kimi", [ASK, call("f:0", content=parts(""), reasoning_content="t"), tool("f:0")],
     "text content is empty"),
    ("KM-02", "moonshot", [ASK, call("f:0", reasoning_content="t"), tool("f:0", parts(image()))],
     "text content is empty"),
    ("KM-03", "kimi", [ASK, call("Shell:58"), MORE],
     "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
     "The following tool_call_ids did not have response messages: Shell:58"),
    ("KM-04", "kimi", [ASK, call(""), tool("")], "Invalid request: tool_call_id  is not found"),
    ("KM-05", "kimi|kimi-k2-thinking", [ASK, call("f:0"), tool("f:0")],
     "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"),
    ("KM-06", "kimi", [{"role": "user", "content": parts("see", {"type": "video_url", "video_url": {"url": "x"}})}],
     "the message at position 0 with role 'user' contains an invalid part type: video_url"),
    ("KM-07", "kimi", [], "Invalid request: messages must not be empty"),
    ("QW-01", "qwen", [ASK, call("c1"), MORE],
     '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool '
     'messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: '
     "message[2].role"),
    ("QW-02", "qwen", [ASK, tool("c1")],
     '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message'),
    ("QW-03", "qwen", [ASK, {**SAID, "tool_calls": []}, MORE], "Empty tool_calls is not supported in message"),
    ("QW-04", "dashscope", [ASK, call("c1", arguments='{"label":"Build'), tool("c1")],
     '<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON'),
    ("QW-04", "qwen", [ASK, call("c1", arguments='"{}"'), tool("c1")], "<400> InternalError.Algo.InvalidParameter"),
    ("GQ-01", "groq", [ASK, {**SAID, "reasoning_content": "t"}, MORE],
     "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property "
     "'reasoning_content' is unsupported)]"),
    ("GQ-01", "groq", [ASK, {**SAID, "reasoning": "t"}, MORE],
     "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is "
     "unsupported, did you mean 'role'?)]"),
    ("GQ-01", "groq", [{**ASK, "timestamp": 17}],
     "'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'timestamp' is "
     "unsupported)]"),
    ("GQ-01", "groq", [ASK, {**SAID, "status": "done"}, MORE],
     "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'status' is "
     "unsupported)]"),
    ("GQ-02", "groq", [ASK, {**SAID, "reasoning": ""}, MORE],
     "messages[1].reasoning: reasoning is not supported with this model"),
    ("GQ-03", "groq", [pictured(*[IMAGE] * 6)], ""),
    ("CB-01", "cerebras", [ASK, {**SAID, "reasoning_content": "t"}, MORE],
     "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported"),
    ("XA-01", "xai", [ASK, {"role": "assistant", "content": []}, MORE],
     "Invalid request content: Each message must have at least one content element."),
    ("XA-02", "xai", [{"role": "system", "content": ""}, ASK],
     "An empty message was provided. Every message needs at least one non-empty content element."),
    ("XA-03", "xai", [pictured("data:image/png;base64,aGk=")], "Invalid PNG image"),
    ("MM-01", "minimax", [ASK, call("c1", arguments="{bad"), tool("c1")],
     "invalid params, invalid function arguments json string, tool_call_id: c1 (2013)"),
    ("MM-02", "minimax", [ASK, tool("c1")], "invalid params, tool result's tool id(c1) not found (2013)"),
    ("MM-03", "minimax", [ASK, SAID, RULED, MORE],
     "invalid params, chat content has invalid message role: system (2013)"),
    ("OC-24", "openai", [ASK, {"role": "function", "content": "r"}],
     "Missing parameter 'name': messages with role 'function' must have a 'name'."),
    ("OT-02", "openrouter|anthropic/claude-sonnet-4.6", [ASK, SAID],
     "This model does not support assistant message prefill. The conversation must end with a user message."),
    ("PX-01", "perplexity", [ASK, SAID, RULED, MORE],
     "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s)."),
    ("PX-01", "perplexity|sonar", [RULED, RULED, ASK, MORE], "After the (optional) system message(s), user or tool"),
    ("PX-02", "perplexity", [ASK, SAID], "Last message must have role `user` or `tool`."),
    ("VX-01", "vertex|google/gemini-3.6-flash", [ASK, call("c1", content="I look."), tool("c1")],
     "Request contains an invalid argument."),
    ("HF-14", "vllm|meta-llama/Llama-3.3-70B-Instruct", [ASK, call("c1", content="I look."), tool("c1")], ""),
    ("HF-15", "measured", [ASK], ""),
    ("HF-16", "measured", [ASK, call("c1"), tool("c1")], ""),
    ("VE-01", "volcengine", [ASK, call("c1", content=""), tool("c1")],
     "The request failed because it is missing `messages.content` parameter."),
    ("GL-01", "zhipu", [RULED], "The messages parameter is illegal. Please check the documentation."),
    ("GL-03", "glm", [{"role": "developer", "content": "s"}, ASK], "角色信息不正确"),
    ("DS-19", "deepseek", [{"role": "developer", "content": "s"}, ASK],
     "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`"),
    ("CO-01", "cohere", [ASK, call("c1"), MORE],
     "invalid request: An assistant message with 'tool_calls' must be followed by tool messages responding to each "
     "'tool_call_id'. The following tool_call_ids did not have response messages: c1"),
    ("GW-01", "litellm", [ASK, {"role": "assistant", "tool_calls": call("c1")["tool_calls"]}, tool("c1")],
     "422, message.1.content invalid input"),
    ("GW-02", "zen", [{"role": "developer", "content": "s"}, ASK], "400 Incorrect role information"),
    ("GW-03", "openrouter", [ASK, call("c1", arguments='{"command": "ls'), tool("c1")],
     "invalid_prompt: Invalid request: messages.1.tool_calls.0.function.arguments: arguments must be a valid JSON "
     "object string"),
    ("MI-01", "mistral", [ASK, call("abcdefghi"), tool("abcdefghi"), MORE], "Unexpected role 'user' after role 'tool'"),
    ("MI-01", "vllm.mistral_common", [ASK, SAID, RULED, MORE], "Unexpected role 'system' after role 'assistant'"),
    ("MI-01", "mistral", [ASK, tool("abcdefghi")], "Unexpected role 'tool' after role 'user'"),
    ("MI-02", "mistral", [ASK, call("abcdefghi"), MORE], "Not the same number of function calls and responses"),
    ("MI-03", "mistral", [ASK, call("abcdefghi"), tool("zzzzzzzzz")],
     "Unexpected tool call id zzzzzzzzz in tool results"),
    ("MI-03", "mistral", [ASK, call("abcdefghi"), tool("abcdefghi"), tool("abcdefghi")],
     "Duplicate tool call id abcdefghi in tool results"),
    ("MI-03", "mistral", [ASK, call("abcdefghi", "abcdefghi"), tool("abcdefghi")],
     "Duplicate tool call id abcdefghi in assistant message"),
    ("MI-04", "mistral.chat", [ASK, call("call_0123456789abcdef"), tool("call_0123456789abcdef")],
     "Tool call id was call_0123456789abcdef but must be a-z, A-Z, 0-9, with a length of 9."),
    ("MI-05", "mistral", [ASK, {**SAID, "content": ""}, MORE],
     "Assistant message must have either content or tool_calls, but not none."),
    ("MI-06", "mistral", [ASK, SAID], "Expected last role User or Tool (or Assistant with prefix"),
    ("MI-07", "mistral", [ASK, call("abcdefghi", name="a b"), tool("abcdefghi")],
     "Function name was a b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64"),
    ("MI-08", "mistral", [ASK, {**SAID, "reasoning_content": "t"}, MORE],
     '{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs'),
    ("MI-08", "mistral", [{**ASK, "name": "Ann"}],
     '{"type":"extra_forbidden","loc":["body","messages",0,"user","name"],"msg":"Extra inputs are not permitted"}'),
    ("MI-09", "mistral", [{"role": "developer", "content": "x"}, ASK],
     "Input tag 'developer' found using 'role' does not match any of the expected tags"),
    ("MI-09", "mistral", [], "Conversation must have at least one message"),
    ("HF-01", "vllm|google/gemma-3-27b-it", [RULED, RULED, ASK],
     "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("HF-01", "sglang|mistralai/Mistral-7B-Instruct-v0.1", [RULED, ASK],
     "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("HF-02", "vllm|mistralai/Devstral-Small-2507", [ASK, call("abcdefghi", content=""), tool("abcdefghi"), MORE],
     "After the optional system message, conversation roles must alternate user and assistant roles except for tool "
     "calls and results."),
    ("HF-03", "vllm|google/gemma-2b-it", [RULED, ASK], "System role not supported"),
    ("HF-04", "vllm|Qwen/Qwen3.5-27B", [ASK, SAID, RULED, MORE], "System message must be at the beginning."),
    ("HF-05", "vllm|Qwen/Qwen3.5-27B", [RULED], "No user query found in messages."),
    ("HF-06", "vllm|meta-llama/Llama-3.1-8B-Instruct", [ASK, call("a", "b", content=""), tool("a"), tool("b")],
     "This model only supports single tool-calls at once!"),
    ("HF-07", "vllm", [ASK, call("a", arguments='{"value": ', content=""), tool("a")],
     "json.decoder.JSONDecodeError: "),
    ("HF-08", "vllm|Qwen/Qwen3-Coder-480B", [ASK, call("a", arguments="[3, 18]", content=""), tool("a")],
     "Can only get item pairs from a mapping."),
    ("HF-09", "mlx-openai-server", [ASK, call("a"), tool("a")],
     "Message has tool role, but there was no previous assistant message with a tool call!"),
    ("HF-10", "lm studio", [ASK, call("a"), tool("a")],
     "Invalid 'content': 'content' field must be a string or an array of objects."),
    ("HF-11", "llama.cpp", [ASK, {**SAID, "content": "half"}],
     "Assistant response prefill is incompatible with enable_thinking."),
    ("HF-12", "llama.cpp", [ASK, SAID, SAID], "Cannot have 2 or more assistant messages at the end of the list."),
    ("HF-13", "llama.cpp", [ASK, {**SAID, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
                            tool("a")], "Missing tool call type"),
    ("OL-01", "ollama native", [ASK, {"role": "assistant", "content": parts("a")}, MORE],
     "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"),
    ("OL-02", "ollama", [ASK, {"role": "assistant", "content": None}, MORE], "invalid message content type: <nil>"),
    ("OL-03", "ollama", [ASK, call("a", arguments=""), tool("a")], "invalid tool call arguments"),
    ("OL-04", "ollama", [{"role": "user", "content": parts("see", image("https://example.com/a.png"))}],
     "image URLs are not currently supported, please use base64 encoded data instead"),
    ("OL-04", "ollama", [{"role": "user", "content": parts({"type": "file", "file": {}})}], "invalid message format"),
    ("OL-04", "|mistral-small3.1", [{"role": "user", "content": ["see", image()]}], "invalid message format"),
    ("WX-01", "watsonx|meta-llama/llama-3-3-70b-instruct",
     [{"role": "user", "content": parts("see", image("https://example.com/test.jpg"))}],
     "Json document validation error: The value 'messages[].content.image_url.url' is not valid for the 'https://e"),
    ("OC-27", "bedrock|openai.gpt-oss-20b-1:0", [{"role": "user", "content": parts("see", image())}],
     "Model does not support image modality"),
    ("DS-12", "deepseek", [{"role": "user", "content": ["see"]}],
     "Failed to deserialize the JSON body into the target type: messages[0]: missing field `type`"),
]  # fmt: skip
names = [f"{rule} {provider}" for rule, provider, _, _ in BROKEN]
every_broken_list = pytest.mark.parametrize(("rule", "provider", "raw", "text"), BROKEN, ids=names)


@every_broken_list
def test_each_rule_is_found_in_the_provider_s_words(rule: str, provider: str, raw: list[Wire], text: str) -> None:
    found = [violation for violation in check(raw, served(provider)) if violation.rule == rule]
    assert found
    assert any(violation.error.startswith(text) for violation in found), [violation.error for violation in found]
    assert all(violation.index is None or violation.index < len(raw) for violation in found)


@every_broken_list
def test_each_broken_list_becomes_acceptable(rule: str, provider: str, raw: list[Wire], text: str) -> None:
    del text
    dialect = served(provider)
    history = MessageHistory.from_list(raw)
    wire = history.for_send(dialect)
    left = [violation.rule for violation in check(wire, dialect)] if wire else []
    assert left == (["AZ-02"] if rule == "AZ-02" else [])


@every_broken_list
def test_openai_itself_minds_its_own_rules_only(rule: str, provider: str, raw: list[Wire], text: str) -> None:
    del rule, provider, text
    assert all(violation.rule.startswith("OC-") for violation in check(raw, OpenAIChat()))


@pytest.mark.parametrize(
    ("provider", "raw"),
    [
        # Requests of ruby_llm's, req_llm's and crush's recordings, all of which were answered.
        ("openai|gpt-4.1-nano", [{"role": "user", "content": ["Compare these", {"type": "text", "text": "a"}]}]),
        ("openrouter|google/gemini-2.5-flash", [{"role": "user", "content": ["Compare these", image()]}]),
        ("openai|gpt-4o", [ASK, call("c1", content=[]), tool("c1")]),
        ("openrouter|qwen/qwen3-14b", [ASK, call("c1", content=[]), tool("c1")]),
        ("groq|llama-3.1-8b-instant", [ASK, call("c1", content=[]), tool("c1")]),
        ("xai|grok-2-1212", [ASK, call("c1", content=[]), tool("c1")]),
        ("cerebras|gpt-oss-120b", [ASK, call("c1", content=[]), tool("c1")]),
        ("zai|glm-4.5-air", [ASK, call("call_-82", content="I add."), {"role": "tool", "content": "5"}]),
        ("zai|glm-4.5-air", [ASK, call("a", "b"), {"role": "tool", "content": "5"}, {"role": "tool", "content": "6"}]),
        ("|mistral-small3.1", [ASK, call("call_hh9mwpgp"), tool("call_hh9mwpgp"), MORE]),
        ("ollama|qwen3:latest", [ASK, call("a", "b", content=""), tool("a")]),
        ("127.0.0.1|deepseek-r1:latest", [SAID, pictured(IMAGE)]),
        # A request of llama-stack's recordings: Ollama gives a result to the model, whatever was called.
        ("|llama3.2:3b-instruct-fp16", [ASK, call("a", content=""), tool("a"), SAID, tool("a")]),
        ("http://localhost:8080/v1|qwen3:8b", [ASK, call("a", "b", content=""), tool("a")]),
        ("openrouter|moonshotai/kimi-k2-0905", [ASK, call("a", name="Test/fetch_tool-2"), tool("a")]),
        ("openai|gpt-5", [{"role": "user", "content": parts("q", {"type": "file", "file": {"file_id": "file-1"}})}]),
        ("openrouter|openai/gpt-4o", [{"role": "user", "content": parts(
            "q", {"type": "file", "file": {"filename": "a.pdf", "file_data": "https://example.com/a.pdf"}})}]),
    ],
)  # fmt: skip
def test_what_was_recorded_to_be_taken_is_no_violation(provider: str, raw: list[Wire]) -> None:
    assert check(raw, served(provider)) == []


def test_a_result_without_an_id_is_that_of_the_next_call_where_no_host_is_known() -> None:
    raw = [ASK, call("a", "b"), {"role": "tool", "content": "5"}, {"role": "tool", "content": "6"}]
    assert check(raw, OpenAIChat()) == []
    assert {found.rule for found in check(raw[:3], OpenAIChat())} == {"OC-01"}
    assert {found.rule for found in check(raw, served("openai|gpt-5"))} == {"OC-01", "OC-19"}


def test_a_list_that_ends_with_the_assistant_goes_to_o1_preview_as_it_came() -> None:
    assert MessageHistory.from_list([ASK, SAID]).for_send(served("openai|o1-preview")) == [ASK, SAID]


def test_a_mark_of_a_whole_message_goes_back_to_kimi_at_openrouter() -> None:
    raw = [{**RULED, "cache_control": {"type": "ephemeral"}}, ASK]
    dialect = served("openrouter|moonshotai/kimi-k2-0905")
    assert MessageHistory.from_list(raw).for_send(dialect) == raw


def test_marks_of_openai_s_cache_go_back_to_openai_alone() -> None:
    part = {"type": "text", "text": "q", "prompt_cache_breakpoint": {"mode": "explicit"}}
    raw = [{"role": "system", "content": [part]}, {"role": "user", "content": [part]}]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    assert history.for_send(served("openai|gpt-5.6-sol")) == raw
    assert "prompt_cache_breakpoint" not in json.dumps(history.for_send(served("groq|llama-3.1-8b-instant")))


def test_the_base64_of_a_pdf_goes_to_openai_as_a_data_url() -> None:
    raw = [{"role": "user", "content": parts("q", {"type": "file", "file": {"file_data": "JVBERi0xLjQK"}})}]
    sent = MessageHistory.from_list(raw, dialect=OpenAIChat()).export(served("openai|gpt-5"))
    file = {"filename": "document.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"}
    assert sent.messages[0]["content"][1] == {"type": "file", "file": file}
    assert [repair.code for repair in sent.repairs] == [RepairCode.REWRITTEN]


WHOLE = call("abcdefghi", content="")
PORTABLY_BROKEN: list[tuple[str, list[Wire]]] = [
    ("P-01", []),
    ("P-02", [ASK, SAID, RULED, MORE]),
    ("P-02", [{"role": "developer", "content": "s"}, ASK]),
    ("P-02", [RULED, RULED, ASK]),
    ("P-03", [ASK, MORE]),
    ("P-03", [SAID, ASK]),
    ("P-03", [RULED]),
    ("P-04", [ASK, WHOLE, tool("abcdefghi"), MORE]),
    ("P-05", [ASK, SAID]),
    ("P-06", [{"role": "user", "content": parts("q")}]),
    ("P-06", [ASK, WHOLE, tool("abcdefghi", parts("r"))]),
    ("P-07", [ASK, call("abcdefghi"), tool("abcdefghi")]),
    ("P-07", [ASK, WHOLE, tool("abcdefghi", "")]),
    ("P-08", [ASK, WHOLE]),
    ("P-09", [ASK, WHOLE, tool("abcdefghi"), tool("abcdefghi")]),
    ("P-09", [ASK, tool("abcdefghi")]),
    ("P-10", [ASK, call("call_1", content=""), tool("call_1")]),
    ("P-10", [ASK, WHOLE, tool("abcdefghi"), WHOLE, tool("abcdefghi")]),
    ("P-11", [ASK, call("abcdefghi", "abcdefghj", content=""), tool("abcdefghi"), tool("abcdefghj")]),
    ("P-11", [ASK, {**SAID, "tool_calls": []}, MORE]),
    ("P-12", [ASK, call("abcdefghi", name="a b", content=""), tool("abcdefghi")]),
    ("P-13", [ASK, call("abcdefghi", arguments="[]", content=""), tool("abcdefghi")]),
    ("P-14", [ASK, {**SAID, "tool_calls": [{"id": "abcdefghi", "function": {"name": "f", "arguments": "{}"}}]},
              tool("abcdefghi")]),
    ("P-15", [ASK, WHOLE, tool("abcdefghi", parts("r", image()))]),
    ("P-15", [{"role": "user", "content": parts("q", {"type": "file", "file": {}})}]),
    ("P-16", [ASK, {**SAID, "reasoning": ""}, MORE]),
    ("P-18", [pictured(*[IMAGE] * 6)]),
    ("P-17", [{"role": "user", "content": "\ud83d"}]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "raw"), PORTABLY_BROKEN)
def test_each_portable_rule_is_found_and_mended(rule: str, raw: list[Wire]) -> None:
    assert rule in {violation.rule for violation in check(raw, Portable())}
    wire = MessageHistory.from_list(raw).for_send(Portable())
    assert not wire or not check(wire, Portable())


@pytest.mark.parametrize(
    ("model", "provider", "fields"),
    [
        ("gpt-5", None, {"provider": "openai", "id_limit": 40, "system_role": "system"}),
        ("o1-mini-2024-09-12", None, {"system_role": "user"}),
        ("gpt-4o-audio-preview", None, {"audio": True}),
        ("gpt-4o", "azure", {"provider": "azure", "content_key": False}),
        ("gpt-35-turbo", "azure", {"provider": "azure", "content_key": True}),
        ("Kimi-K2.5", "azure", {"result_images": "kept", "reasoning": "reasoning_content", "content_key": False}),
        ("azure/gpt-4o", None, {"provider": "azure"}),
        ("deepseek-chat", None, {"provider": "deepseek", "reasoning_required": "never"}),
        ("deepseek-reasoner", None, {"provider": "deepseek", "reasoning_required": "always", "unique_ids": True}),
        ("deepseek-ai/DeepSeek-R1", None, {"provider": "openai", "reasoning": None, "images": False}),
        ("kimi-k2-thinking", None, {"reasoning_required": "calls", "null_content": "omit"}),
        ("qwen/qwen3.5-397b-a17b", None, {"provider": "templates", "null_content": "emptied"}),
        ("qwen/qwen3.5-397b-a17b", "vllm", {"provider": "templates", "null_content": "empty"}),
        ("openai/gpt-oss-120b", "https://api.together.xyz/v1", {"images": True}),
        ("openai/gpt-oss-120b", "groq", {"images": False}),
        ("qwen3-30b-a3b", None, {"images": True}),
        ("qwen/qwen3-32b", None, {"images": False}),
        ("arcee-ai/trinity-mini", "together", {"images": False}),
        ("gpt-audio", None, {"images": False, "audio": True}),
        ("gpt-4o-mini-audio-preview", "openai", {"images": False, "audio": True}),
        ("gpt-4o-mini-search-preview", None, {"files": False, "images": True}),
        ("openai/gpt-oss-120b", None, {"id_limit": 1_000_000, "videos": True}),
        ("gpt-oss-120b", "azure", {"id_limit": 40}),
        ("gemma-4-31b", None, {"alternate": False, "tools": "messages"}),
        ("google/gemma-3-27b-it", "vllm", {"alternate": True, "tools": "text"}),
        ("Qwen/Qwen3.5-397B-A17B", None, {"videos": True}),
        ("qwen3.7-max", None, {"images": False}),
        ("qwen3.8-max", None, {"images": True}),
        ("groq/compound", None, {"images": False}),
        ("moonshotai/kimi-k2-instruct-0905", "groq", {"images": False}),
        ("meta-llama/llama-4-scout-17b-16e-instruct", "groq", {"images": True}),
        ("zai-org/GLM-4.6", "https://inference.baseten.co/v1", {"images": False}),
        ("deepseek-ai/DeepSeek-V3.2", "huggingface", {"images": False}),
        ("moonshot-v1-8k", None, {"provider": "kimi", "reasoning_required": "never"}),
        ("qwen3-max", None, {"provider": "qwen", "object_arguments": True}),
        ("grok-4", None, {"provider": "xai", "empty_content": False}),
        ("openai/gpt-oss-120b", None, {"reasoning": "reasoning", "no_content": True}),
        ("llama-3.1-8b-instant", "groq", {"provider": "groq", "max_calls": 128, "reasoning": None}),
        ("groq:llama-3.1-8b-instant", None, {"provider": "groq", "max_calls": 128}),
        ("zai-glm-4.7", "cerebras", {"reasoning": "<think>"}),
        ("glm-4.7", None, {"reasoning": "reasoning_content"}),
        ("anthropic/claude-sonnet-4.6", "openrouter", {"cache_marks": True, "parts": True, "prefill": False}),
        ("openai/gpt-5", "openrouter", {"id_limit": 40}),
        ("google/gemini-2.5-flash", "openrouter", {"prefill": True, "id_limit": 1_000_000}),
        ("gpt-4o", None, {"prefill": True, "leading_assistant": True, "result_images": "refused"}),
        ("gpt-4.1-mini", None, {"result_images": "kept"}),
        ("gpt-5-mini", None, {"result_images": "moved"}),
        ("deepseek-v4-pro", None, {"reasoning_required": "once shown"}),
        ("moonshotai/kimi-k2", None, {"provider": "openai"}),
        ("gpt-4o", "some.proxy.local", {"prefill": True, "provider": "openai"}),
        ("", "x.services.ai.azure.com", {"provider": "azure models", "result_images": "kept", "content_key": False}),
        ("gpt-4o", "x.services.ai.azure.com", {"provider": "azure", "prefill": True, "result_images": "refused"}),
        ("o3-mini", None, {"prefill": True, "leading_assistant": True}),
        ("o1-mini", None, {"leading_assistant": False, "system_role": "user"}),
        ("gemini-3.1-pro", "vertex", {"text_with_calls": True}),
        ("glm-5.2", "ollama cloud", {"provider": "ollama", "needs_user": True}),
        ("qwen3-coder", "ollama cloud", {"needs_user": False}),
        ("meta-llama/Llama-3.1-8B-Instruct", None, {"provider": "templates", "max_calls": 1, "bridge": False}),
        ("google/gemma-2-9b-it", "vllm", {"system_role": "user", "tools": "text"}),
        ("gemma3:27b", "llama.cpp", {"provider": "llama.cpp", "system_role": "system", "tools": "text"}),
        ("mistralai/Mistral-Small-3.2", "vllm", {"bridge": True, "id_limit": 9, "max_calls": 128}),
        ("MiniMax-M2.5-highspeed", "minimax", {"reasoning": "as it came"}),
        ("Qwen/Qwen3-0.6B", "vllm", {"reasoning": "as it came"}),
        ("zai-org/GLM-4.6", "huggingface", {"reasoning": "reasoning"}),
        ("llama3.2:3b-instruct-fp16", None, {"provider": "ollama", "max_calls": 128}),
        ("gpt-oss:20b-cloud", None, {"provider": "ollama", "images": True}),
        ("glm-5.2:cloud", None, {"provider": "ollama", "needs_user": True, "images": False}),
        ("glm-5.3-flash:cloud", None, {"provider": "ollama", "images": True}),
        ("openai.gpt-oss-20b-1:0", None, {"images": False}),
        ("Qwen/Qwen3-0.6B", "vllm", {"images": False}),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", "vllm", {"images": True}),
        ("meta-llama/llama-3-3-70b-instruct", "us-south.ml.cloud.ibm.com", {"image_urls": False}),
        ("some-model", "vllm", {"alternate": True, "bridge": True, "max_calls": 1, "late_system": False}),
        ("llama3.1", "ollama", {"provider": "ollama", "alternate": False, "image_urls": False}),
    ],
)
def test_fields_by_model(model: str, provider: str | None, fields: dict[str, Any]) -> None:
    dialect = OpenAIChat.for_model(model, provider)
    assert {field: getattr(dialect, field) for field in fields} == fields


def test_what_is_not_known_gets_the_defaults() -> None:
    assert OpenAIChat.for_provider("nobody") == OpenAIChat()
    assert OpenAIChat.for_model("nobody-knows-this") == OpenAIChat(null_content="emptied", parts="joined")


@pytest.mark.parametrize("model", ["nobody-knows-this", "my-gateway/nobody-knows-this", "swiss-ai/Apertus-8B"])
def test_a_model_that_a_template_may_run_gets_one_text_and_no_null(model: str) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    raw = [{"role": "user", "content": parts}, call("c1"), tool("c1"), {"role": "user", "content": parts}]
    dialect = OpenAIChat.for_model(model)
    assert check(raw, dialect) == []
    wire = exported(raw, dialect)
    assert [message["content"] for message in wire] == ["a\n\nb", "", wire[2]["content"], "a\n\nb"]


@pytest.mark.parametrize("model", ["gpt-5-mini", "o3", "claude-opus-4-6", "google/gemini-2.5-flash"])
def test_a_model_that_only_its_maker_runs_gets_its_parts(model: str) -> None:
    raw = [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]
    assert exported(raw, OpenAIChat.for_model(model)) == raw


@pytest.mark.parametrize(
    ("model", "host"),
    [
        ("command-r7b-12-2024", "cohere"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "templates"),
        ("cohere/command-a", "cohere"),
    ],
)
def test_the_name_of_weights_is_not_that_of_their_maker_s_api(model: str, host: str) -> None:
    assert OpenAIChat.for_model(model).provider == host


def exported(raw: list[Wire], dialect: Dialect[Any]) -> list[Wire]:
    """Read a list, and write it for another provider."""
    found: list[Wire] = MessageHistory.from_list(raw, dialect=OpenAIChat()).for_send(dialect)
    return found


def test_reasoning_goes_back_under_the_key_that_the_model_knows() -> None:
    raw: list[Wire] = [
        ASK,
        call("c1", reasoning_content="hm"),
        tool("c1"),
        {**SAID, "content": "done"},
        MORE,
    ]
    assert exported(raw, served("deepseek"))[1]["reasoning_content"] == "hm"
    assert exported(raw, served("deepseek"))[3]["reasoning_content"] == ""
    assert exported(raw, served("groq|gpt-oss-120b"))[1]["reasoning"] == "hm"
    inside = exported(raw, served("cerebras|zai-glm-4.7"))[1]
    assert inside["content"] == "<think>\nhm\n</think>"
    history = MessageHistory.from_list(raw)
    left = history.export(Portable()).repairs
    assert any(repair.code is RepairCode.WITHHELD and isinstance(repair.removed[0], ThinkingBlock) for repair in left)


def test_reasoning_of_another_provider_is_left_out_but_the_key_is_there() -> None:
    thought = ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic"))
    history = MessageHistory().add_user("q").add_assistant([thought, ToolUseBlock("c1", "f", {})])
    history = history.add_tool_result("c1", "r")
    wire = history.for_send(served("kimi"))
    assert wire[1]["reasoning_content"] == ""
    assert "content" not in wire[1]


def test_the_same_reasoning_under_two_keys_is_read_once() -> None:
    wire = exported([ASK, {**SAID, "reasoning": "hm", "reasoning_content": "hm"}, MORE], served("deepseek"))
    assert wire[1]["reasoning_content"] == "hm"


def test_reasoning_details_go_back_to_gateways_alone() -> None:
    details = [{"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0}]
    raw: list[Wire] = [ASK, call("c1", reasoning_details=details), tool("c1")]
    assert exported(raw, served("openrouter|anthropic/claude-sonnet-4.6"))[1]["reasoning_details"] == details
    assert exported(raw, OpenAIChat())[1]["reasoning_details"] == details
    assert "reasoning_details" not in exported(raw, served("openai"))[1]


def test_cache_marks_go_to_claude_behind_a_gateway_and_there_are_at_most_four() -> None:
    marked = [{"type": "text", "text": "long", "cache_control": {"type": "ephemeral"}}]
    raw: list[Wire] = [{"role": "system", "content": marked}]
    for _ in range(5):
        raw += [{"role": "user", "content": marked}, SAID]
    raw.append(ASK)
    dialect = served("openrouter|anthropic/claude-sonnet-4.6")
    export = MessageHistory.from_list(raw, dialect=OpenAIChat()).export(dialect)
    has_mark = ["cache_control" in json.dumps(message) for message in export.messages]
    assert has_mark == [True, *[False, False] * 2, *[True, False] * 3, False]
    assert sum(repair.code is RepairCode.WITHHELD for repair in export.repairs) == 2
    assert "cache_control" not in json.dumps(exported(raw, served("openrouter|openai/gpt-5")))


def test_a_mark_of_a_whole_message_goes_back_on_it_and_counts_among_the_four() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    raw: list[Wire] = [{"role": "system", "content": "long", **mark}]
    for n in range(3):
        raw += [{**ASK, **mark}, {"role": "assistant", "content": f"Reply {n}.", **mark}]
    raw += [ASK, {**ASK, "content": "marked", **mark}, SAID, ASK]
    dialect = OpenAIChat.for_model("anthropic/claude-sonnet-4.6", "ai-gateway.vercel.sh")
    export = MessageHistory.from_list(raw, dialect=OpenAIChat()).export(dialect)
    assert [m["content"] for m in export.messages] == [m["content"] for m in raw]
    assert [n for n, message in enumerate(export.messages) if "cache_control" in message] == [0, 5, 6, 8]
    assert sum(repair.code is RepairCode.WITHHELD for repair in export.repairs) == 4
    assert exported(raw[:2], OpenAIChat()) == raw[:2]
    tool_marked = [ASK, call("c1"), {**tool("c1"), **mark}]
    withheld = MessageHistory.from_list(tool_marked, dialect=dialect).export(dialect).repairs
    assert [repair.code for repair in withheld] == [RepairCode.WITHHELD]


def test_gateways_take_marks_of_calls_and_calls_without_content() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    marked = {"role": "assistant", "tool_calls": [{**call("c1")["tool_calls"][0], **mark}]}
    raw: list[Wire] = [{"role": "system", "content": "long"}, ASK, marked, tool("c1")]
    for host in ("ai-gateway.vercel.sh", "openrouter.ai"):
        dialect = OpenAIChat.for_model("anthropic/claude-sonnet-4", host)
        assert not check(raw, dialect)
        assert exported(raw, dialect)[2]["tool_calls"] == marked["tool_calls"]
        later = [raw[0], *(message for _ in range(5) for message in (ASK, marked, tool("c1"), SAID)), ASK]
        assert sum("cache_control" in json.dumps(message) for message in exported(later, dialect)) == 4
    instructed: list[Wire] = [{"role": "system", "content": [{"type": "text", "text": "long", **mark}]}, ASK]
    assert exported(instructed, OpenAIChat.for_model("google/gemini-2.5-flash", "openrouter.ai")) == instructed


def test_videos_go_back_where_a_host_was_recorded_to_take_them() -> None:
    video = {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}}
    raw: list[Wire] = [{"role": "user", "content": parts("see", video)}]
    for dialect in (OpenAIChat(), OpenAIChat.for_model("google/gemini-2.5-flash", "openrouter")):
        assert not check(raw, dialect)
        assert exported(raw, dialect) == raw
    for model in ("gpt-4o", "openai/gpt-4o"):
        assert [found.rule for found in check(raw, OpenAIChat.for_model(model))] == ["OC-16"]


def test_vercel_s_gateway_takes_reasoning_details_back() -> None:
    details = [{"type": "reasoning.encrypted", "data": "gAAA", "format": "openai-responses-v1", "index": 0}]
    raw: list[Wire] = [ASK, call("c1", reasoning_details=details), tool("c1")]
    dialect = OpenAIChat.for_model("openai/gpt-5", "ai-gateway.vercel.sh")
    assert exported(raw, dialect)[1]["reasoning_details"] == details


def test_openai_behind_openrouter_takes_a_list_that_begins_with_the_assistant() -> None:
    raw: list[Wire] = [SAID, ASK]
    assert exported(raw, OpenAIChat.for_model("openai/gpt-4o", "openrouter.ai")) == raw
    assert exported(raw, OpenAIChat.for_model("google/gemini-2.5-flash", "openrouter.ai")) != raw


def test_ollama_takes_lists_that_begin_with_the_assistant_and_leaves_out_images_itself() -> None:
    raw: list[Wire] = [SAID, {"role": "user", "content": parts("see", image())}]
    dialect = OpenAIChat.for_model("deepseek-r1:latest", "http://127.0.0.1:11434/v1")
    assert dialect.provider == "ollama"
    assert exported(raw, dialect) == raw


def test_a_tool_s_image_is_sent_behind_all_results() -> None:
    shot = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("a", "f", {}), ToolUseBlock("b", "f", {})])
    history = history.add_tool_result("a", [TextBlock("shot"), shot]).add_tool_result("b", "r")
    wire = history.for_send(OpenAIChat())
    assert [message["role"] for message in wire] == ["user", "assistant", "tool", "tool", "user"]
    assert wire[4]["content"][1] == image()
    portable = history.for_send(Portable())
    roles = ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    assert [message["role"] for message in portable] == roles
    assert portable[5]["content"] == "OK."
    assert json.dumps(history.for_send(served("deepseek"))).count("image left out") == 1


def test_ids_differ_in_the_whole_list_where_they_must() -> None:
    raw: list[Wire] = [ASK]
    for _ in range(300):
        raw += [call("call_0"), tool("call_0")]
    for dialect in (served("deepseek"), Portable()):
        wire = exported(raw, dialect)
        asked = [item["id"] for message in wire for item in message.get("tool_calls", ())]
        answered = [message["tool_call_id"] for message in wire if message["role"] == "tool"]
        assert asked == answered
        assert len(set(asked)) == 300
    assert [item["id"] for item in exported(raw, OpenAIChat())[1]["tool_calls"]] == ["call_0"]


def test_calls_and_results_are_text_where_a_template_knows_no_tools() -> None:
    raw: list[Wire] = [
        RULED,
        ASK,
        call("c1", arguments='{"a": 1}', content="look"),
        tool("c1", "found"),
        SAID,
        MORE,
    ]
    wire = exported(raw, served("vllm|google/gemma-2-9b-it"))
    assert wire == [
        {"role": "user", "content": "<system>\nbe brief\n</system>\n\nq"},
        {
            "role": "assistant",
            "content": 'look\n\n<tool_call id="c1">\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        },
        {"role": "user", "content": '<tool_result id="c1">\nfound\n</tool_result>'},
        SAID,
        MORE,
    ]


def test_the_form_of_ollama_s_own_api_goes_both_ways() -> None:
    dialect = served("ollama native")
    history = MessageHistory().add_user(
        [
            TextBlock("look"),
            ImageBlock({"type": "base64", "media_type": "image/jpeg", "data": "/9j//gAE+///wAALCAABAAEBAREA/9k="}),
        ]
    )
    history = history.add_assistant([ToolUseBlock("c1", "f", {"a": 1})]).add_tool_result("c1", "r")
    wire = history.for_send(dialect)
    assert wire == [
        {"role": "user", "content": "look", "images": ["/9j//gAE+///wAALCAABAAEBAREA/9k="]},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r", "tool_name": "f"},
    ]
    loaded = MessageHistory.from_list(wire, dialect=dialect)
    assert loaded[0] == history[0]
    assert loaded.for_send(dialect) == wire
    assert loaded.for_send(Anthropic())[0]["content"][1]["source"]["media_type"] == "image/jpeg"


def test_developer_messages_stay_what_they_are_where_they_are_known() -> None:
    raw: list[Wire] = [{"role": "developer", "content": "s"}, ASK]
    assert exported(raw, OpenAIChat()) == raw
    assert exported(raw, served("zen"))[0] == {"role": "system", "content": "s"}
    assert exported(raw, served("openai|o1-mini")) == [{"role": "user", "content": "<system>\ns\n</system>\n\nq"}]


def test_speakers_are_distinguished() -> None:
    raw: list[Wire] = [{**ASK, "name": "bob"}, MORE, {**MORE, "name": "eve"}, SAID, ASK]
    assert exported(raw, OpenAIChat()) == raw


def test_system_messages_stay_as_many_as_they_were() -> None:
    raw: list[Wire] = [RULED, RULED, ASK, SAID, {"role": "system", "content": parts("a", "b")}, RULED, MORE]
    assert exported(raw, OpenAIChat()) == raw


def test_custom_calls_go_to_openai_alone() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    raw: list[Wire] = [ASK, {"role": "assistant", "content": None, "tool_calls": [custom]}, tool("c1")]
    assert exported(raw, OpenAIChat()) == raw
    written = exported(raw, served("deepseek"))[1]["tool_calls"][0]
    assert written["function"] == {"name": "patch", "arguments": '{"input": "*** Begin"}'}


def test_a_refusal_is_text_for_others() -> None:
    raw: list[Wire] = [ASK, {"role": "assistant", "content": None, "refusal": "no"}, MORE]
    assert exported(raw, OpenAIChat())[1]["content"] == [{"type": "refusal", "refusal": "no"}]
    assert exported(raw, served("groq"))[1] == {"role": "assistant", "content": "no"}


@pytest.mark.parametrize("arguments", ['{"a": NaN}', '{"a": "\\ud83d"}', "", '"{}"', "[1]", "{"])
def test_arguments_are_an_object_for_strict_parsers(arguments: str) -> None:
    raw: list[Wire] = [ASK, call("abcdefghi", arguments=arguments, content=""), tool("abcdefghi")]
    export = MessageHistory.from_list(raw).export(served("ollama"))
    written = export.messages[1]["tool_calls"][0]["function"]["arguments"]
    read = json.loads(written, parse_constant=pytest.fail)
    assert isinstance(read, dict)
    json.dumps(read, ensure_ascii=False).encode()
    assert any(repair.code is RepairCode.REWRITTEN for repair in export.repairs)
    assert exported(raw, OpenAIChat())[1]["tool_calls"][0]["function"]["arguments"] == arguments


def test_a_system_prompt_alone_gets_a_user_message_where_there_must_be_one() -> None:
    wire = MessageHistory().with_system("be brief").for_send(Portable())
    assert [message["role"] for message in wire] == ["system", "user"]
    assert not check(wire, Portable())


def test_calls_without_ids_pair_with_their_results_by_position() -> None:
    raw: list[Wire] = [ASK, call("", ""), tool("", "first"), tool("", "second"), SAID, MORE]
    raw[1]["tool_calls"][1]["function"]["name"] = "g"
    history = MessageHistory.from_list(raw)
    assert [repair.code for repair in history.repairs] == [RepairCode.ID_ASSIGNED]
    assert [block.text for block in history[2].results] == ["first", "second"]
    assert [block.tool_use_id for block in history[2].results] == [block.id for block in history[1].calls]
    assert len({block.id for block in history[1].calls}) == 2


def test_a_function_message_of_2023_answers_the_last_open_call_of_its_name() -> None:
    raw: list[Wire] = [
        ASK,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"n": 1}'}},
        {"role": "function", "name": "f", "content": "first"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"n": 2}'}},
        {"role": "function", "name": "f", "content": "second"},
    ]
    history = MessageHistory.from_list(raw)
    assert history.repairs == ()
    assert [message.results[0].text for message in (history[2], history[4])] == ["first", "second"]


def test_function_messages_of_2023_cost_the_same_each() -> None:
    def lines(calls: int) -> int:
        raw: list[Wire] = [{**SAID, "function_call": {"name": "f", "arguments": "{}"}}] * calls
        raw += [{"role": "function", "name": "g", "content": "r"}] * calls
        return lines_of(lambda: OpenAIChat().parse(raw))

    assert lines(400) < 5 * lines(100)


FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
CALL = {"id": "c1", "type": "function", "function": FUNCTION}


@pytest.mark.parametrize(
    "keys",
    [
        {"tool_calls": CALL},
        {"tool_calls": json.dumps(CALL)},
        {"tool_calls": json.dumps([CALL])},
        {"tool_calls": [json.dumps(CALL)]},
        {"tool_calls": [{**CALL, "function": json.dumps(FUNCTION)}]},
        {"tool_calls": [{"id": "c1", "custom": json.dumps({"name": "f", "input": "i"})}]},
        {"function_call": json.dumps(FUNCTION)},
    ],
)
def test_calls_in_another_form_are_read_and_keep_their_results(keys: Wire) -> None:
    answer: Wire = tool("c1") if "tool_calls" in keys else {"role": "function", "name": "f", "content": "r"}
    history = MessageHistory.from_list([ASK, {**SAID, **keys}, answer])
    assert [call.name for call in history[1].calls] == ["f"]
    assert [result.text for result in history[2].results] == ["r"]
    (repair,) = history.repairs
    assert repair.code is RepairCode.VALUE_CONVERTED
    assert repair.removed


@pytest.mark.parametrize("keys", [{"tool_calls": "later"}, {"tool_calls": {"0": CALL}}, {"function_call": "auto"}])
def test_what_is_no_call_is_kept_with_the_message_and_not_sent(keys: Wire) -> None:
    history = MessageHistory.from_list([ASK, {**SAID, **keys}, MORE])
    assert history.repairs == ()
    assert history[1].calls == ()
    assert history[1].content[0].carried("openai_chat") == keys


@pytest.mark.parametrize("keys", [{"tool_calls": []}, {"tool_calls": None}, {"function_call": {}}, {"refusal": ""}])
def test_a_key_that_says_nothing_is_no_key(keys: Wire) -> None:
    for entry in (
        {**SAID, **keys},
        {**SAID, **keys, "audio": None, "reasoning_details": [], "reasoning": ""},
    ):
        history = MessageHistory.from_list([ASK, entry, MORE])
        assert history == MessageHistory.from_list([ASK, SAID, MORE])
        assert history.export(OpenAIChat()).repairs == ()


def told(raw: list[Wire], dialect: OpenAIChat | None = None) -> list[Any]:
    """Give what an export leaves out."""
    repairs = MessageHistory.from_list(raw, dialect=OpenAIChat()).export(dialect or OpenAIChat()).repairs
    return [item for repair in repairs if repair.code is RepairCode.WITHHELD for item in repair.removed]


def test_the_keys_of_a_message_are_told_whatever_it_begins_with() -> None:
    keys = {"note": {"id": 1}}
    for message in (
        {**call("c1"), **keys},
        {**SAID, **keys},
        {**SAID, "content": None, "audio": {"id": "a"}, **keys},
    ):
        assert told([ASK, message, tool("c1")], OpenAIChat(unknown_keys=False)) == [keys]
        assert told([ASK, message, tool("c1")]) == []


def test_a_key_that_a_message_and_its_first_block_both_have_is_told_twice() -> None:
    assert told([{"role": "user", "content": [{"type": "text", "text": "q", "note": 1}], "note": 2}]) == [
        {"note": 1},
        {"note": 2},
    ]


def test_a_name_that_is_no_text_or_not_the_last_of_its_message_is_told() -> None:
    assert told([{**ASK, "name": ["Ann"]}]) == [{"name": ["Ann"]}]
    assert told([ASK, {**SAID, "name": "Ann"}, {**SAID, "name": "Bob"}, MORE]) == [{"name": "Ann"}]


def test_a_file_goes_back_under_its_name() -> None:
    kept: Wire = {"type": "file", "file": {"file_id": "file-1", "filename": "a.pdf"}}
    held: Wire = {"type": "file", "file": {"file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"}}
    raw: list[Wire] = [{"role": "user", "content": parts("q", kept, held)}]
    assert exported(raw, OpenAIChat()) == raw
    both = {"type": "file", "file": {**held["file"], **kept["file"]}, "cache_control": {"type": "ephemeral"}}
    found = told([{"role": "user", "content": parts("q", both)}])
    assert found == [{"cache_control": {"type": "ephemeral"}, "file": {"file_id": "file-1"}}]


def test_a_custom_call_goes_back_without_the_keys_that_are_not_known() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "f", "input": "i", "odd": 1}, "note": "n"}
    raw: list[Wire] = [ASK, {"role": "assistant", "content": None, "tool_calls": [custom]}, tool("c1")]
    assert told(raw, OpenAIChat(unknown_keys=False)) == [{"custom": {"odd": 1}}]
    assert told(raw, OpenAIChat(call_keys=False, unknown_keys=False)) == [{"note": "n", "custom": {"odd": 1}}]


def test_a_result_keeps_the_name_that_it_came_with() -> None:
    raw: list[Wire] = [ASK, call("c1"), {**tool("c1"), "tool_name": "g"}]
    assert exported(raw, served("ollama native"))[2]["tool_name"] == "g"
    raw[2]["name"] = "h"
    assert told(raw) == [{"tool_name": "g"}]


def test_calls_of_an_unknown_role_are_the_assistant_s_when_they_were_answered() -> None:
    raw: list[Wire] = [ASK, {"role": "narrator", "content": "look", "tool_calls": [CALL]}, tool("c1")]
    history = MessageHistory.from_list(raw)
    assert [call.id for call in history[1].calls] == ["c1"]
    assert [result.text for result in history[2].results] == ["r"]
    (repair,) = MessageHistory.from_list(raw[:2]).repairs
    assert (repair.code, repair.removed) == (RepairCode.ENTRY_DROPPED, (freeze(raw[1])[0],))


def test_the_type_of_a_call_that_only_one_provider_knows_is_kept() -> None:
    search = {"id": "c1", "type": "builtin_function", "function": FUNCTION}
    history = MessageHistory.from_list([ASK, {"role": "assistant", "tool_calls": [search]}, tool("c1")])
    assert history[1].content[0].extra("openai_chat") == {"type": "builtin_function"}


NAN = {"x": float("nan")}


@pytest.mark.parametrize(
    "entry",
    [
        {**SAID, **NAN},
        {"role": "assistant", "tool_calls": [{**call("c1")["tool_calls"][0], **NAN}]},
        {"role": "assistant", "tool_calls": [{"id": "c1", "custom": {"name": "f", "input": "i"}, **NAN}]},
        {**tool("c1"), **NAN},
        {"role": "user", "content": [{"type": "text", "text": "q", **NAN}]},
        {"role": "user", "content": [{**image(), **NAN}]},
        {"role": "user", "content": [{"type": "document_url", "document_url": "https://e.x/d.pdf", **NAN}]},
        {"role": "user", "content": [{"type": "later", **NAN}]},
    ],
)
def test_an_unknown_key_that_json_cannot_carry_is_converted_and_told(entry: Wire) -> None:
    raw = [ASK, call("c1"), entry] if entry["role"] == "tool" else [ASK, entry]
    for dialect in (OpenAIChat(), Mistral()):
        history = MessageHistory.from_list(raw, dialect=dialect)
        recorded = [repair.detail for repair in history.repairs if repair.code is RepairCode.VALUE_CONVERTED]
        assert len(recorded) == 1
        assert "x: NaN, kept as text" in recorded[0]
        assert '"x": "NaN"' in json.dumps(history.to_list())
        assert MessageHistory.from_list(history.to_list(), open_tail="keep").repairs == ()


def test_an_image_part_without_an_image_is_left_out() -> None:
    export = MessageHistory.from_list([{"role": "user", "content": parts("q", {"type": "image_url"})}]).export(
        OpenAIChat()
    )
    assert export.messages == [ASK]
    assert [repair.code for repair in export.repairs] == [RepairCode.WITHHELD]


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("deepseek.chat", "deepseek"),
        ("moonshot.chat", "kimi"),
        ("dashscope.chat", "qwen"),
        ("groq.chat", "groq"),
        ("x-ai", "xai"),
        ("OpenCode Zen", "zen"),
        ("lmstudio.chat", "lm studio"),
        ("llama.cpp", "llama.cpp"),
        ("llamacpp", "llama.cpp"),
        ("ollama.chat", "ollama"),
        ("ollama /api/chat", "ollama native"),
        ("vllm.hf_template:gemma-3", "templates"),
        ("huggingface", "templates"),
    ],
)
def test_providers_have_many_names(name: str, provider: str) -> None:
    assert OpenAIChat.for_provider(name).provider == provider


ACCEPTED: list[tuple[str, list[Wire]]] = [
    ("openai|gpt-4o", [ASK, SAID]),
    ("openai|gpt-4.1", [ASK, call("c1"), tool("c1", parts("shot", image()))]),
    ("openrouter|anthropic/claude-haiku-4.5", [ASK, call("c1"), tool("c1", parts("shot", image()))]),
    ("azure|grok-4-fast", [ASK, call("c1"), tool("c1", parts("shot", image()))]),
    ("azure|gpt-4.1", [ASK, {"role": "assistant", "tool_calls": call("c1")["tool_calls"]}, tool("c1")]),
    ("deepseek|deepseek-chat", [ASK, call("c" * 43), tool("c" * 43)]),
    ("xai|grok-4", [ASK, call("c" * 43, content=""), tool("c" * 43)]),
    ("litellm|gemini", [ASK, call("c" * 4000), tool("c" * 4000)]),
    ("deepseek-v4-pro-0813", [ASK, call("c1"), tool("c1")]),
    ("writer|palmyra-x4", [ASK, {**SAID, "tool_calls": [{"type": "function", "function": {"name": "f",
                                                                                         "arguments": "{}"}}]},
                           {"role": "tool", "content": "r"}]),
    ("ollama|qwen3", [ASK, call("a"), tool("a", parts("r"))]),
    ("ollama|qwen3", [ASK, call("a", name="math.add"), tool("a")]),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "raw"), ACCEPTED)
def test_what_was_accepted_is_no_fault(provider: str, raw: list[Wire]) -> None:
    dialect = served(provider) if "|" in provider else OpenAIChat.for_model(provider)
    assert not check(raw, dialect)


@pytest.mark.parametrize(("provider", "raw"), ACCEPTED[:8])
def test_what_was_accepted_goes_out_as_it_came(provider: str, raw: list[Wire]) -> None:
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    exported = history.export(served(provider))
    assert [{**message, "content": message.get("content") or None} for message in exported.messages] == [
        {**message, "content": message.get("content") or None} for message in raw
    ]
    assert not history.repairs
    assert not exported.repairs


def test_a_list_may_end_with_the_assistant_where_nobody_was_seen_to_refuse_it() -> None:
    history = MessageHistory.from_list([ASK, SAID])
    assert history.for_send(OpenAIChat.for_model("gpt-4o")) == [ASK, SAID]
    for model, provider in (("sonar", "perplexity"), ("claude-opus-4.6", "openrouter"), ("qwen3", "llama.cpp")):
        assert history.for_send(OpenAIChat.for_model(model, provider))[-1]["role"] == "user"


@pytest.mark.parametrize("provider", ["mistral", "deepseek", "deepseek-r1"])
def test_a_prefix_goes_out_as_one_at_the_end_of_a_list_where_the_provider_says_so(provider: str) -> None:
    raw: list[Wire] = [ASK, {**SAID, "prefix": True}]
    dialect = OpenAIChat.for_model(provider)
    assert check(raw, dialect) == []
    history = MessageHistory.from_list(raw)
    assert history.for_send(dialect)[-1]["prefix"] is True
    assert history.for_send(dialect) == json.loads(history.for_send_json(dialect))
    assert history.export(dialect).repairs == ()
    later = history.add_user("no")
    assert not any("prefix" in message for message in later.for_send(dialect))
    assert later.for_send(dialect) == json.loads(later.for_send_json(dialect))
    assert [item for each in later.export(dialect).repairs for item in each.removed] == [{"prefix": True}]
    answer = MessageHistory.from_list([ASK, SAID])
    assert "prefix" not in answer.for_send(dialect)[-1]
    assert not any("prefix" in message for message in history.for_send(OpenAIChat.for_model("groq")))


def test_the_placeholder_before_a_leading_assistant_is_not_sent_where_such_a_list_is_taken() -> None:
    raw = [SAID, ASK]
    history = MessageHistory.from_list(raw)
    dialect = OpenAIChat.for_model("gpt-4o")
    assert history.for_send(dialect) == raw == json.loads(history.for_send_json(dialect))
    longer = history.add_assistant("b").add_user("c").add_assistant("d").add_user("e")
    assert longer.for_send(dialect)[:2] == raw
    assert longer.for_send(dialect) == json.loads(longer.for_send_json(dialect))
    assert history.for_send(OpenAIChat())[0]["role"] == "user"


def test_text_and_calls_are_two_messages_where_one_may_not_hold_both() -> None:
    raw = [ASK, call("c1", content="I look."), tool("c1"), {**SAID, "content": "done"}, MORE]
    dialect = OpenAIChat.for_model("gemini-3.6-flash", "vertex")
    history = MessageHistory.from_list(raw)
    wire = history.for_send(dialect)
    assert [message["role"] for message in wire] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert not check(wire, dialect)
    assert wire == json.loads(history.for_send_json(dialect))
    assert [repair.code for repair in history.export(dialect).repairs] == [RepairCode.PLACEHOLDER_ADDED]


def test_a_system_prompt_is_sent_alike_as_values_and_as_json() -> None:
    history = MessageHistory().with_system("s").add_user("q").add_assistant("a").add_user("more")
    dialect = OpenAIChat.for_model("Qwen/Qwen3.5-27B", "vllm")
    assert json.loads(history.for_send_json(dialect)) == history.for_send(dialect)


def test_a_signature_of_reasoning_is_recorded_where_it_cannot_be_sent() -> None:
    thinking = ThinkingBlock("hm", "c2ln", meta=Meta(issuer="openai_chat"))
    history = MessageHistory().add_user("q").add_assistant([thinking, TextBlock("a")]).add_user("more")
    for provider in ("kimi", "deepseek", "openrouter"):
        repairs = history.export(OpenAIChat.for_provider(provider)).repairs
        assert any(removed == {"signature": "c2ln"} for repair in repairs for removed in repair.removed)


@pytest.mark.parametrize("dialect", [OpenAIChat(), Mistral(), Mistral.for_version(13)])
def test_a_check_is_linear_in_the_calls_of_a_message(dialect: Dialect[Any]) -> None:
    def lines(count: int) -> int:
        ids = [f"{n:09}" for n in range(count)]
        wire = [ASK, call(*ids, content=""), *(tool(id) for id in reversed(ids))]
        return lines_of(lambda: check(wire, dialect))

    assert lines(400) < 5 * lines(100)


def test_annotations_go_back_to_openai_and_are_recorded_elsewhere() -> None:
    cited = [{"type": "url_citation", "url_citation": {"url": "https://example.com", "title": "t"}}]
    raw = [ASK, {**SAID, "annotations": cited}, MORE]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    assert history.for_send(OpenAIChat.for_model("gpt-5-mini")) == raw
    assert [repair.code for repair in history.export(OpenAIChat.for_provider("groq")).repairs] == [RepairCode.WITHHELD]


def test_what_a_function_gave_that_nobody_called_goes_back_to_openai() -> None:
    raw = [ASK, {"role": "function", "name": "now", "content": '{"time": "10:30"}'}]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    assert not history.repairs
    assert history.for_send(OpenAIChat()) == raw
    assert not check(raw, OpenAIChat())
    assert [repair.code for repair in history.export(OpenAIChat.for_provider("groq")).repairs][:1] == [
        RepairCode.WITHHELD
    ]


def test_a_function_that_was_called_is_answered() -> None:
    called = {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}}
    raw = [ASK, called, {"role": "function", "name": "now", "content": "10:30"}]
    history = MessageHistory.from_list(raw, dialect=OpenAIChat())
    assert [message["role"] for message in history.for_send(OpenAIChat())] == ["user", "assistant", "tool"]
    assert not history.awaiting


@pytest.mark.parametrize(
    ("address", "provider"),
    [
        ("https://api.deepseek.com/v1", "deepseek"),
        ("api.x.ai", "xai"),
        ("openrouter.ai", "gateway"),
        ("https://my-models.openai.azure.com/openai/v1", "azure"),
        ("open.bigmodel.cn", "glm"),
        ("us-east5-aiplatform.googleapis.com", "vertex"),
        ("ark.cn-beijing.volces.com", "ark"),
        ("api.writer.com", "writer"),
        ("api.openai.com", "openai"),
        ("llama.cpp", "llama.cpp"),
        ("ollama.native", "ollama native"),
    ],
)
def test_a_provider_may_be_given_by_its_address(address: str, provider: str) -> None:
    assert OpenAIChat.for_provider(address).provider == provider


def test_arguments_that_are_no_json_are_no_fault_where_nobody_was_seen_to_refuse_them() -> None:
    raw = [ASK, call("c1", arguments=""), tool("c1")]
    for provider in ("groq", "xai|grok-4", "deepseek|deepseek-chat", "openai"):
        assert not check(raw, served(provider))
    for provider in ("qwen", "minimax", "openrouter", "ollama"):
        assert check(raw, served(provider))


def test_keys_of_calls_that_nobody_documents_go_back_to_openai_and_the_place_of_a_call_is_no_loss() -> None:
    raw = [ASK, call("c1"), tool("c1")]
    raw[1]["tool_calls"][0] |= {"index": 0, "args": "{}"}
    ours, theirs = OpenAIChat.for_model("gpt-4o-mini"), OpenAIChat.for_provider("deepseek")
    history = MessageHistory.from_list(raw, dialect=ours)
    assert history.for_send(ours) == raw
    assert history.export(ours).repairs == ()
    (left,) = [repair for repair in history.export(theirs).repairs if repair.code is RepairCode.WITHHELD]
    assert left.detail.endswith("args")
    noted = [ASK, {**SAID, "annotations": [], "audio": None, "refusal": None}, MORE]
    assert not MessageHistory.from_list(noted).export(theirs).repairs


def test_models_of_other_makers_are_not_judged_by_what_openai_alone_refuses() -> None:
    long = "c" * 46
    raw = [ASK, call(long), tool(long)]
    for model in ("llama-3.3-70b-versatile", "gpt-oss-120b", "qwen3"):
        assert check(raw, OpenAIChat.for_model(model)) == []
    assert {violation.rule for violation in check(raw, OpenAIChat.for_model("gpt-4o"))} == {"OC-06"}


@pytest.mark.parametrize("role", ["ai", "AI", "Assistant", "bot", "gpt", "agent"])
@pytest.mark.parametrize("dialect", [OpenAIChat(), Anthropic(), Bedrock(), LangChain(), None])
def test_the_assistant_goes_by_other_names_too(role: str, dialect: Dialect[Any] | None) -> None:
    content: Any = [{"text": "a"}] if isinstance(dialect, Bedrock) else "a"
    calls = [] if isinstance(dialect, Bedrock) else [{**call("c1"), "role": role}]
    history = MessageHistory.from_list([ASK, {"role": role, "content": content}, *calls], dialect=dialect)
    assert history[1].text == "a"
    assert len(history[1].calls) == len(calls)
    assert RepairCode.ROLE_ASSUMED not in [repair.code for repair in history.repairs]


def test_text_and_calls_are_two_messages_where_the_template_shows_only_one_of_them() -> None:
    raw = [ASK, call("c1", content="I look."), tool("c1")]
    calls = {**call("c1"), "content": ""}

    export = MessageHistory.from_list(raw).export(served("vllm|meta-llama/Llama-3.3-70B-Instruct"))

    assert export.messages == [ASK, {"role": "assistant", "content": "I look."}, calls, tool("c1")]
    assert [str(repair) for repair in export.repairs] == [
        "message 1: rewritten (lossless): text and calls of one message as two (HF-14)"
    ]


def test_results_have_the_name_of_their_tool_and_content_is_parts_where_a_template_wants_it() -> None:
    wire = exported([RULED, ASK, call("c1"), tool("c1")], served("measured"))

    assert [message["role"] for message in wire] == ["system", "user", "assistant", "tool"]
    assert [[part["type"] for part in message["content"]] for message in wire] == [["text"], ["text"], [], ["text"]]
    assert wire[-1]["name"] == wire[2]["tool_calls"][0]["function"]["name"]


def test_reasoning_inside_the_content_is_its_beginning() -> None:
    raw: list[Wire] = [ASK, SAID, {**SAID, "reasoning_content": "hm"}, {**SAID, "reasoning_content": "ah"}]

    content = exported(raw, served("cerebras|zai-glm-4.7"))[1]["content"]

    assert content.startswith("<think>\nhm\n</think>\n\n<think>\nah\n</think>\n\n")


@pytest.mark.parametrize(
    ("said", "is_sent"),
    [
        ("I look.<think>\na\n</think>Here.", "<think>\na\n</think>\nI look.\nHere."),
        ("<think>a</think>One.<think>b</think>Two.", "<think>ab</think>\nOne.\nTwo."),
        ("<think>a</think>\n\nHere.", "<think>a</think>\n\nHere."),
        ("Of <think> alone.", "Of <think> alone."),
    ],
)
@pytest.mark.parametrize("called", [False, True])
def test_reasoning_inside_a_text_comes_before_it_where_a_template_cuts_that_off(
    said: str, is_sent: str, called: bool
) -> None:
    dialect = OpenAIChat(thinking_first=True, prefill=True)
    raw = [ASK, {**SAID, "content": said, **({"tool_calls": [CALL]} if called else {})}]
    raw += [tool("c1")] if called else []
    export = MessageHistory.from_list(raw).export(dialect)
    assert export.messages[1]["content"] == is_sent
    assert [repair.code for repair in export.repairs] == ([RepairCode.REWRITTEN] if said != is_sent else [])
    assert MessageHistory.from_list(export.messages).for_send(dialect) == export.messages


def test_a_template_is_measured_by_another_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "message_history_measure", None)

    with pytest.raises(
        ModuleNotFoundError, match=r"message_history_measure is not installed; .*message-history\[measure\]"
    ):
        OpenAIChat.for_template("{{ messages }}")


@pytest.mark.parametrize(("signature", "is_sent"), [("bm90IGFsbA==", True), ("not base64!", False)])
def test_a_signature_of_gemini_that_is_no_base64_is_not_sent(signature: str, is_sent: bool) -> None:
    signed = {**CALL, "extra_content": {"google": {"thought_signature": signature}}}
    history = MessageHistory.from_list([ASK, {"role": "assistant", "tool_calls": [signed]}, tool("c1")])
    export = history.export(OpenAIChat())
    assert ("extra_content" in export.messages[1]["tool_calls"][0]) is is_sent
    assert bool(export.repairs) is not is_sent


def test_tags_of_reasoning_stay_where_they_were_written_unless_the_server_wants_them_first() -> None:
    words = "<think>a</think>b<think>c</think>d"
    history = MessageHistory().add_user("q").add_assistant(words).add_user("r")
    assert history.for_send(OpenAIChat())[1]["content"] == words
    assert history.export(OpenAIChat()).repairs == ()
    assert history.for_send(OpenAIChat(thinking_first=True))[1]["content"] != words


def test_several_texts_are_told_to_be_one_and_one_text_is_not() -> None:
    dialect = OpenAIChat(parts="joined")
    for count in (1, 2):
        parts = [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}] * count
        exported = MessageHistory.from_list([{"role": "user", "content": parts}], dialect=dialect).export(dialect)
        assert [found.detail for found in exported.repairs if "as one" in found.detail] == ["2 texts as one"] * (
            count - 1
        )


def test_what_a_function_gave_that_nobody_called_goes_to_hosts_that_know_its_role_alone() -> None:
    given = {"role": "function", "name": "g", "content": "r"}
    history = MessageHistory.from_list([ASK, given, ASK], dialect=OpenAIChat())
    assert history.for_send(OpenAIChat()) == [ASK, given, ASK]
    for dialect in (Portable(), OpenAIChat(function_role=False)):
        exported = history.export(dialect)
        assert [entry["role"] for entry in exported.messages if entry["role"] != "user"] == []
        assert any("function" in repr(repair.removed) for repair in exported.repairs)
