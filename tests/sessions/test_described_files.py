"""What is said of a session in a file, and what a folder lists of its files."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from message_history.files.own_lines import header
from message_history.storage import JsonlSession, SessionConflictError, SessionError, SessionInfo
from message_history.storage.sessions.folder import LONGEST
from tests.sessions.growing import of_length

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def session(path: Path) -> JsonlSession:
    return JsonlSession(path, fsync="never", clock=lambda: 7.0)


def test_who_has_loaded_a_file_describes_it_and_goes_on(path: Path) -> None:
    session(path).append(of_length(2))
    one = session(path)
    one.append(one.load().add_user("more"))
    one.describe(title="T")
    one.append(session(path).load().add_assistant("and more"))
    one.save(of_length(2))
    assert (session(path).load(), one.info().title) == (of_length(2), "T")


def test_who_only_describes_a_file_has_not_read_it(path: Path) -> None:
    session(path).append(of_length(3))
    one = session(path)
    one.describe(title="T")
    with pytest.raises(SessionConflictError, match="it holds another history, of 3 messages"):
        one.append(of_length(1).add_assistant("another"))
    one.append(of_length(5))
    assert session(path).load() == of_length(5)


def test_when_a_file_was_begun_is_said_once_and_by_the_clock(path: Path) -> None:
    assert session(path).describe(title="T").created == 7.0
    assert JsonlSession(path, clock=lambda: 9.0).describe(title="U").created == 7.0
    path.unlink()
    assert session(path).describe(created=datetime.fromtimestamp(3, UTC)).created == 3.0
    path.unlink()
    # A file that holds messages already does not say.
    session(path).append(of_length(1))
    assert session(path).describe(title="T").created is None


def test_what_is_not_said_anew_stays(path: Path) -> None:
    one = session(path)
    one.describe(owner="a", title="T", labels=["y", "x", "y"])
    for changes, wanted in (
        ({}, ("a", "T", ("x", "y"))),
        ({"owner": "b"}, ("b", "T", ("x", "y"))),
        ({"labels": []}, ("b", "T", ())),
        ({"title": ""}, ("b", "", ())),
        ({"owner": ""}, ("", "", ())),
    ):
        info = one.describe(**changes)
        assert (info.owner, info.title, info.labels) == wanted
        assert info == one.info() == JsonlSession.sessions(path.parent)[0]


@pytest.mark.parametrize("changed", range(1_795_841_950_881_484_000, 1_795_841_950_881_484_900, 100))
def test_what_a_session_says_of_itself_is_what_its_folder_lists(path: Path, changed: int) -> None:
    one = session(path)
    one.describe(owner="a")
    os.utime(path, ns=(changed, changed))
    assert JsonlSession.sessions(path.parent) == [one.info()]
    assert JsonlSession.sessions(path.parent, after=one.info().cursor) == []


def test_what_is_said_has_lengths_that_are_still_taken(path: Path) -> None:
    most: dict[str, Any] = {"owner": "o" * 255, "title": "t" * 1_000, "labels": ["l" * 255, "\ud7ff\ue000"]}
    info = session(path).describe(**most)
    assert (info.owner, info.title, info.labels) == (most["owner"], most["title"], tuple(most["labels"]))
    wrong: list[dict[str, Any]] = [
        {"owner": "o" * 256},
        {"title": "t" * 1_001},
        {"title": "\udfff"},
        {"title": "\ud800"},
    ]
    for each, limit in zip(wrong, (255, 1_000, 1_000, 1_000), strict=True):
        with pytest.raises(ValueError, match=f"must be valid Unicode of at most {limit} characters"):
            session(path).describe(**each)
    with pytest.raises(ValueError, match="a label must be a str of 1 to 255 characters, not an empty one"):
        session(path).describe(labels=["a", ""])


def test_what_somebody_else_wrote_of_a_session_is_passed_over(path: Path) -> None:
    wrong = {"owner": 1, "title": ["T"], "labels": ["a", 2, "b"], "created": True}
    for about, wanted in (
        (wrong, ("", "", ("a", "b"), None)),
        ({**wrong, "labels": "ab", "created": 3}, ("", "", (), 3)),
        ({"owner": "o", "title": "t", "created": "1"}, ("o", "t", (), None)),
        ([wrong], ("", "", (), None)),
    ):
        path.write_text(json.dumps({**json.loads(header()), "about": about}) + "\n")
        info = session(path).info()
        assert (info.owner, info.title, info.labels, info.created) == wanted


def test_of_no_session_nothing_is_said(path: Path) -> None:
    nothing = SessionInfo(session=str(path))
    assert session(path).info() == nothing
    for text in ("{}\n", "[]\n", "no JSON\n", "", "null\n"):
        path.write_text(text)
        assert session(path).info() == nothing
        assert JsonlSession.sessions(path.parent) == []
    path.unlink()
    path.mkdir()
    with pytest.raises(SessionError, match="this is a folder, not a file"):
        session(path).info()
    with pytest.raises(SessionError, match="this is a folder, not a file"):
        JsonlSession.sessions(path.parent)


def test_a_header_is_read_up_to_a_length(path: Path) -> None:
    for length, listed in ((LONGEST, True), (LONGEST + 1, False)):
        bare = len(header(about={"labels": [""]})) - 1
        path.write_bytes(header(about={"labels": ["x" * (length - bare)]}))
        assert path.stat().st_size == length + 1
        assert bool(JsonlSession.sessions(path.parent)) is listed


def test_files_of_one_time_are_listed_by_name_and_a_cursor_goes_on_between_them(tmp_path: Path) -> None:
    names = ["a b.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]
    for name in names:
        session(tmp_path / name).describe(owner=name[0], labels=["x"] if name < "c" else [])
        os.utime(tmp_path / name, (5.5, 5.5))
    found = JsonlSession.sessions(tmp_path)
    assert [each.session for each in found] == [str(tmp_path / name) for name in reversed(names)]
    for number, each in enumerate(found):
        assert each.cursor == f"5.5 {names[-1 - number]}"
        assert JsonlSession.sessions(tmp_path, after=each.cursor) == found[number + 1 :]
        assert JsonlSession.sessions(tmp_path, limit=number) == found[:number]
    assert JsonlSession.sessions(tmp_path, label="x", limit=1) == found[2:3]
    assert JsonlSession.sessions(tmp_path, owner="") == []
    for wrong in ("", "5.5", "x y", 3):
        with pytest.raises(ValueError, match="after must be the `cursor` of a listed session"):
            JsonlSession.sessions(tmp_path, after=wrong)  # type: ignore[arg-type]


def test_a_file_that_is_deleted_while_a_folder_is_listed_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from message_history.storage.sessions import folder  # noqa: PLC0415 - is changed here

    for name in "abc":
        session(tmp_path / f"{name}.jsonl").describe(title=name)
        os.utime(tmp_path / f"{name}.jsonl", (1, 1))
    content = folder.content  # type: ignore[attr-defined]

    def late(path: Path, limit: int) -> bytes:
        (tmp_path / "b.jsonl").unlink(missing_ok=True)
        return content(path, limit)

    monkeypatch.setattr(folder, "content", late)
    assert [each.title for each in JsonlSession.sessions(tmp_path)] == ["c", "a"]
    (tmp_path / "d.jsonl").symlink_to("nowhere")
    assert [each.title for each in JsonlSession.sessions(tmp_path)] == ["c", "a"]


def test_a_session_is_deleted_with_all_that_is_left_of_it(path: Path) -> None:
    assert not session(path).delete()
    path.with_name("chat.jsonl.bak").write_text("old")
    assert session(path).delete()
    session(path).append(of_length(2))
    one = session(path)
    assert one.load() == of_length(2)
    assert one.delete()
    assert one.report.missing
    assert list(path.parent.iterdir()) == []
    # Who has deleted it may begin it again.
    one.append(of_length(1))
    assert session(path).load() == of_length(1)
    path.write_text("{}\n")
    with pytest.raises(SessionError, match="it holds no session"):
        one.delete()
