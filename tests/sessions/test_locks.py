"""Locks of files: one is kept per session, and one that cannot be given back ends."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from message_history.storage import JsonlSession, NotAContinuationError
from message_history.storage.sessions.locking import lock_file, locked, remove_lock
from tests.needs import needs_locks
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_locks


def test_only_the_lock_of_the_last_file_is_kept(tmp_path: Path) -> None:
    made: dict[Path, Any] = {}
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    with locked(one, 1.0, made):
        kept = made[one]
    with locked(one, 1.0, made):
        assert made == {one: kept}
    with locked(other, 1.0, made):
        assert list(made) == [other]


@pytest.mark.parametrize("by_force", [True, False], ids=["given back by force", "not even by force"])
@pytest.mark.parametrize("keeps", [True, False])
def test_what_was_written_is_written_though_the_lock_cannot_be_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_force: bool, keeps: bool
) -> None:
    filelock = pytest.importorskip("filelock")
    asked: list[bool] = []
    release = filelock.FileLock.release

    def fails(self: Any, force: bool = False) -> None:
        asked.append(force)
        if force:
            release(self, force=True)
        if not force or not by_force:
            raise OSError(errno.EIO, "gone")

    path = tmp_path / "chat.jsonl"
    made: dict[Path, Any] | None = {} if keeps else None
    monkeypatch.setattr(filelock.FileLock, "release", fails)
    with locked(path, 1.0, made):
        pass
    assert (asked[:2], made) == ([False, True], {} if keeps else None)
    session = JsonlSession(path, fsync="never", lock_timeout=0.05)
    for length in (2, 4):
        session.append(of_length(length))
    monkeypatch.undo()
    assert JsonlSession(path, lock_timeout=0.05).load() == of_length(4)
    JsonlSession(path, lock_timeout=0.05).append(of_length(6))


def test_a_lock_that_is_not_there_is_deleted_already(tmp_path: Path) -> None:
    remove_lock(tmp_path / "chat.jsonl")
    lock_file(tmp_path / "chat.jsonl").mkdir()
    remove_lock(tmp_path / "chat.jsonl")
    assert [each.name for each in tmp_path.iterdir()] == ["chat.jsonl.lock"]


def test_a_damaged_file_that_is_mended_later_is_known_after_what_was_refused(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    session = JsonlSession(path, fsync="never", lock_timeout=0.05)
    session.append(of_length(4))
    path.write_bytes(path.read_bytes() + b'{"n')
    with locked(path, 1.0):
        assert session.load() == of_length(4)
        assert "held its lock" in str(session.report.problem)
    # It is mended now, though what was to be written is not.
    with pytest.raises(NotAContinuationError):
        session.append(of_length(1))
    assert session.report.backup is not None
    session.append(of_length(6))
    assert JsonlSession(path).load() == of_length(6)
