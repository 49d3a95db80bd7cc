"""The stream of Converse: blocks one by one, each in pieces; words and reasoning begin without being announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.streaming.assembling import (
    INTERRUPTED,
    Assembler,
    add_text,
    field_of,
    mappings,
    parsed,
    taken_apart,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ConverseReply"]

_REASONING: Final = "reasoningContent"


@final
class ConverseReply(Assembler):
    """One message on its way in."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._stopped: set[int] = set()
        self._told: dict[str, Any] = {}

    def take(self, event: object) -> None:
        """Take the next event; see `Assembler.take`."""
        data = taken_apart(event)
        if "contentBlockDelta" in data:
            piece = taken_apart(data["contentBlockDelta"])
            self._add(piece.get("contentBlockIndex", 0), taken_apart(piece.get("delta")))
        elif "contentBlockStart" in data:
            start = taken_apart(data["contentBlockStart"])
            block = {key: dict(taken_apart(value)) for key, value in taken_apart(start.get("start")).items()}
            self._blocks[start.get("contentBlockIndex", 0)] = block
        elif "contentBlockStop" in data:
            self._stop(field_of(data["contentBlockStop"], "contentBlockIndex") or 0)
        elif "messageStop" in data:
            told = taken_apart(data["messageStop"])
            self._told = {key: value for key, value in told.items() if value is not None}
            self.finished = True

    def _add(self, index: int, delta: Mapping[Any, Any]) -> None:
        block = self._blocks.setdefault(index, {})
        for kind, piece in delta.items():
            if kind == "text":
                add_text(block, "text", piece)
            elif kind == "toolUse":
                self._inputs.setdefault(index, []).append(field_of(piece, "input") or "")
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

    def _stop(self, index: int) -> None:
        self._stopped.add(index)
        block = self._blocks.get(index, {})
        text = "".join(self._inputs.pop(index, ()))
        if "toolUse" in block:
            block["toolUse"] = {**block["toolUse"], "input": parsed(text) if text.strip() else {}}

    def response(self) -> dict[str, Any] | None:
        """Give the response so far; see `Assembler.response`."""
        told = dict(self._told)
        content = []
        for index, block in sorted(whole(self._blocks).items()):
            if index in self._stopped or self.finished:
                content.append(_block(block))
            elif "toolUse" in block:
                if not block["toolUse"].get("type"):
                    content.append({"toolUse": {**block["toolUse"], "input": "".join(self._inputs.get(index, ()))}})
            elif "text" in block or _REASONING in block:
                content.append(_block(block))
        if not content and not self.finished:
            return None
        if not self.finished and not isinstance(content[-1].get("toolUse", {}).get("input", {}), dict):
            told["stopReason"] = INTERRUPTED
        return {"output": {"message": {"role": "assistant", "content": content}}, **told}


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    """Give a block as a response has it: words with citations are a block of their own kind."""
    if "citations" in block:
        return {"citationsContent": {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}}
    return {**block} if block else {"text": ""}
