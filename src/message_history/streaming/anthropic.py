"""The stream of the Messages API: a message, its blocks one by one, and each block in pieces."""

from __future__ import annotations

from typing import Any, Final, final

from message_history.dialects.plain import as_mapping
from message_history.streaming.assembling import INTERRUPTED, Assembler, add_text, field_of, parsed, taken_apart, whole

__all__ = ["AnthropicReply"]

_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_WORDS: Final = {"text_delta": "text", "thinking_delta": "thinking", "compaction_delta": "content"}
"""The deltas that add to a text of their block, and the key of both."""


@final
class AnthropicReply(Assembler):
    """One message on its way in; the events that the SDK's helper makes of these are passed over."""

    def __init__(self) -> None:
        super().__init__()
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._stopped: set[int] = set()

    def take(self, event: object) -> None:
        """Take the next event; see `Assembler.take`."""
        kind = field_of(event, "type")
        if kind == "content_block_stop":
            self._stop(field_of(event, "index"))
        elif kind == "message_stop":
            self.finished = True
        elif kind == "message_start":
            self._start(taken_apart(field_of(event, "message")))
        elif kind == "content_block_start":
            self._blocks[field_of(event, "index")] = dict(taken_apart(field_of(event, "content_block")))
        elif kind == "content_block_delta":
            self._add(field_of(event, "index"), taken_apart(field_of(event, "delta")))
        elif kind == "message_delta":
            told = taken_apart(field_of(event, "delta"))
            self._message.update({key: value for key, value in told.items() if value is not None})

    def _start(self, message: Any) -> None:
        self._message = {key: value for key, value in message.items() if key != "content" and value is not None}
        for index, block in enumerate(message.get("content") or ()):
            self._blocks[index] = dict(as_mapping(block) or {})
            self._stopped.add(index)

    def _add(self, index: int, delta: Any) -> None:
        block = self._blocks.setdefault(index, {})
        kind = delta.get("type")
        if kind in _WORDS:
            add_text(block, _WORDS[kind], delta.get(_WORDS[kind]))
        elif kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(delta.get("partial_json") or "")
        elif kind == "signature_delta":
            block["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]

    def _stop(self, index: int) -> None:
        self._stopped.add(index)
        text = "".join(self._inputs.pop(index, ()))
        if text.strip():
            self._blocks[index]["input"] = parsed(text)

    def response(self) -> dict[str, Any] | None:
        """Give the message so far; see `Assembler.response`."""
        if not self._message and not self._blocks:
            return None
        message = {"type": "message", "role": "assistant", **self._message}
        content = []
        for index, block in sorted(whole(self._blocks).items()):
            kind = block.get("type")
            if index in self._stopped or self.finished:
                content.append(block)
            elif kind == "tool_use":
                content.append({**block, "input": "".join(self._inputs.get(index, ()))})
            elif kind not in _CALLS and (block.get("text") or block.get("thinking") or block.get("data")):
                content.append(block)
        if not self.finished and content and content[-1].get("type") == "tool_use":
            if not isinstance(content[-1].get("input"), dict):
                message["stop_reason"] = INTERRUPTED
        return {**message, "content": content} if content or self.finished else None
