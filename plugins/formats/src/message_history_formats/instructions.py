"""Data sets of plain texts: an instruction with its output, a prompt with its completion, rated transcripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, DATA_SET, NOTHING_JUDGED, Conversations, Format, item_fit, json_of, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_ENDS: Final = ("completion", "output", "chosen", "rejected")
_TURN: Final = re.compile(r"(?:^|\n\n)(Human|Assistant): ?")
_HUMAN: Final = "Human"


def _texts(item: Mapping[str, Any], *keys: str) -> bool:
    return all(isinstance(item.get(key), str) for key in keys)


def _is_alpaca(item: Mapping[str, Any]) -> bool:
    return _texts(item, "instruction") and (_texts(item, "output") or _texts(item, "chosen", "rejected"))


def _is_pair(item: Mapping[str, Any]) -> bool:
    return _texts(item, "prompt") and (_texts(item, "completion") or _texts(item, "chosen", "rejected"))


def _is_transcript(item: Mapping[str, Any]) -> bool:
    """Return whether a row holds two whole conversations as text, as those of Anthropic's HH do."""
    return _texts(item, "chosen", "rejected") and all(len(_parted(item[key])) > 1 for key in ("chosen", "rejected"))


def _is_row(item: Mapping[str, Any]) -> bool:
    return "messages" not in item and (_is_alpaca(item) or _is_pair(item) or _is_transcript(item))


def _parted(written: str) -> list[tuple[str, str]]:
    """Split a transcript at the names of its speakers; a text that does not begin with a name is not a transcript."""
    parts = _TURN.split(written)
    return list(zip(parts[1::2], parts[2::2], strict=True)) if not parts[0].strip() else []


def _asked(item: Mapping[str, Any]) -> str:
    """Return what is asked for: an instruction goes before the input that it is about."""
    parts = [item["instruction"], item.get("input")] if _is_alpaca(item) else [item.get("prompt")]
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip())


def _add(collector: Collector, n: int, item: Mapping[str, Any], end: str) -> None:
    if isinstance(item.get("system"), str) and item["system"]:
        collector.add(n, {"role": "system", "content": item["system"]})
    history = item.get("history")
    for before in history if isinstance(history, list) else []:
        for role, words in zip(("user", "assistant"), before if isinstance(before, list) else [], strict=False):
            collector.add_blocks(n, role, text(words))
    asked, answer = _asked(item), item[end]
    turns = _parted(asked)
    if not asked:
        turns, answer = _parted(answer), ""
    for speaker, words in turns or [(_HUMAN, asked)]:
        collector.add_blocks(n, "user" if speaker == _HUMAN else "assistant", text(words.strip()))
    collector.add_blocks(n, "assistant", text(answer.strip()))


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        collector = found.collector()
        if not isinstance(item, dict) or not _is_row(item):
            collector.note(n, "an item that is not a pair of texts", item)
            continue
        ends = [key for key in _ENDS if isinstance(item.get(key), str)]
        for end in ends:
            collector = found.collector()
            _add(collector, n, item, end)
            name = "rejected" if item.get("label") is False else end
            label = f"item {n}, {name}" if found or name == "rejected" else ""
            found.add(collector.conversation(BLOCKS, label=label, id=item.get("id"), tools=json_of(item.get("tools"))))
    return found.reading()


INSTRUCTIONS: Final = Format(
    name="instructions",
    rank=2000,
    title="Data sets of plain texts (Alpaca, prompt and completion, chosen and rejected of TRL, Anthropic's HH)",
    files="data sets: a JSON list, or a row in each line",
    omits="scores, labels and other keys of a row",
    unwritten=DATA_SET,
    source="hiyouga/LLaMA-Factory: data/README.md; huggingface/trl: docs/source/dataset_formats.md; Anthropic/hh-rlhf",
    checked="2026-11-22",
    fit=item_fit(_is_row),
    read=_read,
    judged=NOTHING_JUDGED,
    general=True,
    by_line=True,
)
