"""Events with values of another type than the provider's are taken as far as they can be read; none stops a stream."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest

from message_history import Message, MessageHistory, check
from message_history.dialects import Anthropic, Native, OpenAIChat, OpenAIResponses
from message_history.streaming import Accumulator
from tests.replies.odd_streams import ODD_STREAMS
from tests.replies.streams import STREAMS, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.dialects import Dialect

SENT: Final = MessageHistory().add_user("What is the weather in Paris?")
ODD: Final[tuple[Any, ...]] = (
    None,
    -1,
    5,
    1.5,
    True,
    "",
    "x",
    [],
    ["x"],
    {},
    {"type": "text", "text": "x"},
    [None],
    [{}],
    10**9,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def with_odd_values(stream: Stream, chance: Random) -> list[Any]:
    """Return the events with one or two values replaced by others of any type."""
    events = deepcopy(stream.events)
    for _ in range(chance.randint(1, 2)):
        holder: Any = events
        number = chance.randrange(len(events))
        path = (number, *chance.choice(list(places(events[number]))))
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = chance.choice(ODD)
    return list(events)


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_no_value_in_an_event_stops_a_stream(stream: Stream) -> None:
    chance = Random(stream.name)
    for _ in range(15):
        reply = Accumulator(stream.dialect, SENT)
        for event in with_odd_values(stream, chance):
            reply.feed(event)
        history = reply.history_so_far
        assert history[0].content[0] == SENT[0].content[0]
        assert check(history.to_list(), Native()) == []


@pytest.mark.parametrize(("name", "dialect", "events"), ODD_STREAMS, ids=[name for name, _, _ in ODD_STREAMS])
def test_events_that_were_fed_are_as_they_came(name: str, dialect: Dialect[Any], events: list[Any]) -> None:
    before = deepcopy(events)
    reply = Accumulator(dialect, SENT)
    for event in events:
        reply.feed(event)
    assert reply.history_so_far
    assert events == before, name


def fed(dialect: Dialect[Any], *events: dict[str, Any]) -> MessageHistory:
    reply = Accumulator(dialect, SENT)
    for event in events:
        reply.feed(event)
    return reply.history_so_far


@pytest.mark.parametrize("place", [10**9, -1, "x", [0], 1.5, None])
def test_a_place_that_cannot_be_one_is_that_of_the_last_part(place: object) -> None:
    item = {"type": "message", "role": "assistant", "content": []}
    text = {"type": "response.output_text.delta", "output_index": 0}
    history = fed(
        OpenAIResponses(),
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {**text, "content_index": 0, "delta": "Hel"},
        {**text, "content_index": place, "delta": "lo"},
    )
    assert history[-1].text == "Hello"


@pytest.mark.parametrize("odd", [5, ["x"], {"x": 1}])
def test_a_piece_that_is_no_text_is_passed_over(odd: object) -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "1", "name": "f"}}
    deltas: list[object] = ['{"city": ', odd, '"Paris"}']
    pieces = [{"type": "input_json_delta", "partial_json": delta} for delta in deltas]
    more = [{"type": "content_block_delta", "index": 0, "delta": piece} for piece in [*pieces, {"type": odd}]]
    stop = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}
    message = {"type": "message_start", "message": {"id": "m", "type": odd, "role": "assistant", "content": odd}}
    history = fed(Anthropic(), message, start, *more, {"type": "content_block_stop", "index": 0}, *stop)
    assert [call.input for call in history.awaiting] == [{"city": "Paris"}]
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": odd}}
    history = fed(OpenAIChat(), {"choices": [{"index": 0, "delta": {"content": "Hi", "tool_calls": [call]}}]})
    assert history[-1].text == "Hi"


ODD_ROLES = [7, None, "", "ai", ["assistant"], {"assistant": 1}]


@pytest.mark.parametrize("role", ODD_ROLES, ids=repr)
def test_a_streamed_reply_is_the_assistant_s_whatever_stands_for_its_role(role: object) -> None:
    history = fed(OpenAIChat(), {"choices": [{"index": 0, "delta": {"role": role, "content": "Hi"}}]})
    assert history[:-1] == SENT[:]
    assert history[-1] == Message.assistant("Hi")
    item = {"type": "message", "role": role, "content": [{"type": "output_text", "text": "Hi"}]}
    history = fed(OpenAIResponses(), {"type": "response.output_item.done", "output_index": 0, "item": item})
    assert history[:-1] == SENT[:]
    assert history[-1] == Message.assistant("Hi")


@pytest.mark.parametrize("role", ODD_ROLES, ids=repr)
def test_a_whole_reply_is_the_assistant_s_whatever_stands_for_its_role(role: object) -> None:
    text = {"type": "output_text", "text": "Hi"}
    responses: list[dict[str, Any]] = [
        {"choices": [{"message": {"role": role, "content": "Hi"}}]},
        {"output": {"message": {"role": role, "content": [{"text": "Hi"}]}}, "stopReason": "end_turn"},
        {"object": "response", "output": [{"type": "message", "role": role, "content": [text]}]},
        {"candidates": [{"content": {"role": role, "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]},
    ]
    for response in responses:
        history = SENT.add_response(response)
        assert history[:-1] == SENT[:]
        assert history[-1] == Message.assistant("Hi")
        assert not history.repairs


def test_the_message_of_a_choice_stays_that_of_the_role_it_names() -> None:
    history = SENT.add_response({"choices": [{"message": {"role": "user", "content": "And?"}}]})
    assert history[-1].role == "user"
