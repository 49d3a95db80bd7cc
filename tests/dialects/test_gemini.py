"""Contents of generateContent: every rule with a case of its own, identity, signatures, pairing, media, models."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    ProviderBlock,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Gemini, OpenAIChat
from message_history.dialects.gemini import schema
from message_history.dialects.registry import DIALECTS
from tests.dialects.gemini import (
    BACK_AND_FORTH,
    BYPASS,
    EMPTY_TEXT,
    FLASH,
    PIXEL,
    SIGNATURE,
    SIGNED,
    WRONG,
    call,
    codes,
    model,
    read,
    response,
    user,
)
from tests.dialects.removed_text import removed_text

GOLDEN = Path(__file__).parent / "golden" / "gemini"
STRICT = Gemini(
    unanswered=False,
    display_names=False,
    media_in_responses=False,
    server_tools=False,
    split_responses=False,
    beside_results=False,
    bypass_as_text=False,
    signatures_required=True,
    prefill=False,
)
"""What some named model refuses; no recorded request at a model that is not named was refused for it."""


@pytest.mark.parametrize(("rule", "text", "raw"), WRONG, ids=[f"{rule}-{n}" for n, (rule, _, _) in enumerate(WRONG)])
def test_a_malformed_list_is_found_and_mended(rule: str, text: str, raw: list[Any]) -> None:
    found = [violation for violation in check(raw, STRICT) if violation.rule == rule]
    assert found
    assert text in found[0].error
    wire = read(raw).for_send(STRICT)
    assert bool(wire) is bool(raw)
    assert not wire or check(wire, STRICT) == []


VERTEX = Gemini(vertex=True, signatures_required=True, prefill=False)
ON_VERTEX = [
    ("GM-G05", "Please use a valid role: user, model.", [user("x"), model(SIGNED), {"parts": [response()]}]),
    ("GM-G04", EMPTY_TEXT, [user("hello"), model("hm"), user("")]),
    ("GM-G02", "it must include at least one parts field", [user("hi"), model(), user("go on")]),
    ("GM-G10", "function call `f` in the 2. content block is missing", [user("x"), model(call()), user(response())]),
    ("GM-G13", "Thought signature is not valid", [user("x"), model({"text": "y", "thoughtSignature": ""}), user("z")]),
    ("GM-G15", "Requests ending with a model turn are not supported.", [user("x"), model("y")]),
    (
        "GM-G21",
        "Unknown name \"id\" at 'contents[1].parts[0].function_call': Cannot find field.",
        [user("x"), model(call(signature=BYPASS, id="1")), user(response(id="1"))],
    ),
    ("GM-G25", "tool_response parameter", [user("x"), model({"toolResponse": {"id": "1", "response": {}}}), user("y")]),
]


@pytest.mark.parametrize(("rule", "text", "raw"), ON_VERTEX, ids=[rule for rule, _, _ in ON_VERTEX])
def test_vertex_has_its_own_rules_and_texts(rule: str, text: str, raw: list[Any]) -> None:
    found = [violation for violation in check(raw, VERTEX) if violation.rule == rule]
    assert found
    assert text in found[0].error
    assert check(read(raw).for_send(VERTEX), VERTEX) == []


# Identity: what keeps the laws and is acceptable comes out as it was


@pytest.mark.parametrize("raw", BACK_AND_FORTH)
@pytest.mark.parametrize("saved", [False, True], ids=["at once", "after saving"])
def test_what_is_acceptable_comes_out_as_it_was(raw: list[Any], saved: bool) -> None:
    dialect = Gemini.for_model(FLASH)
    assert check(raw, dialect) == []
    history = MessageHistory.from_list(raw)
    if saved:
        history = MessageHistory.from_list(json.loads(json.dumps(history.to_list())), open_tail="keep")
    exported = history.export(dialect)
    assert exported.messages == raw
    assert history.repairs == exported.repairs == ()


@pytest.mark.parametrize(
    ("value", "text", "is_error"),
    [
        ({"output": "ok"}, "ok", False),
        ({"output": ""}, "", False),
        ({"output": {"a": [1, 1.0, 1e30, None, True]}}, '{"a": [1, 1.0, 1e+30, null, true]}', False),
        ({"output": None}, "null", False),
        ({"output": 3}, "3", False),
        ({"result": "ok"}, "ok", False),
        ({"result": ""}, "", False),
        ({"result": [1]}, "[1]", False),
        ({"error": "it broke"}, "it broke", True),
        ({"error": {"code": 7}}, '{"code": 7}', True),
        ({"error": None}, '{"error": null}', False),
        ({"output": "a", "error": "b"}, '{"output": "a", "error": "b"}', False),
        ({"b": 1, "a": "é"}, '{"b": 1, "a": "é"}', False),
        ({}, "", False),
        ({"": 1}, '{"": 1}', False),
    ],
)
def test_a_response_goes_back_as_it_came(value: Any, text: str, is_error: bool) -> None:
    raw = [user("x"), model(SIGNED), user(response(raw=value))]
    history = MessageHistory.from_list(raw)
    assert (history[2].results[0].text, history[2].results[0].is_error) == (text, is_error)
    wire = history.for_send(Gemini())
    assert json.dumps(wire[2]) == json.dumps(raw[2])
    assert history.repairs == ()


def test_a_response_that_was_changed_is_not_forced_into_its_old_form() -> None:
    raw = [user("x"), model(SIGNED), user(response(raw={"a": 1}))]
    result = read(raw)[2].results[0]
    shortened = ToolResultBlock(result.tool_use_id, "{...", meta=result.meta)
    failed = ToolResultBlock(result.tool_use_id, "no", is_error=True, meta=result.meta)
    for block, expected in ((shortened, {"output": "{..."}), (failed, {"error": "no"})):
        history = read(raw[:2]).add(Message.user(block))
        assert history.for_send(Gemini())[2]["parts"][0]["functionResponse"]["response"] == expected


# Other spellings

SNAKE = [
    {"role": "user", "parts": [{"text": "x", "thought": None, "function_call": None}]},
    {
        "role": "model",
        "parts": [
            {
                "text": None,
                "function_call": {"id": None, "name": "f", "args": {"snake_key": 1}, "partial_args": None},
                "thought_signature": base64.b64decode(BYPASS),
            },
            {"function_call": {"id": None, "name": "g", "args": None}},
            {"executable_code": {"language": "PYTHON", "code": "1", "id": None}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"function_response": {"name": "f", "response": {"output": "ok"}}},
            {
                "function_response": {
                    "name": "g",
                    "response": {},
                    "parts": [{"inline_data": {"mime_type": "image/png", "data": base64.b64decode(PIXEL)}}],
                }
            },
        ],
    },
    {"role": "model", "parts": [{"text": "done", "thought_signature": b"signed"}]},
    {"role": "user", "parts": [{"file_data": {"file_uri": "gs://b/a.png", "mime_type": "image/png"}}]},
]


def test_the_names_and_bytes_of_the_sdk_are_read() -> None:
    history = MessageHistory.from_list(SNAKE)
    assert history.repairs == ()
    assert history[1].calls[0].input == {"snake_key": 1}
    assert history.for_send(Gemini.for_model(FLASH)) == [
        user("x"),
        model(
            call(signature=BYPASS, args={"snake_key": 1}),
            {"functionCall": {"name": "g"}},
            {"executableCode": {"language": "PYTHON", "code": "1"}},
        ),
        user(
            response(),
            {
                "functionResponse": {
                    "name": "g",
                    "response": {},
                    "parts": [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}],
                }
            },
        ),
        model({"text": "done", "thoughtSignature": "c2lnbmVk"}),
        user({"fileData": {"mimeType": "image/png", "fileUri": "gs://b/a.png"}}),
    ]


def test_both_spellings_are_checked() -> None:
    raw = [user("x"), {"role": "model", "parts": [{"function_call": {"name": "f", "args": "x"}}]}, user(response())]
    assert {violation.rule for violation in check(raw, STRICT)} == {"GM-G20", "GM-G10"}
    assert {violation.rule for violation in check(raw, Gemini())} == {"GM-G20"}


def test_roles_and_shapes_of_other_forms_are_read() -> None:
    raw: list[Any] = [
        {"role": "system", "parts": [{"text": "be brief"}]},
        "hello",
        {"role": "assistant", "parts": "hi"},
        {"text": "a part where a content is meant"},
        {"role": "assistant", "content": "as others have it"},
        {"role": "USER", "parts": {"text": "one part"}},
        {"parts": [call("f")]},
        {"role": "function", "parts": [response()]},
        {"role": "system", "parts": [{"text": "now be kind"}]},
    ]
    history = read(raw)
    assert history.system == "be brief"
    assert [(message.role, message.text) for message in history] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "a part where a content is meant"),
        ("assistant", "as others have it"),
        ("user", "one part"),
        ("assistant", ""),
        ("user", ""),
    ]
    exported = history.export(Gemini())
    assert exported.system == {"parts": [{"text": "be brief"}]}
    assert exported.messages[-1] == user("<system>\nnow be kind\n</system>")


def test_blocks_of_another_form_inside_parts_are_read() -> None:
    raw = [
        user({"type": "text", "text": "x"}),
        model(
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "tool_use", "id": "1", "name": "f", "input": {}},
        ),
    ]
    history = read(raw)
    assert history[1].calls[0].name == "f"
    assert isinstance(history[1].content[0], ThinkingBlock)
    assert check(history.for_send(Gemini()), Gemini()) == []


# Pairing without ids


def results_of(history: MessageHistory) -> list[tuple[str, str]]:
    names = {}
    found = []
    for message in history:
        if message.role == "assistant":
            names = {block.id: f"{block.name}{dict(block.input) or ''}" for block in message.calls}
        found += [(names[result.tool_use_id], result.text) for result in message.results]
    return found


def test_calls_without_ids_pair_by_name_and_order_and_go_back_without() -> None:
    raw = [
        user("x"),
        model(call("f", BYPASS, args={"n": 1}), call("g"), call("f", args={"n": 2})),
        user(response("g", {"output": "G"}), response("f", {"output": "F1"}), response("f", {"output": "F2"})),
        model(call("f", BYPASS, args={"n": 3})),
        user(response("f", {"output": "F3"})),
    ]
    history = MessageHistory.from_list(raw)
    assert results_of(history) == [("f{'n': 1}", "F1"), ("g", "G"), ("f{'n': 2}", "F2"), ("f{'n': 3}", "F3")]
    assert codes(history.repairs) == [RepairCode.RESULTS_REORDERED]
    wire = history.for_send(Gemini())
    assert "id" not in json.dumps(wire)
    assert [part["functionResponse"]["name"] for part in wire[2]["parts"]] == ["f", "g", "f"]


def test_contents_added_one_by_one_pair_without_ids() -> None:
    history = MessageHistory().add_user("x")
    for name in ("first", "second"):
        history = history.add(model(call("f", BYPASS), call("g"), call("f", args={"n": 2})))
        history = history.add(user(response("f", {"output": f"{name} F1"}), response("g"), response("f")))
    assert history.repairs == ()
    assert results_of(history)[3] == ("f", "second F1")
    assert history.awaiting == ()


def test_a_result_that_an_agent_adds_goes_without_an_id_like_its_call() -> None:
    history = MessageHistory().add_user("x").add(model(call("f", BYPASS)))
    (waiting,) = history.awaiting
    wire = history.add_tool_result(waiting, "done").for_send(Gemini())
    assert wire[2] == user(response(raw={"output": "done"}))


def test_calls_in_pieces_and_responses_in_pieces_are_one_turn() -> None:
    raw = [
        user("x"),
        model(call("f", BYPASS)),
        model(call("f", args={"n": 2})),
        user(response(raw={"output": "1"})),
        user(response(raw={"output": "2"}), "both"),
    ]
    history = MessageHistory.from_list(raw)
    assert results_of(history) == [("f", "1"), ("f{'n': 2}", "2")]
    wire = history.for_send(Gemini())
    assert [len(content["parts"]) for content in wire] == [1, 2, 2, 1]


def test_a_response_may_have_an_id_where_its_call_has_none() -> None:
    raw = [user("x"), model(SIGNED), user(response(id="f-1755899286321"))]
    history = MessageHistory.from_list(raw)
    assert history.repairs == ()
    assert history.for_send(Gemini()) == raw


def test_a_responses_own_id_is_not_sent_when_another_call_has_it() -> None:
    raw = [user("x"), model(SIGNED, call(id="a", args={"n": 2})), user(response(id="a"), response(id="a"))]
    wire = read(raw).for_send(Gemini())
    assert wire[2] == user(response(), response(id="a"))
    assert check(wire, Gemini()) == []


def test_a_response_without_an_id_gets_that_of_its_call() -> None:
    raw = [user("x"), model(call(signature=BYPASS, id="a"), call(id="b", args={"n": 2})), user(response(), response())]
    wire = MessageHistory.from_list(raw).for_send(Gemini())
    assert wire[2] == user(response(id="a"), response(id="b"))


def test_a_response_with_a_wrong_id_is_the_result_of_the_call_in_whose_place_it_stands() -> None:
    raw = [user("x"), model(call(signature=BYPASS, id="a")), user(response(id="stale"))]
    assert codes(read(raw).repairs) == [RepairCode.RESULT_REPAIRED_ID]


def test_names_that_a_gateway_changed_pair_by_order() -> None:
    raw = [user("x"), model(call("mcp.f", BYPASS), call("mcp.g")), user(response("mcp_f"), response("mcp_g"))]
    history = read(raw)
    assert history.repairs == ()
    assert history.for_send(Gemini())[2] == user(response("mcp.f"), response("mcp.g"))


@pytest.mark.parametrize("name", ["g", "a b", ["g"], {"n": 1}, 7])
def test_the_name_of_a_response_that_is_not_its_calls_is_kept_and_told(name: Any) -> None:
    raw = [user("x"), model(call(signature=BYPASS, id="a")), user(response(name, id="a"))]
    history = read(raw)
    assert history.repairs == ()
    assert f'"name": {json.dumps(name)}' in json.dumps(history.to_list())
    wire = history.for_send(Gemini())
    assert wire == (raw if name == "g" else [*raw[:2], user(response("f", id="a"))])
    assert check(wire, Gemini()) == []
    others = [Gemini(vertex=True), Anthropic(), *([Gemini()] if name != "g" else [])]
    for dialect in others:
        assert json.dumps({"name": name}) in removed_text(history.export(dialect).repairs)


def test_the_name_of_a_response_goes_with_it_when_its_call_is_missing() -> None:
    for name in ("(new)", ["(new)"]):
        for id in ("a", None):
            repairs = read([user("x", response(name, id=id))]).repairs
            assert codes(repairs) == [RepairCode.ORPHAN_RESULT_DROPPED]
            assert "(new)" in removed_text(repairs)


def test_the_name_of_a_response_that_is_read_by_itself_is_its_calls() -> None:
    history = MessageHistory().add_user("x").add(model(call("f", BYPASS, id="a"), call("21g", id="b")))
    history = history.add(user(response("f", id="a"), response("21g", id="b")))
    assert history.repairs == ()
    for dialect in (Anthropic(), Gemini()):
        assert "name" not in removed_text(history.export(dialect).repairs)


def test_a_displaced_response_finds_its_call_by_name() -> None:
    raw = [user("x"), model(SIGNED), user("wait"), model("I do"), user(response(raw={"output": "late"}), "so?")]
    history = read(raw)
    assert results_of(history) == [("f", "late")]
    assert codes(history.repairs) == [RepairCode.RESULT_MOVED]


def test_a_second_response_is_quoted_and_an_equal_one_dropped() -> None:
    raw = [user("x"), model(SIGNED), user(response(), response(), response(raw={"output": "other"}))]
    assert codes(read(raw).repairs) == [RepairCode.DUPLICATE_RESULT_DROPPED, RepairCode.SECOND_RESULT_QUOTED]


def test_a_made_id_keeps_clear_of_those_that_came() -> None:
    raw = [
        user("x"),
        model(call(signature=BYPASS, id="f_0"), call(args={"n": 2})),
        user(response(id="f_0"), response()),
    ]
    history = read(raw)
    assert history.repairs == ()
    assert history.for_send(Gemini()) == raw


# Signatures


def signed_everywhere() -> MessageHistory:
    return read(
        [
            user("x"),
            model(
                {"text": "hm", "thought": True, "thoughtSignature": SIGNATURE},
                {"text": "y", "thoughtSignature": SIGNATURE},
            ),
            user("z"),
            model(call(signature=SIGNATURE)),
            user(response()),
        ]
    )


def test_signatures_are_kept_with_their_blocks() -> None:
    history = signed_everywhere()
    thought, words = history[1].content
    assert isinstance(thought, ThinkingBlock)
    assert isinstance(words, TextBlock)
    assert thought.signature == words.signature == history[3].calls[0].signature == SIGNATURE
    assert thought.issuer == words.issuer == history[3].calls[0].issuer == "gemini"


def test_signatures_stay_with_their_issuer() -> None:
    history = signed_everywhere()
    for dialect in (Anthropic(), OpenAIChat()):
        wire = json.dumps(history.for_send(dialect))
        assert SIGNATURE not in wire
        assert "hm" not in wire
    other = Meta(signature=SIGNATURE, issuer="mistral")
    history = MessageHistory().add_user("x")
    history = history.add_assistant([TextBlock("y", meta=other), ToolUseBlock("1", "f", {}, meta=other)])
    exported = history.export(Gemini())
    assert SIGNATURE not in json.dumps(exported.messages)
    assert len([repair for repair in exported.repairs if "GM-G13" in repair.detail]) == 2


def test_thinking_of_another_issuer_is_withheld() -> None:
    thinking = [ThinkingBlock("hm", "c2ln"), ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic"))]
    exported = MessageHistory().add_user("x").add_assistant(thinking).add_user("y").export(Gemini())
    assert codes(exported.repairs) == [RepairCode.WITHHELD, RepairCode.WITHHELD, RepairCode.PLACEHOLDER_ADDED]


@pytest.mark.parametrize(
    "form",
    [
        BYPASS,
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
        b"skip_thought_signature_validator",
    ],
)
def test_the_value_for_no_signature_is_never_kept(form: Any) -> None:
    history = read([user("x"), model({"text": "y", "thoughtSignature": form}, call(signature=form)), user(response())])
    words, asked = history[1].content
    assert isinstance(words, TextBlock)
    assert isinstance(asked, ToolUseBlock)
    assert words.signature is asked.signature is None
    assert history.repairs == ()
    assert history.for_send(Gemini())[1] == model("y", call(signature=BYPASS))


def test_the_first_unsigned_call_of_each_step_gets_it_where_it_is_demanded() -> None:
    history = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "f", {}), ToolUseBlock("2", "f", {})])
    history = history.add_tool_result("1", "a").add_tool_result("2", "b")
    history = history.add_assistant([ToolUseBlock("3", "f", {})]).add_tool_result("3", "c").add_assistant("y")
    history = history.add_user("z")
    exported = history.export(Gemini())
    signatures = [part.get("thoughtSignature") for content in exported.messages for part in content["parts"]]
    assert [found for found in signatures if found] == [BYPASS, BYPASS]
    assert signatures[1] == BYPASS
    assert codes(exported.repairs) == [RepairCode.REWRITTEN, RepairCode.REWRITTEN]
    assert "thoughtSignature" not in json.dumps(history.for_send(Gemini.for_model("gemini-2.5-pro")))


def test_a_signature_that_does_not_decode_is_not_sent() -> None:
    history = read(
        [user("x"), model({"text": "y", "thoughtSignature": "not base64!"}, call(signature="a=b")), user(response())]
    )
    exported = history.export(Gemini())
    assert exported.messages[1] == model("y", call(signature=BYPASS))
    assert all("GM-G12" in repair.detail or "GM-G14" in repair.detail for repair in exported.repairs)
    words = history[1].content[0]
    assert isinstance(words, TextBlock)
    assert words.signature == "not base64!"


def test_the_signature_of_an_empty_text_goes_to_the_text_before_it_where_text_may_not_be_empty() -> None:
    vertex = Gemini(vertex=True)
    signature = {"text": "", "thoughtSignature": SIGNATURE}
    history = read([user("x"), model("y", signature), user("z")])
    assert history.repairs == ()
    assert history.for_send(vertex)[1] == model({"text": "y", "thoughtSignature": SIGNATURE})
    assert history.for_send(Gemini())[1] == model("y", signature)
    for before in (
        {"text": "y", "thoughtSignature": SIGNATURE},
        {"text": "y", "thought": True},
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": SIGNATURE},
    ):
        exported = read([user("x"), model(before, signature), user(response())]).export(vertex)
        assert exported.messages[1]["parts"] == [before]
        assert RepairCode.WITHHELD in codes(exported.repairs)


@pytest.mark.parametrize("dialect", [Gemini(), Gemini(vertex=True), Gemini.for_model("gemini-3.1-pro-preview")])
def test_a_signature_alone_goes_back_alone(dialect: Gemini) -> None:
    raw = [
        user("x"),
        model("y", {"thoughtSignature": SIGNATURE}),
        user("z"),
        model({"thought": True, "thoughtSignature": SIGNATURE}, "y"),
        user("z"),
    ]
    assert check(raw, dialect) == []
    exported = read(raw).export(dialect)
    assert (exported.messages, exported.repairs) == (raw, ())


def test_a_part_alone_stands_for_a_list_of_parts() -> None:
    raw = [{"role": "user", "parts": {"text": "x"}}, {"role": "model", "parts": call(signature=BYPASS)}]
    raw += [{"role": "user", "parts": response()}]
    assert check(raw, Gemini()) == []
    assert read(raw).for_send(Gemini()) == [{**content, "parts": [content["parts"]]} for content in raw]
    assert "GM-G08" in {violation.rule for violation in check([*raw[:2], user("y")], Gemini.for_model("gemini-3-pro"))}


def test_responses_need_no_role_outside_vertex() -> None:
    raw = [user("x"), model(SIGNED), {"parts": [response()]}]
    for dialect in (Gemini(), STRICT, Gemini.for_model("gemini-2.5-flash-lite")):
        assert not check(raw, dialect)
        assert read(raw).for_send(dialect) == [*raw[:2], user(response())]
        assert "GM-G05" in {found.rule for found in check([*raw, {"parts": [{"text": "y"}]}], dialect)}


def test_a_model_that_takes_responses_in_contents_of_their_own_still_wants_all_of_them() -> None:
    raw = [user("x"), model(call(), call("g")), user(response()), user(response("g"))]
    for dialect in (Gemini(), Gemini.for_model("gemini-2.5-flash")):
        assert not check(raw, dialect)
        assert [found.rule for found in check(raw[:3], dialect)] == ["GM-G08"]
        assert [found.rule for found in check([*raw, user(response("h"))], dialect)] == ["GM-G08"]
        assert [found.rule for found in check([*raw[:3], user("wait"), raw[3]], dialect)] == ["GM-G08", "GM-G07"]
    assert {found.rule for found in check(raw, Gemini.for_model("gemini-3-pro"))} >= {"GM-G07", "GM-G08"}
    assert len(read(raw).for_send(Gemini.for_model("gemini-2.5-flash"))) == 3


@pytest.mark.parametrize("vertex", [False, True])
def test_older_models_take_calls_that_nothing_answers_but_not_those_that_something_does(vertex: bool) -> None:
    dialect = Gemini.for_model("gemini-2.5-pro", vertex=vertex)
    asked = [user("x"), model(call(), call("g"))]
    assert check([*asked, user("never mind")], dialect) == []
    assert "GM-G08" in {found.rule for found in check(asked, dialect)}
    assert [found.rule for found in check([*asked, user(response())], dialect)] == ["GM-G08"]
    other = Gemini.for_model("gemini-3-pro", vertex=vertex)
    assert "GM-G08" in {found.rule for found in check([*asked, user("never mind")], other)}
    assert check([*asked, user("never mind")], Gemini()) == []
    assert "functionResponse" in str(read([*asked, user("never mind")]).for_send(dialect))


def test_responses_may_come_from_the_function_and_name_an_id() -> None:
    raw = [user("x"), model(call()), {"role": "function", "parts": [response(name="4d5c1d59-4f71")]}]
    flash = Gemini.for_model("gemini-2.0-flash")
    assert check(raw, flash) == []
    assert "GM-G05" in {violation.rule for violation in check(raw, Gemini.for_model("gemini-2.0-flash", vertex=True))}
    assert "GM-G05" in {violation.rule for violation in check([{"role": "function", "parts": [{"text": "x"}]}], flash)}
    for newer in ("gemini-3.6-flash", "gemini-3.7-flash"):
        assert "GM-G05" in {violation.rule for violation in check(raw, Gemini.for_model(newer))}
    exported = read(raw).export(flash)
    assert exported.messages[2]["parts"] == raw[2]["parts"]
    assert exported.repairs == ()


def test_empty_text_is_refused_by_vertex_alone() -> None:
    raw = [user("x"), model(call(signature=BYPASS), ""), user(response())]
    assert check(raw, Gemini()) == []
    assert {violation.rule for violation in check(raw, Gemini(vertex=True))} == {"GM-G04"}


@pytest.mark.parametrize(
    ("model_name", "taken"),
    [("gemini-2.5-flash", True), ("gemini-3.6-flash", True), ("gemini-3.5-flash", False), ("gemini-3.7-flash", False)],
)
def test_words_beside_one_response_are_refused_by_some_models(model_name: str, taken: bool) -> None:
    raw = [user("x"), model(call(signature=BYPASS)), user(response(), {"text": "y"})]
    for vertex in (True, False):
        found = {violation.rule for violation in check(raw, Gemini.for_model(model_name, vertex=vertex))}
        assert found == (set() if taken else {"GM-G23"})


def test_the_first_models_want_roles_to_alternate() -> None:
    raw = [user("a"), user("b")]
    first = Gemini.for_model("gemini-1.0-pro")
    (found,) = check(raw, first)
    assert (found.rule, found.error) == (
        "GM-G16",
        "Please ensure that multiturn requests alternate between user and model.",
    )
    assert check(read(raw).for_send(first), first) == []
    assert check(raw, Gemini()) == []


def test_what_stands_beside_odd_data_is_kept() -> None:
    raw = [
        user("x"),
        model({"text": 7, "thoughtSignature": SIGNATURE, "partMetadata": {"a": "(kept)"}}),
        model({"functionCall": "f", "thoughtSignature": SIGNATURE}),
        user("y"),
    ]
    saved = json.dumps(read(raw).to_list())
    assert saved.count(SIGNATURE) == 2
    assert "(kept)" in saved


def test_partial_arguments_are_kept() -> None:
    for args in ({}, {"args": {"a": 1}}):
        partial = [{"jsonPath": "$.a", "stringValue": "(piece)"}]
        raw = [user("x"), model({"functionCall": {"name": "f", "partialArgs": partial, **args}}), user(response())]
        history = read(raw)
        assert "(piece)" in json.dumps(history.to_list())
        assert "(piece)" in repr([repair.removed for repair in history.export(Gemini()).repairs]) or not args


def test_two_data_fields_in_one_part_are_two_parts() -> None:
    both = {"text": "y", "functionCall": {"name": "f", "args": {}}, "thoughtSignature": SIGNATURE}
    assert read([user("x"), model(both), user(response())]).for_send(Gemini())[1] == model(
        "y", call(signature=SIGNATURE)
    )


# Ids, names, inputs, results


def test_ids_are_kept_on_the_developer_api_and_left_out_on_vertex() -> None:
    history = MessageHistory().add_user("x").add_assistant([ToolUseBlock("functions.f:0", "f", {})])
    history = history.add_tool_result("functions.f:0", "ok")
    kept = history.for_send(Gemini())
    assert kept[1]["parts"][0]["functionCall"]["id"] == kept[2]["parts"][0]["functionResponse"]["id"] == "functions.f:0"
    exported = history.export(Gemini(vertex=True))
    assert '"id"' not in json.dumps(exported.messages)
    assert any("GM-G21" in repair.detail for repair in exported.repairs)
    assert '"id"' in json.dumps(history.for_send(Gemini(vertex=True, ids=True)))


def test_names_are_rewritten_alike_on_both_sides_and_stay_apart() -> None:
    names = ["21st", "a b", "a_b", "x" * 80, "x" * 81, "é", "default_api:f", "f.g"]
    calls = [ToolUseBlock(str(n), name, {}) for n, name in enumerate(names)]
    history = MessageHistory().add_user("x").add_assistant(calls)
    for asked in calls:
        history = history.add_tool_result(asked.id, "ok")
    wire = history.for_send(Gemini())
    called = [part["functionCall"]["name"] for part in wire[1]["parts"]]
    assert called == [part["functionResponse"]["name"] for part in wire[2]["parts"]]
    assert len(set(called)) == len(names)
    assert called[2] == "a_b"
    assert called[-2:] == ["default_api:f", "f.g"]
    assert check(wire, Gemini()) == []


def test_an_unreadable_input_goes_under_raw() -> None:
    history = read([user("x"), model(call(signature=BYPASS, args='{"a": ')), user(response())])
    exported = history.export(Gemini())
    assert exported.messages[1]["parts"][0]["functionCall"]["args"] == {"_raw": '{"a": '}
    assert codes(exported.repairs) == [RepairCode.REWRITTEN]
    assert read(exported.messages).for_send(Gemini()) == exported.messages


def test_an_input_that_came_in_pieces_is_unreadable() -> None:
    part = {
        "functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a", "stringValue": "b"}], "willContinue": True}
    }
    history = read([user("x"), model(part), user(response())])
    assert not history[1].calls[0].readable
    assert check(history.for_send(Gemini(vertex=True)), Gemini(vertex=True)) == []


def test_user_words_and_results_are_two_contents() -> None:
    history = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "f", {})])
    history = history.add(Message.user(ToolResultBlock("1", "no", is_error=True), "and this"))
    assert history.for_send(Gemini())[2:] == [user(response(raw={"error": "no"}, id="1")), user("and this")]


def test_fields_that_the_api_does_not_know_are_withheld() -> None:
    raw = [
        {**user({"text": "x", "cache_control": {"type": "ephemeral"}}), "name": "ann"},
        model({"future": {"a": 1}}, {"executableCode": {"code": "1", "language": "PYTHON", "future": 1}}),
        user("y"),
    ]
    exported = read(raw).export(Gemini())
    assert exported.messages == [user("x"), model({"executableCode": {"code": "1", "language": "PYTHON"}}), user("y")]
    assert codes(exported.repairs) == [RepairCode.WITHHELD] * 3


def test_parts_of_other_providers_are_withheld() -> None:
    blocks = [
        ProviderBlock("anthropic", {"type": "server_tool_use"}),
        ProviderBlock("gemini", {"executableCode": {"code": 1}}),
    ]
    exported = MessageHistory().add_user("x").add_assistant([*blocks, "y"]).add_user("z").export(Gemini())
    assert exported.messages[1]["parts"][-1] == {"text": "y"}
    assert check(exported.messages, Gemini()) == []


# Media


def test_a_tools_media_go_where_the_model_takes_them() -> None:
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    history = MessageHistory().add_user("x").add_assistant([ToolUseBlock("1", "f", {})])
    history = history.add(Message.user(ToolResultBlock("1", [TextBlock("seen"), image]), "so?"))
    part = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    inside = history.for_send(Gemini.for_model(FLASH))
    assert inside[2]["parts"][0]["functionResponse"]["parts"] == [part]
    assert inside[3] == user("so?")
    behind = history.export(Gemini())
    assert behind.messages[2] == user(
        response(raw={"output": "seen\n[The image follows in the next user message.]"}, id="1")
    )
    assert behind.messages[3] == user("[The image that the call of f gave:]", part, "so?")
    assert any("GM-G24" in repair.detail for repair in behind.repairs)
    assert MessageHistory.from_list(inside).for_send(Gemini()) == behind.messages


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (
            ImageBlock({"type": "base64", "media_type": "image/jpg", "data": "/9j//gAE+///wAALCAABAAEBAREA/9k="}),
            "image/jpeg",
        ),
        (ImageBlock({"type": "base64", "media_type": "PNG", "data": PIXEL}), "image/png"),
        (ImageBlock({"type": "base64", "data": PIXEL}), "image/png"),
        (ImageBlock({"type": "url", "url": "https://example.com/a.webp?x=1"}), "image/webp"),
        (ImageBlock({"type": "url", "url": "https://example.com/a"}), "image/jpeg"),
        (DocumentBlock({"type": "url", "url": "https://example.com/a"}), "application/pdf"),
        (ImageBlock({"type": "file", "file_id": "gs://b/a.heic"}), "image/heic"),
        (ImageBlock({"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"}), None),
        (ImageBlock({"type": "base64", "media_type": "image/png", "data": "no base64!"}), None),
        (ImageBlock({"type": "base64", "media_type": "image/png", "data": ""}), None),
        (ImageBlock({"type": "file", "file_id": "file_123"}, meta=Meta(issuer="anthropic")), None),
        (ImageBlock({"type": "odd"}), None),
        (DocumentBlock({"type": "base64", "media_type": "application/zip", "data": "UEsD"}), None),
        (ProviderBlock("gemini", {"inlineData": {"mimeType": "AUDIO/WAV", "data": "UklGRg=="}}), "audio/wav"),
        (ProviderBlock("gemini", {"inlineData": {"mimeType": "odd", "data": "UklGRg=="}}), None),
        (ProviderBlock("gemini", {"inlineData": {}}), None),
    ],
)
def test_media_types_are_completed_or_the_media_left_out_with_a_note(block: Any, expected: str | None) -> None:
    exported = MessageHistory().add_user([block, "what is it?"]).export(Gemini())
    part = exported.messages[0]["parts"][0]
    if expected is None:
        assert "left out" in part["text"]
        assert codes(exported.repairs) == [RepairCode.WITHHELD]
    else:
        assert next(iter(part.values()))["mimeType"] == expected
        assert exported.repairs == ()
    assert check(exported.messages, Gemini()) == []
    assert MessageHistory.from_list(exported.messages).for_send(Gemini()) == exported.messages


def test_media_whose_data_are_text_go_as_text() -> None:
    svg = ImageBlock({"type": "base64", "media_type": "image/svg+xml", "data": base64.b64encode(b"<svg/>").decode()})
    note = DocumentBlock({"type": "text", "media_type": "text/plain", "data": "inside"}, "note.txt")
    exported = MessageHistory().add_user([svg, note]).export(Gemini())
    assert exported.messages == [user("<svg/>", "[note.txt:]\ninside")]
    assert codes(exported.repairs) == [RepairCode.REWRITTEN] * 2


def test_a_documents_title_has_a_place_on_vertex_only() -> None:
    document = DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}, "report.pdf")
    history = MessageHistory().add_user([document])
    part = {"mimeType": "application/pdf", "data": "JVBERi0="}
    assert history.for_send(Gemini()) == [user("[report.pdf:]", {"inlineData": part})]
    wire = history.for_send(Gemini(vertex=True))
    assert wire == [user({"inlineData": {**part, "displayName": "report.pdf"}})]
    assert read(wire)[0].content == (document,)


@pytest.mark.parametrize("raw", ["PNG", "Image/PNG", ["image/png"], 7])
def test_a_media_type_that_is_taken_for_another_is_in_the_repairs(raw: Any) -> None:
    history = read([user({"inlineData": {"mimeType": raw, "data": PIXEL}}, "look")])
    (repair,) = history.repairs
    assert repair.code is RepairCode.VALUE_CONVERTED
    assert repair.removed == (raw,)


def test_the_head_of_a_data_url_is_in_the_repairs() -> None:
    history = read([user({"inlineData": {"mimeType": "image/png", "data": f"data:image/x;base64,{PIXEL}"}}, "look")])
    (repair,) = history.repairs
    assert repair.removed == ("image/x;base64",)


@pytest.mark.parametrize("mime", ["image/png", "application/pdf"])
def test_a_title_that_is_no_text_is_kept_and_told(mime: str) -> None:
    data = PIXEL if mime == "image/png" else "JVBERi0="
    history = read([user({"inlineData": {"mimeType": mime, "data": data, "displayName": ["(t)"]}}, "look")])
    assert "(t)" in json.dumps(history.to_list())
    for dialect in (Gemini(), Gemini(vertex=True), Anthropic()):
        exported = history.export(dialect)
        assert "(t)" in removed_text(exported.repairs)
        assert "(t)" not in json.dumps(exported.messages)


def test_media_of_a_response_that_are_no_list_are_read() -> None:
    for media in ({"inlineData": {"mimeType": "image/png", "data": PIXEL}}, "(m)"):
        raw = response(id="a")
        raw["functionResponse"]["parts"] = media
        history = read([user("x"), model(call(signature=BYPASS, id="a")), user(raw)])
        assert (PIXEL if isinstance(media, dict) else "(m)") in json.dumps(history.to_list())


def test_data_in_the_url_alphabet_suit_every_provider() -> None:
    raw = [user({"inlineData": {"mimeType": "image/jpeg", "data": "_9j__gAE-___wAALCAABAAEBAREA_9k="}}, "what is it?")]
    assert '"data": "/9j//gAE+///wAALCAABAAEBAREA/9k="' in json.dumps(
        MessageHistory.from_list(raw).for_send(Anthropic())
    )


# Models, replies


@pytest.mark.parametrize(
    ("model_name", "fields"),
    [
        ("gemini-9-flash", {}),
        ("gemini-flash-latest", {}),
        ("gemini-2.0-flash", {"adjacent": True, "signatures_required": False, "bypass_as_text": True}),
        ("models/gemini-2.5-flash", {"prefill": True, "empty_text": True, "signatures_required": False}),
        ("gemini-2.5-pro", {"prefill": False, "signatures_required": False}),
        ("gemini-3-pro-preview", {"prefill": True, "signatures_required": True, "media_in_responses": True}),
        ("gemini-3-pro-image-preview", {"signatures_required": False}),
        ("gemini-3.1-pro-preview", {"prefill": True, "server_tools": True}),
        ("gemini-3.5-flash", {"prefill": True, "beside_results": False}),
        ("gemini-3.5-flash-lite", {"prefill": False}),
        ("google/gemini-3.6-flash", {"prefill": False, "beside_results": True}),
        ("gemini-3.7-flash", {"prefill": False, "beside_results": False, "media_in_responses": True}),
    ],
)
def test_the_fields_of_a_model(model_name: str, fields: dict[str, bool]) -> None:
    dialect = Gemini.for_model(model_name)
    assert {field: getattr(dialect, field) for field in fields} == fields
    if not fields:
        assert dialect == Gemini(signatures_required=True, prefill=False)


def test_without_a_model_what_some_model_takes_is_no_violation() -> None:
    """Requests with these were taken, and the models that refuse them have rows of their own."""
    media = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    signed = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "skip_thought_signature_validator"}
    response = {"functionResponse": {"name": "f", "response": {"output": "ok"}, "parts": [media]}}
    wire = [
        {"role": "user", "parts": [{"text": "q", "partMetadata": {"a": 1}}]},
        {"role": "model", "parts": [signed]},
        {"role": "user", "parts": [response, media, {"text": "and"}]},
    ]
    assert not check(wire, Gemini())
    assert {found.rule for found in check(wire, Gemini.for_model("gemini-3.7-flash"))} >= {"GM-G23", "GM-G24"}
    assert "GM-G25" in {found.rule for found in check(wire, Gemini(vertex=True))}


def test_vertex_has_what_both_services_have() -> None:
    dialect = Gemini.for_model(FLASH, vertex=True)
    assert dialect.prefill
    assert dialect.media_in_responses
    assert not dialect.ids
    assert not dialect.server_tools
    assert not dialect.empty_text
    assert not dialect.split_calls


@pytest.mark.parametrize("row", [*schema.MODELS, *schema.DEVELOPER_MODELS], ids=lambda row: row.models.pattern)
def test_every_model_row_is_sourced_dated_and_used(row: Any) -> None:
    assert row.source.startswith("https://")
    assert len(row.date) == 7
    for field, value in row.fields.items():
        assert not (getattr(Gemini(), field) == getattr(STRICT, field) == value)


def test_a_trailing_answer_is_kept_and_continued_where_it_must_be() -> None:
    history = read([user("x"), model("partial")])
    assert [content["role"] for content in history.for_send(Gemini())] == ["user", "model", "user"]
    assert history.for_send(Gemini(prefill=True)) == [user("x"), model("partial")]


def answered(reason: str, *parts: Any) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}],
        "modelVersion": "x",
    }


def test_a_response_is_read() -> None:
    history = (
        MessageHistory().add_user("x").add_response(answered("STOP", {"text": "y", "thoughtSignature": SIGNATURE}))
    )
    assert history.add_user("z").for_send(Gemini())[1] == model({"text": "y", "thoughtSignature": SIGNATURE})
    asked = MessageHistory().add_user("x").add_response(answered("STOP", call(signature=SIGNATURE, id="a")))
    assert [waiting.id for waiting in asked.awaiting] == ["a"]


def test_a_response_in_the_sdks_names_is_read() -> None:
    candidate = {
        "content": {"role": None, "parts": [{"text": "y", "thought_signature": b"signed"}]},
        "finish_reason": "STOP",
    }
    history = MessageHistory().add_user("x").add_response({"candidates": [candidate], "prompt_feedback": None})
    assert history.for_send(Gemini(prefill=True))[1] == model({"text": "y", "thoughtSignature": "c2lnbmVk"})


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "SAFETY", "RECITATION", "MALFORMED_RESPONSE"])
def test_a_reply_that_was_cut_off_is_known_as_such(reason: str) -> None:
    raw = answered(reason, {"functionCall": {"name": "f", "args": '{"a": '}})
    history = MessageHistory().add_user("x").add_response(raw)
    assert RepairCode.INCOMPLETE_CALL_DROPPED in codes(history.repairs)


@pytest.mark.parametrize(
    "response_",
    [
        {"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]},
    ],
)
def test_a_response_without_content_leaves_the_history_as_it_was(response_: dict[str, Any]) -> None:
    before = MessageHistory().add_user("x")
    after = before.add_response(response_)
    assert after == before
    assert codes(after.repairs) == [RepairCode.EMPTY_MESSAGE_DROPPED]


# Golden files, recorded requests, properties


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    history = MessageHistory.from_list(case["source"], open_tail="keep")
    for name, expected in case["exports"].items():
        dialect = Gemini(vertex=True) if name == "vertex" else Gemini.for_model(name)
        exported = history.export(dialect)
        assert {
            "system": exported.system,
            "contents": exported.messages,
            "repairs": [str(repair) for repair in exported.repairs],
        } == expected
        assert check(exported.messages, dialect) == []


EMPTIES = (RepairCode.BLANK_TEXT_DROPPED, RepairCode.EMPTY_MESSAGE_DROPPED, RepairCode.BOOTSTRAP_ADDED)


CALLED = [user("x"), model(call())]


@pytest.mark.parametrize(
    "raw",
    [
        # Requests of rig's, docker-agent's and pydantic-ai's recordings, which were answered.
        [{"role": "user", "parts": [{"text": "x", "thought": False}]}],
        [user("x"), {"role": "model", "parts": [{**call(), "thought": False}]},
         {"role": "user", "parts": [{**response(), "thought": False}]}],
        [*CALLED, user(response("call_cf745b87-8b05-45bb-9b07-489204d82f21"))],
        [*CALLED, user(response("c779cd09-ea6b-4ed1-993d-12a6a09e8c61"))],
        [user("x", {"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}, {"videoMetadata": {"fps": 0.2}})],
    ],
)  # fmt: skip
@pytest.mark.parametrize("dialect", [Gemini(signatures_required=False), Gemini.for_model("gemini-2.0-flash")])
def test_what_was_recorded_goes_back_as_it_came(raw: list[Any], dialect: Gemini) -> None:
    assert check(raw, dialect) == []
    sent = MessageHistory.from_list(raw, dialect=dialect).export(dialect)
    assert sent.messages == raw
    assert sent.repairs == ()


def test_a_list_of_parts_among_the_parts_is_read_as_these_parts() -> None:
    raw = [{"role": "user", "parts": [{"text": "a"}, [{"text": "b"}, {"text": "c"}]]}]
    assert check(raw, Gemini()) == []
    assert MessageHistory.from_list(raw, dialect=Gemini()).for_send(Gemini()) == [user("a", "b", "c")]


def test_a_response_with_the_name_of_another_function_gets_that_of_its_call() -> None:
    (sent,) = MessageHistory.from_list([*CALLED, user(response("g"))], dialect=Gemini()).for_send(Gemini())[2]["parts"]
    assert sent["functionResponse"]["name"] == "f"


def test_parts_of_the_user_without_data_are_left_out_but_for_what_belongs_to_a_video() -> None:
    bare: list[Any] = [{}, {"videoMetadata": "x"}, {"thought": False}]
    history = MessageHistory().add_user(["q", *[ProviderBlock("gemini", part) for part in bare]])
    sent = history.export(Gemini())
    assert sent.messages == [user("q")]
    assert check(sent.messages, Gemini()) == []
    assert [repair.removed[0] for repair in sent.repairs] == list(history[0].content[1:])


def test_the_signature_of_a_response_that_the_model_sent_is_recorded() -> None:
    odd = {**response(), "thoughtSignature": SIGNATURE}
    history = MessageHistory.from_list([user("x"), model(call(), odd), user("y")], dialect=Gemini())
    sent = history.export(Gemini())
    assert SIGNATURE not in json.dumps(sent.messages)
    assert SIGNATURE in removed_text(sent.repairs)
    assert removed_text(sent.repairs).count(SIGNATURE) == 1
    for dialect in DIALECTS.values():
        sent_there = history.export(dialect)
        assert SIGNATURE in json.dumps(sent_there.messages) + removed_text(sent_there.repairs)


def test_a_document_of_an_images_type_is_inspected_as_an_image() -> None:
    def document(media_type: str, data: str) -> MessageHistory:
        source = {"type": "base64", "media_type": media_type, "data": data}
        return MessageHistory().add_user(["q", DocumentBlock(source)])

    broken = document("image/png", "AAAA")
    (left_out,) = broken.export(Gemini()).repairs
    assert (left_out.code, left_out.removed) == (RepairCode.WITHHELD, broken[0].content[1:])
    assert check(broken.for_send(Gemini()), Gemini()) == []
    wire = document("image/jpeg", PIXEL).for_send(Gemini())
    assert wire == [user("q", {"inlineData": {"mimeType": "image/png", "data": PIXEL}})]
    paper = base64.b64encode(b"%PDF-1.4 1 0 obj <</Type /Page>>").decode()
    assert document("image/png", paper).for_send(Gemini())[0]["parts"][1]["inlineData"]["mimeType"] == "application/pdf"
    for dialect in (Anthropic(), OpenAIChat()):
        assert check(broken.for_send(dialect), dialect) == []
