"""The data sets of LLaMA-Factory's version 1: messages whose parts have a type and a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATA_SET,
    NOTHING_JUDGED,
    Conversations,
    Format,
    call,
    image,
    item_fit,
    json_of,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_LISTS: Final = ("messages", "chosen_messages", "rejected_messages")
_KINDS: Final = frozenset({"text", "reasoning", "tool_call", "image_url", "video_url", "audio_url"})


def _is_message(item: Any) -> bool:
    content = item.get("content") if isinstance(item, dict) and isinstance(item.get("role"), str) else None
    return isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") in _KINDS and isinstance(part.get("value"), str) for part in content
    )


def _messages(item: Mapping[str, Any], key: str) -> list[Any]:
    found = item.get(key)
    return found if isinstance(found, list) and found and all(map(_is_message, found)) else []


def _is_row(item: Mapping[str, Any]) -> bool:
    return any(message["content"] for key in _LISTS for message in _messages(item, key))


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, item in document.numbered_items:
        lists = [key for key in _LISTS if isinstance(item, dict) and _messages(item, key)]
        if not lists:
            found.collector().note(n, "an item without messages", item)
        for key in lists:
            collector = found.collector()
            _Reader(collector, n).take_all(item[key])
            end = "" if key == "messages" else f", {key}"
            label = f"item {n}{end}" if found else ""
            found.add(collector.conversation(BLOCKS, label=label, tools=json_of(item.get("tools"))))
    return found.reading()


class _Reader:
    """Reads the messages of one conversation; calls and results have no ids, so they are paired in order."""

    def __init__(self, collector: Collector, place: int) -> None:
        self._collector = collector
        self._place = place
        self._open: list[str] = []
        self._made = 0

    def take_all(self, messages: list[Any]) -> None:
        for message in messages:
            blocks = [block for part in message["content"] for block in self._blocks(part)]
            if message["role"] == "tool":
                self._add_results(message["content"], blocks)
            elif message["role"] == "system":
                self._collector.add(self._place, {"role": "system", "content": blocks})
            else:
                role = "assistant" if message["role"] == "assistant" else "user"
                weight = message.get("loss_weight")
                if weight is not None and blocks:
                    self._collector.add(self._place, {"role": role, "content": blocks, "loss_weight": weight})
                else:
                    self._collector.add_blocks(self._place, role, blocks)

    def _add_results(self, parts: list[Any], blocks: list[Any]) -> None:
        """Add what tools gave: a list with a result for each open call, or else one for the oldest."""
        whole = json_of(parts[0]["value"]) if len(parts) == 1 and len(self._open) > 1 else None
        each = whole if isinstance(whole, list) and len(whole) == len(self._open) else [blocks or ""]
        made = [result(self._open.pop(0) if self._open else None, content) for content in each]
        self._collector.add_blocks(self._place, "user", made)

    def _blocks(self, part: Mapping[str, Any]) -> list[Any]:
        kind, value = part["type"], part["value"]
        if kind == "text":
            return text(value)
        if kind == "reasoning":
            return thinking(value)
        if kind == "image_url":
            return [image(value)]
        if kind != "tool_call":
            return text(f"[{kind}: {value}]")
        asked = json_of(value)
        if not isinstance(asked, dict) or not isinstance(asked.get("name"), str):
            return text(value)
        self._made += 1
        self._open.append(f"call_{self._made}")
        return [call(self._open[-1], asked["name"], asked.get("arguments"))]


LLAMA_FACTORY: Final = Format(
    name="llama-factory",
    rank=910,
    title="Data sets of LLaMA-Factory's version 1 (parts with `type` and `value`)",
    files="data sets: a JSON list, or a row in each line",
    omits="weights of the loss; ids are given to calls, for the format has none",
    unwritten=DATA_SET,
    source="hiyouga/LLaMA-Factory: src/llamafactory/v1/utils/types.py, plugins/data_plugins/converter.py",
    checked="2026-11-22",
    fit=item_fit(_is_row),
    read=_read,
    judged=NOTHING_JUDGED,
    by_line=True,
)
