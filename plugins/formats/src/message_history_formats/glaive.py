"""Glaive's data set of calls, version 2: a chat as one text, with the names of its speakers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Format,
    call,
    item_fit,
    json_of,
    result,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_SPEAKER: Final = re.compile(r"(?:^|\n+)(USER|ASSISTANT|FUNCTION RESPONSE): ?")
_CALL: Final = re.compile(r"<functioncall>\s*(\{.*\})\s*$", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"""("arguments"\s*:\s*)'(.*)'(\s*\})\s*$""", re.DOTALL)
_END: Final = "<|endoftext|>"
_SYSTEM: Final = "SYSTEM: "


def _is_row(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("chat"), str) and isinstance(item.get("system"), str) and len(_turns(item["chat"])) > 1


def _turns(chat: str) -> list[tuple[str, str]]:
    parts = _SPEAKER.split(chat)
    return list(zip(parts[1::2], parts[2::2], strict=True)) if not parts[0].strip() else []


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_row(item):
            collector.note(n, "an item that is not a chat", item)
            continue
        if item["system"].strip():
            collector.add(n, {"role": "system", "content": item["system"].strip().removeprefix(_SYSTEM)})
        _add_turns(collector, n, item["chat"])
        found.add(collector.conversation(BLOCKS, label=f"item {n}" if found else "", id=item.get("id")))
    return found.reading()


def _add_turns(collector: Collector, n: int, chat: str) -> None:
    open_id, made = "", 0
    for speaker, written in _turns(chat):
        words = written.replace(_END, "").strip()
        asked = _asked(words) if speaker == "ASSISTANT" else None
        if speaker == "USER":
            collector.add_blocks(n, "user", text(words))
        elif speaker != "ASSISTANT":
            collector.add_blocks(n, "user", [result(open_id, words)])
        elif asked is not None:
            made += 1
            open_id = f"call_{made}"
            before = text(words[: words.index("<functioncall>")].strip())
            collector.add_blocks(n, "assistant", [*before, call(open_id, asked["name"], asked.get("arguments"))])
        else:
            collector.add_blocks(n, "assistant", text(words))


def _asked(words: str) -> Any:
    """Read a call, whose arguments are JSON text between single quotes; None for any other text."""
    found = _CALL.search(words)
    written = found[1] if found is not None else ""
    quoted = _ARGUMENTS.search(written)
    if quoted is not None:
        written = f"{written[: quoted.start()]}{quoted[1]}{quoted[2]}{quoted[3]}"
    # An apostrophe in it may be escaped, as Python writes it and JSON does not.
    asked = (json_of(written) or json_of(written.replace("\\'", "'"))) if written else None
    return asked if isinstance(asked, dict) and isinstance(asked.get("name"), str) else None


GLAIVE: Final = Format(
    name="glaive",
    rank=990,
    title="Glaive's data set of calls, version 2 (`system` and `chat`)",
    files="data sets: a JSON list, or a row in each line",
    omits="nothing; ids are given to calls, and tools stay in the system prompt, where they are described",
    unwritten=DATA_SET,
    source="huggingface.co: glaiveai/glaive-function-calling-v2",
    checked="2026-11-23",
    fit=item_fit(_is_row),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
