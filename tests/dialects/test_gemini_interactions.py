"""The Interactions API: steps in and out, what is refused, older turns, whole interactions, and streams."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from message_history import MessageHistory, RepairCode, Severity, TextBlock, ThinkingBlock, ToolResultBlock, check
from message_history.dialects import Anthropic, Gemini, GeminiInteractions, OpenAIResponses
from message_history.dialects.gemini_interactions.schema import STEPS
from message_history.dialects.registry import DIALECTS, dialect_of
from message_history.integrations.strategies import histories
from message_history.streaming import Accumulator

INTERACTIONS = GeminiInteractions()
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def text(words: str, **keys: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **keys}


def asked(*items: Any) -> dict[str, Any]:
    return {"type": "user_input", "content": [text(item) if isinstance(item, str) else item for item in items]}


def output(*items: Any) -> dict[str, Any]:
    return {"type": "model_output", "content": [text(item) if isinstance(item, str) else item for item in items]}


def thought(signature: str | None = "c2ln", *summary: str) -> dict[str, Any]:
    step: dict[str, Any] = {"type": "thought"}
    if signature is not None:
        step["signature"] = signature
    return {**step, "summary": [text(item) for item in summary]} if summary else step


def call(id: str = "c1", name: str = "weather", **arguments: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": id, "name": name, "arguments": arguments}


def result(id: str = "c1", raw: Any = "sunny", **keys: Any) -> dict[str, Any]:
    return {"type": "function_result", "call_id": id, "name": "weather", "result": raw, **keys}


SEARCH: list[Any] = [
    {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["q"]}, "signature": "c2ln"},
    {"type": "google_search_result", "call_id": "s1", "result": [{"url": "https://e.x"}], "signature": "c2ln"},
]
WHOLE: list[Any] = [
    asked("Weather in Paris and Rome?", {"type": "image", "data": PIXEL, "mime_type": "image/png"}),
    thought("c2ln", "Two cities.", "Two calls."),
    output("I will look."),
    call("c1", city="Paris"),
    call("c2", city="Rome"),
    result("c1"),
    result("c2", {"sky": "clear", "degrees": 21}),
    *SEARCH,
    output(text("Sunny", annotations=[{"type": "url_citation", "url": "https://e.x"}]), "and clear."),
    output("Really."),
    asked("And the sound?", {"type": "audio", "data": "AAAA", "mime_type": "audio/wav"}),
    asked({"type": "document", "uri": "https://e.x/d.pdf", "mime_type": "application/pdf"}),
]


def test_a_list_of_steps_comes_out_as_it_went_in() -> None:
    for dialect in (None, INTERACTIONS):
        history = MessageHistory.from_list(WHOLE, dialect=dialect)
        exported = history.export(INTERACTIONS)
        assert (history.repairs, exported.repairs, exported.messages) == ((), (), WHOLE)
    assert check(WHOLE, INTERACTIONS) == []


def test_a_result_keeps_its_form() -> None:
    shapes = [
        "text",
        "",
        {"a": {"b": [1]}},
        {},
        [text("a"), {"type": "image", "data": PIXEL, "mime_type": "image/png"}],
    ]
    for shape in shapes:
        raw = [asked("q"), call(), result(raw=shape), output("a"), asked("b")]
        assert MessageHistory.from_list(raw).for_send(INTERACTIONS) == raw
    unnamed = [asked("q"), call(), {"type": "function_result", "call_id": "c1", "result": "r", "is_error": False}]
    assert MessageHistory.from_list(unnamed).for_send(INTERACTIONS) == unnamed
    failed = [asked("q"), call(), result(is_error=True)]
    history = MessageHistory.from_list(failed)
    assert history[-1].results[0].is_error
    assert history.for_send(INTERACTIONS) == failed


def test_a_real_function_result_is_no_stub() -> None:
    history = MessageHistory.from_list([asked("q"), call(), result(raw="rain")])
    assert isinstance(found := history[-1].content[0], ToolResultBlock)
    assert (found.text, found.is_stub, history.awaiting) == ("rain", False, ())


@pytest.mark.parametrize("entry", [*WHOLE, {"role": "model", "content": "a"}, {"object": "interaction", "steps": []}])
def test_it_is_known_by_shape(entry: Any) -> None:
    assert dialect_of([entry]).name == "gemini_interactions"


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "status": "completed"},
        {"type": "tool_search_call", "call_id": "1", "arguments": {}, "execution": "client"},
    ],
)
def test_an_item_of_the_responses_api_is_none_of_its_steps(entry: Any) -> None:
    assert dialect_of([entry]).name == "openai_responses"


REFUSED: list[tuple[str, list[Any]]] = [
    ("GI-01", []),
    ("GI-02", [{"type": "shout", "content": []}, asked("q")]),
    ("GI-02", [{**asked("q"), "id": "1"}]),
    ("GI-02", [asked({"type": "input_text", "text": "q"})]),
    ("GI-02", [asked(text("q", id="1"))]),
    ("GI-03", [asked("q"), result()]),
    ("GI-04", [asked("q"), call(), asked("b")]),
    ("GI-04", [asked("q"), call("c1"), call("c2"), result("c1"), asked("b")]),
    ("GI-04", [asked("q"), call("c1"), call("c2"), result("c1"), output("a"), result("c2")]),
    ("GI-05", [asked("q"), {**call(), "arguments": "{}"}, result()]),
    ("GI-05", [asked("q"), {**call(), "id": ""}, result("")]),
    ("GI-06", [asked("q"), call(), result(raw=[])]),
    ("GI-06", [asked("q"), call(), result(raw=None)]),
    ("GI-07", [{"type": "user_input", "content": []}]),
    ("GI-08", [asked({"type": "image", "data": PIXEL, "mime_type": "png"})]),
    ("GI-08", [asked({"type": "image", "mime_type": "image/png"})]),
    ("GI-08", [asked({"type": "image", "data": f"data:image/png;base64,{PIXEL}", "mime_type": "image/png"})]),
    ("GI-09", [asked("q"), output("a")]),
    ("GI-10", [call(), result()]),
    ("GI-11", [asked("q"), thought("no base64!"), output("a"), asked("b")]),
    ("GI-12", [asked("q"), call(name="a b"), result()]),
    ("GI-13", [asked({"type": "image", "data": "AAAA", "mime_type": "image/png"})]),
    ("GI-14", [asked("q"), thought(None, "hm"), output("a"), asked("b")]),
]


@pytest.mark.parametrize(("rule", "raw"), REFUSED)
def test_what_is_refused_is_found_and_repaired(rule: str, raw: list[Any]) -> None:
    assert rule in {violation.rule for violation in check(raw, INTERACTIONS)}
    wire = MessageHistory.from_list(raw, dialect=INTERACTIONS).for_send(INTERACTIONS)
    assert not wire or check(wire, INTERACTIONS) == []


def test_turns_of_the_first_version_are_read() -> None:
    raw = [
        {"role": "user", "content": "Weather?"},
        {"role": "model", "content": [thought("c2ln"), call(city="Paris")]},
        {"role": "user", "content": [result()]},
        {"role": "model", "content": [text("Sunny.")]},
        {"role": "user", "content": "Thanks"},
    ]
    history = MessageHistory.from_list(raw, dialect=INTERACTIONS)
    assert history.repairs == ()
    wanted = [asked("Weather?"), thought("c2ln"), call(city="Paris"), result(), output("Sunny."), asked("Thanks")]
    assert history.for_send(INTERACTIONS) == wanted


def test_a_whole_interaction_is_a_reply_and_keeps_its_id_and_model() -> None:
    interaction = {
        "object": "interaction",
        "id": "v1_abc",
        "model": "gemini-3.5-flash",
        "status": "requires_action",
        "steps": [asked("Weather?"), thought("c2ln"), call(city="Paris")],
    }
    history = MessageHistory().add_user("Weather?").add_response(interaction)
    assert [message.role for message in history] == ["user", "assistant"]
    assert history.awaiting[0].id == "c1"
    assert "v1_abc" in json.dumps(history.to_list())
    answered = history.add_tool_result(history.awaiting[0], "sunny")
    assert answered.export(INTERACTIONS).repairs == ()
    listed = MessageHistory.from_list([asked("Weather?"), interaction, result()])
    assert listed.for_send(INTERACTIONS) == [
        asked("Weather?", *[text("Weather?")]),
        *interaction["steps"][1:],
        result(),
    ]


@pytest.mark.parametrize("status", ["incomplete", "failed", "budget_exceeded"])
def test_a_reply_that_ended_early_is_interrupted(status: str) -> None:
    reply = INTERACTIONS.reply({"object": "interaction", "status": status, "steps": [output("So f")]})
    assert reply is not None
    assert reply.interrupted


def test_the_system_prompt_stands_outside_the_list() -> None:
    history = MessageHistory().with_system("Be terse.").add_user("q")
    exported = history.export(INTERACTIONS)
    assert (exported.system, exported.messages) == ("Be terse.", [asked("q")])


def test_thoughts_go_back_to_this_api_alone() -> None:
    history = MessageHistory.from_list(WHOLE)
    assert any(isinstance(block, ThinkingBlock) for message in history for block in message.content)
    for other in (Gemini(), Anthropic(), OpenAIResponses()):
        exported = history.export(other)
        assert "Two cities" not in json.dumps(exported.messages, default=repr)
        assert RepairCode.WITHHELD in {repair.code for repair in exported.repairs}
    foreign = MessageHistory.from_list(
        [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "secret", "signature": "c2ln"}]},
            {"role": "user", "content": "b"},
        ]
    )
    assert "secret" not in json.dumps(foreign.for_send(INTERACTIONS))


def test_an_unsigned_thought_is_sent_where_it_is_taken() -> None:
    raw = [asked("q"), thought(None, "hm"), output("a"), asked("b")]
    history = MessageHistory.from_list(raw)
    assert [repair.severity for repair in history.export(INTERACTIONS).repairs] == [Severity.LOSSY]
    assert history.export(GeminiInteractions(unsigned_thoughts=True)).messages == raw


@pytest.mark.parametrize("kind", sorted(STEPS))
def test_no_field_of_a_step_is_lost(kind: str) -> None:
    values: dict[str, Any] = {
        "type": kind,
        "arguments": {"a": 1},
        "signature": "c2ln",
        "result": "r",
        "content": [text("x")],
    }
    values |= {"is_error": True, "summary": [text("s")], "error": {"code": 1}}
    step = {key: values.get(key, f"the_{key}") for key in STEPS[kind]}
    if kind == "function_result":
        step["call_id"] = "c1"
    raw = [asked("q"), call(name="the_name"), step] if kind == "function_result" else [asked("q"), step]
    history = MessageHistory.from_list(raw)
    wire = json.dumps(history.for_send(INTERACTIONS))
    for key, value in step.items():
        assert json.dumps(value)[1:-1] in wire, key


def test_other_dialects_lists_are_written_as_steps() -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(INTERACTIONS)
        assert not wire or check(wire, INTERACTIONS) == []
        assert MessageHistory.from_list(wire, dialect=INTERACTIONS).for_send(INTERACTIONS) == wire

    law()


@pytest.mark.parametrize(
    "raw",
    [
        [result()],
        [result(), asked("and Rome?")],
        [result("c1"), result("c2", is_error=True), asked("b")],
        [output("a"), asked("b")],
        [asked("b")],
    ],
)
def test_a_list_that_goes_on_from_a_stored_interaction_is_sent_as_it_came(raw: list[Any]) -> None:
    continuing = GeminiInteractions(continues=True)
    assert check(raw, continuing) == []
    history = MessageHistory.from_list(raw, dialect=continuing)
    exported = history.export(continuing)
    assert (history.repairs, exported.repairs, exported.messages) == ((), (), raw)
    assert MessageHistory.from_list(history.to_list()) == history
    for other in DIALECTS.values():
        assert check(history.for_send(other), other) == []


EVENTS: list[dict[str, Any]] = [
    {"event_type": "interaction.created", "interaction": {"id": "v1_x", "model": "m", "status": "in_progress"}},
    {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": text("Let ")}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": text("me.")}},
    {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "c2ln"}},
    {"event_type": "step.stop", "index": 0},
    {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
    {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "I will "}},
    {"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "look."}},
    {"event_type": "step.stop", "index": 1},
    {"event_type": "step.start", "index": 2, "step": {"type": "function_call", "id": "c1", "name": "weather"}},
    {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": '{"city": '}},
    {"event_type": "step.delta", "index": 2, "delta": {"type": "arguments_delta", "arguments": '"Paris"}'}},
    {"event_type": "step.stop", "index": 2},
    {"event_type": "interaction.completed", "interaction": {"id": "v1_x", "status": "requires_action"}},
]


def test_a_stream_is_put_together() -> None:
    reply = Accumulator(INTERACTIONS, MessageHistory().add_user("Weather?"))
    for event in EVENTS:
        reply.feed(event)
    assert reply.finished
    steps = [asked("Weather?"), thought("c2ln", "Let me."), output("I will look."), call(city="Paris")]
    assert reply.history_so_far.for_send(INTERACTIONS)[:4] == steps
    assert reply.response is not None
    assert (reply.response["id"], reply.response["model"]) == ("v1_x", "m")


CITED: dict[str, Any] = {"type": "url_citation", "url": "https://example.com", "start_index": 0, "end_index": 1}
PICTURE = {"type": "image", "data": PIXEL, "mime_type": "image/png"}


@pytest.mark.parametrize(
    ("deltas", "step"),
    [
        (
            [text("Su"), {"type": "text_annotation_delta", "annotations": [CITED]}, text("nny"),
             {"type": "text_annotation_delta", "annotations": [{**CITED, "end_index": 5}]}],
            output({**text("Sunny"), "annotations": [CITED, {**CITED, "end_index": 5}]}),
        ),
        ([text("Look:"), PICTURE, text("There.")], output(text("Look:"), PICTURE, text("There."))),
        (
            [{"type": "thought_summary", "content": each} for each in (text("a"), PICTURE, text("b"))]
            + [{"type": "thought_signature", "signature": each} for each in ("c2", "ln")],
            {"type": "thought", "signature": "c2ln", "summary": [text("a"), PICTURE, text("b")]},
        ),
        ([{"type": "thought_summary", "content": text("a")}], {"type": "thought", "summary": [text("a")]}),
        (
            [{"type": "google_search_call", "id": "s1"}, {"type": "google_search_call", "id": None, "arguments": {}}],
            {"type": "google_search_call", "id": "s1", "arguments": {}},
        ),
    ],
    ids=["citations", "a picture", "thinking", "thinking without a signature", "a server tool"],
)  # fmt: skip
def test_a_step_in_pieces_is_the_step_whole(deltas: list[Any], step: dict[str, Any]) -> None:
    reply = Accumulator(INTERACTIONS, MessageHistory().add_user("Weather?"))
    for delta in deltas:
        reply.feed({"event_type": "step.delta", "index": 0, "delta": delta})
    reply.feed({"event_type": "interaction.completed", "interaction": {"id": "v1_x", "status": "completed"}})
    assert reply.response is not None
    assert reply.response["steps"] == [step]


def test_a_server_tool_s_signature_that_does_not_decode_is_left_out() -> None:
    """GI-11: a step with it is refused; one with another signature keeps it."""
    signatures: list[tuple[Any, bool]] = [("c2ln", True), ("no base64!", False), (7, False)]
    for signature, kept in signatures:
        steps: list[Any] = [{**step, "signature": signature} for step in SEARCH]
        history = MessageHistory.from_list([asked("q"), *steps, output("a"), asked("b")], dialect=INTERACTIONS)
        exported = history.export(INTERACTIONS)
        assert check(exported.messages, INTERACTIONS) == []
        assert [step.get("signature") for step in exported.messages[1:3]] == [signature if kept else None] * 2


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_a_stream_that_is_cancelled_never_leaves_half_a_call(count: int) -> None:
    reply = Accumulator(INTERACTIONS, MessageHistory().add_user("Weather?"))
    for event in EVENTS[:count]:
        reply.feed(event)
    after = reply.history_so_far
    assert [dict(found.input) for found in after.awaiting] == ([{"city": "Paris"}] if count > 13 else [])
    if count >= 8:
        assert "I will " in after[-1].text
    assert check(after.for_send(INTERACTIONS), INTERACTIONS) == []


def test_text_says_its_words_everywhere() -> None:
    history = MessageHistory.from_list([asked("q"), output("a", "b"), asked("c")])
    assert [block.text for block in history[1].content if isinstance(block, TextBlock)] == ["a", "b"]
    for dialect in DIALECTS.values():
        assert all(word in json.dumps(history.for_send(dialect), default=repr) for word in ("q", "a", "b", "c"))


def test_a_key_of_a_sound_that_the_api_does_not_take_is_told() -> None:
    sound = {"type": "audio", "data": "aGk=", "mime_type": "audio/wav", "later": "(new)"}
    exported = MessageHistory.from_list([asked(sound)], dialect=INTERACTIONS).export(INTERACTIONS)
    assert check(exported.messages, INTERACTIONS) == []
    (repair,) = exported.repairs
    assert "(new)" in repr(repair.removed)


def test_a_signature_of_a_call_that_is_not_taken_is_told() -> None:
    called = {"type": "function_call", "id": "c", "name": "f", "arguments": {}, "signature": "c2ln"}
    raw = [asked({"type": "text", "text": "q"}), called, {"type": "function_result", "call_id": "c", "result": "r"}]
    exported = MessageHistory.from_list(raw, dialect=INTERACTIONS).export(INTERACTIONS)
    assert "c2ln" in repr([repair.removed for repair in exported.repairs])
