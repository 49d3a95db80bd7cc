"""Hypothesis strategies: histories, messages and broken lists, to test your own agent loop with.

Strategies are made once: Hypothesis checks each new one anew, which would take most of the time.

They are nasty on purpose: blank text, lone surrogates, repeated and missing ids, calls without input, results without
calls, blocks in the wrong role, blocks of unknown providers, signed and unsigned thinking.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

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
from message_history.core.messages.policy import Policy
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic
from message_history.history import MessageHistory

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block
    from message_history.dialects import Dialect

__all__ = [
    "blocks",
    "broken_lists",
    "histories",
    "inputs",
    "json_values",
    "messages",
    "odd_entries",
    "policies",
    "texts",
]

IDS: Final = ("1", "2", "3", "call_0", "functions.f:0", "srvtoolu_x", "a b", "é" * 3, "x" * 70, "")
NAMES: Final = ("get_weather", "read_file", "run", "a b", "", "x" * 80)
ODD_TEXTS: Final = ("", " ", "\n\t", "lone \ud83d surrogate", "nul \0", "zero\u200bwidth", "{}", "Ünïcode 🎉")
CONTAINERS: Final[tuple[Any, ...]] = ([], {}, [1, 2], {"a": 1}, {"a": {"b": []}}, [{"type": "text", "text": "x"}])
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@cache
def texts() -> st.SearchStrategy[str]:
    """Generate texts: mostly words, sometimes blank, sometimes what JSON parsers choke on."""
    words = st.integers(0, 99).map(lambda number: f"text {number}")
    return st.one_of(words, words, words, st.sampled_from(ODD_TEXTS))


@cache
def json_values() -> st.SearchStrategy[Any]:
    """Generate small JSON values."""
    leaves = st.one_of(st.sampled_from((None, True, False, 0, 1, -1, 0.5, "", "a", "é", "\ud800")), texts())
    grown = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abxé"), inner, max_size=3)
        ),
        max_leaves=6,
    )
    return st.one_of(leaves, leaves, st.sampled_from(CONTAINERS).map(deepcopy), grown)


@cache
def inputs() -> st.SearchStrategy[dict[str, Any]]:
    """Generate inputs of calls."""
    return st.one_of(
        st.sampled_from(({}, {"city": "Paris"}, {"n": 1}, {"n": True}, {"path": "/a", "lines": [1, 2]})).map(deepcopy),
        st.dictionaries(st.sampled_from(("a", "b", "_raw")), json_values(), max_size=2),
    )


@cache
def ids() -> st.SearchStrategy[str]:
    """Generate ids of calls, few enough to repeat."""
    return st.sampled_from(IDS)


@cache
def _metas() -> st.SearchStrategy[Meta | None]:
    keys = st.sampled_from(("cache_control", "note", "citations"))
    marks = st.sampled_from(({"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}, None, "x"))
    extras = st.dictionaries(keys, marks, max_size=2)
    origins = st.sampled_from(("anthropic", "openai_chat", "gemini"))
    kept = st.builds(lambda origin, extra: Meta(extra=_frozen({origin: extra})), origins, extras)
    return st.one_of(st.none(), st.none(), st.none(), kept)


def _frozen(value: dict[str, Any]) -> Any:
    return ProviderBlock("", value).data


@cache
def results() -> st.SearchStrategy[ToolResultBlock]:
    """Generate results, most of them of some call."""
    content = st.one_of(
        texts(), st.none(), json_values(), st.lists(st.one_of(st.builds(TextBlock, texts()), media()), max_size=2)
    )
    return st.builds(ToolResultBlock, ids(), content, st.booleans(), meta=_metas())


@cache
def calls() -> st.SearchStrategy[ToolUseBlock]:
    """Generate calls, some of them incomplete."""
    any_input = st.one_of(inputs(), inputs(), inputs(), st.none())
    return st.builds(ToolUseBlock, ids(), st.sampled_from(NAMES), any_input)


@cache
def media() -> st.SearchStrategy[Block]:
    """Generate images and documents."""
    return st.sampled_from(
        (
            ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL}),
            ImageBlock({"type": "url", "url": "https://example.com/a.png"}),
            ImageBlock({"type": "base64", "media_type": "image/tiff", "data": "AAAA"}),
            ImageBlock({"type": "odd"}),
            DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}, "report.pdf"),
            DocumentBlock({"type": "text", "media_type": "text/plain", "data": "some text"}),
        )
    )


@cache
def thinking() -> st.SearchStrategy[Block]:
    """Generate thinking of several issuers, signed and not."""
    issuers = st.sampled_from((None, Meta(issuer="anthropic"), Meta(issuer="gemini"), Meta(issuer="openai_chat")))
    signed = st.sampled_from((None, "", "c2lnbmF0dXJl"))
    return st.one_of(
        st.builds(ThinkingBlock, texts(), signed, st.booleans(), meta=issuers),
        st.builds(RedactedThinkingBlock, st.sampled_from(("", "ZW5jcnlwdGVk")), st.booleans()),
    )


@cache
def provider_blocks() -> st.SearchStrategy[ProviderBlock]:
    """Generate blocks that only one provider knows."""
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    data = st.sampled_from((search, found, {"type": "future", "x": [1]}, {}, {"type": "search_result", "source": "s"}))
    return st.builds(ProviderBlock, st.sampled_from(("anthropic", "openai_chat", "gemini", "bedrock")), data)


@cache
def blocks() -> st.SearchStrategy[Block]:
    """Generate blocks of every kind."""
    words = st.builds(TextBlock, texts(), meta=_metas())
    return st.one_of(
        words, words, calls(), calls(), results(), results(), thinking(), media(), provider_blocks(),
        st.builds(SystemBlock, texts()),
    )  # fmt: skip


@cache
def messages() -> st.SearchStrategy[Message]:
    """Generate messages, in which blocks may have the wrong role."""
    usual = st.one_of(
        st.builds(Message.user, st.builds(TextBlock, texts())),
        st.builds(Message.assistant, st.builds(TextBlock, texts())),
        st.builds(Message.assistant, st.lists(calls(), min_size=1, max_size=3)),
        st.builds(Message.user, st.lists(results(), min_size=1, max_size=3)),
    )
    roles = st.sampled_from(("user", "assistant"))
    return st.one_of(usual, usual, st.builds(Message, roles, st.lists(blocks(), max_size=4)))


@cache
def policies() -> st.SearchStrategy[Policy]:
    """Generate policies that repair."""
    return st.builds(Policy, leading_assistant=st.sampled_from(("bootstrap", "drop")))


@st.composite
def histories(draw: st.DrawFn, max_size: int = 8) -> MessageHistory:
    """Generate histories, grown as an agent or its worst caller would grow them.

    Args:
        draw: Hypothesis' own.
        max_size: how many operations at most.

    Returns:
        A history.
    """
    history = MessageHistory(policy=draw(policies()))
    for step in draw(st.lists(st.sampled_from(("add", "add", "add", "answer", "close", "system")), max_size=max_size)):
        if step == "add":
            history = history.add(draw(messages()))
        elif step == "answer" and history.awaiting:
            history = history.add_tool_result(draw(st.sampled_from(history.awaiting)), draw(texts()))
        elif step == "close":
            history = history.as_sent(draw(st.sampled_from((None, Anthropic()))))
        elif step == "system":
            history = history.with_system(draw(st.sampled_from((None, "Be brief.", "Be kind."))))
    return history


@cache
def odd_entries() -> st.SearchStrategy[Any]:
    """Generate entries of no format at all: what a list may hold at the very worst."""
    odd: st.SearchStrategy[Any] = st.sampled_from(({"type": "text"}, [[]], {"x": {"y": []}})).map(deepcopy)
    anything: st.SearchStrategy[Any] = st.one_of(json_values(), odd)
    kinds = st.sampled_from(("text", "tool_use", "tool_result", "thinking", "image", "image_url", "function_call"))
    block = st.dictionaries(
        st.sampled_from(("type", "text", "id", "name", "input", "tool_use_id", "content", "source", "toolUse")),
        st.one_of(kinds, anything),
        max_size=5,
    )
    inner = st.one_of(block, anything)
    held = st.one_of(st.sampled_from(("user", "assistant", "tool", "system", "model", "x")), anything, st.lists(inner))
    keys = ("role", "content", "parts", "tool_calls", "tool_call_id", "name", "native", "stop_reason", "type", "kind")
    return st.one_of(st.dictionaries(st.sampled_from(keys), held, max_size=4), anything)


@st.composite
def broken_lists(draw: st.DrawFn, dialect: Dialect[Any] | None = None, max_size: int = 8) -> list[Any]:
    """Generate lists as they come from disk: a list of a dialect, with entries lost, doubled, moved and spoiled.

    Args:
        draw: Hypothesis' own.
        dialect: the form of the list; `Anthropic()` by default.
        max_size: how many operations at most go into the history that it comes from.

    Returns:
        A list of raw entries.
    """
    target = dialect if dialect is not None else Anthropic()
    history = draw(histories(max_size))
    raw: list[Any] = history.export(target).messages
    for damage in draw(st.lists(st.sampled_from(_DAMAGE), max_size=4)):
        if not raw:
            break
        where = draw(st.integers(0, len(raw) - 1))
        if damage == "lose":
            del raw[where]
        elif damage == "double":
            raw.insert(where, raw[where])
        elif damage == "move":
            raw.insert(draw(st.integers(0, len(raw) - 1)), raw.pop(where))
        elif damage == "cut":
            del raw[where:]
        elif damage == "replace":
            raw[where] = draw(st.one_of(json_values(), st.just({"role": "user"}), st.just({"content": "x"})))
        elif isinstance(raw[where], dict) and raw[where]:
            spoiled = dict(raw[where])
            key = draw(st.sampled_from(sorted(spoiled)))
            if damage == "forget":
                del spoiled[key]
            else:
                spoiled[key] = draw(json_values())
            raw[where] = spoiled
    return raw


_DAMAGE: Final = ("lose", "double", "move", "cut", "replace", "forget", "spoil")
