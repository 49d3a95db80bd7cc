"""Which raw entries say what a message says: the parts of a side that whole entries say, and where each is found."""

from __future__ import annotations

from collections import Counter
from inspect import signature
from itertools import combinations, product
from typing import Any

import pytest

from message_history import TextBlock
from message_history.core.messages.message import Message, make_message
from message_history.dialects import OpenAIChat
from message_history_healing import heal_list, verbatim
from message_history_healing.conversations import MemoryConversations
from message_history_healing.verbatim import _Finder, _Side, _sides

RAW: list[Any] = [{"entry": n} for n in range(6)]


def user(*texts: str) -> Message:
    return make_message("user", tuple(map(TextBlock, texts)))


def finder(still: list[Message], *sides: Message) -> _Finder:
    """Make a finder of messages in a raw list in which each entry is a side."""
    return _Finder(still, [_Side(message, n, n + 1) for n, message in enumerate(sides)], RAW)


def test_what_a_message_did_not_find_is_found_by_the_next() -> None:
    """A side behind others says the beginning of a message, and none says its end: nothing of it was found."""
    a, b = user("a"), user("b")
    first = user("b", "new")
    looking = finder([first, a], a, b, a)
    assert looking.entries_of(first) == ([], 0)
    assert looking.entries_of(a) == (RAW[:1], 1)


def test_the_beginning_of_a_message_is_found_where_it_follows() -> None:
    first, a, b = user("a", "new"), user("a"), user("b")
    looking = finder([first, b], a, b)
    assert looking.entries_of(first) == (RAW[:1], 1)
    assert looking.entries_of(b) == (RAW[1:2], 1)


def test_a_message_is_found_in_as_few_sides_as_say_it() -> None:
    whole = user("a", "b", "c")
    assert finder([whole], user("a"), user("b"), user("c"), whole).entries_of(whole) == (RAW[3:4], 3)
    assert finder([whole], user("a"), user("b", "c")).entries_of(whole) == (RAW[:2], 3)
    assert finder([whole], user("a"), user("b"), user("c")).entries_of(whole) == (RAW[:3], 3)
    assert finder([whole], user("x"), user("b")).entries_of(whole) == ([], 0)


def test_a_side_is_not_taken_over_one_that_is_still_to_come() -> None:
    a, b = user("a"), user("b")
    assert finder([b, a], a, b).entries_of(b) == ([], 0)
    assert finder([b], a, b).entries_of(b) == (RAW[1:2], 1)
    assert finder([b, a], a, b, a).entries_of(b) == (RAW[1:2], 1)
    assert finder([b, a, a], a, b, a).entries_of(b) == ([], 0)


class Parsed:
    """What a reader found in a raw list: each message with the entry that it is from."""

    def __init__(self, messages: list[Message], sources: list[int]) -> None:
        self.messages, self.sources, self.notes = messages, sources, ()


def whole_entries(roles: tuple[str, ...], sources: list[int]) -> set[tuple[int, int, int, int]]:
    """Return each stretch of messages of one role that says all that its entries say; but none of a shared side."""
    found = set()
    for first, last in combinations(range(len(roles) + 1), 2):
        inside, outside = set(sources[first:last]), {*sources[:first], *sources[last:]}
        begin = first
        while begin and roles[begin - 1] == roles[first]:
            begin -= 1
        end = last
        while end < len(roles) and roles[end] == roles[last - 1]:
            end += 1
        side, others = set(sources[begin:end]), {*sources[:begin], *sources[end:]}
        if len(set(roles[first:last])) == 1 and not inside & outside and not side & others:
            found.add((first, last, sources[first], sources[last - 1] + 1))
    return found


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_each_part_of_a_side_that_whole_entries_say_is_one(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for roles in product(("user", "assistant"), repeat=count):
        for steps in product((0, 1), repeat=count - 1):
            sources = [sum(steps[:n]) for n in range(count)]
            messages = [make_message(role, (TextBlock(f"{n}"),)) for n, role in enumerate(roles)]  # type: ignore[arg-type]
            parsed = Parsed(messages, sources)
            monkeypatch.setattr(verbatim, "read", lambda *_, parsed=parsed: parsed)
            made = Counter(_sides(RAW[: sources[-1] + 1], 0, OpenAIChat()))
            wanted = Counter(
                _Side(make_message(roles[first], tuple(TextBlock(f"{n}") for n in range(first, last))), begin, end)  # type: ignore[arg-type]
                for first, last, begin, end in whole_entries(roles, sources)
            )
            assert made == wanted, (roles, sources)


@pytest.mark.parametrize(("count", "made"), [(16, 16 * 17 // 2), (17, 1)])
def test_of_a_side_of_many_messages_only_the_whole_is_known(
    count: int, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw: list[Any] = [{"entry": n} for n in range(count)]
    parsed = Parsed([user(f"{n}") for n in range(count)], [*range(count)])
    monkeypatch.setattr(verbatim, "read", lambda *_: parsed)
    sides = _sides(raw, 0, OpenAIChat())
    assert len(sides) == made
    assert _Side(user(*(f"{n}" for n in range(count))), 0, count) in sides


@pytest.mark.parametrize("count", [16, 17])
def test_of_a_message_of_many_blocks_only_the_whole_is_looked_for(count: int) -> None:
    texts = [f"{n}" for n in range(count)]
    whole, sides = user(*texts), (user(*texts[:-1]), user(texts[-1]))
    assert finder([whole], *sides).entries_of(whole) == ((RAW[:2], 16) if count == 16 else ([], 0))
    assert finder([whole], whole).entries_of(whole) == (RAW[:1], count)


def test_memory_holds_10_000_conversations_and_half_a_gigabyte_unless_told_otherwise() -> None:
    defaults = {name: each.default for name, each in signature(MemoryConversations).parameters.items()}
    assert defaults == {"max_conversations": 10_000, "max_bytes": 536_870_912}


def test_what_the_last_reply_grew_by_follows_what_was_sent_where_its_entry_cannot_be_sent() -> None:
    asked = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]
    function = {"name": "f", "arguments": "{}"}
    grown: list[Any] = [*asked, {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}]
    sent = heal_list(asked, OpenAIChat())
    assert sent.messages == asked
    healed = heal_list(grown, OpenAIChat(), sent=sent.sent)
    assert healed.messages[:3] == asked
    (call,) = healed.messages[3]["tool_calls"]
    assert (healed.messages[3]["role"], call["function"]) == ("assistant", function)
    assert [each.get("tool_call_id") for each in healed.messages[4:]] == [call["id"]]
