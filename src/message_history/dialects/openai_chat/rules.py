"""The rules of Chat Completions, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a message, `{m}` for a part or a call in it. A rule without an error text is documented, but nobody
has published what the API answers. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects.base import Rule

__all__ = ["KEYS", "PARTS", "RULES"]

_GH: Final = "https://github.com/"
_SPEC: Final = "https://github.com/openai/openai-openapi"

RULES: Final = (
    Rule(
        id="OC-01",
        rule="Every call is answered in the run of tool messages right behind its assistant message.",
        errors=(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'.",
        ),
        repair="A result that is displaced is moved to its call; a call without a result gets an honest stub.",
        source=_GH + "router-for-me/CLIProxyAPI/issues/2798",
        date="2026-04",
    ),
    Rule(
        id="OC-02",
        rule="A tool message stands behind an assistant message that makes its call, with only tool messages between.",
        errors=(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        ),
        repair="It is moved to its call; one of no known call is dropped.",
        source=_GH + "run-llama/llama_index/issues/10493",
        date="2024-02",
    ),
    Rule(
        id="OC-03",
        rule="A call is answered once.",
        errors=(
            "Invalid parameter: Duplicate value for 'tool_call_id' of '{ids}', in messages[{n}] and messages[{m}].",
        ),
        repair="An equal second result is dropped, another one quoted as text.",
        source=_GH + "agno-agi/agno/issues/5116",
        date="2025-10",
    ),
    Rule(
        id="OC-04",
        rule="`tool_calls` is absent or holds a call.",
        errors=(
            "Invalid 'messages[{n}].tool_calls': empty array. Expected an array with minimum length 1, but got an "
            "empty array instead.",
        ),
        repair="The key is written only where there are calls.",
        source=_GH + "openai/openai-python/issues/2061",
        date="2025-01",
    ),
    Rule(
        id="OC-05",
        rule="One message makes at most 128 calls.",
        errors=(
            "Invalid 'messages[{n}].tool_calls': array too long. Expected an array with maximum length 128, but got "
            "an array with length {count} instead.",
        ),
        repair="More calls are sent as several messages, each with its results.",
        source=_GH + "openai/openai-dotnet/issues/317",
        date="2025-01",
    ),
    Rule(
        id="OC-06",
        rule="A call's id has at most 40 characters.",
        errors=(
            "Invalid 'messages[{n}].tool_calls[{m}].id': string too long. Expected a string with maximum length "
            "{limit}, but got a string with length {count} instead.",
        ),
        repair="A longer id is rewritten on both sides.",
        source=_GH + "Portkey-AI/gateway/issues/1062",
        date="2025-05",
    ),
    Rule(
        id="OC-07",
        rule="Content is null on assistant messages with calls only.",
        errors=("Invalid value for 'content': expected a string, got null.",),
        repair="A message without content is dropped; an empty result is sent as empty text.",
        source=_GH + "docker/docker-agent/issues/63",
        date="2025-09",
    ),
    Rule(
        id="OC-08",
        rule="Content is text or a list of parts.",
        errors=(
            "Invalid type for 'messages[{n}].content': expected one of a string or array of objects, but got an "
            "{tag} instead.",
        ),
        repair="Anything else is kept as its JSON text.",
        source=_GH + "clusterzx/paperless-ai/issues/748",
        date="2025-09",
    ),
    Rule(
        id="OC-09",
        rule="Every part has a type.",
        errors=("Missing required parameter: 'messages[{n}].content[{m}].type'.",),
        repair="Content whose items are no parts is kept as its JSON text.",
        source=_GH + "neuron-core/neuron-ai/issues/76",
        date="2025-06",
    ),
    Rule(
        id="OC-10",
        rule="The list holds at least one message.",
        errors=(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ),
        repair="None is possible: an empty history has nothing to send.",
        source=_GH + "CopilotKit/CopilotKit/issues/529",
        date="2024-09",
    ),
    Rule(
        id="OC-11",
        rule="A function's name is made of letters, digits, `_` and `-`.",
        errors=(
            "Invalid 'messages[{n}].tool_calls[{m}].function.name': string does not match pattern. Expected a string "
            "that matches the pattern '^[a-zA-Z0-9_-]+$'.",
            "Invalid 'messages[{n}].tool_calls[{m}].function.name': empty string. Expected a string with minimum "
            "length 1, but got an empty string instead.",
        ),
        repair="A missing name becomes `unknown_tool`, another one is rewritten.",
        source=_GH + "mcp-use/mcp-use/issues/90",
        date="2025-05",
    ),
    Rule(
        id="OC-12",
        rule="A function's name has at most 64 characters.",
        errors=(
            "Invalid 'tools[{n}].function.name': string too long. Expected a string with maximum length {limit}, but "
            "got a string with length {count} instead.",
        ),
        repair="A longer name is cut, with a hash of the whole behind it.",
        source=_GH + "anomalyco/opencode/issues/3523",
        date="2026-10",
    ),
    Rule(
        id="OC-13",
        rule="A function's arguments are text; the API itself does not parse them.",
        errors=(),
        repair="They go back byte for byte as they came.",
        source=_GH + "xuzhougeng/wisp-science/issues/775",
        date="2026-06",
    ),
    Rule(
        id="OC-14",
        rule="A message's `name` is made of letters, digits, `_` and `-`, 64 at most.",
        errors=(
            "Invalid 'messages[{n}].name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
        ),
        repair="Another name is rewritten.",
        source=_GH + "FlowiseAI/Flowise/issues/2948",
        date="2024-08",
    ),
    Rule(
        id="OC-15",
        rule="Images stand in user messages only.",
        errors=(
            "Invalid 'messages[{n}]'. Image URLs are only allowed for messages with role 'user', but this message "
            "with role '{role}' contains an image URL.",
        ),
        repair="A tool's image is sent in a user message behind the results, with a note; an assistant's as a note.",
        source=_GH + "openai/openai-node/issues/1030",
        date="2024-09",
    ),
    Rule(
        id="OC-16",
        rule="Audio and files are for models that take them.",
        errors=("Invalid 'messages[{n}]'. Content blocks are expected to be either text or image_url type.",),
        repair="They go back to the dialect they came from.",
        source=_GH + "pydantic/pydantic-ai",
        date="2026-08",
    ),
    Rule(
        id="OC-17",
        rule="Some models take neither system nor developer messages.",
        errors=("Unsupported value: 'messages[{n}].role' does not support '{role}' with this model.",),
        repair="For those models the words are sent as marked text of the user's turn.",
        source=_GH + "openai/openai-python/issues/2047",
        date="2025-01",
    ),
    Rule(
        id="OC-18",
        rule="Assistant content is text parts or one refusal; tool and system content is text parts.",
        errors=(),
        repair="A refusal goes into its own key beside text, alone as a part.",
        source=_SPEC,
        date="2026-08",
    ),
    Rule(
        id="OC-19",
        rule="A tool message has a `tool_call_id` and content.",
        errors=("Missing required parameter: 'messages[{n}].tool_call_id'.",),
        repair="It pairs if exactly one call waits; else it is dropped.",
        source=_SPEC,
        date="2026-08",
    ),
    Rule(
        id="OC-20",
        rule="Text is valid Unicode: no lone surrogates.",
        errors=(
            "Failed to parse the request body as JSON: messages[{n}].content: lone leading surrogate in hex escape at "
            "line {line} column {column}",
        ),
        repair="A lone surrogate is sent as U+FFFD; the history keeps it.",
        source=_GH + "JohnnyZ93/oai-compatible-copilot/issues/206",
        date="2026-06",
    ),
    Rule(
        id="OC-21",
        rule="U+0000 in text is taken, and spoils the answer of some servers.",
        errors=(),
        repair="It is sent as U+FFFD; the history keeps it.",
        source=_GH + "aebrer/dreb/issues/352",
        date="2026-06",
    ),
    Rule(
        id="OC-22",
        rule="An image is PNG, JPEG, WebP or a GIF that does not move, and whole.",
        errors=(
            "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', "
            "'jpeg', 'gif', 'webp'].",
        ),
        repair="Another format is re-encoded; what is no image is replaced by a text that says so.",
        source=_GH + "STranslate/STranslate/issues/277",
        date="2025-02",
    ),
    Rule(
        id="OC-23",
        rule="An image has at most 20 MB, and a request at most 500 images and 50 MB of them.",
        errors=(
            "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the "
            "following formats: ['png', 'jpeg', 'gif', 'webp'].",
        ),
        repair="A larger image is scaled; of too many, the oldest are replaced by a text that says so.",
        source=_GH + "CosmosShadow/gptpdf/issues/6",
        date="2024-06",
    ),
)

ID: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
ID_LIMIT: Final = 40
"""Reported up to 64 on newer routes; 40 is what every route takes (OC-06)."""
SHORT_ID: Final = re.compile("[a-zA-Z0-9]{9}")
"""What templates of Mistral want, and nobody refuses."""
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
MAX_CALLS: Final = 128
MAX_CACHE_MARKS: Final = 4
"""Claude's own limit, which holds behind gateways too."""

KEYS: Final[dict[str, frozenset[str]]] = {
    "user": frozenset({"role", "content", "name"}),
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "refusal", "audio", "tool_calls", "function_call"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
    "function": frozenset({"role", "content", "name"}),
}
"""The keys that a message of each role may hold (the specification, 2026-08; a tool message's `name` is of 2023)."""

PARTS: Final[dict[str, frozenset[str]]] = {
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "assistant": frozenset({"text", "refusal"}),
    "tool": frozenset({"text"}),
}
"""The parts that a message of each role may hold (the specification, 2026-08)."""
