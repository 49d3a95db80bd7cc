"""What every dialect must keep, whatever its format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from attrs import fields

from message_history.core.messages.blocks import is_blank
from message_history.core.messages.message import Message
from message_history.dialects.registry import DIALECTS
from message_history.history import MessageHistory
from message_history.testing.conformance.examples import (
    TOKEN,
    all_histories,
    damaged,
    places,
    recorded,
    sound_histories,
    story_of,
    try_on,
    with_token,
)
from message_history.violations import check

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.dialects import Dialect

ASSISTANTS = ("ai", "Bot", "gpt", "agent")
CONTENTS: tuple[list[Any], ...] = (
    [None, "x"],
    [[], {"type": "text", "text": "x"}],
    [{"type": "function_call", "id": "1", "call_id": "1", "name": "f", "arguments": {}}],
    [{"type": "thought", "signature": "c2ln"}],
)
UNKNOWN = {"line", "column"}
"""The place in a request's body, which a list of messages does not tell."""


@pytest.mark.filterwarnings("ignore::message_history.SystemPromptWarning")
class DialectConformance:
    """The tests of every dialect: subclass it in a test file, and pytest runs them.

        class TestMyDialect(DialectConformance):
            dialect = MyDialect()

    The dialect must be registered, by its entry point: that its lists are found by their shape is tested too. The
    laws are tried on fixed histories, on what damage makes of the lists that come of them, and on those of `lists`;
    where Hypothesis is installed, also on what it draws, with the number of examples of its current profile.
    """

    # The dialect with the fields for a model that is not known, as which a list is read by its shape.
    dialect: Dialect[Any]
    # Lists of the dialect as people have them, with each key and each kind of entry that there is. Damage is done to
    # them too, and in each place of them something odd is put, which must not be lost without a word.
    lists: Sequence[list[Any]] = ()

    def test_every_export_is_valid(self) -> None:
        def law(history: MessageHistory) -> None:
            wire = history.for_send(self.dialect)
            assert wire or not history
            assert not wire or check(wire, self.dialect) == []

        try_on(law, all_histories(), lambda ours, _: ours.histories())

    def test_every_broken_list_becomes_valid_and_goes_round(self) -> None:
        def law(raw: list[Any]) -> None:
            before = json.dumps(raw, default=repr)
            goes_round(MessageHistory.from_list(raw, dialect=self.dialect), self.dialect)
            assert json.dumps(raw, default=repr) == before

        try_on(law, self._broken(), lambda ours, _: ours.broken_lists(self.dialect))

    def test_odd_lists_never_raise(self) -> None:
        def law(raw: list[Any]) -> None:
            check(raw, self.dialect)
            goes_round(MessageHistory.from_list(raw, dialect=self.dialect), self.dialect)

        try_on(
            law,
            damaged([{}, {"role": "user", "content": [{}]}, {"role": 1}]),
            lambda ours, st: st.lists(ours.odd_entries(), max_size=4),
        )

    def test_a_violation_names_a_rule_and_a_place_and_leaves_nothing_open(self) -> None:
        def law(raw: list[Any]) -> None:
            violations_are_whole(raw, self.dialect)

        try_on(law, self._broken(), lambda ours, _: ours.broken_lists(self.dialect))

    def test_some_broken_list_is_refused(self) -> None:
        assert any(check(raw, self.dialect) for raw in self._broken())

    def test_rendering_is_causal(self) -> None:
        def law(example: tuple[MessageHistory, list[Message]]) -> None:
            closed = example[0].as_sent(self.dialect)
            sent = closed.for_send(self.dialect)
            if not closed or closed[-1].role == "assistant" or _marks_cache(sent):
                return
            later = closed.add(Message.assistant("reply"))
            for message in example[1]:
                later = later.add(message)
            wire = later.for_send(self.dialect)
            assert wire[: len(sent)] == sent or _marks_cache(wire)

        fixed = [(each, [Message.user("more")]) for each in all_histories()]
        try_on(law, fixed, lambda ours, st: st.tuples(ours.histories(), st.lists(ours.messages(), max_size=3)))

    def test_an_export_comes_back_and_goes_out_as_it_was(self) -> None:
        def law(history: MessageHistory) -> None:
            exported = history.export(self.dialect)
            before = json.dumps(exported.messages, default=repr)
            loaded = MessageHistory.from_list(exported.messages, dialect=self.dialect)
            assert not loaded.repairs
            assert loaded.for_send(self.dialect) == exported.messages
            assert json.dumps(exported.messages, default=repr) == before

        try_on(law, all_histories(), lambda ours, _: ours.histories())

    def test_an_export_is_found_by_its_shape(self) -> None:
        history = sound_histories()[0]
        found = MessageHistory.from_list(history.for_send(self.dialect))
        assert not found.repairs
        # Where words and calls may not share a message, there is a short message of the user's between them.
        texts = [(message.role, message.text) for message in history if message.text]
        assert [each for each in ((message.role, message.text) for message in found) if each in texts] == texts
        calling = next(n for n, message in enumerate(found) if message.calls)
        assert found[calling].calls[0].name == "f"
        assert found[calling].calls[0].input == {"a": 1}
        assert found[calling + 1].results[0].text == "found"

    def test_content_survives_the_round_trip_or_a_repair_says_why_not(self) -> None:
        def law(history: MessageHistory) -> None:
            exported = history.export(self.dialect)
            repaired = {repair.index for repair in exported.repairs}
            found = content_of(tuple(MessageHistory.from_list(exported.messages, dialect=self.dialect)))
            joined = "\n".join(text for _, text in found)
            for index, message in enumerate(history.as_sent(self.dialect)):
                for kind, text in content_of([message]) if index not in repaired else ():
                    assert (kind, text) in found or (kind != "call" and text in joined), text

        try_on(law, all_histories(), lambda ours, _: ours.histories())

    def test_an_export_goes_on_to_every_other_dialect(self) -> None:
        def law(example: tuple[MessageHistory, str, bool]) -> None:
            history, other, known = example
            wire = history.export(self.dialect).messages
            loaded = MessageHistory.from_list(wire, dialect=self.dialect if known else None)
            assert not loaded.repairs
            goes_round(loaded, DIALECTS[other])

        fixed = [(sound_histories()[0], other, True) for other in DIALECTS]
        try_on(
            law, fixed, lambda ours, st: st.tuples(ours.histories(), st.sampled_from(sorted(DIALECTS)), st.booleans())
        )

    def test_each_export_is_fresh_payload(self) -> None:
        history = sound_histories()[0]
        wire = history.for_send(self.dialect)
        before = json.dumps(wire, default=repr)
        for _, held in list(places([wire])):
            if isinstance(held, dict | list):
                held.clear()
        assert json.dumps(history.for_send(self.dialect), default=repr) == before

    def test_what_comes_in_is_in_the_history_or_in_a_repair(self) -> None:
        assert [place for raw in self._exports(sound_histories()) for place in lost_in_reading(raw, self.dialect)] == []

    def test_what_is_in_the_history_is_sent_or_in_a_repair(self) -> None:
        lost = (lost_in_writing(raw, self.dialect, self.dialect) for raw in self._exports(sound_histories()))
        assert [place for places in lost for place in places] == []

    def test_every_rule_is_sourced_and_dated(self) -> None:
        rules = self.dialect.rules
        assert rules
        assert len({rule.id for rule in rules}) == len(rules)
        for rule in rules:
            assert rule.rule.endswith("."), rule.id
            assert rule.repair, rule.id
            assert rule.source, rule.id
            assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", rule.date), rule.id

    def test_what_it_shows_does_not_depend_on_the_order_of_hashes(self) -> None:
        shown = repr(self.dialect)
        for field in fields(type(self.dialect)):
            value = getattr(self.dialect, field.name)
            if isinstance(value, frozenset):
                names = ", ".join(map(repr, sorted(value)))
                assert f"{field.name}=frozenset({{{names}}})" in shown or f"{field.name}=frozenset()" in shown

    def test_the_assistant_goes_by_other_names(self) -> None:
        for role in ASSISTANTS:
            raw = [{"role": "user", "content": "a"}, {"role": role, "content": "a"}]
            history = MessageHistory.from_list(raw, dialect=self.dialect)
            assert [message.role for message in history] == ["user", "assistant"], role
            assert history.repairs == ()

    def test_the_keys_of_a_message_are_kept_whatever_its_content_begins_with(self) -> None:
        for content in CONTENTS:
            raw = [{"role": "assistant", "content": content, "mood": "fine"}]
            history = MessageHistory.from_list(raw, dialect=self.dialect)
            assert "fine" in json.dumps(history.to_list()) + recorded(history.repairs), content

    def _exports(self, histories: Iterable[MessageHistory]) -> list[list[Any]]:
        return [*(history.for_send(self.dialect) for history in histories), *self.lists]

    def _broken(self) -> list[list[Any]]:
        return [raw for sound in self._exports(all_histories()) for raw in damaged(sound)]


def goes_round(history: MessageHistory, target: Dialect[Any]) -> None:
    """Hold an export to be acceptable, and the same again once it has been read."""
    wire = history.export(target).messages
    assert wire or not history
    assert not wire or check(wire, target) == []
    again = MessageHistory.from_list(wire, dialect=target)
    assert again.repairs == ()
    assert again.export(target).messages == wire


def violations_are_whole(raw: list[Any], dialect: Dialect[Any]) -> None:
    """Hold what is found in a list to name a rule and a place, with nothing left to fill in."""
    ids = {rule.id for rule in dialect.rules}
    for violation in check(raw, dialect):
        assert violation.rule in ids
        assert violation.index is None or 0 <= violation.index < len(raw)
        assert violation.detail
        assert set(re.findall(r"\{([a-z]+)\}", violation.error)) <= UNKNOWN


def lost_in_reading(raw: list[Any], dialect: Dialect[Any]) -> list[str]:
    """Return the places of a list at which something odd is neither in the history nor in a repair."""
    lost = []
    for path, odd in with_token(raw):
        history = MessageHistory.from_list(odd, dialect=dialect)
        if TOKEN not in json.dumps(history.to_list()) + recorded(history.repairs):
            lost.append(str(path))
        assert MessageHistory.from_list(history.to_list(), open_tail="keep") == history
    return lost


def lost_in_writing(raw: list[Any], dialect: Dialect[Any], target: Dialect[Any]) -> list[str]:
    """Return the places at which something odd that is in the history is neither sent nor in a repair."""
    lost = []
    for path, odd in with_token(raw):
        history = MessageHistory.from_list(odd, dialect=dialect)
        export = history.export(target)
        sent = json.dumps([export.messages, export.system], default=repr) + recorded(export.repairs)
        if TOKEN in json.dumps(history.to_list()) and TOKEN not in sent:
            lost.append(f"{path} to {target!r:.60}")
    return lost


def content_of(messages: Sequence[Message]) -> list[tuple[str, str]]:
    asked = [
        (each.name, json.dumps(dict(each.input), default=repr, sort_keys=True)) for m in messages for each in m.calls
    ]
    words = [(kind, text) for kind, text in story_of(messages) if kind != "call" and not is_blank(text)]
    return words + [("call", f"{name} {input}") for name, input in asked]


def _marks_cache(wire: list[Any]) -> bool:
    """Tell whether a list holds cache marks, whose limit is global: a declared exception to the stable prefix."""
    text = json.dumps(wire, default=repr)
    return "cache_control" in text or "cachePoint" in text
