"""What became of each call survives a crash in databases too."""

from __future__ import annotations

import os
from itertools import count

import pytest
from hypothesis import given, settings

from tests.sessions.call_model import World, actions, play

pytest.importorskip("sqlalchemy")

from message_history.storage.databases.session import SqlSession

_numbers = count()


def _play(database: str, taken: list[tuple[str, int, str]]) -> None:
    name = f"calls {next(_numbers)}"
    play(World(lambda: SqlSession(database, name)), taken)


@given(taken=actions)
def test_random_sessions_in_a_database(database: str, taken: list[tuple[str, int, str]]) -> None:
    _play(database, taken)


@pytest.mark.heavy
@given(taken=actions)
@settings(max_examples=int(os.environ.get("MESSAGE_HISTORY_RUNS", "300")))
def test_hundreds_of_random_sessions_in_a_database(database: str, taken: list[tuple[str, int, str]]) -> None:
    _play(database, taken)
