"""What a report of loading says in words, and when it says that a file was sound."""

from __future__ import annotations

import errno
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from message_history import Repair, RepairCode
from message_history.files.damaged_json import LineNote
from message_history.files.own_lines import header, whole_lines
from message_history.storage import JsonlSession, SessionError
from message_history.storage.sessions.reading import SHORT, LoadReport, as_session_error
from tests.sessions.growing import of_length

REPAIR = Repair(code=RepairCode.REWRITTEN, index=0, detail="x")
SKIPPED, KEPT = LineNote(line=2, detail="cut off", skipped="{"), LineNote(line=3, detail="the line has no end")
SAYS: dict[str, list[tuple[Any, list[str]]]] = {
    "messages": [(0, ["0 messages"]), (1, ["1 message"]), (1_000, ["1,000 messages"])],
    "notes": [
        ((), []),
        ((KEPT,), ["line 3: the line has no end"]),
        ((SKIPPED, KEPT), ["1 damaged line skipped", "line 2: cut off", "line 3: the line has no end"]),
        ((SKIPPED,) * 4, ["4 damaged lines skipped", *["line 2: cut off"] * 3]),
    ],
    "lost": [((), []), ((4,), ["1 message lost"]), ((4, 5), ["2 messages lost"])],
    "repairs": [((), []), ((REPAIR,), ["1 repair"]), ((REPAIR,) * 2, ["2 repairs"])],
    "backup": [(None, []), (Path("a.bak"), ["the old file is kept as a.bak"])],
    "problem": [(None, []), ("no place", ["the file was not changed: no place"]), ("", ["the file was not changed: "])],
}


def test_a_report_says_all_that_it_has_in_one_order() -> None:
    for chosen in product(*SAYS.values()):
        found = dict(zip(SAYS, chosen, strict=True))
        report = LoadReport(**{name: value for name, (value, _) in found.items()})
        notes = found["notes"][1]
        skipped = [part for part in notes if part.endswith("skipped")]
        words = [*found["messages"][1], *skipped, *found["lost"][1], *found["repairs"][1]]
        words += [*notes[len(skipped) :], *found["backup"][1], *found["problem"][1]]
        assert str(report) == "; ".join(words)
        assert report.clean is not bool(found["notes"][0] or found["lost"][0] or found["repairs"][0])
        assert report.skipped == sum(note is SKIPPED for note in found["notes"][0])


def test_without_a_file_a_report_says_nothing_else() -> None:
    assert str(LoadReport(missing=True, messages=3, problem="x")) == "there is no file yet"
    assert LoadReport() == LoadReport(
        messages=0, missing=False, notes=(), lost=(), repairs=(), backup=None, problem=None
    )


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (IsADirectoryError(errno.EISDIR, "x"), "this is a folder, not a file"),
        (PermissionError(errno.EACCES, "x"), "there is no permission to read or write it"),
        (OSError(errno.EIO, "the disk"), "the disk"),
        (OSError("no errno"), "no errno"),
    ],
)
def test_an_error_of_the_disk_is_told_with_the_path(error: OSError, why: str) -> None:
    assert str(as_session_error(Path("a.jsonl"), error)) == f"a.jsonl: {why}"


def written(path: Path, data: bytes) -> JsonlSession:
    path.write_bytes(data)
    return JsonlSession(path, fsync="never")


def told(session: JsonlSession) -> list[tuple[int, str]]:
    return [(note.line, note.detail) for note in session.report.notes]


def test_a_last_line_without_an_end_is_told_once_and_ended_in_the_file(tmp_path: Path) -> None:
    whole = b"".join(whole_lines(of_length(3)))
    session = written(tmp_path / "a.jsonl", whole[:-1])
    assert session.load() == of_length(3)
    assert told(session) == [(4, "the line has no end")]
    assert (session.report.skipped, session.path.read_bytes()) == (0, whole)
    assert session.report.backup is not None
    assert session.report.backup.read_bytes() == whole[:-1]
    # One that cannot be read either is told for that alone.
    session = written(tmp_path / "b.jsonl", whole[:-3])
    session.load()
    assert [line for line, _ in told(session)] == [4]
    assert session.report.skipped == 1
    # What is told of a line before it hides nothing.
    first, _, rest = whole.partition(b"\n")
    session = written(tmp_path / "c.jsonl", first + b'\n{"at": \n' + rest[:-1])
    assert session.load() == of_length(3)
    assert [line for line, _ in told(session)] == [2, 5]


def test_a_line_that_is_too_long_is_told_and_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(whole_lines(of_length(3)))
    limit = max(map(len, lines))
    monkeypatch.setattr("message_history.storage.sessions.reading.MAX_LINE", limit)
    session = written(tmp_path / "a.jsonl", b"".join(lines) + b" " * limit + b"\n")
    assert session.load() == of_length(3)
    assert told(session) == []
    session = written(tmp_path / "b.jsonl", b"".join(lines) + b" " * (limit + 1) + b"\n")
    assert session.load() == of_length(3)
    assert told(session) == [(5, f"longer than {limit:,} bytes")]
    assert session.report.skipped == 1


def test_a_file_that_was_cut_in_its_header_is_a_beginning_up_to_a_size(tmp_path: Path) -> None:
    start = header(about={"title": "x" * 2 * SHORT})
    session = written(tmp_path / "a.jsonl", start[:SHORT])
    assert len(session.load()) == 0
    session = written(tmp_path / "b.jsonl", start[: SHORT + 1])
    with pytest.raises(SessionError, match="it holds no session of this library"):
        session.load()


@pytest.mark.parametrize("size", [0, 1, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT])
@pytest.mark.parametrize("filler", [b"\n", b" ", b"\0", b"\xef\xbb\xbf\n"])
def test_a_file_of_nothing_is_an_empty_session_whatever_its_size(tmp_path: Path, size: int, filler: bytes) -> None:
    session = written(tmp_path / "a.jsonl", filler * size)
    assert len(session.load()) == 0
    assert session.report.notes[-1].detail in ("the header is missing", "the file is empty", "the line has no end")
    assert told(session).count((1, "the file is empty")) == (not size)
    assert session.path.read_bytes() == b"".join(whole_lines(session.load()))


@pytest.mark.parametrize(
    "line", [b'{"role": "system", "content": "x"}\n', b'{"at": 0, "role": "user", "content": []}\n']
)
def test_what_was_refused_is_in_the_report_too(tmp_path: Path, line: bytes) -> None:
    session = written(tmp_path / "a.jsonl", line)
    with pytest.raises(SessionError, match="it holds no session of this library"):
        session.load()
    assert told(session) == [(1, "no line of a session")]
    assert session.report.skipped == 1
    assert repr(session).endswith("line 1: no line of a session)")


def test_who_writes_to_a_damaged_file_without_loading_it_is_warned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = written(tmp_path / "a.jsonl", b"".join(whole_lines(of_length(3))) + b'{"n')
    session.append(of_length(4))
    assert caplog.messages[-1] == f"{session.path}: {session.report}"
    assert "1 damaged line skipped" in caplog.messages[-1]
    assert session.report.backup is not None
    assert JsonlSession(session.path).load() == of_length(4)


def test_a_session_shows_its_file_and_what_was_found(tmp_path: Path) -> None:
    session = JsonlSession(tmp_path / "a.jsonl")
    assert repr(session) == f"JsonlSession({str(session.path)!r}, there is no file yet)"
    session.append(of_length(3))
    session.load()
    assert repr(session) == f"JsonlSession({str(session.path)!r}, 3 messages)"
