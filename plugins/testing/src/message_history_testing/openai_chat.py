"""Chat Completions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import OpenAIChat as Dialect
from message_history_testing.model import ModelRequest, pieces
from message_history_testing.provider import Body, ForModel, Provider, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply

_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class OpenAIChat(Provider):
    """Chat Completions."""

    family: ClassVar[type[ForModel]] = Dialect
    stops: ClassVar = {"end": "stop", "cut": "length", "refused": "content_filter", "paused": "stop"}
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/openai/v1/chat/completions$")

    def own_rules(self, body: Body, _dialect: Any) -> str | None:
        if not body["messages"]:
            return (
                "Invalid 'messages': empty array. Expected an array with minimum length 1, but instead got an empty "
                "array instead."
            )
        waiting: list[str] = []
        answering = False
        for message in [*body["messages"], {"role": "end"}]:
            if message["role"] == "tool":
                if not answering:
                    return (
                        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
                        "with 'tool_calls'."
                    )
                if message["tool_call_id"] in waiting:
                    waiting.remove(message["tool_call_id"])
                continue
            if waiting:
                return (
                    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                    "'tool_call_id'. The following tool_call_ids did not have response messages: " + ", ".join(waiting)
                )
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
            answering = bool(waiting)
            if message["role"] == "assistant" and message.get("content") is None and not answering:
                if message.get("refusal") is None:
                    return "Invalid value for 'content': expected a string, got null."
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {}, {"error": {"message": text, "type": "invalid_request_error", "param": "messages", "code": None}}

    def request(self, body: Body) -> ModelRequest:
        return ModelRequest(sum(len(message.get("tool_calls") or ()) for message in body["messages"]))

    def response(self, reply: ModelReply, body: Body, _path: str) -> Body:
        message: Body = {"role": "assistant", "content": reply.text or None, "refusal": None}
        if reply.calls:
            message["tool_calls"] = self._calls(reply)
        if reply.stop == "refused":
            message["content"], message["refusal"] = None, reply.text
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.stop(reply)}
        return {**_head(body, "chat.completion", self.reply_id("chatcmpl-")), "choices": [choice], "usage": _USAGE}

    def _calls(self, reply: ModelReply) -> list[Body]:
        calls = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(input)}}
            for number, (name, input) in zip(self.numbers(reply), reply.calls, strict=True)
        ]
        if reply.stop == "cut" and calls:
            function: Body = calls[-1]["function"]  # type: ignore[assignment]
            function["arguments"] = function["arguments"][: len(function["arguments"]) // 2]
        return calls

    def events(self, reply: ModelReply, body: Body, _path: str) -> Iterable[bytes]:
        key = "refusal" if reply.stop == "refused" else "content"
        deltas: list[Body] = [{"role": "assistant", "content": None, "refusal": None}]
        deltas += [{key: piece} for piece in pieces(reply.text)]
        for index, call in enumerate(self._calls(reply)):
            function = call["function"]
            deltas.append({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
                for piece in pieces(function["arguments"])
            ]
        head = _head(body, "chat.completion.chunk", self.reply_id("chatcmpl-"))
        for delta in deltas:
            yield sse({**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]})
        yield sse({**head, "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": self.stop(reply)}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            yield sse({**head, "choices": [], "usage": _USAGE})
        yield sse("[DONE]")


def _head(body: Body, kind: str, id: str) -> Body:
    return {"id": id, "object": kind, "created": 1, "model": body["model"]}
