"""The sequences of the vectors: what agents do one after the other, with late results and states of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Step = dict[str, Any]
Sequence = tuple[str, str, list[Step]]
"""A name, what it shows, and the steps."""


def _says(text: str) -> Step:
    return {"add": {"role": "user", "content": text}}


def _replies(*blocks: Step) -> Step:
    return {"reply": list(blocks)}


def _text(text: str) -> Step:
    return {"type": "text", "text": text}


def _call(id: str, n: int = 1) -> Step:
    return {"type": "tool_use", "id": id, "name": "look", "input": {"n": n}}


def _result(id: str, content: Any, **more: Any) -> Step:
    return {"result": id, "content": content, **more}


def _state(id: str, state: str, **more: Any) -> Step:
    return {"call": id, "state": state, **more}


_ASKED: Final = [_says("q"), _replies(_call("1"))]
_TWO: Final = [_says("q"), _replies(_call("1"), _call("2"))]
_SETTLED: Final = [*_ASKED, _says("wait"), _replies(_text("ok"))]
_NAMED: Final[tuple[Sequence, ...]] = (
    ("a turn", "Nothing to repair", [*_ASKED, _result("1", "R"), _replies(_text("done"))]),
    (
        "results in any order",
        "Results stand in the order of their calls",
        [*_TWO, _result("2", "R2"), _result("1", "R1")],
    ),
    ("one of two results", "The other call has a stub as it is sent", [*_TWO, _result("2", "R2")]),
    (
        "text while a call waits",
        "The text stands behind the stub, and the result takes the stub's place",
        [*_ASKED, _says("well?"), _result("1", "R")],
    ),
    ("a late result", "What was sent stays; the result is quoted", [*_SETTLED, _result("1", "R")]),
    ("two late results", "The second is quoted too, as it differs", [*_SETTLED, _result("1", "R"), _result("1", "S")]),
    ("the same late result twice", "The second is dropped", [*_SETTLED, _result("1", "R"), _result("1", "R")]),
    (
        "a late result behind the reply",
        "It opens a user message of its own",
        [*_SETTLED, _result("1", "R"), _replies(_text("thanks"))],
    ),
    (
        "a result that comes while the reply is under way",
        "The reply answers the stub, so the result is late",
        [*_ASKED, _says("well?"), _result("1", "R"), {"reply": [_text("ok")], "to": 3}],
    ),
    (
        "an id that comes again",
        "The result goes to the call of the open turn",
        [*_ASKED, _result("1", "R"), _replies(_call("1", 2)), _result("1", "S")],
    ),
    (
        "an id that comes again, while the first call has a stub",
        "The open turn is asked first, then the settled stubs",
        [*_SETTLED, _says("again"), _replies(_call("1", 2)), _result("1", "S"), _result("1", "R")],
    ),
    ("a reply that comes twice", "It is added once", [*_ASKED, {"reply": [_call("1")], "to": 1}]),
    ("the same call after stubs that were sent", "It is another call", [*_ASKED, _replies(_call("1"))]),
    ("another reply to stubs", "What was sent stays; the call begins the next turn", [*_ASKED, _replies(_call("2"))]),
    ("a second result", "It is quoted", [*_ASKED, _result("1", "R"), _result("1", "S")]),
    ("the same result twice", "The second is dropped", [*_ASKED, _result("1", "R"), _result("1", "R")]),
    ("a result of no call, by hand", "It is refused", [*_ASKED, _result("9", "R")]),
    ("a failed result", "It says that it is an error", [*_ASKED, _result("1", "R", is_error=True)]),
    ("a result of nothing", "A result may be empty", [*_ASKED, _result("1", None), _replies(_text("done"))]),
    ("a call is proposed", "Nothing has run: the call waits", _ASKED),
    ("a call waits for approval", "The stub says so", [*_ASKED, _state("1", "waiting")]),
    (
        "a call is approved, started and answered",
        "Each state takes the place of the one before",
        [
            *_ASKED,
            _state("1", "waiting"),
            _state("1", "approved"),
            _state("1", "started"),
            _result("1", "R"),
            _replies(_text("done")),
        ],
    ),
    (
        "a call is denied",
        "The stub gives the reason, and the call is not awaited any more",
        [*_ASKED, _state("1", "waiting"), _state("1", "denied", reason="too dear"), _replies(_text("as you like"))],
    ),
    ("a call is cancelled", "It is not awaited any more", [*_ASKED, _state("1", "cancelled")]),
    (
        "a denied call is started",
        "A state that may not follow is refused",
        [*_ASKED, _state("1", "denied"), _state("1", "started")],
    ),
    ("a state of no call", "It is refused", [*_ASKED, _state("9", "started")]),
    (
        "a crash behind the start",
        "The state outlives a save and a load",
        [*_ASKED, _state("1", "started"), {"load": True}, _result("1", "R")],
    ),
    ("a save of an open turn", "The call still waits", [*_TWO, _result("2", "R2"), {"load": True}, _result("1", "R1")]),
    (
        "a settled call is approved",
        "What was sent stays; the state is told in the user message that is open",
        [*_ASKED, _state("1", "waiting"), _says("wait"), _replies(_text("ok")), _state("1", "approved")],
    ),
    (
        "a settled call is started and answered",
        "The result is late",
        [*_SETTLED, _state("1", "started"), _result("1", "R"), _replies(_text("done"))],
    ),
    (
        "two replies",
        "The assistant's messages are joined",
        [_says("q"), _replies(_text("a")), {"add": {"role": "assistant", "content": "b"}}],
    ),
    (
        "the assistant begins",
        "A marked user message leads",
        [{"add": {"role": "assistant", "content": "hello"}}, _says("q")],
    ),
)


def named_sequences() -> tuple[Sequence, ...]:
    """Give the sequences that each show one thing."""
    return _NAMED


def random_sequences(chance: Random, count: int) -> Iterator[Sequence]:
    """Make random sequences of three to eight steps.

    Args:
        chance: where all chance comes from.
        count: how many.
    """
    for n in range(count):
        steps = [_says("T@0"), *(_random_step(chance, place) for place in range(1, chance.randint(4, 8)))]
        yield f"random {n}", "", steps


def _random_step(chance: Random, place: int) -> Step:
    id = chance.choice(("1", "1", "2"))
    kind = chance.choice(
        ("says", "calls", "calls", "text", "result", "result", "result", "late", "state", "state", "load")
    )
    if kind == "says":
        return _says(f"T@{place}")
    if kind == "calls":
        return _replies(*(_call(each, chance.randint(1, 2)) for each in chance.choice(("1", "2", "12"))))
    if kind == "text":
        return _replies(_text(f"T@{place}"))
    if kind == "late":
        return {
            "add": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": f"R@{place}"}]}
        }
    if kind == "state":
        return _state(id, chance.choice(("waiting", "approved", "denied", "started", "cancelled")))
    return (
        {"load": True} if kind == "load" else _result(id, f"R@{place}", **chance.choice(({}, {}, {"is_error": True})))
    )
