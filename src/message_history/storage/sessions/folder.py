"""The sessions in a folder, listed by what their headers say; only these are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from message_history.files.disk import stamp_of
from message_history.files.opening import content
from message_history.files.own_lines import about_in, is_own
from message_history.storage.about import SessionInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

LONGEST: Final = 256 * 1024
"""How many bytes of a file are read, for its header."""


def sessions(
    folder: str | PathLike[str], owner: str | None, label: str | None, after: str | None, limit: int | None
) -> Iterator[SessionInfo]:
    """List the sessions of a folder, those that were written to last first."""
    for updated, name in _files(Path(folder), _place(after)):
        if limit is not None and limit <= 0:
            return
        found = info_of(Path(folder).absolute() / name, updated)
        if found is None or owner not in (None, found.owner) or (label is not None and label not in found.labels):
            continue
        yield found
        limit = limit if limit is None else limit - 1


def _files(folder: Path, after: tuple[float, str] | None) -> list[tuple[float, str]]:
    stamps = ((stamp_of(path), path.name) for path in folder.glob("*.jsonl"))
    # Without a stamp, somebody has deleted it meanwhile.
    found = [(stamp.seconds, name) for stamp, name in stamps if stamp is not None]
    return sorted((each for each in found if after is None or each < after), reverse=True)


def _place(cursor: str | None) -> tuple[float, str] | None:
    if cursor is None:
        return None
    try:
        updated, name = cursor.split(" ", 1)
        return float(updated), name
    except (AttributeError, ValueError):
        raise ValueError(f"after must be the `cursor` of a listed session, not {cursor!r:.80}") from None


def info_of(path: Path, updated: float) -> SessionInfo | None:
    """Read what the header of a file says; None when it is not a session."""
    try:
        header = json.loads(content(path, LONGEST).partition(b"\n")[0])
    except FileNotFoundError:
        return None
    except ValueError:
        header = None
    return info_in(path, about_in(header), updated) if is_own(header) else None


def info_in(path: Path, about: dict[str, Any], updated: float | None) -> SessionInfo:
    """Return what is said of a session; what somebody else has written there in another form is passed over."""
    owner, title, labels, created = (about.get(name) for name in ("owner", "title", "labels", "created"))
    return SessionInfo(
        session=str(path),
        owner=owner if isinstance(owner, str) else "",
        title=title if isinstance(title, str) else "",
        labels=tuple(each for each in labels if isinstance(each, str)) if isinstance(labels, list) else (),
        created=created if type(created) in (int, float) else None,
        updated=updated,
        cursor=f"{updated!r} {path.name}" if updated is not None else "",
    )
