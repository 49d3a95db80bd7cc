"""Measure what a database of 100,000 sessions takes to list, search and delete them.

    python benchmarks/stored_sessions.py                     prints a table
    python benchmarks/stored_sessions.py --update PAGE       writes it into a page, between its two marks
    python benchmarks/stored_sessions.py --sessions 1000     measures fewer

Needs the extra `postgres` and a PostgreSQL installation. The rows are written as `SqlSession` writes them, many
sessions at once.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import random
import sqlite3
import sys
import tempfile
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sqlalchemy import insert  # noqa: E402
from tests.sessions.databases import postgresql_server  # noqa: E402

from benchmarks.measure import put_between, seconds  # noqa: E402
from message_history.storage import SqlSession  # noqa: E402 - the tests' server is found from here
from message_history.storage.databases.database import Database  # noqa: E402
from message_history.storage.databases.tables import LABELS, MESSAGES, SESSIONS, TEXTS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

SESSIONS_OF_ALL: Final = 100_000
MESSAGES_OF_EACH: Final = 4
WORDS_OF_EACH: Final = 20
VOCABULARY: Final = 50_000
ROUNDS: Final = 60
PAGE: Final = 50
BATCH: Final = 2_000
MARKS: Final = ("<!-- measured: by benchmarks/stored_sessions.py -->", "<!-- measured: stored end -->")
WEIGHTS: Final = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
"""How often words are used, as in natural texts: the second is used half as often as the first, and so on."""
NAMES: Final = [f"word{rank}" for rank in range(1, VOCABULARY + 1)]


def fill(url: str, many: int) -> None:
    """Write the sessions: a tenth of one owner's, the others of a thousand owners; half of them have a label."""
    chance = random.Random(1)
    with Database(url, 60.0).writing() as rows:
        for first in range(1, many + 1, BATCH):
            numbers = range(first, min(first + BATCH, many + 1))
            tables: dict[str, list[dict[str, object]]] = {"sessions": [], "labels": [], "messages": [], "texts": []}
            for number in numbers:
                add_session(tables, number, chance)
            for table, name in ((SESSIONS, "sessions"), (LABELS, "labels"), (MESSAGES, "messages"), (TEXTS, "texts")):
                if tables[name]:
                    rows._connection.execute(insert(table), tables[name])
    if url.startswith("postgresql"):
        # As the server does by itself after a while.
        with Database(url, 60.0)._engine.connect() as made:
            connection = made.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql("VACUUM ANALYZE")


def add_session(tables: dict[str, list[dict[str, object]]], number: int, chance: random.Random) -> None:
    owner = "large" if number % 10 == 0 else f"user {number % 1_000}"
    labels = [label for label, every in (("common", 2), ("rare", 1_000)) if number % every == 0]
    updated = 1.6e9 + number
    row = {"id": f"chat {number}", "revision": 1, "messages": MESSAGES_OF_EACH, "repairs": 0, "owner": owner}
    row |= {"title": f"Chat {number}", "labels": json.dumps(labels), "created": updated, "updated": updated}
    tables["sessions"].append({"number": number, **row})
    tables["labels"] += [{"session": number, "label": each, "owner": owner, "updated": updated} for each in labels]
    for position in range(MESSAGES_OF_EACH):
        text = " ".join(chance.choices(NAMES, cum_weights=WEIGHTS, k=WORDS_OF_EACH))
        same = {"session": number, "position": position}
        entry = {"role": ("user", "assistant")[position % 2], "content": [{"type": "text", "text": text}], "native": 1}
        is_first = position % 2 == 0
        tables["messages"].append({**same, "revision": 1, "starts_turn": is_first, "body": json.dumps(entry)})
        tables["texts"].append({**same, "owner": owner, "text": text})


def milliseconds(run: Callable[[], object], rounds: int = ROUNDS) -> str:
    took = [seconds(run) for _ in range(rounds)]
    return f"{median(took) * 1_000:,.1f} ({min(took) * 1_000:,.1f})"


def measured(url: str, many: int) -> dict[str, str]:
    newest = SqlSession.sessions(url, limit=1)[0].updated or 0.0
    middle = f"{newest - many // 2!r} {many // 2}"
    session = SqlSession(url, "chat 10")
    grown = session.load()

    def append() -> None:
        nonlocal grown
        grown = grown.add_user("more word7 text").add_assistant("word7 yes")
        session.append(grown)

    def page(**asked: Any) -> str:
        if len(SqlSession.sessions(url, limit=PAGE, **asked)) < min(PAGE, many // 1_000):
            raise AssertionError(f"there are too few sessions: {asked}")
        return milliseconds(lambda: SqlSession.sessions(url, limit=PAGE, **asked))

    def found(text: str, **asked: Any) -> str:
        return milliseconds(lambda: SqlSession.search(url, text, limit=PAGE, **asked))

    figures = {
        f"the newest {PAGE} sessions": page(),
        f"{PAGE} from the middle of the list": page(after=middle),
        f"the newest {PAGE} of an owner with a tenth of all": page(owner="large"),
        f"the newest {PAGE} of an owner with 100": page(owner="user 7"),
        f"the newest {PAGE} with a label that half of all have": page(label="common"),
        f"the newest {PAGE} with a label that one in a thousand has": page(label="rare"),
        f"the newest {PAGE} of an owner with a label": page(owner="large", label="common"),
        "searching for a word in most messages": found("word1"),
        "a word in one message of 600": found("word1000"),
        "a word in one of 26,000": found("word45000"),
        "a word that is nowhere": found("nowhere"),
        "three words, in one message of 6, 12 and 18": found("word10 word20 word30"),
        "a word in most messages, of an owner with 100 sessions": found("word1", owner="user 7"),
        "a word in one message of 600, of an owner with a tenth of all": found("word1000", owner="large"),
        "appending two messages, among all of these": milliseconds(append),
    }
    count = len(SqlSession.sessions(url, owner="user 7"))
    deleting = seconds(lambda: SqlSession.delete_owner(url, "user 7", scrub=False))
    figures[f"deleting an owner with {count} sessions"] = f"{deleting * 1_000:,.0f}"
    scrubbing = seconds(lambda: SqlSession.scrub(url))
    figures["rewriting all files, so that no byte is left of them (`scrub`)"] = f"{scrubbing * 1_000:,.0f}"
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure databases of many sessions.")
    parser.add_argument("--sessions", type=int, default=SESSIONS_OF_ALL, help="how many; a multiple of 1,000")
    parser.add_argument("--update", metavar="PAGE", type=Path, help="write the figures into this page")
    raw = parser.parse_args()
    logging.getLogger("message_history").setLevel(logging.ERROR)
    with ExitStack() as stack:
        server = stack.enter_context(postgresql_server(durable=True))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        found, loads = [], []
        for url in (f"sqlite:///{folder}/chats.db", server.replace("postgresql://", "postgresql+psycopg://")):
            fill(url, raw.sessions)
            loads.append(os.getloadavg()[0])
            found.append(measured(url, raw.sessions))
        size = Path(f"{folder}/chats.db").stat().st_size
    versions = (f"SQLite {sqlite3.sqlite_version}", "PostgreSQL")
    rows = [("", *versions), ("---", "---:", "---:"), *((name, found[0][name], found[1][name]) for name in found[0])]
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, the server on the same machine"
    about = f"{raw.sessions:,} sessions of {MESSAGES_OF_EACH} messages of {WORDS_OF_EACH} words ({size / 1e6:,.0f} MB)"
    said = (
        f"Measured with {machine}: {about}. Milliseconds, medians of {ROUNDS} and in brackets the fastest, for others"
    )
    said += f" used the machine too: its load was {loads[0]:.0f} and {loads[1]:.0f}."
    figures = "\n".join([said, "", *(f"| {' | '.join(row)} |" for row in rows)])
    print(figures)
    if raw.update is not None:
        put_between(MARKS, figures, raw.update)


if __name__ == "__main__":
    main()
