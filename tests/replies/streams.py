"""Streams of replies as the providers send them, event by event, each with the response that it stands for.

The shapes are those of the SDKs' types; `tests/sdks` holds every event to these types.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat, OpenAIResponses

if TYPE_CHECKING:
    from message_history.dialects import Dialect

__all__ = ["STREAMS", "Stream"]


class Stream(NamedTuple):
    """One streamed reply.

    Args:
        name: what it shows.
        dialect: whose it is.
        events: the events, as JSON has them; Converse holds bytes.
        response: the same reply without streaming; None when the stream says what no response could.
    """

    name: str
    dialect: Dialect[Any]
    events: list[dict[str, Any]]
    response: dict[str, Any] | None


def _pieces(text: str, size: int = 5) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


# Anthropic

_USAGE = {"input_tokens": 25, "output_tokens": 1}


def _anthropic(blocks: list[dict[str, Any]], stop_reason: str, cut: int | None = None) -> Stream:
    """Stream blocks as the Messages API does; `cut` ends the input of the last call after so many letters."""
    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-opus-4-5", "content": []}
    empty = {**message, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": empty}, {"type": "ping"}]
    for index, block in enumerate(blocks):
        kind = block["type"]
        start, deltas = dict(block), []
        if kind == "text":
            start["text"] = ""
            start.pop("citations", None)
            deltas = [{"type": "text_delta", "text": text} for text in _pieces(block["text"])]
            deltas += [{"type": "citations_delta", "citation": each} for each in block.get("citations", ())]
        elif kind == "thinking":
            start.update(thinking="", signature="")
            deltas = [{"type": "thinking_delta", "thinking": text} for text in _pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind in ("tool_use", "server_tool_use"):
            start["input"] = {}
            text = json.dumps(block["input"]) if block["input"] else ""
            text = text[:cut] if cut is not None and index == len(blocks) - 1 else text
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *_pieces(text)]]
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    recorded = {"stop_reason": stop_reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": recorded, "usage": {"output_tokens": 15}})
    events.append({"type": "message_stop"})
    response = {**message, "content": blocks, **recorded, "usage": {**_USAGE, "output_tokens": 15}}
    name = f"anthropic {stop_reason} {len(blocks)}"
    return Stream(name, Anthropic.for_model("claude-opus-4-5"), events, None if cut is not None else response)


_THINKING = {"type": "thinking", "thinking": "They ask for two cities.", "signature": "c2lnbmF0dXJl"}
_PARIS = {"type": "tool_use", "id": "toolu_01", "name": "weather", "input": {"city": "Paris", "days": [1, 2]}}
_NOW = {"type": "tool_use", "id": "toolu_02", "name": "now", "input": {}}
_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": "weather"}}
_FOUND = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_01",
    "content": [
        {
            "type": "web_search_result",
            "url": "https://e.org",
            "title": "E",
            "encrypted_content": "ZQ==",
            "page_age": None,
        }
    ],
}
_CITATION = {
    "type": "web_search_result_location",
    "cited_text": "sunny",
    "encrypted_index": "aQ==",
    "title": "E",
    "url": "https://e.org",
}
_TEXT = {"type": "text", "text": "I will look at both."}
_CITED = {"type": "text", "text": "It is sunny.", "citations": [_CITATION]}

ANTHROPIC = [
    _anthropic([_TEXT], "end_turn"),
    _anthropic([_THINKING, {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}, _TEXT, _PARIS, _NOW], "tool_use"),
    _anthropic([_TEXT, _SEARCH, _FOUND, _CITED], "end_turn"),
    _anthropic([_TEXT, _PARIS], "max_tokens", cut=12),
    _anthropic([_THINKING, _TEXT, _SEARCH], "max_tokens", cut=12),
    _anthropic([_THINKING, _TEXT], "refusal"),
    _anthropic([], "end_turn"),
]

# Chat Completions


def _chat(pieces: list[dict[str, Any]], reason: str, message: dict[str, Any] | None, name: str) -> Stream:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4.1"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

    events = [chunk({"role": "assistant", "content": "", "refusal": None}), *map(chunk, pieces), chunk({}, reason)]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    events.append({**head, "choices": [], "usage": usage})
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    response = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    return Stream(f"chat {name}", OpenAIChat(), events, response if message is not None else None)


def _function(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _calling(index: int, call: dict[str, Any], cut: int | None = None) -> list[dict[str, Any]]:
    arguments = call["function"]["arguments"][:cut]
    start = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": piece}} for piece in _pieces(arguments)]
    return [{"tool_calls": [piece]} for piece in [start, *rest]]


def _assistant_draft(text: str) -> list[dict[str, Any]]:
    return [{"content": piece} for piece in _pieces(text)]


_CALLS = [_function("call_1", "weather", '{"city": "Paris", "days": [1, 2]}'), _function("call_2", "now", "{}")]
_SAID = {"role": "assistant", "refusal": None}

CHAT = [
    _chat(_assistant_draft("Hello, how are you?"), "stop", {**_SAID, "content": "Hello, how are you?"}, "text"),
    _chat(
        [*_calling(0, _CALLS[0]), *_calling(1, _CALLS[1])],
        "tool_calls",
        {**_SAID, "content": "", "tool_calls": _CALLS},
        "calls",
    ),
    _chat([*_assistant_draft("I will"), *_calling(0, _CALLS[0], cut=9)], "length", None, "cut"),
    _chat([*_calling(0, _CALLS[0]), *_calling(1, _CALLS[1], cut=0)], "length", None, "cut before any input"),
    _chat(
        [{"refusal": piece} for piece in _pieces("I cannot do that.")],
        "stop",
        {"role": "assistant", "content": "", "refusal": "I cannot do that."},
        "refusal",
    ),
    _chat(
        [{"reasoning_content": piece} for piece in _pieces("They say hello.")] + _assistant_draft("Hello"),
        "stop",
        {**_SAID, "content": "Hello", "reasoning_content": "They say hello."},
        "reasoning",
    ),
    _chat(
        # All calls have one index, and only their ids tell them apart.
        [{"tool_calls": [{**call, "index": 0}]} for call in _CALLS],
        "tool_calls",
        {**_SAID, "content": "", "tool_calls": _CALLS},
        "calls under one index",
    ),
]

# Mistral


def _mistral(pieces: list[dict[str, Any]], reason: str, message: dict[str, Any] | None, name: str) -> Stream:
    head = {"id": "m1", "object": "chat.completion.chunk", "created": 1, "model": "mistral-large-latest"}
    deltas = [{"role": "assistant", "content": ""}, *pieces]
    reasons = [None] * len(pieces) + [reason]
    events = [
        {"data": {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}}
        for delta, reason in zip(deltas, reasons, strict=True)
    ]
    choice = {"index": 0, "message": message, "finish_reason": reason}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    events[-1]["data"]["usage"] = usage
    response = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    dialect = Mistral.for_model("mistral-large-latest")
    return Stream(f"mistral {name}", dialect, events, response if message is not None else None)


_NINE = [_function("abcdefghi", "weather", '{"city": "Paris"}'), _function("123456789", "now", "{}")]
_MUSING = [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]} for piece in _pieces("They say hello.")]

MISTRAL = [
    _mistral(
        _assistant_draft("Bonjour, ça va ?"), "stop", {"role": "assistant", "content": "Bonjour, ça va ?"}, "text"
    ),
    _mistral(
        [{"tool_calls": [{**call, "index": n} for n, call in enumerate(_NINE)]}],
        "tool_calls",
        {"role": "assistant", "content": "", "tool_calls": _NINE},
        "calls",
    ),
    _mistral(
        [{"content": [chunk]} for chunk in _MUSING] + _assistant_draft("Bonjour"),
        "stop",
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "They say hello."}]},
                {"type": "text", "text": "Bonjour"},
            ],
        },
        "thinking",
    ),
    _mistral(
        [*_assistant_draft("Oui"), {"tool_calls": [_function("abcdefghi", "weather", '{"ci')]}], "length", None, "cut"
    ),
]

# Responses


def _responses(items: list[dict[str, Any]], status: str, name: str) -> Stream:
    base = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "incomplete_details": None,
        "error": None,
    }
    started = {**base, "status": "in_progress", "output": []}
    events: list[dict[str, Any]] = [
        {"type": f"response.{kind}", "response": started} for kind in ("created", "in_progress")
    ]
    for index, item in enumerate(items):
        events += _item_events(index, item)
    ended = {**base, "status": status, "output": items}
    if status == "incomplete":
        ended["incomplete_details"] = {"reason": "max_output_tokens"}
    events.append({"type": f"response.{status}", "response": ended})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    return Stream(f"responses {name}", OpenAIResponses.for_model("gpt-5"), numbered, ended)


def _item_events(index: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    at = {"item_id": item["id"], "output_index": index}
    events: list[dict[str, Any]] = []
    started = dict(item)
    for key, place, kinds in (
        ("content", "content_index", ("content_part", {"output_text": "output_text", "refusal": "refusal"})),
        ("summary", "summary_index", ("reasoning_summary_part", {"summary_text": "reasoning_summary_text"})),
    ):
        for number, part in enumerate(item.get(key) or ()):
            started[key] = []
            where, (part_kind, text_kinds) = {**at, place: number}, kinds
            text_kind, text_key = text_kinds[part["type"]], "refusal" if part["type"] == "refusal" else "text"
            empty = {**part, text_key: "", **({"annotations": []} if "annotations" in part else {})}
            more: dict[str, Any] = {"logprobs": []} if text_kind == "output_text" else {}
            events.append({"type": f"response.{part_kind}.added", **where, "part": empty})
            events += [
                {"type": f"response.{text_kind}.delta", **where, "delta": piece, **more}
                for piece in _pieces(part[text_key])
            ]
            events += [
                {
                    "type": "response.output_text.annotation.added",
                    **where,
                    "annotation_index": number,
                    "annotation": annotation,
                }
                for number, annotation in enumerate(part.get("annotations", ()))
            ]
            events.append({"type": f"response.{text_kind}.done", **where, text_key: part[text_key], **more})
            events.append({"type": f"response.{part_kind}.done", **where, "part": part})
    for kind, key, event in (
        ("function_call", "arguments", "function_call_arguments"),
        ("custom_tool_call", "input", "custom_tool_call_input"),
    ):
        if item["type"] == kind:
            started[key] = ""
            events += [{"type": f"response.{event}.delta", **at, "delta": piece} for piece in _pieces(item[key])]
            if item.get("status") != "incomplete":
                events.append({"type": f"response.{event}.done", **at, key: item[key]})
    if "status" in item:
        started["status"] = "in_progress"
    if "encrypted_content" in item:
        del started["encrypted_content"]
    return [
        {"type": "response.output_item.added", "output_index": index, "item": started},
        *events,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


_REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Two cities."}],
    "encrypted_content": "ZW5jcnlwdGVk",
}
_WORDS = {"type": "output_text", "text": "I will look at both.", "annotations": []}
_ANSWER = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [_WORDS]}
_URL = {"type": "url_citation", "start_index": 0, "end_index": 3, "title": "E", "url": "https://e.org"}
_FUNCTION = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "weather",
    "arguments": '{"city": "Paris"}',
    "status": "completed",
}
_CUSTOM = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_3", "name": "run", "input": "print('hello')"}
_WEB = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "weather", "queries": ["weather"]},
}

RESPONSES = [
    _responses([_ANSWER], "completed", "text"),
    _responses(
        [_REASONING, _FUNCTION, {**_FUNCTION, "id": "fc_2", "call_id": "call_2", "name": "now", "arguments": "{}"}],
        "completed",
        "calls",
    ),
    _responses([_REASONING, _CUSTOM], "completed", "custom call"),
    _responses(
        [
            _WEB,
            {**_ANSWER, "content": [{**_WORDS, "annotations": [_URL]}, {"type": "refusal", "refusal": "Not more."}]},
        ],
        "completed",
        "search and refusal",
    ),
    _responses([_ANSWER, {**_FUNCTION, "arguments": '{"ci', "status": "incomplete"}], "incomplete", "cut"),
    _responses([_ANSWER, {**_FUNCTION, "arguments": "", "status": "incomplete"}], "incomplete", "cut before any input"),
]

# Gemini


def _gemini(parts: list[list[dict[str, Any]]], reason: str, whole: list[dict[str, Any]] | None, name: str) -> Stream:
    def response(parts: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if reason is not None:
            candidate["finishReason"] = reason
        return {"candidates": [candidate], "modelVersion": "gemini-3-pro-preview", "responseId": "r1"}

    events = [response(each, reason if number == len(parts) - 1 else None) for number, each in enumerate(parts)]
    dialect = Gemini.for_model("gemini-3-pro-preview")
    return Stream(f"gemini {name}", dialect, events, response(whole, reason) if whole is not None else None)


_GEMINI_CALLS: list[dict[str, Any]] = [
    {"functionCall": {"name": "weather", "args": {"city": "Paris"}}, "thoughtSignature": "c2ln"},
    {"functionCall": {"name": "now", "args": {}}},
]


def _streamed(*pieces: dict[str, Any], goes_on: bool = True) -> dict[str, Any]:
    return {"functionCall": {"partialArgs": list(pieces), **({"willContinue": True} if goes_on else {})}}


GEMINI = [
    _gemini([[{"text": piece}] for piece in _pieces("Hello there")], "STOP", [{"text": "Hello there"}], "text"),
    _gemini(
        [
            [{"text": "Two ", "thought": True}],
            [{"text": "cities.", "thought": True}],
            [{"text": "I look."}],
            _GEMINI_CALLS,
        ],
        "STOP",
        [{"text": "Two cities.", "thought": True}, {"text": "I look."}, *_GEMINI_CALLS],
        "thoughts and calls",
    ),
    _gemini(
        [[{"text": "Hel"}], [{"text": "lo"}], [{"text": "", "thoughtSignature": "c2ln"}]],
        "STOP",
        [{"text": "Hello"}, {"text": "", "thoughtSignature": "c2ln"}],
        "a signature behind the text",
    ),
    _gemini([[{"text": "Hel"}], [{"text": "lo"}]], "MAX_TOKENS", [{"text": "Hello"}], "cut"),
    _gemini(
        [
            [{"functionCall": {"name": "book", "willContinue": True}, "thoughtSignature": "c2ln"}],
            [_streamed({"jsonPath": "$.city", "stringValue": "Par", "willContinue": True})],
            [_streamed({"jsonPath": "$.city", "stringValue": "is"}, {"jsonPath": "$.nights", "numberValue": 2})],
            [_streamed({"jsonPath": "$.guests[0].name", "stringValue": "Ann"})],
            [
                _streamed(
                    {"jsonPath": "$.guests[1].name", "stringValue": "Bob"}, {"jsonPath": "$.late", "boolValue": False}
                )
            ],
            [{"functionCall": {}}],
        ],
        "STOP",
        [
            {
                "functionCall": {
                    "name": "book",
                    "args": {"city": "Paris", "nights": 2, "guests": [{"name": "Ann"}, {"name": "Bob"}], "late": False},
                },
                "thoughtSignature": "c2ln",
            }
        ],
        "a call in pieces",
    ),
]

# Converse


def _converse(blocks: list[dict[str, Any]], reason: str, name: str, cut: int | None = None) -> Stream:
    events: list[dict[str, Any]] = [{"messageStart": {"role": "assistant"}}]
    for index, block in enumerate(blocks):
        deltas: list[dict[str, Any]] = []
        if "text" in block:
            deltas = [{"text": piece} for piece in _pieces(block["text"])]
        elif "toolUse" in block:
            use = {key: value for key, value in block["toolUse"].items() if key != "input"}
            events.append({"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": use}}})
            text = json.dumps(block["toolUse"]["input"]) if block["toolUse"]["input"] else ""
            text = text[:cut] if index == len(blocks) - 1 else text
            deltas = [{"toolUse": {"input": piece}} for piece in _pieces(text)]
        elif "reasoningContent" in block:
            reasoning = block["reasoningContent"]
            text = reasoning.get("reasoningText", {})
            deltas = [{"reasoningContent": {"text": piece}} for piece in _pieces(text.get("text", ""))]
            if "signature" in text:
                deltas.append({"reasoningContent": {"signature": text["signature"]}})
            if "redactedContent" in reasoning:
                deltas.append({"reasoningContent": {"redactedContent": reasoning["redactedContent"]}})
        elif "citationsContent" in block:
            cited = block["citationsContent"]
            deltas = [{"text": piece} for piece in _pieces(cited["content"][0]["text"])]
            deltas += [{"citation": citation} for citation in cited["citations"]]
        events += [{"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}} for delta in deltas]
        events.append({"contentBlockStop": {"contentBlockIndex": index}})
    events.append({"messageStop": {"stopReason": reason}})
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    events.append({"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}})
    message = {"role": "assistant", "content": blocks}
    response = {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}
    dialect = Bedrock.for_model("us.anthropic.claude-opus-4-5-20251101-v1:0")
    return Stream(f"converse {name}", dialect, events, response if cut is None else None)


_USE = {"toolUse": {"toolUseId": "tooluse_1", "name": "weather", "input": {"city": "Paris"}}}
_LOCATION = {"documentPage": {"documentIndex": 0, "start": 1, "end": 1}}

CONVERSE = [
    _converse([{"text": "Hello, how are you?"}], "end_turn", "text"),
    _converse(
        [
            {"reasoningContent": {"reasoningText": {"text": "Two cities.", "signature": "c2ln"}}},
            {"reasoningContent": {"redactedContent": b"secret"}},
            {"text": "I will look."},
            _USE,
            {"toolUse": {"toolUseId": "tooluse_2", "name": "now", "input": {}}},
        ],
        "tool_use",
        "calls",
    ),
    _converse(
        [
            {
                "citationsContent": {
                    "content": [{"text": "It says so."}],
                    "citations": [{"title": "E", "sourceContent": [{"text": "so"}], "location": _LOCATION}],
                }
            }
        ],
        "end_turn",
        "citations",
    ),
    _converse([{"text": "I will"}, _USE], "max_tokens", "cut", cut=7),
]

STREAMS = [*ANTHROPIC, *CHAT, *MISTRAL, *RESPONSES, *GEMINI, *CONVERSE]
