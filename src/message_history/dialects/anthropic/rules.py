"""The rules of the Messages API, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a message, `{m}` for a block in it. A rule without an error text is documented, but nobody has
published what the API answers. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from typing import Final, final

from attrs import frozen

from message_history.dialects.base import Rule

__all__ = ["BY_ID", "MODELS", "RULES", "SERVER_TOOLS", "Row", "version_of"]

_DOCS: Final = "https://platform.claude.com/docs/en/"
_GH: Final = "https://github.com/"

RULES: Final = (
    Rule(
        id="A1",
        rule="The list holds at least one message.",
        errors=("messages: at least one message is required",),
        repair="None is possible: an empty history has nothing to send.",
        source=_GH + "tokenparty-net/llm-xlate",
        date="2026-09",
    ),
    Rule(
        id="A2",
        rule="Before 2025 the first message had to be the user's; current models take a leading assistant.",
        errors=('messages: first message must use the "user" role',),
        repair="A history always begins with the user; a placeholder turn is put first where it did not.",
        source=_GH + "posit-dev/py-shiny/issues/1530",
        date="2024-07",
    ),
    Rule(
        id="A3",
        rule="Before 2025 roles had to alternate; neighbours of one role are combined now.",
        errors=(
            'messages: roles must alternate between "user" and "assistant", but found multiple {role} roles in a row',
        ),
        repair="Neighbours of one role are one message.",
        source=_DOCS + "api/messages/create",
        date="2026-09",
    ),
    Rule(
        id="A4",
        rule="A role is `user` or `assistant`, and on some models `system`.",
        errors=("messages.{n}.role: Input should be 'user' or 'assistant'",),
        repair="Tool messages become results in a user message, developer messages the system prompt.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-09",
    ),
    Rule(
        id="A5",
        rule="A system message with content is not the first entry.",
        errors=(
            "messages.{n}: use the top-level 'system' parameter for the initial system prompt; the directive-only form "
            "(content: [] with output_config) is accepted at any position",
        ),
        repair="Leading system messages are lifted to the system prompt.",
        source=_GH + "LeenHawk/gproxy/issues/209",
        date="2026-08",
    ),
    Rule(
        id="A6",
        rule="A system message follows a user message, or an assistant message that ends in a server tool's result.",
        errors=(
            "messages.{n}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server "
            "tool result; the directive-only form (content: [] with output_config) is accepted at any position",
        ),
        repair="System words stay in the user's turn and are sent behind it, or as user text where there is none.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A7",
        rule="A system message is the last entry, or an assistant message follows it.",
        errors=(
            "messages.{n}: role 'system' must precede an 'assistant' message or end the array; the directive-only "
            "form (content: [] with output_config) is accepted at any position",
        ),
        repair="System words are sent behind all else that the user's turn holds.",
        source=_GH + "diillson/chatcli/issues/1523",
        date="2026-08",
    ),
    Rule(
        id="A8",
        rule="A system message does not stand between a call and its result.",
        errors=(),
        repair="Results come first in the user's turn, system words behind it.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A9",
        rule="System messages in the list are taken by Opus 4.8 and 5, Fable 5 and Mythos 5 only.",
        errors=("role 'system' is not supported on this model",),
        repair="Elsewhere system words are sent as marked text of the user's turn.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A10",
        rule="A system message holds text only (and tool changes, with a beta header).",
        errors=(),
        repair="Only text is put there.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A11",
        rule="`clear_at` stands on system messages only, and its message holds text without cache marks.",
        errors=(
            "messages.{n}.clear_at: clear_at is only permitted on role 'system' messages",
            "messages.{n}.clear_at: Extra inputs are not permitted",
            "messages.{n}.clear_at: Input should be 'next_user_message' or 'never'",
            "messages.{n}: a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')",
            "messages.{n}: output_config is not permitted on a turn-scoped system message "
            "(clear_at: 'next_user_message')",
            "messages.{n}.content.{m}: cache_control is not permitted on a turn-scoped system message "
            "(clear_at: 'next_user_message')",
        ),
        repair="The key is kept in the history and not sent.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A12",
        rule="A system message without content needs `output_config` and a beta header.",
        errors=("output_config: Extra inputs are not permitted",),
        repair="Such a message goes back only where system messages are taken.",
        source=_GH + "tokenparty-net/llm-xlate",
        date="2026-09",
    ),
    Rule(
        id="A13",
        rule="A tool change names a tool of the request.",
        errors=(),
        repair="None: the history does not know the request's tools.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A14",
        rule="Neighbouring system messages are taken by the API itself and refused on Bedrock.",
        errors=(),
        repair="The system words of one user turn are one system message.",
        source=_DOCS + "build-with-claude/mid-conversation-system-messages",
        date="2026-09",
    ),
    Rule(
        id="A15",
        rule="From Claude 4.6 on, the list does not end with the assistant; a paused turn may.",
        errors=(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        repair="A marked user turn that says to go on is added.",
        source=_DOCS + "api/errors#prefill-not-supported",
        date="2026-09",
    ),
    Rule(
        id="A16",
        rule="A request holds at most 100,000 messages.",
        errors=(),
        repair="None: a window must be cut.",
        source=_DOCS + "api/messages/create",
        date="2026-09",
    ),
    Rule(
        id="A17",
        rule="A request is at most 32 MB long.",
        errors=(),
        repair="None: a window must be cut, or media sent as files.",
        source=_DOCS + "api/errors",
        date="2026-09",
    ),
    Rule(
        id="A18",
        rule="The input fits the context window.",
        errors=("prompt is too long: {count} tokens > {limit} maximum",),
        repair="None: a window must be cut.",
        source=_DOCS + "build-with-claude/context-windows",
        date="2026-09",
    ),
    Rule(
        id="B1",
        rule="Every message has content, but for the last one of the assistant.",
        errors=(
            "messages.{n}: all messages must have non-empty content except for the optional final assistant message",
        ),
        repair="An empty message is dropped; its neighbours join.",
        source=_GH + "microsoft/autogen/issues/6083",
        date="2025-03",
    ),
    Rule(
        id="B2",
        rule="No text block is empty.",
        errors=("messages: text content blocks must be non-empty",),
        repair="The block is dropped.",
        source=_GH + "anthropics/claude-code/issues/59812",
        date="2026-09",
    ),
    Rule(
        id="B3",
        rule="No text block holds only white space.",
        errors=("messages: text content blocks must contain non-whitespace text",),
        repair="The block is dropped.",
        source=_GH + "anthropics/claude-code/issues/23369",
        date="2026-02",
    ),
    Rule(
        id="B4",
        rule="A prefilled answer does not end with white space.",
        errors=("messages: final assistant content cannot end with trailing whitespace",),
        repair="The end of the last text is trimmed on the wire.",
        source=_DOCS + "build-with-claude/prompt-engineering/prefill-claudes-response",
        date="2025-10",
    ),
    Rule(
        id="B5",
        rule="Content is text or a list of blocks, never null.",
        errors=("messages.{n}.content.str: Input should be a valid string",),
        repair="A message without content is dropped.",
        source=_GH + "NousResearch/hermes-agent/issues/11945",
        date="2026-05",
    ),
    Rule(
        id="B6",
        rule="A block's `type` is one that may stand there.",
        errors=(
            "messages.{n}.content.{m}: Input tag '{tag}' found using 'type' does not match any of the expected tags: "
            "{tags}",
        ),
        repair="A block of another provider is left out; one nested in a result becomes text.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-09",
    ),
    Rule(
        id="B7",
        rule="Messages and blocks hold no unknown keys.",
        errors=(
            "messages.{n}.content.{m}.{tag}.{key}: Extra inputs are not permitted",
            "messages.{n}.{key}: Extra inputs are not permitted",
        ),
        repair="Only the keys of a dated list are sent.",
        source=_GH + "anthropics/claude-code/issues/4378",
        date="2025-07",
    ),
    Rule(
        id="B8",
        rule="Blocks hold the keys that their type demands, with values of the right type.",
        errors=("messages.{n}.content.{m}.{tag}.{key}: Field required",),
        repair="A result without an id pairs if one call waits; a block that lacks something is left out.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-09",
    ),
    Rule(
        id="B9",
        rule="Text is valid Unicode: no lone surrogates.",
        errors=("The request body is not valid JSON: no low surrogate in string",),
        repair="A lone surrogate is sent as U+FFFD; the history keeps it.",
        source=_GH + "anthropics/claude-code/issues/5934",
        date="2025-08",
    ),
    Rule(
        id="B10",
        rule="Citations on replayed text keep the limits of their fields.",
        errors=(),
        repair="Citations go back as they came, only to the API they came from; those that break a limit are left out.",
        source=_DOCS + "build-with-claude/citations",
        date="2026-09",
    ),
    Rule(
        id="C1",
        rule="Every call is answered by a result at the start of the very next message.",
        errors=(
            "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        repair="A call without a result gets an honest stub.",
        source=_GH + "anthropics/claude-code/issues/8210",
        date="2025-09",
    ),
    Rule(
        id="C2",
        rule="Results come first in the user's message.",
        errors=(
            "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
            "`tool_use` block must have a corresponding `tool_result` block in the next message.",
            "messages.{n}: Did not find {count} `tool_result` block(s) at the beginning of this message. Messages "
            "following `tool_use` blocks must begin with a matching number of `tool_result` blocks.",
        ),
        repair="Results are put first, in the order of their calls.",
        source=_DOCS + "agents-and-tools/tool-use/handle-tool-calls",
        date="2026-09",
    ),
    Rule(
        id="C3",
        rule="All results of one assistant message are in one user message.",
        errors=("messages.{n}: the following `tool_use` ids were not found in `tool_result` blocks: {ids}",),
        repair="Neighbouring user messages are one message.",
        source=_GH + "pydantic/pydantic-ai/issues/653",
        date="2025-01",
    ),
    Rule(
        id="C4",
        rule="A result answers a call of the message right before it.",
        errors=(
            "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        repair="A displaced result is moved to its call; one of no known call is dropped.",
        source=_GH + "anthropics/claude-code/issues/18947",
        date="2026-01",
    ),
    Rule(
        id="C5",
        rule="A call has one result.",
        errors=(
            "messages.{n}.content.{m}: each tool_use must have a single result. Found multiple `tool_result` blocks "
            "with id: {ids}",
        ),
        repair="An equal second result is dropped, another one quoted as text.",
        source=_GH + "Hmbown/Codewhale/issues/6378",
        date="2026-09",
    ),
    Rule(
        id="C6",
        rule="The ids of one message's calls are unique.",
        errors=("messages.{n}.content.{m}: `tool_use` ids must be unique",),
        repair="The same call twice is dropped once, another call under the same id is renamed.",
        source=_GH + "anthropics/claude-code/issues/20573",
        date="2026-01",
    ),
    Rule(
        id="C7",
        rule="Ids are made of letters, digits, `_` and `-`.",
        errors=("messages.{n}.content.{m}.{tag}.{key}: String should match pattern '^[a-zA-Z0-9_-]+$'",),
        repair="Another id is rewritten on both sides.",
        source=_GH + "tailcallhq/forgecode/issues/1142",
        date="2025-07",
    ),
    Rule(
        id="C8",
        rule="A call's name has 1 to 200 characters; in 2025 it had to be letters, digits, `_` and `-`, 64 at most.",
        errors=(
            "messages.{n}.content.{m}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
            "messages.{n}.content.{m}.tool_use.name: String should have at most 200 characters",
            "messages.{n}.content.{m}.tool_use.name: String should have at least 1 character",
        ),
        repair="A missing name becomes `unknown_tool`, another one is rewritten to the strict form.",
        source=_GH + "home-assistant/core/issues/140005",
        date="2025-03",
    ),
    Rule(
        id="C9",
        rule="A call's input is an object.",
        errors=("messages.{n}.content.{m}.tool_use.input: Input should be a valid dictionary",),
        repair="Text is parsed; what is no object is kept under `_raw`.",
        source=_GH + "prism-php/prism/issues/659",
        date="2025-10",
    ),
    Rule(
        id="C10",
        rule="Calls stand in assistant messages only.",
        errors=("messages.{n}: `tool_use` blocks can only be in `assistant` messages",),
        repair="A call in a user message is dropped, or given to the assistant when its result is in the list.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-05",
    ),
    Rule(
        id="C11",
        rule="Results stand in user messages only.",
        errors=("messages.{n}: `tool_result` blocks can only be in `user` messages",),
        repair="The message is split at the role boundary.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-05",
    ),
    Rule(
        id="C12",
        rule="An error result has content.",
        errors=("messages.{n}.content.{m}.tool_result: content cannot be empty if `is_error` is true",),
        repair="A fixed text says that the tool failed without output.",
        source=_GH + "anthropics/claude-agent-sdk-python",
        date="2026-02",
    ),
    Rule(
        id="C13",
        rule="An error result holds text only.",
        errors=('messages.{n}.content.{m}.tool_result: all content must be type "text" if "is_error" is true',),
        repair="Other blocks are sent behind the results of the same message.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-03",
    ),
    Rule(
        id="C14",
        rule="A result holds text, images, documents, search results and tool references only.",
        errors=(
            "messages.{n}.content.{m}.tool_result.content.{k}: Input tag '{tag}' found using 'type' does not match "
            "any of the expected tags: {tags}",
        ),
        repair="Another block becomes JSON text.",
        source=_DOCS + "agents-and-tools/tool-use/handle-tool-calls",
        date="2026-09",
    ),
    Rule(
        id="C15",
        rule="If one block of a result is a search result, all are.",
        errors=(),
        repair="In a mixed result the search results become JSON text.",
        source=_DOCS + "build-with-claude/search-results",
        date="2026-09",
    ),
    Rule(
        id="C16",
        rule="A tool reference names a tool of the request.",
        errors=("Tool reference '{name}' not found in available tools",),
        repair="None: the history does not know the request's tools.",
        source=_DOCS + "agents-and-tools/tool-use/tool-search-tool",
        date="2026-09",
    ),
    Rule(
        id="C17",
        rule="The result of a toolset's member repeats its call's `toolset_name` and holds text and images only.",
        errors=(),
        repair="The name is copied from the call.",
        source=_DOCS + "agents-and-tools/tool-use/computer-use-tool",
        date="2026-09",
    ),
    Rule(
        id="C18",
        rule="A request whose list holds calls defines tools.",
        errors=("Requests which include `tool_use` or `tool_result` blocks must define tools.",),
        repair="None: the history does not know the request.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2025-06",
    ),
    Rule(
        id="C19",
        rule="A server tool is never answered with a `tool_result`.",
        errors=(
            "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        repair="Such a result answers no call and is dropped.",
        source=_DOCS + "agents-and-tools/tool-use/tool-search-tool",
        date="2026-09",
    ),
    Rule(
        id="T1",
        rule="Thinking of the last assistant turn is neither edited, reordered nor left out in part.",
        errors=(
            "messages.{n}.content.{m}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
            "be modified. These blocks must remain as they were in the original response.",
        ),
        repair="Thinking goes back as it came; nothing here can restore what was edited before.",
        source=_GH + "anthropics/claude-code/issues/19539",
        date="2026-01",
    ),
    Rule(
        id="T2",
        rule="With manual thinking, the assistant message of an open tool loop starts with thinking.",
        errors=(
            "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{tag}`. When "
            "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "
            "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from "
            "previous turns. To avoid this requirement, disable `thinking`.",
            "messages.{n}.content.{m}.type: Expected `thinking` or `redacted_thinking`, but found `{tag}`.",
        ),
        repair="Thinking is kept inside an open tool loop; none is ever made up.",
        source=_GH + "pydantic/pydantic-ai/issues/2040",
        date="2025-06",
    ),
    Rule(
        id="T3",
        rule="In 2025, thinking came first in its message.",
        errors=(
            "messages.{n}.content.{m}: If an assistant message contains any thinking blocks, the first block must be "
            "`thinking` or `redacted_thinking`. Found `{tag}`.",
        ),
        repair="Thinking keeps the place where the model put it.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2025-05",
    ),
    Rule(
        id="T4",
        rule="A thinking block's signature is the one that the API gave.",
        errors=("messages.{n}.content.{m}: Invalid `signature` in `thinking` block",),
        repair="Thinking of another issuer is left out; a signature is never touched.",
        source=_GH + "anthropics/anthropic-sdk-python/issues/1598",
        date="2026-06",
    ),
    Rule(
        id="T5",
        rule="A thinking block has a signature; its text may be empty.",
        errors=(
            "messages.{n}.content.{m}.thinking: each thinking block must contain thinking",
            "messages.{n}.content.{m}.thinking.signature: Field required",
            "messages.{n}.content.{m}.thinking.signature.str: Input should be a valid string",
        ),
        repair="Unsigned thinking is left out.",
        source=_DOCS + "build-with-claude/thinking",
        date="2026-09",
    ),
    Rule(
        id="T6",
        rule="Redacted thinking is the text that the API gave.",
        errors=("messages.{n}.content.{m}: Invalid `data` in `redacted_thinking` block",),
        repair="It is never touched.",
        source=_DOCS + "build-with-claude/thinking",
        date="2026-09",
    ),
    Rule(
        id="T7",
        rule="Thinking stands in assistant messages only.",
        errors=("messages.{n}.content: thinking blocks may only be in `assistant` messages",),
        repair="In a user message it is left out.",
        source=_DOCS + "build-with-claude/thinking",
        date="2026-09",
    ),
    Rule(
        id="T8",
        rule="An assistant message does not end with thinking.",
        errors=("messages.{n}: The final block in an assistant message cannot be `thinking`.",),
        repair="Thinking at the end is left out.",
        source=_DOCS + "build-with-claude/thinking",
        date="2026-09",
    ),
    Rule(
        id="T9",
        rule="In 2025, a request without thinking did not end with an assistant message that has some.",
        errors=(
            "messages.{n}.content.{m}: When thinking is disabled, an `assistant` message in the final position cannot "
            "contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
        ),
        repair="None: the history does not know the request.",
        source=_GH + "tailcallhq/forgecode/issues/1853",
        date="2025-11",
    ),
    Rule(
        id="T10",
        rule="Inside an open tool loop thinking is passed back whole.",
        errors=(),
        repair="It is, whatever the model.",
        source=_DOCS + "build-with-claude/thinking#preserving-thinking-blocks",
        date="2026-09",
    ),
    Rule(
        id="T11",
        rule="Another Claude model may refuse, or ignore, thinking of the model before.",
        errors=(),
        repair="Thinking goes back to the API that issued it; the history does not know which model reads it.",
        source=_DOCS + "build-with-claude/thinking",
        date="2026-09",
    ),
    Rule(
        id="T12",
        rule="On Fable 5.1 and Opus 5.5 thinking is bound to all that came before it.",
        errors=(
            "messages.{n}.content.{m}: Invalid `signature` in `thinking` block. The block is bound to a different "
            "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
            '"drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in the '
            "`anthropic-beta` header.",
        ),
        repair="Thinking whose prefix was changed is marked and not sent to models that bind it.",
        source=_DOCS + "build-with-claude/thinking#preserved-in-conversation",
        date="2026-09",
    ),
    Rule(
        id="T13",
        rule="A `fallback` block keeps its place between thinking.",
        errors=(),
        repair="Blocks of an assistant message are never reordered.",
        source=_DOCS + "build-with-claude/refusals-and-fallback",
        date="2026-09",
    ),
    Rule(
        id="S1",
        rule="A server tool's call has its result in the same turn.",
        errors=(
            "messages.{n}: `{name}` tool use with id `{ids}` was found without a corresponding `{name}_tool_result` "
            "block",
            "`{name}` tool use with id `{ids}` was found without a corresponding `{name}_tool_result` block",
        ),
        repair="Its own error result, `unavailable`, is put behind it.",
        source=_GH + "anthropics/anthropic-sdk-python/issues/961",
        date="2025-05",
    ),
    Rule(
        id="S2",
        rule="A server tool's result has its call before it in the turn.",
        errors=(
            "messages.{n}.content.{m}: unexpected `tool_use_id` found in `{tag}` blocks: {ids}. Each `{tag}` block "
            "must have a corresponding `server_tool_use` block before it.",
        ),
        repair="The result is left out.",
        source=_GH + "anthropics/claude-code/issues/64383",
        date="2026-07",
    ),
    Rule(
        id="S3",
        rule="A server tool's id is `srvtoolu_` and letters, digits and `_`.",
        errors=("messages.{n}.content.{m}.{tag}.{key}: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",),
        repair="Another id is rewritten on both sides.",
        source=_GH + "ding113/claude-code-hub/issues/470",
        date="2026-01",
    ),
    Rule(
        id="S4",
        rule="A server tool's name is one of a fixed set.",
        errors=(
            "messages.{n}.content.{m}.server_tool_use.name: Input should be 'web_search', 'web_fetch', "
            "'code_execution', 'bash_code_execution', 'text_editor_code_execution', 'tool_search_tool_regex', "
            "'tool_search_tool_bm25'",
        ),
        repair="The call and its result are left out.",
        source=_DOCS + "agents-and-tools/tool-use/server-tools",
        date="2026-09",
    ),
    Rule(
        id="S5",
        rule="Search results keep the encrypted content that the API gave.",
        errors=(
            "Invalid `encrypted_content` in `search_result` block",
            "messages.{n}.content.{m}.web_search_tool_result.content.list[RequestWebSearchResultBlock].{k}."
            "encrypted_content: Field required",
        ),
        repair="It is never touched; results without it are sent as a search that failed.",
        source=_DOCS + "agents-and-tools/tool-use/web-search-tool",
        date="2026-09",
    ),
    Rule(
        id="S6",
        rule="A paused turn is sent back unchanged, as the last message, with the same tools.",
        errors=("but no `{name}` tool was provided",),
        repair="It goes out last, without a user turn behind it.",
        source=_DOCS + "build-with-claude/handling-stop-reasons",
        date="2026-09",
    ),
    Rule(
        id="S7",
        rule="While a server tool's result is outstanding, a client tool is answered with results only.",
        errors=("`{name}` tool use with id `{ids}` was found without a corresponding `{name}_tool_result` block",),
        repair="If the user adds anything, the server tool gets its own error result in the assistant's message.",
        source=_DOCS + "agents-and-tools/tool-use/server-tools",
        date="2026-09",
    ),
    Rule(
        id="S8",
        rule="A call made by code execution is answered with text results only.",
        errors=(),
        repair="Other blocks of such a result are sent as text placeholders.",
        source=_DOCS + "agents-and-tools/tool-use/programmatic-tool-calling",
        date="2026-09",
    ),
    Rule(
        id="S9",
        rule="While code execution waits for a call, the request names its container.",
        errors=("container_id is required when there are pending tool uses generated by code execution with tools.",),
        repair="None: the container belongs to the request.",
        source=_DOCS + "agents-and-tools/tool-use/code-execution-tool",
        date="2026-09",
    ),
    Rule(
        id="S10",
        rule="An MCP call has its result in the same turn, and a server name.",
        errors=(),
        repair="Its own error result is put behind it.",
        source=_DOCS + "agents-and-tools/mcp-connector",
        date="2026-09",
    ),
    Rule(
        id="S11",
        rule="Container uploads need the code execution tool.",
        errors=("Container identifier can only be provided when using the code execution tool",),
        repair="None: the history does not know the request's tools.",
        source=_GH + "tokenparty-net/llm-xlate",
        date="2026-09",
    ),
    Rule(
        id="S12",
        rule="Advisor blocks need a beta header.",
        errors=(),
        repair="None: headers belong to the request.",
        source=_DOCS + "agents-and-tools/tool-use/advisor-tool",
        date="2026-09",
    ),
    Rule(
        id="S13",
        rule="A compaction block's content is null or a text that is not empty, and it needs a beta header.",
        errors=(
            "messages.{n}.content.{m}: Input tag 'compaction' found using 'type' does not match any of the expected "
            "tags: {tags}",
        ),
        repair="Empty content is sent as null.",
        source=_GH + "anthropics/anthropic-sdk-python",
        date="2026-09",
    ),
    Rule(
        id="K1",
        rule="System, tools and messages hold at most four cache marks.",
        errors=("A maximum of 4 blocks with cache_control may be provided. Found {count}.",),
        repair="The earliest marks of the messages are left out.",
        source=_GH + "tghamm/Anthropic.SDK/issues/50",
        date="2026-01",
    ),
    Rule(
        id="K2",
        rule="Empty text has no cache mark.",
        errors=("messages.{n}.content.{m}.text: cache_control cannot be set for empty text blocks",),
        repair="Blank text is dropped.",
        source=_GH + "stakpak/agent/issues/511",
        date="2026-03",
    ),
    Rule(
        id="K3",
        rule="Thinking has no cache mark.",
        errors=("messages.{n}.content.{m}.{tag}.cache_control: Extra inputs are not permitted",),
        repair="The mark is not sent.",
        source=_DOCS + "build-with-claude/prompt-caching",
        date="2026-09",
    ),
    Rule(
        id="K4",
        rule="A one-hour cache mark does not come after a five-minute one.",
        errors=(
            "messages.{n}.content.{m}.cache_control.ttl: a ttl='1h' cache_control block must not come after a "
            "ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
            "`messages`.",
            "messages.{n}.content.{m}.cache_control.ttl: a ttl='1h' cache_control block must not come after a "
            "ttl='5m' cache_control block.",
        ),
        repair="The later mark is sent as a five-minute one.",
        source=_DOCS + "build-with-claude/prompt-caching",
        date="2026-09",
    ),
    Rule(
        id="M1",
        rule="An image has at most 10 MB as base64, 5 MB on other platforms.",
        errors=(
            "messages.{n}.content.{m}.image.source.base64: image exceeds {limit} MB maximum: {count} bytes > {most} "
            "bytes",
        ),
        repair="A larger one is replaced by a text that says so.",
        source=_DOCS + "build-with-claude/vision",
        date="2026-09",
    ),
    Rule(
        id="M2",
        rule="An image's sides have at most 8000 pixels.",
        errors=(
            "messages.{n}.content.{m}.image.source.base64.data: At least one of the image dimensions exceed max "
            "allowed size: 8000 pixels",
        ),
        repair="A larger one is scaled, or replaced by a text that says so.",
        source=_DOCS + "build-with-claude/vision",
        date="2026-09",
    ),
    Rule(
        id="M3",
        rule="With more than 20 images in the request, their sides have at most 2000 pixels.",
        errors=(
            "messages.{n}.content.{m}.image.source.base64.data: At least one of the image dimensions exceed max "
            "allowed size for many-image requests: 2000 pixels",
        ),
        repair="Larger ones are scaled, or replaced by a text, the oldest first.",
        source=_DOCS + "build-with-claude/vision",
        date="2026-09",
    ),
    Rule(
        id="M4",
        rule="A request holds at most 600 images and pages, 100 on smaller context windows.",
        errors=("Too much media: {pages} document pages + {count} images > {limit}",),
        repair="The oldest images are replaced by a text that says so.",
        source=_DOCS + "build-with-claude/vision",
        date="2026-09",
    ),
    Rule(
        id="M5",
        rule="An image is JPEG, PNG, GIF or WebP, and its media type says which.",
        errors=(
            "messages.{n}.content.{m}.image.source.base64.data: Image does not match the provided media type {tag}",
            "messages.{n}.content.{m}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
            "'image/gif' or 'image/webp'",
        ),
        repair="The media type is corrected from the data; another format is replaced by a text.",
        source=_GH + "anthropics/claude-code/issues/15746",
        date="2026-01",
    ),
    Rule(
        id="M6",
        rule="An image can be decoded.",
        errors=("Could not process image",),
        repair="What is no image is replaced by a text that says so.",
        source=_GH + "anthropics/claude-code/issues/60920",
        date="2026-09",
    ),
    Rule(
        id="M7",
        rule="A document is a PDF that is not encrypted and has at most 600 pages, plain text, or blocks.",
        errors=("Could not process PDF",),
        repair="Encoded text becomes plain text, another type a text that says so; pages are not counted here.",
        source=_DOCS + "build-with-claude/pdf-support",
        date="2026-09",
    ),
    Rule(
        id="M8",
        rule="A document's title has 1 to 500 characters, its context at least one.",
        errors=(),
        repair="An empty one is left out, a long title cut.",
        source=_DOCS + "build-with-claude/citations",
        date="2026-09",
    ),
    Rule(
        id="M9",
        rule="Search results stand in user messages and results only, and citations are on for all or for none.",
        errors=(),
        repair="In an assistant message they are left out; the first one says whether all are cited.",
        source=_DOCS + "build-with-claude/search-results",
        date="2026-09",
    ),
    Rule(
        id="M10",
        rule="With `oversized_image: error` an image that would be scaled down is refused.",
        errors=(
            "messages.{n}.content.{m}: image dimensions {size} exceed the maximum image size of a model named on this "
            "request and would be downsized to {target}; scale the image to at most {most} or set the image's "
            'oversized_image setting to "downsize"',
        ),
        repair="None: the setting belongs to the request.",
        source=_DOCS + "build-with-claude/vision-coordinates",
        date="2026-09",
    ),
)
BY_ID: Final = {rule.id: rule for rule in RULES}

ID: Final = re.compile("(?!srvtoolu_)[a-zA-Z0-9_-]+")
"""A client's call with a server tool's prefix is taken for the server's, and its result refused (C19)."""
SERVER_ID: Final = re.compile("srvtoolu_[a-zA-Z0-9_]+")
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
"""The strict form of 2025; the schema of 2026 takes 200 characters (C8)."""
ID_LIMIT: Final = 256
"""No limit is documented (C7); ids beyond this are nobody's."""

SERVER_TOOLS: Final = {
    "web_search": "web_search_tool_result",
    "web_fetch": "web_fetch_tool_result",
    "code_execution": "code_execution_tool_result",
    "bash_code_execution": "bash_code_execution_tool_result",
    "text_editor_code_execution": "text_editor_code_execution_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
    "tool_search_tool_bm25": "tool_search_tool_result",
    "advisor": "advisor_tool_result",
}
"""The block type of each server tool's result (S4; SDK types, 2026-09)."""

IN_RESULTS: Final = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
IN_USER: Final = frozenset({"text", "image", "document", "tool_result", "search_result", "container_upload"})
OWN_IN_USER: Final = frozenset({"search_result", "container_upload"})
"""The blocks of a user message that only this API knows; they go back as they came."""
OWN_IN_RESULTS: Final = frozenset({"search_result", "tool_reference", "browser_state"})
"""The blocks of a result that only this API knows."""
TOOL_CHANGES: Final = frozenset({"tool_addition", "tool_removal"})
"""What a system message may hold besides text, with a beta header (A10)."""
IN_ASSISTANT: Final = frozenset(
    {
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_result",
        "mcp_tool_listing",
        "container_upload",
        "compaction",
        "fallback",
        "connector_text",
        *SERVER_TOOLS.values(),
    }
)
NOT_IN_ASSISTANT: Final = (IN_USER | IN_RESULTS | TOOL_CHANGES | {"thinking", "redacted_thinking", "tool_use"}) - {
    "container_upload"
}
"""The types that no block may have that an assistant message holds whole: it stands elsewhere, or is modelled."""
IMAGE_TYPES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MAX_CACHE_MARKS: Final = 4


@final
@frozen(kw_only=True)
class Row:
    """What holds for some models.

    Args:
        field: the field of the dialect.
        value: its value.
        families: the families it holds for; empty for all.
        since: the first version.
        until: the last version that is known to do so.
        rule: the rule that says so; its source and date are this row's.
    """

    field: str
    value: bool
    families: frozenset[str] = frozenset()
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int]
    rule: str


MODELS: Final = (
    Row(field="prefill", value=True, until=(4, 5), rule="A15"),
    Row(field="system_in_list", value=True, families=frozenset({"opus"}), since=(4, 8), until=(5, 5), rule="A9"),
    Row(
        field="system_in_list",
        value=True,
        families=frozenset({"fable", "mythos"}),
        since=(5, 0),
        until=(5, 1),
        rule="A9",
    ),
    Row(field="binds_thinking", value=False, until=(5, 0), rule="T12"),
    Row(
        field="binds_thinking",
        value=False,
        families=frozenset({"opus", "sonnet", "haiku"}),
        since=(5, 0),
        until=(5, 4),
        rule="T12",
    ),
)
"""What differs by model; a model that no row covers gets the strictest value of each field."""


def version_of(model: str) -> tuple[str, tuple[int, int]] | None:
    """Read a model's family and version from its name.

    Args:
        model: a name like `claude-opus-4-8`, `claude-3-5-sonnet-latest`, or one of another platform around these.

    Returns:
        The family and the version, or None when the name tells neither.
    """
    found = _NEW_NAME.search(model.lower())
    if found is not None:
        return found["family"], (int(found["major"]), int(found["minor"] or 0))
    found = _OLD_NAME.search(model.lower())
    return ("", (int(found["major"]), int(found["minor"] or 0))) if found is not None else None


_NEW_NAME: Final = re.compile(r"claude-(?P<family>[a-z]+)-(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d)")
_OLD_NAME: Final = re.compile(r"claude-(?P<major>\d)(?:[-.](?P<minor>\d))?(?!\d)")
