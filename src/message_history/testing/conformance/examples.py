"""What the laws are tried on: fixed examples, and more that Hypothesis draws where it is installed."""

from __future__ import annotations

import copy
import json
from functools import cache
from importlib.util import find_spec
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.messages.message import Message
from message_history.core.values.json_values import thaw
from message_history.core.values.meta import Meta
from message_history.dialects.native.render import block_to_json
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from message_history.core.messages.repairs import Repair

T = TypeVar("T")
Path: TypeAlias = tuple[str | int, ...]

PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE: Final = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
DOCUMENT: Final = DocumentBlock({"type": "text", "media_type": "text/plain", "data": "some text"}, "a.txt")
SEARCH: Final = {"type": "server_tool_use", "id": "srvtoolu_x", "name": "web_search", "input": {"query": "q"}}
ODD_VALUES: Final[tuple[Any, ...]] = (None, 3, True, "x", [], {}, [None], [[]], {"type": {}}, {"type": "text"})
ODD_CALLS: Final[tuple[tuple[str, str, Any], ...]] = (
    ("", "a b", None),
    ("x" * 70, "x" * 80, {"a": "\ud83d"}),
    ("1", "f", {"n": 1}),
    ("1", "", {}),
)


def _grown(*content: str | list[Block] | Message, system: str | None = None) -> MessageHistory:
    """Add messages, the user's and the assistant's in turn."""
    history = MessageHistory() if system is None else MessageHistory().with_system(system)
    for n, each in enumerate(content):
        made = each if isinstance(each, Message) else (Message.user, Message.assistant)[n % 2](each)
        history = history.add(made)
    return history


@cache
def sound_histories() -> tuple[MessageHistory, ...]:
    """Return histories with every kind of block; the first is of a call, answered, and of plain words."""
    return (
        _grown("q", [TextBlock("look"), ToolUseBlock("call00001", "f", {"a": 1})],
               [ToolResultBlock("call00001", "found")], "done", "thanks"),
        _grown("q", "a", [SystemBlock("from now on"), TextBlock("q")], "a", system="Be brief."),
        _grown("q", [ToolUseBlock("1", "f", {}), ToolUseBlock("2", "g", {"b": [1, {"c": None}]})],
               [ToolResultBlock("2", "failed", is_error=True), ToolResultBlock("1", [TextBlock("seen"), IMAGE])], "a"),
        _grown([IMAGE, DOCUMENT, TextBlock("look")], "seen",
               [ImageBlock({"type": "url", "url": "https://example.com/a.png"}), TextBlock("and this")]),
        _grown("q", [ThinkingBlock("hm", "c2ln", meta=Meta(issuer="anthropic")), TextBlock("a")], "q",
               [ThinkingBlock("well"), RedactedThinkingBlock("ZW5j"), ToolUseBlock("1", "f", {})]),
    )  # fmt: skip


@cache
def all_histories() -> tuple[MessageHistory, ...]:
    """Return those, and what the worst caller makes of a history."""
    return (
        *sound_histories(),
        MessageHistory(),
        _grown(
            "q", [ToolUseBlock(*call) for call in ODD_CALLS], [ToolResultBlock("1", None), ToolResultBlock("9", "r")]
        ),
        _grown("q", [ProviderBlock("anthropic", SEARCH), ProviderBlock("openai_chat", {}), TextBlock("a")]),
        _grown([ImageBlock({"type": "odd"})], "\n\t", "lone \ud83d surrogate", "nul \0", " ", ""),
        _grown(Message.assistant("first"), Message.assistant("again"), Message.user("q"), Message.user("and"), "a"),
    )


def try_on(law: Callable[[T], None], fixed: Iterable[T], drawn: Callable[[Any, Any], Any]) -> None:
    """Hold a law, which raises, for the fixed examples, and where Hypothesis is installed for those it draws."""
    for example in fixed:
        try:
            law(example)
        except Exception as error:
            error.add_note(f"example: {example!r:.2000}")
            raise
    if find_spec("hypothesis") is not None:
        from hypothesis import HealthCheck, settings  # noqa: PLC0415 - the suite does without
        from hypothesis import given as for_each  # noqa: PLC0415
        from hypothesis import strategies as st  # noqa: PLC0415

        from message_history.integrations import strategies  # noqa: PLC0415

        calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
        wrapped: Any = for_each(drawn(strategies, st))
        calm(wrapped(law))()


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Give every value in a list but the list itself, with its place."""
    if path:
        yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def planted(raw: Any, path: Path, value: Any) -> Any:
    made = copy.deepcopy(raw)
    held: Any = made
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    return made


def damaged(raw: list[Any]) -> Iterator[list[Any]]:
    """Give a list as it comes from disk: with entries lost, doubled, moved and cut off, and keys spoiled."""
    odd = cycle(ODD_VALUES)
    for n, entry in enumerate(raw):
        before, after = raw[:n], raw[n + 1 :]
        yield from (before, before + after, [*raw[: n + 1], *raw[n:]])
        yield from ([entry, *before, *after], [*before, *after, entry])
        yield from ([*before, next(odd), *after], [*before, {"role": "user"}, *after])
        for key in entry if isinstance(entry, dict) else ():
            yield [*before, {name: held for name, held in entry.items() if name != key}, *after]
            yield [*before, {**entry, key: next(odd)}, *after]


TOKEN: Final = "7350127735501"
_ODD: Final[tuple[Any, ...]] = (TOKEN, int(TOKEN), [TOKEN], {"odd": TOKEN})


def with_token(raw: list[Any]) -> Iterator[tuple[Path, list[Any]]]:
    for path, value in places(raw):
        if isinstance(value, dict):
            yield (*path, "another"), planted(raw, (*path, "another"), TOKEN)
        if len(path) > 1 and path[-1] not in ("type", "role"):
            yield from ((path, planted(raw, path, odd)) for odd in _ODD)


def recorded(repairs: Iterable[Repair]) -> str:
    """Write what repairs hold, and what they say."""
    items = [item for repair in repairs for item in repair.removed]
    held = [block_to_json(item) if isinstance(item, Block) else thaw(item) for item in items]
    return json.dumps([held, [repair.detail for repair in repairs]], default=repr)


def story_of(history: Iterable[Message]) -> list[tuple[str, str]]:
    """Give what a history tells, block by block, but for our own words before a list that begins in the middle."""
    found = []
    for message in history:
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                found.append(("call", block.name))
            elif isinstance(block, ToolResultBlock):
                texts = [part.text for part in block.content if isinstance(part, TextBlock)]
                found.append(("result", "".join(texts)))
            elif isinstance(block, TextBlock) and block.mark is None:
                found.append((message.role, block.text))
    return found
