"""The rules of generateContent, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a content, `{m}` for a part of it. Where two services answer differently, the Developer API's text
comes first and Vertex's second. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.core.json_values import FrozenDict
from message_history.dialects.base import ModelRow, Rule

__all__ = ["BY_ID", "DEVELOPER_MODELS", "MODELS", "RULES"]

_GH: Final = "https://github.com/"
_DOCS: Final = "https://ai.google.dev/gemini-api/docs/"
_SIGNATURES: Final = _DOCS + "thought-signatures"
_SDK: Final = _GH + "googleapis/python-genai"

RULES: Final = (
    Rule(
        id="G01",
        rule="The list holds at least one content.",
        errors=("contents are required.",),
        repair="None is possible: an empty history has nothing to send.",
        source=_SDK,
        date="2026-09",
    ),
    Rule(
        id="G02",
        rule="Every content has at least one part.",
        errors=(
            "* GenerateContentRequest.contents[{n}].parts: contents.parts must not be empty.",
            "Unable to submit request because it must include at least one parts field, which describes the prompt "
            "input. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            "[GoogleGenerativeAI Error]: Each Content should have at least one part",
        ),
        repair="A content without parts is dropped; one that withholding would empty gets a fixed placeholder.",
        source=_GH + "QuantumNous/new-api/issues/1260",
        date="2026-09",
    ),
    Rule(
        id="G03",
        rule="Every part has exactly one data field.",
        errors=("* ***.contents[{n}].parts[{m}].data: required oneof field 'data' must have one initialized field",),
        repair="A part without data is dropped, one with two is split.",
        source=_GH + "54xzh/FLIT/issues/69",
        date="2026-09",
    ),
    Rule(
        id="G04",
        rule="A text part is not empty.",
        errors=(
            "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try "
            "again. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try "
            "again. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            "Unable to submit request because it must have a text parameter. Add a text parameter and try again. "
            "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            "Unable to submit request because Model input cannot be empty.",
        ),
        repair="Empty text is dropped; the signature of an empty part goes to the text before it in the same content.",
        source=_GH + "Portkey-AI/gateway/issues/462",
        date="2026-09",
    ),
    Rule(
        id="G05",
        rule="A content's role is `user` or `model`; calls are the model's, responses the user's.",
        errors=("Please use a valid role: user, model.", "Role '{role}' is not supported"),
        repair="Other roles are mapped; later system words become marked text of the user's turn.",
        source=_GH + "langgenius/dify-official-plugins/issues/566",
        date="2026-09",
    ),
    Rule(
        id="G06",
        rule="A content with calls comes right after the user's.",
        errors=(
            "Please ensure that function call turn comes immediately after a user turn or after a function response "
            "turn.",
        ),
        repair="The user leads, and neighbouring contents of the model are one content.",
        source=_GH + "google-gemini/gemini-cli/issues/11814",
        date="2026-09",
    ),
    Rule(
        id="G07",
        rule="A content with responses comes right after the content with their calls.",
        errors=("Please ensure that function response turn comes immediately after a function call turn.",),
        repair="A response that is displaced is moved to its call; one of no known call is dropped.",
        source=_GH + "langchain-ai/langchain/issues/27799",
        date="2026-09",
    ),
    Rule(
        id="G08",
        rule="The content after calls holds as many responses as there are calls, all of them in one content.",
        errors=(
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn.",
        ),
        repair="Responses are gathered in one content; a call without one gets an honest stub.",
        source=_GH + "microsoft/vscode/issues/299295",
        date="2026-03",
    ),
    Rule(
        id="G09",
        rule="Parallel calls come together, and their responses after them: they are not interleaved.",
        errors=(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
            "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
            "function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        ),
        repair="Each step begins with a signed call: with its own signature, else with the value that stands for none.",
        source=_SIGNATURES,
        date="2026-09",
    ),
    Rule(
        id="G10",
        rule="In the current turn the first call of every step is signed.",
        errors=(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
            "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
            "function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            "Unable to submit request because function call `{name}` in the {position}. content block is missing a "
            "`thought_signature`. Learn more: "
            "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures",
        ),
        repair="A first call without a signature gets the documented value that stands for none (G14).",
        source=_SIGNATURES,
        date="2026-09",
    ),
    Rule(
        id="G11",
        rule="Parallel calls stay in the content of the first, which alone is signed; no signature changes its part.",
        errors=(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
            "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
            "function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        ),
        repair="Neighbouring contents of the model are one content, part by part.",
        source=_SIGNATURES,
        date="2026-09",
    ),
    Rule(
        id="G12",
        rule="A signature is base64.",
        errors=(
            "Invalid value at 'request.contents[{n}].parts[{m}].thought_signature' (TYPE_BYTES), Base64 decoding "
            "failed for {value}",
            "failed to decode thinking signature, please report this bug to google: illegal base64 data at input "
            "byte {position}",
        ),
        repair="Another provider's signature is not sent, nor one that does not decode.",
        source=_GH + "MayDay-wpf/snow-cli/issues/84",
        date="2026-09",
    ),
    Rule(
        id="G13",
        rule="A signature is one that this service issued; only an empty one can be told from the list.",
        errors=(
            "Corrupted thought signature.",
            "Unable to submit request because Thought signature is not valid.. Learn more: "
            "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            "Invalid thought signature.",
        ),
        repair="Each signature knows its issuer and goes back to that one alone; an empty one is none.",
        source=_GH + "google-gemini/gemini-cli/issues/13467",
        date="2026-09",
    ),
    Rule(
        id="G14",
        rule="The value that stands for a missing signature is sent as base64 of its text.",
        errors=(),
        repair="It is added where G10 demands it, always in that form, and never kept in the history.",
        source=_GH + "Zoo-Code-Org/Zoo-Code/pull/776",
        date="2026-09",
    ),
    Rule(
        id="G15",
        rule="The list does not end with the model.",
        errors=(
            "Requests ending with a model turn are not supported unless the last part is a function response.",
            "Requests ending with a model turn are not supported.",
            "Please ensure that multiturn requests ends with a user role or a function response.",
            "request must end with user role or empty role",
        ),
        repair="A marked user turn that says to go on is added; no answer is dropped.",
        source=_GH + "LibreChat-AI/agents/pull/323",
        date="2026-07",
    ),
    Rule(
        id="G16",
        rule="Neighbouring contents have different roles; lifted in 2024, for all but a content after responses.",
        errors=("Please ensure that multiturn requests alternate between user and model.",),
        repair="Neighbours of one role are one content, but for user words behind responses (G23).",
        source=_GH + "zuisong/gemini-openai-proxy/issues/83",
        date="2024-11",
    ),
    Rule(
        id="G17",
        rule="A response names its function.",
        errors=("* GenerateContentRequest.contents[{n}].parts[{m}].function_response.name: Name cannot be empty.",),
        repair="The name is taken from the call.",
        source=_GH + "router-for-me/CLIProxyAPI/issues/1903",
        date="2026-09",
    ),
    Rule(
        id="G18",
        rule="A function's name starts with a letter or `_`, has letters, digits, `_`, `.`, `:` and `-`, 64 at most.",
        errors=(
            "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, "
            "or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
            "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, "
            "or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
            "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), "
            "underscores (_), dots (.) or dashes (-), with a maximum length of 64.",
        ),
        repair="Another name is rewritten, with a hash of the whole behind it, on both sides.",
        source=_GH + "google-gemini/gemini-cli/issues/12425",
        date="2026-09",
    ),
    Rule(
        id="G19",
        rule="A response is an object.",
        errors=(
            "Struct must be in a dict which is {value}",
            "Invalid function_response.response: field `{field}` has an empty value. All values must have a type "
            "(null, bool, number, string, list, or object).",
        ),
        repair="What a tool gave goes under `output`, what it failed with under `error`.",
        source=_GH + "google-gemini/deprecated-generative-ai-js/issues/301",
        date="2026-09",
    ),
    Rule(
        id="G20",
        rule="A call's arguments are an object.",
        errors=("Struct must be in a dict which is {value}", "Input should be a valid dictionary"),
        repair="Text that holds an object is read; any other is kept under `_raw`.",
        source=_SDK,
        date="2026-09",
    ),
    Rule(
        id="G21",
        rule="On Vertex v1 calls and responses have no ids.",
        errors=(
            "Invalid JSON payload received. Unknown name \"id\" at 'contents[{n}].parts[{m}].{field}': Cannot find "
            "field.",
        ),
        repair="Ids are not sent there; responses stand in the order of their calls.",
        source=_GH + "pydantic/pydantic-ai/issues/5081",
        date="2026-09",
    ),
    Rule(
        id="G22",
        rule="Contents and parts have only the fields that the API knows.",
        errors=("Invalid JSON payload received. Unknown name \"{key}\" at '{where}': Cannot find field.",),
        repair="Unknown fields stay in the history and are not sent.",
        source=_GH + "gera2ld/ai.nvim/issues/13",
        date="2026-09",
    ),
    Rule(
        id="G23",
        rule="A content with responses holds nothing else.",
        errors=("Request contains an invalid argument.",),
        repair="What the user says besides goes into a second content behind it.",
        source=_GH + "pydantic/pydantic-ai/issues/4210",
        date="2026-08",
    ),
    Rule(
        id="G24",
        rule="Media have a full media type that the API takes and bare base64 data, and do not stand beside responses.",
        errors=(
            "Unsupported MIME type: {type}",
            "Unsupported MIME type: {type}",
            "* GenerateContentRequest.contents[{n}].parts[{m}].inline_data.mime_type: MIME type must be image/png, "
            "image/jpeg, image/webp, image/heic, or image/heif.",
        ),
        repair="Types are completed, data URLs stripped, SVG sent as text; a tool's media go where the model takes "
        "them: into the response, or behind it.",
        source=_GH + "charmbracelet/crush/issues/995",
        date="2026-09",
    ),
    Rule(
        id="G25",
        rule="Server tools' parts and part metadata are for the Developer API and Gemini 3; partial arguments for "
        "Vertex.",
        errors=(
            "{key} parameter is only supported in Gemini Enterprise Agent Platform mode, not in Gemini Developer API "
            "mode.",
            "{key} parameter is only supported in Gemini Developer API mode, not in Gemini Enterprise Agent Platform "
            "mode.",
        ),
        repair="They are left out elsewhere.",
        source=_SDK,
        date="2026-09",
    ),
    Rule(
        id="G26",
        rule="With cached content, the request has no system instruction, tools or tool config.",
        errors=(
            "Tool config, tools and system instruction should not be set in the request when using cached content.",
        ),
        repair="None: the fields belong to the request.",
        source=_GH + "pydantic/pydantic-ai",
        date="2026-09",
    ),
    Rule(
        id="G27",
        rule="A response has the id of the call at its place.",
        errors=(
            'invalid Gemini function call history: request.contents[{n}].parts[{m}]: functionResponse.id "{id}" '
            'does not match functionCall.id "{called}" at request.contents[{before}].parts[{at}]',
        ),
        repair="Responses are put in the order of their calls, each with its call's id.",
        source=_GH + "router-for-me/CLIProxyAPI/issues/5199",
        date="2026-09",
    ),
    Rule(
        id="G28",
        rule="An image's bytes are of a type that the API takes, and whole.",
        errors=(
            "Unable to process input image. Please retry or report in "
            "https://developers.generativeai.google/guide/troubleshooting",
            "Provided image is not valid.",
        ),
        repair="The type is corrected from the bytes; what is no image is replaced by a text that says so.",
        source=_GH + "google-gemini/gemini-cli/issues/5064",
        date="2026-05",
    ),
    Rule(
        id="G29",
        rule="A request holds 3,600 images and 100 MB, on Vertex 3,000 images of 7 MB each.",
        errors=(),
        repair="A larger image is scaled; of too many, the oldest are replaced by a text that says so.",
        source=_DOCS + "image-understanding",
        date="2026-09",
    ),
)
BY_ID: Final = {rule.id: rule for rule in RULES}

BYPASS: Final = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""What stands for a missing signature, as it is sent (G14)."""
RAW_BYPASSES: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
BYPASSES: Final = frozenset({BYPASS, "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv", *RAW_BYPASSES})
"""All forms in which it comes (G14)."""

NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_.:-]*")
NAME_LIMIT: Final = 64
ID: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
ID_LIMIT: Final = 256
"""No limit is documented; ids beyond this are nobody's."""
BASE64: Final = re.compile("[A-Za-z0-9+/_-]*={0,2}")
"""Either alphabet, with or without padding: what ProtoJSON takes (G12)."""

DATA: Final = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
"""The fields of which a part has exactly one (G03; SDK types, 2026-09)."""
SERVER_PARTS: Final = frozenset({"toolCall", "toolResponse"})
MODEL_PARTS: Final = frozenset({"executableCode", "codeExecutionResult", *SERVER_PARTS})
"""The parts that only the model's contents hold, and that only this API understands."""

BESIDE: Final = frozenset({"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"})
"""What a part may have besides its data (SDK types, 2026-09)."""
FIELDS: Final[dict[str, frozenset[str]]] = {
    "inlineData": frozenset({"mimeType", "data", "displayName"}),
    "fileData": frozenset({"mimeType", "fileUri", "displayName"}),
    "functionCall": frozenset({"id", "name", "args", "partialArgs", "willContinue"}),
    "functionResponse": frozenset({"id", "name", "response", "parts", "scheduling", "willContinue"}),
    "executableCode": frozenset({"id", "language", "code"}),
    "codeExecutionResult": frozenset({"id", "outcome", "output"}),
    "toolCall": frozenset({"id", "toolType", "args"}),
    "toolResponse": frozenset({"id", "toolType", "response"}),
    "videoMetadata": frozenset({"startOffset", "endOffset", "fps"}),
    "mediaResolution": frozenset({"level", "numTokens"}),
}
"""The fields of each kind of data, and of what stands beside it (SDK types, 2026-09)."""
KINDS: Final[dict[str, type]] = {
    **dict.fromkeys(("id", "name", "language", "code", "outcome", "output", "toolType", "scheduling"), str),
    **dict.fromkeys(("displayName", "mimeType", "fileUri", "data"), str),
    **dict.fromkeys(("thought", "willContinue"), bool),
    **dict.fromkeys(("args", "response", "partMetadata"), FrozenDict),
}
"""What each field holds (SDK types, 2026-09)."""

IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
APPLICATION_TYPES: Final = frozenset({"application/pdf", "application/x-javascript", "application/x-python"})
"""Of images and of applications, what the API takes (G24; vision and document guides, 2026-09)."""
AS_TEXT: Final = frozenset({"image/svg+xml", "application/json", "application/xml"})
"""Types that the API does not take, but whose data are text."""
RESPONSE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"})
"""The media that a response may hold on models that take media there (function calling guide, 2026-09)."""
TYPE: Final = re.compile(r"(image|audio|video|text|application)/[a-z0-9][a-z0-9.+-]*")
"""What a full media type looks like."""

MODELS: Final = (
    ModelRow(
        models=re.compile(r"gemini-(1\.5|2|3)\b"),
        fields={"adjacent": True},
        source=_GH + "google/adk-go/pull/1302",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(r"gemini-(1\.0|1\.5|2)\b|gemini-3-pro-image"),
        fields={"signatures_required": False},
        source=_SIGNATURES,
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(r"gemini-(2\.5-flash(?!-lite)|3-|3\.1-|3\.5-flash(?!-lite))"),
        fields={"prefill": True},
        source=_GH + "LibreChat-AI/agents/pull/323",
        date="2026-07",
    ),
    ModelRow(
        models=re.compile(r"gemini-3\b"),
        fields={"media_in_responses": True},
        source=_DOCS + "function-calling",
        date="2026-09",
    ),
)
"""What differs by model on both services; a model that no row covers gets the strictest value of each field."""

DEVELOPER_MODELS: Final = (
    ModelRow(
        models=re.compile(r"gemini-3\b"),
        fields={"server_tools": True},
        source=_SDK,
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(r"gemini-(2\.5-flash|3-flash)"),
        fields={"empty_text": True},
        source=_GH + "pydantic/pydantic-ai",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(r"gemini-(2\.5-pro|3-pro|3-flash|3\.6-flash)"),
        fields={"beside_results": True},
        source=_GH + "pydantic/pydantic-ai/issues/4210",
        date="2026-08",
    ),
    ModelRow(
        models=re.compile(r"gemini-3-flash"),
        fields={"split_calls": True},
        source=_GH + "pydantic/pydantic-ai",
        date="2026-09",
    ),
    ModelRow(
        models=re.compile(r"gemini-[23]\b"),
        fields={"bypass_as_text": True},
        source=_GH + "Zoo-Code-Org/Zoo-Code/pull/776",
        date="2026-09",
    ),
)
"""What the Developer API alone was seen to take; recorded requests of that project's tests where no issue says so."""
