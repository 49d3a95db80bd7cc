"""The SDK's own types as the judge of every export, and recorded material as the judge of the checks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, check
from message_history.dialects import Anthropic
from message_history.dialects.anthropic.schema import IN_ASSISTANT, TOOL_CHANGES
from message_history.integrations.strategies import broken_lists, histories
from tests.oracles.spoiling import spoil

pytest.importorskip("anthropic")

from anthropic.types import MessageParam
from anthropic.types.beta import BetaMessageParam
from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypedDict, get_type_hints, is_typeddict

BETA_BLOCKS = {"mcp_tool_use", "mcp_tool_result", "mcp_tool_listing", "compaction", "fallback", "advisor_tool_result"}
BETA_KEYS = {"output_config", "clear_at"}
DIALECTS = (
    Anthropic(),
    Anthropic(prefill=True, binds_thinking=False),
    Anthropic(system_in_list=True, binds_thinking=False),
)


@cache
def strict(kind: Any) -> Any:
    """Give an SDK type that looks at once, knows every key and takes no response object; None when nothing is left.

    The SDK's lists are lazy, so that pydantic looks into them only when somebody reads them, and takes a mapping for
    one; keys that no type names pass in silence; and where a block may stand, so may one of a response.
    """
    origin: Any = get_origin(kind)
    inner: tuple[Any, ...] = get_args(kind)
    if isinstance(kind, type) and not is_typeddict(kind):
        return None if issubclass(kind, BaseModel) else kind
    if is_typeddict(kind):
        make: Any = TypedDict
        hints = get_type_hints(kind, include_extras=True)
        made = make(kind.__name__, {key: strict(hint) for key, hint in hints.items()}, total=False)
        made.__pydantic_config__ = {**getattr(kind, "__pydantic_config__", {}), "extra": "forbid"}
        return made
    if origin is Required:
        return Required[strict(inner[0])]
    if origin is Iterable:
        return list[strict(inner[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        left = tuple(made for one in inner if (made := strict(one)) is not None or one is type(None))
        return Union[left] if left else None  # noqa: UP007
    return strict(inner[0]) if origin is Annotated else kind


PLAIN: TypeAdapter[Any] = TypeAdapter(strict(MessageParam))
BETA: TypeAdapter[Any] = TypeAdapter(strict(BetaMessageParam))


def kinds(message: dict[str, Any]) -> set[str]:
    content = message["content"]
    return {block["type"] for block in content} if isinstance(content, list) else set()


def assert_typed(wire: list[Any]) -> None:
    """Let the SDK's types read a list: they refuse nothing, and know every key."""
    for message in wire:
        if kinds(message) - IN_ASSISTANT and message["role"] == "assistant":
            continue  # a block that is newer than the SDK goes back where it came from
        is_beta = kinds(message) & (BETA_BLOCKS | TOOL_CHANGES) or message.keys() & BETA_KEYS
        assert (BETA if is_beta else PLAIN).validate_python(message) == message


@given(histories(), st.sampled_from(DIALECTS))
def test_every_export_has_the_sdk_s_types(history: MessageHistory, dialect: Anthropic) -> None:
    assert_typed(history.for_send(dialect))


@given(broken_lists(Anthropic()), st.sampled_from(DIALECTS))
def test_every_broken_list_has_the_sdk_s_types_once_it_is_mended(raw: list[Any], dialect: Anthropic) -> None:
    assert_typed(MessageHistory.from_list(raw, dialect=dialect).for_send(dialect))


RECORDED = json.loads((Path(__file__).parents[1] / "dialects" / "golden" / "anthropic" / "recorded.json").read_text())


@given(st.data(), st.sampled_from(DIALECTS))
def test_a_spoilt_list_has_the_sdk_s_types_once_it_is_mended(data: st.DataObject, dialect: Anthropic) -> None:
    raw = json.loads(json.dumps(RECORDED["source"]))
    for _ in range(data.draw(st.integers(1, 4))):
        spoil(data, raw)
    check(raw, dialect)
    wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
    assert not wire or not check(wire, dialect)
    if not answers_in_another_form(wire):
        assert_typed(wire)
    again = MessageHistory.from_list(wire, dialect=dialect)
    assert again.for_send(dialect) == wire


def answers_in_another_form(wire: list[Any]) -> bool:
    """Tell whether code gave an answer of an unknown type: like an unknown block, it goes back as it came."""
    known = {"code_execution_result", "code_execution_tool_result_error"}
    return any(
        isinstance(block, dict)
        and block.get("type") == "code_execution_tool_result"
        and block["content"]["type"] not in known
        for message in wire
        for block in message["content"]
    )


@given(st.data())
def test_what_the_types_refuse_is_found(data: st.DataObject) -> None:
    raw = json.loads(json.dumps(RECORDED["source"]))
    spoil(data, raw)
    try:
        assert_typed(raw)
    except (ValidationError, AssertionError, KeyError, TypeError, AttributeError):
        assert check(raw, Anthropic()) or answers_in_another_form(raw)


@pytest.mark.parametrize(
    "content",
    [
        7,
        [{"type": "text"}],
        [{"type": "text", "text": "a", "mood": "good"}],
        [{"type": "image", "source": {"type": "odd"}}],
        [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "odd"}]}],
    ],
    ids=str,
)
def test_the_types_do_judge(content: Any) -> None:
    with pytest.raises(ValidationError):
        assert_typed([{"role": "user", "content": content}])


# Reported cases

NOT_IN_THE_LIST = {
    "thinking-missing-in-loop": "T2: whether thinking is demanded depends on the request",
    "thinking-missing-tool-use": "T2: whether thinking is demanded depends on the request",
    "thinking-modified": "T1: nobody but the issuer knows what the thinking was",
    "fake-encrypted-content": "S5: nobody but the issuer can tell made-up content",
    "converse-too-many": "X2: a rule of another API, whose like here is C4",
}


def dialects_of(rule: str) -> tuple[Anthropic, ...]:
    """Give the fields under which a rule can show."""
    if rule in ("AN-A6", "AN-A7", "AN-A8", "AN-A10"):
        return (Anthropic(system_in_list=True),)
    return (Anthropic(prefill=True),) if rule == "AN-B4" else (Anthropic(),)


# A result of code execution with a key that this SDK does not know: what the API gave goes back as it came.
NEWER = {"anthropic-dadda96a6e6bf483"}
