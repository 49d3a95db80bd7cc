"""Law 13 in folders of session files: a search through all bytes finds nothing, with crashes at every call too."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import pytest

from message_history import MessageHistory
from message_history.core.messages.plain import meta_of_keys
from message_history.dialects.native.parse import packed_keys
from message_history.files import disk
from message_history.forgetting import erase, redact
from message_history.storage import JsonlSession, SessionConflictError
from message_history.storage.forgetting import forget
from message_history.storage.sessions import leftovers
from tests.forgetting.searching import Secret
from tests.forgetting.test_law_13 import TOKENS, plantable, planted
from tests.needs import needs_locks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

pytestmark = needs_locks
SECRET: Final = "PLANTED7QX"


def everything(folder: Path) -> bytes:
    """Return all bytes of a folder, and the names in it."""
    return b"\n".join(each.name.encode() + b"\n" + each.read_bytes() for each in sorted(folder.iterdir()))


def grown(path: Path, token: str = SECRET) -> JsonlSession:
    """Make a file with older lines, versions, repairs, a backup and what a crash has left, all of which say a token."""
    session = JsonlSession(path, fsync="never")
    history = session.load().add_user(f"one {token}", metadata={"id": token})
    session.append(history)
    history = history.add_user(f"two {token}")  # The line of the first message is written again.
    session.append(history)
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {"to": token}}
    history = history.add({"role": "assistant", "content": [call, call]})
    session.append(history)
    session.append(history.add_user("So?").add_assistant("Hm.").add_user(f"And {token}?").add_assistant("Well."))
    path.write_bytes(path.read_bytes() + f'{{"half": "{token}'.encode())
    session = JsonlSession(path, fsync="never")
    history = session.load()
    assert session.report.backup is not None
    session.save(history.rewind().add_user(f"other {token}"))
    path.with_name(f".{path.name}.new").write_text(token)
    session.append(session.load().add_assistant("fine"))
    return JsonlSession(path, fsync="never")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def test_nothing_in_the_folder_says_it(path: Path) -> None:
    session = grown(path)
    key = session.load().calls[0].key
    assert everything(path.parent).count(SECRET.encode()) > 10
    receipt = forget(session, lambda history: redact(history, SECRET))
    assert not Secret(SECRET, (key,)).is_in(everything(path.parent))
    assert [each.rpartition("/")[2] for each in receipt.deleted] == ["chat.jsonl.bak", "chat.jsonl.bak-2"]
    assert receipt.changed == (0, 1, 4)
    assert receipt.places > 5
    assert any("backups" in each for each in receipt.outside)
    assert JsonlSession(path).load() == session.load()
    session.append(session.load().add_user("go on"))


def test_what_is_erased_is_gone_too(path: Path) -> None:
    session = grown(path)
    forget(session, lambda history: erase(erase(history, turn=0), turn=-1))
    assert not Secret(SECRET).is_in(everything(path.parent))


def test_a_session_without_it_stays_what_it_is(path: Path) -> None:
    session = JsonlSession(path)
    session.append(MessageHistory().add_user("q"))
    receipt = forget(session, lambda history: redact(history, SECRET))
    assert (receipt.places, receipt.changed, receipt.deleted) == (0, (), ())
    assert JsonlSession(path).load() == MessageHistory().add_user("q")
    assert forget(JsonlSession(path.with_name("none.jsonl")), lambda history: redact(history, "x")).places == 0
    assert not path.with_name("none.jsonl").exists()


def test_somebody_else_s_words_are_not_overwritten(path: Path) -> None:
    session = grown(path)
    session.load()
    other = JsonlSession(path)
    other.append(other.load().add_user("more"))
    with pytest.raises(SessionConflictError):
        forget(session, lambda history: redact(history, SECRET))


def test_other_files_of_the_folder_stay(path: Path) -> None:
    session = grown(path)
    near = [path.with_name(name) for name in ("chat.jsonl.backup", "other.jsonl.bak", "chat.json", "chat.jsonl.bakery")]
    for each in near:
        each.write_text("mine")
    forget(session, lambda history: redact(history, SECRET))
    assert [each.read_text() for each in near] == ["mine"] * len(near)


def test_each_file_that_is_deleted_is_gone_from_the_disk_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[bool] = []

    def remove(paths: Sequence[Path], *, sync: bool) -> None:
        removed.append(sync)
        disk.remove(paths, sync=sync)

    monkeypatch.setattr(leftovers, "remove", remove)
    forget(grown(path), lambda history: redact(history, SECRET))
    assert removed == [True, True]


class Crash(BaseException):
    """The process is gone: nothing after this runs."""


CALLS: Final = ("open", "write", "fsync", "replace", "unlink", "ftruncate", "link")


def crashes(path: Path, at: int) -> bool:
    """Forget, with a crash before the call of a number that changes the disk; return whether it came so far."""
    made = 0
    dead = False

    def watched(real: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal made, dead
            if dead:
                raise Crash
            made += 1
            if made > at:
                dead = True
                raise Crash
            return real(*arguments, **options)

        return call

    session = JsonlSession(path, fsync="never")
    session.load()
    try:
        with patch.multiple(os, **{name: watched(getattr(os, name)) for name in CALLS}):
            forget(session, lambda history: redact(history, SECRET))
    except Crash:
        return True
    return False


def test_a_crash_at_any_call_is_finished_or_undone(tmp_path: Path) -> None:
    undone = finished = 0
    for at in range(200):
        folder = tmp_path / str(at)
        folder.mkdir()
        grown(folder / "chat.jsonl")
        whole = everything(folder)
        said, before = whole.count(SECRET.encode()), JsonlSession(folder / "chat.jsonl").load()
        backups = len(list(folder.glob("*.bak*")))
        crashed = crashes(folder / "chat.jsonl", at)
        left = JsonlSession(folder / "chat.jsonl").load()
        now = everything(folder)
        assert not (folder / "chat.jsonl.forgetting").exists()
        if left == before:
            assert len(list(folder.glob("*.bak*"))) == backups, at
            assert SECRET.encode() in now
            assert now.count(SECRET.encode()) in (said, said - 1), at  # What an earlier crash left may be gone.
            undone += 1
        else:
            assert not Secret(SECRET).is_in(now), at
            finished += 1
        if not crashed:
            break
    assert undone > 3
    assert finished > 3
    assert at < 199


def test_who_appends_next_finishes_too(path: Path) -> None:
    session = grown(path)
    with patch.object(leftovers, "backups_of", side_effect=Crash), pytest.raises(Crash):
        forget(session, lambda history: redact(history, SECRET))
    assert path.with_name("chat.jsonl.forgetting").exists()
    assert SECRET.encode() in everything(path.parent)
    other = JsonlSession(path)
    other.update(lambda history: history.add_user("more"))
    assert not Secret(SECRET).is_in(everything(path.parent))


@pytest.mark.parametrize("write", ["append", "save", "describe"])
def test_who_writes_next_without_loading_finishes_too(path: Path, write: str) -> None:
    left: list[MessageHistory] = []

    def change(history: MessageHistory) -> MessageHistory:
        left.append(redact(history, SECRET))
        return left[-1]

    with patch.object(leftovers, "backups_of", side_effect=Crash), pytest.raises(Crash):
        forget(grown(path), change)
    assert SECRET.encode() in everything(path.parent)
    other = JsonlSession(path)
    more = left[0].add_user("more")
    if write == "describe":
        other.describe(title="T")
    else:
        getattr(other, write)(more)
    assert not Secret(SECRET).is_in(everything(path.parent))
    assert not path.with_name("chat.jsonl.forgetting").exists()
    assert JsonlSession(path).load() == (left[0] if write == "describe" else more)


def test_that_something_is_forgotten_is_on_the_disk_before_the_file_is_replaced(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = grown(path)  # which waits for no other write
    forced: list[str] = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        forced.append(SECRET if SECRET.encode() in path.read_bytes() else "replaced")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    forget(session, lambda history: redact(history, SECRET))
    # The note and its name; then the folder without the backups, and without the note.
    assert forced == [SECRET, SECRET, "replaced", "replaced"]


@pytest.mark.parametrize("later", [re.compile("[0-9]"), re.compile(",.*$"), "places"], ids=str)
def test_a_place_whose_repair_is_redacted_in_turn_is_in_the_receipt(path: Path, later: Any) -> None:
    session = JsonlSession(path, fsync="never")
    session.append(MessageHistory().add_user("a").add_assistant("to Ann").add_user("Ann and Ann"))
    receipt = forget(session, lambda history: redact(redact(history, "Ann"), later))
    assert receipt.changed == (1, 2)
    # How often it was in a message nobody knows any more: once at least.
    elsewhere = [each.detail for each in session.load().repairs if "repairs and names" in each.detail]
    assert receipt.places == 2 + sum(int(each.rpartition(" ")[2]) for each in elsewhere)


def test_what_the_process_has_kept_of_it_is_cleared_though_the_file_never_held_it(path: Path) -> None:
    session = JsonlSession(path, fsync="never")
    session.append(MessageHistory().add_user("q"))
    assert meta_of_keys(packed_keys({"extra": {"id": SECRET}})) is not None
    assert meta_of_keys.cache_info().currsize > 0
    assert forget(session, lambda history: redact(history, SECRET)).places == 0
    assert meta_of_keys.cache_info().currsize == 0


def places() -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Yield places and tokens for them, more than a thousand."""
    for token in (*TOKENS, "0123 456789", "ann@example.com"):
        for name, place in plantable():
            yield name, place, token


@pytest.mark.heavy
def test_a_thousand_tokens_in_every_kind_of_place(tmp_path: Path) -> None:
    count = 0
    for number, (name, place, token) in enumerate(places()):
        path = tmp_path / f"{number}.jsonl"
        session = JsonlSession(path, fsync="never")
        session.save(planted(name, place, token))
        session.append(session.load().add_user(f"again {token}"))
        forget(session, lambda history, token=token: redact(history, token))  # type: ignore[misc]
        count += 1
        assert not Secret(token).is_in(everything(tmp_path)), (name, place)
        for each in tmp_path.iterdir():
            each.unlink()
    assert count > 1_000


def test_the_saved_form_that_is_left_is_json(path: Path) -> None:
    session = grown(path)
    forget(session, lambda history: redact(history, SECRET))
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["at"] for line in lines if "role" in line] == list(range(len(session.load())))
