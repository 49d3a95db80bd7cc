"""Every short conversation, sent as it grows: what is healed is valid, and what needed no repair is sent as it came."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.following.prefixes import begins_with

from message_history import check
from message_history.dialects import Anthropic, Dialect, OpenAIChat, OpenAIResponses
from message_history_healing import API, HealedList, Sent, heal_list, heal_request

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
OUTPUT = {"type": "tool_result", "tool_use_id": "t", "content": "r"}
ALPHABETS: dict[Dialect[Any], list[dict[str, Any]]] = {
    OpenAIChat(): [
        {"role": "user", "content": "a", "ours": 1},
        {"role": "user", "content": "", "ours": 1},
        {"role": "assistant", "content": "b", "ours": 1},
        {
            "role": "assistant",
            "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            "ours": 1,
        },
        {"role": "tool", "tool_call_id": "t", "content": "r", "ours": 1},
        {"role": "system", "content": "s", "ours": 1},
    ],
    Anthropic.for_model("claude-opus-4-1"): [
        {"role": "user", "content": [TEXT]},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "b"},
        {"role": "assistant", "content": [{**TEXT, "text": "b"}, USE]},
        {"role": "user", "content": [OUTPUT]},
        {"role": "user", "content": [{**OUTPUT, "content": [TEXT]}, TEXT]},
    ],
    OpenAIResponses(): [
        {"role": "user", "content": "a"},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "b"},
        {"type": "function_call", "call_id": "t", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t", "output": "r"},
        {"role": "developer", "content": "s"},
    ],
}


def conversations(alphabet: list[dict[str, Any]], length: int) -> Iterator[list[dict[str, Any]]]:
    for letters in product(range(len(alphabet)), repeat=length):
        if not letters[0]:  # of those that begin otherwise, the shorter ones
            yield [dict(alphabet[letter]) for letter in letters]
    for letters in product(range(len(alphabet)), repeat=2):
        yield [dict(alphabet[letter]) for letter in letters]


def is_users(entry: dict[str, Any]) -> bool:
    return entry.get("role", "user") != "assistant" and entry.get("type") != "function_call"


def lawful(raw: list[dict[str, Any]], dialect: Dialect[Any], healed: HealedList[Any]) -> None:
    """Assert what holds of every list."""
    assert healed.violations == tuple(check(raw, dialect))
    assert healed.is_healed is (healed.messages is not raw)
    if not healed.is_healed:
        assert not healed.repairs
        assert healed.unhealed == healed.violations
        return
    assert healed.messages != raw
    assert healed.unhealed == tuple(check(healed.messages, dialect))
    assert {violation.rule for violation in healed.unhealed} <= {"AN-K1"}  # as many marks as came
    assert set(map(id, healed.new_repairs)) <= set(map(id, healed.repairs)) or healed.new_repairs == healed.repairs
    marks, sent = (json.dumps(each).count('"cache_control"') for each in (raw, healed.messages))
    assert sent <= marks


def untouched(raw: list[dict[str, Any]], healed: HealedList[Any]) -> int:
    """Count the entries up to the side before the first one that a repair is about: two may have become one."""
    first = min(repair.source for repair in healed.repairs if repair.source is not None)
    starts = [0, *(n for n in range(1, first + 1) if is_users(raw[n]) != is_users(raw[n - 1]))]
    return starts[-2] if len(starts) > 1 else 0


NEAR = {"blank_text_dropped", "orphan_result_dropped", "result_stubbed", "continuation_added"}
"""What is done about one side, and changes no other one."""


@pytest.mark.parametrize("dialect", ALPHABETS, ids=lambda dialect: dialect.name)
def test_every_short_conversation(dialect: Dialect[Any]) -> None:
    count = 0
    for raw in conversations(ALPHABETS[dialect], 4):
        healed = heal_list(raw, dialect)
        lawful(raw, dialect, healed)
        if healed.is_healed and healed.repairs and {repair.code for repair in healed.repairs} <= NEAR:
            end = untouched(raw, healed) if str(raw).count("'t'") < 3 else 0  # one call and its result
            assert healed.messages[:end] == raw[:end], raw
            count += 1
    assert count > 60


def assert_kept(raw: list[dict[str, Any]], dialect: Dialect[Any]) -> None:
    """Assert that what is sent of a list stays as it is while the list grows."""
    sent: Sent | None = None
    wire: list[Any] = []
    for end in range(1, len(raw) + 1):
        healed = heal_list(raw[:end], dialect, sent=sent)
        if healed.unhealed:
            break
        assert begins_with(healed.messages, wire), raw
        sent, wire = healed.sent, healed.messages


@pytest.mark.parametrize("dialect", ALPHABETS, ids=lambda dialect: dialect.name)
def test_every_short_conversation_that_grows(dialect: Dialect[Any]) -> None:
    for raw in conversations(ALPHABETS[dialect], 3):
        if raw[0].get("type") == "function_call_output":
            continue  # alone it goes on from a response that the server has kept, and with the user's words it does not
        assert_kept(raw, dialect)


@pytest.mark.parametrize("dialect", ALPHABETS, ids=lambda dialect: dialect.name)
def test_what_a_stub_parts_is_sent_as_it_came_while_the_list_grows(dialect: Dialect[Any]) -> None:
    user, blank, reply, call, *_ = ALPHABETS[dialect]
    for rest in product((user, blank, reply, call), repeat=2):
        assert_kept([call, reply, *rest], dialect)
        assert_kept([user, call, call, *rest], dialect)


@pytest.mark.heavy
@pytest.mark.parametrize("dialect", ALPHABETS, ids=lambda dialect: dialect.name)
def test_every_conversation_of_four_entries_that_grows(dialect: Dialect[Any]) -> None:
    for raw in product(ALPHABETS[dialect], repeat=4):
        marks = json.dumps(raw).count('"cache_control"')
        if raw[0].get("type") != "function_call_output" and marks <= 4:  # of more, the oldest go
            assert_kept([dict(entry) for entry in raw], dialect)


def item(kind: str, n: int) -> dict[str, Any]:
    """Make an item of the Responses API that comes at a place; an output is for the call before it."""
    if kind == "user":
        return {"role": "user", "content": f"q{n}"}
    if kind == "output":
        return {"type": "function_call_output", "call_id": f"call_{n - 1}", "output": "r"}
    if kind == "call":
        return {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "f", "arguments": "{}"}
    text = {"type": "output_text", "text": f"a{n}", "annotations": []}
    return {"type": "message", "role": "assistant", "id": f"msg_{n}", "status": "completed", "content": [text]}


def test_items_that_were_sent_with_ids_stay_while_the_list_grows() -> None:
    for kinds in product(("user", "call", "output", "message"), repeat=3):
        raw = [item(kind, n) for n, kind in enumerate(("user", *kinds))]
        assert_kept(raw, OpenAIResponses())


def test_a_message_is_not_taken_for_one_that_follows_what_is_between() -> None:
    dialect = Anthropic.for_model("claude-opus-4-1")
    user, _, reply, call, _, late = ALPHABETS[dialect]
    for rest in product((user, reply, call), repeat=3):
        assert_kept([late, *rest], dialect)


def test_what_went_as_it_came_and_does_not_any_more_is_recorded() -> None:
    result = {"type": "function_call_output", "call_id": "t", "output": "r"}
    first = heal_list([result], OpenAIResponses())
    assert not first.is_healed
    second = heal_list([result, {"role": "user", "content": "a"}], OpenAIResponses(), sent=first.sent)
    assert second.messages == [{"role": "user", "content": "a"}]
    assert [repair.code for repair in second.repairs] == ["orphan_result_dropped"]
    assert second.new_repairs == second.repairs


STORED = {"input": [{"role": "user", "content": "q"}], "model": "gpt-5"}


def test_what_a_request_says_of_storage_holds_where_no_dialect_is_passed() -> None:
    for store in (True, False):
        assert heal_request({**STORED, "store": store}, api="openai_responses").dialect.store is store  # type: ignore[attr-defined]
        passed = OpenAIResponses(store=not store)
        assert heal_request({**STORED, "store": store}, api="openai_responses", dialect=passed).dialect is passed
    assert heal_request({**STORED, "store": 1}, api="openai_responses").dialect == OpenAIResponses.for_model("gpt-5")
    assert "store" not in str(heal_request({"messages": [], "store": True}, api="openai_chat").dialect)


def test_a_list_that_goes_on_is_known_for_one_unless_the_dialect_says_otherwise() -> None:
    kept = {**STORED, "previous_response_id": "resp_1"}
    for passed, expected in ((None, True), (OpenAIResponses(), True), (OpenAIResponses(continues=False), False)):
        dialect: Any = heal_request(kept, api="openai_responses", dialect=passed).dialect
        assert dialect.continues is expected
    whole: Any = heal_request(STORED, api="openai_responses").dialect
    assert whole.continues is None
    chat = {"messages": ALPHABETS[OpenAIChat()][2:4], "conversation": "x"}
    apis: tuple[API, ...] = ("openai_chat", "anthropic", "mistral")
    for api in apis:
        assert heal_request(chat, api=api).body is chat


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_of_each_kind_are_read_and_written(kind: type[bytes | bytearray]) -> None:
    broken = {"messages": [*ALPHABETS[OpenAIChat()][:1], ALPHABETS[OpenAIChat()][3], {"role": "user", "content": "?"}]}
    healed = heal_request(kind(json.dumps(broken).encode()), api="openai_chat")
    assert json.loads(healed.body) == heal_request(broken, api="openai_chat").body
    assert isinstance(healed.body, bytes)
    sound = kind(json.dumps({"messages": broken["messages"][:1]}).encode())
    assert heal_request(sound, api="openai_chat").body is sound


def test_a_repair_is_new_once() -> None:
    raw = [*ALPHABETS[OpenAIChat()][:1], ALPHABETS[OpenAIChat()][3], {"role": "user", "content": "?"}]
    first = heal_list(raw, OpenAIChat())
    assert first.new_repairs == first.repairs != ()
    second = heal_list([*raw, {"role": "assistant", "content": "b"}], OpenAIChat(), sent=first.sent)
    assert (second.new_repairs, [repair.code for repair in second.repairs]) == ((), ["result_stubbed"])
    third = heal_list(
        [*raw, {"role": "assistant", "content": "b"}, {"role": "user", "content": ""}], OpenAIChat(), sent=second.sent
    )
    assert [repair.code for repair in third.new_repairs] == ["blank_text_dropped", "continuation_added"]
