"""Each rule of `check` refuses one list, and lets the nearest one pass."""

from __future__ import annotations

import pytest

from message_history import MessageHistory, check
from message_history.dialects.registry import DIALECTS
from tests.dialects.pairs_of_lists import FOLDER, Pair, named, pairs, unseen

PAIRS = pairs()
LONGEST = {"AZ-02"}
"""Rules of a length that only a trimmed history keeps."""
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair.name}-{pair.rule}" for pair in PAIRS])


@every_pair
def test_the_one_list_breaks_the_rule_and_the_nearest_breaks_none(pair: Pair) -> None:
    assert {violation.rule for violation in check(pair.refused, pair.dialect)} == pair.found
    assert pair.sound
    assert check(pair.sound, pair.dialect) == []


# LangChain's objects are written by its own package: `tests/integrations/test_langchain.py`.
@pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if pair.name != "langchain"], ids=lambda pair: f"{pair.name}-{pair.rule}"
)
def test_what_is_sent_of_either_list_is_sound(pair: Pair) -> None:
    for raw in (pair.refused, pair.sound):
        wire = MessageHistory.from_list(raw, dialect=pair.dialect).for_send(pair.dialect)
        left = {violation.rule for violation in check(wire, pair.dialect)} if wire else set()
        assert not left - LONGEST


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_every_rule_has_a_pair_or_a_reason_why_no_list_shows_it(name: str) -> None:
    shown = [pair.rule for pair in PAIRS if pair.name == name]
    assert len(set(shown)) == len(shown)
    assert {rule.id for rule in named(name).rules} == {*shown, *unseen(name)}
    assert not unseen(name).intersection(shown)


def test_every_dialect_has_its_pairs() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == {*DIALECTS, "langchain"}
