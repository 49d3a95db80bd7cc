"""A session file after a crash: whatever is left of it loads, and nothing that was there is lost silently."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest

from message_history import MessageHistory, RepairCode, check
from message_history.dialects import Native
from message_history.files import disk
from message_history.files import own_lines as lines
from message_history.storage import JsonlSession, SessionConflictError, SessionError
from message_history.storage.sessions import jsonl, locking
from tests.needs import needs_locks, needs_processes
from tests.sessions.growing import LONG, of_length, steps, write_for_ever

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MESSAGES = 200
CYCLES = 1_000 if LONG else 30
LARGE = 60_000
"""A session that has grown to so many bytes is begun anew, so that a thousand cycles take minutes."""


def session(path: Path) -> JsonlSession:
    return JsonlSession(path, fsync="never")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


@pytest.fixture
def whole(path: Path) -> bytes:
    """Give the content of a session file that was appended to, message by message."""
    writer = session(path)
    for history in islice(steps(MessageHistory()), 3 * MESSAGES):
        writer.append(history)
        if len(history) == MESSAGES:
            break
    return path.read_bytes()


def loads_and_mends(path: Path, data: bytes) -> tuple[JsonlSession, MessageHistory]:
    """Load damaged content: valid, the backup is what was there, and loading again changes nothing."""
    path.write_bytes(data)
    reader = session(path)
    history = reader.load()
    assert not check(history.to_list(), Native())
    report = reader.report
    if report.clean:
        assert path.read_bytes() == data
        assert report.backup is None
        return reader, history
    assert report.backup is not None
    assert report.backup.read_bytes() == data
    repaired = path.read_bytes()
    again = session(path)
    assert again.load() == history
    assert again.report.clean, str(again.report)
    assert again.load().repairs == history.repairs
    assert path.read_bytes() == repaired
    report.backup.unlink()
    return reader, history


def test_cut_off_at_every_byte_a_session_keeps_every_complete_message(path: Path, whole: bytes) -> None:
    ends = [0]
    while ends[-1] < len(whole):
        ends.append(whole.index(b"\n", ends[-1]) + 1)
    complete: list[list[dict[str, object]]] = [[]]
    for start, end in pairwise(ends):
        line = json.loads(whole[start:end])
        before = complete[-1]
        complete.append([*before[: line["at"]], line["content"]] if "at" in line else before)
    assert len(complete[-1]) == MESSAGES
    near = {end + more for end in ends[::30] for more in (-1, 0, 1)}
    some = {*range(0, len(whole), 1_499), *range(0, 60, 3), *near, len(whole)}
    cuts = range(len(whole) + 1) if LONG else sorted(cut for cut in some if 0 <= cut <= len(whole))
    for cut in cuts:
        reader, history = loads_and_mends(path, whole[:cut])
        full = sum(end <= cut for end in ends) - 1
        # A line whose end alone is missing is complete.
        full += cut + 1 in ends and cut > 0
        assert [entry["content"] for entry in history.to_list()] == complete[full]
        assert reader.report.clean == (cut in ends and cut > 0), cut
        assert not reader.report.repairs
        if not history and cut < ends[1]:
            assert str(reader.report).startswith("0 messages; ")
            assert "line 1: " in str(reader.report)


@pytest.mark.heavy
def test_with_any_line_gone_the_others_are_still_there(path: Path, whole: bytes) -> None:
    rows = whole.splitlines(keepends=True)
    for number in range(0, len(rows), 1 if LONG else 13):
        reader, history = loads_and_mends(path, b"".join([*rows[:number], b'{"at": 3, "ro\xff\n', *rows[number + 1 :]]))
        assert reader.report.skipped == 1
        assert reader.report.notes[0].line == number + 1
        places = [json.loads(row).get("at") for row in rows]
        gone = places.pop(number)
        is_lost = gone is not None and gone not in places and gone < max(filter(None, places))
        assert reader.report.lost == ((gone,) if is_lost else ())
        assert MESSAGES - 3 <= len(history) <= MESSAGES


def test_a_header_that_is_lost_is_written_anew(path: Path, whole: bytes) -> None:
    reader, history = loads_and_mends(path, whole.partition(b"\n")[2])
    assert [note.detail for note in reader.report.notes] == ["the header is missing"]
    assert len(history) == MESSAGES
    assert path.read_bytes().startswith(lines.header())


def test_zeros_after_a_power_failure_are_skipped(path: Path, whole: bytes) -> None:
    rows = whole.splitlines(keepends=True)
    reader, history = loads_and_mends(path, whole + b"\0" * 4096)
    assert (len(history), reader.report.skipped) == (MESSAGES, 1)
    reader, history = loads_and_mends(path, b"".join(rows[:-1]) + b"\0" * 512 + rows[-1])
    assert (len(history), reader.report.skipped) == (MESSAGES, 0)
    reader, history = loads_and_mends(path, b"\0" * 4096)
    assert (len(history), reader.report.skipped) == (0, 1)


def test_sessions_that_were_written_behind_one_another_are_all_kept(path: Path) -> None:
    one = b"".join(lines.whole_lines(of_length(5)))
    reader, history = loads_and_mends(path, one + one)
    assert "a header in the middle" in str(reader.report)
    assert [message.text for message in history][:5] == [*(message.text for message in of_length(4)), "q1\nq0"]
    assert len(history) == 9


def test_lines_out_of_place_are_kept_in_the_order_in_which_they_stand(path: Path) -> None:
    rows = [*lines.whole_lines(MessageHistory().add_user("a").add_assistant("b").add_user("c").add_assistant("d"))]
    _, history = loads_and_mends(path, b"".join([*rows[:1], *rows[3:], *rows[1:3]]))
    assert [message.text for message in history] == ["c", "d", "a", "b"]
    _, history = loads_and_mends(path, rows[0] + b"".join(b'{"role": "user", "content": "plain"}\n' for _ in range(2)))
    assert [message.text for message in history] == ["plain\nplain"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"not a session\n",
        b"[1, 2]\n",
        b"\xff\xfeu\0t\0f\0",
        b'{"a": 1}\n{"b": 2}\n',
        json.dumps(of_length(4).for_send()).encode(),
    ],
    ids=["binary", "text", "list", "utf-16", "objects", "messages"],
)
def test_a_file_without_any_line_of_a_session_is_refused_and_stays_as_it_is(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    for use in (JsonlSession.load, lambda file: file.append(of_length(3)), lambda file: file.save(of_length(3))):
        with pytest.raises(SessionError, match=r"holds no session .*from_file"):
            use(session(path))
        assert path.read_bytes() == data
        assert [found.name for found in path.parent.iterdir() if found.suffix != ".lock"] == ["chat.jsonl"]


def test_a_blank_file_is_an_empty_session(path: Path) -> None:
    path.write_bytes(b"\n\n")
    session(path).append(of_length(3))
    assert session(path).load() == of_length(3)


def test_a_result_whose_call_was_lost_is_recorded_once(path: Path) -> None:
    rows = [*lines.whole_lines(of_length(8))]
    reader, history = loads_and_mends(path, b"".join(rows[:2] + rows[3:]))
    assert reader.report.lost == (1,)
    assert RepairCode.ORPHAN_RESULT_DROPPED in {repair.code for repair in reader.report.repairs}
    assert history.repairs


def test_a_line_that_is_too_long_is_skipped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.storage.sessions.reading.MAX_LINE", 500)
    rows = [*lines.whole_lines(of_length(4))]
    for end in (b"\n", b""):
        reader, history = loads_and_mends(path, b"".join(rows) + b'{"at": 4, "role": "' + b"x" * 1_000 + end)
        assert reader.report.skipped == 1
        assert "longer than 500 bytes" in str(reader.report)
        assert history == of_length(4)
    reader, history = loads_and_mends(path, b"x" * 10_000 + b"\n" + b"".join(rows[1:]))
    assert history == of_length(4)


def test_a_session_in_the_middle_of_a_write_is_waited_for(
    path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What looks damaged before the lock is held, and is not when it is, was being written."""
    path.write_bytes(whole[:-10])
    reader = session(path)

    def arrive(self: JsonlSession) -> object:
        path.write_bytes(whole)
        return locked(self)

    locked = JsonlSession._locked
    monkeypatch.setattr(JsonlSession, "_locked", arrive)
    assert len(reader.load()) == MESSAGES
    assert reader.report.clean
    assert reader.report.backup is None


def kill_cycles(path: Path, cycles: int) -> Iterable[tuple[list[int], bytes]]:
    """Start a writer and kill it, again and again.

    Args:
        path: the session file.
        cycles: how often.

    Yields:
        The lengths that it said were saved, and how it left the file.
    """
    chance = random.Random(5)
    for cycle in range(cycles):
        here, there = os.pipe()
        writer = os.fork()
        if not writer:
            try:
                write_for_ever(path, there, piece=16 if cycle % 2 else None)
            finally:
                os._exit(1)
        os.close(there)
        with os.fdopen(here, "rb") as recorded:
            first = recorded.readline()
            time.sleep(chance.random() * 0.004)
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            numbers = (first + recorded.read()).split(b"\n")
        yield list(map(int, numbers[:-1])), path.read_bytes()
        if path.stat().st_size > LARGE:
            path.unlink()


@pytest.mark.heavy
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_again_and_again_a_writer_loses_nothing_that_was_saved(path: Path) -> None:
    written = torn = 0
    for acknowledged, data in kill_cycles(path, CYCLES):
        reader = session(path)
        found = reader.load()
        assert len(found) >= max(acknowledged)
        assert not check(found.to_list(), Native())
        assert not reader.report.lost
        assert not reader.report.repairs
        written += len(acknowledged)
        torn += not data.endswith(b"\n")
        assert reader.report.clean == data.endswith(b"\n")
    assert written >= CYCLES
    # What was torn was kept, in backups of their own.
    backups = len(list(path.parent.glob("chat.jsonl.bak*")))
    assert backups == torn
    assert torn or not LONG
    print(f"{CYCLES} kills: {written} appends acknowledged, {torn} last lines torn")  # noqa: T201


@pytest.mark.heavy
@needs_processes
def test_killed_while_it_replaces_a_file_a_writer_leaves_the_old_or_the_new(path: Path) -> None:
    chance = random.Random(6)
    old, new = of_length(60), of_length(80)
    for _ in range(CYCLES):
        session(path).save(old)
        writer = os.fork()
        if not writer:
            try:
                mine = session(path)
                while True:
                    mine.save(new)
                    mine.save(old)
            finally:
                os._exit(1)
        time.sleep(0.005 + chance.random() * 0.01)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        reader = session(path)
        assert reader.load() in (old, new)
        assert reader.report.clean


@needs_processes
def test_two_processes_that_append_take_turns_and_lose_nothing(path: Path) -> None:
    writers = 4
    children = []
    for number in range(writers):
        child = os.fork()
        if not child:
            try:
                mine = session(path)
                for message in range(10):
                    while True:
                        try:
                            mine.append(mine.load().add_user(f"{number}.{message}").add_assistant("noted"))
                            break
                        except SessionConflictError:
                            continue
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * writers
    reader = session(path)
    texts = [message.text for message in reader.load() if message.role == "user"]
    assert reader.report.clean
    assert sorted(texts) == sorted(f"{number}.{message}" for number in range(writers) for message in range(10))


def test_a_crash_while_the_backup_is_made_leaves_the_file(
    path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(whole[:-10])

    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk, "_write", fail)
    reader = session(path)
    assert len(reader.load()) == MESSAGES - 1
    assert "Input/output error" in str(reader.report.problem)
    assert path.read_bytes() == whole[:-10]
    assert disk.stamp_of(path) is not None


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let no backup fit on the disk, until it is undone."""

    def back_up(*_: object, **__: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jsonl, "back_up", back_up)
    return monkeypatch


@needs_locks
def test_what_is_appended_to_a_damaged_file_that_could_not_be_mended_before_is_kept(path: Path, whole: bytes) -> None:
    path.write_bytes(whole[:-20])
    with locking.locked(path, 1):
        writer = JsonlSession(path, fsync="never", lock_timeout=0.05)
        history = writer.load()
        assert "held its lock" in str(writer.report.problem)
    history = history.add_user("more").add_assistant("noted")
    writer.append(history)
    assert path.with_name("chat.jsonl.bak").read_bytes() == whole[:-20]
    reader = session(path)
    assert reader.load() == history
    assert reader.report.clean


@pytest.mark.parametrize("write", ["append", "save"])
def test_a_damaged_file_is_not_written_to_as_long_as_it_cannot_be_kept(
    path: Path, whole: bytes, full: pytest.MonkeyPatch, write: str
) -> None:
    path.write_bytes(whole[:-20])
    writer = session(path)
    history = writer.load().add_user("more")
    for _ in range(2):
        with pytest.raises(SessionError, match="No space left on device"):
            getattr(writer, write)(history)
        assert path.read_bytes() == whole[:-20]
    full.undo()
    getattr(writer, write)(history)
    assert path.with_name("chat.jsonl.bak").read_bytes() == whole[:-20]
    assert session(path).load() == history


def test_a_damaged_file_that_was_not_read_is_not_overwritten_by_trying_again(
    path: Path, whole: bytes, full: pytest.MonkeyPatch
) -> None:
    path.write_bytes(whole[:-20])
    writer, other = session(path), MessageHistory().add_user("other")
    for _ in range(2):
        with pytest.raises(SessionError, match="No space left on device"):
            writer.append(other)
        assert path.read_bytes() == whole[:-20]
    full.undo()
    for _ in range(2):
        with pytest.raises(SessionConflictError, match="another history"):
            writer.append(other)
    assert path.with_name("chat.jsonl.bak").read_bytes() == whole[:-20]
    assert len(session(path).load()) == MESSAGES - 1


def test_nothing_is_written_behind_a_line_without_an_end(path: Path) -> None:
    path.write_bytes(b"cut off")
    with pytest.raises(OSError, match="the last line does not end with a line break"):
        disk.append(path, b"{}\n", sync=False)
    assert path.read_bytes() == b"cut off"
