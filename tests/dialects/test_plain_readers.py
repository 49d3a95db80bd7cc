"""The short cuts of the readers: what they read of common entries is what the long way reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Dialect,
    Gemini,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    PydanticAI,
)
from message_history.dialects.bedrock import parse as bedrock
from message_history.dialects.gemini import parse as gemini
from message_history.dialects.gemini.schema import BYPASS
from message_history.dialects.openai_chat import parse as openai_chat
from message_history.dialects.openai_responses import parse as openai_responses
from message_history.dialects.pydantic_ai import parse as pydantic_ai
from tests.dialects.responses import lists as lists_of_items

WORDS = st.sampled_from(
    [
        *("text", "é", " ", "", "lone \ud83d"),
        *("[This call was lost.]", "[No result is recorded for this call.", "Tool execution was not approved."),
    ]
)
IDS = st.sampled_from(["call_1", "call_2", "call_3", "", "ü", " "])
OF_INPUTS = (
    *('{"a": 1}', '{"a":1}', "{}", ' {"a": 1}', '{"a": 1} ', "", "{", "[1]", '"{}"', '{"a": 1e999}', '{"a": NaN}'),
    *('{"a": "é"}', '{"a": "\\u00e9"}', '{"a": "\\ud83d"}', '{"a": "\ud83d"}', '{"a": 1, "a": 2}', '{"a": 1E5}'),
    *('{"a":' * 60 + "1" + "}" * 60, '{"a": ' + "1" * 4_200 + "}", '{"a": "x\ny"}', '{"a": [null, true, 1.0]}'),
)
TEXTS = st.sampled_from(OF_INPUTS)
PARTS = st.lists(
    st.fixed_dictionaries(
        {"type": st.just("text"), "text": WORDS}, optional={"cache_control": st.just({"type": "ephemeral"})}
    ),
    max_size=2,
)
CONTENT: Any = WORDS | st.none() | PARTS
FUNCTIONS = st.fixed_dictionaries({"name": IDS, "arguments": TEXTS | st.just({"a": 1})}, optional={"x": st.just(1)})
CALLS = st.fixed_dictionaries(
    {"id": IDS, "type": st.sampled_from(["function", "function", "custom"]), "function": FUNCTIONS},
    optional={"index": st.integers(0, 2)},
)
NOTHING: Any = {"refusal": st.none(), "name": st.none() | st.just("ann"), "audio": st.none(), "id": st.just("m1")}
ENTRIES = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "user", "system", "human"]), "content": CONTENT}, optional=NOTHING
    ),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["assistant", "assistant", "ai"]), "content": CONTENT},
        optional={**NOTHING, "tool_calls": st.none() | st.lists(CALLS, max_size=2), "finish_reason": st.just("length")},
    ),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["tool", "tool", "function"]), "content": CONTENT, "tool_call_id": IDS},
        optional={"name": st.sampled_from(["f", "g"]), "is_error": st.booleans(), "metadata": st.just({"k": 1})},
    ),
    st.sampled_from(["text", None, {}, {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}]),
)


@st.composite
def turns(draw: st.DrawFn) -> list[Any]:
    """Draw what most lists hold: calls and their results, in their order or another one."""
    ids = draw(st.lists(st.sampled_from(["call_1", "call_2", "call_3"]), min_size=1, max_size=3, unique=True))
    functions = [{"name": "f", "arguments": draw(TEXTS)} for _ in ids]
    calls = [{"id": id, "type": "function", "function": function} for id, function in zip(ids, functions, strict=True)]
    results = [{"role": "tool", "tool_call_id": id, "content": draw(WORDS), "name": "f"} for id in ids]
    results = draw(st.permutations(results)) if draw(st.integers(0, 2)) == 0 else results
    return [{"role": "assistant", "content": draw(WORDS | st.none()), "tool_calls": calls}, *results]


LISTS = st.lists(ENTRIES.map(lambda entry: [entry]) | turns(), max_size=6).map(
    lambda runs: [e for run in runs for e in run]
)
TARGETS: list[Dialect[Any]] = [
    OpenAIChat(),
    Anthropic(),
    Mistral(),
    OpenAIResponses(),
    Gemini(),
    Bedrock(),
    PydanticAI(),
]


def known(history: MessageHistory) -> object:
    """Show all that is known of a history, with the order of keys."""
    exports = [history.export(dialect) for dialect in TARGETS]
    sent = [(exported.messages, exported.system, repr(exported.repairs)) for exported in exports]
    return (
        json.dumps([history.to_list(), sent], default=repr),
        repr(history.repairs),
        [message.ids for message in history],
    )


def long_way(raw: list[Any], dialect: Dialect[Any] | None) -> MessageHistory:
    with pytest.MonkeyPatch.context() as patch:
        for module in (openai_chat, openai_responses, gemini, bedrock, pydantic_ai):
            patch.setattr(module, "read_runs", lambda _, start, *__: start)
        return MessageHistory.from_list(raw, dialect=dialect)


@pytest.mark.parametrize("dialect", [None, OpenAIChat(), Mistral()])
@given(raw=LISTS)
def test_the_short_way_reads_what_the_long_way_reads(dialect: Dialect[Any] | None, raw: list[Any]) -> None:
    short, long = MessageHistory.from_list(raw, dialect=dialect), long_way(raw, dialect)
    assert short == long
    assert known(short) == known(long)
    assert json.dumps(short.to_list()) == json.dumps(MessageHistory.from_list(short.to_list()).to_list())


WHOLE = st.sampled_from(["one", "two", "[This call was lost.]", "Tool execution was not approved."])
ITEMS = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": WHOLE}),
    st.builds(
        lambda kind, text, more: {"type": "message", "role": "user", "content": [{"type": kind, "text": text, **more}]},
        st.sampled_from(["input_text", "output_text", "text"]),
        WHOLE,
        st.sampled_from([{}, {"annotations": []}, {"annotations": [1]}, {"logprobs": None}]),
    ),
)


@st.composite
def turns_of_items(draw: st.DrawFn) -> list[Any]:
    """Draw what most lists of items hold: calls and their outputs, in their order or another one."""
    ids = draw(st.lists(st.sampled_from(["call_1", "call_2"]), min_size=1, max_size=2, unique=True))
    beside: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [{}, {"id": "fc_1", "status": "completed"}, {"status": "incomplete"}, {"id": None}, {"x": 1}]
    )
    calls = [
        {"type": "function_call", "call_id": id, "name": "f", "arguments": draw(TEXTS), **draw(beside)} for id in ids
    ]
    outputs = [{"type": "function_call_output", "call_id": id, "output": draw(WORDS), **draw(beside)} for id in ids]
    outputs = draw(st.permutations(outputs)) if draw(st.integers(0, 2)) == 0 else outputs
    said = draw(st.lists(st.just({"role": "assistant", "content": "a"}), max_size=1))
    return [*said, *calls, *outputs]


RUNS_OF_ITEMS = st.lists(
    turns_of_items() | ITEMS.map(lambda item: [item]) | lists_of_items().map(lambda items: items[:1]), max_size=6
).map(lambda runs: [item for run in runs for item in run])


@pytest.mark.parametrize("dialect", [None, OpenAIResponses()])
@given(raw=RUNS_OF_ITEMS)
def test_the_short_way_reads_items_as_the_long_way_does(dialect: Dialect[Any] | None, raw: list[Any]) -> None:
    short, long = MessageHistory.from_list(raw, dialect=dialect), long_way(raw, dialect)
    assert short == long
    assert known(short) == known(long)


INPUTS: Any = st.sampled_from(
    [{"a": 1}, {}, {"a": "é", "b": [None, True, 1.0]}, {"a": "lone \ud83d"}, {"a": 1 << 70}, {1: 2}, [], "{}", None]
)
SIGNATURES: Any = st.sampled_from(
    [{}, {}, {"thoughtSignature": BYPASS}, {"thoughtSignature": "c2ln"}, {"thought": True}]
)
OUTPUTS: Any = st.builds(
    lambda key, value, more: {key: value, **more},
    st.sampled_from(["output", "output", "result", "error", "a"]),
    WORDS | st.sampled_from([None, 1, {"a": 1}, ["a"]]),
    st.sampled_from([{}, {}, {"b": 1}]),
)
OF_CALLS: Any = st.fixed_dictionaries({"name": IDS, "args": INPUTS}, optional={"id": IDS, "willContinue": st.none()})
OF_RESPONSES: Any = st.fixed_dictionaries(
    {"name": IDS, "response": OUTPUTS}, optional={"id": IDS, "scheduling": st.just("SILENT")}
)
CONTENTS = st.builds(
    lambda role, parts, more: {"role": role, "parts": parts, **more},
    st.sampled_from(["user", "user", "model", "model", "function", "system", None]),
    st.lists(
        st.one_of(
            st.builds(lambda text, more: {"text": text, **more}, WORDS, SIGNATURES),
            st.builds(lambda call, more: {"functionCall": call, **more}, OF_CALLS, SIGNATURES),
            st.builds(lambda response: {"functionResponse": response}, OF_RESPONSES),
            st.sampled_from(["text", None, {}, {"function_call": {"name": "f", "args": {}}}]),
        ),
        max_size=3,
    ),
    st.sampled_from([{}, {}, {}, {"finishReason": "MAX_TOKENS"}]),
)


@st.composite
def turns_of_contents(draw: st.DrawFn) -> list[Any]:
    """Draw a turn as most are: its calls, in one content or two, and responses with or without ids, in any order."""
    ids = draw(st.lists(st.sampled_from(["call_1", "call_2", "f_0"]), min_size=1, max_size=3, unique=True))
    names = [draw(st.sampled_from(["f", "g"])) for _ in ids]
    has_ids = draw(st.sampled_from([True, True, True, False]))
    own = [{"id": id, "name": name} if has_ids else {"name": name} for id, name in zip(ids, names, strict=True)]
    calls = [{"functionCall": {**each, "args": draw(INPUTS)}, **draw(SIGNATURES)} for each in own]
    responses = [{"functionResponse": {**each, "response": draw(OUTPUTS)}} for each in own]
    responses = draw(st.permutations(responses)) if draw(st.integers(0, 2)) == 0 else responses
    said = draw(st.lists(st.just({"text": "a"}), max_size=1))
    contents = [("model", [*said, *calls]), ("user", [*responses, *said])]
    if draw(st.integers(0, 3)) == 0:
        contents = [("model", [*said, call]) for call in calls] + [("user", [response]) for response in responses]
    return [{"role": role, "parts": parts} for role, parts in contents]


LISTS_OF_CONTENTS = st.lists(turns_of_contents() | CONTENTS.map(lambda content: [content]), max_size=6).map(
    lambda runs: [content for run in runs for content in run]
)


@pytest.mark.parametrize("dialect", [None, Gemini()])
@given(raw=LISTS_OF_CONTENTS)
def test_the_short_way_reads_contents_as_the_long_way_does(dialect: Dialect[Any] | None, raw: list[Any]) -> None:
    short, long = MessageHistory.from_list(raw, dialect=dialect), long_way(raw, dialect)
    assert short == long
    assert known(short) == known(long)


STATUS: Any = st.sampled_from([{}, {}, {"status": "success"}, {"status": "error"}, {"status": None}, {"x": 1}])
OF_USES: Any = st.builds(
    lambda call, name, given, more: {"toolUse": {"toolUseId": call, "name": name, "input": given, **more}},
    *(IDS, IDS, INPUTS, st.sampled_from([{}, {}, {"type": "server_tool_use"}])),
)
OF_RESULTS: Any = st.builds(
    lambda call, content, status: {"toolResult": {"toolUseId": call, "content": content, **status}},
    IDS,
    st.lists(WORDS.map(lambda text: {"text": text}) | st.sampled_from([{"json": {"a": 1}}, {}, "text"]), max_size=2)
    | st.sampled_from(["text", None]),
    STATUS,
)
OF_CONVERSE = st.builds(
    lambda role, content, more: {"role": role, "content": content, **more},
    st.sampled_from(["user", "user", "assistant", "assistant", "system", None]),
    st.lists(
        st.one_of(
            WORDS.map(lambda text: {"text": text}),
            OF_USES,
            OF_RESULTS,
            st.sampled_from(["text", None, {}, {"cachePoint": {"type": "default"}}, {"text": "a", "x": 1}]),
        ),
        max_size=3,
    ),
    st.sampled_from([{}, {}, {}, {"stopReason": "max_tokens"}]),
)


@st.composite
def turns_of_converse(draw: st.DrawFn) -> list[Any]:
    """Draw calls and their results, in their order or another one."""
    ids = draw(st.lists(st.sampled_from(["call_1", "call_2", "call_3"]), min_size=1, max_size=3, unique=True))
    calls = [{"toolUse": {"toolUseId": id, "name": "f", "input": draw(INPUTS)}} for id in ids]
    results = [
        {"toolResult": {"toolUseId": id, "content": [{"text": draw(WORDS)}], **draw(STATUS)}}
        for id in (draw(st.permutations(ids)) if draw(st.integers(0, 2)) == 0 else ids)
    ]
    said = draw(st.lists(WORDS.map(lambda text: {"text": text}), max_size=1))
    return [{"role": "assistant", "content": [*said, *calls]}, {"role": "user", "content": [*results, *said]}]


@pytest.mark.parametrize("dialect", [None, Bedrock(), Bedrock.for_model("amazon.nova-pro-v1:0")])
@given(
    raw=st.lists(turns_of_converse() | OF_CONVERSE.map(lambda entry: [entry]), max_size=6).map(
        lambda runs: [entry for run in runs for entry in run]
    )
)
def test_the_short_way_reads_converse_as_the_long_way_does(dialect: Dialect[Any] | None, raw: list[Any]) -> None:
    short, long = MessageHistory.from_list(raw, dialect=dialect), long_way(raw, dialect)
    assert short == long
    assert known(short) == known(long)


MORE: Any = st.sampled_from(
    [
        *({}, {}, {}, {"timestamp": "2026-01-01T00:00:00Z"}, {"timestamp": None}, {"id": "m1"}, {"outcome": "success"}),
        *({"outcome": "denied"}, {"outcome": "failed"}, {"metadata": {"pydantic_ai_synthesized_tool_return": True}}),
        *({"provider_name": "google", "provider_details": {"thought_signature": "c2ln"}}, {"x": float("nan")}),
    ]
)
OF_PARTS: Any = st.one_of(
    st.fixed_dictionaries(
        {
            "part_kind": st.sampled_from(["user-prompt", "text", "system-prompt", "thinking", "retry-prompt"]),
            "content": WORDS | st.none() | st.just(["a", "b"]),
        },
        optional={"tool_call_id": IDS},
    ),
    st.fixed_dictionaries(
        {"part_kind": st.just("tool-call"), "tool_call_id": IDS, "tool_name": IDS}, optional={"args": TEXTS | INPUTS}
    ),
    st.fixed_dictionaries(
        {"part_kind": st.sampled_from(["tool-return", "retry-prompt"]), "tool_call_id": IDS},
        optional={"content": WORDS | st.sampled_from([{"a": 1}, ["a"], None]), "tool_name": IDS | st.none()},
    ),
    st.sampled_from(["text", None, {}, {"text": "a"}]),
).flatmap(lambda part: MORE.map(lambda more: {**part, **more}) if isinstance(part, dict) else st.just(part))
OF_PYDANTIC: Any = st.builds(
    lambda kind, parts, more: [{"parts": parts, "kind": kind, **more}],
    st.sampled_from(["request", "request", "response", "response", None]),
    st.lists(OF_PARTS, max_size=3),
    st.sampled_from(
        [*({}, {}, {}, {"instructions": "Be kind."}, {"finish_reason": "length"}, {"model_name": "m", "state": "x"})]
    ),
)


@st.composite
def turns_of_pydantic(draw: st.DrawFn) -> list[Any]:
    """Draw calls and their returns, in their order or another one, perhaps after a request with instructions alone."""
    ids = draw(st.lists(st.sampled_from(["call_1", "call_2", "call_3"]), min_size=1, max_size=3, unique=True))
    calls = [
        {"part_kind": "tool-call", "tool_call_id": id, "tool_name": "f", "args": draw(TEXTS | INPUTS), **draw(MORE)}
        for id in ids
    ]
    returns = [
        {"part_kind": "tool-return", "tool_call_id": id, "tool_name": "f", "content": draw(WORDS), **draw(MORE)}
        for id in (draw(st.permutations(ids)) if draw(st.integers(0, 2)) == 0 else ids)
    ]
    said = draw(st.lists(st.just({"part_kind": "text", "content": "a"}), max_size=1))
    system = {"part_kind": "system-prompt", "content": "Be kind."}
    asks = draw(st.lists(st.just({"parts": [system], "kind": "request", "instructions": "Be kind."}), max_size=1))
    return [*asks, {"parts": [*said, *calls], "kind": "response"}, {"parts": returns, "kind": "request"}]


@pytest.mark.parametrize("dialect", [None, PydanticAI()])
@given(raw=st.lists(turns_of_pydantic() | OF_PYDANTIC, max_size=6).map(lambda runs: [e for run in runs for e in run]))
def test_the_short_way_reads_pydantic_ai_as_the_long_way_does(dialect: Dialect[Any] | None, raw: list[Any]) -> None:
    short, long = MessageHistory.from_list(raw, dialect=dialect), long_way(raw, dialect)
    assert short == long
    assert known(short) == known(long)


def test_common_entries_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    raw = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None},
        {"role": "tool", "tool_call_id": "call_1", "content": "r", "name": "f"},
        {"role": "assistant", "content": "a"},
    ]
    monkeypatch.delattr(openai_chat.Reader, "_message")
    monkeypatch.delattr(openai_chat.Reader, "_result")
    assert MessageHistory.from_list(raw, dialect=OpenAIChat()).for_send(OpenAIChat(prefill=True)) == [
        raw[0],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        *raw[2:],
    ]


def test_common_items_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    raw: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": '{"a":1}', "id": "fc_1"},
        {"type": "function_call_output", "call_id": "call_1", "output": "r"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a", "annotations": []}]},
    ]
    monkeypatch.delattr(openai_responses.Reader, "_item")
    history = MessageHistory.from_list(raw, dialect=OpenAIResponses())
    assert [len(message.content) for message in history] == [1, 1, 1, 1]
    sent: list[Any] = history.for_send(OpenAIResponses())[: len(raw)]
    assert [item.get("arguments") for item in sent] == [item.get("arguments") for item in raw]


def test_common_contents_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"id": "call_1", "name": "f", "args": {"a": 1}}
    raw: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"text": "I look."}, {"functionCall": call, "thoughtSignature": BYPASS}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "call_1", "name": "f", "response": {"output": "r"}}}],
        },
        {"role": "model", "parts": [{"text": "a"}]},
    ]
    monkeypatch.delattr(gemini.Reader, "own_entry")
    assert MessageHistory.from_list(raw, dialect=Gemini()).for_send(Gemini(prefill=True)) == raw


def test_common_messages_of_converse_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"toolUseId": "call_1", "name": "f", "input": {"a": 1}}
    raw: list[dict[str, Any]] = [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [{"text": "I look."}, {"toolUse": call}]},
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "call_1", "content": [{"text": "r"}], "status": "success"}}],
        },
        {"role": "user", "content": [{"text": "a"}]},
    ]
    monkeypatch.delattr(bedrock._Reader, "own_entry")
    history = MessageHistory.from_list(raw, dialect=Bedrock())
    assert history.for_send(Bedrock()) == [*raw[:2], {"role": "user", "content": [*raw[2]["content"], {"text": "a"}]}]


def test_common_messages_of_pydantic_ai_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    of_call = {"tool_call_id": "call_1", "tool_name": "f"}
    prompt = {"part_kind": "user-prompt", "content": "q", "timestamp": "2026-01-01T00:00:00Z"}
    raw: list[dict[str, Any]] = [
        {"kind": "request", "parts": [prompt]},
        {"kind": "response", "parts": [{**of_call, "part_kind": "tool-call", "args": '{"a":1}'}]},
        {"kind": "request", "parts": [{**of_call, "part_kind": "tool-return", "content": "r"}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "a"}]},
    ]
    monkeypatch.delattr(pydantic_ai.Reader, "own_entry")
    assert MessageHistory.from_list(raw, dialect=PydanticAI()).for_send(PydanticAI())[: len(raw)] == raw


@pytest.mark.parametrize("signature", [BYPASS, "c2ln"])
def test_a_response_after_a_content_of_the_long_way_finds_its_call(signature: str) -> None:
    calls = [{"functionCall": {"name": name, "args": {}}, "thoughtSignature": signature} for name in ("f", "f", "g")]
    responses = [{"functionResponse": {"name": name, "response": {"output": name}}} for name in ("g", "f", "f")]
    raw: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [*calls[:1], {"functionCall": {"id": "call_1", "name": "h", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "call_1", "name": "h", "response": {"output": "h"}}}]},
        {"role": "user", "parts": responses[1:2]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": responses},
    ]
    results = [result for message in MessageHistory.from_list(raw, dialect=Gemini()) for result in message.results]
    assert [result.tool_use_id for result in results] == ["f_0", "call_1", "f_0", "f_1", "g_0"]
    assert [result.text for result in results] == ["f", "h", "f", "f", "g"]


def test_equal_ids_and_names_share_one_copy() -> None:
    raw = [entry for n in range(2) for entry in (*_exchange(n), {"role": "assistant", "content": "It is sunny."})]
    history = MessageHistory.from_list(json.loads(json.dumps([{"role": "user", "content": "Hi"}, *raw])))
    calls = [call for message in history for call in message.calls]
    results = [result for message in history for result in message.results]
    assert [result.tool_use_id for result in results] == ["call_0", "call_1"]
    assert all(result.tool_use_id is call.id for call, result in zip(calls, results, strict=True))
    assert calls[0].name is calls[1].name


def _exchange(number: int) -> list[dict[str, Any]]:
    function = {"name": "get_weather", "arguments": "{}"}
    calls = [{"id": f"call_{number}", "type": "function", "function": function}]
    result = {"role": "tool", "tool_call_id": f"call_{number}", "content": "sunny"}
    return [{"role": "assistant", "content": None, "tool_calls": calls}, result]
