"""Defects are planted in a toy dialect: each test of the suite of dialects finds one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pytest
from attrs import evolve, field, frozen

from message_history.dialects import Dialect, Export, OpenAIChat
from message_history.testing.conformance import DialectConformance
from message_history.violations import Violation
from tests.testing.suites import NotThoughtOfError, names_in, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign, Rule

FORM: Final = OpenAIChat()
KEYS: Final = {"role", "content", "tool_calls", "tool_call_id", "name"}


@frozen(kw_only=True)
class Toy(Dialect[dict[str, Any]]):
    """Chat Completions by another name: sound, until something of it is replaced."""

    name: ClassVar[str] = "toy"
    rules: ClassVar[Sequence[Rule]] = FORM.rules

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        return FORM.parse(raw, foreign)

    def render(self, messages: Iterable[Any], system: Sequence[Any] = ()) -> Export:
        return FORM.render(messages, system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        return FORM.violations(wire)

    def may_end_with(self, assistant: Any) -> bool:
        return FORM.may_end_with(assistant)

    def takes_leading_assistant(self) -> bool | None:
        return FORM.takes_leading_assistant()

    def has_system_in_list(self) -> bool:
        return FORM.has_system_in_list()


def toy(**replaced: Any) -> Dialect[Any]:
    made: Dialect[Any] = type("Planted", (Toy,), replaced)()
    return made


def reading(change: Callable[[Any], Any]) -> Dialect[Any]:
    """Read each entry as another."""
    return toy(parse=lambda _, raw, foreign=None: FORM.parse([change(entry) for entry in raw], foreign))


def writing(change: Callable[[list[Any]], list[Any]], **replaced: Any) -> Dialect[Any]:
    """Write another list."""

    def render(_: object, messages: Iterable[Any], system: Sequence[Any] = ()) -> Export:
        export = FORM.render(messages, system)
        return Export(change(export.messages), export.system, export.repairs)

    return toy(render=render, **replaced)


def finding(*found: Violation) -> Dialect[Any]:
    """Find something in each list with an odd entry."""
    return toy(violations=lambda _, wire: [] if all(map(is_message, wire)) else list(found))


def is_message(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("role") in ("system", "user", "assistant", "tool")


def without_others(entry: Any) -> Any:
    return {key: held for key, held in entry.items() if key in KEYS} if isinstance(entry, dict) else entry


def emptied(raw: Any, foreign: Foreign | None) -> Parsed:
    parsed = FORM.parse(list(raw), foreign)
    for entry in raw:
        if isinstance(entry, dict):
            entry.pop("content", None)
    return parsed


def unheard(entry: Any) -> Any:
    return entry if is_message(entry) else None


def numbered(wire: list[Any]) -> list[Any]:
    return [{**wire[0], "content": f"1 of {len(wire)}"}, *wire[1:]] if wire else wire


def louder(wire: list[Any]) -> list[Any]:
    return [
        {**each, "content": f"{each['content']}!"} if isinstance(each.get("content"), str) else each for each in wire
    ]


def hidden(wire: list[Any]) -> list[Any]:
    return [{"words": json.dumps(each)} for each in wire]


def shown(wire: Iterable[Any]) -> list[Any]:
    return [json.loads(each["words"]) if isinstance(each, dict) and "words" in each else each for each in wire]


def sourced(**changes: Any) -> Dialect[Any]:
    return toy(rules=(*FORM.rules[:-1], evolve(FORM.rules[-1], **changes)))


@frozen(kw_only=True)
class Unordered(Toy):
    """A toy that shows its field as the hashes order it."""

    kinds: frozenset[str] = field(default=frozenset(f"kind {n}" for n in range(30)))

    def __repr__(self) -> str:
        return f"Unordered(kinds={list(self.kinds)!r})"


KEPT: Final[dict[str, list[Any]]] = {}


def checks_messages_alone(_: object, wire: Sequence[Any]) -> list[Violation]:
    if not all(map(is_message, wire)):
        raise NotThoughtOfError
    return FORM.violations(wire)


DIALECTS: Final[list[tuple[str, str, Dialect[Any]]]] = [
    ("every_export_is_valid", "an entry of no role", writing(lambda wire: [*wire, {"role": "nobody", "content": "x"}])),
    ("every_export_is_valid", "nothing is sent", writing(lambda _: [])),
    ("every_export_is_valid", "a result is dropped", writing(lambda wire: [e for e in wire if e["role"] != "tool"])),
    ("every_broken_list_becomes_valid_and_goes_round", "reading empties what it reads",
     toy(parse=lambda _, raw, foreign=None: emptied(raw, foreign))),
    ("every_broken_list_becomes_valid_and_goes_round", "words grow each time", writing(louder)),
    ("odd_lists_never_raise", "a check that raises", toy(violations=checks_messages_alone)),
    ("a_violation_names_a_rule_and_a_place_and_leaves_nothing_open", "a rule that is not there",
     finding(Violation(rule="TOY-1", index=0, detail="odd"))),
    ("a_violation_names_a_rule_and_a_place_and_leaves_nothing_open", "a place that is not there",
     finding(Violation(rule="OC-01", index=99, detail="odd"))),
    ("a_violation_names_a_rule_and_a_place_and_leaves_nothing_open", "no words",
     finding(Violation(rule="OC-01", index=0))),
    ("a_violation_names_a_rule_and_a_place_and_leaves_nothing_open", "a value that is not filled in",
     finding(Violation(rule="OC-01", index=0, detail="odd", error="role {role} is odd"))),
    ("some_broken_list_is_refused", "a check that finds nothing", toy(violations=lambda *_: [])),
    ("rendering_is_causal", "what comes first tells what comes last", writing(numbered)),
    ("an_export_comes_back_and_goes_out_as_it_was", "words grow each time", writing(louder)),
    ("an_export_is_found_by_its_shape", "a shape that nobody knows",
     writing(hidden, parse=lambda _, raw, foreign=None: FORM.parse(shown(raw), foreign))),
    ("content_survives_the_round_trip_or_a_repair_says_why_not", "a block is dropped",
     writing(lambda wire: [{**each, "content": None} if each.get("tool_calls") else each for each in wire])),
    ("an_export_goes_on_to_every_other_dialect", "a call that its own reader does not take",
     reading(lambda entry: None if isinstance(entry, dict) and entry.get("tool_calls") else entry)),
    ("each_export_is_fresh_payload", "what was sent is sent again",
     writing(lambda wire: KEPT.setdefault(json.dumps(wire), wire))),
    ("what_comes_in_is_in_the_history_or_in_a_repair", "unknown keys are dropped", reading(without_others)),
    ("what_is_in_the_history_is_sent_or_in_a_repair", "what is left out is not recorded",
     toy(render=lambda _, *given: evolve(FORM.render(*given), repairs=()))),
    ("every_rule_is_sourced_and_dated", "no source", sourced(source="")),
    ("every_rule_is_sourced_and_dated", "no month", sourced(date="2026")),
    ("every_rule_is_sourced_and_dated", "no repair", sourced(repair="")),
    ("every_rule_is_sourced_and_dated", "an id twice", sourced(id=FORM.rules[0].id)),
    ("every_rule_is_sourced_and_dated", "no rules", toy(rules=())),
    ("what_it_shows_does_not_depend_on_the_order_of_hashes", "names as hashes order them", Unordered()),
    ("the_assistant_goes_by_other_names", "an assistant of another name is dropped", reading(unheard)),
    ("the_keys_of_a_message_are_kept_whatever_its_content_begins_with", "unknown keys are dropped",
     reading(without_others)),
]  # fmt: skip


class TestToyDialect(DialectConformance):
    dialect = Toy()


@pytest.mark.parametrize(("test", "dialect"), [pytest.param(t, d, id=f"{t}: {why}") for t, why, d in DIALECTS])
def test_a_defect_of_a_dialect_is_found(test: str, dialect: Dialect[Any]) -> None:
    # The check that raises is found by what it raises.
    with pytest.raises((AssertionError, NotThoughtOfError)):
        run(DialectConformance, test, dialect=dialect)


def test_each_test_of_dialects_has_a_defect() -> None:
    assert {test for test, _, _ in DIALECTS} == set(names_in(DialectConformance))
