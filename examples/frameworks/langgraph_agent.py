"""An agent of LangGraph whose tools run at the same time, with checkpoints and time travel.

`python examples/frameworks/langgraph_agent.py`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolCall
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from message_history import MessageHistory
from message_history.integrations.langchain import LangChain
from message_history.integrations.langgraph import grow

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


class State(TypedDict):
    """The state of the graph; additions of nodes that run at the same time are all kept."""

    history: Annotated[MessageHistory, grow]


class Work(TypedDict):
    """What one run of the tool is given."""

    call_id: str
    city: str


CALLS: list[ToolCall] = [{"name": "weather", "args": {"city": city}, "id": city} for city in ("Paris", "Rome")]
CHAT = FakeMessagesListChatModel(
    responses=[AIMessage("I will look.", tool_calls=CALLS), AIMessage("It is sunny in both.")]
)


def think(state: State) -> dict[str, MessageHistory]:
    """Ask the model."""
    history = state["history"]
    reply = CHAT.invoke(history.for_send(LangChain()))
    return {"history": history.add_response(reply, dialect=LangChain())}


def tool(state: Work) -> dict[str, list[dict[str, str]]]:
    """Run one call; a message is an update as well, and a small one to keep."""
    result = {"role": "tool", "tool_call_id": state["call_id"], "content": f"sunny in {state['city']}"}
    return {"history": [result]}


def route(state: State) -> list[Send] | str:
    """Run all calls that are awaited, or end."""
    calls = state["history"].awaiting
    return [Send("tool", {"call_id": call.id, "city": call.input["city"]}) for call in calls] or END


def main() -> None:
    """Ask a question, and look back at the moment before the tools ran."""
    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("tool", tool, input_schema=Work)
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", route, ["tool", END])
    builder.add_edge("tool", "think")
    # What a node gave is saved as it is: so the serializer must know the type of a history.
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=[MessageHistory]))
    graph = builder.compile(checkpointer=saver)

    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    done = graph.invoke({"history": MessageHistory().add_user("Weather in Paris and Rome?")}, config)
    for message in done["history"]:
        print(message.role, [result.text for result in message.results] or message.text)

    for snapshot in graph.get_state_history(config):
        if snapshot.next == ("tool", "tool"):
            print("awaited then:", [call.id for call in snapshot.values["history"].awaiting])


if __name__ == "__main__":
    main()
