"""Results that are put into a list after it was sent go to the calls that their places say, whatever ids repeat."""

from __future__ import annotations

from itertools import count, product
from typing import Any

import pytest

from message_history import MessageHistory
from message_history.dialects import OpenAIChat

# A turn: its assistant messages with the ids of their calls, and what follows before the user: results by their ids.
TURNS: dict[str, tuple[list[str], list[str]]] = {
    "one call": (["a"], ["a"]),
    "two calls": (["ab"], ["a", "b"]),
    "two calls, answered in reverse": (["ab"], ["b", "a"]),
    "two messages, answered in reverse": (["a", "b"], ["b", "a"]),
    "the user between": (["ab"], ["a", "user", "b"]),
}


def listed(*turns: str) -> list[dict[str, Any]]:
    """Write turns of calls that are all alike, in which each result says the number of its call."""
    numbers, entries = count(), [dict[str, Any](role="user", content="q")]
    for turn in turns:
        calls, following = TURNS[turn]
        known: dict[str, int] = {}
        for ids in calls:
            known |= {id: next(numbers) for id in ids}
            made = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids]
            entries.append({"role": "assistant", "content": None, "tool_calls": made})
        for id in [*following, "user"]:
            result = {"role": "tool", "tool_call_id": id, "content": f"result {known.get(id)}"}
            entries.append(result if id in known else {"role": "user", "content": "and?"})
    return entries


@pytest.mark.parametrize("last", [[{"role": "assistant", "content": "Done."}], []], ids=["replied", "open"])
@pytest.mark.parametrize("second", TURNS)
@pytest.mark.parametrize("first", TURNS)
def test_a_result_that_is_inserted_goes_to_the_call_that_its_place_says(
    first: str, second: str, last: list[dict[str, Any]]
) -> None:
    entries = [*listed(first, second), *last]
    results = [n for n, entry in enumerate(entries) if entry["role"] == "tool"]
    for missing in product([True, False], repeat=len(results)):
        gone = {n for n, is_gone in zip(results, missing, strict=True) if is_gone}
        sent = MessageHistory().follow(
            [entry for n, entry in enumerate(entries) if n not in gone], dialect=OpenAIChat()
        )
        calls = sent.follow(entries).history.calls
        found = [call.result.text if call.result is not None else None for call in calls]
        assert found == [f"result {n}" for n in range(len(calls))], gone


def test_a_call_that_is_made_twice_in_its_turn_leaves_the_next_turn_its_own() -> None:
    question, call, result, more = listed("one call")
    done = {"role": "assistant", "content": "Done."}
    sent = MessageHistory().follow([question, call, call, more, call, more, done], dialect=OpenAIChat())
    calls = sent.follow([question, call, call, more, call, result, more, done]).history.calls
    assert [each.result.text if each.result is not None else None for each in calls] == [None, "result 0"]
