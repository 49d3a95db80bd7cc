"""The stream of Converse: blocks one by one, each in pieces; text and reasoning begin without being announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    INTERRUPTED,
    Assembler,
    add_text,
    field_of,
    joined,
    mappings,
    parsed,
    place_of,
    taken_apart,
    text_piece,
    whole,
)
from message_history.dialects._shared.truncated import is_truncated

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASONING: Final = "reasoningContent"


@final
class Stream(Assembler):
    """One message on its way in."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._stopped: set[int] = set()
        self._fields: dict[str, Any] = {}

    def take(self, event: object) -> None:
        data = taken_apart(event)
        if "contentBlockDelta" in data:
            piece = taken_apart(data["contentBlockDelta"])
            self._add(self._place(piece), taken_apart(piece.get("delta")))
        elif "contentBlockStart" in data:
            start = taken_apart(data["contentBlockStart"])
            block = {key: dict(taken_apart(value)) for key, value in taken_apart(start.get("start")).items()}
            self._open(self._place(start, starts=True), block)
        elif "contentBlockStop" in data:
            self._stopped.add(self._place(data["contentBlockStop"]))
        elif "messageStop" in data:
            fields = taken_apart(data["messageStop"])
            self._fields.update({key: value for key, value in fields.items() if value is not None})
            self.finished = True
        elif "metadata" in data:
            fields = taken_apart(data["metadata"])
            self._fields.update({key: value for key, value in fields.items() if value is not None})

    def _place(self, event: object, *, starts: bool = False) -> int:
        return place_of(field_of(event, "contentBlockIndex"), self._blocks, starts=starts)

    def _open(self, index: int, block: dict[str, Any]) -> None:
        self._blocks[index] = block
        self._inputs.pop(index, None)
        self._stopped.discard(index)

    def _add(self, index: int, delta: Mapping[Any, Any]) -> None:
        block = self._blocks.setdefault(index, {})
        for kind, piece in delta.items():
            if kind == "text":
                add_text(block, "text", piece)
            elif kind == "toolUse":
                self._inputs.setdefault(index, []).append(text_piece(field_of(piece, "input")))
            elif kind == _REASONING:
                self._reason(block, taken_apart(piece))
            elif kind == "citation":
                block["citations"] = [*block.get("citations", ()), dict(taken_apart(piece))]
            elif kind == "toolResult":
                result = block.setdefault("toolResult", {})
                result["content"] = [*result.get("content", ()), *map(dict, mappings(piece))]
            elif isinstance(block.get(kind), dict):
                block[kind].update(taken_apart(piece))

    def _reason(self, block: dict[str, Any], piece: Mapping[Any, Any]) -> None:
        reasoning = block.setdefault(_REASONING, {})
        if piece.get("redactedContent"):
            before = reasoning.get("redactedContent")
            reasoning["redactedContent"] = (
                piece["redactedContent"] if before is None else before + piece["redactedContent"]
            )
        for key in ("text", "signature"):
            if piece.get(key):
                add_text(reasoning.setdefault("reasoningText", {"text": ""}), key, piece[key])

    def response(self) -> dict[str, Any] | None:
        """Return the response so far; see `Assembler.response`. Half a call goes last: what follows one is whole."""
        fields = dict(self._fields)
        content: list[dict[str, Any]] = []
        half: list[dict[str, Any]] = []
        for index, block in sorted(whole(self._blocks).items()):
            stopped, text = index in self._stopped, joined(self._inputs.get(index, ()))
            ended = stopped or self.finished
            if "toolUse" in block:
                input = (parsed(text) if text.strip() else {}) if ended else text
                is_half = isinstance(input, str) and not (stopped and self.finished)
                (half if is_half else content).append({"toolUse": {**block["toolUse"], "input": input}})
            elif ended or "text" in block or _REASONING in block:
                content.append(_block(block))
        if half and not is_truncated(fields):
            fields["stopReason"] = INTERRUPTED
        content += half
        if not content and not self.finished:
            return None
        return {"output": {"message": {"role": "assistant", "content": content}}, **fields}


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block as a response has it: text with citations is a block of its own kind."""
    if "citations" in block:
        return {"citationsContent": {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}}
    return {**block} if block else {"text": ""}
