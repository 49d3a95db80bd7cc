"""The checkpoint of a history in LangGraph, beside those of plain lists: size and time, in one run.

    python benchmarks/checkpoints.py [MESSAGES]

All three hold the same conversation, in the channel that a user would choose: our history in `grow`, langchain-core's
messages in a list with `add_messages`, and plain dicts in a list with `operator.add`. Each time is that of the fastest
of runs that take turns: what else a machine does can only slow them. A step is what one node costs that adds a message
to a thread in SQLite.
"""

from __future__ import annotations

import operator
import sqlite3
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.messages import AnyMessage  # noqa: TC002 - LangGraph reads the annotations
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph, add_messages
from typing_extensions import TypedDict

from message_history import MessageHistory, ToolUseBlock
from message_history.integrations.langchain import LangChain
from message_history.integrations.langgraph import Growing, grow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 51
SERDE = JsonPlusSerializer(allowed_msgpack_modules=None)


class Ours(TypedDict):
    """A history."""

    messages: Annotated[MessageHistory, grow]


class Objects(TypedDict):
    """A list of langchain-core's messages."""

    messages: Annotated[list[AnyMessage], add_messages]


class Dicts(TypedDict):
    """A list of dicts."""

    messages: Annotated[list[dict[str, Any]], operator.add]


def conversation(messages: int) -> MessageHistory:
    """Make a conversation in which every other answer calls a tool."""
    history = MessageHistory()
    for number in range(messages // 4):
        history = history.add_user(f"Question {number}: what is the weather like in city {number}?")
        call = ToolUseBlock(f"call_{number}", "weather", {"city": f"city {number}", "units": "metric"})
        history = history.add_assistant(["I will look that up.", call])
        history = history.add_tool_result(
            call, f"City {number}: sunny, {number % 30} degrees, wind from the west. " * 4
        )
        history = history.add_assistant(f"It is sunny in city {number}, with {number % 30} degrees.")
    return history


def timed(kinds: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Time functions in turns, and give the fastest run of each in milliseconds."""
    runs: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, function in kinds.items():
            before = time.perf_counter()
            function()
            runs[name].append((time.perf_counter() - before) * 1000)
    return {name: min(times) for name, times in runs.items()}


def graph(state: Any, value: Any, connection: sqlite3.Connection) -> Any:
    """Compile a graph of one node that adds a message, on a thread that holds the conversation."""

    def node(_: Any) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "And tomorrow?"}]}

    builder: Any = StateGraph(state)
    builder.add_node("node", node, input_schema=state)
    builder.add_edge(START, "node")
    saver = SqliteSaver(connection)
    compiled: Any = builder.compile(checkpointer=saver)
    compiled.invoke({"messages": value}, {"configurable": {"thread_id": "1"}})
    return compiled


def main(messages: int = 1000) -> None:
    """Measure, and print a table."""
    history = conversation(messages)
    objects = history.for_send(LangChain(ends_with_ai=True))
    dicts = history.to_list()
    channel = grow.from_checkpoint(history.to_list())

    def ours() -> Any:
        fresh = Growing()
        fresh.update([history])
        return SERDE.dumps_typed(fresh.checkpoint())

    write: dict[str, Callable[[], Any]] = {
        "MessageHistory, `grow`": ours,
        "langchain-core messages, `add_messages`": lambda: SERDE.dumps_typed(objects),
        "plain dicts, `operator.add`": lambda: SERDE.dumps_typed(dicts),
    }
    written = {name: function() for name, function in write.items()}
    names = list(write)
    read: dict[str, Callable[[], Any]] = {
        names[0]: lambda: channel.from_checkpoint(SERDE.loads_typed(written[names[0]])),
        names[1]: lambda: SERDE.loads_typed(written[names[1]]),
        names[2]: lambda: SERDE.loads_typed(written[names[2]]),
    }
    assert read[names[0]]().get() == history
    connections = [sqlite3.connect(":memory:", check_same_thread=False) for _ in names]
    graphs = [
        graph(state, value, connection)
        for state, value, connection in zip((Ours, Objects, Dicts), (history, objects, dicts), connections, strict=True)
    ]
    config = {"configurable": {"thread_id": "1"}}
    step = {
        name: partial(compiled.invoke, {"messages": []}, config) for name, compiled in zip(names, graphs, strict=True)
    }
    writing, reading, stepping = timed(write), timed(read), timed(step)
    print(f"{len(history)} messages, the fastest of {ROUNDS} runs, Python {sys.version.split()[0]}\n")
    print("| state | bytes | write (ms) | read (ms) | step in SQLite (ms) |\n|---|---|---|---|---|")
    for name in names:
        size = len(written[name][1])
        print(f"| {name} | {size:,} | {writing[name]:.1f} | {reading[name]:.1f} | {stepping[name]:.1f} |")
    for connection in connections:
        connection.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
