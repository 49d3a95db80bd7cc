"""Output that goes elsewhere."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from compiling.filesystem import Filesystem, use
from message_history_compile import publishing
from message_history_compile.publishing import publish


def make(folder: Path) -> str:
    for name in ("b/x", "a", "last", "z"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return "made"


def test_the_file_that_says_that_all_is_there_is_put_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    there = use(Filesystem({}), monkeypatch)
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]
    assert publish(make, "mem://out", "last") == "made"
    assert there.put == ["out/a", "out/b/x", "out/z", "out/last"]
    assert not own.exists()
    looked: list[Any] = []

    def look(folder: Path) -> str:
        looked.append((folder, [each.name for each in folder.iterdir()], (folder / "last").read_bytes()))
        return "looked"

    there.put.clear()
    assert publish(look, "mem://out", "last") == "looked"
    assert (looked, there.put, own.exists()) == ([(own, ["last"], b"last")], [], False)


@pytest.mark.parametrize("is_done", [True, False])
def test_what_stands_elsewhere_is_named_by_its_url_and_left_alone(
    is_done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    use(Filesystem({"out/last": b"1"} if is_done else {}), monkeypatch)
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]

    def refused(folder: Path) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        raise FileExistsError(f"{folder}: another run")

    with pytest.raises(FileExistsError, match=r"^mem://out: another run$"):
        publish(refused, "mem://out", "last")
    assert own.exists() is not is_done


def test_a_folder_elsewhere_with_something_else_in_it_is_refused_unless_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    there = use(Filesystem({"out/mine": b"1"}), monkeypatch)
    with pytest.raises(FileExistsError, match=r"^mem://out: it is not empty; choose a new folder$"):
        publish(make, "mem://out", "last")
    own = tmp_path / "message-history-compile" / hashlib.sha256(b"mem://out").hexdigest()[:16]
    own.mkdir(parents=True)
    (own / "last").write_bytes(b"")
    assert publish(make, "mem://out", "last") == "made"
    there.folders.append("empty")
    assert publish(make, "mem://empty", "last") == "made"


@pytest.mark.parametrize("home", ["", None])
def test_work_for_elsewhere_is_in_the_cache_of_the_user(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if home is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert publishing._cache() == tmp_path / ".cache" / "message-history-compile"
