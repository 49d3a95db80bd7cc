"""Write lists in the tagged form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from message_history import SystemBlock, TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects.kit import (
    PLACEHOLDER,
    Block,
    Changes,
    FrozenDict,
    is_blank,
    thaw_well_formed,
    well_formed,
)
from message_history_example.tagged.schema import TAGGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history import Message

Wire = dict[str, Any]


@final
class Writer:
    """Writes one message at a time."""

    def __init__(self) -> None:
        self.changes = Changes()

    def prompt(self, system: Sequence[SystemBlock]) -> list[Wire]:
        """Write the system prompt: one entry."""
        for block in system:
            self._record_keys(block)
        return [{"speaker": "SYSTEM", "text": self._text("\n\n".join(block.text for block in system))}]

    def message(self, message: Message) -> list[Wire]:
        """Write a message: one entry."""
        wire: Wire = {"speaker": "AI" if message.role == "assistant" else "TOOL" if message.results else "USER"}
        texts: list[str] = []
        for block in message.content:
            self._record_keys(block)
            if isinstance(block, ToolUseBlock):
                wire.setdefault("actions", []).append(self._action(block))
            elif isinstance(block, ToolResultBlock):
                outcome = {"key": self._text(block.tool_use_id), "gave": self._gave(block)}
                wire.setdefault("outcomes", []).append(outcome)
            else:
                texts += self._words(block)
        if texts:
            wire["text"] = "\n\n".join(texts)
        if wire.keys() == {"speaker"}:
            self.changes.added("a message of which nothing could be sent")
            wire["text"] = PLACEHOLDER
        return [wire]

    def _words(self, block: Block) -> list[str]:
        if isinstance(block, TextBlock) and not is_blank(block.text):
            return [self._text(block.text)]
        if isinstance(block, SystemBlock):
            self.changes.rewritten("a later system message as marked text of the user's turn", block)
            return [self._text(f"<system>\n{block.text}\n</system>")]
        self.changes.omitted(block, "this form holds text, calls and results only")
        return []

    def _action(self, block: ToolUseBlock) -> Wire:
        args = thaw_well_formed(block.frozen_input, self.changes) if block.readable else block.arguments or ""
        return {"key": self._text(block.id), "do": self._text(block.name), "with": args}

    def _gave(self, block: ToolResultBlock) -> str:
        texts = []
        for part in block.content:
            if isinstance(part, TextBlock):
                texts.append(self._text(part.text))
            else:
                self.changes.omitted(part, "a result holds text only")
        if block.is_error and not block.is_stub:
            self.changes.rewritten("a result's error flag, for which there is no place", block)
        return "\n".join(texts)

    def _record_keys(self, block: Block) -> None:
        for keys in (block.carried(TAGGED), block.extra(TAGGED)):
            if isinstance(keys, FrozenDict) and keys:
                self.changes.omitted(keys, "this form has no place for these keys")

    def _text(self, text: str) -> str:
        return well_formed(text, self.changes)
