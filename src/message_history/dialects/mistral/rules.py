"""The rules of Mistral's chat messages, as data: ids as in the catalogue they came from, provider texts verbatim.

The provider publishes its own request validators (mistral-common), one for each version of its tokenizer; the hosted
API answers with their texts, in an envelope of its own. `{...}` stands for what differs. A rule without an error text
is documented, but nobody has published what the API answers.
"""

from __future__ import annotations

import re
from typing import Any, Final

from message_history.dialects.base import ModelRow, Rule

__all__ = ["BY_ID", "CHUNKS", "KEYS", "MODELS", "RULES", "VERSIONS"]

_GH: Final = "https://github.com/"
_CODE: Final = _GH + "mistralai/mistral-common"
_DOCS: Final = "https://docs.mistral.ai/"

RULES: Final = (
    Rule(
        id="M01",
        rule="The list holds at least one message.",
        errors=("Conversation must have at least one message",),
        repair="None is possible: an empty history has nothing to send.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M02",
        rule="A conversation starts with a user or a system message; the validators look at lists of one message only, "
        "chat templates at all.",
        errors=(
            "Conversation must start with a user message or system message",
            "Conversation must start with a user message, got {role}.",
            "Conversation must start with a user or system message, got {role}.",
        ),
        repair="A history always begins with the user; a placeholder turn is put first where it did not.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M03",
        rule="A tool message follows an assistant or a tool message.",
        errors=("Unexpected role '{role}' after role '{before}'", "Unexpected role RoleEnum.{role}"),
        repair="A result that is displaced is moved to its call; what the user said between them follows it.",
        source=_GH + "charmbracelet/crush/issues/279",
        date="2025-07",
    ),
    Rule(
        id="M03a",
        rule="A user message does not follow a tool message: mistral-common takes it since 1.11.1, the hosted API and "
        "other servers have refused it since then.",
        errors=("Unexpected role 'user' after role 'tool'",),
        repair="A short assistant message is put between them.",
        source=_GH + "avante-corp/avante.nvim/issues/2562",
        date="2026-08",
    ),
    Rule(
        id="M03b",
        rule="A system message follows a user or another system message, or comes first.",
        errors=("Unexpected role 'system' after role '{before}'",),
        repair="Later system words stand behind the user's message of their turn, or in it as marked text.",
        source=_GH + "spring-projects/spring-ai/issues/2380",
        date="2025-03",
    ),
    Rule(
        id="M04",
        rule="The last message is the user's or a tool's, or an assistant message with `prefix`.",
        errors=(
            "Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
            "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for "
            "serving but got {role}",
            "Expected last role User or Tool (or Assistant with prefix) for serving but got {role}",
        ),
        repair="A marked user turn that says to go on is added; a message that came as a prefix goes out as one.",
        source=_GH + "huggingface/smolagents/issues/757",
        date="2025-02",
    ),
    Rule(
        id="M05",
        rule="Only the last message may have `prefix`.",
        errors=("Assistant message with prefix True must be last message",),
        repair="The key is written on the last message only.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M06",
        rule="Between two assistant messages there are as many tool messages as the first made calls.",
        errors=("Not the same number of function calls and responses",),
        repair="A call without a result gets an honest stub, a result of no known call is dropped.",
        source=_GH + "mistralai/client-ts/issues/106",
        date="2025-04",
    ),
    Rule(
        id="M06a",
        rule="From tokenizer version 11 on, a tool message answers one of the calls right before it.",
        errors=("Unexpected tool call id {ids} in tool results",),
        repair="A displaced result is moved to its call, one of no known call is dropped.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M06b",
        rule="From tokenizer version 11 on, a call is answered once.",
        errors=("Duplicate tool call id {ids} in tool results",),
        repair="An equal second result is dropped, another one quoted as text.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M06c",
        rule="From tokenizer version 11 on, the ids of one message's calls differ.",
        errors=("Duplicate tool call id {ids} in assistant message",),
        repair="The second call gets an id of its own, and its result with it.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M06d",
        rule="From tokenizer version 11 on, every call is answered before the next assistant message and at the end.",
        errors=("Not the same number of function calls and responses",),
        repair="A call without a result gets an honest stub.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M07",
        rule="A call's id is made of nine letters and digits.",
        errors=("Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",),
        repair="Another id is rewritten on both sides; one that fits stays.",
        source=_GH + "anomalyco/opencode/issues/1680",
        date="2026-09",
    ),
    Rule(
        id="M07a",
        rule="mistral-common from 1.12 on, for tokenizer versions 13 and 15, takes any id but an empty one and `null`.",
        errors=("Tool call id must be a non-empty string other than 'null' for tokenizer version 13 or newer.",),
        repair="A call without an id is numbered by its position.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M07b",
        rule="A tool message names its call, in the same form.",
        errors=(
            "Tool call id has to be defined.",
            "Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",
        ),
        repair="It pairs if exactly one call waits; else it is dropped.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M07c",
        rule="A call has an id.",
        errors=(
            "Tool call id has to be defined in serving mode.",
            "Tool call id of assistant message that is not last has to be defined in finetuning mode.",
            "Tool call id 'null' is only allowed for the last assistant message in finetuning mode.",
        ),
        repair="A call without an id is numbered by its position.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M08",
        rule="A function's name is made of at most 64 letters, digits, `_` and `-`.",
        errors=(
            "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum "
            "length of 64.",
        ),
        repair="Another name is rewritten.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M09",
        rule="Up to tokenizer version 3 an assistant message holds either words or calls; the hosted Devstral was seen "
        "to refuse both in 2026.",
        errors=("Assistant message must have either content or tool_calls, but not both.",),
        repair="Where that holds the calls go into a message of their own, behind a short user message.",
        source=_GH + "github/copilot-cli/issues/4884",
        date="2026-09",
    ),
    Rule(
        id="M09a",
        rule="An assistant message holds words or calls.",
        errors=(
            "Assistant message must have either content or tool_calls, but not none.",
            "Invalid assistant message: role='assistant' content='' tool_calls=None prefix=False",
        ),
        repair="An empty message is dropped.",
        source=_GH + "OpenHands/OpenHands/issues/8685",
        date="2025-05",
    ),
    Rule(
        id="M10",
        rule="A message holds the kinds of chunks that its role may hold in the model's tokenizer version.",
        errors=(
            "Unexpected content chunk types in {role} message: ['{tag}']",
            "Value error, {tag} cannot be used in {role} message.",
        ),
        repair="A tool's image goes into a user message behind the results, with a note; other chunks become notes.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M11",
        rule="Tokenizer version 7 takes no audio beside a system message.",
        errors=(
            "Found system messages at indexes {systems} and audio chunks in messages at indexes {audios}. This is not "
            "allowed prior to the tokenizer version 13.",
        ),
        repair="The audio is left out, with a note.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M12",
        rule="Messages hold no unknown keys.",
        errors=(
            '{"type":"extra_forbidden","loc":["body","messages",{n},"{role}","{key}"],"msg":"Extra inputs are not '
            'permitted"}',
            "Extra inputs are not permitted",
        ),
        repair="Only the keys of a dated list are sent; reasoning goes back as a thinking chunk, where it is taken.",
        source=_GH + "charmbracelet/crush/issues/1590",
        date="2026-01",
    ),
    Rule(
        id="M13",
        rule="A role is `system`, `user`, `assistant` or `tool`; content is text or a list of chunks, not null but on "
        "assistant messages.",
        errors=(
            "Input should be a valid string",
            "Input tag '{role}' found using 'role' does not match any of the expected tags: 'system', 'user', "
            "'assistant', 'tool'",
            "Unknown message role: {role}",
        ),
        repair="Developer messages are system messages; a message without content is dropped, an empty result is sent "
        "as empty text.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M14",
        rule="A call's arguments are text; nobody parses them.",
        errors=(),
        repair="They go back byte for byte as they came.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M15",
        rule="A tool's parameters are a JSON schema.",
        errors=("Invalid tool schema: {tag}",),
        repair="None: the tools belong to the request.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M16",
        rule="`reasoning_effort` is for tokenizer version 15.",
        errors=("reasoning_effort='{tag}' is not supported for this model",),
        repair="None: it belongs to the request.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M17",
        rule="Lists for fine-tuning end with the assistant.",
        errors=(
            "Expected last role Assistant for finetuning but got {role}",
            "Assistant message weight must be either 0 or 1",
            "Cannot continue final message in finetuning mode",
            "More tool responses than tool calls",
        ),
        repair="None: exports are for serving.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M18",
        rule="A request names its model.",
        errors=("Model name parameter is required for serving mode",),
        repair="None: it belongs to the request.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M19",
        rule="Thinking comes before all else in a message, and in one form only.",
        errors=(
            "ThinkChunks must be leading: all ThinkChunks must appear before any other content chunk.",
            "Message cannot have both thinking chunks in content and a top-level `reasoning` or `reasoning_content` "
            "field.",
            "`reasoning_content` and `reasoning` should be equal.",
        ),
        repair="Thinking behind other content is left out.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M20",
        rule="`continue_final_message` goes with a last message of the assistant.",
        errors=(
            "continue_final_message=True requires final message to be an assistant.",
            "Expected last role Assistant with prefix False for serving with continue_final_message set to True but "
            "got {role}",
            "`continue_message` is only supported for assistant messages that have `prefix=False`.",
        ),
        repair="None: it belongs to the request.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M21",
        rule="Tokenizer version 1 takes no tools, version 2 one result a turn; the models of both are retired.",
        errors=(
            "Tools not implemented for tokenizer V1",
            "Tokenizer v2 does not support multiple tool results for one assistant turn.",
        ),
        repair="None: these versions are not served.",
        source=_CODE,
        date="2026-09",
    ),
    Rule(
        id="M22",
        rule="The chat templates of self-hosted models want user and assistant in turn behind one system message.",
        errors=(
            "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
            "After the optional system message, conversation roles must alternate user and assistant roles except for "
            "tool calls and results.",
            "Only user and assistant roles are supported, with the exception of an initial optional system message!",
            "Tool call IDs should be alphanumeric strings with length 9!",
        ),
        repair="Neighbours of one role are one message, and all system words before the first message are one.",
        source=_GH + "vllm-project/vllm/issues/6862",
        date="2024-07",
    ),
    Rule(
        id="M23",
        rule="Text is valid Unicode: no lone surrogates.",
        errors=(),
        repair="A lone surrogate is sent as U+FFFD; the history keeps it.",
        source="https://www.rfc-editor.org/rfc/rfc8259#section-8.2",
        date="2026-09",
    ),
    Rule(
        id="M24",
        rule="An image is PNG, JPEG, WebP or a GIF that does not move, and whole.",
        errors=(),
        repair="Another format is re-encoded; what is no image is replaced by a text that says so.",
        source=_DOCS + "capabilities/vision",
        date="2025-10",
    ),
    Rule(
        id="M25",
        rule="On the hosted API an image has at most 10 MB, and a request at most 8 images.",
        errors=(),
        repair="A larger image is scaled; of too many, the oldest are replaced by a text that says so.",
        source=_DOCS + "capabilities/vision",
        date="2025-10",
    ),
)
BY_ID: Final = {rule.id: rule for rule in RULES}

ID: Final = re.compile("[a-zA-Z0-9]{9}")
ID_LENGTH: Final = 9
ANY_ID: Final = re.compile("(?!null$)[^\ud800-\udfff]+", re.DOTALL)
ANY_ID_LENGTH: Final = 256
"""No limit is documented (M07a); ids beyond this are nobody's."""
NAME: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
ANY_NAME: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
NAME_LIMIT: Final = 64

KEYS: Final[dict[str, frozenset[str]]] = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
    "call": frozenset({"id", "type", "function", "index"}),
}
"""The keys that a message of each role, and a call, may hold (types of the `mistralai` SDK 3.7, 2026-09)."""

CHUNKS: Final[dict[str, str]] = {
    "text": "TextChunk",
    "image": "ImageChunk",
    "image_url": "ImageURLChunk",
    "input_audio": "AudioChunk",
    "audio_url": "AudioURLChunk",
    "thinking": "ThinkChunk",
    "document_url": "DocumentURLChunk",
    "file": "FileChunk",
    "reference": "ReferenceChunk",
}
"""What errors call each type of chunk."""

_TEXT: Final = frozenset({"text"})
_IMAGES: Final = frozenset({"text", "image_url"})
_AUDIO: Final = frozenset({"text", "image_url", "input_audio"})
_HOSTED: Final = frozenset({"text", "image_url", "document_url", "file"})

_SERVED: Final[dict[str, Any]] = {
    "text_with_calls": True,
    "alternate": False,
    "one_system": False,
    "late_system": True,
    "bridge": False,
    "prefix": True,
    "text_lists": True,
}
VERSIONS: Final[dict[int, dict[str, Any]]] = {
    3: {**_SERVED, "text_with_calls": False, "pair_ids": False, "user_chunks": _IMAGES},
    7: {**_SERVED, "pair_ids": False, "user_chunks": _AUDIO, "audio_beside_system": False},
    11: {**_SERVED, "user_chunks": _AUDIO, "thinking": True},
    13: {**_SERVED, "user_chunks": _AUDIO, "thinking": True, "id_pattern": ANY_ID, "id_limit": ANY_ID_LENGTH},
    15: {
        **_SERVED,
        "user_chunks": _AUDIO,
        "tool_chunks": _AUDIO,
        "thinking": True,
        "id_pattern": ANY_ID,
        "id_limit": ANY_ID_LENGTH,
    },
}
"""What mistral-common 1.13 takes, by the version of the tokenizer (its validators, run in serving mode, 2026-09)."""

_API: Final = "^(?!.*instruct)(mistral[/:])?"
"""Names of open weights hold `instruct`, or their owner's; those of the hosted API hold neither."""

MODELS: Final = (
    ModelRow(
        models=re.compile(_API + "((mi|mini|magi|dev|code)stral|pixtral|voxtral|open-mi[sx]tral)-"),
        fields={
            "alternate": False,
            "one_system": False,
            "late_system": True,
            "prefix": True,
            "text_lists": True,
            "assistant_chunks": frozenset({"text", "reference"}),
        },
        source=_DOCS + "api/endpoint/chat",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "(mistral-(small|medium|large)|ministral|magistral|pixtral)-"),
        fields={"user_chunks": _HOSTED},
        source=_DOCS + "capabilities/document_ai/document_qna",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "(mistral-(small|medium|large)|magistral)-"),
        fields={"text_with_calls": True},
        source=_CODE,
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "voxtral-"),
        fields={"user_chunks": frozenset({"text", "input_audio"})},
        source=_DOCS + "capabilities/audio",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "(codestral|open-mistral|open-mixtral)-"),
        fields={"user_chunks": _TEXT},
        source=_DOCS + "models",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "mistral-medium-(latest|3[-.]5|26)"),
        fields={"tool_chunks": frozenset({"text", "image_url", "document_url"})},
        source=_GH + "pydantic/pydantic-ai",
        date="2026-08",
    ),
    ModelRow(
        models=re.compile(
            _API + "(magistral-(small|medium)-(?!2506)|mistral-(small|medium)-(latest|26)|mistral-medium-3[-.]5"
            "|mistral-large-4)"
        ),
        fields={"thinking": True},
        source=_DOCS + "capabilities/reasoning",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(_API + "mistral-large-latest$"),
        fields={"name_pattern": ANY_NAME, "name_limit": 256},
        source=_GH + "pydantic/pydantic-ai",
        date="2026-08",
    ),
)
"""What differs by model on the hosted API; a model that no row covers gets the strictest value of each field."""
