"""Histories that live longer than a process: in files of JSON lines, and in databases."""

from __future__ import annotations

from message_history.storage.databases.session import SqlSession
from message_history.storage.sessions.errors import SessionConflictError, SessionError, SessionLockedError
from message_history.storage.sessions.jsonl import JsonlSession, LoadReport
from message_history.storage.sessions.reading import SessionFile, read_session

__all__ = [
    "JsonlSession",
    "LoadReport",
    "SessionConflictError",
    "SessionError",
    "SessionFile",
    "SessionLockedError",
    "SqlSession",
    "read_session",
]
