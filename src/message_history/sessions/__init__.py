"""Histories that live longer than a process: in files of JSON lines, and in databases."""

from __future__ import annotations

from message_history.sessions.errors import SessionConflictError, SessionError, SessionLockedError
from message_history.sessions.jsonl import JsonlSession, LoadReport
from message_history.sessions.reading import SessionFile, read_session
from message_history.sessions.sql import SqlSession

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
