"""Keys that only their origin knows: on the wire there, and in the repairs of an export to anywhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from message_history import Message, MessageHistory, RepairCode, Severity, TextBlock, ThinkingBlock, ToolResultBlock
from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.meta import Meta
from message_history.dialects import Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.dialects._shared.dropped_keys import NOTED, unsent
from message_history.dialects.registry import DIALECTS
from message_history.integrations.strategies import histories
from tests.dialects.odd_pieces import PIXEL
from tests.dialects.removed_text import removed_text

if TYPE_CHECKING:
    from message_history.dialects import Dialect

TARGETS = sorted(DIALECTS.keys() - {"native"})
USAGE = {"unusual": "(key of a message)"}
BLOCK = {"uncommon": "(key of a block)"}
CALL = {"unheard": "(key of a call)"}
RESULT = {"unknown": "(key of a result)"}

TOKENS = [value for keys in (USAGE, BLOCK, CALL, RESULT) for value in keys.values()]

CHAT: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "q", **BLOCK}], **USAGE},
    {
        "role": "assistant",
        "content": "look",
        "tool_calls": [{"id": "abcdefgh1", "type": "function", "function": {"name": "f", "arguments": "{}"}, **CALL}],
    },
    {"role": "tool", "tool_call_id": "abcdefgh1", "content": "r", **RESULT},
]
LISTS: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "q", **BLOCK}], **USAGE},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}, **CALL}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r", **RESULT}]},
    ],
    "openai_chat": CHAT,
    "mistral": CHAT,
    "openai_responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q", **BLOCK}], **USAGE},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}", **CALL},
        {"type": "function_call_output", "call_id": "1", "output": "r", **RESULT},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "q", **BLOCK}], **USAGE},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, **CALL}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "r"}}, **RESULT}]},
    ],
    "gemini_interactions": [
        {"type": "user_input", "content": [{"type": "text", "text": "q", **BLOCK}], **USAGE},
        {"type": "function_call", "id": "1", "name": "f", "arguments": {}, **CALL},
        {"type": "function_result", "call_id": "1", "name": "f", "result": "r", **RESULT},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "q"}], **USAGE},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}, **CALL}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": "r"}], **RESULT}}]},
    ],
    "pydantic_ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q", **BLOCK}], **USAGE},
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "f", "tool_call_id": "1", "args": {}, **CALL}],
        },
        {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "tool_name": "f", "tool_call_id": "1", "content": "r", **RESULT}],
        },
    ],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("origin", LISTS)
def test_a_key_that_is_not_sent_is_in_the_repairs(origin: str, target: str) -> None:
    raw = LISTS[origin]
    history = MessageHistory.from_list(raw, dialect=DIALECTS[origin])
    exported = history.export(DIALECTS[target])
    recorded = repr([repair.removed for repair in exported.repairs])
    for marker in (USAGE, BLOCK, CALL, RESULT):
        ((key, value),) = marker.items()
        if value in json.dumps(raw):
            sent = value in json.dumps(exported.messages)
            assert sent != (key in recorded and value in recorded), (key, sent)
            assert target == origin or not sent


WAVE = {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}}
PIXELS = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
SERVED = {
    "toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"},
    "toolResult": {"toolUseId": "s1", "content": [{"json": {}}], "type": "nova_grounding_result"},
}
OPENERS: dict[str, dict[str, list[list[Any]]]] = {
    "gemini": {
        "model": [
            [{"text": "a"}],
            [{"text": "a", "thought": True}, {"text": "a"}],
            [{"functionCall": {"name": "f", "args": {}}}],
            [{"executableCode": {"language": "PYTHON", "code": "1"}}],
            [{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}],
            [{"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}],
            [{"unknown": {}}],
            [WAVE],
            [PIXELS],
        ],
        "user": [[{"text": "q"}], [WAVE], [PIXELS], [{"fileData": {"fileUri": "gs://a/b.pdf"}}]],
    },
    "bedrock": {
        "assistant": [
            [{"text": "a"}],
            [{"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}, {"text": "a"}],
            [{"citationsContent": {"content": [{"text": "a"}], "citations": []}}],
            [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}}}],
            [{key: value} for key, value in SERVED.items()],
            [{"unknown": {}}],
        ],
        "user": [
            [{"text": "q"}],
            [{"image": {"format": "png", "source": {"bytes": PIXEL}}}],
            [{"document": {"format": "txt", "name": "n", "source": {"text": "d"}}}],
            [{"video": {"format": "mp4", "source": {"bytes": "aGk="}}}],
            [{"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}]}}],
            [{"guardContent": {"text": {"text": "q"}}}],
            [{"guardContent": {"image": {"format": "png", "source": {"bytes": PIXEL}}}}],
        ],
    },
    "openai_responses": {
        "assistant": [
            [{"type": "output_text", "text": "a"}],
            [{"type": "refusal", "refusal": "no"}],
            [{"type": "unknown"}],
            [{"type": "input_image", "file_id": "file-1"}],
        ],
        "user": [
            [{"type": "input_text", "text": "q"}],
            [{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}],
            [{"type": "input_file", "file_data": "x"}],
            [{"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}],
            [{"type": "unknown"}],
        ],
        "system": [[{"type": "input_text", "text": "s"}]],
        "developer": [[{"type": "input_text", "text": "s"}]],
    },
}
MODELS: dict[str, list[Dialect[Any]]] = {
    "gemini": [Gemini(), Gemini(vertex=True), Gemini(server_tools=False)],
    "bedrock": [Bedrock(), *map(Bedrock.for_model, ("anthropic.claude-sonnet-4-6", "us.amazon.nova-2-lite-v1:0"))],
    "openai_responses": [OpenAIResponses(), *map(OpenAIResponses.for_model, ("gpt-5", "gpt-4.1", "deepseek-v4-flash"))],
}


@pytest.mark.parametrize("origin", OPENERS)
def test_the_keys_of_a_message_are_told_whatever_it_opens_with(origin: str) -> None:
    held = "parts" if origin == "gemini" else "content"
    opening = {"role": "user", held: [{"type": "input_text", "text": "q"} if held == "content" else {"text": "q"}]}
    for role, contents in OPENERS[origin].items():
        for content in contents:
            for keys in (USAGE, {"id": ["(key of a message)"]}, {"id": "msg_1", "status": ["(key of a message)"]}):
                raw = [opening, {"role": role, held: content, **keys}]
                history = MessageHistory.from_list(raw, dialect=DIALECTS[origin])
                for dialect in (*MODELS[origin], DIALECTS["anthropic"]):
                    exported = history.export(dialect)
                    assert "(key of a message)" in removed_text(exported.repairs), (raw, exported.repairs)


ODD = frozenset({*USAGE, *BLOCK, *CALL, *RESULT})


def named(value: Any, name: str) -> Any:
    """Give the odd keys of a list a name, where it is free."""
    if isinstance(value, list):
        return [named(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: named(item, name) for key, item in value.items() if key not in ODD}
    odd = [item for key, item in value.items() if key in ODD and name not in kept]
    return {**kept, name: odd[0]} if odd else kept


@pytest.mark.parametrize("origin", sorted(LISTS))
@pytest.mark.parametrize("name", ["form", "item", "items", "joined", "json", "led_to", "parts", "role"])
def test_no_key_of_a_list_is_taken_for_a_note_of_its_parser(origin: str, name: str) -> None:
    raw = named(LISTS[origin], name)
    came = [value for value in TOKENS if value in json.dumps(raw)]
    assert came
    history = MessageHistory.from_list(raw, dialect=DIALECTS[origin])
    for target in TARGETS:
        exported = history.export(DIALECTS[target])
        repairs = (*history.repairs, *exported.repairs)
        found = " ".join((json.dumps(exported.messages), removed_text(repairs), *(each.detail for each in repairs)))
        assert [value for value in came if value not in found] == [], target


def test_the_repair_says_what_was_left_out_and_where() -> None:
    raw = [{"role": "user", "content": "q", "name": "Ann"}]
    (repair,) = MessageHistory.from_list(raw).export(DIALECTS["anthropic"]).repairs
    assert repair.code is RepairCode.WITHHELD
    assert repair.severity is Severity.LOSSY
    assert repair.index == 0
    assert repair.removed == (FrozenDict({"name": "Ann"}),)
    assert repair.detail == "keys that go back to openai_chat only: name"


def test_mistral_reads_what_it_has_in_common_with_chat_completions() -> None:
    raw: list[Any] = [{"role": "user", "content": "q", "name": "Ann"}]
    (repair,) = MessageHistory.from_list(raw).export(DIALECTS["mistral"]).repairs
    assert repair.removed == (FrozenDict({"name": "Ann"}),)
    begun = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "prefix": True}]
    assert MessageHistory.from_list(begun).export(Mistral(prefix=True)).repairs == ()


def test_a_signature_on_words_goes_back_to_its_issuer_only() -> None:
    signed = TextBlock("a", meta=Meta(signature="c2ln", issuer="gemini"))
    history = MessageHistory().add_user("q").add_assistant(signed).add_user("q")
    assert history.export(DIALECTS["gemini"]).repairs == ()
    assert "c2ln" in json.dumps(history.for_send(DIALECTS["pydantic_ai"]))
    for target in TARGETS:
        exported = history.export(DIALECTS[target])
        recorded = repr([repair.removed for repair in exported.repairs])
        assert ("c2ln" in json.dumps(exported.messages)) != ("c2ln" in recorded)


@pytest.mark.parametrize("origin", NOTED)
def test_what_a_parser_noted_is_nothing_that_anybody_sent(origin: str) -> None:
    def under(*keys: str) -> FrozenDict:
        return FrozenDict({origin: FrozenDict(dict.fromkeys(keys, "x"))})

    # Of a message its role is noted, of thinking the key that it came under, everything else of any block.
    noted = NOTED[origin] - {"role", "key"}
    text = TextBlock("q", meta=Meta(extra=under(*sorted(noted)), carried=under(*sorted(NOTED[origin] & {"role"}))))
    thought = ThinkingBlock("t", meta=Meta(extra=under(*sorted(NOTED[origin] - {"role"}))))
    message = Message.assistant(thought, text)
    for target in TARGETS:
        assert unsent([message], (), DIALECTS[target], ()) == []


@pytest.mark.parametrize("target", sorted(DIALECTS.keys() - {"native", "openai_chat", "mistral", "portable"}))
def test_a_key_with_the_name_of_a_note_is_told_where_no_parser_notes_it(target: str) -> None:
    called = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}, "role": "x"}
    raw = [{"role": "user", "content": "q", "key": "y"}, {"role": "assistant", "content": "a", "tool_calls": [called]}]
    exported = MessageHistory.from_list(raw, dialect=OpenAIChat()).export(DIALECTS[target])
    removed = [dict(item) for repair in exported.repairs for item in repair.removed if isinstance(item, FrozenDict)]
    assert {"key": "y"} in removed
    assert {"role": "x"} in removed


def metas(block: Block) -> list[Meta]:
    """Give what travels with a block, and with the blocks in it."""
    inner = block.content if isinstance(block, ToolResultBlock) else ()
    return [meta for part in (block, *inner) if (meta := part.meta) is not None]


@pytest.mark.parametrize("target", TARGETS)
def test_every_foreign_key_of_every_history_is_told(target: str) -> None:
    dialect: Dialect[Any] = DIALECTS[target]

    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        for index, message in enumerate(history.as_sent(dialect)):
            removed = [item for repair in exported.repairs if repair.index == index for item in repair.removed]
            for block in message.content:
                for meta in metas(block):
                    for origin, keys in meta.extra.items():
                        assert isinstance(keys, Mapping)
                        for key, value in keys.items():
                            recorded = any(isinstance(item, Mapping) and key in item for item in removed)
                            whole = any(item is block or meta in _metas_of(item) for item in removed)
                            assert value is None or dialect.sends(origin, key) or recorded or whole

    law()


def _metas_of(item: object) -> list[Meta]:
    return metas(item) if isinstance(item, Block) else []


def test_a_key_of_a_block_does_not_hide_the_same_key_of_its_message() -> None:
    entries = [{"role": "user", "content": [{"type": "text", "text": "q", "odd": "of a block"}], "odd": "of a message"}]
    history = MessageHistory.from_list(entries, dialect=DIALECTS["anthropic"])
    removed = repr([repair.removed for repair in history.export(Gemini()).repairs])
    assert "of a block" in removed
    assert "of a message" in removed
