"""The limits, each as a number, at the last value within it and the first beyond: saved histories depend on them."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import (
    DocumentBlock,
    ImageBlock,
    MessageHistory,
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.block_base import shortened
from message_history.core.messages.message import Message, Role
from message_history.core.messages.plain import is_object_text, pack
from message_history.core.messages.repairs import in_words
from message_history.core.values.json_values import freeze, short_repr
from message_history.core.values.readable import made_readable
from message_history.windows import estimate_tokens


def nested(depth: int, inner: Any = 1) -> Any:
    """Give a value within so many lists."""
    for _ in range(depth):
        inner = [inner]
    return inner


class Raising:
    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


LARGEST = 10**4000 - 1


@pytest.mark.parametrize(
    ("within", "beyond"), [(nested(100), nested(101)), (LARGEST, LARGEST + 1), (-LARGEST, -LARGEST - 1)]
)
def test_a_value_is_frozen_as_it_is_up_to_a_limit(within: Any, beyond: Any) -> None:
    frozen, changes = freeze(within)
    assert (frozen == within, changes) == (True, ())
    frozen, changes = freeze(beyond)
    assert (frozen == beyond, len(changes)) == (False, 1)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (nested(50), nested(51)),
        ([0] * 99_999, [0] * 100_000),
        ([LARGEST], [LARGEST + 1]),
        (LARGEST, LARGEST + 1),
        (-LARGEST, -LARGEST - 1),
    ],
    ids=["depth", "items", "number in a list", "number", "negative number"],
)
def test_an_input_is_packed_up_to_a_limit(within: Any, beyond: Any) -> None:
    assert pack({"a": within}) is not None
    assert pack({"a": beyond}) is None


def test_a_text_is_an_input_up_to_a_limit() -> None:
    texts = ["[" * depth + "]" * depth for depth in (50, 51)]
    assert [is_object_text(f'{{"a": {text}}}') for text in texts] == [True, False]
    assert [is_object_text(f'{{"a": {"9" * digits}}}') for digits in (4000, 4001)] == [True, False]


def test_objects_that_raise_are_looked_for_up_to_a_depth() -> None:
    assert made_readable([nested(200, Raising())]) is not None
    assert made_readable([nested(201, Raising())]) is None


def test_a_document_says_that_it_is_a_pdf_within_its_first_bytes() -> None:
    kinds = [DocumentBlock.from_bytes(b" " * size + b"%PDF-").source["media_type"] for size in (1019, 1020)]
    assert kinds == ["application/pdf", "text/plain"]


@pytest.mark.parametrize(
    ("show", "longest", "more"),
    [
        (shortened, "x" * 24, "x" * 20 + "..."),
        (lambda text: in_words(TextBlock(text)), "x" * 80, f'"{"x" * 80}… (81 characters)"'),
        (short_repr, "x" * 78, "x...x"),
    ],
    ids=["blocks", "repairs", "errors"],
)
def test_a_text_is_shown_whole_up_to_a_length(show: Any, longest: str, more: str) -> None:
    assert longest in show(longest)
    assert more in show(f"{longest}x")
    assert len(show(longest * 9)) < len(longest) + 30


def test_of_a_deep_value_the_levels_are_shown_up_to_a_limit() -> None:
    assert [short_repr(nested(depth, 1)) for depth in (3, 4)] == ["[[[1]]]", "[[[[...]]]]"]


def test_a_text_is_cut_at_a_space_in_its_second_half() -> None:
    texts = [f"{'x' * size} {'y' * 90}" for size in (40, 41)]
    assert [in_words(TextBlock(text)).split("…")[0] for text in texts] == [
        f'text "{texts[0][:80]}',
        f'text "{"x" * 41}',
    ]


@pytest.mark.parametrize("digits", [18, 19])
def test_numbers_at_the_ends_of_ids_are_counted_up_to_a_length(digits: int) -> None:
    highest = "9" * digits
    calls = [ToolUseBlock(id, "f", {"n": n}) for n, id in enumerate(("a", "a_2", f"a_{highest}", "a"))]
    history = MessageHistory().add_user("q").add_assistant(calls)
    assert history[-1].ids[-1] == (f"a_{int(highest) + 1}" if digits == 18 else "a_3")


IMAGE = {"type": "base64", "media_type": "image/png", "data": "x" * 1000}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "x" * 1000}
TOKENS: list[tuple[Any, int]] = [
    (TextBlock("x" * 8), 4 + 2),
    (TextBlock("x" * 9), 4 + 3),
    (TextBlock("é" * 8), 4 + 4),
    (SystemBlock("x" * 8), 4 + 2),
    (ThinkingBlock("x" * 8, "c2ln"), 4 + 2),
    (ThinkingBlock("x" * 8, "c2ln", bound=False), 4 + 2),
    (RedactedThinkingBlock("x" * 8), 4 + 2),
    (ToolUseBlock("1", "ffff", {"a": 1}), 8 + 1 + 2),
    (ImageBlock(IMAGE), 1600),
    (DocumentBlock({"type": "text", "media_type": "text/plain", "data": "xx"}), 4 + 15),
    (DocumentBlock(PDF), 4 + 36),
    (ProviderBlock("d", {"a": 1}), 4 + 2),
]


@pytest.mark.parametrize(("block", "tokens"), TOKENS, ids=lambda value: type(value).__name__)
def test_a_block_is_estimated_by_its_bytes(block: Any, tokens: int) -> None:
    """A message and each of its blocks count as four, a call and a result as eight, and four bytes as one."""
    role: Role = "user" if isinstance(block, SystemBlock | ImageBlock | DocumentBlock) else "assistant"
    message = Message(role, [block])
    assert estimate_tokens(message) == 4 + tokens
    other = MessageHistory.from_list(MessageHistory().add_user("q").add(message).to_list(), open_tail="keep")
    if role == "assistant":
        assert estimate_tokens(other[-1]) == 4 + tokens
    if isinstance(block, TextBlock | ImageBlock | DocumentBlock | ProviderBlock):
        assert estimate_tokens(Message.user(ToolResultBlock("1", [block, block]))) == 4 + 8 + 2 * tokens
