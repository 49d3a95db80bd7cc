"""The database that LangGraph itself writes is read as LangGraph reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history import ToolResultBlock, from_file

pytest.importorskip("langgraph.checkpoint.sqlite")

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Send

if TYPE_CHECKING:
    from pathlib import Path


def model(state: MessagesState) -> dict[str, Any]:
    if isinstance(state["messages"][-1], ToolMessage):
        return {"messages": [AIMessage("Done.")]}
    calls = [{"id": f"c{n}", "name": "look", "args": {"n": n}} for n in range(2)]
    return {"messages": [AIMessage("I look.", tool_calls=calls)]}


def route(state: MessagesState) -> Any:
    last = state["messages"][-1]
    return [Send("look", call) for call in last.tool_calls] if isinstance(last, AIMessage) and last.tool_calls else END


def look(call: Any) -> dict[str, Any]:
    if call["args"]["n"] == 1:
        raise RuntimeError("crashed")
    return {"messages": [ToolMessage("Three lines.", tool_call_id=call["id"])]}


def test_a_crashed_thread_is_read_with_the_results_that_it_has(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.db"
    with SqliteSaver.from_conn_string(str(file)) as saver:
        graph: Any = StateGraph(MessagesState)
        graph.add_node("model", model)
        graph.add_node("look", look)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", route, ["look", END])
        graph.add_edge("look", "model")
        compiled = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "t"}}
        compiled.update_state(config, {"messages": [HumanMessage("Gone.", id="gone")]})
        compiled.update_state(config, {"messages": [RemoveMessage("gone")]})
        with pytest.raises(RuntimeError, match="crashed"):
            compiled.invoke({"messages": [("user", "What is in a.txt?")]}, config)
        expected = [message.text for message in compiled.get_state(config).values["messages"]]
        # The newest state is in the journal beside the database while that is open.
        (conversation,) = from_file(file)
    history = conversation.history()
    results = [block for block in history[-1].content if isinstance(block, ToolResultBlock)]
    assert [history[0].text, history[1].text] == expected[:2]
    assert next((each.tool_use_id, each.text) for each in results) == ("c0", "Three lines.")
    assert [each.tool_use_id for each in results] == ["c0", "c1"]
    assert [each.rule for each in conversation.violations()] == ["AN-C1"]
