"""Mistral's chat completions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import Mistral as Dialect
from message_history_testing.model import pieces
from message_history_testing.openai_chat import OpenAIChat
from message_history_testing.provider import Body, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply

_FOLLOWS = {
    "start": {"system", "user"},
    "system": {"system", "user", "assistant"},
    "user": {"user", "system", "assistant"},
    "assistant": {"user", "assistant", "tool"},
    "tool": {"tool", "assistant"},
}


class Mistral(OpenAIChat):
    """Mistral's chat completions."""

    family = Dialect
    stops: ClassVar = {"end": "stop", "cut": "length", "refused": "error", "paused": "stop"}
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/mistral/v1/chat/completions$")

    def own_rules(self, body: Body, dialect: Any) -> str | None:
        messages = body["messages"]
        if not messages:
            return "Conversation must have at least one message"
        before = "start"
        called: list[str] = []
        answered: list[str] = []
        for message in messages:
            role = message["role"]
            if role != "tool" and before in ("tool", "assistant") and sorted(called) != sorted(answered):
                return "Not the same number of function calls and responses"
            steered = role == "user" and before == "tool" and not dialect.bridge
            if role not in _FOLLOWS[before] and not steered:
                return f"Unexpected role '{role}' after role '{before}'"
            if role == "tool":
                answered.append(message["tool_call_id"])
            else:
                called, answered = [call["id"] for call in message.get("tool_calls") or ()], []
            wrong = [id for id in called if not re.fullmatch(r"[a-zA-Z0-9]{9}", id)]
            if wrong:
                return f"Tool call id was {wrong[0]} but must be a-z, A-Z, 0-9, with a length of 9."
            if role == "assistant" and not message.get("content") and not called:
                return "Assistant message must have either content or tool_calls, but not none."
            before = role
        if sorted(called) != sorted(answered):
            return "Not the same number of function calls and responses"
        if before not in ("user", "tool"):
            return f"Expected last role User or Tool (or Assistant with prefix True) for serving but got {before}"
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {}, {"object": "error", "message": text, "type": "invalid_request_message_order", "code": "3230"}

    def response(self, reply: ModelReply, body: Body, _path: str) -> Body:
        content: str | list[Body] = reply.text
        if reply.thinking:
            content = [{"type": "thinking", "thinking": [{"type": "text", "text": reply.thinking}]}]
            content += [{"type": "text", "text": reply.text}] if reply.text else []
        calls = self._calls(reply)
        message = {"role": "assistant", "content": content, "tool_calls": calls or None, "prefix": False}
        choice = {"index": 0, "message": message, "finish_reason": self.stop(reply)}
        return {**_head(body, "chat.completion", self.reply_id("m")), "choices": [choice]}

    def _calls(self, reply: ModelReply) -> list[Body]:
        calls: list[Body] = [
            {"id": f"{number:09}", "function": {"name": name, "arguments": json.dumps(input)}, "index": index}
            for index, (number, (name, input)) in enumerate(zip(self.numbers(reply), reply.calls, strict=True))
        ]
        if reply.stop == "cut" and calls:
            arguments = calls[-1]["function"]["arguments"]
            calls[-1]["function"]["arguments"] = arguments[: len(arguments) // 2]
        return calls

    def events(self, reply: ModelReply, body: Body, _path: str) -> Iterable[bytes]:
        deltas: list[Body] = [{"role": "assistant", "content": ""}]
        deltas += [
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
            for piece in pieces(reply.thinking)
        ]
        deltas += [{"content": piece} for piece in pieces(reply.text)]
        calls = self._calls(reply)
        deltas.append({"content": "", "tool_calls": calls} if calls else {"content": ""})
        head = _head(body, "chat.completion.chunk", self.reply_id("m"))
        for number, delta in enumerate(deltas, 1):
            reason = self.stop(reply) if number == len(deltas) else None
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            yield sse({**head, "choices": [choice]})
        yield sse("[DONE]")


def _head(body: Body, kind: str, id: str) -> Body:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": id, "object": kind, "created": 1, "model": body["model"], "usage": usage}
