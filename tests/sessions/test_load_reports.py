"""What a report of loading says in words, and when it says that a file was sound."""

from __future__ import annotations

import errno
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from message_history import Repair, RepairCode
from message_history.files.damaged_json import LineNote
from message_history.storage.sessions.reading import LoadReport, as_session_error

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
