"""Converse of Amazon Bedrock, whose streams are binary."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import Bedrock as Dialect
from message_history_testing.model import ModelRequest, pieces, sign
from message_history_testing.provider import Body, Provider

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply

_USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}


class Bedrock(Provider):
    """Converse, and ConverseStream."""

    family = Dialect
    stops_to_call: ClassVar = "tool_use"
    stops: ClassVar = {"end": "end_turn", "cut": "max_tokens", "refused": "content_filtered", "paused": "end_turn"}
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/bedrock/model/[^/]+/converse(-stream)?$")
    stream_type: ClassVar[str] = "application/vnd.amazon.eventstream"

    def streams(self, path: str, _body: Body) -> bool:
        return path.endswith("/converse-stream")

    def model(self, path: str, _body: Body) -> str:
        return path.split("/")[3]

    def wire(self, body: Body) -> list[Any]:
        """Return the messages as boto3 was given them: with bytes."""
        messages: list[Any] = json.loads(json.dumps(body["messages"]))
        for message in messages:
            for block in message["content"]:
                reasoning = block.get("reasoningContent", {})
                if "redactedContent" in reasoning:
                    reasoning["redactedContent"] = base64.b64decode(reasoning["redactedContent"])
        return messages

    def own_rules(self, body: Body, dialect: Any) -> str | None:
        messages = body["messages"]
        if not messages or messages[0]["role"] != "user":
            return (
                "A conversation must start with a user message. Try again with a conversation that starts with a user "
                "message."
            )
        called: list[str] = []
        for n, message in enumerate(messages):
            blocks = message["content"]
            if n and message["role"] == messages[n - 1]["role"]:
                return (
                    "A conversation must alternate between user and assistant roles. Make sure the conversation "
                    "alternates between user and assistant roles and try again."
                )
            if not blocks:
                return (
                    f"The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to "
                    "the content field and try again."
                )
            for m, block in enumerate(blocks):
                if "text" in block and not block["text"].strip():
                    return (
                        f"The text field in the ContentBlock object at messages.{n}.content.{m} is blank. Add text to "
                        "the text field, and try again."
                    )
            answered = [block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block]
            if missing := [id for id in called if id not in answered]:
                return f"Expected toolResult blocks at messages.{n}.content for the following Ids: {', '.join(missing)}"
            if len(answered) > len(called):
                return (
                    f"The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of "
                    "previous turn."
                )
            called = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
            if (called or answered) and "toolConfig" not in body:
                return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
            found = _reasoning(n, blocks, body, dialect)
            if found is not None:
                return found
        if messages[-1]["role"] == "assistant" and not dialect.prefill:
            return (
                "This model does not support assistant message prefill. The conversation must end with a user message."
            )
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {"x-amzn-ErrorType": "ValidationException"}, {"message": text}

    def request(self, body: Body) -> ModelRequest:
        return ModelRequest(sum("toolUse" in block for message in body["messages"] for block in message["content"]))

    def response(self, reply: ModelReply, body: Body, path: str) -> Body:
        blocks = self._blocks(reply, body, self.dialect(path, body))
        if reply.stop == "cut" and reply.calls:
            blocks[-1]["toolUse"]["input"] = {}
        message = {"role": "assistant", "content": blocks}
        return {
            "output": {"message": message},
            "stopReason": self.stop(reply),
            "usage": _USAGE,
            "metrics": {"latencyMs": 1},
        }

    def _blocks(self, reply: ModelReply, body: Body, dialect: Any) -> list[Body]:
        blocks: list[Body] = []
        if reply.thinking:
            signature = _signature(body, body["messages"], reply.thinking, dialect)
            text = {"text": reply.thinking, "signature": signature}
            blocks.append({"reasoningContent": {"reasoningText": text}})
        if reply.text:
            blocks.append({"text": reply.text})
        for number, (name, input) in zip(self.numbers(reply), reply.calls, strict=True):
            blocks.append({"toolUse": {"toolUseId": f"tooluse_{number}", "name": name, "input": input}})
        return blocks

    def events(self, reply: ModelReply, body: Body, path: str) -> Iterable[bytes]:
        yield _framed("messageStart", {"role": "assistant"})
        blocks = self._blocks(reply, body, self.dialect(path, body))
        for index, block in enumerate(blocks):
            if "toolUse" in block:
                use = {key: value for key, value in block["toolUse"].items() if key != "input"}
                yield _framed("contentBlockStart", {"contentBlockIndex": index, "start": {"toolUse": use}})
            for delta in _deltas(block, cut=reply.stop == "cut" and block is blocks[-1]):
                yield _framed("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
            yield _framed("contentBlockStop", {"contentBlockIndex": index})
        yield _framed("messageStop", {"stopReason": self.stop(reply)})
        yield _framed("metadata", {"usage": _USAGE, "metrics": {"latencyMs": 1}})


def _signature(body: Body, before: list[Body], text: str, dialect: Any) -> str:
    return sign((body.get("system"), before) if dialect.binds_thinking else None, text)


def _reasoning(n: int, blocks: list[Body], body: Body, dialect: Any) -> str | None:
    """Verify reasoning: it must be as it was sent; for some models, so must all that came before it."""
    for m, block in enumerate(blocks):
        text = block.get("reasoningContent", {}).get("reasoningText")
        signature = _signature(body, body["messages"][:n], text["text"], dialect) if text is not None else None
        if text is not None and text.get("signature") != signature:
            return f"messages.{n}.content.{m}: Invalid `signature` in `thinking` block"
    return None


def _deltas(block: Body, *, cut: bool) -> list[Body]:
    if "text" in block:
        return [{"text": piece} for piece in pieces(block["text"])]
    if "toolUse" in block:
        text = json.dumps(block["toolUse"]["input"]) if block["toolUse"]["input"] else ""
        text = text[: len(text) // 2] if cut else text
        return [{"toolUse": {"input": piece}} for piece in pieces(text)]
    text = block["reasoningContent"]["reasoningText"]
    deltas: list[Body] = [{"reasoningContent": {"text": piece}} for piece in pieces(text["text"])]
    return [*deltas, {"reasoningContent": {"signature": text["signature"]}}]


def _framed(kind: str, data: Body) -> bytes:
    """Write one event as Amazon's event streams have it: lengths, headers, payload, checksums."""
    headers = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in (
            (":event-type", kind),
            (":content-type", "application/json"),
            (":message-type", "event"),
        )
    )
    payload = json.dumps(data).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack("!I", binascii.crc32(prelude)) + headers + payload
    return message + struct.pack("!I", binascii.crc32(message))
