"""What the sessions that programs go on with have in common: their names, times and receipts."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid5

from message_history.formats.kit import json_text
from message_history.tools import OmittedPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history import Message, MessageHistory
    from message_history.dialects import Export

_NAMESPACE: Final = UUID("0d0f52a4-8f0c-5b0e-9c39-6a3d7f2c9be1")
OWN_SYSTEM: Final = "the program has a system prompt of its own"


def messages_of(history: MessageHistory, roles: Sequence[str]) -> list[Message | None]:
    """Find the message that each entry was made of, by the turns of the entries; None where they are other turns."""
    turns = [(role, len(list(entries))) for role, entries in groupby(roles)]
    own = [message.role for message in history]
    if [role for role, _ in turns[: len(own)]] != own:
        return [None] * len(roles)
    # Stubs for calls that wait are in a separate turn at the end.
    return [message for message, (_, size) in zip_longest(history, turns) for _ in range(size)]


def moments(messages: Sequence[Message | None], at: datetime) -> list[str]:
    """Give the time of each message, as programs write it: what has none is of the time before it, or `at`."""
    known = [time_of(message) for message in messages]
    last = next((moment for moment in known if moment is not None), at)
    found = []
    for moment in known:
        # No line is older than the one before it: programs sort by it.
        last = max(last, moment) if moment is not None else last
        found.append(written(last))
    return found


def time_of(message: Message | None) -> datetime | None:
    times = [_moment(each.metadata.get("created_at")) for each in message.arrivals] if message is not None else []
    return next((time for time in times if time is not None), None)


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
    except (OSError, OverflowError, ValueError):
        pass
    return None


def written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session_id(program: str, folder: str, export: Export) -> str:
    """Name a session by what is in it and where it is: written again, it is the same."""
    return str(uuid5(_NAMESPACE, "\n".join((program, folder, json_text(export.messages)))))


def without_system(export: Export) -> tuple[OmittedPart, ...]:
    if export.system is None:
        return ()
    return (OmittedPart("system", export.system, OWN_SYSTEM),)
