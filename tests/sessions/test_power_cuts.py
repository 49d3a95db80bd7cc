"""After a power cut, whatever the disk has kept, a session holds all that was acknowledged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from message_history import MessageHistory, TextBlock, ToolUseBlock
from message_history.cli.app import app
from message_history.storage import JsonlSession
from tests.sessions.power_cuts import Disk, Event, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="what a cut leaves is that of POSIX")


def versions() -> list[MessageHistory]:
    """Give a history after each of some steps, all of which a session appends."""
    steps: list[Callable[[MessageHistory], MessageHistory]] = [
        lambda history: history.add_user("What's the weather?"),
        lambda history: history.add_assistant([TextBlock("I look."), ToolUseBlock("1", "weather", {})]),
        lambda history: history.record_call("1", "started"),
        lambda history: history.add_tool_result("1", "sunny"),
        lambda history: history.add_assistant("Sunny.").add_user("And tomorrow?"),
        lambda history: history.with_system("Be brief."),
        lambda history: history.add_assistant("Rain."),
    ]
    found = [MessageHistory()]
    for step in steps:
        found.append(step(found[-1]))
    return found


def check_disks(recorder: Recorder, acknowledged: list[int], expected: list[MessageHistory], folder: Path) -> int:
    """Load each disk: it holds the version that was acknowledged last, or the one that was on its way."""
    count = 0
    for count, (cut, disk) in enumerate(recorder.disks(), 1):
        done = sum(position <= cut for position in acknowledged)
        allowed = expected[done : done + 2]
        loaded = load(disk, folder / str(count))
        # Of two messages in one append the first may be there alone.
        is_half = allowed[0][:] == loaded[: len(allowed[0])] and loaded[:] == allowed[-1][: len(loaded)]
        assert loaded in allowed or is_half, (cut, recorder.events[:cut], sorted(disk))
    return count


def load(disk: Disk, folder: Path) -> MessageHistory:
    folder.mkdir()
    for name, content in disk.items():
        (folder / name).write_bytes(content)
    return JsonlSession(folder / "chat.jsonl", fsync="never").load()


@pytest.mark.parametrize("way", ["append", "save"])
def test_no_acknowledged_write_is_lost(tmp_path: Path, way: str) -> None:
    written, loaded = tmp_path / "written", tmp_path / "loaded"
    written.mkdir()
    loaded.mkdir()
    recorder, acknowledged, expected = Recorder(written), [], versions()
    session = JsonlSession(written / "chat.jsonl")
    with recorder.recording():
        for history in expected[1:]:
            getattr(session, way)(history)
            acknowledged.append(len(recorder.events))
    assert check_disks(recorder, acknowledged, expected, loaded) > 60


@pytest.mark.parametrize("way", ["load", "doctor"])
def test_a_repair_that_is_cut_off_loses_nothing_that_it_would_keep(tmp_path: Path, way: str) -> None:
    written, loaded = tmp_path / "written", tmp_path / "loaded"
    written.mkdir()
    loaded.mkdir()
    path = written / "chat.jsonl"
    history = versions()[-1]
    JsonlSession(path).save(history)
    path.write_bytes(path.read_bytes() + b'{"at": 6, "role": "us')
    recorder = Recorder(written)
    with recorder.recording():
        if way == "load":
            JsonlSession(path).load()
        else:
            CliRunner().invoke(app, ["doctor", str(written), "--fix", "--in-place"])
    assert any(event.kind == "move" for event in recorder.events)
    assert check_disks(recorder, [], [history], loaded) > 8
    for _, disk in recorder.disks():
        # The file as it was is never gone before its copy is there.
        assert disk["chat.jsonl"].endswith(b'"us') or any(data.endswith(b'"us') for data in disk.values())


def test_a_write_that_nobody_waited_for_is_found_lost(tmp_path: Path) -> None:
    """Without `fsync` a cut takes what was acknowledged: the disks show that."""
    written, loaded = tmp_path / "written", tmp_path / "loaded"
    written.mkdir()
    loaded.mkdir()
    recorder, acknowledged, expected = Recorder(written), [], versions()
    session = JsonlSession(written / "chat.jsonl", fsync="never")
    with recorder.recording():
        for history in expected[1:4]:
            session.append(history)
            acknowledged.append(len(recorder.events))
    assert not any(event.kind in ("sync", "names") for event in recorder.events)
    with pytest.raises(AssertionError):
        check_disks(recorder, acknowledged, expected, loaded)


def test_names_may_reach_the_disk_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    recorder = Recorder(tmp_path)
    recorder.events = [Event("make", "b", 1), Event("write", 1, (0, b"new")), Event("move", "b", "a")]
    recorder.contents[1] = b""
    found = {tuple(sorted(disk.items())) for cut, disk in recorder.disks() if cut == 3}
    halves = {(("a", data),) for data in (b"", b"n", bytes(3), b"new")}
    assert found >= {*halves, (("a", b"old"),), (("a", b"old"), ("b", b"new"))}
