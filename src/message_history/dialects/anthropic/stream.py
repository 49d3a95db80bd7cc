"""The stream of the Messages API: a message, its blocks one by one, and each block in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    INTERRUPTED,
    Assembler,
    add_text,
    field_of,
    joined,
    other_fields,
    parsed,
    place_of,
    taken_apart,
    text_piece,
    whole,
)
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.truncated import is_truncated

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final = {"text_delta": "text", "thinking_delta": "thinking", "compaction_delta": "content"}
"""The deltas that add to a text of their block, and the key of both."""

_OF_DELTAS: Final = frozenset({"type", "delta", "usage"})
"""The fields of a `message_delta` that are not fields of the message, or are joined to them."""


@final
class Stream(Assembler):
    """One message on its way in; the events that the SDK's helper makes of these are passed over."""

    def __init__(self) -> None:
        super().__init__()
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._stopped: set[int] = set()

    def take(self, event: object) -> None:
        kind = field_of(event, "type")
        if kind == "content_block_stop":
            self._stopped.add(self._place(event))
        elif kind == "message_stop":
            self.finished = True
        elif kind == "message_start":
            self._start(taken_apart(field_of(event, "message")))
        elif kind == "content_block_start":
            self._open(self._place(event, starts=True), taken_apart(field_of(event, "content_block")))
        elif kind == "content_block_delta":
            self._add(self._place(event), taken_apart(field_of(event, "delta")))
        elif kind == "message_delta":
            fields = taken_apart(field_of(event, "delta"))
            self._message.update({key: value for key, value in fields.items() if value is not None})
            self._message.update(other_fields(event, _OF_DELTAS))
            usage = as_mapping(field_of(event, "usage"))
            if usage is not None:
                self._message["usage"] = {**(as_mapping(self._message.get("usage")) or {}), **_without_none(usage)}

    def _place(self, event: object, *, starts: bool = False) -> int:
        return place_of(field_of(event, "index"), self._blocks, starts=starts)

    def _start(self, message: Any) -> None:
        self._message = {key: value for key, value in message.items() if key != "content" and value is not None}
        for index, block in enumerate(as_sequence(message.get("content")) or ()):
            self._blocks[index] = dict(as_mapping(block) or {})
            self._stopped.add(index)

    def _open(self, index: int, block: Mapping[Any, Any]) -> None:
        self._blocks[index] = dict(block)
        self._inputs.pop(index, None)
        self._stopped.discard(index)

    def _add(self, index: int, delta: Any) -> None:
        block = self._blocks.setdefault(index, {})
        kind = text_piece(delta.get("type"))
        if kind in _WORDS:
            add_text(block, _WORDS[kind], delta.get(_WORDS[kind]))
        elif kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(text_piece(delta.get("partial_json")))
        elif kind == "signature_delta":
            block["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            block["citations"] = [*(as_sequence(block.get("citations")) or ()), delta.get("citation")]

    def response(self) -> dict[str, Any] | None:
        """Return the message so far; see `Assembler.response`. Half a call goes last: what follows one is whole."""
        if not self._message and not self._blocks:
            return None
        message = {**self._message, "type": "message", "role": "assistant"}
        content: list[dict[str, Any]] = []
        half: list[dict[str, Any]] = []
        for index, block in sorted(whole(self._blocks).items()):
            stopped, text = index in self._stopped, joined(self._inputs.get(index, ()))
            if stopped or self.finished:
                held = {"input": parsed(text)} if text.strip() else {}
            elif str(block.get("type")).endswith("tool_use"):
                held = {"input": text}
            elif block.get("text") or block.get("thinking") or block.get("data"):
                held = {}
            else:
                continue
            is_half = isinstance(held.get("input"), str) and not (stopped and self.finished)
            (half if is_half else content).append({**block, **held})
        if half and not is_truncated(message):
            message["stop_reason"] = INTERRUPTED
        content += half
        return {**message, "content": content} if content or self.finished else None


def _without_none(usage: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in usage.items() if value is not None}
