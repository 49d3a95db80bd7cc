"""Measure sessions in databases: appends, loading, and 50 writers at once.

    python benchmarks/sql_sessions.py                        prints a table
    python benchmarks/sql_sessions.py --update PAGE          writes it into a page, between its two marks
    python benchmarks/sql_sessions.py --postgresql URL       measures a server that is there, not one of its own

Needs the extra `postgres` and a PostgreSQL installation. A server of its own waits for the disk at each commit, as
servers do; so does SQLite.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import random
import sqlite3
import sys
import tempfile
import time
from collections import deque
from contextlib import ExitStack
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.sessions.databases import postgresql_server  # noqa: E402

from benchmarks.measure import put_between, seconds  # noqa: E402
from message_history import MessageHistory, ToolUseBlock  # noqa: E402 - the tests' server is found from here
from message_history.storage import SessionConflictError, SqlSession  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS: Final = 5
APPENDS: Final = 400
LONG: Final = 10_000
TURNS: Final = 20
WRITERS: Final = 50
TIMES: Final = 10
TEXT: Final = "The quick brown fox jumps over the lazy dog. " * 8
MARKS: Final = ("<!-- measured: by benchmarks/sql_sessions.py -->", "<!-- measured: end -->")


def steps(history: MessageHistory) -> Iterator[MessageHistory]:
    """Grow a history as an agent does: a question, a call, its result, an answer; 400 bytes each."""
    number = len(history)
    while True:
        yield (history := history.add_user(TEXT))
        yield (history := history.add_assistant(ToolUseBlock(f"call_{number}", "search", {"query": TEXT})))
        yield (history := history.add_tool_result(f"call_{number}", TEXT))
        yield (history := history.add_assistant(TEXT))
        number += 4


def of_one_database(url: str) -> dict[str, str]:
    """Measure what one user of a database sees."""
    session = SqlSession(url, "long")
    session.load()
    history = next(history for history in steps(MessageHistory()) if len(history) == LONG)
    saving = seconds(lambda: session.save(history))
    whole = median(seconds(lambda: SqlSession(url, "long").load()) for _ in range(ROUNDS))
    newest = median(seconds(lambda: SqlSession(url, "long").load(turns=TURNS)) for _ in range(ROUNDS))
    if SqlSession(url, "long").load() != history:
        raise AssertionError("what was loaded is not what was saved")
    long = median(rate(session, history) for _ in range(ROUNDS))
    short = median(rate(SqlSession(url, f"short {number}"), MessageHistory()) for number in range(ROUNDS))
    forking = seconds(lambda: session.fork("fork"))
    return {
        "appends per second, to a new session": f"{short:,.0f}",
        f"appends per second, to one of {LONG:,} messages": f"{long:,.0f}",
        f"saving {LONG:,} messages at one stroke": f"{saving * 1_000:,.0f} ms",
        f"loading {LONG:,} messages": f"{whole * 1_000:,.0f} ms",
        f"loading the newest {TURNS} turns of them": f"{newest * 1_000:,.1f} ms",
        f"copying {LONG:,} messages to a new session (`fork`)": f"{forking * 1_000:,.0f} ms",
    }


def rate(session: SqlSession, history: MessageHistory) -> float:
    """Count appends per second."""
    versions = list(islice(steps(history), APPENDS))
    session.save(history)
    return APPENDS / seconds(lambda: deque(map(session.append, versions), maxlen=0))


def of_many_writers(url: str) -> dict[str, str]:
    """Let many processes write at once: to one session, and each to its own."""
    shared, conflicts = written_at_once(url, "shared")
    texts = [message.text for message in SqlSession(url, "shared").load()]
    expected = sorted(f"{writer}.{number}" for writer in range(WRITERS) for number in range(TIMES))
    if sorted(texts[::2]) != expected or texts[::2] != texts[1::2]:
        raise AssertionError("turns were lost or interleaved")
    own, none = written_at_once(url, "own {}")
    for writer in range(WRITERS):
        texts = [message.text for message in SqlSession(url, f"own {writer}").load()]
        if texts != [f"{writer}.{number // 2}" for number in range(2 * TIMES)] or none:
            raise AssertionError("turns were lost or interleaved")
    turns = WRITERS * TIMES
    return {
        f"{WRITERS} writers of one session, turns per second": f"{turns / shared:,.0f}",
        "turns lost or interleaved, of " + f"{turns:,}": "0",
        "conflicts that were reported, and tried again": f"{conflicts:,}",
        f"{WRITERS} writers of {WRITERS} sessions, turns per second": f"{turns / own:,.0f}",
        "turns lost, of " + f"{turns:,}": "0",
    }


def written_at_once(url: str, session_id: str) -> tuple[float, int]:
    """Run the writers; give how long they took, and how often one was told that another was there first."""
    context = get_context("fork")
    ready, recorded = context.Barrier(WRITERS + 1), context.SimpleQueue()
    writers = [
        context.Process(target=write, args=(url, session_id.format(n), n, ready, recorded)) for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    ready.wait()
    start = time.perf_counter()
    conflicts = sum(recorded.get() for _ in writers)
    took = time.perf_counter() - start
    for writer in writers:
        writer.join()
    return took, conflicts


def write(url: str, session_id: str, writer: int, ready: object, recorded: object) -> None:
    """Write turns to a session, each behind what is there."""
    session = SqlSession(url, session_id, lock_timeout=120)
    session.load(turns=1)
    conflicts = 0
    ready.wait()  # type: ignore[attr-defined]
    chance = random.Random(writer)
    for number in range(TIMES):
        turn = f"{writer}.{number}"
        for attempt in count():
            try:
                session.append(session.load(turns=1).add_user(turn).add_assistant(turn))
                break
            except SessionConflictError:
                conflicts += 1
                # Whoever was too late waits for a while, longer each time: so not all are too late again.
                time.sleep(chance.uniform(0, 0.01 * 2**attempt))
    recorded.put(conflicts)  # type: ignore[attr-defined]


def table(sqlite: dict[str, str], postgresql: dict[str, str], versions: tuple[str, str], load: float) -> str:
    """Write the figures as a table of Markdown."""
    rows = [("", *versions), ("---", "---:", "---:")]
    rows += [(name, sqlite.get(name, ""), figure) for name, figure in postgresql.items()]
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, the server on the same machine"
    recorded = f"Measured with {machine}, and messages of about 400 bytes."
    # What others have run meanwhile is in the load.
    recorded += f" The load of the machine before was {load:.1f}."
    return "\n".join([recorded, "", *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure sessions in databases.")
    parser.add_argument("--postgresql", metavar="URL", help="an empty database on a server that is there")
    parser.add_argument("--update", metavar="PAGE", type=Path, help="write the figures into this page")
    raw = parser.parse_args()
    logging.getLogger("message_history").setLevel(logging.ERROR)
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        url = raw.postgresql or stack.enter_context(postgresql_server(durable=True))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        sqlite = of_one_database(f"sqlite:///{folder}/chats.db")
        postgresql = of_one_database(url) | of_many_writers(url)
        versions = f"SQLite {sqlite3.sqlite_version}", f"PostgreSQL {server_version(url)}"
    figures = table(sqlite, postgresql, versions, load)
    print(figures)
    if raw.update is not None:
        put_between(MARKS, figures, raw.update)


def server_version(url: str) -> str:
    """Ask a server for its version."""
    import psycopg  # noqa: PLC0415 - only a server of PostgreSQL has it

    with psycopg.connect(url) as connection:
        return str(connection.info.server_version // 10_000)


if __name__ == "__main__":
    main()
