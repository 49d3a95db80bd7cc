"""Histories that live longer than a process: in files of JSON lines, and in databases.

What is asked for is imported then: who keeps one session need not wait for the readers of thirty formats.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from message_history.storage.conversations import Conversation, Origin
    from message_history.storage.databases.async_session import AsyncSqlSession
    from message_history.storage.databases.session import SqlSession
    from message_history.storage.sessions.errors import (
        NotAContinuationError,
        SessionConflictError,
        SessionError,
        SessionLockedError,
    )
    from message_history.storage.sessions.jsonl import JsonlSession, LoadReport
    from message_history.storage.sessions.reading import SessionFile, from_file, read_session

__all__ = [
    "AsyncSqlSession",
    "Conversation",
    "JsonlSession",
    "LoadReport",
    "NotAContinuationError",
    "Origin",
    "SessionConflictError",
    "SessionError",
    "SessionFile",
    "SessionLockedError",
    "SqlSession",
    "from_file",
    "read_session",
]

_PLACES: Final = {
    "AsyncSqlSession": "databases.async_session",
    "Conversation": "conversations",
    "JsonlSession": "sessions.jsonl",
    "LoadReport": "sessions.jsonl",
    "NotAContinuationError": "sessions.errors",
    "Origin": "conversations",
    "SessionConflictError": "sessions.errors",
    "SessionError": "sessions.errors",
    "SessionFile": "sessions.reading",
    "SessionLockedError": "sessions.errors",
    "SqlSession": "databases.session",
    "from_file": "sessions.reading",
    "read_session": "sessions.reading",
}


if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
