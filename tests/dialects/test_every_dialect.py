"""What every dialect must keep, whatever its format: a new dialect is tested here as soon as it is public."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from attrs import fields
from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, TextBlock, ToolResultBlock, ToolUseBlock, check, dialects
from message_history.core.messages.blocks import is_blank
from message_history.dialects.registry import DIALECTS
from message_history.integrations.strategies import broken_lists, histories, messages, odd_entries
from tests.dialects.removed_text import removed_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.dialects import Dialect

# What writes objects of a package is tested where that is installed, in `tests/integrations`.
ALL: list[Dialect[Any]] = [getattr(dialects, name)() for name in dialects.CLASSES.values()]
every_dialect = pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)


def marks_cache(wire: list[Any]) -> bool:
    """Tell whether a list holds cache marks, whose limit is global: a declared exception to the stable prefix."""
    text = json.dumps(wire, default=repr)
    return "cache_control" in text or "cachePoint" in text


@every_dialect
def test_every_export_is_valid(dialect: Dialect[Any]) -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)

    law()


@every_dialect
def test_every_broken_list_becomes_valid(dialect: Dialect[Any]) -> None:
    @given(broken_lists(dialect))
    def law(raw: list[Any]) -> None:
        history = MessageHistory.from_list(raw, dialect=dialect)
        wire = history.for_send(dialect)
        assert not wire or not check(wire, dialect)

    law()


@every_dialect
def test_odd_lists_never_raise(dialect: Dialect[Any]) -> None:
    @given(st.lists(odd_entries(), max_size=4))
    def law(raw: list[Any]) -> None:
        check(raw, dialect)
        wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
        assert not wire or not check(wire, dialect)

    law()


@every_dialect
def test_rendering_is_causal(dialect: Dialect[Any]) -> None:
    @given(histories(), st.lists(messages(), max_size=3))
    def law(history: MessageHistory, after: list[Message]) -> None:
        closed = history.as_sent(dialect)
        sent = closed.for_send(dialect)
        if not closed or closed[-1].role == "assistant" or marks_cache(sent):
            return
        later = closed.add(Message.assistant("reply"))
        for message in after:
            later = later.add(message)
        wire = later.for_send(dialect)
        if not marks_cache(wire):
            assert wire[: len(sent)] == sent

    law()


@every_dialect
def test_an_export_comes_back_and_goes_out_as_it_was(dialect: Dialect[Any]) -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        before = json.dumps(exported.messages, default=repr)
        loaded = MessageHistory.from_list(exported.messages, dialect=dialect)
        assert not loaded.repairs
        assert loaded.for_send(dialect) == exported.messages
        assert json.dumps(exported.messages, default=repr) == before

    law()


@every_dialect
def test_an_export_is_found_by_its_shape(dialect: Dialect[Any]) -> None:
    history = (
        MessageHistory().add_user("q").add_assistant([TextBlock("look"), ToolUseBlock("call00001", "f", {"a": 1})])
    )
    history = history.add_tool_result("call00001", "found").add_assistant("done").add_user("thanks")
    wire = history.for_send(dialect)
    found = MessageHistory.from_list(wire)
    assert not found.repairs
    # Where words and calls may not share a message, there is a short message of the user's between them.
    texts = [(message.role, message.text) for message in history if message.text]
    assert [each for each in ((message.role, message.text) for message in found) if each in texts] == texts
    calling = next(n for n, message in enumerate(found) if message.calls)
    assert found[calling].calls[0].name == "f"
    assert found[calling].calls[0].input == {"a": 1}
    assert found[calling + 1].results[0].text == "found"


def content_of(history: Iterable[Message]) -> Counter[str]:
    """Count what a conversation is about: words, calls, results."""
    found: Counter[str] = Counter()
    for message in history:
        for block in message.content:
            if isinstance(block, TextBlock) and not is_blank(block.text):
                found["text " + block.text] += 1
            elif isinstance(block, ToolUseBlock):
                found[f"call {block.name} {json.dumps(dict(block.input), default=repr, sort_keys=True)}"] += 1
            elif isinstance(block, ToolResultBlock):
                found["result " + block.text] += 1
    return found


@every_dialect
def test_content_survives_the_round_trip_or_a_repair_says_why_not(dialect: Dialect[Any]) -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        exported = history.export(dialect)
        recorded = {repair.index for repair in exported.repairs}
        found = content_of(MessageHistory.from_list(exported.messages, dialect=dialect))
        joined = "\n".join(found)
        for index, message in enumerate(history.as_sent(dialect)):
            for item in content_of([message]) if index not in recorded else ():
                kind, _, words = item.partition(" ")
                assert item in found or (kind != "call" and words in joined), item

    law()


@every_dialect
def test_an_export_goes_on_to_every_other_dialect(dialect: Dialect[Any]) -> None:
    @given(histories(), st.sampled_from(ALL), st.booleans())
    def law(history: MessageHistory, other: Dialect[Any], recorded: bool) -> None:
        loaded = MessageHistory.from_list(history.export(dialect).messages, dialect=dialect if recorded else None)
        assert not loaded.repairs
        wire = loaded.export(other).messages
        assert not wire or not check(wire, other)
        again = MessageHistory.from_list(wire, dialect=other)
        assert not again.repairs
        assert again.export(other).messages == wire

    law()


@every_dialect
def test_every_dialect_sends_fresh_payload(dialect: Dialect[Any]) -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("call00001", "f", {"a": [1]})])
    first, second = history.for_send(dialect), history.for_send(dialect)
    assert first == second
    first.clear()
    assert history.for_send(dialect) == second


@every_dialect
def test_every_rule_is_sourced_and_dated(dialect: Dialect[Any]) -> None:
    assert dialect.rules
    assert len({rule.id for rule in dialect.rules}) == len(dialect.rules)
    for rule in dialect.rules:
        assert rule.rule.endswith(".")
        assert rule.repair
        assert rule.source
        assert len(rule.date) == 7


@pytest.mark.parametrize("name", DIALECTS)
def test_what_a_dialect_shows_does_not_depend_on_the_order_of_hashes(name: str) -> None:
    shown = repr(DIALECTS[name])
    for field in fields(type(DIALECTS[name])):
        value = getattr(DIALECTS[name], field.name)
        if isinstance(value, frozenset):
            names = ", ".join(map(repr, sorted(value)))
            assert f"{field.name}=frozenset({{{names}}})" in shown or f"{field.name}=frozenset()" in shown


@every_dialect
@pytest.mark.parametrize("role", ["ai", "Bot", "gpt", "agent"])
def test_the_assistant_goes_by_other_names_in_every_form(dialect: Dialect[Any], role: str) -> None:
    for said in ({"content": "a"}, {"parts": [{"text": "a"}]}):
        if "parts" in said and dialect.name != "gemini":
            continue
        raw = [{"role": "user", **said}, {"role": role, **said}]
        history = MessageHistory.from_list(raw, dialect=dialect)
        assert [message.role for message in history] == ["user", "assistant"]
        assert history.repairs == ()


@every_dialect
@pytest.mark.parametrize(
    "content",
    [
        [None, "x"],
        [[], {"type": "text", "text": "x"}],
        [{"type": "function_call", "id": "1", "call_id": "1", "name": "f", "arguments": {}}],
        [{"type": "thought", "signature": "c2ln"}],
    ],
)
def test_the_keys_of_a_message_are_kept_whatever_its_content_begins_with(dialect: Dialect[Any], content: Any) -> None:
    history = MessageHistory.from_list([{"role": "assistant", "content": content, "mood": "fine"}], dialect=dialect)
    assert "fine" in json.dumps(history.to_list()) + removed_text(history.repairs)
