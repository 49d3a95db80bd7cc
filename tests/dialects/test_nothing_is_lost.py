"""Odd values under known keys, and unknown keys everywhere: kept on the way in, and told where they are not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history.dialects import Anthropic, Mistral, OpenAIChat, Portable
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance.dialects import lost_in_reading, lost_in_writing
from tests.dialects.odd_pieces import PIXEL, PNG

if TYPE_CHECKING:
    from message_history.dialects import Dialect

IMAGE = f"data:image/png;base64,{PIXEL}"
CALLS: list[Any] = [{"id": "abcdefgh1", "type": "function", "function": {"name": "f", "arguments": "{}"}, "index": 0}]
CHAT: list[Any] = [
    {"role": "system", "content": [{"type": "text", "text": "s"}], "name": "ops"},
    {
        "role": "user",
        "name": "Ann",
        "content": [
            {"type": "text", "text": "q"},
            {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}},
            {"type": "file", "file": {"filename": "b.pdf", "file_id": "file-1"}},
            {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        ],
    },
    {
        "role": "assistant",
        "name": "Bob",
        "content": [{"type": "text", "text": "look"}, {"type": "refusal", "refusal": "no"}],
        "reasoning_content": "hm",
        "reasoning": "well",
        "reasoning_details": [{"type": "reasoning.text", "text": "hm"}],
        "refusal": "never",
        "audio": {"id": "audio_1"},
        "tool_calls": [*CALLS, {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "i"}}],
    },
    {"role": "tool", "tool_call_id": "abcdefgh1", "name": "f", "content": "r"},
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "r"}]},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "name": "f", "content": "r"},
    {"role": "assistant", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "abcdefgh1", "tool_name": "f", "content": "r"},
    {"role": "user", "content": "", "images": [PIXEL]},
    {"role": "user", "content": "more", "tool_calls": None, "function_call": None, "refusal": None},
]
MISTRAL: list[Any] = [
    {"role": "system", "content": "s"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "q"},
            {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
            {"type": "image_url", "image_url": IMAGE},
            {"type": "document_url", "document_url": "https://e.x/d.pdf", "document_name": "d.pdf"},
            {"type": "file", "file_id": "f1"},
            {"type": "input_audio", "input_audio": "aGk="},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "signature": "s", "closed": True},
            {"type": "text", "text": "look"},
            {"type": "reference", "reference_ids": [1]},
        ],
        "tool_calls": CALLS,
        "prefix": False,
    },
    {"role": "tool", "tool_call_id": "abcdefgh1", "name": "f", "content": "r"},
    {"role": "assistant", "content": "", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "abcdefgh1", "content": [{"type": "reference", "reference_ids": [1]}]},
    {"role": "assistant", "content": [{"type": "reference", "reference_ids": [1]}]},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": "aGk="}]},
    {"role": "assistant", "content": "1, 2,", "prefix": True},
]
MARK = {"type": "ephemeral"}
FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]}
TEXT_FILE = {"type": "text", "media_type": "text/plain", "data": "t"}
PAGE = {"type": "web_search_result", "url": "https://e.x", "title": "t", "encrypted_content": "e", "page_age": None}
SEARCHED: list[Any] = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [PAGE]},
]
ANTHROPIC: list[Any] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "q", "cache_control": MARK},
            {"type": "image", "source": PNG},
            {"type": "document", "source": TEXT_FILE, "title": "t", "context": "c"},
            FOUND,
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "look", "citations": None},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r", "is_error": True}],
    },
    {"role": "assistant", "content": [*SEARCHED, {"type": "text", "text": "found"}]},
    {"role": "user", "content": [FOUND, {"type": "text", "text": "more"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "f", "input": {}}]},
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "content": [{"type": "text", "text": "r"}, {"type": "image", "source": PNG}],
                "is_error": False,
            }
        ],
    },
]
LISTS: dict[str, list[Any]] = {"openai_chat": CHAT, "mistral": MISTRAL, "anthropic": ANTHROPIC}
TARGETS: dict[str, list[Dialect[Any]]] = {
    "openai_chat": [
        OpenAIChat(),
        OpenAIChat.for_model("anthropic/claude-sonnet-4.6", "openrouter"),
        OpenAIChat.for_model("gpt-4o-audio-preview"),
        OpenAIChat.for_provider("deepseek"),
        OpenAIChat.for_provider("ollama native"),
        OpenAIChat.for_model("google/gemma-2-9b-it", "vllm"),
        Portable(),
        Mistral.for_model("mistral-large-latest"),
    ],
    "mistral": [Mistral(), *map(Mistral.for_model, ("mistral-large-latest", "magistral-medium-latest")), OpenAIChat()],
    "anthropic": [Anthropic(), Anthropic.for_model("claude-opus-5"), OpenAIChat(), Mistral()],
}


@pytest.mark.heavy
@pytest.mark.parametrize("form", LISTS)
def test_what_comes_in_is_in_the_history_or_in_a_repair(form: str) -> None:
    assert lost_in_reading(LISTS[form], DIALECTS[form]) == []


@pytest.mark.heavy
@pytest.mark.parametrize("form", LISTS)
def test_what_is_in_the_history_is_sent_or_told(form: str) -> None:
    for target in TARGETS[form]:
        assert lost_in_writing(LISTS[form], DIALECTS[form], target) == []
