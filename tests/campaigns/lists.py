"""The campaign of lists: any list becomes a history in which nothing is lost untold, and each export of it is valid."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory, Repair, check
from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import thaw
from message_history.dialects import Native
from message_history.dialects.native.parse import REPLIES
from message_history.dialects.native.render import block_to_json
from message_history.dialects.registry import DIALECTS
from tests.campaigns.samples import TOKEN, Sample, random_list
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from message_history.dialects import Dialect

__all__ = ["failures"]

_NATIVE: Final = Native()
_ENCODED: Final = base64.b64encode(TOKEN.encode()).decode()[:-4]


def failures(seed: int) -> Iterator[str]:
    """Run one list.

    Args:
        seed: its number; the same number makes the same list.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    sample = random_list(chance)
    dialect = DIALECTS[sample.form] if chance.random() < 0.5 else None
    try:
        yield from _failures(sample, dialect, chance)
    except Exception as error:  # noqa: BLE001 - anything is a failure
        yield f"raised {type(error).__name__}: {error}"


def _failures(sample: Sample, dialect: Dialect[Any] | None, chance: Random) -> Iterator[str]:
    before = json.dumps(sample.entries)
    history = MessageHistory.from_list(sample.entries, dialect=dialect)
    if json.dumps(sample.entries) != before:
        yield "the input was changed"
    saved = history.to_list()
    text = json.dumps(saved)
    there = TOKEN in before
    if there and TOKEN not in text and TOKEN not in written(history.repairs):
        yield f"lost in the history: {sample.planted}"
    if broken := check(saved[history.system is not None :], _NATIVE):
        yield f"breaks a law: {broken[0].rule}"
    loaded = MessageHistory.from_list(saved)
    if loaded != history or loaded.repairs:
        yield "not the same when it is loaded"
    # What a provider said of a reply is saved, and nobody is sent it.
    sendable = json.dumps([{key: entry[key] for key in entry if key != REPLIES} for entry in saved])
    for target in chance.sample(TARGETS, 2):
        yield from _export_failures(history, target, chance, there=TOKEN in sendable, planted=sample.planted)


def _export_failures(
    history: MessageHistory, target: Dialect[Any], chance: Random, *, there: bool, planted: str
) -> Iterator[str]:
    export = history.export(target)
    wire = export.messages
    if wire and (broken := check(wire, target)):
        yield f"invalid for {_name(target)}: {broken[0].rule} {broken[0].path}"
    if there and not _holds([wire, export.system]) and TOKEN not in written(export.repairs):
        yield f"lost on the way to {target.name}: {planted}"
    if chance.random() < 0.2 and target.name not in ("bedrock", "gemini"):
        if json.loads(history.for_send_json(target)) != wire:
            yield f"other as JSON for {_name(target)}"
    if chance.random() < 0.2:
        again = MessageHistory.from_list(wire, dialect=target)
        if again.repairs:
            yield f"its own export is repaired: {target.name} {again.repairs[0].code.value}"
        elif again.export(target).messages != wire:
            yield f"another export after it was read: {_name(target)}"


def _name(target: Dialect[Any]) -> str:
    return f"{target.name}[{TARGETS.index(target)}]"


def _holds(wire: Any) -> bool:
    text = json.dumps(wire, default=_as_text)
    return TOKEN in text or _ENCODED in text


def _as_text(value: object) -> str:
    """Write bytes as the text that they were; they may be base64 that was decoded."""
    data = bytes(value) if isinstance(value, bytes | bytearray) else str(value).encode()
    return base64.b64encode(data).decode() + data.decode(errors="replace")


def written(repairs: Iterable[Repair]) -> str:
    """Write what repairs hold, and what they say."""
    items = [item for repair in repairs for item in (*repair.removed, *repair.added)]
    held = [block_to_json(item) if isinstance(item, Block) else thaw(item) for item in items]
    return json.dumps([held, [repair.detail for repair in repairs]])
