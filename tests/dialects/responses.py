"""The configurations of the Responses API that the tests go through, and lists of items as the wild has them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from message_history.dialects import OpenAIResponses
from message_history.integrations.strategies import json_values
from tests.dialects.odd_pieces import PIXEL

CONFIGURATIONS: dict[str, OpenAIResponses] = {
    "strictest": OpenAIResponses(),
    "stored": OpenAIResponses(store=True),
    "short texts": OpenAIResponses(text_limit=80),
    **{
        model: OpenAIResponses.for_model(model)
        for model in (
            "gpt-5",
            "gpt-4.1",
            "gpt-5.6",
            "gpt-5.3-codex",
            "o3-mini",
            "openai.gpt-5.6-luna",
            "deepseek-v4-flash",
            "vllm/openai/gpt-oss-120b",
        )
    },
}
IMAGE = f"data:image/png;base64,{PIXEL}"
CALL_IDS = ("call_1", "call_2", "call_3", "c" * 70, "x:y", "")

Items = list[dict[str, Any]]


def configurations() -> st.SearchStrategy[OpenAIResponses]:
    """Choose one of the configurations."""
    return st.sampled_from(list(CONFIGURATIONS.values()))


def texts() -> st.SearchStrategy[str]:
    """Generate words, and what is hard to send."""
    return st.sampled_from(("a", "hello", "b c", "", " ", "lone \ud83d", "nul \0", "é🎉", "long text " * 9))


def ids(prefix: str) -> st.SearchStrategy[str | None]:
    """Generate ids of items: most are good, some repeat, some are none."""
    good = st.integers(1, 9_999).map(lambda number: f"{prefix}_{number}")
    return st.one_of(good, good, good, st.sampled_from((None, f"{prefix}_1", "", "x_1", f"{prefix}_", "é", "i" * 80)))


def items(**keys: object) -> st.SearchStrategy[dict[str, Any]]:
    """Generate items with these keys; a key whose value is None is left out."""
    drawn = {key: value if isinstance(value, st.SearchStrategy) else st.just(value) for key, value in keys.items()}
    return st.fixed_dictionaries(drawn).map(lambda item: {key: item[key] for key in item if item[key] is not None})


def parts() -> st.SearchStrategy[dict[str, Any]]:
    """Generate parts of the user's."""
    return st.one_of(
        items(type="input_text", text=texts()),
        items(type="input_image", image_url=st.sampled_from((IMAGE, "https://example.com/a.png")), detail="low"),
        items(type="input_image", file_id="file-1"),
        items(type="input_file", file_data="data:application/pdf;base64,JVBERi0=", filename="a.pdf"),
        items(type="input_file", file_url="https://example.com/a.pdf"),
    )


def reasoning() -> st.SearchStrategy[dict[str, Any]]:
    """Generate reasoning, encrypted and not."""
    summaries = st.lists(items(type="summary_text", text=st.sampled_from(("s", "t"))), max_size=2)
    shown: Items = [{"type": "reasoning_text", "text": "shown"}]
    return items(
        type="reasoning",
        id=ids("rs"),
        summary=summaries,
        encrypted_content=st.sampled_from((None, "gAAAA1", "gAAAA2")),
        content=st.sampled_from((None, None, [], shown)),
        status=st.sampled_from((None, None, "completed")),
    )


def assistant() -> st.SearchStrategy[dict[str, Any]]:
    """Generate messages of the assistant's, as the server writes them."""
    cited: Items = [{"type": "url_citation", "url": "https://x", "title": "t", "start_index": 0, "end_index": 1}]
    spoken = st.one_of(
        items(type="output_text", text=texts(), annotations=st.sampled_from(([], cited))),
        items(type="refusal", refusal="no"),
    )
    return items(
        type="message",
        role="assistant",
        id=ids("msg"),
        status=st.sampled_from(("completed", "completed", None, "incomplete")),
        content=st.lists(spoken, max_size=2),
        phase=st.sampled_from((None, None, "commentary")),
    )


def calls(call_id: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate calls that the client answers."""
    arguments = st.sampled_from(("{}", '{"a": 1}', '{"a":1}', '{"a": ', "[1]", "", '"{\\"a\\": 1}"', '{"t": "\ud83d"}'))
    done = st.sampled_from((None, "completed", "incomplete"))
    return st.one_of(
        items(type="function_call", id=ids("fc"), call_id=call_id, name=st.sampled_from(("f", "g", "a b", "")),
              arguments=arguments, status=done, namespace=st.sampled_from((None, "ns"))),
        items(type="custom_tool_call", id=ids("ctc"), call_id=call_id, name="patch", input=texts()),
        items(type="local_shell_call", id=ids("lsh"), call_id=call_id, status="completed",
              action={"type": "exec", "command": ["ls"], "env": {}}),
        items(type="shell_call", id=ids("sh"), call_id=call_id, status="completed", action={"commands": ["ls"]}),
        items(type="apply_patch_call", id=ids("apc"), call_id=call_id, status="completed",
              operation={"type": "delete_file", "path": "a"}),
        items(type="computer_call", id=ids("cu"), call_id=call_id, status="completed", pending_safety_checks=[],
              action={"type": "screenshot"}),
        items(type="tool_search_call", id=ids("tsc"), call_id=call_id, status="completed",
              execution=st.sampled_from(("client", "server", None)), arguments={"queries": ["a"]}),
    )  # fmt: skip


def outputs(call_id: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate outputs of every type, which need not be that of their calls."""
    chunk = {"stdout": "x", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
    raw = st.one_of(texts(), st.lists(parts(), max_size=2), st.sampled_from(({"a": 1}, None, [{"x": 1}])))
    return st.one_of(
        items(type="function_call_output", call_id=call_id, output=raw, id=st.sampled_from((None, "fco_1"))),
        items(type="function_call_output", call_id=call_id, output="found"),
        items(type="custom_tool_call_output", call_id=call_id, output=raw),
        items(type="local_shell_call_output", call_id=call_id, output="o"),
        items(type="local_shell_call_output", id=call_id, output="o"),
        items(type="shell_call_output", call_id=call_id, output=[chunk]),
        items(type="apply_patch_call_output", call_id=call_id, output="o",
              status=st.sampled_from(("completed", "failed"))),
        items(type="computer_call_output", call_id=call_id, output={"type": "computer_screenshot", "image_url": IMAGE}),
        items(type="tool_search_output", call_id=call_id, execution=st.sampled_from(("client", "server")),
              status="completed", tools=[]),
    )  # fmt: skip


def hosted() -> st.SearchStrategy[dict[str, Any]]:
    """Generate items that nobody answers."""
    searched = {"type": "search", "query": "q", "sources": []}
    return st.one_of(
        items(type="web_search_call", id=ids("ws"), status="completed", action=searched),
        items(type="code_interpreter_call", id=ids("ci"), code="1", container_id="c", status="completed").map(
            lambda item: {**item, "outputs": None}
        ),
        items(type="image_generation_call", id=ids("ig"), status="completed", unheard_of=1).map(
            lambda item: {**item, "result": None}
        ),
        items(type="mcp_list_tools", id=ids("mcpl"), server_label="s", tools=[]),
        items(type="mcp_approval_request", id=ids("mcpr"), arguments="{}", name="n", server_label="s"),
        items(type="mcp_approval_response", approval_request_id="mcpr_1", approve=True),
        items(type="item_reference", id=st.sampled_from(("rs_1", "msg_1", "fc_1", "x"))),
        items(type="compaction", id=ids("cmp"), encrypted_content="e"),
        items(type="additional_tools", role="developer", tools=[]),
        items(type="configuration_update", reasoning={"effort": "low"}),
    )


def user() -> st.SearchStrategy[dict[str, Any]]:
    """Generate messages of the user's, the operator's, and those that people write for the assistant."""
    return st.one_of(
        items(role="user", content=texts()),
        items(type="message", role="user", content=st.lists(parts(), max_size=2), status="completed"),
        items(role=st.sampled_from(("system", "developer")), content=texts()),
        items(role="assistant", content=texts(), phase=st.sampled_from((None, "final_answer"))),
        items(role="assistant", content=[{"type": "input_text", "text": "mistyped"}]),
        st.just({"role": "user", "content": None}),
    )


@st.composite
def turns(draw: st.DrawFn) -> Items:
    """Generate what a server and a client write in one turn, in an order that servers know."""
    first, second = (draw(st.integers(1, 9_999).map(lambda number: f"call_{number}")) for _ in range(2))
    call = draw(calls(st.just(first)))
    other = draw(calls(st.just(second)))
    answers = [draw(outputs(st.just(first))), draw(outputs(st.just(second)))]
    thought, again = draw(reasoning()), draw(reasoning())
    shapes: list[Items] = [
        [thought, call, answers[0]],
        [thought, draw(assistant())],
        [thought, call, again, other, *reversed(answers)],
        [call, draw(assistant()), other, *answers],
        [thought, draw(hosted()), again, draw(assistant())],
        [thought, draw(assistant()), call, other, *answers],
        [thought, again, call, answers[0]],
        [thought, draw(assistant()), draw(hosted())],
        [{"object": "response", "status": "completed", "output": [thought, call]}, answers[0]],
        [{"object": "response", "status": "incomplete", "output": [thought, call]}],
    ]
    return draw(st.sampled_from(shapes))


@st.composite
def lists(draw: st.DrawFn) -> list[Any]:
    """Generate lists of items, many of them broken."""
    ids_of_calls = st.sampled_from(CALL_IDS)
    one = st.one_of(
        user(), user(), reasoning(), assistant(), calls(ids_of_calls), outputs(ids_of_calls), hosted(),
        st.sampled_from(({"role": "tool", "tool_call_id": "call_1", "content": "r"}, {"content": "x"}, "junk",
                         {"type": "input_text", "text": "loose"})),
    )  # fmt: skip
    runs: list[list[Any]] = draw(st.lists(st.one_of(turns(), turns(), one.map(lambda item: [item])), max_size=7))
    found = [item for run in runs for item in run]
    for where in draw(st.lists(st.integers(0, 30), max_size=2)):
        if where < len(found) and isinstance(found[where], dict):
            key = draw(st.sampled_from(sorted(found[where])))
            found[where] = {**found[where], key: draw(json_values())}
    return found
