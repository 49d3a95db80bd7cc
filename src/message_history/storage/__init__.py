"""Sessions: histories that live longer than a process, in files of JSON lines and in databases."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from message_history.files.errors import (
        NotAContinuationError,
        SessionConflictError,
        SessionError,
        SessionLockedError,
    )
    from message_history.storage.about import Found, SessionInfo
    from message_history.storage.databases.async_session import AsyncSqlSession
    from message_history.storage.databases.session import SqlSession
    from message_history.storage.kept import BytesSession, Session
    from message_history.storage.sessions.jsonl import JsonlSession
    from message_history.storage.sessions.reading import LoadReport
    from message_history.storage.working import Turn, WaitingCall

__all__ = [
    "AsyncSqlSession",
    "BytesSession",
    "Found",
    "JsonlSession",
    "LoadReport",
    "NotAContinuationError",
    "Session",
    "SessionConflictError",
    "SessionError",
    "SessionInfo",
    "SessionLockedError",
    "SqlSession",
    "Turn",
    "WaitingCall",
]

_PLACES: Final = {
    "AsyncSqlSession": "storage.databases.async_session",
    "BytesSession": "storage.kept",
    "Found": "storage.about",
    "JsonlSession": "storage.sessions.jsonl",
    "LoadReport": "storage.sessions.reading",
    "NotAContinuationError": "files.errors",
    "Session": "storage.kept",
    "SessionConflictError": "files.errors",
    "SessionError": "files.errors",
    "SessionInfo": "storage.about",
    "SessionLockedError": "files.errors",
    "SqlSession": "storage.databases.session",
    "Turn": "storage.working",
    "WaitingCall": "storage.working",
}


if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"message_history.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
