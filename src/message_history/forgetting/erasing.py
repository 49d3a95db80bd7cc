"""What is left of messages and calls whose content is erased, in the saved form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.policy import WITH_REASON
from message_history.forgetting.saved_form import SAYS_NOTHING, gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.forgetting.saved_form import Rewriting

NOBODYS: Final = ("bootstrap", "continuation", "edited")
"""The kinds of marks of texts that are this library's own."""
OF_CALLS: Final = ("renamed", "approval")
KEPT_OF_REPLIES: Final = ("id", "model", "stop_reason", "provider", "usage")


def emptied(block: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return what is left of a block: calls and results keep id and tool, and what was recorded its states."""
    kind, mark = block["type"], block.get("mark", {})
    if mark.get("kind") in NOBODYS:
        return block
    if mark.get("kind") in ("stub", "quote", "state"):
        return _bare_note(block, mark)
    # A place that was redacted may say more than one that was erased, and keeps its reason.
    reason = mark["reason"] if mark.get("kind") == "forgotten" else reason
    marks = {"kind": "forgotten", "reason": reason}
    if kind == "tool_use":
        kept = mark if mark.get("kind") in OF_CALLS else marks
        return {"type": kind, "id": block["id"], "name": block["name"], "input": {}, "mark": kept}
    if kind == "tool_result":
        kept = _bare_mark(mark) if mark.get("kind") in ("decided", "approval") else marks
        flag = {"is_error": True} if block.get("is_error") else {}
        ours = [part for part in block["content"] if part.get("mark", {}).get("kind") == "edited"]
        content = [gone(reason), *ours]
        return {"type": kind, "tool_use_id": block["tool_use_id"], "content": content, **flag, "mark": kept}
    return gone(reason)


def _bare_note(block: dict[str, Any], mark: dict[str, Any]) -> dict[str, Any]:
    """Return a stub, news or the heading of a quote without what a person gave as a reason or edited."""
    because = f" {WITH_REASON}{mark['detail']}" if mark.get("detail") else ""
    bare = {**block, "mark": _bare_mark(mark)}
    if "text" in block:
        bare["text"] = block["text"].replace(because, "")
    else:
        bare["content"] = [
            {**part, "text": part["text"].replace(because, "")} if "text" in part else part for part in block["content"]
        ]
    return bare


def _bare_mark(mark: dict[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in mark.items() if key != "detail"}
    if "decisions" in bare:
        bare["decisions"] = [
            {key: value for key, value in each.items() if key not in ("reason", "input")} for each in bare["decisions"]
        ]
    return bare


def erase_messages(rewriting: Rewriting, positions: Iterable[int], reason: str) -> None:
    """Erase what messages say, and what came with them."""
    for position in positions:
        entry = rewriting.entries[position]
        places = bool(entry.pop("arrivals", None))
        erase_blocks(rewriting, position, range(len(entry["content"])), reason)
        for reply in entry.get("replies", ()):
            others = [key for key in reply if key not in KEPT_OF_REPLIES]
            places |= bool(others)
            for key in others:
                del reply[key]
        if places:
            rewriting.replaced(position, None)


def erase_blocks(rewriting: Rewriting, position: int, numbers: Iterable[int], reason: str) -> None:
    """Erase what some blocks of a message say, and what came with those parts of the message that they are in."""
    entry = rewriting.entries[position]
    content = entry["content"]
    start = last = 0
    for each in entry.get("arrivals", ()):
        if each["end"] > last:
            start, last = last, each["end"]
        if each["metadata"] and any(start <= number < last for number in numbers):
            each["metadata"] = {}
            rewriting.replaced(position, None)
    for number in numbers:
        left = emptied(content[number], reason)
        if left != content[number]:
            content[number] = left
            rewriting.replaced(position, number)


def blocks_of_call(rewriting: Rewriting, position: int, place: int, id: str, key: str) -> Iterator[tuple[int, int]]:
    """Yield where something of a call is said: the call, its result, and what was quoted or recorded later."""
    calls = [n for n, block in enumerate(rewriting.entries[position]["content"]) if block["type"] == "tool_use"]
    yield position, calls[place]
    if position + 1 < len(rewriting.entries):
        yield position + 1, place
    for at in range(position, len(rewriting.entries)):
        for number, block in enumerate(rewriting.entries[at]["content"]):
            mark = block.get("mark", {})
            if mark.get("kind") in ("quote", "state") and mark.get("key") == key:
                yield from ((at, n) for n in range(number, number + 1 + mark.get("blocks", 0)))
            elif mark.get("kind") == "approval" and block["type"] == "provider" and mark.get("tool_use_id") == id:
                yield at, number


def erase_repairs(
    rewriting: Rewriting, blocks: list[dict[str, Any]], positions: Iterable[int], reason: str, id: str | None = None
) -> None:
    """Erase what repairs at some positions hold, of a call with an id if one is given, and those that hold a block.

    What was dropped between two messages may have been a part of either, and goes with each.
    """
    texts = {text for block in blocks for text in _texts(block)}
    for n, repair in enumerate(rewriting.repairs):
        is_there = repair["index"] in positions and (id is None or f"{id!r:.80}" in repair.get("detail", ""))
        if id is None and repair["code"].endswith("_dropped"):
            is_there |= repair["index"] - 1 in positions
        if is_there or texts.intersection(_texts(repair)):
            left = _bare_repair(repair, reason)
            if left != repair:
                rewriting.repairs[n] = left
                rewriting.elsewhere += 1


def _bare_repair(repair: dict[str, Any], reason: str) -> dict[str, Any]:
    bare = {key: value for key, value in repair.items() if key != "detail" or repair["code"] in SAYS_NOTHING}
    if "removed" in repair:
        bare["removed"] = [{"block": emptied(item["block"], reason)} for item in repair["removed"] if "block" in item]
    if "added" in repair:
        bare["added"] = [emptied(block, reason) for block in repair["added"]]
    return bare


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value that say something."""
    if isinstance(value, str):
        yield value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key not in _STRUCTURE:
            yield from _texts(item)


_STRUCTURE: Final = ("type", "role", "id", "tool_use_id", "name", "code", "mark", "dialect")
