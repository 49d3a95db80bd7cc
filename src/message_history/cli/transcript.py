"""A history as lines to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from message_history.cli.printing import repair_line, visible
from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.repairs import in_words
from message_history.core.values.json_values import json_text, thaw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.repairs import Repair
    from message_history.files.files import SavedFile
    from message_history.history import MessageHistory

LONG: Final = 2_000
"""Texts longer than this are cut."""
LONG_SOURCE: Final = 200
"""Parts of an image's or a document's source longer than this are not shown."""
ROLE_STYLES: Final = {"user": "bold green", "assistant": "bold blue", "system": "bold magenta"}


def transcript(
    history: MessageHistory, repairs: Sequence[Repair], file: SavedFile, *, full: bool = False
) -> Iterator[Text]:
    """Yield a history as lines, with each repair where it happened, by the file's entries."""
    waiting = sorted(repairs, key=lambda repair: repair.index)
    if history.system is not None:
        yield Text("system", ROLE_STYLES["system"])
        yield from _indented(history.system, 2, full=full)
    done = 0
    for index, message in enumerate(history):
        yield Text.assemble((message.role, ROLE_STYLES[message.role]), (f" [{index}]", "dim"))
        while done < len(waiting) and waiting[done].index <= index:
            yield repair_line(waiting[done], file, "  ! ")
            done += 1
        for block in message.content:
            yield from _block(block, full=full)
    if done < len(waiting):
        yield Text("end", "dim")
    for repair in waiting[done:]:
        yield repair_line(repair, file, "  ! ")


def _block(block: Block, *, full: bool, indent: int = 2) -> Iterator[Text]:
    mark = block.mark
    marked = f" (made: {mark.kind})" if mark is not None and mark.kind != "renamed" else ""
    if isinstance(block, TextBlock):
        if marked:
            yield _heading("text", "", marked, "yellow", indent)
        yield from _indented(block.text, indent + (2 if marked else 0), full=full)
    elif isinstance(block, ToolUseBlock):
        yield _heading("call", f"{block.id} {block.name}", marked, "cyan", indent)
        yield from _indented(json_text(thaw(block.frozen_input)), indent + 2, full=full)
    elif isinstance(block, ToolResultBlock):
        kind, style = ("error result", "red") if block.is_error else ("result", "cyan")
        yield _heading(kind, block.tool_use_id, marked, "yellow" if marked else style, indent)
        for part in block.content:
            yield from _block(part, full=full, indent=indent + 2)
    elif isinstance(block, ThinkingBlock):
        yield _heading("thinking", "" if block.bound else "(invalidated)", marked, "dim", indent)
        yield from _indented(block.thinking, indent + 2, "dim italic", full=full)
    elif isinstance(block, SystemBlock):
        yield _heading("system", "", marked, ROLE_STYLES["system"], indent)
        yield from _indented(block.text, indent + 2, full=full)
    elif isinstance(block, RedactedThinkingBlock):
        yield _heading("thinking", "(encrypted)", marked, "dim", indent)
    elif isinstance(block, ImageBlock):
        yield _heading("image", _source(block.source), marked, "magenta", indent)
    elif isinstance(block, DocumentBlock):
        title = f"{block.title!r} " if block.title is not None else ""
        yield _heading("document", f"{title}{_source(block.source)}", marked, "magenta", indent)
    else:
        yield _heading("block", in_words(block), marked, "magenta", indent)
        if isinstance(block, ProviderBlock):
            yield from _indented(json_text(thaw(block.data)), indent + 2, full=full)


def _source(source: Mapping[str, Any]) -> str:
    """Say where an image or a document is; what is inside the message is only measured."""
    values = (value if isinstance(value, str) else json_text(thaw(value)) for value in source.values())
    return " ".join(value if len(value) <= LONG_SOURCE else f"({len(value):,} characters)" for value in values)


def _heading(kind: str, what: str, marked: str, style: str, indent: int) -> Text:
    return Text.assemble(" " * indent, (kind, style), visible(f" {what}" if what else ""), (marked, "yellow"))


def _indented(text: str, indent: int, style: str = "", *, full: bool) -> Iterator[Text]:
    shown = text if full else text[:LONG]
    for line in shown.split("\n"):
        yield Text(" " * indent + visible(line.expandtabs(4)), style)
    if len(shown) < len(text):
        yield Text(f"{' ' * indent}... {len(text) - len(shown):,} more characters; --full shows them", "dim")
