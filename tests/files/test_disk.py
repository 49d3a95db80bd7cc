"""Files are written whole or not at all, never through a link that somebody planted, never readable by more people."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest
from tests.needs import needs_named_pipes

from message_history import MessageHistory
from message_history.files import disk
from message_history.files.opening import NotAFileError
from message_history.storage import JsonlSession, SessionError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes are those of POSIX")
HISTORY = MessageHistory().add_user("q").add_assistant("a")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_in_the_place_of_the_new_file_is_never_written_through(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "folder" / "s.jsonl"
    target.parent.mkdir()
    victim.write_text("mine")
    (target.parent / ".s.jsonl.new").symlink_to(victim)
    disk.replace(target, [b"new\n"], sync=True)
    assert victim.read_text() == "mine"
    assert target.read_bytes() == b"new\n"
    assert not target.is_symlink()


def test_a_link_in_the_place_of_the_file_is_replaced_where_links_are_not_followed(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "out"
    victim.write_text("mine")
    target.symlink_to(victim)
    disk.replace(target, [b"new"], sync=False, follow=False)
    assert (victim.read_text(), target.read_bytes(), target.is_symlink()) == ("mine", b"new", False)


def test_a_backup_is_as_private_as_the_file_before_it_has_any_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"secret\n")
    path.chmod(0o600)
    seen: list[int] = []
    write = disk._write

    def watched(descriptor: int, data: bytes) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        write(descriptor, data)

    monkeypatch.setattr(disk, "_write", watched)
    monkeypatch.setattr(os, "link", failing(errno.EPERM), raising=False)
    copy = disk.back_up(path)
    assert seen == [0o600]
    assert mode_of(copy) == 0o600


@needs_named_pipes
@pytest.mark.parametrize("name", ["fifo", "folder"])
def test_what_is_no_regular_file_is_neither_replaced_nor_appended_to(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path) if name == "fifo" else path.mkdir()
    refused = pytest.raises(IsADirectoryError if name == "folder" else NotAFileError)
    with refused:
        disk.replace(path, [b"x"], sync=False)
    with refused:
        disk.append(path, b"x\n", sync=False)
    assert path.is_fifo() or path.is_dir()


def test_a_device_is_no_session() -> None:
    before = os.stat("/dev/null")  # noqa: PTH116
    with pytest.raises(SessionError, match="not a regular file"):
        JsonlSession("/dev/null").append(HISTORY)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116
    assert os.stat("/dev/null").st_ino == before.st_ino  # noqa: PTH116


def failing(kind: int) -> object:
    def fail(*_: object, **__: object) -> None:
        raise OSError(kind, os.strerror(kind))

    return fail


@pytest.mark.parametrize("kind", [errno.EINVAL, errno.EIO])
def test_a_folder_that_cannot_be_synced_does_not_undo_a_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int
) -> None:
    path = tmp_path / "s.jsonl"
    fsync = os.fsync

    def for_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(kind, os.strerror(kind))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", for_files)
    session = JsonlSession(path, fsync="always")
    session.save(HISTORY)
    session.append(HISTORY.add_user("more"))
    assert len(JsonlSession(path).load()) == 3


def test_a_file_system_without_modes_holds_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    session = JsonlSession(path)
    session.save(HISTORY)
    monkeypatch.setattr(os, "fchmod", failing(errno.EPERM))
    session.save(HISTORY.add_user("more"))
    assert len(JsonlSession(path).load()) == 3
