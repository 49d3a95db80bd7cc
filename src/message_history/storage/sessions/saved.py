"""What a session keeps beside its messages, as JSON, and how much of a history is new.

Messages are kept in the saved form of `dialects.native`; there is no other. Nothing here knows files or databases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from message_history.core.blocks import Block
from message_history.core.json_values import freeze, thaw
from message_history.core.message import invalidate_thinking
from message_history.core.repairs import Repair, RepairCode
from message_history.core.rules import messages_in, standing_stubs
from message_history.dialects.native import Native
from message_history.dialects.native.parse import NATIVE, VERSION
from message_history.dialects.native.render import block_to_json
from message_history.storage.sessions.errors import SessionConflictError

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.repairs import Removed
    from message_history.history import MessageHistory

__all__ = ["Growth", "goes_on", "growth", "repair_from_json", "repair_to_json", "standing", "updated"]

_NATIVE: Final = Native()
_CODES: Final = frozenset(code.value for code in RepairCode)


class Growth(NamedTuple):
    """What of a history is not saved yet.

    Args:
        message: the position of the first message that is new, or another than the one that is saved.
        repair: the number of the first repair that is new.
    """

    message: int
    repair: int


def growth(saved: MessageHistory, history: MessageHistory) -> Growth | None:
    """Find what of a history is not saved yet.

    Args:
        saved: what is saved.
        history: what is to be saved.

    Returns:
        What is new; at most the last saved message is replaced. None when the history does not go on from what is
        saved: it was cut, or changed before its last message, or is another one.

    Complexity: linear in what is new; one comparison for 512 turns of what the two share.
    """
    past, turn, context = saved._state
    new_past, new_turn, new_context = history._state
    goes_on = (
        context.system.blocks == new_context.system.blocks
        and new_past.starts_with(past)
        and new_context.repairs.starts_with(context.repairs)
        and len(history) >= len(saved)
    )
    if not goes_on:
        return None
    first = next((n for n in range(messages_in(past), len(saved)) if history[n] != saved[n]), len(saved))
    if first < len(saved) - 1:
        return None
    if first == len(history) and standing_stubs(past, turn) != standing_stubs(new_past, new_turn):
        first -= 1
    return Growth(first, len(context.repairs))


def goes_on(saved: MessageHistory, history: MessageHistory) -> bool:
    """Return whether a history has all the messages that are saved, but for the last, which may have grown.

    Thinking may be invalidated meanwhile, as by another system prompt.

    Args:
        saved: what is saved.
        history: what is to be saved.

    Complexity: linear in what is saved.
    """
    pairs = zip(saved[:-1], history, strict=False)
    return len(history) >= len(saved) and all(
        was == now or invalidate_thinking(was) == invalidate_thinking(now) for was, now in pairs
    )


def standing(history: MessageHistory) -> list[Repair]:
    """Give the repairs of a history that a result may still undo: the stubs that closing it has made."""
    past, turn, _ = history._state
    return standing_stubs(past, turn)


class Session(Protocol):
    """What every kind of session can do."""

    def load(self) -> MessageHistory:
        """Load the history."""

    def append(self, history: MessageHistory) -> None:
        """Save what of a history is new."""


def updated(session: Session, change: Callable[[MessageHistory], MessageHistory], attempts: int) -> MessageHistory:
    """Load, change and append, again and again while somebody else is faster.

    Args:
        session: the session.
        change: takes the loaded history and returns the one to be appended.
        attempts: how often to try.

    Returns:
        The history that was appended.

    Raises:
        SessionConflictError: when somebody else was faster each time.
        ValueError: for less than one attempt.
    """
    for attempt in range(1, attempts + 1):
        history = change(session.load())
        try:
            session.append(history)
        except SessionConflictError:
            if attempt == attempts:
                raise
        else:
            return history
    raise ValueError(f"attempts must be 1 or more, not {attempts!r:.80}")


def repair_to_json(repair: Repair) -> dict[str, Any]:
    """Write a repair.

    Args:
        repair: the repair.

    Returns:
        A fresh dict.
    """
    data: dict[str, Any] = {"code": repair.code.value, "index": repair.index}
    if repair.source is not None:
        data["source"] = repair.source
    if repair.removed:
        data["removed"] = [_removed_to_json(removed) for removed in repair.removed]
    if repair.added:
        data["added"] = list(map(block_to_json, repair.added))
    if repair.detail:
        data["detail"] = repair.detail
    return data


def repair_from_json(value: object) -> Repair | None:
    """Read a repair.

    Args:
        value: what `repair_to_json` wrote.

    Returns:
        The repair; None for what is none, or one of a kind that a later version made.
    """
    if not isinstance(value, Mapping):
        return None
    code, source, detail = value.get("code"), value.get("source"), value.get("detail", "")
    if not isinstance(code, str) or code not in _CODES or not isinstance(value.get("index"), int):
        return None
    return Repair(
        code=RepairCode(code),
        index=value["index"],
        source=source if isinstance(source, int) else None,
        removed=tuple(found for item in _list(value.get("removed")) for found in _removed_from_json(item)),
        added=_blocks(_list(value.get("added"))),
        detail=detail if isinstance(detail, str) else "",
    )


def _removed_to_json(removed: Removed) -> dict[str, Any]:
    return {"block": block_to_json(removed)} if isinstance(removed, Block) else {"value": thaw(removed)}


def _removed_from_json(value: object) -> tuple[Removed, ...]:
    if isinstance(value, Mapping) and "block" in value:
        return _blocks([value["block"]])
    return (freeze(value["value"])[0],) if isinstance(value, Mapping) and "value" in value else ()


def _blocks(values: list[Any]) -> tuple[Block, ...]:
    entry = {"role": "user", "content": values, NATIVE: VERSION}
    return tuple(block for message in _NATIVE.parse([entry]).messages for block in message.content)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
