"""The rules of Bedrock's Converse API, as data: ids as in the catalogue they came from, provider texts verbatim.

Two layers answer: Converse itself, and the model behind it, whose texts come after "The model returned the following
errors: ". `{n}` stands for a message, `{m}` for a block in it. Many rules hold for some families of models only; the
table at the end says for which. A rule without an error text is documented, but nobody has published the answer.
"""

from __future__ import annotations

import re
from typing import Any, Final

from message_history.dialects.base import ModelRow, Rule

__all__ = ["BY_ID", "MODELS", "RULES"]

_GH: Final = "https://github.com/"
_API: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/"
_MODEL: Final = _GH + "boto/botocore/blob/develop/botocore/data/bedrock-runtime/2023-09-30/service-2.json.gz"
_GUIDE: Final = "https://docs.aws.amazon.com/bedrock/latest/userguide/"

RULES: Final = (
    Rule(
        id="B01",
        rule="The list holds a message, and the first is the user's; Claude, Qwen, GLM and Kimi also take the "
        "assistant's.",
        errors=(
            "A conversation must start with a user message. Try again with a conversation that starts with a user "
            "message.",
        ),
        repair="A history always begins with the user; a placeholder turn is put first where it did not.",
        source=_GH + "langgenius/dify/issues/12340",
        date="2026-07",
    ),
    Rule(
        id="B02",
        rule="User and assistant take turns; in 2026 some models were seen to take neighbours of one role as one.",
        errors=(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again.",
        ),
        repair="Neighbours of one role are one message.",
        source=_GH + "langchain-ai/langchain-aws/issues/130",
        date="2026-06",
    ),
    Rule(
        id="B03",
        rule="The last message is the user's; Claude up to 4.5 also goes on with an assistant's.",
        errors=(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
            "The model returned the following errors: This model does not support assistant message prefill. The "
            "conversation must end with a user message.",
        ),
        repair="A marked user turn that says to go on is added.",
        source=_GH + "NousResearch/hermes-agent/issues/101401",
        date="2026-09",
    ),
    Rule(
        id="B04",
        rule="Every message has content.",
        errors=(
            "The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the "
            "content field and try again.",
            "Value null at 'messages.{member}.member.content' failed to satisfy constraint: Member must not be null",
        ),
        repair="An empty message is dropped; its neighbours join.",
        source=_GH + "langchain-ai/langchain/issues/26968",
        date="2026-05",
    ),
    Rule(
        id="B05",
        rule="No text is empty, and only Nova was seen to take one of white space alone; in results, Claude and Nova "
        "take an empty one.",
        errors=(
            "The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to the text "
            "field, and try again.",
            "messages: text content blocks must be non-empty",
            "The model returned the following errors: messages: text content blocks must contain non-whitespace text",
        ),
        repair="The block is dropped; what would be empty then gets a short text.",
        source=_GH + "continuedev/continue/issues/9767",
        date="2026-06",
    ),
    Rule(
        id="B06",
        rule="All calls of an assistant message are answered at the beginning of the very next message.",
        errors=(
            "Expected toolResult blocks at messages.{n}.content for the following Ids: {ids}",
            "messages.{n}: Did not find {count} `tool_result` block(s) at the beginning of this message. Messages "
            "following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
            "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        repair="Split and displaced results are moved to their calls; a call without a result gets an honest stub.",
        source=_GH + "camel-ai/camel/issues/3954",
        date="2026-03",
    ),
    Rule(
        id="B07",
        rule="A message has no more results than the message before it has calls.",
        errors=(
            "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous "
            "turn.",
        ),
        repair="A result is moved to its call; one of no known call is dropped.",
        source=_GH + "pydantic/pydantic-ai/issues/2327",
        date="2025-08",
    ),
    Rule(
        id="B08",
        rule="The ids of a message's calls differ, and those of its results.",
        errors=("The toolResult blocks at messages.{n}.content contain duplicate Ids: {ids}",),
        repair="A repeated call gets an id of its own; an equal second result is dropped, another one quoted as text.",
        source=_GH + "BerriAI/litellm/issues/20048",
        date="2026-02",
    ),
    Rule(
        id="B09",
        rule="A call's id has 1 to 64 letters, digits, `_`, `-`, and in newer service models `.` and `:`.",
        errors=(
            "Value at 'messages.{member}.member.content.{part}.member.{tag}.toolUseId' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
            "Value at 'messages.{member}.member.content.{part}.member.{tag}.toolUseId' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ),
        repair="Another id is rewritten on both sides, in the alphabet that all versions take.",
        source=_MODEL,
        date="2026-09",
    ),
    Rule(
        id="B10",
        rule="A tool's name has 1 to 64 letters, digits, `_` and `-`.",
        errors=(
            "Value '{name}' at 'messages.{member}.member.content.{part}.member.toolUse.name' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ),
        repair="A missing name becomes `unknown_tool`, another one is rewritten.",
        source=_MODEL,
        date="2026-09",
    ),
    Rule(
        id="B11",
        rule="A request with calls or results in its messages has a `toolConfig` with tools.",
        errors=("The toolConfig field must be defined when using toolUse and toolResult content blocks.",),
        repair="None: it belongs to the request. Send the tools that the history names, even if none is to be called.",
        source=_GH + "vxcontrol/pentagi/issues/160",
        date="2026-03",
    ),
    Rule(
        id="B12",
        rule="A call's input, and JSON in a result, is an object.",
        errors=(
            "The format of the value at messages.{n}.content.{m}.toolUse.input is invalid. Provide a json object for "
            "the field and try again.",
            "The format of the value at messages.{n}.content.{m}.toolResult.content.{k}.json is invalid. Provide a "
            "json object for the field and try again.",
        ),
        repair="An input that came as text is read; one that cannot be is kept as `_raw`. Other JSON is sent as text.",
        source=_GH + "aws/aws-sdk-js-v3/issues/7330",
        date="2025-09",
    ),
    Rule(
        id="B13",
        rule="An error result has content.",
        errors=(
            "The content field at messages.{n}.content.{m}.toolResult cannot be empty when status value is error.",
        ),
        repair="A short text says that there was none.",
        source=_GH + "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
        date="2026-01",
    ),
    Rule(
        id="B14",
        rule="A result has content; Claude also takes one without.",
        errors=(),
        repair="A short text says that there was none.",
        source=_GH + "strands-agents/harness-sdk",
        date="2026-08",
    ),
    Rule(
        id="B15",
        rule="What else a message with results may hold depends on the family: nothing with Llama, Mistral and Writer, "
        "text, images and PDFs with Claude. Llama also refuses words beside calls, which Claude and Nova take.",
        errors=(
            "messages.{n}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
            "messages.{n}.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
            "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        repair="The rest follows in a message of its own, behind a short message of the other side.",
        source=_GH + "pydantic/pydantic-ai/issues/6081",
        date="2026-07",
    ),
    Rule(
        id="B16",
        rule="Which media a result may hold depends on the family.",
        errors=(
            "This model doesn't support the {tag} field for user messages. Remove {tag} and try again.",
            "This model doesn't support the {tag} content block that you provided. Update the content block and try "
            "again.",
            "The model returned the following errors: Malformed input request: #/messages/{n}/content/{m}: extraneous "
            "key [toolResult] is not permitted, please reformat your input and try again.",
        ),
        repair="They follow the results, with a note in their place.",
        source=_GH + "anomalyco/opencode/issues/49443",
        date="2026-09",
    ),
    Rule(
        id="B17",
        rule="A document's name has 1 to 200 letters, digits, single spaces, hyphens, parentheses and brackets.",
        errors=(
            "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, "
            "parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. "
            "Check that the file name conforms to these restrictions and retry your request.",
        ),
        repair="Other characters become spaces; a missing name becomes `document`.",
        source=_GH + "vercel/ai/issues/20365",
        date="2026-09",
    ),
    Rule(
        id="B18",
        rule="The names of a request's documents differ, by more than case.",
        errors=("Messages can't contain duplicate document names. Rename the document and retry your request.",),
        repair="A name that was there before gets a number.",
        source=_GH + "maximhq/bifrost/issues/7003",
        date="2026-09",
    ),
    Rule(
        id="B19",
        rule="A message with a document has a text too.",
        errors=(
            "A text block must be included when using documents.",
            "A text block must be included when using documents. Add a text block and retry your request.",
        ),
        repair="A text that names the document is put before it.",
        source=_API + "API_runtime_Message.html",
        date="2026-09",
    ),
    Rule(
        id="B20",
        rule="Media stand in user messages only, and the model has to take them.",
        errors=(
            "messages.{n}.content: '{tag}' blocks are not permitted within assistant turns.",
            "This model doesn't support the {tag} field for user messages. Remove {tag} and try again.",
        ),
        repair="They are replaced by a text that says so.",
        source=_GH + "epam/ai-dial-adapter-bedrock/pull/306",
        date="2026-09",
    ),
    Rule(
        id="B21",
        rule="A message has at most 20 images, of 3.75 MB and 8000 pixels a side, and 5 documents, of 4.5 MB.",
        errors=(),
        repair="More of them follow in messages of their own; their sizes are not looked at.",
        source=_API + "API_runtime_Message.html",
        date="2026-09",
    ),
    Rule(
        id="B22",
        rule="A cache point follows content that can be cached, in the same message: not reasoning, not a document "
        "that is no PDF, and not in a message that begins with a document. There are at most four, and only for models "
        "that have a cache.",
        errors=(
            "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try "
            "again.",
            "There is nothing available to cache. Please remove the invalid cache point and try again.",
            "The model returned the following errors: messages.{n}.content.{m}.type: Field required",
            "You invoked an unsupported model or your request did not allow prompt caching.",
            "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
        ),
        repair="It is moved before trailing documents, or left out: it carries no content.",
        source=_GH + "strands-agents/harness-sdk/issues/1966",
        date="2026-08",
    ),
    Rule(
        id="B23",
        rule="Claude takes its own signed reasoning back, in assistant messages and not as their end; no other family "
        "takes any.",
        errors=(
            "thinking.signature: Field required",
            "User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
            "messages.{n}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`",
            "Invalid signature",
        ),
        repair="Signed reasoning goes back to Claude unchanged; all else is left out.",
        source=_GH + "vercel/ai/issues/7034",
        date="2026-09",
    ),
    Rule(
        id="B24",
        rule="A message has a role and content, and a block exactly one known key.",
        errors=(
            "Invalid number of parameters set for tagged union structure messages[{n}].content[{m}]. Can only set one "
            "of the following keys: {tags}.",
            'Unknown parameter in messages[{n}].content[{m}]: "{key}", must be one of: {tags}',
            'Unknown parameter in messages[{n}]: "{key}", must be one of: role, content',
            "Invalid type for parameter messages[{n}].content, value: {value}, type: {kind}, valid types: <class "
            "'list'>, <class 'tuple'>",
            'Missing required parameter in messages[{n}].content[{m}].{tag}: "{key}"',
        ),
        repair="Only what a dated list knows is sent.",
        source=_MODEL,
        date="2026-09",
    ),
    Rule(
        id="B25",
        rule="A role is `user` or `assistant`; the system prompt stands beside the messages, and its texts are not "
        "empty.",
        errors=(
            "Value '{role}' at 'messages.{member}.member.role' failed to satisfy constraint: Member must satisfy enum "
            "value set: [user, assistant]",
            "Invalid length for parameter system[{n}].text, value: 0, valid min length: 1",
        ),
        repair="Leading system messages are lifted to the system prompt; later ones are marked text of the user's.",
        source=_GH + "continuedev/continue/issues/1938",
        date="2024-08",
    ),
    Rule(
        id="B26",
        rule="A result's `status` is for models that know it.",
        errors=("This model doesn't support the status field. Remove status and try again.",),
        repair="It is left out there, and the text of an error begins with `Error: `.",
        source=_API + "API_runtime_ToolResultBlock.html",
        date="2026-09",
    ),
    Rule(
        id="B27",
        rule="Media in S3 are for models that read there.",
        errors=("This model doesn't support the s3Uri field. Remove s3Uri and try again.",),
        repair="They are replaced by a text that says so: the bytes are not here.",
        source=_GH + "pydantic/pydantic-ai",
        date="2026-08",
    ),
    Rule(
        id="B28",
        rule="Media have a known format and at least one byte.",
        errors=(
            "Value '{value}' at 'messages.{member}.member.content.{part}.member.{tag}.format' failed to satisfy "
            "constraint: Member must satisfy enum value set: [{tags}]",
        ),
        repair="`jpg` is sent as `jpeg`; what has no format here is replaced by a text that says so.",
        source=_MODEL,
        date="2026-09",
    ),
    Rule(
        id="B29",
        rule="Text is valid Unicode: no lone surrogates.",
        errors=(),
        repair="A lone surrogate is sent as U+FFFD; the history keeps it.",
        source="https://www.rfc-editor.org/rfc/rfc8259#section-8.2",
        date="2026-09",
    ),
    Rule(
        id="B30",
        rule="Calls stand in assistant messages and results in user messages; those of Nova's own tools both stand in "
        "an assistant message.",
        errors=(),
        repair="They are given to the side they belong to; an unfinished pair of a server tool is left out.",
        source=_API + "API_runtime_ToolUseBlock.html",
        date="2026-09",
    ),
    Rule(
        id="B31",
        rule="An image's bytes are of the format that it names, and whole.",
        errors=(
            "The model returned the following errors: The provided image does not match the specified image format.",
        ),
        repair="The format is corrected from the bytes; what is no image is replaced by a text that says so.",
        source=_GH + "boto/boto3/issues/4415",
        date="2025-01",
    ),
)
BY_ID: Final = {rule.id: rule for rule in RULES}

ID: Final = re.compile("[a-zA-Z0-9_-]+")
"""What every version of the service takes (B09)."""
ID_LIMIT: Final = 64
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
DOCUMENT_NAME_LIMIT: Final = 200
MAX_CACHE_POINTS: Final = 4
BLOCKS: Final = (
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
)
"""The keys of which a block has one (botocore 1.44.5)."""
IN_RESULTS: Final = ("json", "text", "image", "document", "video", "searchResult")

_ANYTHING: Final = frozenset({"text", "image", "document", "video", "searchResult"})
_VISION: Final = frozenset({"image", "document"})
_PROFILES: Final = _GH + "pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/providers/bedrock.py"
_FEATURES: Final = _GUIDE + "conversation-inference-supported-models-features.html"
_CACHING: Final = _GUIDE + "prompt-caching.html"
_NOVA: Final = "https://docs.aws.amazon.com/nova/latest/"


def _row(models: str, source: str, date: str, **fields: Any) -> ModelRow:
    return ModelRow(models=re.compile(models), fields=fields, source=source, date=date)


MODELS: Final = (
    # Claude; what depends on its version alone is read from the table of the Messages API.
    _row(
        "claude",
        _PROFILES,
        "2026-07",
        leading_assistant=True,
        status=True,
        empty_results=True,
        beside_results=frozenset({"text", "image", "pdf"}),
        s3=frozenset({"document"}),
    ),
    _row(
        "claude",
        _API + "API_runtime_SearchResultBlock.html",
        "2026-09",
        media=_VISION | {"searchResult"},
        in_results=_VISION | {"searchResult"},
    ),
    _row("claude|nova-", _GH + "pydantic/pydantic-ai", "2026-08", text_with_calls=True),
    _row("claude", _FEATURES, "2026-09", citations=True),
    _row("claude", _CACHING, "2026-09", cache_points=True),
    _row(
        "claude-(v2|instant|3-(opus|sonnet|haiku)|3-5-sonnet-20240620)",
        _GH + "pensarai/apex/pull/943",
        "2026-08",
        cache_points=False,
    ),
    _row("claude-[a-z]+-(4-[5-9]|[5-9])", _CACHING, "2026-09", cache_ttl=True),
    # Nova
    _row(
        "nova-",
        _PROFILES,
        "2026-07",
        status=True,
        beside_results=_ANYTHING,
        in_results=frozenset({"image", "csv", "txt"}),
        empty_results=True,
        white_space=True,
        s3=_ANYTHING,
    ),
    _row("nova-", _GH + "can1357/oh-my-pi/pull/9086", "2026-08", reasoning=False),
    _row("nova-", _CACHING, "2026-09", cache_points=True),
    _row(
        "nova-(2-)?(lite|pro|premier|omni)", _NOVA + "userguide/modalities.html", "2026-09", media=_VISION | {"video"}
    ),
    _row("nova-micro", _NOVA + "userguide/modalities.html", "2026-09", media=frozenset()),
    _row("nova-2-", _NOVA + "nova2-userguide/using-tools.html", "2026-09", server_tools=True, citations=True),
    # The rest; no family but Claude signs its reasoning.
    _row("llama", _PROFILES, "2026-07", status=True, in_results=_VISION, reasoning=False),
    _row(
        "mistral|mixtral|pixtral",
        _PROFILES,
        "2026-07",
        status=True,
        in_results=frozenset({"document"}),
        reasoning=False,
    ),
    _row("writer|palmyra", _PROFILES, "2026-07", reasoning=False),
    _row(
        "qwen|kimi|moonshot|glm|zai",
        _PROFILES,
        "2026-07",
        status=True,
        leading_assistant=True,
        beside_results=_ANYTHING,
        reasoning=False,
    ),
    _row(
        "deepseek|cohere|jamba|ai21|gpt-oss|minimax|nemotron|nvidia|gemma",
        _PROFILES,
        "2026-07",
        status=True,
        beside_results=_ANYTHING,
        reasoning=False,
    ),
)
"""What differs by family; a model that no row covers, and an inference profile's ARN, gets the strictest values."""
