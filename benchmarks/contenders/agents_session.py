"""openai-agents: a session in SQLite, and what its runner does to a list that it resumes."""

from __future__ import annotations

import asyncio
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import finalize

from agents import SQLiteSession
from agents.run_internal.items import normalize_resumed_input

from benchmarks.broken_histories import text_of
from benchmarks.contenders.base import Case, Contender, folder

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["AgentsSession"]


def items(raw: Raw) -> list[Any]:
    """Write a list as items, broken as it is."""
    found: list[Any] = []
    for message in raw:
        for block in message["content"]:
            if block["type"] == "tool_use":
                call = {"call_id": block["id"], "name": block["name"], "arguments": json.dumps(block["input"])}
                found.append({"type": "function_call", **call})
            elif block["type"] == "tool_result":
                output = {"call_id": block["tool_use_id"], "output": text_of(block)}
                found.append({"type": "function_call_output", **output})
            else:
                found.append({"role": message["role"], "content": block["text"]})
    return found


class AgentsSession(Contender):
    """openai-agents."""

    form = "items"

    def __init__(self, size: int, *, coding: bool = False) -> None:
        super().__init__(size, coding=coding)
        self._loop = asyncio.new_event_loop()
        finalize(self, self._loop.close)

    @cached_property
    def session(self) -> Any:
        """A session that holds the transcript."""
        return self._kept()

    def _kept(self) -> Any:
        session = self._filled(items(self.raw))
        finalize(self, session.close)
        return session

    def _filled(self, found: list[Any]) -> Any:
        session = SQLiteSession("benchmark")
        self._loop.run_until_complete(session.add_items(found))
        return session

    def append(self) -> Case:
        session, found = self._kept(), items(self.turn[:1])
        wait = self._loop.run_until_complete
        return Case(lambda: wait(session.add_items(found)))

    def build(self) -> Case:
        messages = [items([message]) for message in self.raw]

        async def run() -> None:
            session = SQLiteSession("benchmark")
            for found in messages:
                await session.add_items(found)
            session.close()

        return Case(lambda: self._loop.run_until_complete(run()), self.size)

    def ingest_dicts(self) -> Case:
        found = items(self.raw)
        return Case(lambda: self._filled(found).close())

    def repair(self) -> Case:
        found = items(self.damaged)
        return Case(lambda: normalize_resumed_input(found))

    def export(self) -> Case:
        session, wait = self.session, self._loop.run_until_complete
        return Case(lambda: wait(session.get_items()))

    def load_database(self) -> Case:
        path = folder() / "sessions.db"
        session, wait = SQLiteSession("one", path), self._loop.run_until_complete
        wait(session.add_items(items(self.raw)))
        session.close()

        async def run() -> list[Any]:
            opened = SQLiteSession("one", path)
            found: list[Any] = await opened.get_items()
            opened.close()
            return found

        return Case(lambda: wait(run()))

    def trim(self) -> Case:
        session, half, wait = self.session, len(items(self.raw)) // 2, self._loop.run_until_complete
        return Case(lambda: wait(session.get_items(half)))

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        resumed: Any = normalize_resumed_input(items(raw))
        return list(resumed)
