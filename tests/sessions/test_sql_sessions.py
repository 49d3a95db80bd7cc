"""Sessions in databases: what was saved is what is loaded, and nobody writes over what others have written.

All of it in SQLite and in PostgreSQL.
"""

from __future__ import annotations

import logging
import os
import pickle
import random
import signal
import time
from contextlib import contextmanager
from functools import partial
from itertools import count, islice
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import (
    Message,
    MessageHistory,
    Policy,
    RepairCode,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.messages.blocks import with_meta
from message_history.core.messages.thinking import invalidate_thinking
from message_history.dialects import Native
from message_history.integrations.strategies import broken_lists, histories, messages
from message_history.storage import (
    NotAContinuationError,
    SessionConflictError,
    SessionError,
    SessionLockedError,
    SqlSession,
)
from tests.sessions.databases import take_turns, write_for_ever
from tests.sessions.growing import LONG, of_length, same, steps, turn_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from message_history.core.messages.block_base import Block


def create_engine(database: str, **more: Any) -> Any:
    from sqlalchemy import create_engine  # noqa: PLC0415 - may not be installed

    return create_engine(database, **more)


_names = count()
NEEDS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
FEWER = settings(max_examples=settings().max_examples // 3)


def new(database: str, policy: Policy | None = None) -> SqlSession:
    return SqlSession(database, f"session {next(_names)}", policy=policy)


def again(database: str, session: SqlSession, policy: Policy | None = None) -> SqlSession:
    return SqlSession(database, session.session_id, policy=policy)


@FEWER
@given(histories(max_size=12))
def test_what_was_saved_is_what_is_loaded(database: str, history: MessageHistory) -> None:
    session = new(database, history.policy)
    session.save(history)
    assert same(again(database, session, history.policy).load(), history)


@FEWER
@given(broken_lists())
def test_repairs_are_kept_beside_the_messages(database: str, raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    session = new(database)
    session.append(history)
    assert again(database, session).load().repairs == history.repairs


OTHERWISE = ("close", "cut", "answer", "rewind", "system", "trim")


def changed(history: MessageHistory, how: str) -> MessageHistory:
    if how == "close":
        return history.as_sent()
    if how == "cut" and history:
        return history.drop_before(history.safe_cuts()[-1])
    if how == "answer" and history.awaiting:
        return history.add_tool_result(history.awaiting[-1], "done")
    if how == "rewind" and len(turn_starts(history)) > 1:
        return history.rewind(1)
    if how == "system":
        return history.with_system(f"{history.system or ''}.")
    if how == "trim":
        return history.trim_results(older_than=len(history), text="")
    return history


@FEWER
@given(histories(max_size=6), st.lists(st.one_of(messages(), st.sampled_from(OTHERWISE)), max_size=8), st.booleans())
def test_appending_gives_what_saving_gives_at_every_step(
    database: str, history: MessageHistory, later: list[Message | str], restarts: bool
) -> None:
    writer = new(database, history.policy)
    writer.append(history)
    for step in later:
        if restarts:
            writer = again(database, writer, history.policy)
            history = writer.load()
        history = history.add(step) if isinstance(step, Message) else changed(history, step)
        writer.save(history) if step in ("cut", "rewind", "trim") else writer.append(history)
        assert same(again(database, writer, history.policy).load(), history)


def test_a_session_is_read_by_the_policy_that_it_was_given(database: str) -> None:
    policy = Policy(stub_text="(nothing came)")
    session = new(database)
    session.append(session.load().add_user("q").add_assistant(ToolUseBlock("call_1", "f", {})))
    assert session.load().policy == Policy()
    reader = again(database, session, policy)
    assert reader.load().policy == policy
    assert "(nothing came)" in str(reader.load().add_user("go on").to_list())


def test_rows_are_only_ever_added(empty: str) -> None:
    session = SqlSession(empty, "chat")
    rows: set[tuple[Any, ...]] = set()
    history = MessageHistory()
    for number, version in enumerate(islice(steps(history), 12)):
        history = version if number < 11 else version.rewind(1).add_user(["again", " "])
        session.save(history) if number == 11 else session.append(history)
        with raw(empty) as connection:
            now = {
                (table, *row)
                for table in ("messages", "repairs")
                for row in connection.exec_driver_sql(f"SELECT * FROM message_history_{table}")
            }
        assert rows <= now
        assert len(now - rows) == 1 + (number == 11)
        rows = now
    assert session.load() == history


def test_two_writers_get_a_conflict_and_nothing_is_written(database: str) -> None:
    one = new(database)
    one.append(of_length(4))
    other = again(database, one)
    history = other.load()
    one.append(of_length(4).add_user("one"))
    with pytest.raises(SessionConflictError, match=r"\(revision 2 is there, not 1\); load it again") as caught:
        other.append(history.add_user("other"))
    conflict = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, conflict):
        assert (error.session, error.expected, error.found) == (one.session_id, 1, 2)
        assert str(error) == str(caught.value)
    with pytest.raises(SessionConflictError):
        other.save(history)
    assert again(database, one).load()[-1].text == "one"
    other.append(other.load().add_assistant("other"))
    assert [message.text for message in again(database, one).load()][-2:] == ["one", "other"]


def test_only_rows_for_what_is_new_are_added(database: str) -> None:
    session = new(database)
    for number, history in enumerate(islice(steps(MessageHistory()), 12), 1):
        session.append(history)
        assert session.revision == number
    revision = session.revision
    session.append(history)
    assert session.revision == revision
    assert session.drop_old_rows() == 2
    assert same(again(database, session).load(), history)
    assert session.drop_old_rows() == 0


def test_rows_of_messages_that_are_gone_do_not_count_from_the_first_on(database: str) -> None:
    session = new(database)
    session.append(of_length(6))
    session.save(of_length(2))
    assert session.drop_old_rows() == 5  # of four that are gone, and of the last one, which is written anew
    assert again(database, session).load() == of_length(2)


def test_a_session_that_was_deleted_or_made_anew_is_a_conflict(database: str) -> None:
    one = new(database)
    one.append(of_length(3))
    other = again(database, one)
    history = other.load()
    assert one.delete()
    assert not one.delete()
    with pytest.raises(SessionConflictError, match="it is gone") as caught:
        other.append(history.add_assistant("x"))
    assert (caught.value.expected, caught.value.found) == (1, None)
    one.append(of_length(5))
    with pytest.raises(SessionConflictError, match="made anew") as caught:
        other.append(history.add_assistant("x"))
    assert (caught.value.expected, caught.value.found) == (1, 1)
    assert again(database, one).load() == of_length(5)


def test_of_two_who_make_a_session_one_gets_a_conflict(database: str) -> None:
    one = new(database)
    other = again(database, one)
    assert not one.load()
    assert not other.load()
    assert (one.revision, other.revision) == (0, 0)
    one.append(of_length(2))
    with pytest.raises(SessionConflictError, match=r"revision 1 is there, not 0"):
        other.append(of_length(3))
    assert len(again(database, one).load()) == 2


def test_a_session_that_was_not_read_goes_on_only_from_what_is_there(database: str) -> None:
    one = new(database)
    one.append(of_length(4))
    unread = again(database, one)
    unread.append(of_length(6))
    assert len(one.load()) == 6
    with pytest.raises(SessionConflictError, match="it holds another history, of 6 messages"):
        again(database, one).append(MessageHistory().add_user("another"))
    again(database, one).save(MessageHistory().add_user("another"))
    assert [message.text for message in one.load()] == ["another"]


def test_a_fork_goes_its_own_way(database: str) -> None:
    trunk = new(database)
    trunk.append(of_length(8))
    history = of_length(9)
    trunk.append(history)
    branch = trunk.fork(f"fork of {trunk.session_id}")
    branch.save(history.rewind(1).add_user("another way"))
    trunk.append(history.add_user("this way"))
    assert again(database, trunk).load()[-1].text == "q2\nthis way"
    forked = again(database, branch).load()
    assert forked == history.rewind(1).add_user("another way")
    assert forked.repairs == history.rewind(1).repairs
    with pytest.raises(SessionConflictError, match="a session with this name exists"):
        trunk.fork(branch.session_id)
    late = again(database, trunk)
    late.load()
    trunk.append(history.add_user("this way").add_assistant("on"))
    with pytest.raises(SessionConflictError, match="revision 4 is there, not 3"):
        late.fork("never")
    with pytest.raises(SessionError, match="there is no such session"):
        again(database, new(database)).fork("never")
    assert "never" not in SqlSession.ids(database)


def test_sessions_are_listed_in_pages(empty: str) -> None:
    names = [f"session {number}" for number in range(10, 17)]
    for name in reversed(names):
        SqlSession(empty, name).save(MessageHistory())
    assert SqlSession.ids(empty) == names
    assert SqlSession.ids(empty, limit=3) == names[:3]
    assert SqlSession.ids(empty, after=names[2], limit=3) == names[3:6]
    SqlSession(empty, names[0]).delete()
    assert SqlSession.ids(empty) == names[1:]


def spoil_before(database: str, session: SqlSession, position: int) -> None:
    """Make all rows before a position unreadable."""
    with raw(database) as connection:
        for table, column in (("messages", "position"), ("repairs", "message")):
            connection.exec_driver_sql(
                f"UPDATE message_history_{table} SET body = 'never read' WHERE {column} < {position} AND session IN"
                f" (SELECT number FROM message_history_sessions WHERE id = '{session.session_id}')"
            )


@contextmanager
def raw(database: str) -> Iterator[Any]:
    engine = create_engine(database)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@st.composite
def long_histories(draw: st.DrawFn) -> MessageHistory:
    """Generate histories with several turns, the newest of them odd."""
    history = draw(histories(max_size=3))
    for message in [*of_length(draw(st.integers(4, 8))), *draw(st.lists(messages(), max_size=6))]:
        history = history.add(message)
    return history


@FEWER
@given(long_histories(), st.integers(1, 4))
def test_newest_turns_are_what_the_whole_history_gives_behind_a_safe_cut(
    database: str, history: MessageHistory, turns: int
) -> None:
    session = new(database, history.policy)
    session.save(history)
    cuts = turn_starts(history)
    cut = cuts[-turns] if len(cuts) >= turns else 0
    whole = again(database, session, history.policy).load()
    reader = again(database, session, history.policy)
    assert same(reader.load(turns=turns), whole.drop_before(cut))
    assert reader.omitted == cut
    # An answer to a call that is left out, and one that is not there at all, go the same way.
    for id in ("1", "2", "nobody's"):
        result = Message("user", [ToolResultBlock(id, "late")])
        assert same(reader.load(turns=turns).add(result), whole.drop_before(cut).add(result))


def test_older_rows_are_not_read(database: str) -> None:
    session = new(database)
    history = next(history for history in steps(MessageHistory()) if len(history) == 41)
    session.append(history)
    spoil_before(database, session, 28)
    reader = again(database, session)
    assert turn_starts(history)[-4:] == [28, 32, 36, 40]
    for turns in (1, 2, 3, 4):
        assert same(reader.load(turns=turns), history.drop_before(turn_starts(history)[-turns]))
    # One more needs rows that are damaged now: all are given, repaired, and each damaged one is in the repairs.
    damaged = reader.load(turns=5)
    assert reader.omitted == 0
    assert len([repair for repair in damaged.repairs if repair.code is RepairCode.ENTRY_DROPPED]) == 28


def test_a_late_result_whose_call_is_left_out_is_known_to_answer_it(database: str) -> None:
    history = MessageHistory().add_user("a").add_assistant(ToolUseBlock("1", "run", {})).add_user("b")
    history = history.add_assistant("c").add_tool_result("1", "late").add_user("d").add_assistant("e")
    session = new(database)
    session.append(history)
    reader = again(database, session)
    newest = reader.load(turns=1)
    assert reader.omitted == 4
    assert [block.mark.reason for block in newest[0].content if block.mark is not None] == ["late"]
    assert same(newest, history.drop_before(4))
    reader.append(newest.add_user("f"))
    assert session.load() == history.add_user("f")


def bound_alike(messages: Sequence[Message]) -> list[Message]:
    """Give messages without what depends on what is before them: bound thinking, and calls that are left out."""
    return [Message(message.role, map(_never_left_out, invalidate_thinking(message).content)) for message in messages]


def _never_left_out(block: Block) -> Block:
    mark = block.mark
    if mark is None or mark.reason != "omitted":
        return block
    return with_meta(block, mark=evolve(mark, reason="late"))


def test_words_behind_a_late_result_whose_call_is_left_out_are_kept(database: str) -> None:
    history = MessageHistory().add_user("a").add_assistant(ToolUseBlock("1", "run", {})).add_user("b")
    history = history.add_assistant("c").add_tool_result("1", "late")
    session = new(database)
    session.append(history)
    writer = again(database, session)
    newest = writer.load(turns=1)
    for words in ("", "more"):
        newest = newest.add_user(words)
        writer.append(newest)
        assert bound_alike(session.load()) == bound_alike(history.add_user(words))


@FEWER
@given(
    long_histories(),
    st.integers(1, 2),
    st.lists(st.one_of(messages(), st.sampled_from(OTHERWISE)), min_size=1, max_size=5),
)
def test_what_goes_on_from_the_newest_turns_is_written_behind_the_older_ones(
    database: str, history: MessageHistory, turns: int, later: list[Message | str]
) -> None:
    session = new(database, history.policy)
    session.save(history)
    writer = again(database, session, history.policy)
    newest = writer.load(turns=turns)
    first = writer.omitted
    older = [str(repair) for repair in history.repairs if repair.index < first]
    for step in later:
        newest = newest.add(step) if isinstance(step, Message) else changed(newest, step)
        writer.save(newest) if step in ("cut", "rewind", "trim") else writer.append(newest)
        assert writer.omitted == first
        whole = again(database, session, history.policy).load()
        assert not check(whole.to_list(), Native())
        assert len(whole) == first + len(newest)
        assert whole.system == newest.system
        assert bound_alike(whole[:first]) == bound_alike(history[:first])
        if newest and not (first and opened(newest)):
            assert bound_alike(whole[first:]) == bound_alike(newest)
        recorded = [str(evolve(repair, index=repair.index + first)) for repair in newest.repairs]
        recorded = [repair for repair in recorded if RepairCode.BOOTSTRAP_ADDED not in repair] if first else recorded
        now = list(map(str, whole.repairs))
        assert [repair for repair in now if repair in older] == older
        assert [repair for repair in recorded if repair not in now] == []
        # Nothing was to be repaired, or it would be known by now.
        assert again(database, session, history.policy).load().repairs == whole.repairs
        reader = again(database, session, history.policy)
        assert len(reader.load(turns=1)) + reader.omitted == len(whole)


def opened(history: MessageHistory) -> bool:
    mark = history[0].content[0].mark
    return mark is not None and mark.kind == "bootstrap"


def test_thinking_behind_the_newest_turns_is_not_bound_behind_all_of_them(database: str) -> None:
    session = new(database)
    session.append(MessageHistory().add_user("a").add_assistant([ThinkingBlock("1", "s"), TextBlock("b")]))
    session.append(session.load().add_user("c").add_assistant("d"))
    writer = again(database, session)
    history = writer.load(turns=1).add_user("e").add_assistant([ThinkingBlock("2", "s"), TextBlock("f")])
    writer.append(history)
    assert [block.bound for block in history[-1].content if isinstance(block, ThinkingBlock)] == [True]
    thoughts = [block for message in session.load() for block in message.content if isinstance(block, ThinkingBlock)]
    assert [(block.thinking, block.bound) for block in thoughts] == [("1", True), ("2", False)]


def test_repairs_behind_the_newest_turns_are_numbered_and_placed_in_the_session(database: str) -> None:
    session = new(database)
    history = MessageHistory().add_user(["a", " "]).add_assistant("b").add_user("c").add_assistant("d")
    session.append(history)
    writer = again(database, session)
    newest = writer.load(turns=1)
    assert writer.omitted == 2
    assert not newest.repairs
    for text in ("e", "f"):
        newest = newest.add_user([text, "\n"])
        history = history.add_user([text, "\n"])
        writer.append(newest)
        assert same(session.load(), history)
    assert [(repair.index, repair.removed) for repair in history.repairs] == [
        (0, (TextBlock(" "),)),
        (4, (TextBlock("\n"),)),
        (4, (TextBlock("\n"),)),
    ]
    newest = newest.rewind(1)
    with pytest.raises(NotAContinuationError, match=r"save\(history\)"):
        writer.append(newest)
    writer.save(newest)
    assert same(session.load(), history.rewind(1))
    writer.append(newest.add_user(["g", " "]))
    assert same(session.load(), history.rewind(1).add_user(["g", " "]))


def test_a_placeholder_alone_after_the_older_messages_keeps_its_text(database: str) -> None:
    session = new(database)
    session.append(MessageHistory().add_user("a").add_assistant("b").add_user("c").add_assistant("d"))
    writer = again(database, session)
    writer.load(turns=1)
    writer.save(MessageHistory().add_assistant("e"))
    saved = session.load()
    assert [message.text for message in saved[:2]] == ["a", "b"]
    assert saved[-1].text == "e"
    assert all(message.content for message in saved)


def test_a_session_says_its_name_its_database_and_its_revision(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    session = SqlSession(tmp_path / "chats.db", "a")
    assert repr(session) == f"SqlSession('a' in sqlite:///{tmp_path / 'chats.db'}, revision 0)"
    assert (session.revision, session.omitted) == (0, 0)


def test_another_system_prompt_behind_the_newest_turns_unbinds_the_older_thinking(database: str) -> None:
    session = new(database)
    history = MessageHistory().add_user("a").add_assistant([ThinkingBlock("1", "s"), TextBlock("b")])
    session.append(history.add_user("c").add_assistant("d"))
    writer = again(database, session)
    writer.append(writer.load(turns=1).with_system("Be brief."))
    assert session.load() == history.add_user("c").add_assistant("d").with_system("Be brief.")
    thought = session.load()[1].content[0]
    assert isinstance(thought, ThinkingBlock)
    assert not thought.bound


def test_a_turn_that_opens_with_words_of_the_operator_grows_without_its_opening(database: str) -> None:
    session = new(database)
    history = MessageHistory().add_user("a").add_assistant("b").add_user([SystemBlock("Be kind."), TextBlock("c")])
    session.append(history)
    writer = again(database, session)
    newest = writer.load(turns=1)
    assert opened(newest)
    writer.append(newest.add_user("d"))
    assert session.load() == history.add_user("d")


def test_a_damaged_row_is_told_of_and_mended_with_the_next_write(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    session = new(database)
    session.append(of_length(9))
    spoil_before(database, session, 1)
    with raw(database) as connection:
        connection.exec_driver_sql(
            "DELETE FROM message_history_messages WHERE position = 5 AND session IN"
            f" (SELECT number FROM message_history_sessions WHERE id = '{session.session_id}')"
        )
    reader = again(database, session)
    with caplog.at_level(logging.WARNING, "message_history"):
        history = reader.load()
    assert "its rows are damaged; 8 of 9 messages are there" in caplog.text
    dropped = next(repair for repair in history.repairs if repair.code is RepairCode.ENTRY_DROPPED)
    assert dropped.removed == ("never read",)
    reader.append(history.add_assistant("on"))
    caplog.clear()
    repaired = again(database, session).load()
    assert same(repaired, history.add_assistant("on"))
    assert "damaged" not in caplog.text
    assert same(again(database, session).load(turns=1), repaired.drop_before(turn_starts(repaired)[-1]))


def test_a_reader_sees_one_revision_or_another(database: str) -> None:
    one, other = of_length(30), MessageHistory().add_user("short").add_assistant([ToolUseBlock("1", "run", {})])
    session = new(database)
    session.save(one)
    done = Event()

    def write() -> None:
        for history in [other, one] * 20:
            session.save(history)
            session.drop_old_rows()
        done.set()

    writer = Thread(target=write)
    writer.start()
    reader = again(database, session)
    seen = set()
    while not done.is_set():
        found = reader.load()
        assert found in (one, other)
        seen.add(len(found))
        assert len(reader.load(turns=1)) in (2, 3)
    writer.join()
    assert seen


def test_a_change_that_another_update_of_the_session_overtakes_is_made_again(database: str) -> None:
    session = new(database)
    asked: list[int] = []

    def change(history: MessageHistory) -> MessageHistory:
        asked.append(len(history))
        if len(asked) == 1:
            session.update(lambda history: history.add_user("first").add_assistant("reply"))
        return history.add_user("second")

    assert [message.text for message in session.update(change)] == ["first", "reply", "second"]
    assert asked == [0, 2]
    assert same(again(database, session).load(), session.load())


@pytest.mark.parametrize("add", [MessageHistory.add_user, MessageHistory.add_assistant])
def test_a_version_without_what_the_last_saved_message_holds_is_no_continuation(
    database: str, add: Callable[[MessageHistory, str], MessageHistory]
) -> None:
    session = new(database)
    asked = MessageHistory().add_user("q")
    kept, other = add(asked, "kept"), add(asked, "other")
    session.append(asked)
    session.append(kept)
    with pytest.raises(NotAContinuationError):
        session.append(other)
    assert same(again(database, session).load(), kept)
    session.save(other)
    assert same(again(database, session).load(), other)


def in_child(run: Callable[[], object]) -> int:
    """Run something in a process of its own."""
    child = os.fork()
    if not child:
        try:
            run()
            os._exit(0)
        finally:
            os._exit(1)
    return child


@NEEDS_FORK
def test_writers_in_many_processes_lose_nothing(database: str) -> None:
    name, times = new(database).session_id, 50 if LONG else 6
    children = [in_child(partial(take_turns, database, name, str(n), times)) for n in range(6)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
    session = SqlSession(database, name)
    texts = [message.text for message in session.load()]
    assert sorted(texts[::2]) == sorted(f"{n}.{number}" for n in range(6) for number in range(times))
    assert texts[1::2] == ["noted"] * 6 * times
    assert session.revision == 6 * times


@NEEDS_FORK
def test_a_killed_writer_loses_nothing_that_append_returned_for(database: str) -> None:
    session = new(database)
    acknowledged = 0
    chance = random.Random(5)
    for _ in range(300 if LONG else 10):
        here, there = os.pipe()
        writer = in_child(partial(write_for_ever, database, session.session_id, there))
        os.close(there)
        with os.fdopen(here, "rb") as recorded:
            # On a busy machine, a time alone may be too short for more than one append.
            first = b"".join(recorded.readline() for _ in range(4))
            time.sleep(chance.random() * 0.02)
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
            numbers = (first + recorded.read()).split(b"\n")
        acknowledged = max(int(number) for number in numbers[:-1])
        found = again(database, session).load()
        assert len(found) >= acknowledged
        assert not check(found.to_list(), Native())
    assert acknowledged > 3


@NEEDS_FORK
def test_a_forked_process_has_connections_of_its_own(database: str) -> None:
    session = new(database)
    session.append(of_length(1))
    child = in_child(lambda: session.append(session.load().add_assistant("child")))
    assert os.waitpid(child, 0)[1] == 0
    session.append(session.load().add_user("parent"))
    assert [message.text for message in session.load()] == ["q0", "child", "parent"]


def test_a_writer_that_waits_too_long_gets_an_error(database: str) -> None:
    session = new(database)
    session.append(of_length(3))
    engine = create_engine(database, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if database.startswith("sqlite") else "BEGIN")
        connection.exec_driver_sql("UPDATE message_history_sessions SET revision = revision")
        waiting = SqlSession(database, session.session_id, lock_timeout=0.05)
        with pytest.raises(SessionLockedError, match=r"another writer has held it for 0\.05 seconds"):
            waiting.append(of_length(4))
        assert waiting.load() == of_length(3)
        connection.exec_driver_sql("ROLLBACK")
    engine.dispose()
    waiting.append(of_length(4))
    assert session.load() == of_length(4)


def test_an_engine_of_the_application_is_used_as_it_is(database: str) -> None:
    engine = create_engine(database, pool_size=1, max_overflow=0)
    session = SqlSession(engine, new(database).session_id)
    session.append(of_length(4))
    assert again(database, session).load() == of_length(4)
    assert session.session_id in SqlSession.ids(engine)
    engine.dispose()
