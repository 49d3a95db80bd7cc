"""Workers that share a conversation: one runs a call, one has the turn, and what waits is found over all sessions."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from message_history import CallState, CallStateError, MessageHistory, ToolUseBlock, UnknownCallError
from message_history.dialects import OpenAIResponses
from message_history.storage import JsonlSession, SessionConflictError, SessionLockedError, SqlSession, WaitingCall

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAY = ToolUseBlock("call_1", "pay", {"amount": 5})
MINUTE = timedelta(minutes=1)


class Clock:
    """A clock that a test sets: that of the files, or of a database whose answer is replaced."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


class Kind:
    """A kind of session, opened anew as often as there are workers."""

    def __init__(self, open_one: Callable[[str], Any], waiting: Callable[..., list[WaitingCall]], clock: Clock) -> None:
        self._open, self.waiting, self.clock = open_one, waiting, clock

    def open(self, name: str = "a") -> Any:
        return self._open(name)


@pytest.fixture(params=["jsonl", "sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kind:
    clock = Clock()
    if request.param == "jsonl":
        folder = tmp_path / "chats"
        folder.mkdir()
        return Kind(
            lambda name: JsonlSession(folder / f"{name}.jsonl", clock=clock),
            lambda *states: JsonlSession.waiting(folder, *states, clock=clock),
            clock,
        )
    pytest.importorskip("sqlalchemy")
    from message_history.storage.databases.database import Rows  # noqa: PLC0415 - needs sqlalchemy

    url = f"sqlite:///{tmp_path}/chats.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("new_schema")
    monkeypatch.setattr(Rows, "now", lambda _: clock())
    return Kind(lambda name: SqlSession(url, name), lambda *states: SqlSession.waiting(url, *states), clock)


def approved(history: MessageHistory) -> MessageHistory:
    history = history.add_user("Pay.").add_assistant(PAY)
    return history.record_call(PAY, "waiting").record_call(PAY, "approved", by="ann")


def begin(kind: Kind, change: Callable[[MessageHistory], MessageHistory] = approved) -> Any:
    session = kind.open()
    session.update(change)
    return session


def test_one_worker_claims_a_call_and_the_other_is_told_who_has_it_and_until_when(kind: Kind) -> None:
    one, other = begin(kind), kind.open()
    stale = other.load().calls[0]
    record = one.claim(PAY, worker="one", until=MINUTE)
    assert (record.state, record.by, record.until) == (CallState.STARTED, "one", kind.clock.time + 60)
    assert record.decisions[-1].at == kind.clock.time
    asks: tuple[Callable[[], object], ...] = (
        lambda: other.claim(stale.call, worker="other", until=MINUTE),
        lambda: other.claim(key=stale.key, worker="other", until=MINUTE),
        lambda: one.claim("call_1", worker="one", until=MINUTE),
        # Who asked of nothing has no claim.
        lambda: other.claim(stale.call, worker="other", until=MINUTE, asked=stale),
    )
    for ask in asks:
        with pytest.raises(CallStateError, match=r"is started, and 'one' holds it until 2027-01-15T08:01:00") as error:
            ask()
        assert error.value.record is not None
        assert (error.value.record.by, error.value.record.until) == ("one", kind.clock.time + 60)
        assert error.value.state is CallState.STARTED
    assert kind.open().load().calls == one.load().calls
    assert pickle.loads(pickle.dumps(error.value)).record == error.value.record


@pytest.mark.parametrize("settled", [False, True])
def test_a_lapsed_claim_is_unknown_until_somebody_has_asked(kind: Kind, settled: bool) -> None:
    one, other, third = begin(kind), kind.open(), kind.open()
    if settled:
        one.update(lambda history: history.as_sent().add_assistant("It will be paid.").add_user("Well?"))
    first = one.claim(PAY, worker="one", until=MINUTE)
    kind.clock.time += 61
    with pytest.raises(CallStateError, match=r"is unknown, as 'one' held it until .* asked=error\.record") as told:
        other.claim(key=first.key, worker="other", until=MINUTE)
    unknown = told.value.record
    assert unknown is not None
    assert (told.value.state, unknown.state, unknown.by) == (CallState.UNKNOWN, CallState.UNKNOWN, "one")
    second = other.claim(key=first.key, worker="other", until=MINUTE, asked=unknown)
    assert (second.state, second.by) == (CallState.STARTED, "other")
    assert [each.by for each in second.decisions if each.state == "started"] == ["one", "other"]
    # What the third has asked was before the second claim, and does not hold any more: not even once that has lapsed.
    kind.clock.time += 61
    with pytest.raises(CallStateError, match="is unknown, as 'other' held it"):
        third.claim(key=first.key, worker="third", until=MINUTE, asked=unknown)
    # A result of the first worker, after all, is taken; another one of the second is kept too.
    one.update(lambda history: history.add_tool_result(first.call, "paid 5"))
    history = other.update(lambda history: history.add_tool_result(second.call, "paid 5 twice"))
    assert history.calls[0].state is CallState.ANSWERED
    assert history.calls[0].result.text.startswith("paid 5")
    assert "paid 5 twice" in str(history.for_send()[-1]) + str(history.for_send()[-2])
    with pytest.raises(CallStateError, match="is answered"):
        third.claim(key=first.key, worker="third", until=MINUTE)


def test_what_nobody_recorded_is_asked_for_too(kind: Kind) -> None:
    session = begin(kind, lambda new: new.add_user("Pay.").add_assistant(PAY).add_user("Well?"))
    with pytest.raises(CallStateError, match="is unknown, as nobody recorded whether it ran") as told:
        session.claim(PAY, worker="one", until=MINUTE)
    assert session.claim(PAY, worker="one", until=MINUTE, asked=told.value.record).state is CallState.STARTED


def test_what_may_not_start_is_not_claimed(kind: Kind) -> None:
    session = begin(kind, lambda new: new.add_user("Pay.").add_assistant(PAY).record_call(PAY, "waiting"))
    with pytest.raises(CallStateError, match="is waiting, and may not become started"):
        session.claim(PAY, worker="one", until=MINUTE)
    with pytest.raises(UnknownCallError):
        session.claim("call_2", worker="one", until=MINUTE)
    session.update(lambda history: history.record_call(PAY, "approved"))
    before = session.load()
    for wrong in (-MINUTE, kind.clock.time, datetime.fromtimestamp(kind.clock.time - 1, UTC)):
        with pytest.raises(ValueError, match="until must be a timedelta, or a time after 2027-01-15T08:00:00"):
            session.claim(PAY, worker="one", until=wrong)
    with pytest.raises(ValueError, match="worker must name who asks"):
        session.claim(PAY, worker=" ", until=MINUTE)
    nothing: Any = None
    with pytest.raises(TypeError, match="worker must be a str, not NoneType"):
        session.claim(PAY, worker=nothing, until=MINUTE)
    with pytest.raises(TypeError, match="call must be a ToolUseBlock or an id, not NoneType"):
        session.claim(worker="one", until=MINUTE)
    assert session.load() == before
    assert session.claim(PAY, worker="one", until=datetime.fromtimestamp(kind.clock.time + 5, UTC)).until is not None


def test_a_claim_goes_through_though_somebody_writes_meanwhile(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    session, other = begin(kind), kind.open()
    written: list[MessageHistory] = []
    append = type(session)._append

    def slow(self: Any, history: MessageHistory, since: MessageHistory | None) -> None:
        if self is session and len(written) < 3:
            written.append(other.update(lambda found: found.add_user(f"Hurry {len(written)}!")))
        append(self, history, since)

    monkeypatch.setattr(type(session), "_append", slow)
    assert session.claim(PAY, worker="one", until=MINUTE).by == "one"
    assert len(written) == 3
    assert "Hurry 2!" in other.load()[-1].text


def test_one_worker_has_the_turn(kind: Kind) -> None:
    one, other = kind.open(), kind.open()
    with one.turn("one", until=MINUTE) as turn:
        assert turn.history == MessageHistory()
        for session in (other, one):
            with (
                pytest.raises(SessionLockedError, match="'one' has the turn until 2027-01-15T08:01:00") as held,
                session.turn("other", until=MINUTE),
            ):
                raise AssertionError
            assert (held.value.worker, held.value.until) == ("one", kind.clock.time + 60)
        one.append(turn.history.add_user("Hi").add_assistant("Hello!"))
    with other.turn("other", until=MINUTE) as turn:
        assert [message.text for message in turn.history] == ["Hi", "Hello!"]
    again = pickle.loads(pickle.dumps(held.value))
    assert (again.worker, str(again)) == ("one", str(held.value))


def test_a_turn_ends_by_itself_and_who_has_lost_it_writes_nothing(kind: Kind) -> None:
    one, other = kind.open(), kind.open()
    with one.turn("one", until=MINUTE) as turn:
        mine = turn.history.add_user("Hi").add_assistant("Hello!")
        kind.clock.time += 60
        with other.turn("other", until=MINUTE) as taken:
            for write in (one.append, one.save):
                with pytest.raises(SessionLockedError, match="another worker took it; nothing was written"):
                    write(mine)
            assert kind.open().load() == MessageHistory()
            other.append(taken.history.add_user("Mine").add_assistant("Yours."))
    assert [message.text for message in kind.open().load()] == ["Mine", "Yours."]
    # What was lost is not given back for another.
    with other.turn("other", until=MINUTE):
        one._release("none of its own")
        with pytest.raises(SessionLockedError), one.turn("one", until=MINUTE):
            raise AssertionError


def test_a_turn_that_has_lapsed_and_that_nobody_took_still_writes(kind: Kind) -> None:
    session = kind.open()
    with session.turn("one", until=MINUTE) as turn:
        kind.clock.time += 3600
        session.append(turn.history.add_user("Hi").add_assistant("Hello!"))
    assert len(kind.open().load()) == 2


def test_a_request_that_fails_leaves_nothing_and_one_that_is_sent_again_is_answered_again(kind: Kind) -> None:
    def request(id: str, text: str, *, fails: bool = False) -> str:
        session = kind.open()
        with session.turn("web", until=MINUTE) as turn:
            answer = turn.answer(id)
            if answer is None:
                history = turn.add_user(text, id=id)
                if fails:
                    raise ZeroDivisionError
                session.append(history.add_assistant(f"Done: {text}"))
                answer = session.load()[-1]
            return str(answer.text)

    with pytest.raises(ZeroDivisionError):
        request("1", "pay 5 to Bob", fails=True)
    assert kind.open().load() == MessageHistory()
    assert request("1", "pay 5 to Bob") == "Done: pay 5 to Bob"
    assert request("2", "And 6.") == "Done: And 6."
    assert request("1", "pay 5 to Bob") == "Done: pay 5 to Bob"
    history = kind.open().load()
    assert [message.text for message in history if message.role == "user"] == ["pay 5 to Bob", "And 6."]


def test_words_that_are_there_without_an_answer_are_not_added_again(kind: Kind) -> None:
    session = kind.open()
    session.update(
        lambda history: history.add_user("One.", metadata={"id": "1"}).add_user("Two.", metadata={"id": "2"})
    )
    with session.turn("web", until=MINUTE) as turn:
        assert turn.answer("1") is None
        assert turn.add_user("One.", id="1") == turn.history
        assert turn.add_user("Three.", id="3") != turn.history
        with pytest.raises(ValueError, match="id must be the client's name for the message, not ''"):
            turn.answer("")


def state_of(kind: Kind, *states: str) -> list[tuple[str, str, str, float | None]]:
    return [(each.call_id, each.state, each.by, each.until) for each in kind.waiting(*states)]


def test_all_that_waits_is_found_over_all_sessions_the_first_to_end_first(kind: Kind) -> None:
    calls = [ToolUseBlock(f"call_{number}", "pay", {"amount": number}) for number in range(6)]
    asked = MessageHistory().add_user("Pay.").add_assistant(calls)
    later, sooner = kind.clock.time + 50, kind.clock.time + 20
    asked = asked.record_call(calls[0], "waiting", by="bot", until=later).record_call(calls[1], "waiting")
    asked = asked.record_call(calls[2], "approved", by="ann", until=sooner).record_call(calls[3], "denied")
    asked = asked.add_tool_result(calls[4], "paid")
    a, b = kind.open("a"), kind.open("b")
    a.append(asked)
    b.update(lambda new: new.add_user("Pay.").add_assistant(PAY).record_call(PAY, "approved"))
    kind.open("c").update(lambda new: new.add_user("Pay.").add_assistant(PAY))
    b.claim(PAY, worker="one", until=timedelta(seconds=10))
    first = ("call_1", "started", "one", kind.clock.time + 10)
    rest = [("call_2", "approved", "ann", sooner), ("call_0", "waiting", "bot", later), ("call_1", "waiting", "", None)]
    assert state_of(kind) == [first, *rest]
    assert [str(each.session).rpartition("/")[2].removesuffix(".jsonl") for each in kind.waiting()] == ["b", *"aaa"]
    assert {each.name for each in kind.waiting()} == {"pay"}
    assert state_of(kind, "started") == [first]
    assert state_of(kind, "unknown") == []
    kind.clock.time += 10
    assert state_of(kind, "started") == []
    assert state_of(kind, "unknown") == [("call_1", "unknown", "one", kind.clock.time)]
    # A key of the list is enough to go on.
    with pytest.raises(CallStateError) as told:
        b.claim(key=kind.waiting("unknown")[0].key, worker="two", until=MINUTE)
    assert told.value.record is not None
    b.update(lambda history: history.add_tool_result(told.value.call, "paid"))
    a.update(lambda history: history.record_call(calls[1], "denied").add_tool_result(calls[0], "paid after all"))
    assert state_of(kind) == [rest[0]]
    with pytest.raises(ValueError, match="state must be one of"):
        kind.waiting("asleep")


def test_what_waits_is_what_the_history_says_whatever_is_done_to_it(kind: Kind) -> None:
    """Each way of writing keeps the list in step with the calls."""
    session = kind.open()
    now = kind.clock.time

    def holds() -> None:
        known = {each.key: each.state for each in kind.open().load().calls.unsettled()}
        wanted = {key: state for key, state in known.items() if state not in ("proposed", "unknown")}
        assert {each.key: each.state for each in kind.waiting()} == wanted

    for step in (
        lambda h: approved(h).as_sent().add_assistant("It was approved.").add_user("Go on."),
        lambda h: h.record_call(PAY, "started", by="one", until=now + 10),
        lambda h: h.as_sent().add_assistant(ToolUseBlock("call_2", "pay", {})),
        lambda h: h.record_call("call_2", "waiting").add_user("Hm."),
        lambda h: h.add_tool_result("call_1", "paid").as_sent().add_assistant("Paid."),
        lambda h: h.with_system("Be brief."),
        lambda h: h.record_call("call_2", "approved").add_user("?"),
    ):
        session.update(step)
        holds()
    session.save(session.load().rewind(1))
    holds()
    session.save(approved(session.load().rewind(3)))
    holds()
    assert len(kind.waiting()) == 1
    session.save(MessageHistory().add_user("New."))
    assert kind.waiting() == []


def test_what_a_provider_runs_waits_until_it_is_approved(kind: Kind) -> None:
    question, request = {"role": "user", "content": "Roll."}, {"type": "mcp_approval_request", "id": "mcpr_1"}
    request |= {"arguments": "{}", "name": "roll", "server_label": "dice"}
    asked = MessageHistory.from_list([question, request], dialect=OpenAIResponses(), open_tail="keep")
    session = kind.open()
    session.append(asked)
    assert state_of(kind) == [("mcpr_1", "waiting", "", None)]
    session.append(asked.record_call("mcpr_1", "approved", by="ann"))
    assert state_of(kind) == []


def test_a_time_that_is_just_over_is_over(kind: Kind) -> None:
    session = begin(kind)
    record = session.claim(PAY, worker="one", until=MINUTE)
    kind.clock.time += 59.5
    assert state_of(kind) == [("call_1", "started", "one", record.until)]
    with kind.open("b").turn("one", until=timedelta(seconds=1)):
        kind.clock.time += 0.5
        assert state_of(kind) == [("call_1", "unknown", "one", record.until)]
        with (
            pytest.raises(SessionLockedError, match="'one' has the turn"),
            kind.open("b").turn("two", until=MINUTE),
        ):
            raise AssertionError
        kind.clock.time += 0.5
        with kind.open("b").turn("two", until=MINUTE):
            pass


def test_an_answer_is_that_of_the_words_with_the_id_wherever_they_are(kind: Kind) -> None:
    session = kind.open()
    history = MessageHistory()
    for id in ("1", "2", "3"):
        history = history.add_user(f"question {id}", metadata={"id": id}).add_assistant(f"answer {id}")
    session.append(history)
    with session.turn("web", until=MINUTE) as turn:
        for id in ("1", "2", "3"):
            answer = turn.answer(id)
            assert answer is not None
            assert answer.text == f"answer {id}"
            assert turn.add_user("again", id=id) is turn.history
        assert turn.answer("4") is None
        assert turn.add_user("new", id="4").to_list()[-1]["role"] == "user"
        nothing: Any
        for nothing in ("", None):
            with pytest.raises(ValueError, match="id must be the client's name for the message"):
                turn.add_user("new", id=nothing)


@pytest.mark.parametrize("attempts", [0, 1, 3])
def test_an_update_is_tried_as_often_as_is_said(kind: Kind, attempts: int) -> None:
    session, other = begin(kind), kind.open()
    tried: list[MessageHistory] = []

    def change(history: MessageHistory) -> MessageHistory:
        tried.append(history)
        other.update(lambda found: found.add_user("first"))
        return history.add_user("late")

    wanted: Any = SessionConflictError if attempts else ValueError
    with pytest.raises(wanted, match=r"somebody else|attempts must be 1 or more, not 0"):
        session.update(change, attempts=attempts)
    assert len(tried) == attempts
