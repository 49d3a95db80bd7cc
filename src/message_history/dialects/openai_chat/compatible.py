"""The rules of the servers that speak Chat Completions, as data: ids as in the catalogue they came from.

Texts are verbatim, `{...}` stands for what differs. A rule without a text is documented, or shows in no error: the
server changes what it was sent, or its answer gets worse.
"""

from __future__ import annotations

from typing import Final

from message_history.dialects.base import Rule

__all__ = ["RULES", "UNCHECKED"]

_GH: Final = "https://github.com/"
_RECIPE: Final = _GH + "dandandujie/dsr-go"
_KIMI: Final = _GH + "MoonshotAI/kimi-cli"
_OLLAMA: Final = _GH + "ollama/ollama"

_AZURE: Final = (
    Rule(
        id="AZ-01",
        rule="Older API versions want the key `content` on every message, also beside calls.",
        errors=("'content' is a required property - 'messages.{n}'",),
        repair="The key is always written.",
        source=_GH + "letta-ai/letta/issues/467",
        date="2026-10",
    ),
    Rule(
        id="AZ-02",
        rule="The list holds at most 2048 messages.",
        errors=('"$.messages" is too long. Maximum length is 2048, but got {count} items',),
        repair="None in a render: a window of the history is shorter.",
        source="https://portkey.ai/error-library/length-limit-error-10026",
        date="2026-10",
    ),
    Rule(
        id="AZ-03",
        rule="Requests with one's own data (Azure AI Search) take text as content, no list of parts.",
        errors=("Invalid chat message detected: message content must be string",),
        repair="Text parts are joined; images are left out with a note.",
        source=_GH + "openai/openai-dotnet/issues/218",
        date="2026-10",
    ),
)

_DEEPSEEK: Final = (
    Rule(
        id="DS-01",
        rule="As many tool messages follow an assistant message as it makes calls.",
        errors=(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. (insufficient tool messages following tool_calls message)",
        ),
        repair="A displaced result is moved to its call; a call without a result gets an honest stub.",
        source=_GH + "agno-agi/agno/issues/3105",
        date="2026-10",
    ),
    Rule(
        id="DS-02",
        rule="Each of those tool messages carries the id of a call that still waits.",
        errors=(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. Unexpected tool_call_id: {ids}",
        ),
        repair="A result of no known call is dropped, and its call stubbed.",
        source=_RECIPE,
        date="2026-08",
    ),
    Rule(
        id="DS-03",
        rule="A tool message stands behind an assistant message with calls.",
        errors=("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",),
        repair="It is moved to its call; one of no known call is dropped.",
        source=_GH + "FoundationAgents/OpenManus/issues/23",
        date="2026-10",
    ),
    Rule(
        id="DS-04",
        rule="Ids differ within an assistant message, by report in the whole list, and are answered once.",
        errors=("Duplicate value for 'tool_call_id' of {ids} in message[{n}]",),
        repair="An id that was used before gets another one, on both sides.",
        source=_GH + "NousResearch/hermes-agent/issues/58350",
        date="2026-10",
    ),
    Rule(
        id="DS-05",
        rule="`tool_calls` is absent or holds a call.",
        errors=(
            "Invalid 'messages[{n}].tool_calls': empty array. Expected an array with minimum length 1, but got an "
            "empty array instead.",
        ),
        repair="The key is written only where there are calls.",
        source=_GH + "NousResearch/hermes-agent/issues/84365",
        date="2026-10",
    ),
    Rule(
        id="DS-06",
        rule="An assistant message has content, if only an empty text, or calls.",
        errors=("Invalid assistant message: content or tool_calls must be set",),
        repair="A message without content is dropped.",
        source=_GH + "carlrobertoh/ProxyAI/issues/830",
        date="2026-10",
    ),
    Rule(
        id="DS-07",
        rule="For deepseek-reasoner of early 2025, user and assistant take turns.",
        errors=(
            "{model} does not support successive user or assistant messages (messages[{before}] and messages[{n}] in "
            "your input). You should interleave the user/assistant messages in the message sequence.",
        ),
        repair="Neighbours of one role are one message.",
        source=_GH + "deepseek-ai/DeepSeek-R1/issues/21",
        date="2025-02",
    ),
    Rule(
        id="DS-08",
        rule="For deepseek-reasoner of early 2025, the last message is the user's.",
        errors=(
            "The last message of {model} must be a user message, or an assistant message with prefix mode on (refer "
            "to https://api-docs.deepseek.com/guides/chat_prefix_completion).",
        ),
        repair="System words stay in the user's turn; a trailing answer gets a user turn behind it.",
        source=_GH + "BerriAI/litellm/issues/8090",
        date="2025-02",
    ),
    Rule(
        id="DS-09",
        rule="While the model thinks, assistant messages with calls have `reasoning_content`, and all of them once one "
        "has; it may be empty.",
        errors=(
            "Missing `reasoning_content` field in the assistant message at message index {n}. For more information, "
            "please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        repair="Its own reasoning goes back as it came; a message without gets an empty one.",
        source="https://api-docs.deepseek.com/guides/thinking_mode",
        date="2026-04",
    ),
    Rule(
        id="DS-10",
        rule="R1 of early 2025 does not take `reasoning_content` back.",
        errors=(),
        repair="Reasoning is left out there.",
        source=_GH + "matjanos/opencode/issues/1",
        date="2025-04",
    ),
    Rule(
        id="DS-11",
        rule="Text models take no images, older ones no list of parts from assistant and tools.",
        errors=(
            "Failed to deserialize the JSON body into the target type: messages[{n}]: unknown variant `{kind}`, "
            "expected `text` at line {line} column {column}",
            "Failed to deserialize the JSON body into the target type: messages[{n}]: data did not match any variant "
            "of untagged enum ChatCompletionRequestContent",
            "Failed to deserialize the JSON body into the target type: messages[{n}]: invalid type: sequence, expected "
            "a string",
        ),
        repair="Text parts are joined; an image is left out with a note in its place.",
        source=_GH + "chatboxai/chatbox/issues/1740",
        date="2026-10",
    ),
    Rule(
        id="DS-12",
        rule="Every part has a type.",
        errors=(
            "Failed to deserialize the JSON body into the target type: messages[{n}]: missing field `type` at line "
            "{line} column {column}",
        ),
        repair="Content whose items are no parts is kept as its JSON text.",
        source=_GH + "smallmain/vscode-unify-chat-provider/issues/324",
        date="2026-10",
    ),
    Rule(
        id="DS-13",
        rule="Images come from user and tools only, and no text, name or argument spells the model's image token.",
        errors=(
            'The sub-string "{token}" in your input is not allowed for this API. Please remove "{token}" from your '
            "input and try again.",
        ),
        repair="A zero-width space is put into the token.",
        source=_RECIPE,
        date="2026-08",
    ),
    Rule(
        id="DS-14",
        rule="The list holds at least one message.",
        errors=("Empty input messages",),
        repair="None is possible: an empty history has nothing to send.",
        source=_RECIPE,
        date="2026-08",
    ),
)

_KIMI_RULES: Final = (
    Rule(
        id="KM-01",
        rule="An assistant message without calls has content that is not empty.",
        errors=("Invalid request: the message at position {n} with role 'assistant' must not be empty",),
        repair="A message without content is dropped; one of nothing but reasoning gets a fixed placeholder.",
        source=_GH + "AIDotNet/OpenCowork/issues/10",
        date="2026-10",
    ),
    Rule(
        id="KM-02",
        rule="No text part is empty, and a tool message has a text that is not.",
        errors=("text content is empty",),
        repair="Content that is not there is left out beside calls; an empty result says that it is empty.",
        source=_KIMI + "/issues/1663",
        date="2026-10",
    ),
    Rule(
        id="KM-03",
        rule="Every call is answered in the run of tool messages right behind its assistant message.",
        errors=(
            "an assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
        ),
        repair="A result that is displaced is moved to its call; a call without a result gets an honest stub.",
        source=_KIMI + "/issues/1977",
        date="2026-10",
    ),
    Rule(
        id="KM-04",
        rule="A tool message's id is not empty and is that of a call before it.",
        errors=("Invalid request: tool_call_id  is not found",),
        repair="A missing id is made from the position, on both sides; a result of no known call is dropped.",
        source="a public report of the answer of api.moonshot.cn",
        date="2026-10",
    ),
    Rule(
        id="KM-05",
        rule="While the model thinks, assistant messages with calls have `reasoning_content`.",
        errors=("thinking is enabled but reasoning_content is missing in assistant tool call message at index {n}",),
        repair="Its own reasoning goes back as it came; a message without gets an empty one.",
        source=_GH + "mastra-ai/mastra/issues/12592",
        date="2026-10",
    ),
    Rule(
        id="KM-06",
        rule="Parts are text and images, for some models videos.",
        errors=("the message at position {n} with role '{role}' contains an invalid part type: {kind}",),
        repair="Other parts are left out.",
        source=_KIMI + "/issues/788",
        date="2026-10",
    ),
    Rule(
        id="KM-07",
        rule="The list holds at least one message.",
        errors=("Invalid request: messages must not be empty",),
        repair="None is possible: an empty history has nothing to send.",
        source="a public report of the answer of api.moonshot.cn",
        date="2026-10",
    ),
)

_QWEN: Final = (
    Rule(
        id="QW-01",
        rule="Every call is answered in the run of tool messages right behind its assistant message.",
        errors=(
            '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by '
            'tool messages responding to each "tool_call_id". The following tool_call_ids did not have response '
            "messages: message[{m}].role",
        ),
        repair="A result that is displaced is moved to its call; a call without a result gets an honest stub.",
        source=_GH + "QwenLM/qwen-code/issues/315",
        date="2026-10",
    ),
    Rule(
        id="QW-02",
        rule="A tool message stands behind an assistant message that makes its call.",
        errors=(
            '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding '
            'message with "tool_calls".',
        ),
        repair="It is moved to its call; one of no known call is dropped.",
        source=_GH + "QwenLM/qwen-code/issues/2360",
        date="2026-10",
    ),
    Rule(
        id="QW-03",
        rule="`tool_calls` is absent or holds a call.",
        errors=("Empty tool_calls is not supported in message",),
        repair="The key is written only where there are calls.",
        source=_GH + "smallmain/vscode-unify-chat-provider/issues/65",
        date="2026-10",
    ),
    Rule(
        id="QW-04",
        rule="A call's arguments are the text of one JSON object.",
        errors=(
            '<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be '
            "in JSON format.",
        ),
        repair="Text that is none is sent in an object, under `_raw`.",
        source=_GH + "HKUDS/nanobot/issues/1487",
        date="2026-10",
    ),
    Rule(
        id="QW-05",
        rule="A tool's name has at most 64 characters.",
        errors=("<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.",),
        repair="A longer name is cut, with a hash of the whole behind it.",
        source=_GH + "QwenLM/Qwen3-VL/issues/2069",
        date="2026-10",
    ),
)

_OTHERS: Final = (
    Rule(
        id="GQ-01",
        rule="Groq refuses `reasoning_content`, and `reasoning` where the model does not know it.",
        errors=(
            "'messages.{n}' : for 'role:assistant' the following must be satisfied[('messages.{n}' : property "
            "'{key}' is unsupported)]",
            "'messages.{n}' : for 'role:assistant' the following must be satisfied[('messages.{n}' : property "
            "'{key}' is unsupported, did you mean 'role'?)]",
        ),
        repair="Reasoning is left out; for gpt-oss it goes back as `reasoning`.",
        source=_GH + "karthink/gptel/issues/774",
        date="2026-10",
    ),
    Rule(
        id="GQ-02",
        rule="Groq refuses `reasoning` for models that do not reason, an empty one too.",
        errors=("messages[{n}].reasoning: reasoning is not supported with this model",),
        repair="The key is left out.",
        source=_GH + "vercel/ai/issues/8057",
        date="2026-10",
    ),
    Rule(
        id="GQ-03",
        rule="Groq takes 5 images in a request, of 33 megapixels each and 4 MB together.",
        errors=(),
        repair="A larger image is scaled; of too many, the oldest are replaced by a text that says so.",
        source="https://console.groq.com/docs/vision",
        date="2026-08",
    ),
    Rule(
        id="CB-01",
        rule="Cerebras refuses `reasoning_content`.",
        errors=("messages.{n}.assistant.{key}: property 'messages.{n}.assistant.{key}' is unsupported",),
        repair="For gpt-oss it goes back as `reasoning`, for GLM inside the content, elsewhere it is left out.",
        source=_GH + "Kilo-Org/kilocode/issues/10375",
        date="2026-10",
    ),
    Rule(
        id="XA-01",
        rule="Grok wants at least one content element in every message.",
        errors=("Invalid request content: Each message must have at least one content element.",),
        repair="A message without content is dropped, or gets a fixed placeholder.",
        source=_GH + "AstrBotDevs/AstrBot/issues/6447",
        date="2026-10",
    ),
    Rule(
        id="XA-02",
        rule="Grok wants one of them not to be empty.",
        errors=("An empty message was provided. Every message needs at least one non-empty content element.",),
        repair="Empty messages are dropped; an empty result says that it is empty.",
        source=_GH + "langbot-app/LangBot/issues/1205",
        date="2026-10",
    ),
    Rule(
        id="XA-03",
        rule="Grok takes PNG and JPEG, of 20 MB each.",
        errors=("Invalid PNG image",),
        repair="Another format is re-encoded, a larger image scaled; what is no image is replaced by a text.",
        source="https://docs.x.ai/docs/guides/image-understanding",
        date="2026-09",
    ),
    Rule(
        id="MM-01",
        rule="MiniMax reads a call's arguments as JSON.",
        errors=("invalid params, invalid function arguments json string, tool_call_id: {ids} (2013)",),
        repair="Text that is none is sent in an object, under `_raw`.",
        source=_GH + "can1357/oh-my-pi/issues/181",
        date="2026-10",
    ),
    Rule(
        id="GW-01",
        rule="Proxies like LiteLLM want the key `content` on messages with calls.",
        errors=("422, message.{n}.content invalid input",),
        repair="The key is always written.",
        source=_GH + "MoonshotAI/kimi-code/issues/3017",
        date="2026-10",
    ),
    Rule(
        id="GW-02",
        rule="OpenCode Zen does not know developer messages.",
        errors=("400 Incorrect role information",),
        repair="They go out as system messages.",
        source=_GH + "badlogic/pi-mono/issues/755",
        date="2026-10",
    ),
    Rule(
        id="GW-03",
        rule="Gateways want a call's arguments to be the text of a JSON object.",
        errors=(
            "invalid_prompt: Invalid request: messages.{n}.tool_calls.{m}.function.arguments: arguments must be a "
            "valid JSON object string",
        ),
        repair="Text that is none is sent in an object, under `_raw`.",
        source=_GH + "justrach/codegraff/issues/752",
        date="2026-10",
    ),
    Rule(
        id="OT-01",
        rule="OpenRouter hands on what the provider behind it demands, and its text.",
        errors=("Upstream error from {name}: {error}", "Provider returned error"),
        repair="The list is written for the strictest of them, or for the model's own provider where it is named.",
        source=_GH + "continuedev/continue/issues/11270",
        date="2026-10",
    ),
)

_TEMPLATES: Final = (
    Rule(
        id="HF-01",
        rule="Templates of Llama 2, Mistral 0.x, Gemma 1 to 3, Phi 3 and Zephyr want user and assistant to take turns "
        "behind at most one system message.",
        errors=("Conversation roles must alternate user/assistant/user/assistant/...",),
        repair="Neighbours of one role are one message; calls and results are written as text.",
        source=_GH + "suitenumerique/conversations/issues/197",
        date="2026-10",
    ),
    Rule(
        id="HF-02",
        rule="Newer templates of Mistral want that too, calls and results aside; no user message follows a result.",
        errors=(
            "After the optional system message, conversation roles must alternate user and assistant roles except "
            "for tool calls and results.",
        ),
        repair="A short assistant message is put between results and the user's words.",
        source=_GH + "mistralai/mistral-vibe/issues/1006",
        date="2026-10",
    ),
    Rule(
        id="HF-03",
        rule="Templates of Gemma 1 and 2 and of old Mistral models have no system role.",
        errors=("System role not supported",),
        repair="System words are marked text of the first user message.",
        source=_GH + "vllm-project/vllm/issues/2964",
        date="2026-10",
    ),
    Rule(
        id="HF-04",
        rule="Templates of Qwen 3.5 and later take one system message, at the beginning.",
        errors=("System message must be at the beginning.",),
        repair="Leading system messages are one; later ones are marked text of the user's turn.",
        source=_GH + "vllm-project/vllm/issues/41114",
        date="2026-10",
    ),
    Rule(
        id="HF-05",
        rule="Templates of Qwen 3.5 want a user message.",
        errors=("No user query found in messages.",),
        repair="A history begins with the user; a system prompt alone gets a placeholder turn.",
        source=_GH + "vllm-project/vllm/issues/36432",
        date="2026-10",
    ),
    Rule(
        id="HF-06",
        rule="Templates of Llama 3.1 and 3.2 take one call per assistant message.",
        errors=("This model only supports single tool-calls at once!",),
        repair="Parallel calls are sent one after the other, each with its result.",
        source=_GH + "vllm-project/vllm/issues/25108",
        date="2026-10",
    ),
    Rule(
        id="HF-07",
        rule="vLLM reads a call's arguments as JSON.",
        errors=(
            "json.decoder.JSONDecodeError: {error}: line {line} column {column} (char {position})",
            "Unterminated string starting at: line {line} column {column} (char {position})",
        ),
        repair="Text that is none is sent in an object, under `_raw`.",
        source=_GH + "vllm-project/vllm/issues/43995",
        date="2026-10",
    ),
    Rule(
        id="HF-08",
        rule="Templates of Qwen 3 Coder and later go through the arguments as an object.",
        errors=("Can only get item pairs from a mapping.",),
        repair="Text that is no object is sent in one, under `_raw`.",
        source=_GH + "QwenLM/Qwen3-Coder/issues/444",
        date="2026-10",
    ),
    Rule(
        id="HF-09",
        rule="A tool message follows a call that the template sees; some servers drop messages whose content is null.",
        errors=("Message has tool role, but there was no previous assistant message with a tool call!",),
        repair="Content that is not there is sent as empty text.",
        source=_GH + "cubist38/mlx-openai-server/issues/205",
        date="2026-10",
    ),
    Rule(
        id="HF-10",
        rule="LM Studio, mlx-vlm and llama-cpp-python want content to be text or parts, also beside calls.",
        errors=("Invalid 'content': 'content' field must be a string or an array of objects.",),
        repair="Content that is not there is sent as empty text.",
        source=_GH + "lmstudio-ai/lmstudio-bug-tracker/issues/261",
        date="2026-10",
    ),
    Rule(
        id="HF-11",
        rule="llama.cpp does not continue an answer while the model thinks.",
        errors=("Assistant response prefill is incompatible with enable_thinking.",),
        repair="A trailing answer gets a user turn behind it.",
        source=_GH + "ggml-org/llama.cpp/issues/20861",
        date="2026-10",
    ),
    Rule(
        id="HF-12",
        rule="The list does not end with two assistant messages.",
        errors=("Cannot have 2 or more assistant messages at the end of the list.",),
        repair="Neighbours of one role are one message.",
        source=_GH + "NousResearch/hermes-agent/issues/80265",
        date="2026-10",
    ),
    Rule(
        id="HF-13",
        rule="llama.cpp wants every call to have a type.",
        errors=("Missing tool call type",),
        repair="The type is always written.",
        source=_GH + "lemonade-sdk/lemonade/issues/1481",
        date="2026-10",
    ),
)

_OLLAMA_RULES: Final = (
    Rule(
        id="OL-01",
        rule="Ollama's own API takes text as content, images beside it, and arguments as objects.",
        errors=("json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",),
        repair="The list is written in that form.",
        source=_GH + "BerriAI/litellm/issues/11273",
        date="2026-10",
    ),
    Rule(
        id="OL-02",
        rule="Content is null on messages with calls only.",
        errors=("invalid message content type: <nil>",),
        repair="A message without content is dropped; an empty result is sent as empty text.",
        source=_OLLAMA,
        date="2026-08",
    ),
    Rule(
        id="OL-03",
        rule="A call's arguments are the text of a JSON object; an empty text is none.",
        errors=("invalid tool call arguments",),
        repair="Empty text is sent as an empty object, other text in an object, under `_raw`.",
        source=_OLLAMA,
        date="2026-08",
    ),
    Rule(
        id="OL-04",
        rule="Parts are text, images as base64 and audio.",
        errors=(
            "invalid message format",
            "image URLs are not currently supported, please use base64 encoded data instead",
        ),
        repair="Other parts, and images that are only a URL, are left out with a note.",
        source=_OLLAMA,
        date="2026-08",
    ),
    Rule(
        id="OL-05",
        rule="A tool message whose content is a list loses its id, and each part becomes a message of its own.",
        errors=(),
        repair="Assistant and tool messages have one text as content.",
        source=_OLLAMA,
        date="2026-08",
    ),
)

_MISTRAL: Final = (
    Rule(
        id="MI-01",
        rule="System messages follow system and user messages only, tool messages assistant and tool messages only, "
        "and in releases before 2026-04 no user message follows a tool message.",
        errors=(
            "Unexpected role 'user' after role 'tool'",
            "Unexpected role '{role}' after role '{behind}'",
        ),
        repair="A short assistant message stands between results and the user's words; a late system message is marked "
        "text of the user's turn.",
        source=_GH + "mistralai/mistral-vibe/issues/454",
        date="2026-07",
    ),
    Rule(
        id="MI-02",
        rule="An assistant message is followed by as many tool messages as it makes calls.",
        errors=("Not the same number of function calls and responses",),
        repair="A displaced result is moved to its call; a call without a result gets an honest stub.",
        source=_GH + "mistralai/client-ts/issues/106",
        date="2026-07",
    ),
    Rule(
        id="MI-03",
        rule="The ids of a turn differ, and each is answered once.",
        errors=(
            "Unexpected tool call id {ids} in tool results",
            "Duplicate tool call id {ids} in tool results",
            "Duplicate tool call id {ids} in assistant message",
        ),
        repair="A result of no known call is dropped, a second one dropped or quoted, a second id rewritten.",
        source=_GH + "mistralai/mistral-common",
        date="2026-07",
    ),
    Rule(
        id="MI-04",
        rule="An id is nine letters and digits.",
        errors=("Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",),
        repair="Another id is rewritten on both sides.",
        source=_GH + "vllm-project/vllm/issues/9019",
        date="2026-07",
    ),
    Rule(
        id="MI-05",
        rule="An assistant message has content or calls.",
        errors=(
            "Assistant message must have either content or tool_calls, but not none.",
            "Assistant message must have either content or tool_calls, but not both.",
        ),
        repair="A message without content is dropped.",
        source=_GH + "solbrowse/extension/issues/16",
        date="2026-07",
    ),
    Rule(
        id="MI-06",
        rule="The last message is the user's or a tool's.",
        errors=(
            "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for "
            "serving but got assistant",
        ),
        repair="A trailing answer gets a user turn behind it.",
        source=_GH + "mistralai/mistral-common",
        date="2026-07",
    ),
    Rule(
        id="MI-07",
        rule="A function's name is made of letters, digits, `_` and `-`, 64 at most.",
        errors=(
            "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum "
            "length of 64.",
        ),
        repair="A missing name becomes `unknown_tool`, another one is rewritten.",
        source=_GH + "mistralai/mistral-common",
        date="2026-07",
    ),
    Rule(
        id="MI-08",
        rule="A message has no key that its role does not know.",
        errors=(
            '{"type":"extra_forbidden","loc":["body","messages",{n},"{role}","{key}"],"msg":"Extra inputs are not '
            'permitted"}',
        ),
        repair="Only known keys are sent.",
        source=_GH + "charmbracelet/crush/issues/1590",
        date="2026-07",
    ),
    Rule(
        id="MI-09",
        rule="Roles are system, user, assistant and tool, system and user messages have content, and there is one.",
        errors=(
            "Input tag '{role}' found using 'role' does not match any of the expected tags",
            "Conversation must have at least one message",
            "Conversation must start with a user message or system message",
        ),
        repair="Developer messages are system messages; an empty history has nothing to send.",
        source=_GH + "mistralai/mistral-common",
        date="2026-07",
    ),
)

RULES: Final = (*_AZURE, *_DEEPSEEK, *_KIMI_RULES, *_QWEN, *_OTHERS, *_MISTRAL, *_TEMPLATES, *_OLLAMA_RULES)

UNCHECKED: Final[dict[str, str]] = {
    "OC-21": "U+0000 is no error anywhere; a render replaces it.",
    "QW-05": "The text was seen for the request's `tools`; a name in the list is checked under OC-12.",
    "OT-01": "It is the rule of another provider; choose that one.",
}
"""The rules that no list breaks, with the reason: a list alone does not show it, or another rule says the same."""
