"""Messages of a role that nobody knows: they are nobody's text, least of all the user's."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
from message_history.core.messages.parsed import Note
from message_history.core.messages.repairs import RepairCode
from message_history.core.values.json_values import freeze, short_repr
from message_history.dialects._shared.sdk_objects import as_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history.core.messages.parsed import Parsed

_USERS: Final = frozenset({"user", "human", "role_user", "prompter"})
"""How the user is called, in lower case."""


def without_strangers(raw: Sequence[Any], parsed: Parsed, read: Callable[[Sequence[Any]], Parsed]) -> Parsed:
    """Read a list again without the entries of an unknown role that were read as the user's.

    `parsed` is what was read of it, and `read` reads a list. Each entry that is omitted is in a note, whole.
    """
    assumed = {note.source for note in parsed.notes if note.code is RepairCode.ROLE_ASSUMED}
    strange = {source for source in assumed if _is_strange(raw[source])}
    if not strange:
        return parsed
    if any(isinstance(_role(raw[n]), Enum) for n in strange):
        named = list(map(_with_role_as_text, raw))
        return without_strangers(named, read(named), read)
    calling = strange & _answered(parsed)
    strange -= calling
    kept = [n for n in range(len(raw)) if n not in strange]
    # Nobody but the assistant makes calls that are answered.
    again = read([{**(as_mapping(raw[n]) or {}), "role": "assistant"} if n in calling else raw[n] for n in kept])
    for n in sorted(calling):
        again.role_assumed(kept.index(n), _role(raw[n]), "role {} taken as the assistant's")
    again.sources = [kept[source] for source in again.sources]
    again.notes = [note.at(kept[note.source]) for note in again.notes] + [_dropped(raw[n], n) for n in strange]
    again.notes.sort(key=lambda note: note.source)
    return again


def _answered(parsed: Parsed) -> set[int]:
    """Return the entries with a call that a result in the list answers."""
    blocks = [(source, each) for source, m in zip(parsed.sources, parsed.messages, strict=True) for each in m.content]
    results = {block.tool_use_id for _, block in blocks if isinstance(block, ToolResultBlock)}
    return {source for source, block in blocks if isinstance(block, ToolUseBlock) and block.id in results}


def _role(entry: object) -> Any:
    return (as_mapping(entry) or {}).get("role")


def _with_role_as_text(entry: object) -> object:
    """Return an entry whose role is a member of an enumeration with that one's value."""
    role = _role(entry)
    return {**(as_mapping(entry) or {}), "role": role.value} if isinstance(role, Enum) else entry


def _is_strange(entry: object) -> bool:
    role = _role(entry)
    return role is not None and not (isinstance(role, str) and role.strip().lower() in _USERS)


def _dropped(entry: object, source: int) -> Note:
    why = f"the role {short_repr(_role(entry))} is not known"
    return Note(RepairCode.ENTRY_DROPPED, source, (freeze(entry)[0],), why)
