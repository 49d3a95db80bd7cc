"""Each list next to a known one is read, refused and sent as it was: see `tests/neighbours.py`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.neighbours import FOLDER, NAMES, OF_OBJECTS, becoming

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def assert_becomes_what_it_became(name: str) -> None:
    before = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    now = becoming()[name]()
    known = {*before}
    assert [line for line in now if line not in known] == []
    assert now == before


@pytest.mark.parametrize("name", NAMES)
def test_each_list_next_to_a_known_one_becomes_what_it_became(name: str) -> None:
    assert_becomes_what_it_became(name)


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_each_list_of_messages_that_are_objects_is_read_and_refused_as_it_was(name: str) -> None:
    assert_becomes_what_it_became(name)


def test_each_object_of_langchain_is_written_as_it_was() -> None:
    pytest.importorskip("langchain_core")
    assert_becomes_what_it_became("langchain_objects")


def test_each_stream_next_to_a_known_one_becomes_what_it_became() -> None:
    assert_becomes_what_it_became("streams")
