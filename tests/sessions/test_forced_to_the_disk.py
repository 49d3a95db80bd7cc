"""What is forced to the disk by sessions in files: backups, what replaces them, and that a file is gone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from message_history.storage import JsonlSession
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def damage(session: JsonlSession) -> None:
    session.path.write_bytes(session.path.read_bytes() + b'{"n')
    session.load()


WRITES: dict[str, tuple[Callable[[JsonlSession], object], int]] = {
    # A file and its name, and the same of its backup.
    "what is replaced": (lambda session: session.save(of_length(2)), 4),
    "what was damaged": (damage, 4),
    "what goes on": (lambda session: session.save(of_length(6)), 2),
    "what is said of it": (lambda session: session.describe(title="T"), 2),
    "what is deleted": (JsonlSession.delete, 1),
}


@pytest.mark.parametrize("fsync", ["always", "rewrites", "never"])
@pytest.mark.parametrize("write", WRITES)
def test_what_replaces_a_file_is_forced_to_the_disk_with_its_backup_unless_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fsync: Any, write: str
) -> None:
    session = JsonlSession(tmp_path / "chat.jsonl", fsync=fsync)
    session.append(of_length(4))
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)
    change, number = WRITES[write]
    change(session)
    assert len(forced) == (0 if fsync == "never" else number)
