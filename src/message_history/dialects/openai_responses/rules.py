"""The rules of the Responses API, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for an item, `{ids}` for an id in it. A rule without an error text is documented, or was seen without one.
Texts were reported or recorded; none was produced by calling the API for this list. What depends on the account, the
request or the server's memory (OR-10, OR-21, OR-22) is documented here, but no list alone can show it.
"""

from __future__ import annotations

from typing import Final

from message_history.dialects.base import Rule

__all__ = ["BY_ID", "RULES"]

_GH: Final = "https://github.com/"
_SPEC: Final = "https://github.com/openai/openai-openapi"

RULES: Final = (
    Rule(
        id="OR-01",
        rule="Every function call has an output somewhere behind it.",
        errors=("No tool output found for function call {ids}.",),
        repair="An output that is displaced is moved to its call; a call without an output gets an honest stub.",
        source=_GH + "openai/codex/issues/93",
        date="2026-10",
    ),
    Rule(
        id="OR-02",
        rule="Every call of a custom tool has an output somewhere behind it.",
        errors=("No tool output found for custom tool call {ids}.",),
        repair="As for functions, with an output of its own type.",
        source=_GH + "diegosouzapw/OmniRoute/issues/8946",
        date="2026-10",
    ),
    Rule(
        id="OR-03",
        rule="Every call of the local shell, and of the other tools that the client runs, has an output behind it.",
        errors=("No tool output found for local shell call {ids}.", "No tool output found for computer call {ids}."),
        repair="As for functions; a stub that the tool's own output type cannot say is sent as a function's output.",
        source=_GH + "Azure-Samples/computer-use/issues/22",
        date="2025-04",
    ),
    Rule(
        id="OR-04",
        rule="A function call's output stands behind its call.",
        errors=(
            "No tool call found for function call output with call_id {ids}.",
            "No tool call found for tool output with call_id {ids}.",
        ),
        repair="It is moved to its call; one of no known call is dropped.",
        source=_GH + "continuedev/continue/issues/10092",
        date="2026-10",
    ),
    Rule(
        id="OR-05",
        rule="A custom tool's output stands behind its call.",
        errors=("No tool call found for custom tool call output with call_id {ids}.",),
        repair="It is moved to its call; one of no known call is dropped.",
        source=_GH + "continuedev/continue/issues/10092",
        date="2026-10",
    ),
    Rule(
        id="OR-06",
        rule="Reasoning that is sent with its id is followed by the very item that it led to, with that item's id.",
        errors=("Item '{ids}' of type 'reasoning' was provided without its required following item.",),
        repair="Reasoning goes back with its item as both came, or not at all.",
        source=_GH + "openai/openai-agents-python/issues/1611",
        date="2026-10",
    ),
    Rule(
        id="OR-07",
        rule="An item that was made together with reasoning is not sent under its id without that reasoning.",
        errors=(
            "Item '{ids}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'.",
            "Item '{ids}' of type '{kind}' was provided without its required 'reasoning' item",
            "Item '{ids}' of type '{kind}' was provided without its required preceding item of type 'reasoning'",
        ),
        repair="The item goes back without its id, which nothing visible depends on; one that must have an id is left "
        "out where its reasoning had to be.",
        source=_GH + "mastra-ai/mastra/issues/8738",
        date="2026-10",
    ),
    Rule(
        id="OR-08",
        rule="Reasoning stands directly before the item that it led to.",
        errors=("Item '{ids}' of type '{kind}' was provided without its required 'reasoning' item",),
        repair="A group of reasoning and what it led to is never reordered, and nothing is put into it.",
        source=_GH + "openai/openai-node/issues/1791",
        date="2026-10",
    ),
    Rule(
        id="OR-09",
        rule="Without storage no id is known: reasoning needs its encrypted content, and nothing can be referred to.",
        errors=(
            "Item with id '{ids}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
        ),
        repair="Reasoning without encrypted content and references are sent only where items are stored.",
        source=_GH + "vercel/ai/issues/7543",
        date="2025-07",
    ),
    Rule(
        id="OR-10",
        rule="Even with storage an item can be gone.",
        errors=("Item with id '{ids}' not found.",),
        repair="None: no list shows what a server has forgotten. Without `store` nothing depends on its memory.",
        source=_GH + "openai/openai-agents-python/issues/2020",
        date="2026-10",
    ),
    Rule(
        id="OR-11",
        rule="No item id occurs twice.",
        errors=("Duplicate item found with id {ids}. Remove duplicate items from your input and try again.",),
        repair="The second item goes back without its id; reasoning does not go back a second time.",
        source=_GH + "openai/openai-agents-js/issues/425",
        date="2026-10",
    ),
    Rule(
        id="OR-12",
        rule="An item's id begins with its type: `msg`, `fc` or `rs`.",
        errors=("Invalid 'input[{n}].id': '{ids}'. Expected an ID that begins with '{prefix}'.",),
        repair="Another id is left out.",
        source=_GH + "continuedev/continue/pull/11785",
        date="2026-10",
    ),
    Rule(
        id="OR-13",
        rule="An item's id has at most 64 characters.",
        errors=(
            "Invalid 'input[{n}].id': string too long. Expected a string with maximum length 64, but got a string with "
            "length {count} instead.",
        ),
        repair="A longer id is left out.",
        source=_GH + "can1357/oh-my-pi/issues/284",
        date="2026-10",
    ),
    Rule(
        id="OR-14",
        rule="An item's id is made of letters, digits, `_` and `-`, and does not end with `_`.",
        errors=(
            "Invalid 'input[{n}].id': '{ids}'. Expected an ID that contains letters, numbers, underscores, or dashes, "
            "but this value contained additional characters.",
        ),
        repair="Another id is left out.",
        source=_GH + "badlogic/pi-mono/issues/1022",
        date="2026-10",
    ),
    Rule(
        id="OR-15",
        rule="A call and its output have a `call_id` of 1 to 64 characters.",
        errors=(
            "Invalid 'input[{n}].call_id': string too long. Expected a string with maximum length 64, but got a string "
            "with length {count} instead.",
            "Missing required parameter: input[{n}].call_id",
            "Invalid 'input[{n}].call_id': empty string. Expected a string with minimum length 1, but got an empty "
            "string instead.",
        ),
        repair="A longer id is rewritten on both sides; a missing one is given by position.",
        source=_GH + "AnswerDotAI/fastllm/issues/45",
        date="2026-10",
    ),
    Rule(
        id="OR-16",
        rule="OpenAI's own reasoning comes back without `content`.",
        errors=(
            "Invalid 'input[{n}].content': array too long. Expected an array with maximum length 0, but got an array "
            "with length {count} instead.",
        ),
        repair="Reasoning text goes to servers that take it; to OpenAI go the summary and the encrypted content.",
        source=_GH + "musistudio/claude-code-router/issues/1783",
        date="2026-10",
    ),
    Rule(
        id="OR-17",
        rule="Items hold the keys of the request's form only, and null only where that form allows it.",
        errors=("Unknown parameter: 'input[{n}].{key}'.",),
        repair="Keys are written from a closed list for each type of item.",
        source=_GH + "openai/openai-python/issues/3008",
        date="2026-03",
    ),
    Rule(
        id="OR-18",
        rule="The assistant's parts are `output_text` and `refusal`, all others' `input_text`, `input_image` and such.",
        errors=(
            "Invalid value: '{kind}'. Supported values are: 'output_text' and 'refusal'.",
            "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
        ),
        repair="Text is written as the part that its role takes; an assistant's image as a note.",
        source=_GH + "danny-avila/LibreChat/issues/11814",
        date="2026-10",
    ),
    Rule(
        id="OR-19",
        rule="A role is `assistant`, `system`, `developer` or `user`.",
        errors=("Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",),
        repair="Tool messages of Chat Completions become outputs.",
        source=_GH + "Chevey339/kelivo/issues/281",
        date="2026-10",
    ),
    Rule(
        id="OR-20",
        rule="A message has content.",
        errors=(
            "Invalid type for 'input[{n}].content': expected one of an array of objects or string, but got null "
            "instead.",
        ),
        repair="A message without content is dropped; a turn of calls only is calls only.",
        source=_GH + "QuantumNous/new-api/issues/4776",
        date="2026-10",
    ),
    Rule(
        id="OR-21",
        rule="Encrypted content is known to the organisation and endpoint that made it alone.",
        errors=(
            "The encrypted content {ids} could not be verified.",
            "The encrypted content for item {ids} could not be verified. Reason: Encrypted content could not be "
            "decrypted or parsed.",
        ),
        repair="Reasoning is sent to the dialect that issued it; within it, none: a list does not name the account.",
        source=_GH + "openai/codex/issues/8132",
        date="2026-10",
    ),
    Rule(
        id="OR-22",
        rule="A call of a tool outside the default namespace names its namespace.",
        errors=("Missing namespace for function_call '{ids}'. It does not exist in the default namespace.",),
        repair="The key travels with its call.",
        source=_GH + "pydantic/pydantic-ai",
        date="2026-08",
    ),
    Rule(
        id="OR-23",
        rule="One text has at most 10,485,760 characters.",
        errors=(
            "Invalid 'input[{n}].content': string too long. Expected a string with maximum length 10485760, but got a "
            "string with length {count} instead.",
        ),
        repair="A longer text is sent in several parts.",
        source=_GH + "VectorlyApp/bluebox/issues/31",
        date="2026-10",
    ),
    Rule(
        id="OR-24",
        rule="OpenAI pairs calls and outputs by id: other items may stand between them.",
        errors=(),
        repair="Outputs are written directly behind their calls all the same: other servers demand it (DS-15).",
        source=_GH + "deepseek-ai/awesome-deepseek-integration/issues/740",
        date="2026-10",
    ),
    Rule(
        id="OR-25",
        rule="Outputs may hold images and files.",
        errors=(),
        repair="They stay where they are.",
        source=_SPEC,
        date="2026-08",
    ),
    Rule(
        id="OR-26",
        rule="vLLM fails on a message without parts, and on a refusal.",
        errors=("AttributeError: no attribute 'text'", "IndexError on item.content[0]"),
        repair="A message without content is dropped; a refusal is sent as text where refusals are not taken.",
        source=_GH + "vllm-project/vllm/issues/49130",
        date="2026-10",
    ),
    Rule(
        id="OR-27",
        rule="Some gateways want every key that the specification asks for on reasoning and on messages with parts.",
        errors=(
            "invalid_prompt: Invalid input: expected string, received undefined",
            "invalid_prompt: Invalid input: expected array, received undefined",
        ),
        repair="A message without an id is sent with plain text as its content; reasoning without one only to OpenAI.",
        source=_GH + "microsoft/agent-framework/issues/3795",
        date="2026-10",
    ),
    Rule(
        id="OR-28",
        rule="A tool's name is made of letters, digits, `_` and `-`.",
        errors=(
            "Invalid 'input[{n}].name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            "Invalid 'input[{n}].name': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
        ),
        repair="A missing name becomes `unknown_tool`, another one is rewritten.",
        source=_GH + "NousResearch/hermes-agent/issues/31666",
        date="2026-05",
    ),
    Rule(
        id="OR-29",
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
        id="OR-30",
        rule="An image has at most 20 MB, and a request at most 500 images and 50 MB of them.",
        errors=(),
        repair="A larger image is scaled; of too many, the oldest are replaced by a text that says so.",
        source="https://platform.openai.com/docs/guides/images-vision",
        date="2026-09",
    ),
    Rule(
        id="DS-15",
        rule="On DeepSeek outputs follow their group of calls directly: no item comes while a call is unanswered.",
        errors=("No tool output found for tool call {ids}.",),
        repair="Words are written before the calls of their turn, outputs right behind the calls.",
        source=_GH + "pydantic/pydantic-ai/issues/7430",
        date="2026-08",
    ),
    Rule(
        id="DS-16",
        rule="A `call_id` is used for one call, and answered once.",
        errors=("Duplicate 'call_id': {ids}.", "Duplicate tool output for call_id: {ids}."),
        repair="A second call gets an id of its own, on both sides; an equal second output is dropped, another quoted.",
        source=_GH + "dandandujie/dsr-go",
        date="2026-10",
    ),
    Rule(
        id="DS-17",
        rule="The list holds at least one item.",
        errors=("Input items array must not be empty", "Either input or instructions must be provided"),
        repair="None is possible: an empty history has nothing to send.",
        source=_GH + "dandandujie/dsr-go",
        date="2026-10",
    ),
    Rule(
        id="DS-18",
        rule="DeepSeek silently takes developer messages for the user's, and sorts parallel calls by id.",
        errors=(),
        repair="Words of the developer are sent as the system's where they are not taken as such.",
        source=_GH + "dandandujie/dsr-go",
        date="2026-10",
    ),
    Rule(
        id="HF-07",
        rule="vLLM and other relays parse a call's arguments: they are a JSON object.",
        errors=("json.decoder.JSONDecodeError: {what}",),
        repair="Arguments go back byte for byte; where they are parsed, unreadable ones go under `_raw`.",
        source=_GH + "local-inference-lab/vllm/issues/684",
        date="2026-10",
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
)
BY_ID: Final = {rule.id: rule for rule in RULES}
