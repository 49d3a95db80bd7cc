"""The Messages API. Thinking is signed together with all that came before it, and is refused when that has changed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from message_history.dialects import Anthropic as Dialect
from message_history_testing.model import ModelRequest, pieces, sign
from message_history_testing.provider import Body, Provider, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history_testing.model import ModelReply


class Anthropic(Provider):
    """The Messages API."""

    family = Dialect
    stops_to_call: ClassVar = "tool_use"
    stops: ClassVar = {"end": "end_turn", "cut": "max_tokens", "refused": "refusal", "paused": "pause_turn"}
    path: ClassVar[re.Pattern[str]] = re.compile(r"^/anthropic/v1/messages$")

    def own_rules(self, body: Body, dialect: Any) -> str | None:
        messages = combined(body["messages"])
        body = {**body, "messages": messages}
        if not messages:
            return "messages: at least one message is required"
        if messages[0]["role"] != "user" and not dialect.leading_assistant:
            return 'messages: first message must use the "user" role'
        for n, message in enumerate(messages):
            content = message["content"]
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            found = self._message(n, blocks, messages) or self._thinking(n, blocks, body, dialect)
            if found is not None:
                return found
        if messages[-1]["role"] == "assistant" and not dialect.prefill and _waiting(messages[-1]) is None:
            return (
                "This model does not support assistant message prefill. The conversation must end with a user message."
            )
        return None

    def _message(self, n: int, blocks: list[Body], messages: list[Body]) -> str | None:
        if not blocks:
            return (
                f"messages.{n}: all messages must have non-empty content except for the optional final assistant "
                "message"
            )
        if any(block["type"] == "text" and not block["text"] for block in blocks):
            return "messages: text content blocks must be non-empty"
        if all(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return "messages: text content blocks must contain non-whitespace text"
        called = _ids(messages[n - 1], "tool_use", "id") if n else []
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        for m, block in enumerate(blocks):
            if block["type"] == "tool_result" and block["tool_use_id"] not in called:
                return (
                    f"messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message."
                )
        missing = [id for id in called if id not in answered]
        if missing or (called and any(block["type"] != "tool_result" for block in blocks[: len(called)])):
            return (
                f"messages.{n - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing or called)}. Each `tool_use` block must have a corresponding `tool_result` block "
                "in the next message."
            )
        return None

    def _thinking(self, n: int, blocks: list[Body], body: Body, dialect: Any) -> str | None:
        """Verify thinking: it must be as it was sent; for some models, so must all that came before it."""
        for m, block in enumerate(blocks):
            if block["type"] != "thinking":
                continue
            before = [body["messages"][:n]]
            before += [[*before[0], {"role": "assistant", "content": blocks[:k]}] for k in range(1, m + 1)]
            if block.get("signature") not in [_signature(body, each, block, dialect) for each in before]:
                return (
                    f"messages.{n}.content.{m}: Invalid `signature` in `thinking` block. The block is bound to a "
                    "different conversation."
                )
        return None

    def error(self, text: str) -> tuple[dict[str, str], Body]:
        return {}, {"type": "error", "error": {"type": "invalid_request_error", "message": text}, "request_id": "req_1"}

    def request(self, body: Body) -> ModelRequest:
        calls = sum(len(_ids(message, "tool_use", "id")) for message in body["messages"])
        return ModelRequest(calls, paused=body["messages"][-1]["role"] == "assistant")

    def response(self, reply: ModelReply, body: Body, _path: str) -> Body:
        blocks = self._blocks(reply, body)
        if reply.stop == "cut" and reply.calls:
            blocks[-1]["input"] = {}
        return {**self._head(body), "content": blocks, "stop_reason": self.stop(reply), "stop_sequence": None}

    def _blocks(self, reply: ModelReply, body: Body) -> list[Body]:
        blocks: list[Body] = []
        waiting = _waiting(body["messages"][-1])
        if waiting is not None:
            blocks.append(_found(waiting))
        if reply.thinking:
            thinking = {"type": "thinking", "thinking": reply.thinking}
            # In a turn that goes on, what the model wrote in it already comes before.
            signature = _signature(body, combined(body["messages"]), thinking, Dialect.for_model(body["model"]))
            blocks.append({**thinking, "signature": signature})
        if reply.text:
            blocks.append({"type": "text", "text": reply.text})
        if reply.search:
            self.calls += 1
            id = f"srvtoolu_{self.calls:04}"
            blocks.append({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "weather"}})
            if reply.stop != "paused":
                blocks.append(_found(id))
        for number, (name, input) in zip(self.numbers(reply), reply.calls, strict=True):
            blocks.append({"type": "tool_use", "id": f"toolu_{number:04}", "name": name, "input": input})
        return blocks

    def events(self, reply: ModelReply, body: Body, _path: str) -> Iterable[bytes]:
        head = {**self._head(body), "content": [], "stop_reason": None, "stop_sequence": None}
        yield _event("message_start", message=head)
        yield _event("ping")
        blocks = self._blocks(reply, body)
        for index, block in enumerate(blocks):
            start, deltas = _streamed(block, cut=reply.stop == "cut" and block is blocks[-1])
            yield _event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        fields = {"stop_reason": self.stop(reply), "stop_sequence": None}
        yield _event("message_delta", delta=fields, usage={"output_tokens": 9})
        yield _event("message_stop")

    def _head(self, body: Body) -> Body:
        usage = {"input_tokens": 1, "output_tokens": 1}
        head = {"id": self.reply_id("msg_"), "type": "message", "role": "assistant"}
        return {**head, "model": body["model"], "usage": usage}


def _streamed(block: Body, *, cut: bool) -> tuple[Body, list[Body]]:
    """Return a block as it starts, and what is added to it."""
    kind = block["type"]
    if kind == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    if kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    if kind in ("tool_use", "server_tool_use"):
        text = json.dumps(block["input"]) if block["input"] else ""
        text = text[: len(text) // 2] if cut else text
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(text)]
    return block, []


def _signature(body: Body, before: list[Body], block: Body, dialect: Any) -> str:
    return sign((body.get("system"), before) if dialect.binds_thinking else None, block["thinking"])


def _event(kind: str, **data: Any) -> bytes:
    return sse({"type": kind, **data}, kind)


def _ids(message: Body, kind: str, key: str) -> list[str]:
    content = message["content"]
    return [block[key] for block in content if block["type"] == kind] if isinstance(content, list) else []


def combined(messages: list[Body]) -> list[Body]:
    """Combine consecutive turns of one role into one, as the API does."""
    found: list[Body] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1] = {**found[-1], "content": [*_blocks_of(found[-1]), *_blocks_of(message)]}
        else:
            found.append(message)
    return found


def _blocks_of(message: Body) -> list[Body]:
    content = message["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _waiting(message: Body) -> str | None:
    """Return the id of the server's own call that a paused turn ends with."""
    used, found = _ids(message, "server_tool_use", "id"), _ids(message, "web_search_tool_result", "tool_use_id")
    return next((id for id in used if id not in found), None)


def _found(id: str) -> Body:
    page = {"type": "web_search_result", "url": "https://example.org", "title": "E", "encrypted_content": "ZQ=="}
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": [{**page, "page_age": None}]}
