"""Tools and the choice among them go from any provider's form into any other's, and back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history.dialects import OpenAIChat
from message_history.dialects.registry import DIALECTS
from message_history.tools import OmittedPart, Tool, ToolChoice, Toolset, parse_toolset, render_toolset, tool_api

APIS = (
    "anthropic",
    "openai_chat",
    "openai_responses",
    "gemini",
    "gemini_interactions",
    "mistral",
    "bedrock",
    "portable",
)
SAY_STRICT = frozenset(APIS) - {"gemini", "gemini_interactions"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "tools": [{"name": "weather", "description": "Look.", "input_schema": SCHEMA, "strict": True}],
        "tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
    },
    "openai_chat": {
        "tools": [
            {
                "type": "function",
                "function": {"name": "weather", "description": "Look.", "parameters": SCHEMA, "strict": True},
            }
        ],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "parallel_tool_calls": False,
    },
    "openai_responses": {
        "tools": [
            {"type": "function", "name": "weather", "description": "Look.", "parameters": SCHEMA, "strict": True}
        ],
        "tool_choice": {"type": "function", "name": "weather"},
        "parallel_tool_calls": False,
    },
    "bedrock": {
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "weather",
                        "description": "Look.",
                        "inputSchema": {"json": SCHEMA},
                        "strict": True,
                    }
                }
            ],
            "toolChoice": {"tool": {"name": "weather"}},
        }
    },
    "gemini": {
        "tools": [
            {"functionDeclarations": [{"name": "weather", "description": "Look.", "parametersJsonSchema": SCHEMA}]}
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
    },
    "gemini_interactions": {
        "tools": [{"type": "function", "name": "weather", "description": "Look.", "parameters": SCHEMA}],
        "generation_config": {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["weather"]}}},
    },
}

names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,30}", fullmatch=True)
schemas = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer", "minimum": 1}, {"enum": ["a", "b"]}, {"$ref": "#/$defs/x"}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda each: {"type": "array", "items": each}, inner),
        st.builds(lambda each: {"anyOf": each}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda each: {"type": "object", "properties": each}, st.dictionaries(names, inner, max_size=3)),
    ),
    max_leaves=5,
)
tools = st.builds(
    Tool,
    name=names,
    description=st.none() | st.text(min_size=1, max_size=20),
    schema=st.builds(lambda held: {"type": "object", "properties": held}, st.dictionaries(names, schemas, max_size=3)),
    strict=st.booleans(),
)


@st.composite
def toolsets(draw: st.DrawFn) -> Toolset:
    found = draw(st.lists(tools, min_size=1, max_size=4, unique_by=lambda tool: tool.name))
    some = st.lists(st.sampled_from([tool.name for tool in found]), unique=True, max_size=2)
    among = st.builds(ToolChoice, mode=st.sampled_from(("auto", "any")), names=some.map(tuple))
    choice = draw(st.none() | st.just(ToolChoice(mode="none")) | among)
    return Toolset(tools=tuple(found), choice=choice, parallel=draw(st.none() | st.booleans()))


@pytest.mark.parametrize("api", APIS)
@given(toolset=toolsets())
def test_tools_there_and_back_are_equal_where_the_target_can_say_it(api: str, toolset: Toolset) -> None:
    body, omitted = render_toolset(toolset, DIALECTS[api])
    again = parse_toolset(json.loads(json.dumps(body)))
    unsaid = {part.path for part in omitted}
    assert again.omitted == ()
    assert [(tool.name, tool.description, tool.schema) for tool in again.tools] == [
        (tool.name, tool.description, tool.schema) for tool in toolset.tools
    ]
    if api in SAY_STRICT:
        assert again.tools == toolset.tools
    else:
        assert unsaid >= {f"tools: {tool.name}: strict" for tool in toolset.tools if tool.strict}
    if "tool_choice" not in unsaid:
        # To let the model decide is what every provider does unasked.
        assert (again.choice or ToolChoice()) == (toolset.choice or ToolChoice())
    if "parallel_tool_calls" not in unsaid:
        assert again.parallel == toolset.parallel


@pytest.mark.parametrize("target", sorted(BODIES))
@pytest.mark.parametrize("source", sorted(BODIES))
def test_a_request_s_tools_become_another_provider_s_own(source: str, target: str) -> None:
    body, _ = render_toolset(parse_toolset(BODIES[source]), DIALECTS[target])
    expected = json.loads(json.dumps(BODIES[target]))
    says_strict = {source, target} <= SAY_STRICT
    says_parallel = {source, target} <= {"anthropic", "openai_chat", "openai_responses"}
    text = json.dumps(body, sort_keys=True)
    for key, said in (("strict", says_strict), ("disable_parallel_tool_use", says_parallel)):
        if not said:
            text = text.replace(f', "{key}": false', "")
            expected = json.loads(json.dumps(expected, sort_keys=True).replace(f', "{key}": true', ""))
            expected = json.loads(json.dumps(expected, sort_keys=True).replace(f'"{key}": true, ', ""))
    if not says_parallel:
        expected.pop("parallel_tool_calls", None)
    assert json.loads(text) == expected


@pytest.mark.parametrize("api", ["anthropic", "openai_chat", "gemini", "bedrock"])
def test_the_tools_tell_whose_they_are(api: str) -> None:
    assert tool_api(BODIES[api]) == api
    assert tool_api({"tools": []}) is None


def test_what_only_one_provider_has_is_omitted_with_its_place() -> None:
    body = {
        "tools": [
            {"name": "f", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
            {"googleSearch": {}},
            7,
            {"type": "function", "function": {"parameters": {}}},
        ],
        "tool_choice": {"type": "mcp", "server_label": "s"},
    }
    found = parse_toolset(body)
    assert [tool.name for tool in found.tools] == ["f"]
    assert {part.path for part in found.omitted} == {
        "tools[0].cache_control",
        "tools[1]",
        "tools[2]",
        "tools[3]",
        "tools[4].function",
        "tool_choice",
    }
    assert found.omitted[0].value == {"type": "ephemeral"}
    assert str(found.omitted[1]) == "tools[1]: a tool that the provider defines or runs itself"


def test_a_choice_that_the_target_cannot_say_is_omitted_and_never_changed() -> None:
    two = tuple(Tool(name=name, schema={"type": "object"}) for name in ("a", "b"))
    both = Toolset(tools=two, choice=ToolChoice(mode="any", names=("a", "b")))
    for api in ("anthropic", "mistral", "bedrock"):
        body, omitted = render_toolset(both, DIALECTS[api])
        assert "oice" not in json.dumps(body)
        assert omitted == [OmittedPart("tool_choice", both.choice, f"{api} cannot say it")]
    nobody = Toolset(tools=two, choice=ToolChoice(mode="none"))
    assert "toolChoice" not in render_toolset(nobody, DIALECTS["bedrock"])[0]["toolConfig"]
    gone = Toolset(tools=two, choice=ToolChoice(mode="any", names=("c",)))
    assert render_toolset(gone, DIALECTS["openai_chat"])[1][0].why == "a tool in it is not in the request"
    without_tools = Toolset(choice=ToolChoice(), parallel=True)
    body, omitted = render_toolset(without_tools, DIALECTS["openai_chat"])
    assert (body, [part.path for part in omitted]) == ({}, ["tool_choice", "parallel_tool_calls"])
    assert render_toolset(both, DIALECTS["native"]) == (
        {},
        [OmittedPart("tools", tool, "native has no requests") for tool in two],
    )


def test_a_schema_of_openapi_becomes_json_schema() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "nullable": True, "minLength": "2"},
            "days": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": 1},
            "unit": {"type": "STRING", "enum": ["C", "F"], "nullable": True},
            "type": {"anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}]},
        },
        "required": ["city"],
    }
    (tool,) = parse_toolset({"tools": [{"function_declarations": [{"name": "f", "parameters": parameters}]}]}).tools
    assert tool.schema == {
        "type": "object",
        "properties": {
            "city": {"type": ["string", "null"], "minLength": 2},
            "days": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "unit": {"type": ["string", "null"], "enum": ["C", "F", None]},
            "type": {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
        },
        "required": ["city"],
    }


def test_a_tool_without_input_takes_an_object() -> None:
    empty = {"type": "object", "properties": {}}
    for body in (
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"tools": [{"functionDeclarations": [{"name": "f"}]}]},
        {"functions": [{"name": "f"}]},
    ):
        assert render_toolset(parse_toolset(body), DIALECTS["anthropic"])[0] == {
            "tools": [{"name": "f", "input_schema": empty}]
        }


def test_the_first_form_of_functions_is_read() -> None:
    body = {"functions": [{"name": "f", "parameters": SCHEMA}], "function_call": {"name": "f"}}
    found = parse_toolset(body)
    assert found.keys == {"functions", "function_call"}
    assert found.tools == (Tool(name="f", schema=SCHEMA),)
    assert found.choice == ToolChoice(mode="any", names=("f",))


def test_one_call_at_a_time_is_read_whatever_form_the_rest_of_the_choice_has() -> None:
    for choice in ({"name": "f"}, {"type": "auto"}, {"type": "mcp"}, {"type": "function", "function": {"name": "f"}}):
        assert parse_toolset({"tool_choice": {**choice, "disable_parallel_tool_use": True}}).parallel is False


def test_a_choice_among_some_tools_is_one_whatever_its_type_says() -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "f"}}]}
    found = parse_toolset({"tool_choice": {"type": "auto", "allowed_tools": allowed}})
    assert found.choice == ToolChoice(mode="any", names=("f",))


def test_a_tool_of_the_responses_api_is_strict_only_where_it_says_so() -> None:
    (tool,) = parse_toolset({"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]}).tools
    assert tool.strict is None
    assert "strict" not in render_toolset(Toolset(tools=(tool,)), DIALECTS["openai_responses"])[0]["tools"][0]
    chat = parse_toolset({"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]})
    assert render_toolset(chat, DIALECTS["openai_responses"])[0]["tools"][0]["strict"] is False


def test_a_name_that_the_target_refuses_is_written_as_in_its_calls() -> None:
    from message_history import MessageHistory, ToolUseBlock  # noqa: PLC0415

    toolset = Toolset(
        tools=(Tool(name="web.search", schema=SCHEMA),), choice=ToolChoice(mode="any", names=("web.search",))
    )
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("t1", "web.search", {})])
    body, _ = render_toolset(toolset, DIALECTS["bedrock"])
    called = history.for_send(DIALECTS["bedrock"])[1]["content"][0]["toolUse"]["name"]
    assert called != "web.search"
    assert body["toolConfig"]["tools"][0]["toolSpec"]["name"] == called
    assert body["toolConfig"]["toolChoice"] == {"tool": {"name": called}}


def test_a_name_that_one_provider_of_a_dialect_refuses_is_written_as_in_its_calls() -> None:
    from message_history import MessageHistory, ToolUseBlock  # noqa: PLC0415

    dialect = OpenAIChat(name_pattern=re.compile("[a-z]+_[a-z0-9]+"))
    toolset = Toolset(tools=(Tool(name="look", schema=SCHEMA),), choice=ToolChoice(mode="any", names=("look",)))
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("t1", "look", {})])
    body, _ = render_toolset(toolset, dialect)
    called = history.for_send(dialect)[1]["tool_calls"][0]["function"]["name"]
    assert called != "look"
    assert body["tools"][0]["function"]["name"] == called
    assert body["tool_choice"]["function"]["name"] == called


@pytest.mark.parametrize("choice", [7, ["auto"], "sometimes", {"type": "function", "function": {"name": 7}}])
def test_a_choice_that_is_none_is_omitted(choice: Any) -> None:
    found = parse_toolset({"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": choice})
    assert (found.choice, [part.path for part in found.omitted]) == (None, ["tool_choice"])
    assert [part.value for part in found.omitted] == [choice]


def test_a_choice_among_some_tools_goes_to_the_responses_api_and_back() -> None:
    two = tuple(Tool(name=name, schema={"type": "object"}) for name in ("a", "b"))
    for names in ((), ("a",), ("a", "b")):
        asked = Toolset(tools=two, choice=ToolChoice(mode="any", names=names))
        body, omitted = render_toolset(asked, DIALECTS["openai_responses"])
        assert omitted == []
        assert parse_toolset(body).choice == asked.choice


def test_a_choice_of_converse_says_its_mode() -> None:
    spec = {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}
    for mode in ("auto", "any"):
        found = parse_toolset({"toolConfig": {"tools": [spec], "toolChoice": {mode: {}}}})
        assert (found.choice, found.omitted) == (ToolChoice(mode=mode), ())


@pytest.mark.parametrize("kind", [Tool, ToolChoice, Toolset])
def test_what_a_tool_is_is_given_by_name(kind: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        kind("f")
