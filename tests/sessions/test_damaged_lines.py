"""Every line of a session damaged in every way of a list: no line that can be read is lost, and repairing is final."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from message_history.files.files import UnreadableFileError
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from tests.campaigns.files import FORMS, lost, not_final, readable_texts, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Lines = list[bytes]
SESSIONS = [(form, number) for form in FORMS for number in (3, 8)]


def with_line(lines: Lines, n: int, *new: bytes) -> Lines:
    return [*lines[:n], *new, *lines[n + 1 :]]


def of_keys(change: Callable[[dict[str, Any], str], None]) -> Callable[[Lines, int], Iterator[Lines]]:
    """Damage one key of a line's object after the other."""

    def damaged(lines: Lines, n: int) -> Iterator[Lines]:
        for key in json.loads(lines[n]):
            value = json.loads(lines[n])
            change(value, key)
            yield with_line(lines, n, json.dumps(value).encode())

    return damaged


DAMAGES: dict[str, Callable[[Lines, int], Iterator[Lines]]] = {
    "no JSON any more": lambda lines, n: iter([with_line(lines, n, b"\xff" + lines[n][1:])]),
    "cut in the middle": lambda lines, n: iter([with_line(lines, n, lines[n][: len(lines[n]) // 2])]),
    "the file ends in it": lambda lines, n: iter([[*lines[:n], lines[n][: len(lines[n]) // 2]]]),
    "empty": lambda lines, n: iter([with_line(lines, n, b"")]),
    "nothing but zeros": lambda lines, n: iter([with_line(lines, n, bytes(len(lines[n])))]),
    "lost": lambda lines, n: iter([with_line(lines, n)]),
    "twice": lambda lines, n: iter([with_line(lines, n, lines[n], lines[n])]),
    "first": lambda lines, n: iter([[lines[n], *with_line(lines, n)]]),
    "last": lambda lines, n: iter([[*with_line(lines, n), lines[n]]]),
    "in one line with the next": lambda lines, n: iter(
        [[*lines[:n], b"".join(lines[n : n + 2]), *lines[n + 2 :]]] if n + 1 < len(lines) else []
    ),
    "a list": lambda lines, n: iter([with_line(lines, n, b"[" + lines[n] + b"]")]),
    "a key is lost": of_keys(lambda value, key: value.pop(key)),
    "a value is lost": of_keys(lambda value, key: value.update({key: None})),
    "a value is a number": of_keys(lambda value, key: value.update({key: 7})),
}


def damaged(form: str, number: int, damage: str) -> Iterator[bytes]:
    lines = session_of(form, Random(number)).split(b"\n")[:-1]
    for n in range(len(lines)):
        for changed in DAMAGES[damage](lines, n):
            yield b"".join(line + b"\n" for line in changed)


def failures(of: Callable[[bytes, str], Iterator[str]], data: bytes, form: str) -> list[str]:
    """Say what went wrong; a file that is refused keeps what is in it, and must hold no text that can be read."""
    try:
        return list(of(data, form))
    except UnreadableFileError:
        return sorted(readable_texts(data))


every_damage = pytest.mark.parametrize("damage", DAMAGES)
every_session = pytest.mark.parametrize(("form", "number"), SESSIONS)


@pytest.mark.heavy
@every_damage
@every_session
def test_a_damaged_file_loses_no_line_that_can_be_read(form: str, number: int, damage: str) -> None:
    for data in damaged(form, number, damage):
        assert failures(lost, data, form) == [], data.decode(errors="replace")


@pytest.mark.heavy
@every_damage
@every_session
def test_a_repaired_file_is_accepted_and_repairing_it_again_changes_nothing(
    form: str, number: int, damage: str
) -> None:
    for data in damaged(form, number, damage):
        assert failures(not_final, data, form) == [], data.decode(errors="replace")


def test_a_repair_that_drops_a_line_and_one_that_does_nothing_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FORMS[0]
    data = session_of(form, Random(3))
    assert not [*lost(data, form), *not_final(data, form)]
    begin = session_in(data[: len(data) // 2], chosen=FORMATS[form])
    shorter = begin.repair_file()
    monkeypatch.setattr(type(begin), "repair_file", lambda _: shorter)
    assert list(lost(data, form))
    damaged_line = data[:-9] + b"\n"
    unchanged = evolve(shorter, data=damaged_line, after=session_in(damaged_line, chosen=FORMATS[form]))
    monkeypatch.setattr(type(begin), "repair_file", lambda _: unchanged)
    assert list(not_final(damaged_line, form))
