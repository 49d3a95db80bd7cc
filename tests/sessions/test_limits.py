"""What is held, searched and tried of sessions has limits: a change of one is a choice, and is made here too."""

from __future__ import annotations

from typing import Any

import pytest

from message_history.storage import about, working
from message_history.storage.sessions import folder, jsonl, reading

FILES: dict[Any, dict[str, Any]] = {
    about: {"MAX_NAME": 255, "MAX_TITLE": 1_000},
    working: {"ATTEMPTS": 20},
    folder: {"LONGEST": 256 * 1024},
    jsonl: {"WASTE": 1024 * 1024},
    reading: {"SHORT": 4096},
}


@pytest.mark.parametrize("module", FILES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_limit_of_files_is_what_it_was(module: Any) -> None:
    assert {name: getattr(module, name) for name in FILES[module]} == FILES[module]


def test_a_limit_of_databases_is_what_it_was() -> None:
    pytest.importorskip("sqlalchemy")
    from message_history.storage.databases import database, listing, rows, session, tables  # noqa: PLC0415 - an extra

    assert (tables.SCHEMA_VERSION, tables.BATCH, listing.TITLE) == (4, 500, -1)
    assert (database.LOCK_KEY, database.MOST_OPEN_FILES, database.IN_ONE) == (0x6D6573736167, 32, 500)
    assert (rows.MOST_SEARCHED, session.MAX_ID) == (100_000, 255)
