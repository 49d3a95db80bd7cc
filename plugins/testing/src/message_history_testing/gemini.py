"""generateContent of the Gemini Developer API: the first call of each step is signed."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import Gemini as Dialect
from message_history_testing.model import ModelRequest, pieces, sign
from message_history_testing.provider import Body, Provider, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply

_STOPS = {"end": "STOP", "cut": "MAX_TOKENS", "refused": "SAFETY", "paused": "STOP"}
_BYPASSES = (b"skip_thought_signature_validator", b"context_engineering_is_the_way_to_go")


class Gemini(Provider):
    """The Gemini Developer API."""

    family = Dialect
    list_key = "contents"
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/gemini/v1(beta)?/models/[^/:]+:(stream)?[gG]enerateContent$")

    def streams(self, path: str, _body: Body) -> bool:
        return path.endswith(":streamGenerateContent")

    def model(self, path: str, _body: Body) -> str:
        return _model(path)

    def own_rules(self, body: Body, dialect: Any) -> str | None:
        contents = body["contents"]
        if not contents:
            return "contents are required."
        before, called = "", 0
        for n, content in enumerate(contents):
            role, parts = content.get("role", "user"), content.get("parts") or []
            if not parts:
                return f"* GenerateContentRequest.contents[{n}].parts: contents.parts must not be empty."
            calls = [part for part in parts if "functionCall" in part]
            results = [part for part in parts if "functionResponse" in part]
            if calls and before != "user":
                return (
                    "Please ensure that function call turn comes immediately after a user turn or after a function "
                    "response turn."
                )
            if results and not called:
                return "Please ensure that function response turn comes immediately after a function call turn."
            if len(results) != called:
                return (
                    "Please ensure that the number of function response parts is equal to the number of function call "
                    "parts of the function call turn."
                )
            for m, part in enumerate(parts):
                found = _signature(n, m, part)
                if found is not None:
                    return found
            before, called = role, len(calls)
        if before == "model" and not dialect.prefill:
            return "Requests ending with a model turn are not supported unless the last part is a function response."
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {}, {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}

    def request(self, body: Body) -> ModelRequest:
        return ModelRequest(sum("functionCall" in part for content in body["contents"] for part in content["parts"]))

    def response(self, reply: ModelReply, _body: Body, path: str) -> Body:
        return _response(_model(path), self._parts(reply), _STOPS[reply.stop])

    def _parts(self, reply: ModelReply) -> list[Body]:
        parts: list[Body] = [{"text": reply.thinking, "thought": True}] if reply.thinking else []
        parts += [{"text": reply.text}] if reply.text else []
        if reply.stop == "end":
            for position, (number, (name, input)) in enumerate(zip(self.numbers(reply), reply.calls, strict=True)):
                part: Body = {"functionCall": {"id": f"call-{number}", "name": name, "args": input}}
                parts.append({**part, "thoughtSignature": sign(name, input)} if position == 0 else part)
        return parts

    def events(self, reply: ModelReply, _body: Body, path: str) -> Iterable[bytes]:
        chunks: list[list[Body]] = []
        for part in self._parts(reply):
            texts = pieces(part["text"]) if "text" in part else []
            chunks += [[{**part, "text": piece}] for piece in texts] or [[part]]
        for number, parts in enumerate(chunks, 1):
            yield sse(_response(_model(path), parts, _STOPS[reply.stop] if number == len(chunks) else None))


def _signature(n: int, m: int, part: Body) -> str | None:
    """Know a call again by its signature."""
    if "thoughtSignature" not in part or "functionCall" not in part:
        return None
    signature = part["thoughtSignature"].replace("-", "+").replace("_", "/")
    call = part["functionCall"]
    if base64.b64decode(signature) in _BYPASSES or signature == sign(call["name"], call.get("args", {})):
        return None
    return f"Corrupted thought signature. (contents[{n}].parts[{m}])"


def _model(path: str) -> str:
    return path.rpartition("/")[2].partition(":")[0]


def _response(model: str, parts: list[Body], reason: str | None) -> Body:
    candidate: Body = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "modelVersion": model, "responseId": "r1", "usageMetadata": usage}
