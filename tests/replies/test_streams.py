"""A stream that is cut after any event leaves a valid history: its words are kept, half a call is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby, zip_longest
from typing import Any

import pytest

from message_history import (
    MessageHistory,
    Policy,
    ProviderBlock,
    RepairCode,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    check,
)
from message_history.dialects import Anthropic, Bedrock, Gemini, Native, OpenAIChat, OpenAIResponses, PydanticAI
from message_history.streaming import Accumulator
from tests.replies.streams import STREAMS, Stream

every_stream = pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
SENT = MessageHistory().add_user("What is the weather in Paris?")


class Model:
    """An object of an SDK: attributes, and a way to a mapping."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._given = data
        for key, value in data.items():
            setattr(self, key, as_object(value))

    def model_dump(self, **_: object) -> Mapping[str, Any]:
        return self._given


def as_object(value: Any) -> Any:
    """Give a mapping as an object with attributes, as SDKs do."""
    if isinstance(value, Mapping):
        return Model(value)
    return [as_object(item) for item in value] if isinstance(value, list) else value


def told_so_far(events: list[dict[str, Any]], keys: tuple[str, ...]) -> str:
    """Give the words of all deltas, by looking for them in a way of its own."""
    found: list[str] = []

    def look(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, Mapping):
            for key, item in value.items():
                look(item, (*path, str(key)))
        elif isinstance(value, list):
            for item in value:
                look(item, path)
        elif isinstance(value, str) and any(path[-len(key.split(".")) :] == tuple(key.split(".")) for key in keys):
            found.append(value)

    for event in events:
        kind = event.get("type", "")
        if not kind or kind.endswith("delta"):
            look(event, ())
    return "".join(found)


WORDS = {
    "anthropic": ("delta.text",),
    "openai_chat": ("delta.content", "delta.refusal"),
    "mistral": ("delta.content", "content.text"),
    "gemini": ("parts.text",),
    "bedrock": ("delta.text",),
}


TEXTS = ("response.output_text.delta", "response.refusal.delta")


def words_of(stream: Stream, count: int) -> str:
    events = stream.events[:count]
    if stream.dialect.name == "openai_responses":
        return "".join(event["delta"] for event in events if event["type"] in TEXTS)
    if stream.dialect.name == "gemini":
        parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
        return "".join(part.get("text", "") for part in parts if not part.get("thought"))
    return told_so_far(events, WORDS[stream.dialect.name])


def fed(stream: Stream, count: int, sent: MessageHistory = SENT) -> Accumulator:
    reply = Accumulator(stream.dialect, sent)
    for event in stream.events[:count]:
        reply.feed(event)
    return reply


@every_stream
def test_a_finished_stream_is_the_response(stream: Stream) -> None:
    reply = fed(stream, len(stream.events))
    assert reply.finished
    if stream.response is not None:
        whole = SENT.add_response(stream.response, dialect=stream.dialect)
        assert reply.history_so_far == whole
        assert reply.history_so_far.repairs == whole.repairs
        assert [message.replies for message in reply.history_so_far] == [message.replies for message in whole]
        assert reply.history_so_far.export(stream.dialect) == whole.export(stream.dialect)
        assistant = whole[-1] if whole[-1].role == "assistant" else None
        assert reply.message == assistant


@every_stream
def test_a_finished_stream_that_was_cut_holds_no_half_call(stream: Stream) -> None:
    history = fed(stream, len(stream.events)).history_so_far
    assert all(call.readable for call in history.awaiting)
    if stream.response is None:
        assert any(repair.code is RepairCode.INCOMPLETE_CALL_DROPPED for repair in history.repairs)


@every_stream
def test_a_stream_cut_after_any_event_leaves_a_valid_history(stream: Stream) -> None:
    calls_before: list[str] = []
    whole = [(call.name, call.input) for call in fed(stream, len(stream.events)).history_so_far.awaiting]
    for count in range(len(stream.events) + 1):
        reply = fed(stream, count)
        history = reply.history_so_far
        text = "".join(
            block.text for message in history[1:] for block in message.content if isinstance(block, TextBlock)
        )
        assert text == words_of(stream, count)
        calls = [call.id for call in history.awaiting]
        assert calls[: len(calls_before)] == calls_before
        assert [(call.name, call.input) for call in history.awaiting] == whole[: len(calls)]
        calls_before = calls
        assert reply.history_so_far == history  # asking changes nothing
        assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
        assert not check(history.to_list(), Native())
        for after in (history, history.add_user("Go on."), answered(history), answered(history).add_user("And?")):
            assert not check(after.for_send(stream.dialect), stream.dialect)
        sent = SENT.for_send(stream.dialect)
        assert history.for_send(stream.dialect)[: len(sent)] == sent


def answered(history: MessageHistory) -> MessageHistory:
    for call in history.awaiting:
        history = history.add_tool_result(call, "sunny")
    return history


@every_stream
def test_what_came_meanwhile_follows_a_stream_that_was_cut(stream: Stream) -> None:
    for count in range(len(stream.events) + 1):
        reply = fed(stream, count)
        history = reply.added_to(SENT.add_user("No, in Rome."))
        if len(reply.history_so_far) == len(SENT):
            assert history[0].text == "What is the weather in Paris?\nNo, in Rome."
        else:
            assert history[:2] == reply.history_so_far[:2]
            assert history[2].text.endswith("No, in Rome.")
        assert not check(history.for_send(stream.dialect), stream.dialect)


@every_stream
def test_objects_say_the_same_as_dicts(stream: Stream) -> None:
    reply = Accumulator(stream.dialect, SENT)
    for event in stream.events:
        reply.feed(as_object(event))
    assert reply.history_so_far == fed(stream, len(stream.events)).history_so_far


def test_a_call_that_is_complete_stays_when_the_stream_is_cut() -> None:
    (stream,) = [each for each in STREAMS if each.name == "anthropic tool_use 5"]
    stops = [n for n, event in enumerate(stream.events, 1) if event["type"] == "content_block_stop"]
    assert [len(fed(stream, stop).history_so_far.awaiting) for stop in stops] == [0, 0, 0, 1, 2]
    half = fed(stream, stops[3] - 1).history_so_far
    assert half.awaiting == ()
    assert RepairCode.INCOMPLETE_CALL_DROPPED in {repair.code for repair in half.repairs}


def test_a_custom_call_is_complete_when_its_input_is() -> None:
    (stream,) = [each for each in STREAMS if each.name == "responses custom call"]
    kinds = [event["type"] for event in stream.events]
    done = kinds.index("response.custom_tool_call_input.done")
    assert len(fed(stream, done).history_so_far.awaiting) == 0
    assert len(fed(stream, done + 1).history_so_far.awaiting) == 1


def test_calls_that_were_sent_open_have_stubs_before_the_reply() -> None:
    asked = SENT.add_assistant(ToolUseBlock("toolu_1", "now", {}))
    (stream,) = [each for each in STREAMS if each.name == "anthropic end_turn 1"]
    reply = fed(stream, len(stream.events), asked)
    assert [message.role for message in reply.history_so_far] == ["user", "assistant"] * 2
    assert reply.message == reply.history_so_far[-1]
    assert fed(stream, 1, asked).history_so_far == asked.as_sent()


def test_half_a_server_tool_is_left_out() -> None:
    (stream,) = [each for each in STREAMS if each.name == "anthropic end_turn 4"]
    kinds = []
    for count in range(len(stream.events) + 1):
        message = fed(stream, count).message
        blocks = message.content if message is not None else ()
        kinds.append([block.type for block in blocks if isinstance(block, ProviderBlock)])
    assert [kind for kind, _ in groupby(kinds)] == [
        [],
        ["server_tool_use"],
        ["server_tool_use", "web_search_tool_result"],
    ]


def test_half_a_server_tool_is_told_of() -> None:
    (stream,) = [each for each in STREAMS if each.name == "anthropic max_tokens 3"]
    for count in (len(stream.events) - 3, len(stream.events)):  # before the block has ended, and at the end
        repair = fed(stream, count).history_so_far.repairs[-1]
        assert repair.code is RepairCode.INCOMPLETE_CALL_DROPPED
        assert repair.detail == "call 'srvtoolu_01' of 'web_search'"
        assert isinstance(repair.removed[0], ProviderBlock)
        assert repair.removed[0].data["input"] == '{"query": "w'


# Streams that are not as the providers describe them


def anthropic(*events: dict[str, Any]) -> MessageHistory:
    """Feed the events of Anthropic's stream behind its first."""
    reply = Accumulator(Anthropic(), SENT)
    empty = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "usage": {}}
    for event in ({"type": "message_start", "message": empty}, *events):
        reply.feed(event)
    return reply.history_so_far


def started(id: str, **at: int) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id, "name": "weather", "input": {}}
    return {"type": "content_block_start", "content_block": block, **at}


def typing(text: str, **at: int) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": text}, **at}


def stopped(**at: int) -> dict[str, Any]:
    return {"type": "content_block_stop", **at}


def ended(stop_reason: str | None = "tool_use") -> list[dict[str, Any]]:
    return [{"type": "message_delta", "delta": {"stop_reason": stop_reason}}, {"type": "message_stop"}]


def converse(*events: dict[str, Any]) -> MessageHistory:
    """Feed the events of Bedrock's stream."""
    reply = Accumulator(Bedrock(), SENT)
    for event in events:
        reply.feed(event)
    return reply.history_so_far


def converse_call(id: str, text: str, at: int | None = 0) -> list[dict[str, Any]]:
    index = {} if at is None else {"contentBlockIndex": at}
    return [
        {"contentBlockStart": {**index, "start": {"toolUse": {"toolUseId": id, "name": "weather"}}}},
        {"contentBlockDelta": {**index, "delta": {"toolUse": {"input": text}}}},
    ]


WHOLE, HALF = '{"city": "Paris"}', '{"city": "Par'


def asked(history: MessageHistory) -> list[tuple[str, Mapping[str, Any]]]:
    return [(call.id, call.input) for call in history.awaiting]


def dropped(history: MessageHistory) -> list[object]:
    found = [repair for repair in history.repairs if repair.code is RepairCode.INCOMPLETE_CALL_DROPPED]
    return [repair.removed[0].id for repair in found if isinstance(repair.removed[0], ToolUseBlock)]


@pytest.mark.parametrize("stop_reason", ["tool_use", "end_turn", "max_tokens", None])
def test_a_block_that_is_not_assistant_to_end_ends_with_the_message(stop_reason: str | None) -> None:
    whole = anthropic(started("a", index=0), typing(WHOLE, index=0), *ended(stop_reason))
    half = anthropic(started("a", index=0), typing(HALF, index=0), *ended(stop_reason))
    assert asked(whole) == ([("a", {"city": "Paris"})] if stop_reason != "max_tokens" else [])
    assert (asked(half), dropped(half)) == ([], ["a"])
    end = {"messageStop": {"stopReason": stop_reason}}
    assert asked(converse(*converse_call("a", WHOLE), end)) == asked(whole)
    half = converse(*converse_call("a", HALF), end)
    assert (asked(half), dropped(half)) == ([], ["a"])


def test_half_a_call_takes_no_call_behind_it_along() -> None:
    blocks = [started("a", index=0), typing(HALF, index=0), started("b", index=1), typing(WHOLE, index=1)]
    for rest in ([], ended()):
        history = anthropic(*blocks, stopped(index=1), *rest)
        assert (asked(history), dropped(history)) == ([("b", {"city": "Paris"})], ["a"])
    stop = {"contentBlockStop": {"contentBlockIndex": 1}}
    history = converse(*converse_call("a", HALF), *converse_call("b", WHOLE, 1), stop)
    assert (asked(history), dropped(history)) == ([("b", {"city": "Paris"})], ["a"])


def test_a_block_that_starts_again_has_no_input_of_before() -> None:
    again = [started("a", index=0), typing(WHOLE, index=0)] * 2
    assert asked(anthropic(*again, stopped(index=0), *ended())) == [("a", {"city": "Paris"})]
    assert asked(anthropic(*again[:2], stopped(index=0), *again[2:])) == []
    end = {"contentBlockStop": {"contentBlockIndex": 0}}, {"messageStop": {"stopReason": "tool_use"}}
    assert asked(converse(*converse_call("a", WHOLE) * 2, *end)) == [("a", {"city": "Paris"})]


def test_an_event_without_an_index_is_about_the_last_block() -> None:
    history = anthropic(
        *(started("a"), typing(WHOLE), stopped()),
        *(started("b", index=1), typing('{"city": ', index=1), typing('"Rome"}'), stopped()),
        *(started("c"), typing(WHOLE), stopped(), *ended()),
    )
    assert asked(history) == [("a", {"city": "Paris"}), ("b", {"city": "Rome"}), ("c", {"city": "Paris"})]
    end = {"messageStop": {"stopReason": "tool_use"}}
    history = converse(
        *converse_call("a", WHOLE, None), *converse_call("b", WHOLE, 1), *converse_call("c", WHOLE, None), end
    )
    assert [id for id, _ in asked(history)] == ["a", "b", "c"]
    reply = Accumulator(OpenAIResponses(), SENT)
    for event in (
        {"type": "response.output_item.added", "item": {"type": "message", "role": "assistant", "content": []}},
        {"type": "response.output_text.delta", "content_index": 0, "delta": "Hel"},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "lo"},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "role": "assistant"}},
        {"type": "response.output_text.delta", "content_index": 0, "delta": "you"},
    ):
        reply.feed(event)
    assert reply.history_so_far[-1].text == "Hello\nyou"


def test_thinking_gets_its_signature_when_it_comes() -> None:
    (stream,) = [each for each in STREAMS if each.name == "anthropic tool_use 5"]
    seen = []
    for count in range(len(stream.events)):
        message = fed(stream, count).message
        first = message.content[0] if message is not None else None
        if isinstance(first, ThinkingBlock):
            seen.append((first.thinking, first.signature))
    assert seen[0] == ("They ", None) or seen[0] == ("They ", "")
    assert ("They ask for two cities.", "c2lnbmF0dXJl") in seen


def test_a_character_that_comes_in_two_halves_is_whole() -> None:
    halves, whole, lone = ("hi \ud83d", "\ude00!"), "hi \U0001f600!", ("a\ude00", "\ud83d b")
    for pieces, text in ((halves, whole), (lone, "".join(lone))):
        events = [{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
        events += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": each}}
            for each in pieces
        ]
        assert anthropic(*events, stopped(index=0), *ended("end_turn"))[-1].text == text
        raw = [typing(each, index=0) for each in ('{"a": "', *pieces, '"}')]
        assert asked(anthropic(started("1", index=0), *raw, stopped(index=0), *ended()))[0][1] == {"a": text}
        assert chat(*[[piece("f", each, id="1")] for each in ('{"a": "', *pieces, '"}')]) == [("f", {"a": text})]
        streamed = [{"jsonPath": "$.a", "stringValue": each, "willContinue": True} for each in pieces]
        gemini = Accumulator(Gemini(), SENT)
        gemini.feed({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "willContinue": True}}]}}]})
        for part in [*({"partialArgs": [each], "willContinue": True} for each in streamed), {}]:
            gemini.feed({"candidates": [{"content": {"parts": [{"functionCall": part}]}}]})
        assert gemini.history_so_far.awaiting[0].input == {"a": text}


def test_a_path_into_a_text_of_an_argument_takes_its_place() -> None:
    gemini = Accumulator(Gemini(), SENT)
    paths = [("$.a", "x"), ("$.a", "y"), ("$.a[1]", "z")]
    pieces = [{"jsonPath": path, "stringValue": value, "willContinue": True} for path, value in paths]
    for part in ({"name": "f", "partialArgs": pieces, "willContinue": True}, {}):
        gemini.feed({"candidates": [{"content": {"parts": [{"functionCall": part}]}}]})
    assert gemini.history_so_far.awaiting[0].input == {"a": [None, "z"]}


def test_other_events_say_nothing() -> None:
    for stream in STREAMS:
        reply = Accumulator(stream.dialect, SENT)
        for event in ({"type": "ping"}, {"type": "error", "error": {}}, {}, None, "text", 3, {"type": "response.new"}):
            reply.feed(event)
        assert reply.response is None
        assert reply.message is None
        assert reply.history_so_far == SENT


def test_only_the_first_choice_is_taken() -> None:
    chat, gemini = Accumulator(OpenAIChat(), SENT), Accumulator(Gemini(), SENT)
    for index, text in ((1, "w"), (0, "a"), (1, "x"), (0, "b")):
        chat.feed({"choices": [{"index": index, "delta": {"content": text}}]})
        gemini.feed({"candidates": [{"index": index, "content": {"role": "model", "parts": [{"text": text}]}}]})
    parts = [{"content": {"role": "model", "parts": [{"text": text}]}} for text in ("c", "y")]
    gemini.feed({"candidates": parts})
    assert chat.history_so_far[-1].text == "ab"
    assert gemini.history_so_far[-1].text == "abc"


TWO_CHOICES = [
    ("choices", "chat text", "chat calls"),
    ("choices", "chat calls", "chat text"),
    ("candidates", "gemini text", "gemini thoughts and calls"),
    ("candidates", "gemini a call in pieces", "gemini text"),
]


@pytest.mark.parametrize(("key", "first", "second"), TWO_CHOICES)
def test_choices_that_are_passed_over_are_told_of(key: str, first: str, second: str) -> None:
    (taken,), (other,) = ([stream for stream in STREAMS if stream.name == name] for name in (first, second))
    assert taken.response is not None
    assert other.response is not None

    def second_of(event: dict[str, Any]) -> dict[str, Any]:
        return {**event, key: [{**choice, "index": 1} for choice in event[key]]}

    reply = Accumulator(taken.dialect, SENT)
    for pair in zip_longest(map(second_of, other.events), taken.events):
        for event in filter(None, pair):
            reply.feed(event)
        assert not check(reply.history_so_far.for_send(taken.dialect), taken.dialect)
    both = {**taken.response, key: [*taken.response[key], *second_of(other.response)[key]]}
    whole = SENT.add_response(both, dialect=taken.dialect)
    assert whole == SENT.add_response(taken.response, dialect=taken.dialect)
    for history in (whole, reply.history_so_far):
        assert history == whole
        (repair,) = [repair for repair in history.repairs if repair.code is RepairCode.CHOICE_PASSED_OVER]
        assert (repair.index, repair.detail) == (1, "choice 2 of 2")
        assert repair.removed == SENT.add_response(other.response, dialect=other.dialect)[1].content


def chat(*chunks: list[dict[str, Any]], finish: str | None = "tool_calls") -> list[tuple[str, Mapping[str, Any]]]:
    """Feed pieces of calls, and give the calls."""
    reply = Accumulator(OpenAIChat(), SENT)
    for chunk in chunks:
        reply.feed({"choices": [{"index": 0, "delta": {"tool_calls": chunk}}]})
    if finish:
        reply.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return [(call.name, call.input) for call in reply.history_so_far.awaiting]


def piece(name: str | None, arguments: str, **keys: Any) -> dict[str, Any]:
    return {**keys, "function": {"arguments": arguments, **({"name": name} if name else {})}}


GET, PUT = ("get", {"a": 1}), ("put", {"a": 2})


@pytest.mark.parametrize("keys", [{}, {"index": 0}, {"id": None, "index": None}, {"id": ""}])
def test_calls_without_ids_are_distinguished_by_what_is_whole(keys: dict[str, Any]) -> None:
    get, put = piece("get", '{"a": 1}', **keys), piece("put", '{"a": 2}', **keys)
    assert chat([get, put]) == chat([get], [put]) == [GET, PUT]
    assert chat([get], [get]) == [GET, GET]
    assert chat([get], [piece("get", "", **keys)], [put]) == [GET, PUT]  # some servers repeat the name
    parts = [piece("get", '{"a":', **keys)], [piece("get", " 1}", **keys)], [piece("put", '{"a": ', **keys)]
    assert chat(*parts, [piece(None, "2}", **keys)]) == [GET, PUT]


def test_several_pieces_of_a_chunk_are_of_several_calls() -> None:
    begun = [piece("get", '{"a": '), piece("put", '{"a": ')]
    assert chat(begun, [piece(None, "1}"), piece(None, "2}")]) == [GET, PUT]
    assert chat([piece("now", ""), piece("put", '{"a": 2}')]) == [("now", {}), PUT]


def test_a_piece_finds_its_call_by_its_id_though_another_was_begun() -> None:
    begun = [piece("get", '{"a": ', id="1", index=0)], [piece("put", '{"a": ', id="2", index=0)]
    assert chat(*begun, [piece(None, "1}", id="1", index=0)], [piece(None, "2}", id="2", index=0)]) == [GET, PUT]


def test_calls_are_in_the_order_of_their_places() -> None:
    get, put = piece("get", '{"a": 1}', id="1", index=0), piece("put", '{"a": 2}', id="2", index=1)
    assert chat([put], [get]) == chat([put, get]) == chat([put], [get], finish=None) == [GET, PUT]
    begun = [piece("put", '{"a": ', id="2", index=1)], [piece("get", '{"a": ', id="1", index=0)]
    assert chat(*begun, [piece(None, "2}", index=1)], [piece(None, "1}", index=0)]) == [GET, PUT]


@pytest.mark.parametrize("places", [(1, 0, 0), (1, 0, None), (1, "0", 2)])
def test_calls_whose_places_are_not_of_one_call_each_stay_as_they_came(places: tuple[Any, ...]) -> None:
    chunks = [[piece(name, "{}", id=name, index=index)] for name, index in zip("cba", places, strict=True)]
    assert [name for name, _ in chat(*chunks)] == ["c", "b", "a"]


def test_half_a_call_before_another_is_dropped_when_a_stream_is_cut() -> None:
    assert chat([piece("get", '{"a', index=0)], [piece("put", '{"a": 2}', index=1)], finish=None) == [PUT]


@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "mistral", "openai_responses", "gemini", "bedrock"])
def test_a_long_stream_costs_what_it_is_long(name: str) -> None:
    """Joining each piece to all before it would copy some hundred gigabytes here."""
    stream = next(each for each in STREAMS if each.dialect.name == name and each.name.endswith(("text", "end_turn 1")))
    first = next(n for n in range(len(stream.events)) if fed(stream, n + 1).message is not None)
    assert words_of(stream, first + 1)
    reply = Accumulator(stream.dialect, SENT)
    for event in stream.events[:first]:
        reply.feed(event)
    longer = json.loads(json.dumps(stream.events[first]).replace(words_of(stream, first + 1), "x" * 10_000))
    for _ in range(8_000):
        reply.feed(longer)
    assert len(reply.history_so_far[-1].text) == 80_000_000


def test_a_dialect_without_a_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="no stream is known for pydantic_ai"):
        Accumulator(PydanticAI(), SENT)


def test_a_look_is_silent_and_legal_before_the_end(caplog: pytest.LogCaptureFixture) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    pieces = [{"function": {"arguments": part}, "index": 0} for part in ('{"a', '": ', "1}")]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in (call, *pieces)]
    sent = MessageHistory(policy=Policy(on_violation="raise")).add_user("q")
    stream = Accumulator(OpenAIChat(), sent)
    for chunk in chunks:
        stream.feed(chunk)
        assert stream.history_so_far.policy == sent.policy
        assert stream.message is None or len(stream.message.calls) < 2
    stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert stream.history_so_far.repairs == ()
    assert [found.id for found in stream.history_so_far.awaiting] == ["c"]
    assert caplog.records == []


def test_what_a_finished_stream_lacks_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a'}}
    stream = Accumulator(OpenAIChat(), MessageHistory().add_user("q"))
    stream.feed(
        {"choices": [{"index": 0, "delta": {"content": "Hm.", "tool_calls": [call]}, "finish_reason": "length"}]}
    )
    assert [len(stream.history_so_far) for _ in range(3)] == [2, 2, 2]
    assert len(caplog.records) == len(stream.history_so_far.repairs) > 0
