"""Histories that live longer than a process: in files of JSON lines, and in databases."""

from __future__ import annotations

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
