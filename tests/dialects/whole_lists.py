"""Short lists of each dialect that together have every kind of message and block that it knows, and every key."""

from __future__ import annotations

from typing import Any, Final

from tests.dialects.langchain_lists import LANGCHAIN
from tests.dialects.odd_pieces import PIXEL, PNG

__all__ = ["CITED", "URLS", "WHOLE"]

Entry = dict[str, Any]
IMAGE: Final = f"data:image/png;base64,{PIXEL}"
PDF: Final = "data:application/pdf;base64,aGk="
URLS: Final = (
    "data:text/plain,hello",
    "data:image/png;base64",
    "data:,x;base64",
    f"data:;base64,{PIXEL}",
    "data:",
    "file:///a.png",
)
"""URLs that are odd, or hold something else than an image in base64."""
SHOWN: Final = {"image": {"format": "png", "source": {"bytes": PIXEL}}}
EPHEMERAL: Final = {"type": "ephemeral", "ttl": "1h"}


def _typed(*turns: Any) -> list[Any]:
    """Give turns, the user's first, as messages of blocks."""
    return [{"role": ("user", "assistant")[n % 2], "content": turn} for n, turn in enumerate(turns)]


ASK: Final = {"role": "user", "content": "q"}
CITED: Final[list[Entry]] = [
    {
        "type": "char_location",
        "cited_text": "c",
        "document_index": 0,
        "document_title": "t",
        "start_char_index": 0,
        "end_char_index": 1,
    },
    {
        "type": "page_location",
        "cited_text": "c",
        "document_index": 0,
        "document_title": None,
        "start_page_number": 1,
        "end_page_number": 2,
    },
    {
        "type": "content_block_location",
        "cited_text": "c",
        "document_index": 0,
        "document_title": "t",
        "start_block_index": 0,
        "end_block_index": 1,
    },
    {"type": "web_search_result_location", "cited_text": "c", "encrypted_index": "e", "title": "t", "url": "u"},
    {
        "type": "search_result_location",
        "cited_text": "c",
        "start_block_index": 0,
        "end_block_index": 1,
        "search_result_index": 0,
        "source": "s",
        "title": "t",
    },
]
FOUND: Final = {
    "type": "search_result",
    "source": "s",
    "title": "t",
    "content": [{"type": "text", "text": "x"}],
    "citations": {"enabled": True},
    "cache_control": EPHEMERAL,
}
RAN: Final = {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []}
ANTHROPIC: Final[list[list[Any]]] = [
    *[
        _typed([{"type": "image", "source": {"type": "url", "url": url}}, {"type": "text", "text": "q"}])
        for url in URLS
    ],
    _typed(
        "q", [{"type": "text", "text": " "}, {"type": "text", "text": "a"}, {"type": "text", "text": ""}], "q", " ", "q"
    ),
    _typed([{"type": "text", "text": "q", "cache_control": EPHEMERAL}, {"type": "image", "source": PNG}]),
    _typed([{"type": "image", "source": {"type": "url", "url": "https://e.x/a.png"}, "cache_control": EPHEMERAL}]),
    _typed(
        [{"type": "image", "source": {"type": "file", "file_id": "f"}}, {"type": "container_upload", "file_id": "f"}]
    ),
    _typed(
        [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "d"},
                "title": "t",
                "context": "c",
                "citations": {"enabled": True},
                "cache_control": EPHEMERAL,
            }
        ]
    ),
    _typed([{"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "d"}]}}, FOUND]),
    _typed(
        [{"type": "document", "source": {"type": "url", "url": "https://e.x/a.pdf"}}, {"type": "text", "text": "q"}]
    ),
    _typed("q", [{"type": "text", "text": "a", "citations": [cited]} for cited in CITED], "q"),
    _typed(
        "q",
        [
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "a"},
        ],
        "q",
    ),
    _typed(
        "q",
        [
            {
                "type": "tool_use",
                "id": "t1",
                "name": "f",
                "input": {"a": 1},
                "cache_control": EPHEMERAL,
                "caller": {"type": "direct"},
                "toolset_name": "t",
            }
        ],
        [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "is_error": True,
                "cache_control": EPHEMERAL,
                "content": [
                    {"type": "text", "text": "r"},
                    {"type": "image", "source": PNG},
                    {"type": "tool_reference", "tool_name": "f"},
                    FOUND,
                ],
            }
        ],
    ),
    _typed(
        "q",
        [
            {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
            {
                "type": "tool_use",
                "id": "t2",
                "name": "g",
                "input": {},
                "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"},
            },
        ],
        [
            {"type": "tool_result", "tool_use_id": "t2", "content": "r"},
            {"type": "tool_result", "tool_use_id": "t1"},
            {"type": "text", "text": "and"},
        ],
    ),
    _typed(
        "q",
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "srvtoolu_1",
                "caller": {"type": "direct"},
                "content": [
                    {"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "e", "page_age": "p"}
                ],
            },
            {"type": "text", "text": "a"},
        ],
        "q",
    ),
    _typed(
        "q",
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "1"}},
            {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": RAN},
        ],
        "q",
    ),
    _typed(
        "q",
        [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_fetch", "input": {"url": "u"}},
            {
                "type": "web_fetch_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": {"type": "web_fetch_tool_result_error", "error_code": "unavailable"},
            },
        ],
        "q",
    ),
    _typed(
        "q",
        [
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "t", "server_name": "s", "input": {}},
            {
                "type": "mcp_tool_result",
                "tool_use_id": "mcptoolu_1",
                "is_error": False,
                "content": [{"type": "text", "text": "x"}],
            },
        ],
        "q",
    ),
    _typed(
        "q",
        [{"type": "compaction", "content": "s", "signature": "s", "tool_changes": []}, {"type": "text", "text": "a"}],
        "q",
    ),
    [
        ASK,
        {"role": "assistant", "content": "a", "stop_reason": "end_turn", "id": "msg_1", "model": "m"},
        {"role": "system", "content": [{"type": "text", "text": "s"}]},
        ASK,
    ],
    _typed(
        "q",
        [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}],
        [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [
                    {"type": "tool_reference", "tool_name": "f"},
                    {"type": "tool_reference", "tool_name": "g", "cache_control": EPHEMERAL},
                ],
            }
        ],
    ),
]


def _call(id: str = "abcdefgh1", **keys: Any) -> Entry:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}, **keys}


CHAT: Final[list[list[Any]]] = [
    *[[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}] for url in URLS],
    *[[{"role": "user", "content": [{"type": "file", "file": {"file_data": url}}]}] for url in URLS],
    [ASK, {"role": "assistant", "content": ""}, {"role": "assistant", "content": "a", "finish_reason": "length"}, ASK],
    [
        ASK,
        {"role": "assistant", "content": " ", "tool_calls": [_call()]},
        {"role": "tool", "tool_call_id": "abcdefgh1", "content": ""},
        {"role": "assistant", "content": "a"},
        ASK,
    ],
    [
        {"role": "system", "content": [{"type": "text", "text": "s"}], "name": "o"},
        {"role": "developer", "content": "d"},
        {"role": "user", "content": "q", "name": "Ann"},
    ],
    [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "q", "cache_control": EPHEMERAL},
                {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "https://e.x/a.png"}},
            ],
        }
    ],
    [
        {
            "role": "user",
            "content": [
                {"type": "file", "file": {"filename": "a.pdf", "file_data": PDF}},
                {"type": "file", "file": {"filename": "b.pdf", "file_id": "file-1"}},
                {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
                {"type": "video_url", "video_url": {"url": "https://e.x/a.mp4"}},
            ],
        }
    ],
    [
        ASK,
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "n"}],
            "refusal": "n",
            "audio": {"id": "audio_1"},
            "annotations": [],
            "name": "Bob",
        },
        ASK,
    ],
    [ASK, {"role": "assistant", "content": "a", "reasoning_content": "hm"}, ASK],
    [
        ASK,
        {
            "role": "assistant",
            "content": "a",
            "reasoning": "hm",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "hm", "signature": "s", "format": "f", "index": 0}
            ],
        },
        ASK,
    ],
    [
        ASK,
        {
            "role": "assistant",
            "content": "a",
            "thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}],
            "provider_specific_fields": {"x": 1},
        },
        ASK,
    ],
    [
        ASK,
        {"role": "assistant", "content": None, "tool_calls": [_call(index=0), _call("abcdefgh2")]},
        {"role": "tool", "tool_call_id": "abcdefgh2", "content": [{"type": "text", "text": "r"}], "name": "f"},
        {"role": "tool", "tool_call_id": "abcdefgh1", "content": "r"},
        ASK,
    ],
    [
        ASK,
        {
            "role": "assistant",
            "content": "a",
            "tool_calls": [{"id": "abcdefgh1", "type": "custom", "custom": {"name": "g", "input": "i"}}],
        },
        {"role": "tool", "tool_call_id": "abcdefgh1", "content": [{"type": "image_url", "image_url": {"url": IMAGE}}]},
    ],
    [
        ASK,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
        ASK,
    ],
    [{"role": "user", "content": "q", "images": [PIXEL]}, {"role": "assistant", "content": "a", "thinking": "hm"}, ASK],
    [ASK, {"role": "assistant", "content": "1, 2,", "prefix": True}],
]
MISTRAL: Final[list[list[Any]]] = [
    *[[{"role": "user", "content": [{"type": "image_url", "image_url": url}]}] for url in URLS],
    *[[{"role": "user", "content": [{"type": "document_url", "document_url": url}]}] for url in URLS],
    [{"role": "system", "content": [{"type": "text", "text": "s"}]}, ASK],
    [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "q"},
                {"type": "image_url", "image_url": IMAGE},
                {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
            ],
        }
    ],
    [
        {
            "role": "user",
            "content": [
                {"type": "document_url", "document_url": "https://e.x/d.pdf", "document_name": "d"},
                {"type": "file", "file_id": "f1"},
                {"type": "input_audio", "input_audio": "aGk="},
            ],
        }
    ],
    [
        ASK,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "signature": "s", "closed": True},
                {"type": "text", "text": "a"},
                {"type": "reference", "reference_ids": [1]},
            ],
        },
        ASK,
    ],
    [
        ASK,
        {"role": "assistant", "content": "", "tool_calls": [_call(index=0), _call("abcdefgh2")], "prefix": False},
        {"role": "tool", "tool_call_id": "abcdefgh2", "name": "f", "content": "r"},
        {"role": "tool", "tool_call_id": "abcdefgh1", "content": [{"type": "text", "text": "r"}]},
    ],
    [ASK, {"role": "assistant", "content": "1, 2,", "prefix": True}],
    *[
        [
            ASK,
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm", **more}, {"type": "text", "text": "a"}],
            },
            {"role": "user", "content": [{"type": "file", "file_id": "f1", **more}]},
        ]
        for more in ({"cache_control": EPHEMERAL}, {"id": "x", "cache_control": EPHEMERAL}, {"later": 1})
    ],
]


def _part(role: str, *parts: Entry) -> Entry:
    return {"role": role, "parts": list(parts)}


GEMINI: Final[list[list[Any]]] = [
    [
        _part("user", {"text": "q"}),
        _part("model", {"text": " "}, {"text": "a"}, {"text": ""}),
        _part("user", {"text": " "}),
    ],
    [
        _part("user", {"text": "q"}),
        _part("model", {"functionCall": {"name": "f", "args": {}}}),
        _part("model", {"functionCall": {"name": "f", "args": {"a": 1}}}),
        _part("user", {"text": "wait"}),
        _part("model", {"functionCall": {"name": "f", "args": {"a": 2}}}),
        _part("user", {"functionResponse": {"name": "f", "response": {"a": 1}}}),
        _part("user", {"functionResponse": {"name": "f", "response": {"a": 2}}}),
        _part("user", {"functionResponse": {"name": "f", "response": {"a": 3}}}),
    ],
    [
        _part(
            "user",
            {"text": "q", "partMetadata": {"a": 1}},
            {"inlineData": {"mimeType": "image/png", "data": PIXEL, "displayName": "n"}},
        )
    ],
    [
        _part(
            "user",
            {
                "fileData": {"fileUri": "gs://a/b.mp4", "mimeType": "video/mp4", "displayName": "n"},
                "videoMetadata": {"startOffset": "1s", "endOffset": "2s", "fps": 1},
            },
            {"text": "q"},
        )
    ],
    [
        _part(
            "user",
            {
                "fileData": {"fileUri": "gs://a/b.pdf", "mimeType": "application/pdf"},
                "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
            },
            {"text": "q"},
        )
    ],
    [
        _part("user", {"text": "q"}),
        _part("model", {"text": "t", "thought": True}, {"text": "a", "thoughtSignature": "c2ln"}),
        _part("user", {"text": "q"}),
    ],
    [
        _part("user", {"text": "q"}),
        _part(
            "model",
            {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"},
            {"functionCall": {"id": "2", "name": "g", "args": {}, "willContinue": False}},
        ),
        _part(
            "user",
            {"functionResponse": {"id": "2", "name": "g", "response": {"output": "r"}, "scheduling": "SILENT"}},
            {
                "functionResponse": {
                    "id": "1",
                    "name": "f",
                    "response": {"error": "e"},
                    "parts": [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}],
                }
            },
        ),
    ],
    [
        _part("user", {"text": "q"}),
        _part("model", {"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "f", "args": {"a": 1}}}),
        _part(
            "user",
            {"functionResponse": {"name": "f", "response": {"result": "r"}}},
            {"functionResponse": {"name": "f", "response": {"a": 1}}},
        ),
        _part("model", {"functionCall": {"name": "f", "args": {}}}),
        _part("function", {"functionResponse": {"name": "f", "response": {"output": {"a": 1}}}}),
    ],
    [
        _part("user", {"text": "q"}),
        _part(
            "model",
            {"executableCode": {"id": "e", "language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"id": "e", "outcome": "OUTCOME_OK", "output": "1"}},
            {"text": "a"},
        ),
        _part("user", {"text": "q"}),
    ],
    [
        _part("user", {"text": "q"}),
        _part(
            "model",
            {"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": "q"}}},
            {"toolResponse": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"r": 1}}},
            {"text": "a"},
        ),
        _part("user", {"text": "q"}),
    ],
    [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"a": 1}}}]},
        {"role": "model", "parts": [{"inline_data": {"mime_type": "image/png", "data": PIXEL}}, {"text": "a"}]},
    ],
    [
        _part("user", {"text": "q"}),
        {**_part("model", {"text": "a"}), "finishReason": "STOP", "groundingMetadata": {"a": 1}},
        _part("user", {"text": "q"}),
    ],
]
WORDS: Final = {"type": "text", "text": "q"}
INPUT: Final = {"type": "user_input", "content": [WORDS]}
INTERACTIONS: Final[list[list[Any]]] = [
    [
        {
            "type": "user_input",
            "content": [WORDS, {"type": "image", "data": PIXEL, "mime_type": "image/png", "resolution": "low"}],
        }
    ],
    [
        {
            "type": "user_input",
            "content": [
                {"type": "document", "uri": "https://e.x/d.pdf", "mime_type": "application/pdf"},
                {"type": "audio", "data": "aGk=", "mime_type": "audio/wav", "channels": 1},
                {"type": "video", "uri": "https://e.x/v.mp4", "mime_type": "video/mp4"},
            ],
        }
    ],
    [
        INPUT,
        {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "s"}]},
        {
            "type": "model_output",
            "content": [
                {
                    "type": "text",
                    "text": "a",
                    "annotations": [
                        {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}
                    ],
                }
            ],
        },
        INPUT,
    ],
    [
        INPUT,
        {"type": "function_call", "id": "1", "name": "f", "arguments": {"a": 1}},
        {"type": "function_call", "id": "2", "name": "g", "arguments": {}},
        {"type": "function_result", "call_id": "2", "name": "g", "result": "r", "is_error": True},
        {
            "type": "function_result",
            "call_id": "1",
            "name": "f",
            "is_error": False,
            "result": [{"type": "text", "text": "r"}, {"type": "image", "data": PIXEL, "mime_type": "image/png"}],
        },
    ],
    *[
        [
            INPUT,
            {"type": f"{kind}_call", "id": "s1", "arguments": {"a": 1}, "signature": "c2ln"},
            {"type": f"{kind}_result", "call_id": "s1", "result": [{"a": 1}], "is_error": False, "signature": "c2ln"},
            {"type": "model_output", "content": [{"type": "text", "text": "a"}]},
            INPUT,
        ]
        for kind in ("google_search", "code_execution", "file_search")
    ],
    [
        INPUT,
        {"type": "mcp_server_tool_call", "id": "m1", "name": "f", "server_name": "s", "arguments": {"a": 1}},
        {"type": "mcp_server_tool_result", "call_id": "m1", "name": "f", "server_name": "s", "result": "r"},
        INPUT,
    ],
    [
        {
            "object": "interaction",
            "id": "v1",
            "status": "incomplete",
            "model": "m",
            "usage": {"total_input_tokens": 1},
            "steps": [
                INPUT,
                {"type": "model_output", "content": [{"type": "text", "text": "a"}], "error": {"message": "e"}},
            ],
        }
    ],
]
BEDROCK: Final[list[list[Any]]] = [
    _typed(
        [{"text": "q"}], [{"text": " "}, {"text": "a"}, {"text": ""}], [{"text": " "}, {"text": "q"}], [{"text": "\n"}]
    ),
    _typed(
        [{"text": "q"}],
        [{"toolUse": {"toolUseId": id, "name": "f", "input": {}}} for id in ("t1", "t2")],
        [{"toolResult": {"toolUseId": id, "content": [SHOWN, SHOWN, SHOWN]}} for id in ("t1", "t2")],
        [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}],
        [{"toolResult": {"toolUseId": "t1", "content": [SHOWN]}}],
    ),
    _typed(
        [
            {"text": "q"},
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
            {"cachePoint": {"type": "default", "ttl": "5m"}},
        ]
    ),
    _typed(
        [
            {
                "document": {
                    "format": "pdf",
                    "name": "a",
                    "source": {"bytes": "aGk="},
                    "context": "c",
                    "citations": {"enabled": True},
                }
            },
            {"text": "q"},
        ]
    ),
    _typed(
        [
            {"document": {"format": "txt", "name": "a", "source": {"text": "d"}, "context": "c"}},
            {"document": {"format": "md", "name": "b", "source": {"content": [{"text": "d"}]}}},
            {"text": "q"},
        ]
    ),
    _typed(
        [
            {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/k", "bucketOwner": "123456789012"}}}},
            {"audio": {"format": "mp3", "source": {"bytes": "aGk="}}},
            {"text": "q"},
        ]
    ),
    _typed(
        [
            {"guardContent": {"text": {"text": "q", "qualifiers": ["query"]}}},
            {"searchResult": {"source": "s", "title": "t", "content": [{"text": "x"}], "citations": {"enabled": True}}},
        ]
    ),
    _typed(
        [{"text": "q"}],
        [
            {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": "aGk="}},
            {"text": "a"},
        ],
        [{"text": "q"}],
    ),
    _typed(
        [{"text": "q"}],
        [
            {
                "citationsContent": {
                    "content": [{"text": "a"}],
                    "citations": [
                        {
                            "title": "t",
                            "source": "s",
                            "sourceContent": [{"text": "x"}],
                            "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}},
                        }
                    ],
                }
            }
        ],
        [{"text": "q"}],
    ),
    _typed(
        [{"text": "q"}],
        [
            {"text": "a"},
            {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": 1}}},
            {"toolUse": {"toolUseId": "t2", "name": "g", "input": {}}},
        ],
        [
            {"toolResult": {"toolUseId": "t2", "content": [{"json": {"a": 1}}], "status": "error"}},
            {
                "toolResult": {
                    "toolUseId": "t1",
                    "status": "success",
                    "content": [
                        {"text": "r"},
                        {"image": {"format": "png", "source": {"bytes": PIXEL}}},
                        {"document": {"format": "pdf", "name": "d", "source": {"bytes": "aGk="}}},
                    ],
                }
            },
        ],
        [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}],
        [
            {
                "toolResult": {
                    "toolUseId": "t1",
                    "content": [
                        {"document": {"format": "pdf", "name": "d", "source": {"bytes": "aGk="}}},
                        {"video": {"format": "mp4", "source": {"bytes": "aGk="}}},
                    ],
                }
            },
            {"text": "and"},
        ],
    ),
    _typed(
        [{"text": "q"}],
        [
            {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
            {"toolResult": {"toolUseId": "s1", "content": [{"json": {}}], "type": "nova_grounding_result"}},
            {"text": "a"},
        ],
        [{"text": "q"}],
    ),
    _typed([{"text": "q"}, {"toolAddition": {"tool": {"name": "f"}}}, {"toolRemoval": {"tool": {"name": "f"}}}]),
]


def _item(kind: str, **keys: Any) -> Entry:
    return {"type": kind, **keys}


SAID: Final = {
    "type": "message",
    "role": "assistant",
    "id": f"msg_{'0' * 40}",
    "status": "completed",
    "phase": "final_answer",
}
RESPONSES: Final[list[list[Any]]] = [
    *[[{"role": "user", "content": [_item("input_image", image_url=url)]}] for url in URLS],
    *[[{"role": "user", "content": [_item("input_file", file_data=url)]}] for url in URLS],
    [
        {"role": "system", "content": "s"},
        {"role": "developer", "content": [_item("input_text", text="d")]},
        _item(
            "message",
            role="user",
            content=[_item("input_text", text="q"), _item("input_image", image_url=IMAGE, detail="low")],
        ),
    ],
    [
        {
            "role": "user",
            "content": [
                _item("input_image", file_id="file-1", detail="auto"),
                _item("input_file", file_data=PDF, filename="a.pdf"),
                _item("input_file", file_url="https://e.x/d.pdf"),
                _item("input_file", file_id="file-1"),
                _item("input_audio", input_audio={"data": "aGk=", "format": "mp3"}),
            ],
        }
    ],
    [
        ASK,
        {
            **SAID,
            "content": [
                _item(
                    "output_text",
                    text="a",
                    logprobs=[],
                    annotations=[_item("url_citation", url="u", title="t", start_index=0, end_index=1)],
                ),
                _item("refusal", refusal="no"),
            ],
        },
        ASK,
    ],
    [
        ASK,
        _item(
            "reasoning",
            id="rs_1",
            summary=[_item("summary_text", text="s")],
            encrypted_content="e",
            content=[_item("reasoning_text", text="hm")],
        ),
        {**SAID, "content": [_item("output_text", text="a")]},
        ASK,
    ],
    [
        ASK,
        _item("reasoning", id="rs_1", summary=[], encrypted_content="e"),
        _item(
            "function_call", id="fc_1", call_id="1", name="f", arguments='{"a": 1}', status="completed", namespace="n"
        ),
        _item("function_call", call_id="2", name="g", arguments="{}"),
        _item("function_call_output", call_id="2", output="r", id="fo_1", status="completed"),
        _item(
            "function_call_output",
            call_id="1",
            output=[_item("input_text", text="r"), _item("input_image", image_url=IMAGE)],
        ),
    ],
    [
        ASK,
        _item("custom_tool_call", id="ctc_1", call_id="1", name="f", input="i"),
        _item("custom_tool_call_output", call_id="1", output="r"),
    ],
    [
        ASK,
        _item(
            "local_shell_call",
            id="lsh_1",
            call_id="1",
            status="completed",
            action={
                "type": "exec",
                "command": ["ls"],
                "env": {"A": "1"},
                "timeout_ms": 1,
                "user": "u",
                "working_directory": "/",
            },
        ),
        _item("local_shell_call_output", id="lo_1", call_id="1", output="r", status="completed"),
    ],
    [
        ASK,
        _item(
            "shell_call",
            id="sh_1",
            call_id="1",
            status="completed",
            environment={"type": "local"},
            action={"commands": ["ls"], "timeout_ms": 1, "max_output_length": 1},
        ),
        _item(
            "shell_call_output",
            call_id="1",
            max_output_length=1,
            status="completed",
            output=[{"stdout": "r", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        ),
    ],
    [
        ASK,
        _item(
            "apply_patch_call",
            id="apc_1",
            call_id="1",
            status="completed",
            operation={"type": "update_file", "path": "p", "diff": "d"},
        ),
        _item("apply_patch_call_output", call_id="1", status="completed", output="r"),
    ],
    [
        ASK,
        _item(
            "computer_call",
            id="cu_1",
            call_id="1",
            status="completed",
            pending_safety_checks=[],
            action={"type": "click", "x": 1, "y": 1, "button": "left"},
        ),
        _item(
            "computer_call_output",
            call_id="1",
            acknowledged_safety_checks=[],
            output={"type": "computer_screenshot", "image_url": IMAGE, "detail": "original"},
        ),
    ],
    [
        ASK,
        _item("tool_search_call", id="ts_1", call_id="1", arguments={"q": "q"}, execution="client", status="completed"),
        _item("tool_search_output", call_id="1", tools=[], execution="client", status="completed"),
    ],
    [
        ASK,
        _item("web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "q"}),
        _item("file_search_call", id="fs_1", status="completed", queries=["q"], results=None),
        _item("code_interpreter_call", id="ci_1", status="completed", code="1", container_id="c", outputs=[]),
        ASK,
    ],
    [
        ASK,
        _item("image_generation_call", id="ig_1", status="completed", result=PIXEL, size="auto"),
        _item("mcp_list_tools", id="ml_1", server_label="s", tools=[], error=None),
        _item("mcp_approval_request", id="ma_1", arguments="{}", name="f", server_label="s"),
        _item("mcp_approval_response", id="mr_1", approval_request_id="ma_1", approve=True, reason="r"),
        _item(
            "mcp_call",
            id="mc_1",
            arguments="{}",
            name="f",
            server_label="s",
            output="r",
            error=None,
            status="completed",
            approval_request_id="ma_1",
        ),
        ASK,
    ],
    [
        _item("compaction", id="cmp_1", encrypted_content="e"),
        _item("additional_tools", id="at_1", role="user", tools=[]),
        _item("configuration_update", id="cu_1", reasoning={}, text={}),
        ASK,
        _item("item_reference", id="rs_9"),
        _item("program", id="p_1", call_id="1", code="1", fingerprint="f"),
        _item("program_output", id="po_1", call_id="1", result="r", status="completed"),
        ASK,
    ],
]


def _asked(*parts: Entry, **keys: Any) -> Entry:
    return {"kind": "request", "parts": list(parts), **keys}


def _replied(*parts: Entry, **keys: Any) -> Entry:
    return {"kind": "response", "parts": list(parts), **keys}


NOW: Final = "2026-01-01T00:00:00Z"
BINARY: Final = {
    "kind": "binary",
    "data": PIXEL,
    "media_type": "image/png",
    "identifier": "i",
    "vendor_metadata": {"a": 1},
}
PROMPT: Final = {"part_kind": "user-prompt", "content": "q", "timestamp": NOW}
ISSUED: Final = {"id": "x", "provider_name": "openai", "provider_details": {"a": 1}}
PYDANTIC: Final[list[list[Any]]] = [
    [
        _asked(
            {"part_kind": "system-prompt", "content": "s", "timestamp": NOW, "dynamic_ref": "d"},
            PROMPT,
            instructions="i",
            timestamp=NOW,
            run_id="r",
            conversation_id="c",
            metadata={"a": 1},
            state="complete",
        )
    ],
    [
        _asked(
            {
                "part_kind": "user-prompt",
                "content": [
                    "q",
                    {"kind": "text-content", "content": "t"},
                    {
                        "kind": "image-url",
                        "url": "https://e.x/a.png",
                        "media_type": "image/png",
                        "force_download": True,
                        "identifier": "i",
                    },
                    BINARY,
                ],
            }
        )
    ],
    [
        _asked(
            {
                "part_kind": "user-prompt",
                "content": [
                    {"kind": "document-url", "url": "https://e.x/a.pdf"},
                    {"kind": "audio-url", "url": "https://e.x/a.mp3"},
                    {"kind": "uploaded-file", "file_id": "f", "provider_name": "openai"},
                    {"kind": "cache-point", "ttl": "5m"},
                    {"kind": "structured-content", "content": "s", "value": {"a": 1}, "tag": "t"},
                ],
            }
        )
    ],
    [
        _asked(PROMPT),
        _replied(
            {"part_kind": "thinking", "content": "t", "signature": "s", **ISSUED},
            {
                "part_kind": "text",
                "content": "a",
                **ISSUED,
                "citations": [
                    {
                        "sources": [{"kind": "web", "url": "u", "title": "t", "excerpts": ["e"]}],
                        "anchor": {"kind": "content", "start": 0, "end": 1},
                    },
                    {"sources": [{"kind": "document", "document_id": "d"}]},
                ],
            },
        ),
        _asked(PROMPT),
    ],
    [
        _asked(PROMPT),
        _replied(
            {"part_kind": "tool-call", "tool_name": "f", "args": {"a": 1}, "tool_call_id": "1", **ISSUED},
            {"part_kind": "tool-call", "tool_name": "g", "args": "{}", "tool_call_id": "2"},
        ),
        _asked(
            {
                "part_kind": "tool-return",
                "tool_name": "g",
                "tool_call_id": "2",
                "content": {"a": 1},
                "timestamp": NOW,
                "outcome": "failed",
                "metadata": {"b": 1},
            },
            {
                "part_kind": "retry-prompt",
                "tool_name": "f",
                "tool_call_id": "1",
                "timestamp": NOW,
                "content": [{"type": "t", "loc": ["a", 0], "msg": "m", "input": 1}],
            },
        ),
    ],
    [
        _asked(PROMPT),
        _replied(
            {
                "part_kind": "tool-call",
                "tool_name": "search_tools",
                "args": {"queries": ["q"]},
                "tool_call_id": "1",
                "tool_kind": "tool-search",
            }
        ),
        _asked(
            {
                "part_kind": "tool-return",
                "tool_name": "search_tools",
                "tool_call_id": "1",
                "tool_kind": "tool-search",
                "content": {"discovered_tools": [{"name": "f"}], "message": "m"},
            }
        ),
    ],
    [
        _asked(PROMPT),
        _replied(
            {"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": {}, "tool_call_id": "b", **ISSUED},
            {
                "part_kind": "builtin-tool-return",
                "tool_name": "web_search",
                "tool_call_id": "b",
                "content": {"a": 1},
                **ISSUED,
            },
            {"part_kind": "file", "content": BINARY, **ISSUED},
            {"part_kind": "compaction", "content": "c", **ISSUED},
        ),
        _asked(PROMPT),
    ],
    [
        _asked(
            {"part_kind": "retry-prompt", "content": "bad"},
            {"part_kind": "speech", "speaker": "user", "transcript": "t"},
        ),
        _replied({"part_kind": "speech", "speaker": "assistant", "transcript": "t", "interrupted_at_ms": 1}),
        _asked(PROMPT),
    ],
    [
        _asked(PROMPT),
        _replied(
            {"part_kind": "text", "content": "a"},
            model_name="m",
            timestamp=NOW,
            provider_name="openai",
            provider_details={"a": 1},
            provider_response_id="r",
            finish_reason="stop",
            state="complete",
            usage={"input_tokens": 1, "output_tokens": 2, "details": {"a": 1}},
            failed_attempts=[{"model_name": "m", "outcome": "error", "timestamp": NOW, "duration": "PT1S"}],
        ),
        _asked(PROMPT),
    ],
]


def _saved(role: str, *blocks: Entry, **keys: Any) -> Entry:
    return {"role": role, "content": list(blocks), "native": 1, **keys}


TEXT: Final = {"type": "text", "text": "q"}
NATIVE: Final[list[list[Any]]] = [
    [_saved("system", TEXT), _saved("user", TEXT, arrivals=[{"end": 1, "metadata": {"id": "m1", "created_at": 1}}])],
    [
        _saved(
            "user",
            TEXT,
            {"type": "text", "text": "r"},
            arrivals=[{"end": 1, "metadata": {"id": "m1"}}, {"end": 2, "metadata": {"id": "m2"}}],
        )
    ],
    [
        _saved("user", TEXT),
        _saved(
            "assistant",
            {"type": "text", "text": "a", "extra": {"openai_chat": {"x": 1}}},
            replies=[
                {
                    "end": 1,
                    "id": "r",
                    "model": "m",
                    "stop_reason": "stop",
                    "provider": "openai_chat",
                    "usage": {"input_tokens": 1, "output_tokens": 2},
                    "raw_usage": {"a": 1},
                    "extra": {"b": 1},
                }
            ],
        ),
        _saved("user", TEXT),
    ],
    [
        _saved("user", TEXT),
        _saved(
            "assistant",
            {
                "type": "tool_use",
                "id": "1",
                "name": "f",
                "input": {"a": 1},
                "arguments": '{"a":1}',
                "extra": {"anthropic": {"caller": {"type": "direct"}}},
            },
            {"type": "tool_use", "id": "2", "name": "g", "input": {}},
        ),
        _saved(
            "user",
            {"type": "tool_result", "tool_use_id": "1", "content": [TEXT], "is_error": True, "extra": {"a": {"b": 1}}},
            {
                "type": "tool_result",
                "tool_use_id": "2",
                "content": [TEXT],
                "mark": {"kind": "stub", "reason": "not_recorded", "open": True},
            },
        ),
    ],
    [
        _saved("user", TEXT),
        _saved(
            "assistant",
            {"type": "thinking", "thinking": "t", "signature": "s", "bound": False},
            {"type": "redacted_thinking", "data": "d", "issuer": "anthropic"},
            TEXT,
        ),
    ],
    [
        _saved(
            "user",
            {"type": "image", "source": PNG},
            {"type": "document", "source": {"type": "url", "url": "u"}, "title": "t"},
            {"type": "provider", "dialect": "gemini", "data": {"a": 1}},
            {"type": "system", "text": "s"},
            TEXT,
            {"type": "text", "text": "c", "mark": {"kind": "bootstrap"}, "carried": {"mistral": {"prefix": True}}},
        )
    ],
]
WHOLE: Final[dict[str, list[list[Any]]]] = {
    "anthropic": ANTHROPIC,
    "openai_chat": CHAT,
    "portable": CHAT,
    "mistral": MISTRAL,
    "gemini": GEMINI,
    "gemini_interactions": INTERACTIONS,
    "bedrock": BEDROCK,
    "openai_responses": RESPONSES,
    "pydantic_ai": PYDANTIC,
    "native": NATIVE,
    "langchain": LANGCHAIN,
}
