"""The Responses API, stateless: reasoning comes back encrypted, and is refused when what came before it has changed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import OpenAIResponses as Dialect
from message_history_testing.model import ModelRequest, pieces, sign
from message_history_testing.provider import Body, Provider, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply

_USAGE = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2,
}


class OpenAIResponses(Provider):
    """The Responses API."""

    family = Dialect
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/openai/v1/responses$")

    def __init__(self) -> None:
        super().__init__()
        self.items = 0

    def wire(self, body: Body) -> list[Any]:
        value = body["input"]
        return value if isinstance(value, list) else [{"role": "user", "content": value}]

    def own_rules(self, body: Body, dialect: Any) -> str | None:
        items = self.wire(body)
        outputs = [item.get("call_id") for item in items if item.get("type") == "function_call_output"]
        called: list[str] = []
        ids: list[str] = []
        for n, item in enumerate(items):
            kind, id = item.get("type", "message"), item.get("id")
            if kind == "function_call":
                called.append(item["call_id"])
                if called.count(item["call_id"]) > outputs.count(item["call_id"]):
                    return f"No tool output found for function call {item['call_id']}."
            elif kind == "function_call_output" and item["call_id"] not in called:
                return f"No tool call found for function call output with call_id {item['call_id']}."
            elif kind == "reasoning":
                after = items[n + 1] if n + 1 < len(items) else {}
                is_assistants = after.get("role") == "assistant" or after.get("type") in (
                    "function_call",
                    "web_search_call",
                )
                if not is_assistants:
                    return f"Item '{id}' of type 'reasoning' was provided without its required following item."
                if item.get("encrypted_content") != _encrypted(items[:n], item, dialect):
                    return f"The encrypted content {item.get('encrypted_content')} could not be verified."
            if id is not None and id in ids:
                return f"Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            ids += [id] if id is not None else []
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {}, {"error": {"message": text, "type": "invalid_request_error", "param": "input", "code": None}}

    def request(self, body: Body) -> ModelRequest:
        return ModelRequest(sum(item.get("type") == "function_call" for item in self.wire(body)))

    def response(self, reply: ModelReply, body: Body, _path: str) -> Body:
        return self._ended(self._head(body), reply, self._items(reply, body))

    def _ended(self, head: Body, reply: ModelReply, items: list[Body]) -> Body:
        head = {**head, "usage": _USAGE}
        reasons = {"cut": "max_output_tokens", "refused": "content_filter"}
        if reply.stop in reasons:
            why = {"reason": reasons[reply.stop]}
            return {**head, "status": "incomplete", "incomplete_details": why, "output": items}
        return {**head, "status": "completed", "output": items}

    def _head(self, body: Body) -> Body:
        return {
            "id": self.reply_id("resp_"),
            "object": "response",
            "created_at": 1,
            "model": body["model"],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "incomplete_details": None,
            "error": None,
        }

    def _id(self, prefix: str) -> str:
        self.items += 1
        return f"{prefix}_{self.items:04}"

    def _items(self, reply: ModelReply, body: Body) -> list[Body]:
        items: list[Body] = []
        if reply.thinking:
            summary = [{"type": "summary_text", "text": reply.thinking}]
            reasoning = {"type": "reasoning", "id": self._id("rs"), "summary": summary}
            secret = _encrypted(self.wire(body), reasoning, Dialect.for_model(body["model"]))
            items.append({**reasoning, "encrypted_content": secret})
        if reply.search:
            action = {"type": "search", "query": "weather"}
            items.append({"type": "web_search_call", "id": self._id("ws"), "status": "completed", "action": action})
        if reply.text or not reply.calls:
            part = {"type": "output_text", "text": reply.text or "Yes.", "annotations": [], "logprobs": []}
            if reply.stop == "refused":
                part = {"type": "refusal", "refusal": reply.text}
            items.append(
                {
                    "type": "message",
                    "id": self._id("msg"),
                    "role": "assistant",
                    "status": "completed",
                    "content": [part],
                }
            )
        for number, (name, input) in zip(self.numbers(reply), reply.calls, strict=True):
            call = {"type": "function_call", "id": self._id("fc"), "call_id": f"call_{number}", "name": name}
            items.append({**call, "arguments": json.dumps(input), "status": "completed"})
        if reply.stop == "cut":
            last = items[-1]
            last["status"] = "incomplete"
            if "arguments" in last:
                last["arguments"] = last["arguments"][: len(last["arguments"]) // 2]
        return items

    def events(self, reply: ModelReply, body: Body, _path: str) -> Iterable[bytes]:
        items = self._items(reply, body)
        head = self._head(body)
        started = {**head, "status": "in_progress", "output": []}
        events: list[Body] = [{"type": "response.created", "response": started}]
        events.append({"type": "response.in_progress", "response": started})
        for index, item in enumerate(items):
            events += _streamed(index, item)
        ended = self._ended(head, reply, items)
        events.append({"type": f"response.{ended['status']}", "response": ended})
        for number, event in enumerate(events):
            yield sse({**event, "sequence_number": number}, event["type"])


def _streamed(index: int, item: Body) -> list[Body]:
    at = {"item_id": item["id"], "output_index": index}
    started = {**item, **({"status": "in_progress"} if "status" in item else {})}
    events: list[Body] = []
    if item["type"] == "message":
        (part,) = item["content"]
        started["content"] = []
        at["content_index"] = 0
        key, kind = ("refusal", "refusal") if part["type"] == "refusal" else ("text", "output_text")
        more: Body = {"logprobs": []} if kind == "output_text" else {}
        events.append({"type": "response.content_part.added", **at, "part": {**part, key: ""}})
        events += [{"type": f"response.{kind}.delta", **at, "delta": piece, **more} for piece in pieces(part[key])]
        events.append({"type": f"response.{kind}.done", **at, key: part[key], **more})
        events.append({"type": "response.content_part.done", **at, "part": part})
    elif item["type"] == "reasoning":
        (part,) = item["summary"]
        started["summary"] = []
        del started["encrypted_content"]
        at["summary_index"] = 0
        about = "response.reasoning_summary"
        events.append({"type": f"{about}_part.added", **at, "part": {**part, "text": ""}})
        events += [{"type": f"{about}_text.delta", **at, "delta": piece} for piece in pieces(part["text"])]
        events.append({"type": f"{about}_text.done", **at, "text": part["text"]})
        events.append({"type": f"{about}_part.done", **at, "part": part})
    elif item["type"] == "function_call":
        started["arguments"] = ""
        about = "response.function_call_arguments"
        events += [{"type": f"{about}.delta", **at, "delta": piece} for piece in pieces(item["arguments"])]
        if item["status"] == "completed":
            events.append({"type": f"{about}.done", **at, "arguments": item["arguments"]})
    added = {"type": "response.output_item.added", "output_index": index, "item": started}
    return [added, *events, {"type": "response.output_item.done", "output_index": index, "item": item}]


def _encrypted(before: list[Body], item: Body, dialect: Any) -> str:
    return sign(before if dialect.binds_thinking else None, item["id"], item["summary"])
