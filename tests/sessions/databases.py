"""Databases for tests: a PostgreSQL server that is started for them, and the processes that write."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from message_history.storage import SessionConflictError, SqlSession
from tests.sessions.growing import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = "MESSAGE_HISTORY_REQUIRE_POSTGRES"
"""Set in the environment, it lets tests fail that would be skipped for want of a server."""
ATTEMPTS = 3


class NoServerError(Exception):
    """There is no PostgreSQL here; the text says what is missing."""


@contextmanager
def postgresql_server(*, durable: bool = False) -> Iterator[str]:
    """Run a PostgreSQL server on a free port of this machine.

    Args:
        durable: whether it waits for the disk, as a server should; tests do without.

    Yields:
        The URL of its database.

    Raises:
        NoServerError: when it is not installed.
    """
    programs = _programs()
    # Not pytest's folder: the server's user may not look into that.
    folder = Path(tempfile.mkdtemp(prefix="message-history-pg-"))
    try:
        who = _unprivileged(folder)
        data = folder / "data"
        _run([programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"], who)
        for attempt in range(ATTEMPTS):
            port = _free_port()
            settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": ""}
            settings |= {} if durable else {"fsync": "off", "synchronous_commit": "off"}
            options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
            start = [programs / "pg_ctl", "-D", data, "-l", folder / "log", "-w", "-o", options, "start"]
            try:
                _run(start, who)
                break
            except RuntimeError:
                # Somebody may have taken the port in the meantime.
                if attempt == ATTEMPTS - 1:
                    raise
        try:
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], who)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """Find the folder of `initdb` and `pg_ctl`."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    if found is not None:
        # What is on the path may be a link into the package, which has all the others.
        folders = [Path(found).resolve().parent, *folders]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    raise NoServerError("initdb and pg_ctl of PostgreSQL are not installed")


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Give a folder to somebody who is not root, for the server does not run as root."""
    if os.geteuid() != 0:
        return {}
    import pwd  # noqa: PLC0415 - not every system has it

    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise NoServerError("PostgreSQL does not run as root, and there is no other user")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(command: list[Any], who: dict[str, Any]) -> None:
    # The server goes on running: it must not hold a pipe of ours. Nor may it look for files where we are.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
            cwd="/",
            **who,
        )
        output.seek(0)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{output.read().decode(errors='replace')}")


def write_for_ever(url: str, session_id: str, acknowledge: int) -> None:
    """Append to a session until killed; say each time how many messages are saved.

    Args:
        url: the database.
        session_id: the session.
        acknowledge: the file descriptor to say it on.
    """
    session = SqlSession(url, session_id)
    for history in steps(session.load(), number=len(session.load())):
        session.append(history)
        os.write(acknowledge, f"{len(history)}\n".encode())


def take_turns(url: str, session_id: str, writer: str, times: int) -> None:
    """Add to a session that others add to as well.

    Args:
        url: the database.
        session_id: the session.
        writer: who is writing.
        times: how often.
    """
    session = SqlSession(url, session_id, lock_timeout=60)
    for number in range(times):
        while True:
            try:
                session.append(session.load().add_user(f"{writer}.{number}").add_assistant("noted"))
                break
            except SessionConflictError:
                continue
