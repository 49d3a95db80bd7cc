"""Each call that records an omission, a rewriting, an addition or a note is missed when it is taken out."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from tests.records import Place, Witness, places, watched, witnesses

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_REACHED: Final = Counter(
    {
        # Each of these needs langchain-core: `tests/integrations/test_langchain.py`.
        "langchain/parse.py": 3,
        "langchain/render.py": 9,
        # No list in JSON is known that reaches these: objects of SDKs and values made by hand do, or nothing does.
        "_shared/typed_blocks.py": 1,
        "anthropic/block_writer.py": 4,
        "bedrock/render.py": 1,
        "gemini/block_writer.py": 1,
        "gemini/render.py": 1,
        "gemini_interactions/parse.py": 3,
        "openai_chat/render.py": 2,
        "openai_responses/parse.py": 1,
        "openai_responses/render.py": 2,
        "pydantic_ai/block_writer.py": 1,
        "pydantic_ai/parse.py": 1,
        "pydantic_ai/render.py": 10,
    }
)
"""How many calls of a file no list of `records.jsonl` reaches. A number may only fall."""
ALL: Final = witnesses()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_what_is_recorded_of_each_list_is_what_was_recorded() -> None:
    """The records are pinned, so a call that is taken out of the library is missed here."""
    assert [each for each in ALL if each.recorded() != each.records] == []


def reached_by(witness: Witness, every: list[Place]) -> set[Place]:
    with watched() as callers:
        witness.recorded()
    return {place for place in every for path, line in callers if place.holds(path, line)}


def test_every_call_that_records_has_a_list_that_misses_it() -> None:
    every, missed = places(), set[Place]()
    for witness in ALL:
        for place in reached_by(witness, every) - missed:
            with watched(place.holds):
                try:
                    is_missed = witness.recorded() != witness.records
                except Exception:  # noqa: BLE001 - without the record it cannot even be read
                    is_missed = True
            if is_missed:
                missed.add(place)
    left = Counter(place.path.removeprefix("dialects/") for place in every if place not in missed)
    assert left == NOT_REACHED, "add a list for a new call to `records.jsonl`: see `tests/records.py`"


def test_a_call_that_is_muted_records_nothing() -> None:
    witness = ALL[0]
    with watched(lambda *_: True) as callers:
        muted = witness.recorded()
    assert callers
    assert muted != witness.records
