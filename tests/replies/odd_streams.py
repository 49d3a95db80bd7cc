"""Streams with what few servers send, event by event: other places, pieces in an odd order, rare kinds of deltas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import (
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
)

if TYPE_CHECKING:
    from message_history.dialects import Dialect

__all__ = ["ODD_STREAMS"]

Event = dict[str, Any]


def _chat(*choices: Event | list[Event], **beside: Any) -> list[Any]:
    """Give chunks, one for each choice; a list is the choices of one chunk."""
    return [{"id": "c", "choices": each if isinstance(each, list) else [each], **beside} for each in choices]


def _delta(index: int = 0, reason: str | None = None, **delta: Any) -> Event:
    return {"index": index, "delta": delta, "finish_reason": reason}


def _piece(arguments: Any = None, **keys: Any) -> Event:
    name = {"name": keys.pop("name")} if "name" in keys else {}
    return {**keys, "function": {**name, **({"arguments": arguments} if arguments is not None else {})}}


def _steps(*deltas: Event, index: int | None = 0, step: Event | None = None, status: str = "completed") -> list[Any]:
    begun = [{"event_type": "step.start", "index": index, "step": step}] if step is not None else []
    grown = [{"event_type": "step.delta", "index": index, "delta": delta} for delta in deltas]
    completed = {"id": "i", "status": status, "usage": {"total_tokens": 3}}
    return [*begun, *grown, {"event_type": "interaction.completed", "interaction": completed}]


def _text(text: str) -> Event:
    return {"type": "text", "text": text}


def _item(kind: str, index: int | None = 0, **keys: Any) -> Event:
    return {"type": f"response.{kind}", "output_index": index, **keys}


CHAT: Final[list[tuple[str, list[Any]]]] = [
    ("two choices", _chat(_delta(content="a"), [_delta(1, content="b"), _delta(content="c")], _delta(1, "stop"))),
    ("no index", _chat({"delta": {"content": "a"}}, {"delta": {"content": "b"}, "finish_reason": "stop"})),
    (
        "the call of a function",
        _chat(
            _delta(role="assistant", content="a"),
            _delta(function_call={"name": "f", "arguments": '{"a": '}),
            _delta(function_call={"arguments": "1}"}),
            _delta(reason="function_call"),
        ),
    ),
    (
        "calls whose places are not in order",
        _chat(
            _delta(tool_calls=[_piece("{}", index=1, id="c2", name="g")]),
            _delta(tool_calls=[_piece('{"a": ', index=0, id="c1", name="f"), _piece(index=1, name="g")]),
            _delta(tool_calls=[_piece("1}", index=0)]),
            _delta(reason="tool_calls"),
        ),
    ),
    (
        "calls without places and ids",
        _chat(
            _delta(tool_calls=[_piece('{"a": 1', name="f")]),
            _delta(tool_calls=[_piece("}", name="f")]),
            _delta(tool_calls=[_piece("{}", name="f"), _piece("{}", name="g")]),
            _delta(tool_calls=[_piece(" ", name="g")]),
            _delta(tool_calls=[_piece("", name="g")]),
        ),
    ),
    (
        "input that is an object",
        _chat(_delta(tool_calls=[_piece({"a": 1}, index=0, id="c1", name="f")]), _delta(reason="tool_calls")),
    ),
    (
        "reasoning in items",
        _chat(
            _delta(reasoning_details=[{"type": "reasoning.text", "index": 0, "text": "a", "signature": None}]),
            _delta(reasoning_details=[{"type": "reasoning.text", "index": 0, "text": "b", "signature": "s"}]),
            _delta(reasoning_details=[{"type": "reasoning.encrypted", "index": 0, "data": "d"}, {"text": "x"}, 7]),
            _delta(content="a", annotations=[{"type": "url_citation"}]),
            _delta(reason="stop"),
            _delta(0, "stop", content=""),
            usage={"total_tokens": 3},
        ),
    ),
    (
        "wrapped by a helper",
        [{"type": "chunk", "chunk": each} for each in _chat(_delta(content="a"), _delta(reason="length"))],
    ),
]
MISTRAL: Final[list[tuple[str, list[Any]]]] = [
    (
        "chunks after a text",
        _chat(
            _delta(role="assistant", content="a"),
            _delta(content=[{"type": "thinking", "thinking": [_text("t"), _text("u")], "closed": False}, _text("b")]),
            _delta(content=[{"type": "thinking", "thinking": [_text(""), {"type": "reference"}], "closed": True}]),
            _delta(content="c"),
            _delta(content=[_text("d"), {"type": "reference", "reference_ids": [1]}, _text("")]),
            _delta(0, "stop", content=""),
        ),
    )
]
MESSAGES: Final[list[tuple[str, list[Any]]]] = [
    (
        "deltas without blocks",
        [
            {"type": "message_start", "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 1}}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}},
            {"type": "content_block_start", "content_block": {"type": "tool_use", "id": "t1", "name": "f"}},
            {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
            {"type": "content_block_stop"},
            {"type": "content_block_start", "content_block": {"type": "compaction", "content": None}},
            {"type": "content_block_delta", "delta": {"type": "compaction_delta", "content": "s"}},
            {"type": "content_block_stop"},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t2", "name": "g"}},
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": None}},
            {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}, "context_management": {"a": 1}},
            {"type": "message_stop"},
        ],
    )
]
RESPONSES: Final[list[tuple[str, list[Any]]]] = [
    (
        "deltas without items and parts",
        [
            {"type": "response.queued", "response": {"id": "r", "model": "m", "status": "queued"}},
            _item("output_item.added", item={"type": "reasoning", "id": "rs_1"}),
            _item("reasoning_text.delta", content_index=0, delta="t"),
            _item("reasoning_text.done", content_index=0, text="tu"),
            _item("reasoning_summary_text.delta", summary_index=1, delta="s"),
            _item("output_item.added", 1, item={"type": "message", "role": "assistant", "content": None}),
            _item("output_text.delta", 1, delta="a"),
            _item("output_text.annotation.added", 1, content_index=0, annotation={"type": "url_citation"}),
            _item("output_text.done", 1, content_index=0, text=None),
            _item("refusal.delta", 1, content_index=1, delta="n"),
            _item("content_part.done", 1, content_index=1, part={"type": "refusal", "refusal": "no"}),
            _item("output_item.added", None, item={"type": "function_call", "call_id": "c1", "name": "f"}),
            _item("function_call_arguments.delta", None, delta="{"),
            _item("function_call_arguments.done", 2, arguments="{}"),
            _item("output_item.added", 3, item={"type": "custom_tool_call", "call_id": "c2", "name": "g"}),
            _item("custom_tool_call_input.delta", 3, delta="x"),
            _item("output_item.done", 4, item={"type": "function_call", "call_id": "c3", "status": "incomplete"}),
            _item("output_item.added", 5, item={"type": "web_search_call", "id": "ws_1"}),
        ],
    ),
    (
        "a failure",
        [
            {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
            _item("output_item.done", item={"type": "message", "role": "assistant", "content": [_text("a")]}),
            {"type": "response.failed", "response": {"id": "r", "status": "failed", "error": {"code": "e"}}},
        ],
    ),
]
GENERATE: Final[list[tuple[str, list[Any]]]] = [
    (
        "two candidates",
        [
            {"candidates": [{"content": {"parts": [_text("a")]}, "index": 1}, {"content": {"parts": [{"text": "b"}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "c", "thought": None}]}, "avgLogprobs": 0.5}]},
            {"candidates": [{"index": 1, "finish_reason": "STOP"}, {"index": 0, "finish_reason": "STOP"}]},
            {"usage_metadata": {"total_token_count": 3}, "model_version": "m", "response_id": "r"},
        ],
    ),
    ("a prompt that is blocked", [{"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "m"}]),
    (
        "a call in pieces, and one in two parts",
        [
            {"candidates": [{"content": {"parts": [{"function_call": {"name": "f", "will_continue": True}}]}}]},
            *[
                {"candidates": [{"content": {"parts": [{"function_call": {"partial_args": [arg], **more}}]}}]}
                for arg, more in (
                    (
                        {"json_path": "$['a b'][1].c", "string_value": "x", "will_continue": True},
                        {"will_continue": True},
                    ),
                    ({"json_path": "$['a b'][1].c", "string_value": "y"}, {"will_continue": True}),
                    ({"json_path": "$['a b'][1].c.d", "null_value": "NULL_VALUE"}, {"will_continue": True}),
                    ({"json_path": "$.n", "number_value": 0}, {"will_continue": True}),
                    ({"json_path": "$.n[0]", "bool_value": False}, {"will_continue": True}),
                    ({"json_path": "$[3]", "bool_value": True}, {"will_continue": True}),
                    ({"json_path": "$.deep[5000]", "bool_value": True}, {}),
                )
            ],
            {"candidates": [{"content": {"parts": [{"functionCall": {"name": "g"}}]}, "finishReason": "STOP"}]},
        ],
    ),
]
STEPS: Final[list[tuple[str, list[Any]]]] = [
    (
        "thoughts, words and a call",
        [
            {"event_type": "interaction.created", "interaction": {"id": "i", "model": "m", "status": "in_progress"}},
            {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
            {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": _text("a ")}},
            {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": _text("b")}},
            {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "c2ln"}},
            {"event_type": "step.stop", "index": 0},
            {"event_type": "step.start", "step": {"type": "model_output", "content": [_text("a")]}},
            {"event_type": "step.delta", "delta": _text("b")},
            {"event_type": "step.start", "index": 2, "step": {"type": "function_call", "id": "c1", "name": "f"}},
            {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": '{"a": '}},
            {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": "1}"}},
            {"event_type": "step.stop", "index": 2},
            {"event_type": "interaction.status_update", "status": "requires_action"},
        ],
    ),
    (
        "deltas alone",
        [
            *_steps({"type": "thought_summary", "content": _text("a")}, index=0)[:-1],
            *_steps({"type": "thought_summary", "content": {"type": "image", "data": "aGk="}}, index=0)[:-1],
            *_steps({"type": "thought_signature", "signature": "c2ln"}, index=1)[:-1],
            *_steps(_text("b"), {"type": "text_annotation_delta", "annotations": [{"type": "url_citation"}]}, index=2)[
                :-1
            ],
            *_steps({"type": "image", "data": "aGk=", "mime_type": "image/png"}, _text("c"), index=3)[:-1],
            *_steps({"type": "arguments_delta", "arguments": '{"a":'}, index=4)[:-1],
            *_steps({"type": "google_search_call", "id": "s1", "arguments": None}, index=5, status="incomplete"),
        ],
    ),
    (
        "a picture first, and the steps at the end",
        [
            *_steps({"type": "audio", "data": "aGk="}, {"type": "text_annotation_delta", "annotations": None}, index=2)[
                :-1
            ],
            {
                "event_type": "interaction.completed",
                "interaction": {
                    "status": "completed",
                    "steps": [{"type": "model_output", "content": [_text("a")]}, {"type": "thought", "summary": []}],
                },
            },
        ],
    ),
]
CONVERSE: Final[list[tuple[str, list[Any]]]] = [
    (
        "blocks of every kind",
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "t"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "s"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"reasoningContent": {"redactedContent": b"a"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"reasoningContent": {"redactedContent": b"b"}}}},
            {"contentBlockDelta": {"delta": {"text": "a"}}},
            {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "f"}}}},
            {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":'}}}},
            {"contentBlockStop": {"contentBlockIndex": 2}},
            {
                "contentBlockStart": {
                    "contentBlockIndex": 3,
                    "start": {"toolUse": {"toolUseId": "t2", "name": "f", "type": "server_tool_use"}},
                }
            },
            {"contentBlockStop": {}},
            {"contentBlockStart": {"contentBlockIndex": 4, "start": {"toolResult": {"toolUseId": "t2"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 4, "delta": {"toolResult": [_text("r")]}}},
            {"contentBlockDelta": {"contentBlockIndex": 4, "delta": {"toolResult": [{"text": "s"}]}}},
            {"contentBlockStart": {"contentBlockIndex": 5, "start": {"image": {"format": "png"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 5, "delta": {"image": {"source": {"bytes": b"a"}}}}},
            {"contentBlockDelta": {"contentBlockIndex": 6, "delta": {"citation": {"title": "t"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 6, "delta": {"citation": {"title": "u"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 7, "delta": {}}},
            {"messageStop": {"stopReason": "tool_use", "additionalModelResponseFields": None}},
            {"metadata": {"usage": {"totalTokens": 3}, "trace": None}},
        ],
    )
]
ODD_STREAMS: Final[list[tuple[str, Dialect[Any], list[Any]]]] = [
    (f"{dialect.name} with {name}", dialect, events)
    for dialect, streams in (
        (OpenAIChat(), CHAT),
        (Mistral(), MISTRAL),
        (Anthropic(), MESSAGES),
        (OpenAIResponses(), RESPONSES),
        (Gemini(), GENERATE),
        (GeminiInteractions(), STEPS),
        (Bedrock(), CONVERSE),
    )
    for name, events in streams
]
