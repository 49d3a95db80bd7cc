"""The databases that sessions are tested in."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.sessions.databases import REQUIRED, NoServerError, postgresql_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS = ("sqlite", "postgresql")
_numbers = count()


def _without(reason: str) -> None:
    """Skip a test, or let it fail where it must not be skipped."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, and {REQUIRED} is set", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    try:
        import psycopg  # noqa: F401, PLC0415 - may not be installed
    except ImportError:
        _without("psycopg is not installed")
    try:
        with postgresql_server() as url:
            yield url
    except NoServerError as missing:
        _without(str(missing))


@pytest.fixture(scope="session", params=KINDS)
def new_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """Give a maker of empty databases, each named by its URL."""
    try:
        import sqlalchemy  # noqa: PLC0415 - may not be installed
    except ImportError:
        _without("sqlalchemy is not installed")
    if request.param == "sqlite":
        folder = tmp_path_factory.mktemp("databases")
        return lambda: f"sqlite:///{folder}/{next(_numbers)}.db"
    url = sqlalchemy.make_url(request.getfixturevalue("server")).set(drivername="postgresql+psycopg")

    def make() -> str:
        name = f"schema_{next(_numbers)}"
        engine = sqlalchemy.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {name}")
        engine.dispose()
        there = url.update_query_dict({"options": f"-csearch_path={name}"})
        return str(there.render_as_string(hide_password=False))

    return make


@pytest.fixture(scope="session")
def database(new_database: Callable[[], str]) -> str:
    """Give a database that tests share; each has its own sessions."""
    return new_database()


@pytest.fixture
def empty(new_database: Callable[[], str]) -> Iterator[str]:
    """Give a database of a test's own."""
    from message_history.storage.databases import database as sql_database  # noqa: PLC0415 - needs sqlalchemy

    url = new_database()
    before = set(sql_database._engines)
    yield url
    for name in set(sql_database._engines) - before:
        sql_database._engines.pop(name).dispose()


@pytest.fixture
def new_schema(server: str) -> str:
    """Give an empty database on the PostgreSQL server."""
    import sqlalchemy  # noqa: PLC0415 - may not be installed

    url = sqlalchemy.make_url(server).set(drivername="postgresql+psycopg")
    name = f"schema_{next(_numbers)}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    engine.dispose()
    return str(url.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False))
