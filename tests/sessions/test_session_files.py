"""Session files: what was saved is what is loaded, and appending writes what is new and nothing else."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from datetime import timedelta
from itertools import islice, pairwise
from operator import methodcaller
from pathlib import Path
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import (
    Message,
    MessageHistory,
    Policy,
    Repair,
    RepairCode,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.dialects.state import repair_from_json, repair_to_json
from message_history.files import disk
from message_history.files import own_lines as lines
from message_history.integrations.strategies import broken_lists, histories, messages
from message_history.storage import (
    JsonlSession,
    NotAContinuationError,
    SessionConflictError,
    SessionError,
    SessionLockedError,
)
from message_history.storage.sessions import jsonl, locking
from tests.needs import needs_locks, needs_system_errors
from tests.sessions.growing import of_length, same, steps

if TYPE_CHECKING:
    from collections.abc import Callable


def session(path: Path, **more: Any) -> JsonlSession:
    return JsonlSession(path, fsync="never", **more)


def loaded(path: Path, policy: Policy | None = None) -> MessageHistory:
    """Load a file that must be sound."""
    fresh = session(path, policy=policy)
    history = fresh.load()
    assert fresh.report.clean, str(fresh.report)
    return history


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def test_the_format_is_what_the_docs_say(path: Path) -> None:
    history = MessageHistory().with_system("Be brief.").add_user("hi").add_assistant([ToolUseBlock("1", "run", {})])
    history = history.add_user([" ", "and?"]).as_sent()
    stub = {
        "type": "tool_result",
        "tool_use_id": "1",
        "content": [{"type": "text", "text": Policy().stub_text}],
        "is_error": True,
        "mark": {"kind": "stub", "reason": "not_recorded", "key": history.calls[0].key},
    }
    keyless = {**stub, "mark": {"kind": "stub", "reason": "not_recorded"}}
    session(path).save(history)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"format": "message-history session", "version": 1},
        {"role": "system", "content": [{"type": "system", "text": "Be brief."}], "native": 1},
        {"at": 0, "role": "user", "content": [{"type": "text", "text": "hi"}], "native": 1},
        {
            "at": 1,
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "run", "input": {}}],
            "native": 1,
        },
        {
            "at": 2,
            "role": "user",
            "content": [stub, {"type": "text", "text": "and?"}],
            "native": 1,
            "repairs": [
                {"code": "blank_text_dropped", "index": 2, "removed": [{"block": {"type": "text", "text": " "}}]}
            ],
            "first_repair": 0,
            "standing": [
                {"code": "result_stubbed", "index": 2, "added": [keyless], "detail": "call '1' of 'run', not_recorded"}
            ],
        },
    ]


@given(histories(max_size=12))
def test_what_was_saved_is_what_is_loaded(history: MessageHistory) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        session(path).save(history)
        assert same(loaded(path, history.policy), history)
        session(path).save(loaded(path, history.policy))
        assert same(loaded(path, history.policy), history)


@given(broken_lists())
def test_repairs_are_kept_beside_the_messages(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        session(path).append(history)
        assert loaded(path).repairs == history.repairs
    for repair in history.repairs:
        assert repair_from_json(json.loads(json.dumps(repair_to_json(repair)))) == repair


OTHERWISE = ("call", "close", "cut", "answer")


@given(histories(max_size=6), st.lists(st.one_of(messages(), st.sampled_from(OTHERWISE)), max_size=8), st.booleans())
def test_appending_gives_what_saving_gives_at_every_step(
    history: MessageHistory, later: list[Any], restarts: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        writer = session(path, policy=history.policy)
        writer.append(history)
        assert same(loaded(path, history.policy), history)
        for step in later:
            if restarts:
                writer = session(path, policy=history.policy)
                history = writer.load()
            if isinstance(step, Message):
                history = history.add(step)
            elif step == "call":
                history = history.add_assistant([ToolUseBlock("1", "run", {}), ToolUseBlock("2", "run", {})])
            elif step == "close":
                history = history.as_sent()
            elif step == "cut" and history:
                history = history.drop_before(history.safe_cuts()[-1])
            elif step == "answer" and history.awaiting:
                history = history.add_tool_result(history.awaiting[-1], "done")
            writer.save(history) if step == "cut" else writer.append(history)
            assert same(loaded(path, history.policy), history)


def test_appending_writes_only_what_is_new(path: Path) -> None:
    writer = session(path)
    before = b""
    for number, history in enumerate(islice(steps(MessageHistory()), 60)):
        writer.append(history)
        data = path.read_bytes()
        assert data.startswith(before)
        if number:
            assert len(data[len(before) :].splitlines()) == 1
        before = data
    writer.append(history)
    assert path.read_bytes() == before
    assert same(loaded(path), history)


def test_a_repair_that_stands_is_kept_when_only_a_repair_is_new(path: Path) -> None:
    history = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "run", {})]).as_sent()
    writer = session(path)
    for grown in (history, history.add_user(" ")):
        writer.append(grown)
        assert same(loaded(path), grown)
    assert [repair.code for repair in loaded(path).repairs] == [
        RepairCode.BLANK_TEXT_DROPPED,
        RepairCode.RESULT_STUBBED,
    ]


@pytest.mark.parametrize("added", ["words", "blank", "result", "reply"])
def test_a_repair_that_stands_outlives_a_restart_as_it_is(path: Path, added: str) -> None:
    first = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "run", {})]).as_sent()
    session(path).append(first)
    before = path.read_bytes()
    writer = session(path)
    history = writer.load()
    assert history.repairs == first.repairs
    writer.append(history)
    assert path.read_bytes() == before

    def grow(history: MessageHistory) -> MessageHistory:
        if added == "result":
            return history.add_tool_result("1", "done")
        if added == "reply":
            return history.add_assistant("y")
        return history.add_user("y" if added == "words" else " ")

    for grown, without_restart in (
        (grow(history), grow(first)),
        (grow(history).add_user("z"), grow(first).add_user("z")),
    ):
        writer.append(grown)
        assert grown.repairs == without_restart.repairs
        assert same(loaded(path), grown)
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("change", ["window", "rewind", "empty", "other"])
def test_a_history_that_was_cut_is_not_appended_and_saving_it_keeps_a_backup(path: Path, change: str) -> None:
    writer = session(path)
    history = of_length(40)
    writer.append(history)
    before = path.read_bytes()
    changed = {
        "window": history.window(max_messages=8),
        "rewind": history.rewind(2),
        "empty": MessageHistory(),
        "other": MessageHistory().add_user("other").extend(history[1:]),
    }[change]
    with pytest.raises(NotAContinuationError, match=r"40 messages .* send a window of it, or .* save\(history\)"):
        writer.append(changed)
    assert path.read_bytes() == before
    writer.save(changed)
    assert same(loaded(path), changed)
    assert path.with_name(f"{path.name}.bak").read_bytes() == before
    assert len(path.read_text().splitlines()) <= 2 + len(changed)


def test_another_system_prompt_is_appended(path: Path) -> None:
    writer = session(path)
    writer.append(of_length(40))
    changed = of_length(40).with_system("x").add_user("more")
    writer.append(changed)
    assert same(loaded(path), changed)


def test_a_file_does_not_grow_with_what_does_not_count_any_more(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "WASTE", 10_000)
    writer = session(path)
    history = MessageHistory().add_user("go")
    history = history.add_assistant([ToolUseBlock(str(n), "run", {}) for n in range(60)])
    for number in range(60):
        history = history.add_tool_result(str(number), "x" * 100)
        writer.append(history)
    assert path.stat().st_size < 6 * len(b"".join(lines.whole_lines(history)))
    assert same(loaded(path), history)


def test_a_session_without_a_file_is_empty_and_says_so(path: Path) -> None:
    fresh = session(path, policy=Policy(leading_assistant="drop"))
    history = fresh.load()
    assert not history
    assert history.policy == Policy(leading_assistant="drop")
    assert fresh.report.missing
    assert str(fresh.report) == "there is no file yet"
    assert not path.exists()


def test_a_policy_that_raises_refuses_nothing_that_was_saved(path: Path) -> None:
    closed = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "run", {})]).as_sent()
    session(path).save(closed)
    strict = loaded(path, Policy(on_violation="raise"))
    assert same(strict, closed)
    assert strict.policy.on_violation == "raise"


def test_two_writers_get_a_conflict_and_nothing_is_lost(path: Path) -> None:
    one, other = session(path), session(path)
    history = of_length(6)
    one.append(history)
    theirs = other.load().add_user("theirs")
    other.append(theirs)
    for write in (one.append, one.save):
        with pytest.raises(SessionConflictError, match="load it again"):
            write(history.add_user("mine"))
    assert same(loaded(path), theirs)
    one.append(one.load().add_user("mine"))
    assert loaded(path)[-1].text == "theirs\nmine"


def test_a_session_that_was_not_read_is_not_overwritten_by_appending(path: Path) -> None:
    session(path).append(of_length(6))
    with pytest.raises(SessionConflictError, match="another history, of 6 messages"):
        session(path).append(MessageHistory().add_user("other"))
    session(path).append(of_length(8))
    assert same(loaded(path), of_length(8))
    session(path).save(MessageHistory().add_user("other"))
    assert loaded(path)[0].text == "other"


def test_an_append_that_failed_does_not_count_as_reading(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 1_000)
    session(path).append(of_length(6))
    writer = session(path)
    with pytest.raises(SessionError, match="limit is 1,000"):
        writer.append(of_length(6).add_user("x" * 1_000))
    with pytest.raises(SessionConflictError, match="another history, of 6 messages"):
        writer.append(MessageHistory().add_user("other"))
    assert same(loaded(path), of_length(6))


def test_a_file_that_was_removed_is_a_conflict(path: Path) -> None:
    writer = session(path)
    writer.append(of_length(4))
    path.unlink()
    with pytest.raises(SessionConflictError):
        writer.append(of_length(5))
    assert not writer.load()


def test_another_process_is_waited_for_no_longer_than_told(path: Path) -> None:
    session(path).append(of_length(4))
    code = "import filelock, sys; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); print(1, flush=True); input()"
    command = [sys.executable, "-c", code, f"{path}.lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        for write in (session(path, lock_timeout=0.05).append, session(path, lock_timeout=0.05).save):
            with pytest.raises(SessionLockedError, match=r"another process has held its lock for 0\.05 seconds"):
                write(of_length(5))
        assert same(loaded(path), of_length(4))
        path.write_bytes(path.read_bytes()[:-5])
        reader = session(path, lock_timeout=0.05)
        assert len(reader.load()) == 3
        assert "held its lock" in str(reader.report.problem)
        assert reader.report.backup is None
        other.communicate()
    assert len(reader.load()) == 3
    assert reader.report.backup is not None


def test_threads_may_share_a_session(path: Path) -> None:
    writer = session(path)
    every = list(islice(steps(MessageHistory()), 40))
    threads = [Thread(target=writer.save, args=(history,)) for history in every]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loaded(path) in every


def test_threads_that_update_a_session_lose_nothing(path: Path) -> None:
    writer = session(path)
    saved: list[str] = []
    waiting = Barrier(3)

    def work(name: str) -> None:
        waiting.wait()
        for number in range(6):
            text = f"[{name}{number}]"
            writer.update(methodcaller("add_user", text), attempts=100)
            saved.append(text)

    threads = [Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(saved) == 18
    assert all(text in loaded(path)[0].text for text in saved)


def test_a_change_that_another_update_overtakes_is_made_again(path: Path) -> None:
    writer = session(path)
    asked: list[int] = []

    def change(history: MessageHistory) -> MessageHistory:
        asked.append(len(history))
        if len(asked) == 1:
            writer.update(lambda history: history.add_user("first").add_assistant("reply"))
        return history.add_user("second")

    assert [message.text for message in writer.update(change)] == ["first", "reply", "second"]
    assert asked == [0, 2]
    assert same(loaded(path), writer.load())


@pytest.mark.parametrize("add", [MessageHistory.add_user, MessageHistory.add_assistant])
def test_a_version_without_what_the_last_saved_message_holds_is_no_continuation(
    path: Path, add: Callable[[MessageHistory, str], MessageHistory]
) -> None:
    writer = session(path)
    asked = writer.load().add_user("q")
    kept, other = add(asked, "kept"), add(asked, "other")
    writer.append(asked)
    writer.append(kept)
    with pytest.raises(NotAContinuationError):
        writer.append(other)
    assert same(loaded(path), kept)
    writer.save(other)
    assert same(loaded(path), other)
    assert path.with_name(f"{path.name}.bak").exists()


@pytest.mark.parametrize("is_result", [True, False])
def test_what_a_reply_has_put_further_back_is_loaded_from_there(path: Path, is_result: bool) -> None:
    writer = session(path)
    sent = MessageHistory().add_user("q")
    sent = sent.add_assistant(ToolUseBlock("1", "run", {})).as_sent() if is_result else sent
    history = sent.add_tool_result("1", "late") if is_result else sent.add_user("more")
    reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "reply"}]}
    for version in (sent, history, history.add_response(reply, sent=sent)):
        writer.append(version)
        reader = session(path)
        assert same(reader.load(), version)
        assert reader.report.clean


def test_what_cannot_be_written_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = session(path)
    history = of_length(6)
    writer.append(history)
    before = path.read_bytes()
    write = os.write

    def full(descriptor: int, data: Any) -> int:
        if len(data) > 20:
            return write(descriptor, bytes(data[:20]))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    for attempt in (writer.append, writer.save):
        with pytest.raises(SessionError, match="No space left on device"):
            attempt(of_length(8))
        assert path.read_bytes() == before
    monkeypatch.undo()
    assert sorted(found.name for found in path.parent.iterdir()) == ["chat.jsonl", "chat.jsonl.lock"]
    writer.append(of_length(8))
    assert same(loaded(path), of_length(8))


def test_a_line_that_would_not_be_read_again_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 1_000)
    writer = session(path)
    writer.append(of_length(4))
    for write in (writer.append, writer.save):
        with pytest.raises(SessionError, match="limit is 1,000"):
            write(of_length(4).add_user("x" * 1_000))
    assert same(loaded(path), of_length(4))
    writer.append(of_length(5))
    assert same(loaded(path), of_length(5))


@pytest.mark.parametrize(
    ("policy", "synced"), [("always", {"append", "rewrite"}), ("rewrites", {"rewrite"}), ("never", set())]
)
def test_when_data_is_forced_to_the_disk_is_chosen(
    path: Path, monkeypatch: pytest.MonkeyPatch, policy: Any, synced: set[str]
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)
    writer = JsonlSession(path, fsync=policy)
    found = set()
    for name, write, history in (("rewrite", writer.save, of_length(4)), ("append", writer.append, of_length(5))):
        forced.clear()
        write(history)
        found |= {name} if forced else set()
        # A rewritten file's name is forced to the disk too.
        assert len(forced) in (0, 2 if name == "rewrite" else 1)
    assert found == synced
    with pytest.raises(ValueError, match="fsync must be"):
        JsonlSession(path, fsync="sometimes")  # type: ignore[arg-type]


def test_the_mode_and_the_link_of_a_file_are_kept(path: Path) -> None:
    real = path.with_name("real.jsonl")
    session(real).append(of_length(4))
    real.chmod(0o640)
    path.symlink_to(real)
    writer = session(path)
    writer.save(writer.load().add_user("x"))
    assert path.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    real.write_bytes(real.read_bytes()[:-3])
    assert len(writer.load()) == 4
    backup = writer.report.backup
    assert backup is not None
    assert stat.S_IMODE(backup.stat().st_mode) == stat.S_IMODE(real.stat().st_mode) == 0o640


@needs_locks
def test_a_lock_that_cannot_be_taken_is_made_anew_the_next_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[Path, Any] = {}
    with locking.locked(path, 1, made):
        assert list(made) == [path]

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(type(made[path]), "acquire", full)
    for kept in (made, None):
        with pytest.raises(SessionError, match=r": its lock file cannot be made: full$"), locking.locked(path, 1, kept):
            pass
    assert not made
    monkeypatch.undo()
    with locking.locked(path, 1):
        pass


@needs_locks
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
@pytest.mark.parametrize("hops", [1, 2])
def test_a_link_and_its_file_have_one_lock_and_one_set_of_backups(path: Path, hops: int, there: bool) -> None:
    real = path.with_name("real") / "chat.jsonl"
    real.parent.mkdir()
    links = [path, *(path.with_name(f"hop-{n}") for n in range(1, hops))]
    for link, target in pairwise([*links, real]):
        link.symlink_to(target.relative_to(path.parent))
    if there:
        session(real).save(of_length(2))
    for held, other in ((real, path), (path, real)):
        with locking.locked(held, 1), pytest.raises(SessionLockedError, match=f"{other}: another process"):
            session(other, lock_timeout=0.05).save(of_length(3))
    session(path).append(of_length(4))
    assert same(loaded(real), of_length(4))
    real.write_bytes(real.read_bytes()[:-3])
    through = session(path)
    assert len(through.load()) == 3
    assert through.report.backup == real.with_name("chat.jsonl.bak")
    assert sorted(path.parent.iterdir()) == sorted([*links, real.parent])
    assert {found.name for found in real.parent.iterdir()} == {"chat.jsonl", "chat.jsonl.bak", "chat.jsonl.lock"}


@needs_system_errors
@pytest.mark.parametrize("target", ["chat.jsonl", "gone/chat.jsonl"], ids=["to itself", "to no folder"])
def test_a_link_that_leads_nowhere_is_an_error_in_one_line(path: Path, target: str) -> None:
    path.symlink_to(target)
    for attempt in (session(path).save, session(path).append):
        with pytest.raises(SessionError, match=r"symbolic link|no such folder"):
            attempt(of_length(3))


def test_a_session_stays_with_its_file_when_the_working_folder_changes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    writer = session(Path(path.name))
    writer.append(of_length(2))
    path.with_name("other").mkdir()
    monkeypatch.chdir("other")
    writer.append(of_length(4))
    assert same(loaded(path), of_length(4))
    assert not any(Path().iterdir())


@pytest.mark.parametrize("what", ["folder", "in a file", "later"])
def test_what_is_no_file_of_ours_is_an_error_in_one_line(path: Path, what: str) -> None:
    if what == "folder":
        path.mkdir()
        recorded = "this is a folder, not a file"
    elif what == "in a file":
        path.write_text("x")
        path = path / "chat.jsonl"
        recorded = "there is no such folder"
    else:
        path.write_bytes(lines.header().replace(b'"version": 1', b'"version": 2'))
        recorded = "a later version wrote it"
        reader = session(path)
        assert not reader.load()
        assert reader.report.problem == recorded
    for attempt in (session(path).save, session(path).append):
        with pytest.raises(SessionError, match=recorded) as found:
            attempt(of_length(3))
        assert "\n" not in str(found.value)


def test_a_session_is_named_by_a_path() -> None:
    with pytest.raises(TypeError, match="path must be a str or a PathLike, not int"):
        JsonlSession(3)  # type: ignore[arg-type]


def test_without_filelock_the_error_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "filelock", None)
    assert not session(path).load()
    with pytest.raises(SessionError, match=r"pip install 'message-history\[sessions\]'"):
        session(path).append(of_length(2))


def test_a_repair_of_a_later_version_is_left_out_and_told(path: Path) -> None:
    history = MessageHistory().add_user(["x", " "])
    session(path).save(history)
    path.write_text(path.read_text().replace("blank_text_dropped", "something_new"))
    reader = session(path)
    assert not reader.load().repairs
    assert [note.detail for note in reader.report.notes] == ["a repair that this version does not know is left out"]


@pytest.mark.parametrize("value", [None, 1, {}, {"code": "x"}, {"code": "blank_text_dropped"}, {"code": []}])
def test_what_is_no_repair_is_none(value: Any) -> None:
    assert repair_from_json(value) is None


def test_a_spoiled_repair_is_read_as_far_as_it_goes() -> None:
    value = {"code": "entry_dropped", "index": 1, "source": "x", "removed": [1, {"value": [None]}, {}], "detail": 2}
    assert repair_from_json(value) == Repair(code=RepairCode.ENTRY_DROPPED, index=1, removed=([None],))  # type: ignore[arg-type]


def test_backups_are_numbered_and_not_repeated(path: Path) -> None:
    path.write_text("one")
    first = disk.back_up(path)
    assert disk.back_up(path) == first
    disk.replace(path, [b"two"], sync=False)
    second = disk.back_up(path)
    assert [first.name, second.name] == ["chat.jsonl.bak", "chat.jsonl.bak-2"]
    assert [first.read_text(), second.read_text()] == ["one", "two"]


def test_removed_blocks_of_every_kind_come_back() -> None:
    removed = (TextBlock("x"), ToolResultBlock("1", "y", True), ToolUseBlock("1", "run", {"a": [1, {"b": None}]}))
    repair = Repair(code=RepairCode.ORPHAN_RESULT_DROPPED, index=0, source=3, removed=removed, detail="d")
    assert repair_from_json(repair_to_json(repair)) == repair


def test_only_what_is_wrong_with_a_file_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.jsonl"
    JsonlSession(path).append(of_length(3))
    for name in ("a.jsonl", "none.jsonl"):
        JsonlSession(tmp_path / name).load()
    assert caplog.messages == []
    path.write_bytes(path.read_bytes() + b'{"n')
    assert JsonlSession(path).load() == of_length(3)
    assert [message.partition(": ")[0] for message in caplog.messages] == [str(path)]


@needs_system_errors
def test_a_turn_that_cannot_be_read_is_not_taken_for_free(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    JsonlSession(path).append(MessageHistory().add_user("q"))
    (tmp_path / "s.jsonl.turn").mkdir()
    with pytest.raises(SessionError), JsonlSession(path).turn("w", until=timedelta(seconds=9)):
        pass


@pytest.mark.parametrize("content", ["", "{}\n", "\0" * 5_000, "words\n", '{"type":"header"}\n', '{"a": 1}\n' * 3])
def test_what_is_no_session_stays_alone_whatever_is_tried(path: Path, content: str) -> None:
    path.write_text(content)
    is_own = not content.strip("\0")
    for attempt in (
        lambda: session(path).load(),
        lambda: session(path).save(of_length(3)),
        lambda: session(path).append(of_length(3)),
        lambda: session(path).describe(title="t"),
        lambda: session(path).delete(),
    ):
        if is_own:
            break
        with pytest.raises(SessionError, match="it holds no session of this library, and nothing was changed"):
            attempt()
        assert path.read_text() == content
        assert [each.name for each in path.parent.iterdir() if each.suffix != ".lock"] == [path.name]
    if is_own:  # nothing was ever written to it, or a power failure left zeros
        session(path).save(of_length(3))
        assert same(loaded(path), of_length(3))


def test_a_backup_is_made_of_what_is_replaced_and_not_of_what_goes_on(path: Path) -> None:
    writer = session(path)
    for length in (2, 4, 9):
        writer.save(of_length(length))
        assert same(loaded(path), of_length(length))
    session(path).save(of_length(12))
    assert [each.name for each in path.parent.iterdir() if ".bak" in each.name] == []
    session(path).save(of_length(3))
    assert [each.name for each in path.parent.iterdir() if ".bak" in each.name] == [f"{path.name}.bak"]


def test_a_version_that_is_saved_already_writes_nothing(path: Path) -> None:
    writer = session(path)
    writer.append(of_length(5))
    before = path.stat()
    for _ in range(3):
        writer.append(of_length(5))
    assert (path.stat().st_mtime_ns, path.stat().st_ino, path.stat().st_size) == (
        before.st_mtime_ns, before.st_ino, before.st_size,
    )  # fmt: skip
    writer.append(of_length(6))
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_size > before.st_size


def test_a_file_is_rewritten_once_more_than_half_of_it_and_of_the_limit_is_waste(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for waste, rewritten in ((10_000_000, False), (0, True)):
        monkeypatch.setattr(jsonl, "WASTE", waste)
        writer = session(path)
        writer.save(MessageHistory())
        history, inodes, worst = MessageHistory().add_user("a"), {path.stat().st_ino}, 0.0
        for _ in range(40):
            history = history.add_user("x" * 50)
            writer.append(history)
            live = len(b"".join(lines.whole_lines(history)))
            worst = max(worst, (path.stat().st_size - live) / live)
            inodes.add(path.stat().st_ino)
        assert (len(inodes) > 1) is rewritten
        assert (1 < worst < 3) is rewritten
        assert same(loaded(path), history)
        path.unlink()
