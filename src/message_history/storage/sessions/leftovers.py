"""What is left of a session's file besides itself: backups, what crashes have left, and that it is to be deleted."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from message_history.files.disk import Stamp, backups_of, file_of, remove, stamp_of

if TYPE_CHECKING:
    from pathlib import Path


def forgetting_file(path: Path) -> Path:
    """Return the file that is there while a session forgets something."""
    file = file_of(path)
    return file.with_name(f"{file.name}.forgetting")


def finish(path: Path) -> None:
    """Finish what a crash has left undone; the lock is held.

    Where the file was not replaced yet, nothing is forgotten, and nothing is deleted.
    """
    with contextlib.suppress(FileNotFoundError):
        note: Any = json.loads(forgetting_file(path).read_bytes())
        if stamp_of(path) == Stamp(*note):
            forgetting_file(path).unlink()
        else:
            delete_older(path)


def delete_older(path: Path) -> list[str]:
    """Delete the backups of a file and what crashes have left of it, and last the note that this is to be done."""
    found = backups_of(path)
    remove(found, sync=True)
    remove([forgetting_file(path)], sync=True)
    return list(map(str, found))
