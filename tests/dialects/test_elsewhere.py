"""Which lists others are asked about: those of which a dialect would lose words, or that look like another form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory, ReplyInfo
from message_history.dialects import elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

ASK: dict[str, Any] = {"role": "user", "content": "q"}
TALK: list[Any] = [ASK, {"role": "assistant", "content": "a"}]


def deep(levels: int, value: Any) -> Any:
    for _ in range(levels):
        value = [value]
    return value


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    values: list[Any] = []
    monkeypatch.setattr(elsewhere, "READERS", [values.append])
    return values


@pytest.mark.parametrize(
    "entry",
    [
        {"level": "info", "text": "words"},
        {"level": {"words": "words"}},
        {"level": ["", {"a": "words"}]},
        {"level": deep(6, "words")},
        {"level": deep(7, None)},
        {"level": {1: "words"}},
        {"role": "narrator", "level": 1},
        [ASK],
        {"role": "assistant", "content": "a", "toolCalls": []},
        {"role": "assistant", "parts": [{"text": "a"}, {"type": "text", "text": "a"}]},
    ],
    ids=str,
)
def test_others_are_asked_about_a_list_with_words_that_no_dialect_reads(entry: Any, asked: list[Any]) -> None:
    MessageHistory.from_list([*TALK, entry])
    assert len(asked) == 1
    assert asked[0][:2] == TALK


@pytest.mark.parametrize(
    "entry",
    [
        ASK,
        {"level": ""},
        {"level": " \n"},
        {"level": {"type": "words"}},
        {"level": deep(6, None)},
        {"level": [3, True, 0.5, None]},
        {"type": "info", "id": "1", "timestamp": "now", "model": "m", "name": "n", "status": "s", "index": "1"},
        {"role": "user", "content": " "},
        [],
        {"role": "user", "parts": [{"text": "a"}]},
    ],
    ids=str,
)
def test_nobody_is_asked_about_a_list_of_which_no_words_are_lost(entry: Any, asked: list[Any]) -> None:
    MessageHistory.from_list([*TALK, entry])
    assert asked == []


PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


def chat(kind: str) -> list[Any]:
    return [{"role": "user", "content": [PICTURE, {"type": kind, kind: {}}]}]


def bedrock(kind: str) -> list[Any]:
    return [{"role": "user", "content": [{"text": "q"}, {kind: {}}]}]


def responses(kind: str) -> list[Any]:
    return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}, {"type": kind}]


@pytest.mark.parametrize(
    ("made", "kind"), [(chat, "input_audio"), (bedrock, "guardContent"), (responses, "web_search_call")]
)
def test_others_are_asked_about_a_kind_of_block_that_the_dialect_of_the_list_has_not(
    made: Callable[[str], list[Any]], kind: str, asked: list[Any]
) -> None:
    MessageHistory.from_list(made(kind))
    assert asked == []
    MessageHistory.from_list(made("strange"))
    assert asked == [made("strange")]


def test_what_providers_said_of_replies_goes_to_the_messages_of_the_assistant(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [(place, ReplyInfo(id=f"r{place}")) for place in range(-1, 2)]
    found = elsewhere.Found(TALK, (0, 1), None, replies)
    monkeypatch.setattr(elsewhere, "READERS", [lambda _: found])
    history = MessageHistory.from_list([{"level": "words"}, {"level": "words"}])
    assert [[reply.id for reply in message.replies] for message in history] == [[], ["r1"]]
