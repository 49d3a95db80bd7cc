"""Values without end or bottom, at every key of a list of each dialect: a check answers, and a history comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from message_history import MessageHistory, check
from message_history.dialects import Anthropic
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance.examples import places, planted
from tests.dialects.odd_pieces import PIXEL, PNG

DEEP_LIST: Any = []
DEEP_OBJECT: Any = {}
for _ in range(3_000):
    DEEP_LIST, DEEP_OBJECT = [DEEP_LIST], {"a": DEEP_OBJECT}
HOSTILE: list[Any] = [DEEP_LIST, DEEP_OBJECT, 10**5_000, -(10**5_000), [], {}, ["x"], [10**5_000], {"text": DEEP_LIST}]

MARK = {"type": "ephemeral", "ttl": "5m"}
CALLED = {"id": "abcdefgh1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT = [
    {"role": "system", "content": "s"},
    {"role": "user", "name": "Ann", "content": [
        {"type": "text", "text": "q"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}}]},
    {"role": "assistant", "content": "a", "refusal": None, "prefix": False, "reasoning_content": "t",
     "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "abcdefgh1", "name": "f", "content": "r"},
    {"role": "user", "content": "q"},
]  # fmt: skip
LISTS: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "user", "content": [
            {"type": "text", "text": "q", "cache_control": MARK, "citations": None},
            {"type": "image", "source": PNG},
            {"type": "document", "title": "t", "context": "c", "citations": {"enabled": True},
             "source": {"type": "text", "media_type": "text/plain", "data": "d"}}]},
        {"role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"},
             "toolset_name": "t"}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "is_error": False, "toolset_name": "t",
             "content": [{"type": "text", "text": "r"}, {"type": "image", "source": PNG}]}]},
        {"role": "system", "content": "s"},
    ],
    "openai_chat": CHAT,
    "mistral": CHAT,
    "portable": CHAT,
    "openai_responses": [
        {"type": "message", "role": "developer", "content": "s"},
        {"role": "user", "content": [
            {"type": "input_text", "text": "q"},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "low"},
            {"type": "input_file", "file_url": "https://e.x/a.pdf", "filename": "a.pdf"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "t"}],
         "encrypted_content": "e", "content": [{"type": "reasoning_text", "text": "t"}]},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
         "content": [{"type": "output_text", "text": "a", "annotations": []}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "f", "arguments": "{}", "status": "completed"},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "2", "name": "g", "input": "x"},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "3", "status": "completed",
         "action": {"type": "exec", "command": ["ls"], "env": {}}},
        {"type": "function_call_output", "call_id": "1", "output": "r"},
        {"type": "custom_tool_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "r"}]},
        {"type": "local_shell_call_output", "id": "3", "output": "r"},
        {"type": "item_reference", "id": "rs_9"},
    ],
    "gemini": [
        {"role": "user", "parts": [
            {"text": "q"},
            {"inlineData": {"mimeType": "image/png", "data": PIXEL, "displayName": "d"}},
            {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://a/b.pdf"},
             "videoMetadata": {"fps": 1}, "mediaResolution": {"level": "LOW"}}]},
        {"role": "model", "parts": [
            {"text": "t", "thought": True, "thoughtSignature": "QUJDRA=="},
            {"executableCode": {"id": "e", "language": "PYTHON", "code": "1"}},
            {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "QUJDRA=="}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "1", "name": "f", "response": {"output": "r"}, "parts": [
                {"inlineData": {"mimeType": "image/png", "data": PIXEL}}]}}]},
    ],
    "bedrock": [
        {"role": "user", "content": [
            {"text": "q"},
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
            {"document": {"format": "pdf", "name": "n", "context": "c", "citations": {"enabled": True},
                          "source": {"s3Location": {"uri": "s3://b/k.pdf", "bucketOwner": "123456789012"}}}},
            {"guardContent": {"text": {"text": "q", "qualifiers": ["query"]}}},
            {"cachePoint": {"type": "default", "ttl": "5m"}}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}},
            {"citationsContent": {"content": [{"text": "a"}], "citations": []}},
            {"toolUse": {"toolUseId": "s", "name": "g", "input": {}, "type": "server_tool_use"}},
            {"toolResult": {"toolUseId": "s", "content": [{"json": {}}], "type": "g_result"}},
            {"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1}}}]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "1", "status": "success", "content": [
                {"text": "r"}, {"json": {"a": 1}}, {"image": {"format": "png", "source": {"bytes": PIXEL}}}]}},
            {"document": {"format": "txt", "name": "m", "source": {"text": "d"}}}]},
    ],
    "pydantic_ai": [
        {"kind": "request", "instructions": "i", "timestamp": "2026-01-01T00:00:00Z", "parts": [
            {"part_kind": "system-prompt", "content": "s"},
            {"part_kind": "user-prompt", "content": ["q", {"kind": "image-url", "url": "https://e.x/a.png"},
                {"kind": "binary", "media_type": "image/png", "data": PIXEL},
                {"kind": "uploaded-file", "file_id": "f", "provider_name": "anthropic"}]}]},
        {"kind": "response", "model_name": "m", "provider_name": "anthropic", "state": "complete", "parts": [
            {"part_kind": "thinking", "content": "t", "id": "x", "signature": "s", "provider_name": "anthropic"},
            {"part_kind": "text", "content": "a", "provider_details": {"thought_signature": "s"}},
            {"part_kind": "file", "content": {"kind": "binary", "media_type": "image/png", "data": PIXEL}},
            {"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "1", "tool_kind": None}]},
        {"kind": "request", "parts": [
            {"part_kind": "tool-return", "tool_name": "f", "content": "r", "tool_call_id": "1", "outcome": "success",
             "metadata": {"a": 1}}]},
    ],
}  # fmt: skip


@pytest.mark.heavy
@pytest.mark.parametrize("origin", LISTS)
def test_a_check_takes_any_value_at_any_key(origin: str) -> None:
    for path, _ in places(LISTS[origin]):
        for value in HOSTILE:
            raw = planted(LISTS[origin], path, value)
            for dialect in DIALECTS.values():
                assert isinstance(check(raw, dialect), list)


@pytest.mark.heavy
@pytest.mark.parametrize("origin", LISTS)
def test_two_values_without_bottom_are_never_compared(origin: str) -> None:
    for path, _ in places(LISTS[origin]):
        raw = planted(LISTS[origin], path, DEEP_LIST) + planted(LISTS[origin], path, [[DEEP_LIST]])
        for dialect in DIALECTS.values():
            assert isinstance(check(raw, dialect), list)


@pytest.mark.heavy
@pytest.mark.parametrize("origin", LISTS)
def test_a_history_takes_any_value_at_any_key(origin: str) -> None:
    for path, _ in places(LISTS[origin]):
        for value in HOSTILE:
            raw = planted(LISTS[origin], path, value)
            assert isinstance(MessageHistory.from_list(raw, dialect=DIALECTS[origin]), MessageHistory)


class Unreadable(Mapping[str, Any]):
    """A mapping that raises whatever is asked of it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(key)

    def __iter__(self) -> Any:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


class Guarded(dict[str, Any]):
    """A dict that holds something and raises when it is read in the ordinary way."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(key)

    def get(self, *_: Any) -> Any:
        raise RuntimeError

    def items(self) -> Any:
        raise RuntimeError


@pytest.mark.heavy
@pytest.mark.parametrize("origin", LISTS)
def test_mappings_that_raise_stop_neither_a_check_nor_a_history(origin: str) -> None:
    for path, _ in places(LISTS[origin]):
        for value in (Unreadable(), Guarded(type="text", text="w"), [Unreadable()], {"a": Unreadable()}):
            raw = planted(LISTS[origin], path, value)
            assert isinstance(check(raw, DIALECTS[origin]), list)
            for dialect in (None, DIALECTS[origin]):
                assert isinstance(MessageHistory.from_list(raw, dialect=dialect), MessageHistory)


def test_what_a_mapping_that_raises_holds_is_read() -> None:
    for entry in (Guarded(role="user", content="w"), {"role": "user", "content": [Guarded(type="text", text="w")]}):
        assert MessageHistory.from_list([entry])[0].text == "w"
    history = MessageHistory.from_list([{"role": "user", "content": ["w", Unreadable()]}])
    assert "Unreadable" in f"{history.to_list()} {[repair.removed for repair in history.repairs]}"


def test_an_error_that_is_no_fault_of_the_list_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Anthropic, "parse", fail)
    monkeypatch.setattr(Anthropic, "violations", fail)
    with pytest.raises(ZeroDivisionError):
        MessageHistory.from_list([{"role": "user", "content": [{"type": "image"}]}], dialect=Anthropic())
    with pytest.raises(ZeroDivisionError):
        check([{"role": "user", "content": "q"}], Anthropic())
