"""Short lists of langchain-core's messages, as dumps, with every kind of message and item of content, and every key."""

from __future__ import annotations

from typing import Any, Final

from tests.dialects.odd_pieces import PIXEL, PNG

__all__ = ["LANGCHAIN"]

Entry = dict[str, Any]
HUMAN: Final = {"type": "human", "content": "q"}
EPHEMERAL: Final = {"type": "ephemeral"}
REASONING: Final = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s", "index": 0}]}


def _ai(*content: Any, provider: str | None = None, **keys: Any) -> Entry:
    recorded = {"response_metadata": {"model_provider": provider}} if provider is not None else {}
    return {"type": "ai", "content": list(content), **recorded, **keys}


def _call(id: str | None = "c1", name: str = "f", **keys: Any) -> Entry:
    return {"type": "tool_call", "id": id, "name": name, "args": {"a": 1}, **keys}


def _tool(id: str = "c1", content: Any = "r", /, **keys: Any) -> Entry:
    return {"type": "tool", "content": content, "tool_call_id": id, **keys}


def _raw(id: str | None, arguments: Any) -> Entry:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}


LANGCHAIN: Final[list[list[Any]]] = [
    [
        {"type": "system", "content": "s", "id": "m0"},
        {"type": "human", "content": "q", "name": "Ann", "example": False},
        {
            "type": "ai",
            "content": "a",
            "id": "m1",
            "tool_calls": [_call("c1"), _call("c2", error=None)],
            "invalid_tool_calls": [{"type": "invalid_tool_call", "id": "c3", "name": "g", "args": "{", "error": "e"}],
            "usage_metadata": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            "response_metadata": {"model_provider": "anthropic", "stop_reason": "tool_use"},
            "additional_kwargs": {"tool_calls": [], "x": [1]},
        },
        _tool("c2", "r", name="f", artifact={"a": 1}),
        _tool("c1", [{"type": "text", "text": "r"}], status="error"),
        _tool("c3", "", id="m2"),
        HUMAN,
    ],
    [
        {"type": "system", "content": [{"type": "text", "text": "s", "cache_control": EPHEMERAL}]},
        {"type": "human", "content": ["q", {"type": "text", "text": "r"}, {"type": "image", "source": PNG}]},
        {"type": "ai", "content": "a"},
        {"type": "ai", "content": "b", "name": "Bob"},
        {"type": "system", "content": "t"},
        HUMAN,
    ],
    [
        {"type": "ai", "data": {"content": "a", "type": "ai"}},
        {"type": "chat", "role": "assistant", "content": "b"},
        {"type": "chat", "role": "user", "content": "q"},
        {"type": "HumanMessageChunk", "content": "q"},
        {"type": "chat", "role": "judge", "content": "q"},
        {"type": "AIMessageChunk", "content": "a", "chunk_position": "last"},
        {"role": "user", "content": "q"},
        "q",
    ],
    [
        HUMAN,
        {
            "type": "AIMessageChunk",
            "content": "a",
            "tool_call_chunks": [
                {"type": "tool_call_chunk", "id": "c1", "name": "f", "args": '{"a": "x\ny"}', "index": 0},
                {"type": "tool_call_chunk", "id": "c2", "name": "f", "args": '{"a": ', "index": 1},
                {"type": "tool_call_chunk", "id": "c3", "name": "f", "args": None, "index": 2},
            ],
        },
    ],
    [
        HUMAN,
        {
            "type": "AIMessageChunk",
            "content": "",
            "tool_call_chunks": [{"id": "c1", "name": "f", "args": "", "index": 0}],
            "response_metadata": {"finish_reason": "STOP"},
        },
        _tool("c1"),
        {
            "type": "ai",
            "content": "a",
            "tool_calls": [_call("c2")],
            "response_metadata": {"finishReason": "MAX_TOKENS"},
        },
        HUMAN,
        {"type": "ai", "content": "a", "response_metadata": {"status": "incomplete"}},
        HUMAN,
    ],
    [
        HUMAN,
        {
            "type": "ai",
            "content": "",
            "additional_kwargs": {"tool_calls": [_raw("c1", '{"a": 1}'), _raw("c2", "{"), _raw("c3", "")], "x": 1},
        },
        _tool("c3"),
        _tool("c2"),
        _tool("c1"),
        {"type": "ai", "content": "", "additional_kwargs": {"function_call": {"name": "f", "arguments": "{}"}}},
        {"type": "function", "content": "r", "name": "f"},
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "toolset_name": "t", "index": 1},
            {"type": "function_call", "id": "fc_1", "call_id": "c2", "name": "f", "arguments": '{"a": 1}', "index": 2},
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c3", "name": "g", "input": "x"},
            {"type": "tool_call", "id": "c4", "name": "f", "args": {"a": 1}},
            {"type": "tool_call_chunk", "id": "c5", "name": "f", "args": '{"a": 1}'},
            tool_calls=[_call("c1"), _call("c2"), _call("c6")],
        ),
        *[_tool(f"c{n}") for n in (6, 5, 4, 3, 2, 1)],
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {"type": "invalid_tool_call", "id": None, "name": "f", "args": '{"a":', "error": "e"},
            {"type": "tool_call", "name": "g", "args": {}},
            tool_calls=[_call(None, "h"), _call("c1"), _call("c1")],
            invalid_tool_calls=[{"type": "invalid_tool_call", "id": None, "name": "f", "args": '{"a":', "error": "e"}],
        ),
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {"type": "thinking", "thinking": "t", "signature": "s", "index": 0},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "a", "citations": [{"type": "char_location"}], "index": 1},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
            provider="anthropic",
        ),
        HUMAN,
        _ai({"type": "thinking", "thinking": "t"}, {"type": "text", "text": " "}, {"type": "text", "text": "a"}),
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {"type": "reasoning", "reasoning": "t", "extras": {"signature": "s", "x": 1}, "id": "r"},
            {"type": "reasoning", "reasoning": "u"},
            {"type": "text", "text": "a"},
        ),
        HUMAN,
        _ai({"type": "reasoning", "reasoning": "t", "extras": {"signature": "s"}}, "a", provider="bedrock_converse"),
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {**REASONING, "encrypted_content": "e", "status": "completed", "index": 0},
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}, "index": 1},
            {"type": "text", "text": "a", "id": "msg_1", "annotations": [{"type": "url_citation"}]},
            {"type": "text", "text": "b", "id": "msg_1", "phase": "final_answer"},
            {"type": "refusal", "refusal": "n", "id": "msg_2", "extras": {"phase": "commentary"}},
            provider="openai",
        ),
        HUMAN,
        _ai(
            {"type": "reasoning", "id": "rs_2", "reasoning": "s", "extras": {"encrypted_content": "e"}},
            {"type": "reasoning", "id": "rs_2", "reasoning": "t"},
            {"type": "reasoning", "id": "rs_3", "summary": ["s", {"type": "summary_text", "text": "t"}]},
            {"type": "text", "text": "a", "id": "msg_3", "extras": {"phase": "final_answer"}},
            {"type": "output_text", "text": "b", "annotations": []},
            {"type": "refusal", "refusal": "n"},
        ),
        HUMAN,
    ],
    [
        HUMAN,
        _ai(
            {
                "type": "apply_patch_call",
                "id": "apc_1",
                "call_id": "c1",
                "operation": {"type": "delete_file", "path": "p"},
            },
            {"type": "image_generation_call", "id": "ig_1", "result": "AAAA", "status": "completed", "index": 1},
            {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
        ),
        _tool("c1"),
        HUMAN,
    ],
    [
        {"type": "human", "content": [{"text": "q"}, {"image": {"format": "png", "source": {"bytes": PIXEL}}}]},
        _ai(
            {"type": "reasoning_content", "reasoning_content": {"text": "t", "signature": "s"}},
            {"type": "reasoning_content", "reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}},
            {"type": "reasoning_content", "reasoning_content": {"text": "u"}},
            {"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}},
            {"type": "guard_content", "text": "g"},
            {"type": "video", "video": {"format": "mp4", "source": {"bytes": "AAAA"}}},
            provider="bedrock_converse",
        ),
        {"type": "human", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "r"}]}}]},
    ],
    [
        HUMAN,
        _ai(
            {"type": "text", "text": "a", "extras": {"signature": "s"}},
            tool_calls=[_call("c1"), _call("c2")],
            additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "s", "c2": 1}},
        ),
        {"type": "human", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": "r", "is_error": True}]},
        _tool("c1"),
        _ai({"type": "text", "text": "a", "extras": {"signature": "s"}}, provider="google_genai"),
        HUMAN,
    ],
    [
        {
            "type": "human",
            "content": [
                {"type": "media", "mime_type": "image/png", "data": PIXEL},
                {"type": "media", "mime_type": "application/pdf", "file_uri": "https://e.x/a.pdf"},
                {"type": "media", "mime_type": "application/pdf", "file_uri": "gs://b/a.pdf"},
                {"type": "media", "mime_type": "audio/wav", "data": "AAAA"},
                {"type": "media", "mime_type": "video/mp4", "file_uri": "gs://b/a.mp4"},
                {"type": "media", "data": "AAAA"},
            ],
        }
    ],
    [
        {
            "type": "human",
            "content": [
                {"type": "image", "url": "https://e.x/a.png"},
                {"type": "image", "base64": PIXEL, "mime_type": "image/png", "id": "lc_1"},
                {"type": "image", "file_id": "f1"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "https://e.x/a.png"}},
                {"type": "image_url", "image_url": "https://e.x/a.png"},
                {"type": "text", "text": "q", "cache_control": EPHEMERAL},
            ],
        },
        _ai("a", {"type": "image", "base64": PIXEL, "mime_type": "image/png"}),
        HUMAN,
    ],
    [
        {
            "type": "human",
            "content": [
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}, "title": "t"},
                {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf", "extras": {"filename": "a"}},
                {"type": "file", "url": "https://e.x/a.pdf"},
                {"type": "file", "file_id": "f1", "title": "t"},
                {"type": "text-plain", "text": "d", "mime_type": "text/plain", "title": "t", "context": "c"},
                {"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"},
                {"type": "non_standard", "value": {"x": 1}},
                {"no": "type"},
                7,
            ],
        }
    ],
]
