"""The rules of pydantic-ai, as data: what its types refuse, what its agent raises, and what it changes in silence.

Texts are those of pydantic-ai-slim 2.68, produced by running it, with `{...}` for what differs. A rule without a text
is one that the package does not enforce: it drops or invents, or leaves the refusal to the provider behind it.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects.base import Rule

__all__ = ["BY_ID", "ID", "ISSUERS", "PROVIDERS", "REASONING_KEYS", "RULES", "SERVER_PARTS"]

_MESSAGES: Final = "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/messages.py"
_GRAPH: Final = "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/_agent_graph.py"
_DOCS: Final = "https://ai.pydantic.dev/message-history/"
_READ: Final = "2026-11"

RULES: Final = (
    Rule(
        id="PA-01",
        rule="An entry is a message: an object whose `kind` is `request` or `response`.",
        errors=(
            "Input tag '{tag}' found using 'kind' does not match any of the expected tags: 'request', 'response'",
            "Unable to extract tag using discriminator 'kind'",
            "Input should be a valid dictionary or object to extract fields from",
        ),
        repair="An entry of another form is read in that form; one that is no message is dropped.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-02",
        rule="A message has a list of parts.",
        errors=("Field required", "Input should be an instance of Sequence"),
        repair="One part is a list of one; text is a user prompt or a text part.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-03",
        rule="A request holds the parts of a request only.",
        errors=(
            "Input tag '{tag}' found using _model_request_part_discriminator() does not match any of the expected "
            "tags: {tags}",
            "Unable to extract tag using discriminator _model_request_part_discriminator()",
        ),
        repair="A call in a request is dropped or given to the assistant; an unknown part is kept and not sent.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-04",
        rule="A response holds the parts of a response only.",
        errors=(
            "Input tag '{tag}' found using _model_response_part_discriminator() does not match any of the expected "
            "tags: {tags}",
            "Unable to extract tag using discriminator _model_response_part_discriminator()",
        ),
        repair="A result in a response is given to the user's side; text stays text.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-05",
        rule="A part has the keys that its kind demands.",
        errors=("Field required",),
        repair="Parts are written whole; a missing tool name is the call's, a missing id is numbered.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-06",
        rule="The keys of messages, parts and content hold what their types say.",
        errors=("Input should be a valid {tag}",),
        repair="A key with another value is not sent; without a time the package fills in its own.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-07",
        rule="The content of a user prompt is text, or a list of text and known kinds of content.",
        errors=(
            "Value error, `UserPromptPart.content[{m}]` must be a `UserContent` item, got `{tag}`.",
            "Value error, `UserPromptPart.content` must be a `str` or a sequence of `UserContent` items, got `{tag}`.",
        ),
        repair="Unknown content is kept in the history and not sent.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-08",
        rule="Binary data is base64.",
        errors=("Data should be valid base64: {what}",),
        repair="Data that is none is replaced by a text that says so.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-09",
        rule="JSON holds no lone surrogates.",
        errors=("Invalid JSON: unexpected end of hex escape at line {n} column {m}",),
        repair="A lone surrogate is sent as U+FFFD; the history keeps it.",
        source=_DOCS,
        date=_READ,
    ),
    Rule(
        id="PA-10",
        rule="Speech in a request is the user's, in a response the assistant's.",
        errors=("Value error, `SpeechPart` in `{owner}.parts` must have `speaker='{role}'`, got '{tag}'",),
        repair="Speech of the other side is sent as its transcript.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-11",
        rule="A summary in a request names no provider.",
        errors=(
            "Value error, A `CompactionPart` in `ModelRequest.parts` is a summary no provider produced, so it must "
            "not set `provider_name`, `id` or `provider_details`; a provider's own compaction part belongs in "
            "`ModelResponse.parts`.",
        ),
        repair="Such a summary is sent without these keys.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-12",
        rule="The calls of a response are answered before the user says anything more.",
        errors=(
            "Cannot provide a new user prompt when the message history contains unprocessed tool calls. Run the agent "
            "with this message history and no new prompt to execute the calls, pass `deferred_tool_results` if they "
            "were deferred, or call `pydantic_ai.messages.repair_messages()` on the history first to close them out.",
            "Cannot provide a new user prompt when the message history contains unprocessed tool calls.",
        ),
        repair="A call without a result gets an honest stub with the outcome `interrupted`.",
        source=_GRAPH,
        date=_READ,
    ),
    Rule(
        id="PA-13",
        rule="Every call is answered in the request right after it; since 2.x the agent invents the answer in silence.",
        errors=(),
        repair="Results are moved to their calls; a call that has none gets an honest stub.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-14",
        rule="A result answers a call that came before it; since 2.x the agent drops any other in silence.",
        errors=(),
        repair="A displaced result is moved to its call; one of no known call is dropped and recorded.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-15",
        rule="A call has one result; a second one goes to the provider, which refuses it.",
        errors=(),
        repair="An equal second result is dropped, another one quoted as text.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-16",
        rule="A run without a new prompt needs a list that ends with a request.",
        errors=("Processed history must end with a `ModelRequest`.",),
        repair="A marked user turn that says to go on is added, unless a new prompt comes with the run.",
        source=_GRAPH,
        date=_READ,
    ),
    Rule(
        id="PA-17",
        rule="A run has something to send.",
        errors=(
            "No message history, user prompt, or instructions provided",
            "Processed history cannot be empty.",
        ),
        repair="None is possible: an empty history has nothing to send.",
        source=_GRAPH,
        date=_READ,
    ),
    Rule(
        id="PA-18",
        rule="A suspended response is resumed before anything else is said.",
        errors=(
            "Cannot provide a new user prompt when the message history ends in a suspended response. Resume it by "
            "running the agent with this message history and no new prompt.",
        ),
        repair="It goes out last, without a user turn behind it.",
        source=_GRAPH,
        date=_READ,
    ),
    Rule(
        id="PA-19",
        rule="The calls and returns of the package's own tool kinds hold what those kinds demand.",
        errors=("Input should be '{tag}'", "Field required"),
        repair="The kind is not sent with any other call or return.",
        source=_MESSAGES,
        date=_READ,
    ),
    Rule(
        id="PA-20",
        rule="Thinking, ids and details go back to the provider that they name; a signature without one goes nowhere.",
        errors=(),
        repair="Thinking is written with its issuer's name; signed thinking of an unknown issuer is left out.",
        source=_MESSAGES,
        date=_READ,
    ),
)
BY_ID: Final = {rule.id: rule for rule in RULES}

ISSUERS: Final[dict[str, str]] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "google": "gemini",
    "google-cloud": "gemini",
    "google-gla": "gemini",
    "google-vertex": "gemini",
    "mistral": "mistral",
    "openai": "openai_responses",
    "openai-codex": "openai_responses",
    "azure": "openai_responses",
}
"""Who signs what the package's providers return; `google-gla` and `google-vertex` are the names before 2.0."""

PROVIDERS: Final[dict[str, str]] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "google",
    "mistral": "mistral",
    "openai_responses": "openai",
}
"""The package's name for each of our issuers."""

REASONING_KEYS: Final = ("reasoning_content", "reasoning")
"""The ids of thinking that came from a Chat Completions server: the key that it stood under."""

SERVER_PARTS: Final = frozenset({"builtin-tool-call", "builtin-tool-return"})
ID: Final = re.compile("[^\ud800-\udfff]+")
"""Ids are free; only lone surrogates cannot be written."""
