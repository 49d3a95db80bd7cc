"""What every session must keep, whatever store it is in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import pytest

from message_history.core.messages.blocks import ToolUseBlock
from message_history.files.errors import NotAContinuationError, SessionConflictError
from message_history.history import MessageHistory
from message_history.testing.conformance.examples import all_histories, sound_histories, try_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.storage import Session

CALL = ToolUseBlock("1", "pay", {"to": "\ud83d", "n": 2**70, "z": "\0"})
WRITERS = 4


class SessionConformance:
    """The tests of every store of sessions: subclass it in a test file, and pytest runs them.

        class TestMySession(SessionConformance):
            def open(self, name):
                return MySession(self.client, name)

    What `open` needs, a fixture of the class may set, with `autouse`. The names are new in each test. The laws are
    tried on fixed histories; where Hypothesis is installed, also on what it draws.
    """

    def open(self, name: str) -> Session:
        """Return a new object for the session of a name, as another process would make it."""
        raise NotImplementedError

    def test_a_new_session_is_empty(self) -> None:
        session = self.open(_new())
        assert session.load() == MessageHistory()
        assert not session.delete()

    def test_what_is_saved_is_loaded_with_all_that_belongs_to_it(self) -> None:
        def law(history: MessageHistory) -> None:
            name = _new()
            self.open(name).save(history)
            is_same(self.open(name).load(), history)

        try_on(law, all_histories(), lambda ours, _: ours.histories())

    def test_what_is_appended_step_by_step_is_loaded_at_each_step(self) -> None:
        name = _new()
        session = self.open(name)
        history = session.load().with_system("Be brief.")
        steps: list[Callable[[], MessageHistory]] = [
            lambda: history.add_user("hello", metadata={"id": "1"}),
            lambda: history.add_user([" ", "there"]),
            lambda: history.add_assistant(["I pay.", CALL]),
            lambda: history.record_call("1", "started", by="worker", at=1.0, until=2.0),
            lambda: history.add_user("Well?"),
            lambda: history.add_tool_result("1", "paid"),
            lambda: history.add_assistant("Done."),
            lambda: history.add_tool_result("1", "paid twice"),
        ]
        for step in steps:
            history = step()
            session.append(history)
            session.append(history)
            is_same(self.open(name).load(), history)

    def test_every_history_may_be_begun_grown_and_replaced(self) -> None:
        name = _new()
        for history in sound_histories():
            self.open(name).save(history)
            session = self.open(name)
            grown = session.load().add_user("more").add_assistant("yes")
            session.append(grown)
            is_same(self.open(name).load(), grown)

    def test_what_lacks_stored_messages_is_not_appended(self) -> None:
        name = _new()
        session = self.open(name)
        history = session.load().add_user("a").add_assistant("b").add_user("c")
        session.append(history)
        for other in (history.rewind(1), history.drop_before(2), MessageHistory().add_user("another")):
            with pytest.raises(NotAContinuationError):
                session.append(other)
            is_same(self.open(name).load(), history)
        session.save(history.rewind(1))
        is_same(self.open(name).load(), history.rewind(1))

    def test_of_two_writers_the_later_one_conflicts_and_nothing_is_mixed(self) -> None:
        name = _new()
        self.open(name).append(MessageHistory().add_user("a"))
        first, second = self.open(name), self.open(name)
        ours, theirs = first.load().add_assistant("first"), second.load().add_assistant("second")
        first.append(ours)
        for write in (second.append, second.save):
            with pytest.raises(SessionConflictError):
                write(theirs)
            is_same(self.open(name).load(), ours)
        second.append(second.load().add_user("then second"))
        assert [message.text for message in self.open(name).load()] == ["a", "first", "then second"]

    def test_of_two_who_begin_a_session_the_later_one_conflicts(self) -> None:
        name = _new()
        first, second = self.open(name), self.open(name)
        ours, theirs = first.load().add_user("first"), second.load().add_user("second")
        first.append(ours)
        with pytest.raises(SessionConflictError):
            second.append(theirs)
        is_same(self.open(name).load(), ours)

    def test_who_has_not_read_appends_only_what_goes_on(self) -> None:
        name = _new()
        history = MessageHistory().add_user("a")
        self.open(name).append(history)
        with pytest.raises(SessionConflictError):
            self.open(name).append(MessageHistory().add_user("another"))
        self.open(name).append(history.add_assistant("b"))
        is_same(self.open(name).load(), history.add_assistant("b"))
        self.open(name).save(MessageHistory().add_user("anew"))
        is_same(self.open(name).load(), MessageHistory().add_user("anew"))

    def test_an_update_is_tried_again(self) -> None:
        name = _new()
        self.open(name).append(MessageHistory().add_user("a"))
        calls = 0

        def change(history: MessageHistory) -> MessageHistory:
            nonlocal calls
            calls += 1
            if calls <= 2:
                other = self.open(name)
                other.append(other.load().add_assistant(f"other {calls}"))
            return history.add_user("mine")

        session = self.open(name)
        changed = session.update(change)
        assert calls == 3
        is_same(self.open(name).load(), changed)
        assert [message.text.split() for message in changed] == [["a"], ["other", "1", "other", "2"], ["mine"]]
        calls = 0
        with pytest.raises(SessionConflictError):
            session.update(change, attempts=2)
        assert calls == 2

    def test_updates_of_many_threads_lose_nothing(self) -> None:
        name = _new()

        def write(writer: int) -> None:
            session = self.open(name)
            for text in (f"{writer}.{number}" for number in range(3)):
                session.update(partial(_with_turn, text), attempts=1_000)

        with ThreadPoolExecutor(WRITERS) as threads:
            list(threads.map(write, range(WRITERS)))
        texts = [message.text for message in self.open(name).load()]
        assert sorted(texts[::2]) == [f"{writer}.{number}" for writer in range(WRITERS) for number in range(3)]

    def test_a_deleted_session_is_gone_and_may_be_made_anew(self) -> None:
        name = _new()
        session, late = self.open(name), self.open(name)
        session.append(session.load().add_user("a"))
        history = late.load()
        assert session.delete()
        assert self.open(name).load() == MessageHistory()
        with pytest.raises(SessionConflictError):
            late.append(history.add_assistant("late"))
        assert self.open(name).load() == MessageHistory()
        self.open(name).append(MessageHistory().add_user("anew"))
        with pytest.raises(SessionConflictError):
            late.append(history.add_assistant("late"))
        is_same(self.open(name).load(), MessageHistory().add_user("anew"))
        assert self.open(name).delete()
        assert not self.open(name).delete()

    def test_sessions_of_different_names_are_different(self) -> None:
        names = [_new(), _new() + " ü/..'%"]
        for name in names:
            self.open(name).append(MessageHistory().add_user(name))
        assert [self.open(name).load()[0].text for name in names] == names
        self.open(names[0]).delete()
        assert self.open(names[1]).load()[0].text == names[1]

    def test_a_call_that_a_crash_has_left_is_awaited(self) -> None:
        name = _new()
        session = self.open(name)
        session.append(session.load().add_user("pay").add_assistant(CALL))
        loaded = self.open(name).load()
        assert [call.id for call in loaded.awaiting] == ["1"]
        assert [each.key for each in loaded.calls] == [each.key for each in session.load().calls]
        self.open(name).append(loaded.add_tool_result(loaded.awaiting[0], "paid"))
        assert not self.open(name).load().awaiting


def _with_turn(text: str, found: MessageHistory) -> MessageHistory:
    return found.add_user(text).add_assistant("ok")


def _new() -> str:
    return f"session {token_hex(8)}"


def is_same(loaded: MessageHistory, history: MessageHistory) -> None:
    """Hold a loaded history to be the one that was stored, with what is not part of its value."""
    assert loaded == history
    assert loaded.repairs == history.repairs
    assert [_beside(message) for message in loaded] == [_beside(message) for message in history]
    assert [(each.key, each.state) for each in loaded.calls] == [(each.key, each.state) for each in history.calls]


def _beside(message: Any) -> Any:
    return message.arrivals, message.replies
