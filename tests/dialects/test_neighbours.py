"""Each list next to a known one is read, refused and sent as it was: see `tests/neighbours.py`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.neighbours import FOLDER, becoming

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", becoming())
def test_each_list_next_to_a_known_one_becomes_what_it_became(name: str) -> None:
    if name == "langchain_objects":
        pytest.importorskip("langchain_core")
    before = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    now = becoming()[name]()
    known = {*before}
    assert [line for line in now if line not in known] == []
    assert now == before
