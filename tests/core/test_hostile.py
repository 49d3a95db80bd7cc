"""Hostile and odd input: it never raises, and its cost grows with its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.helpers import assistant, user

from message_history import MessageHistory, check
from message_history.dialects import Anthropic, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 20_000


def text(n: int) -> dict[str, Any]:
    return {"type": "text", "text": f"t{n}"}


def call(n: int, id: str | None = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id or f"c{n}", "name": "f", "input": {"n": n}}


def result(n: int, id: str | None = None) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id or f"c{n}", "content": f"r{n}"}


MANY: dict[str, Callable[[], list[Any]]] = {
    "blocks in one message": lambda: [user(text(0)), assistant(*map(text, range(5 * SIZE)))],
    "messages of one role": lambda: [user(text(n)) for n in range(5 * SIZE)],
    "calls and results of one turn": lambda: [
        user(text(0)),
        assistant(*map(call, range(SIZE))),
        *[user(result(n)) for n in reversed(range(SIZE))],
    ],
    "calls under one id": lambda: [
        user(text(0)),
        assistant(*[call(n, "x") for n in range(SIZE // 4)]),
        user(*[result(n, "x") for n in range(SIZE // 4)]),
    ],
    "orphans": lambda: [user(text(0)), *[user(result(n)) for n in range(SIZE)]],
    "unanswered calls": lambda: [part for n in range(SIZE // 2) for part in (user(text(n)), assistant(call(n)))],
    "results far away": lambda: [
        *[part for n in range(SIZE // 4) for part in (assistant(call(n)), user(text(n)))],
        *[user(result(n)) for n in range(SIZE // 4)],
    ],
    "second results under one id": lambda: [
        part
        for n in range(SIZE // 4)
        for part in (assistant(call(n, "call_0")), user(result(n, "call_0")), user(result(-n, "call_0")))
    ],
    "no messages at all": lambda: [None, {}, "x", 7, []] * SIZE,
}


@pytest.mark.heavy
@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_many_of_anything(make: Callable[[], list[Any]]) -> None:
    raw = make()
    history = MessageHistory.from_list(raw)
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
    for dialect in (Anthropic(), OpenAIChat()):
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)


def deep(depth: int) -> tuple[list[Any], dict[str, Any]]:
    listed: list[Any] = []
    mapped: dict[str, Any] = {}
    for _ in range(depth):
        listed, mapped = [listed], {"a": mapped}
    return listed, mapped


def cycle() -> tuple[list[Any], dict[str, Any]]:
    listed: list[Any] = []
    mapped: dict[str, Any] = {}
    listed.append(mapped)
    mapped["self"] = listed
    return listed, mapped


@pytest.mark.parametrize("make", [lambda: deep(5_000), cycle], ids=["deep", "cyclic"])
def test_containers_without_bottom(make: Callable[[], tuple[list[Any], dict[str, Any]]]) -> None:
    listed, mapped = make()
    raw: list[Any] = [
        listed,
        mapped,
        user(text(0)),
        {"role": "user", "content": listed},
        {"role": "user", "content": mapped},
        {"role": mapped, "content": [listed, mapped]},
        assistant({"type": "tool_use", "id": "1", "name": "f", "input": mapped}),
        assistant({"type": "tool_use", "id": listed, "name": mapped, "input": listed}),
        user({"type": "tool_result", "tool_use_id": "1", "content": listed, "extra": mapped}),
        {"role": "assistant", "tool_calls": listed, "content": mapped},
        {"role": "tool", "tool_call_id": mapped, "content": mapped},
        {"role": "user", "content": "x", "more": mapped},
    ]
    history = MessageHistory.from_list(raw)
    assert history.repairs
    for dialect in (Anthropic(), OpenAIChat()):
        assert not check(history.for_send(dialect), dialect)
    assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history


class Ambiguous:
    """Equals nothing and will not say whether it is empty, as arrays do."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __repr__(self) -> str:
        return "(an array)"


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "user", "content": Ambiguous()},
        user({"type": "text", "text": Ambiguous()}),
        {"role": Ambiguous(), "content": "q"},
        {"role": "assistant", "content": "a", "tool_calls": Ambiguous()},
    ],
    ids=["content", "text", "role", "calls"],
)
def test_what_does_not_say_whether_it_is_empty_is_kept(raw: dict[str, Any]) -> None:
    history = MessageHistory.from_list([raw])
    held = repr(history.to_list()) + repr([(repair.removed, repair.detail) for repair in history.repairs])
    assert "(an array)" in held


def test_deeply_nested_argument_text_is_unreadable_not_fatal() -> None:
    arguments = "[" * 200_000 + "]" * 200_000
    raw = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": arguments}}]}
    (made,) = MessageHistory().add_user("q").add(raw).awaiting
    assert not made.readable
    assert made.arguments == arguments


def test_huge_ids_and_names_are_shortened_on_the_wire_alone() -> None:
    raw = [user(text(0)), assistant({"type": "tool_use", "id": "x" * 10**6, "name": "n" * 10**6, "input": {}})]
    history = MessageHistory.from_list(raw)
    assert len(history[1].calls[0].id) == 10**6
    for dialect in (Anthropic(), OpenAIChat()):
        assert len(str(history.for_send(dialect))) < 2_000
