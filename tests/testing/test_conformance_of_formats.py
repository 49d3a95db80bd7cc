"""Defects are planted in a toy format: each test of the suite of formats finds one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from attrs import evolve

from message_history.files.damaged_json import LineNote
from message_history.formats import registry
from message_history.formats.kit.base import STATE, Collector, Fit, Format, Reading, Rewritten
from message_history.formats.kit.chat_messages import add_chat_message
from message_history.formats.kit.chat_rows import ChatRows
from message_history.formats.kit.document import parse_document
from message_history.formats.kit.raw_blocks import BLOCKS
from message_history.testing.conformance import FormatConformance
from tests.formats.story import ANSWER, CHAT, QUESTION, RESULT, lines
from tests.testing.suites import NotThoughtOfError, names_in, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.document import Document


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if any("toy" in row for row in document.first_rows) else Fit.NONE


def _read(document: Document, **about: Any) -> Reading:
    collector = Collector()
    for number, row in document.rows():
        if not add_chat_message(collector, number, row):
            collector.note(number, "a row of an unknown role", row)
    return collector.reading(BLOCKS, **about)


ROWS: Final = [{"toy": n, **each} for n, each in enumerate(CHAT)]
SAMPLE: Final = lines(*ROWS)
REPAIR: Final = ChatRows().form().repair
TOY: Final = Format(
    name="toy",
    rank=1,
    title="Toys",
    files="toy.jsonl",
    omits="nothing",
    source="this file",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    repair=REPAIR,
)


def silent(document: Document) -> Reading:
    """Read a file, and pass over what is unknown."""
    return evolve(_read(document), unread=(), notes=())


def strict(document: Document) -> Reading:
    """Read a file as its own program writes it, and no other."""
    if any(row.get("role") not in ("user", "assistant", "tool") for _, row in document.rows()):
        raise NotThoughtOfError
    return _read(document)


def without(words: str) -> Callable[[Document], Reading]:
    """Read a file, and leave out a row."""
    return lambda document: _read(parse_document(rows_without(words, document.data)))


def rows_without(words: str, data: bytes) -> bytes:
    return b"".join(row for row in data.splitlines(keepends=True) if words.encode() not in row)


def noting(document: Document) -> Reading:
    """Read a file, and call what is sound damage."""
    return evolve(_read(document), notes=(LineNote(line=1, detail="odd", skipped=None),))


def shortened(data: bytes, policy: Policy) -> Rewritten:
    """Repair a file, and leave out what was asked."""
    written = REPAIR(data, policy)
    return written._replace(data=rows_without(QUESTION, written.data))


FORMATS: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("the_file_is_certainly_in_its_own_format_and_in_no_other_program_s", "not certain", {"fit": lambda _: Fit.NEAR}),
    ("the_file_is_read_whole_and_nothing_is_repaired", "a row is passed over", {"read": without(ANSWER)}),
    ("the_file_is_read_whole_and_nothing_is_repaired", "a result is passed over", {"read": without(RESULT)}),
    ("the_sound_file_is_never_changed", "what is sound is called damage",
     {"read": noting, "repair": shortened}),
    ("an_entry_of_an_unknown_kind_is_never_lost_without_a_word", "passed over", {"read": silent, "repair": None}),
    ("a_file_with_odd_values_is_read_or_refused", "raises", {"read": strict}),
    ("files_of_others_are_read_or_refused", "raises", {"read": strict}),
    ("a_file_that_lost_an_entry_is_sound_again_and_keeps_the_rest", "the question is lost", {"repair": shortened}),
    ("a_file_that_lost_an_entry_is_sound_again_and_keeps_the_rest", "as it was",
     {"repair": lambda data, _: Rewritten(data, ())}),
    ("what_is_read_only_says_why", "no reason", {"repair": None}),
    ("what_is_read_only_says_why", "a reason for what is written", {"unwritten": STATE}),
]  # fmt: skip


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Format]:
    """Register a format as an entry point would."""

    def planted(**replaced: Any) -> Format:
        made = evolve(TOY, **replaced)
        found = {"toy": made, **registry.FORMATS}
        monkeypatch.setattr(registry, "_all_formats", lambda: found)
        return made

    return planted


@pytest.mark.parametrize("test", names_in(FormatConformance))
def test_a_sound_format_passes(test: str, plant: Callable[..., Format]) -> None:
    run(FormatConformance, test, format=plant(), sample=SAMPLE)


@pytest.mark.parametrize(("test", "replaced"), [pytest.param(t, r, id=f"{t}: {why}") for t, why, r in FORMATS])
def test_a_defect_of_a_format_is_found(test: str, replaced: dict[str, Any], plant: Callable[..., Format]) -> None:
    with pytest.raises((AssertionError, NotThoughtOfError)):
        run(FormatConformance, test, format=plant(**replaced), sample=SAMPLE)


def test_each_test_of_formats_has_a_defect() -> None:
    assert {test for test, _, _ in FORMATS} == set(names_in(FormatConformance))
