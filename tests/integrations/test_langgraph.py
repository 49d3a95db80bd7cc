"""A history as a state channel of LangGraph, and checkpoints that survive."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import given

from message_history import InvariantError, Message, MessageHistory, Policy, RepairCode, ToolUseBlock
from message_history.integrations.state import save
from message_history.integrations.strategies import histories
from tests.sessions.databases import REQUIRED, NoServerError, postgresql_server

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.channels import BinaryOperatorAggregate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite, Send
from pydantic import BaseModel
from typing_extensions import TypedDict

from message_history.integrations.langchain import LangChain
from message_history.integrations.langgraph import Growing, as_history, grow

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
STRICT = JsonPlusSerializer(allowed_msgpack_modules=None)
PERMISSIVE = JsonPlusSerializer()
HELLO = MessageHistory().add_user("hi")
CALLING = HELLO.add_assistant(["I look.", ToolUseBlock("1", "f", {"n": 1}), ToolUseBlock("2", "f", {})])


class State(TypedDict, total=False):
    history: Annotated[MessageHistory, grow]
    steps: int


class Work(TypedDict):
    history: MessageHistory
    call: str


class Other(TypedDict):
    history: Annotated[MessageHistory, Growing(policy=Policy(stub_text="[No result.]"))]


def model(state: State) -> dict[str, Any]:
    """Call two tools, then say that all is done."""
    history = state["history"]
    assert isinstance(history, MessageHistory)
    if history.awaiting or (history and history[-1].results):
        return {"history": history.add_assistant("done")}
    calls = [ToolUseBlock("1", "f", {"n": 1}), ToolUseBlock("2", "f", {})]
    return {"history": history.add_assistant(["I look.", *calls]), "steps": 1}


def tool(number: str) -> Any:
    def run(state: State) -> dict[str, Any]:
        return {"history": state["history"].add_tool_result(number, f"result {number}")}

    return run


def agent(checkpointer: Any = None, **options: Any) -> Any:
    """Compile a graph whose tools run at the same time."""
    graph = StateGraph(State)
    graph.add_node("model", model)
    graph.add_node("tool_1", tool("1"))
    graph.add_node("tool_2", tool("2"))
    graph.add_edge(START, "model")
    for name in ("tool_1", "tool_2"):
        graph.add_edge(name, "model")
    graph.add_conditional_edges("model", lambda state: ["tool_1", "tool_2"] if state["history"].awaiting else [END])
    return graph.compile(checkpointer=checkpointer, **options)


def config(thread: str = "1") -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}


def assert_done(history: object) -> None:
    assert isinstance(history, MessageHistory)
    assert [result.text for result in history[2].results] == ["result 1", "result 2"]
    assert history[-1].text == "done"
    assert history.repairs == ()


# The channel and the reducer


def test_it_is_a_reducer_of_two_positional_parameters() -> None:
    parameters = inspect.signature(grow).parameters.values()
    assert [parameter.kind for parameter in parameters] == [inspect.Parameter.POSITIONAL_ONLY] * 2
    assert grow(HELLO, HELLO.add_assistant("ho")) == HELLO.add_assistant("ho")
    assert [message.text for message in grow(HELLO, [{"role": "assistant", "content": "ho"}])] == ["hi", "ho"]
    with pytest.raises(ValueError, match="Overwrite"):
        grow(HELLO, MessageHistory().add_user("other"))
    assert grow(HELLO, Overwrite([])) == MessageHistory()


def test_it_works_as_the_operator_of_langgraphs_own_channel() -> None:
    channel: Any = BinaryOperatorAggregate(MessageHistory, grow)
    assert channel.get() == MessageHistory()
    channel.update([["hi"], [AIMessage("ho")]])
    assert [message.text for message in channel.get()] == ["hi", "ho"]


def test_replies_of_nodes_that_ran_side_by_side_both_wait_in_the_order_of_arrival() -> None:
    base = MessageHistory().add_user("q")
    for made in (_typed_reply, _ai_message):
        both, one_by_one, in_one = (grow.from_checkpoint(base.to_list()) for _ in range(3))
        both.update([made("1"), made("2")])
        in_one.update([[made("1"), made("2"), made("2")]])
        for channel in (both, in_one):
            assert [call.id for call in channel.get().awaiting] == ["1", "2"]
        one_by_one.update([made("1")])
        sent = one_by_one.get().for_send()
        one_by_one.update([[made("2")]])
        assert one_by_one.get().for_send()[: len(sent)] == sent
        assert [call.id for call in one_by_one.get().awaiting] == ["2"]


def _typed_reply(id: str) -> dict[str, Any]:
    called = {"type": "tool_use", "id": id, "name": "f", "input": {}}
    return {"type": "message", "role": "assistant", "content": [called], "stop_reason": "tool_use"}


def _ai_message(id: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": id}])


def test_parallel_tools_meet_in_one_history() -> None:
    assert_done(agent().invoke({"history": HELLO})["history"])


@pytest.mark.parametrize("written", [lambda history: history, save])
def test_nodes_that_call_under_one_id_keep_their_own_results(written: Any) -> None:
    channel = Growing().from_checkpoint(save(HELLO))
    waiting, working = (
        channel.get().add_assistant(ToolUseBlock("search_0", "search", {"q": query})) for query in ("cats", "dogs")
    )
    working = working.add_tool_result(working.awaiting[0], "about dogs")
    channel.update([written(waiting), written(working)])
    assert [call.input for call in channel.get().awaiting] == [{"q": "cats"}]
    assert [result.text for result in channel.get()[2].results if not result.is_stub] == ["about dogs"]


@pytest.mark.parametrize(
    "raw",
    [
        HELLO,
        ["hi"],
        "hi",
        HumanMessage("hi"),
        [("user", "hi")],
        {"role": "user", "content": "hi"},
        [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        Message.user("hi"),
        HELLO.to_list(),
        save(HELLO),
    ],
)
def test_updates_in_every_form(raw: Any) -> None:
    assert agent().invoke({"history": raw})["history"][0] == HELLO[0]


def test_replies_are_updates() -> None:
    assistant = {"role": "assistant", "content": "ho"}
    anthropic = {**assistant, "type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": "ho"}]}
    chat = {"object": "chat.completion", "choices": [{"message": assistant, "finish_reason": "stop"}]}
    channel = Growing().from_checkpoint(save(HELLO))
    for reply in (anthropic, chat, AIMessage("ho")):
        grown = grow(HELLO, reply)
        assert [(message.role, message.text) for message in grown] == [("user", "hi"), ("assistant", "ho")]
        again = channel.copy()
        assert again.update([[reply]])
        assert again.get() == grown


def test_one_node_may_rewrite_the_history_while_another_adds() -> None:
    base = HELLO.add_assistant("ho").add_user("more").add_assistant("ok")
    added, cut = base.add_user("and"), base.compact("short", keep_from=2)
    for values in ([added, cut], [cut, added], [Overwrite(cut), added]):
        channel = Growing().from_checkpoint(save(base))
        assert channel.update(values)
        assert channel.get() == cut.add_user("and")
    with pytest.raises(InvalidUpdateError, match="only one node"):
        Growing().from_checkpoint(save(base)).update([cut, base.rewind()])


def test_an_update_of_nothing_changes_nothing() -> None:
    channel = grow.from_checkpoint(save(HELLO))
    assert not channel.update([])
    assert not channel.update([None])
    assert channel.update([HELLO])
    assert channel.get() == HELLO


def test_the_shared_channel_is_never_changed() -> None:
    agent().invoke({"history": HELLO})
    assert grow.get() == MessageHistory()
    assert Growing(policy=Policy(stub_text="[x]")) != Growing() == grow


def test_the_policy_is_the_channels_and_is_kept() -> None:
    def say(state: Other) -> dict[str, Any]:
        return {"history": state["history"].add_user("Never mind.")}

    graph = StateGraph(Other)
    graph.add_node("say", say)
    graph.add_edge(START, "say")
    compiled: Any = graph.compile(checkpointer=InMemorySaver(serde=STRICT))
    compiled.invoke({"history": CALLING.to_list()}, config())
    history = compiled.get_state(config()).values["history"]
    assert history.policy == Policy(stub_text="[No result.]")
    assert [result.text for result in history[2].results] == ["[No result.]"] * 2


def test_a_channel_does_not_raise() -> None:
    """What nodes gave is saved before it is reduced: a thread would fail each time it is read."""
    with pytest.raises(ValueError, match="on_violation"):
        Growing(policy=Policy(on_violation="raise"))
    strict = MessageHistory(policy=Policy(on_violation="raise")).add_user("hi")
    with pytest.raises(InvariantError):
        grow(strict, ToolMessage("x", tool_call_id="9"))


def test_a_pydantic_state_holds_a_history() -> None:
    class Model(BaseModel):
        history: Annotated[MessageHistory, grow] = MessageHistory()
        title: str = ""

    def name(state: Model) -> dict[str, Any]:
        return {"title": state.history[0].text, "history": state.history.add_assistant("ho")}

    graph = StateGraph(Model)
    graph.add_node("name", name)
    graph.add_edge(START, "name")
    compiled: Any = graph.compile(checkpointer=InMemorySaver(serde=STRICT))
    result = compiled.invoke({"history": ["hi"]}, config())
    assert (result["title"], result["history"]) == ("hi", HELLO.add_assistant("ho"))
    assert compiled.get_input_jsonschema()["properties"]["history"]["type"] == "array"


# Checkpoints


@given(histories())
def test_a_checkpoint_holds_everything_in_plain_data(history: MessageHistory) -> None:
    channel = grow.from_checkpoint(save(history))
    for serde in (STRICT, PERMISSIVE):
        again = grow.from_checkpoint(serde.loads_typed(serde.dumps_typed(channel.checkpoint())))
        assert again.get() == history
        assert again.get().repairs == history.repairs
        assert again.get().awaiting == history.awaiting
        # What a node gave is kept until its step is done, as it gave it.
        assert as_history(serde.loads_typed(serde.dumps_typed({"history": history}))["history"]) == history


def test_a_field_without_the_channel_is_read_where_types_are_not_restricted() -> None:
    class Plain(TypedDict):
        history: MessageHistory

    def say(state: Plain) -> dict[str, Any]:
        return {"history": state["history"].add_assistant("ho")}

    for serde, kind in ((PERMISSIVE, MessageHistory), (STRICT, dict)):
        graph = StateGraph(Plain)
        graph.add_node("say", say)
        graph.add_edge(START, "say")
        compiled: Any = graph.compile(checkpointer=InMemorySaver(serde=serde))
        compiled.invoke({"history": HELLO}, config())
        kept = compiled.get_state(config()).values["history"]
        assert type(kept) is kind
        assert as_history(kept) == HELLO.add_assistant("ho")


def test_the_schema_of_a_state_describes_the_history() -> None:
    for schema in (agent().get_input_jsonschema(), agent().get_output_jsonschema()):
        assert schema["properties"]["history"]["type"] == "array"


def test_a_history_that_did_not_change_is_not_written_again() -> None:
    channel = grow.from_checkpoint(save(HELLO))
    assert channel.checkpoint() is channel.checkpoint() is channel.copy().checkpoint()
    channel.update([HELLO.add_assistant("ho")])
    assert channel.checkpoint() == save(HELLO.add_assistant("ho"))


def test_a_state_that_held_a_list_of_langchains_goes_on() -> None:
    before = [HumanMessage("hi"), AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])]
    history = grow.from_checkpoint(STRICT.loads_typed(STRICT.dumps_typed(before))).get()
    assert [call.id for call in history.awaiting] == ["1"]
    assert history.add_tool_result("1", "ok").for_send(LangChain())[:2] == before


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    pytest.importorskip("langgraph.checkpoint.postgres")
    try:
        with postgresql_server() as url:
            yield url
    except NoServerError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(str(error))


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "memory":
        yield InMemorySaver(serde=STRICT)
    elif request.param == "sqlite":
        with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as sqlite:
            sqlite.serde = STRICT
            yield sqlite
    else:
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415 - it needs a driver of its own

        with PostgresSaver.from_conn_string(request.getfixturevalue("postgresql")) as postgres:
            postgres.setup()
            postgres.serde = STRICT
            yield postgres


def test_every_saver_gives_the_history_back(saver: Any, request: pytest.FixtureRequest) -> None:
    graph = agent(saver)
    assert_done(graph.invoke({"history": ["hi"]}, config(request.node.name))["history"])
    again = agent(saver).get_state(config(request.node.name))
    assert_done(again.values["history"])
    grown = agent(saver).invoke({"history": ["thanks"]}, config(request.node.name))["history"]
    assert grown[:4] == again.values["history"][:4]


def test_time_travel(saver: Any, request: pytest.FixtureRequest) -> None:
    graph = agent(saver)
    graph.invoke({"history": ["hi"]}, config(request.node.name))
    lengths = []
    for snapshot in graph.get_state_history(config(request.node.name)):
        history = snapshot.values.get("history", MessageHistory())
        assert isinstance(history, MessageHistory)
        lengths.append(len(history))
        if snapshot.next == ("tool_1", "tool_2"):
            assert [call.id for call in history.awaiting] == ["1", "2"]
            assert_done(graph.invoke(None, snapshot.config)["history"])
            forked = graph.update_state(snapshot.config, {"history": history.add_user("Never mind.")}, as_node="model")
            assert graph.get_state(forked).values["history"][2].text == "Never mind."
            assert graph.invoke(None, forked)["history"][2].text == "Never mind."
        elif snapshot.next == ("__start__",):
            # The input is kept as it was given.
            assert_done(graph.invoke(None, snapshot.config)["history"])
    assert lengths == [4, 3, 2, 1, 0]


def test_what_branches_gave_before_one_failed_is_not_lost(saver: Any, request: pytest.FixtureRequest) -> None:
    ran: list[str] = []
    good_ran = threading.Event()

    def good(state: State) -> dict[str, Any]:
        ran.append("good")
        good_ran.set()
        return {"history": state["history"].add_tool_result("1", "result 1")}

    def bad(state: State) -> dict[str, Any]:
        assert good_ran.wait(10)
        ran.append("bad")
        if ran.count("bad") == 1:
            raise OSError("the network is down")
        return {"history": state["history"].add_tool_result("2", "result 2")}

    graph = StateGraph(State)
    for name, node in (("model", model), ("good", good), ("bad", bad)):
        graph.add_node(name, node)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: ["good", "bad"] if state["history"].awaiting else [END])
    graph.add_edge("good", "model")
    graph.add_edge("bad", "model")
    compiled: Any = graph.compile(checkpointer=saver)
    with pytest.raises(OSError, match="network"):
        compiled.invoke({"history": HELLO}, config(request.node.name))
    assert_done(compiled.invoke(None, config(request.node.name))["history"])
    assert ran == ["good", "bad", "bad"]


def test_a_history_sent_to_a_node_is_read_with_as_history() -> None:
    def work(state: Work) -> dict[str, Any]:
        history = as_history(state["history"])
        return {"history": history.add_tool_result(state["call"], "ok")}

    def fan_out(state: State) -> list[Send]:
        return [Send("work", {"history": state["history"], "call": call.id}) for call in state["history"].awaiting]

    graph = StateGraph(State)
    graph.add_node("work", work, input_schema=Work)
    graph.add_conditional_edges(START, fan_out)
    compiled: Any = graph.compile(checkpointer=InMemorySaver(serde=STRICT), interrupt_before=["work"])
    compiled.invoke({"history": CALLING}, config())
    history = compiled.invoke(None, config())["history"]
    assert [result.text for result in history[2].results] == ["ok", "ok"]
    assert history.repairs == ()


SCRIPT = """
import sys
sys.path.insert(0, {root!r})
from tests.integrations.test_langgraph import HELLO, SqliteSaver, agent, assert_done, config
from message_history import MessageHistory
from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED
assert STRICT_MSGPACK_ENABLED
with SqliteSaver.from_conn_string({path!r}) as saver:
    graph = agent(saver, interrupt_before=["tool_1", "tool_2"])
    if sys.argv[1] == "begin":
        graph.invoke({{"history": HELLO}}, config())
    else:
        history = graph.get_state(config()).values["history"]
        assert type(history) is MessageHistory and len(history.awaiting) == 2
        assert len(list(graph.get_state_history(config()))) == 3
        assert_done(graph.invoke(None, config())["history"])
"""


def test_a_process_in_strict_mode_goes_on_where_another_ended(tmp_path: Path) -> None:
    """The serializer is the saver's own: nothing is allowed by name, and nothing is logged."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(root=str(ROOT), path=str(tmp_path / "checkpoints.db")))
    environment = {**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"}
    for part in ("begin", "go on"):
        command = [sys.executable, str(script), part]
        ran = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_the_example_has_nothing_to_be_warned_of_where_every_type_is_restored() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "LANGGRAPH_STRICT_MSGPACK"}
    command = [sys.executable, str(ROOT / "examples" / "frameworks" / "langgraph_agent.py")]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_repairs_travel_in_checkpoints() -> None:
    saver = InMemorySaver(serde=STRICT)
    graph = agent(saver)
    history = MessageHistory.from_list([{"role": "assistant", "content": "ho"}, {"role": "user", "content": "hi"}])
    graph.invoke({"history": history}, config())
    kept = graph.get_state(config()).values["history"]
    assert [repair.code for repair in kept.repairs] == [RepairCode.BOOTSTRAP_ADDED]
