"""LangGraph's reducer, and the functions of langchain-core on lists of messages."""

from __future__ import annotations

import json
import sqlite3
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from typing import TYPE_CHECKING, Any

from langchain_core.messages import (
    convert_to_messages,
    convert_to_openai_messages,
    merge_message_runs,
    trim_messages,
)
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages

from benchmarks.broken_histories import as_chat
from benchmarks.contenders.base import Agent, Case, Contender, folder, next_step, pickled
from benchmarks.contenders.plain import FORKS

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["LangChain", "LangGraph"]


class _Messages(Contender):
    """A list of langchain's messages."""

    form = "chat"

    @cached_property
    def messages(self) -> list[Any]:
        """The transcript as messages, with ids as the reducer gives them."""
        return self.numbered(self.raw)

    @cached_property
    def more(self) -> list[Any]:
        """The next turn as messages, with ids."""
        return self.numbered(self.turn, "next")

    @staticmethod
    def numbered(raw: Raw, label: str = "message") -> list[Any]:
        messages: list[Any] = convert_to_messages(as_chat(raw))
        for number, message in enumerate(messages):
            message.id = f"{label} {number}"
        return messages


class LangChain(_Messages):
    """langchain-core."""

    def ingest_json(self) -> Case:
        text = json.dumps(as_chat(self.raw))
        return Case(lambda: convert_to_messages(json.loads(text)))

    def ingest_dicts(self) -> Case:
        chat = as_chat(self.raw)
        return Case(lambda: convert_to_messages(chat))

    def repair(self) -> Case:
        messages = self.numbered(self.damaged)
        return Case(lambda: merge_message_runs(messages))

    def export(self) -> Case:
        messages = self.messages
        return Case(lambda: convert_to_openai_messages(messages))

    def export_again(self) -> Case:
        messages, more = self.messages, self.more
        return Case(lambda: convert_to_openai_messages([*messages, *more]))

    def trim(self) -> Case:
        messages, half = self.messages, len(self.messages) // 2
        return Case(
            lambda: trim_messages(messages, max_tokens=half, token_counter=len, strategy="last", start_on="human")
        )

    def pickle(self) -> Case:
        return pickled(self.messages)

    def memory(self) -> Case:
        text = json.dumps(as_chat(self.raw))
        return Case(lambda: convert_to_messages(json.loads(text)), self.size)

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        wire: list[Any] = convert_to_openai_messages(merge_message_runs(convert_to_messages(as_chat(raw))))
        return wire


class _State(Agent):
    """A graph's state, which the reducer changes."""

    def __init__(self, contender: type[Contender]) -> None:
        super().__init__(contender)
        self._state: Any = []

    def add(self, message: dict[str, Any]) -> None:
        more: Any = as_chat([message])
        self._state = add_messages(self._state, more)

    def send(self) -> list[Any]:
        wire: Any = convert_to_openai_messages(self._state)
        return list(wire)


class LangGraph(_Messages):
    """LangGraph."""

    agent = _State

    def append(self) -> Case:
        messages, more = self.messages, self.more[:1]
        return Case(lambda: add_messages(messages, more))

    def build(self) -> Case:
        messages = [[message] for message in self.messages]

        def run() -> None:
            state: Any = []
            for message in messages:
                state = add_messages(state, message)

        return Case(run, self.size)

    def step(self) -> Case | None:
        """One step of an agent that keeps its thread in SQLite; None where the saver is not installed."""
        if find_spec("langgraph.checkpoint.sqlite") is None:
            return None
        from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - a package of its own

        builder: Any = StateGraph(MessagesState)
        builder.add_node("done", lambda _: {"messages": []})
        builder.add_edge(START, "done")
        connection = sqlite3.connect(folder() / "threads.db", check_same_thread=False)
        graph: Any = builder.compile(checkpointer=SqliteSaver(connection))
        thread, numbers = {"configurable": {"thread_id": "one"}}, count()
        graph.invoke({"messages": self.messages}, thread)

        def run() -> None:
            number = next(numbers)
            added = self.numbered(list(next_step(number)), f"step {number}")
            state = graph.invoke({"messages": added}, thread)
            json.dumps(convert_to_openai_messages(state["messages"]))

        return Case(run)

    def fork(self) -> Case:
        messages, more = self.messages, self.more[:1]
        return Case(lambda: [add_messages(messages, more) for _ in range(FORKS)], FORKS)

    def fork_memory(self) -> Case:
        text, more = json.dumps(as_chat(self.raw)), self.more[:1]

        def run() -> object:
            messages = add_messages([], json.loads(text))
            return messages, [add_messages(messages, more) for _ in range(FORKS)]

        return Case(run, self.size)

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        chat: Any = as_chat(raw)
        wire: Any = convert_to_openai_messages(add_messages([], chat))
        return list(wire)
