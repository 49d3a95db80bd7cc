"""Parsed JSON is read as the file would be: `from_data` gives all conversations, `from_list` the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory
from message_history.formats import from_data
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from tests.formats.samples import SAMPLES
from tests.formats.story import told

if TYPE_CHECKING:
    from tests.formats.story import Sample

JSON = [
    each
    for each in SAMPLES
    if parse_document(each.data).value is not None or any(line.value for line in parse_document(each.data).lines)
]
every_sample = pytest.mark.parametrize("sample", JSON, ids=[f"{each.format}-{n}" for n, each in enumerate(JSON)])


def parsed(sample: Sample) -> Any:
    document = parse_document(sample.data)
    return document.value if document.value is not None else [row for _, row in document.rows()]


@every_sample
def test_a_value_gives_the_conversations_of_its_file(sample: Sample) -> None:
    of_file = session_in(sample.data)
    of_value = from_data(parsed(sample))
    assert [each.history() for each in of_value] == [each.history() for each in of_file.conversations]


@every_sample
def test_a_list_gives_the_first_conversation_of_its_file(sample: Sample) -> None:
    history, expected = MessageHistory.from_list(parsed(sample)), session_in(sample.data).conversations[0].history()
    if sample.format == "mistral-vibe":  # Its messages are those of Chat Completions, with more keys.
        assert told(history) == told(expected)
    else:
        assert history == expected
