"""What is kept in memory: what was sent is found again, and what is held is counted."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, Any

from message_history import MessageHistory
from message_history.core.values.log import Log
from message_history.dialects import OpenAIChat
from message_history.following.digests import EntryDigest, digest_of
from message_history_healing import MemoryConversations, Sent, Untouched, conversations
from message_history_healing.beginnings import beginnings_of
from message_history_healing.conversations import Found, goes_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest


def known(texts: Sequence[str]) -> list[EntryDigest]:
    return [digest_of({"role": "user", "content": text}) for text in texts]


def untouched(texts: Sequence[str]) -> Untouched:
    return Untouched(Log(entry.alone() for entry in known(texts)))


def followed(texts: Sequence[str]) -> Sent:
    raw = [{"role": "user", "content": text} for text in texts]
    return MessageHistory().follow(raw, dialect=OpenAIChat())


def sound(kept: MemoryConversations) -> None:
    """Assert that what is indexed is what is kept, and that its size is the sum."""
    indexed = defaultdict(list)
    for key, places in kept._places.items():
        assert places
        assert len(set(places)) == len(places)
        for place in places:
            indexed[place].append(key)
    assert indexed.keys() <= kept._kept.keys()
    for place, one in kept._kept.items():
        assert sorted(indexed[place]) == sorted(one.keys)
        assert one.whole in indexed[place]
    assert kept.held_bytes == sum(one.size for one in kept._kept.values())


def test_the_longest_list_that_was_sent_is_gone_on_with() -> None:
    """Random lists of two letters: what is found begins the list, and nothing longer that is kept does."""
    for seed in range(20):
        chance, kept = Random(seed), MemoryConversations()
        for _ in range(30):
            texts = chance.choices("ab", k=chance.randrange(1, 7))
            found = kept.find("g", known(texts))
            begins = [one.sent for one in kept._kept.values() if goes_on(one.sent, known(texts))]
            if begins and found.sent is not None:
                assert found.sent in begins
                assert len(found.sent.entries) == max(len(sent.entries) for sent in begins)
            elif found.sent is not None or begins:  # it shares a beginning, and nothing that is kept begins the list
                assert not begins
            assert (found.place is None) is (found.sent is None)
            assert list(found.keys) == list(beginnings_of("g", known(texts)))
            assert kept.find("other", known(texts)) == Found()
            before, count = found.sent, len(kept)
            kept.keep("g", untouched(texts), found if chance.random() < 0.8 else Found(), 10)
            sound(kept)
            assert len(kept) in (count, count + 1)
            again = kept.find("g", known(texts)).sent
            assert again is not None
            assert again is not before
            assert [*again.entries] == known(texts)


def test_a_list_that_grows_is_one_conversation_and_those_that_differ_are_two() -> None:
    kept = MemoryConversations()
    for texts in ("a", "ab", "abc"):
        kept.keep("g", untouched(texts), kept.find("g", known(texts)), 10)
    assert len(kept) == 1
    old, other = kept.find("g", known("abcd")), kept.find("g", known("abcx"))
    kept.keep("g", untouched("abcd"), old, 10)
    assert len(kept) == 1
    kept.keep("g", untouched("abcx"), other, 10)  # somebody else has gone on with it meanwhile
    assert len(kept) == 2
    for texts in ("abcd", "abcx"):
        found = kept.find("g", known(texts)).sent
        assert found is not None
        assert [*found.entries] == known(texts)
    sound(kept)


def test_a_list_that_was_changed_is_led_to_by_all_of_its_beginnings() -> None:
    for make, is_found in ((followed, True), (untouched, False)):
        kept = MemoryConversations()
        kept.keep("g", make("abc"), Found(), 10)
        sound(kept)
        assert (kept.find("g", known("axbc")).sent is not None) is is_found
        assert (kept.find("g", known("xabc")).sent is None) is True
        assert kept.find("g", known("abc")).sent is not None


def test_of_those_that_share_a_beginning_the_newest_is_what_a_third_is_compared_with() -> None:
    kept = MemoryConversations()
    kept.keep("g", followed("abc"), Found(), 10)
    kept.keep("g", untouched("abx"), kept.find("g", known("abx")), 10)
    sound(kept)
    found = kept.find("g", known("aby")).sent
    assert found is not None
    assert [*found.entries] == known("abx")


def test_nothing_is_kept_of_an_empty_list() -> None:
    kept = MemoryConversations()
    kept.keep("g", Untouched(), Found(), 10)
    assert (len(kept), kept.held_bytes) == (0, 0)


def test_what_was_used_last_stays_and_as_many_are_kept_as_are_allowed() -> None:
    kept = MemoryConversations(max_conversations=3)
    for texts in ("a", "b", "c"):
        kept.keep("g", untouched(texts), Found(), 10)
    kept.keep("g", untouched("ab"), kept.find("g", known("ab")), 10)
    assert len(kept) == 3
    kept.keep("g", untouched("d"), Found(), 10)
    sound(kept)
    assert [kept.find("g", known(texts)).sent is not None for texts in ("ab", "b", "c", "d")] == [
        True,
        False,
        True,
        True,
    ]


def test_what_is_held_counts_the_entries_and_the_bytes_of_what_was_changed() -> None:
    def held(make: Callable[[str], Sent], texts: str, size: int) -> int:
        kept = MemoryConversations()
        kept.keep("g", make(texts), Found(), size)
        return kept.held_bytes

    base = held(untouched, "a", 0)
    assert held(untouched, "a", 500) == base
    assert held(followed, "a", 500) == base + 500
    entry = held(untouched, "ab", 0) - base
    assert held(untouched, "abcdef", 0) == base + 5 * entry
    kept = MemoryConversations(max_bytes=2 * base)
    for texts in "abc":
        kept.keep("g", untouched(texts), Found(), 0)
        assert kept.held_bytes <= 2 * base
    assert len(kept) == 2  # as many bytes as are allowed
    grown = kept.find("g", known("c" * 50))
    kept.keep("g", untouched("c" * 50), grown, 0)
    assert len(kept) == 1  # more than that, and yet it is kept
    assert kept.held_bytes == base + 49 * entry
    sound(kept)


def test_only_some_of_many_that_begin_alike_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    real = conversations._begins

    def asked_for(sent: Any, *some: Any) -> bool:
        asked.append(sent)
        return real(sent, *some)

    monkeypatch.setattr(conversations, "_begins", asked_for)
    kept = MemoryConversations()
    for n in range(30):
        kept.keep("g", followed(["a", f"b{n}"]), Found(), 10)
    asked.clear()
    found = kept.find("g", known(["a", "x"]))
    assert found.sent is [*kept._kept.values()][-1].sent  # the newest
    assert len(asked) == 9
    asked.clear()
    for n in (25, 3):
        found = kept.find("g", known(["a", f"b{n}"]))
        assert found.sent is [*kept._kept.values()][n].sent
        assert len(asked) == 1
        asked.clear()
    nearly = kept.find("g", known(["a", "x", "b27"])).sent
    assert nearly is [*kept._kept.values()][27].sent


def test_it_goes_on_with_a_list_that_has_all_that_was_sent() -> None:
    for old, new, expected in (("ab", "abc", True), ("ab", "ab", True), ("ab", "a", False), ("ab", "xb", False)):
        assert goes_on(untouched(old), known(new)) is expected
        assert goes_on(followed(old), known(new)) is expected
    assert goes_on(followed("ab"), known("axb"))
    assert not goes_on(untouched("ab"), known("axb"))
