"""What agents print while they work: pieces are joined, what was not completed is kept, repetitions are none."""

from __future__ import annotations

from typing import Any

import pytest

from message_history.formats.reading import session_in
from tests.formats.samples.pi import PI
from tests.formats.story import lines


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_end_of_a_session_of_pi_is_read_without_its_header(first: int) -> None:
    about = {"api": "a", "provider": "p"}
    messages: list[dict[str, Any]] = [{**each, **about} if each["role"] == "assistant" else each for each in PI]
    rows = [
        {"type": "message", "id": str(n), "parentId": str(n - 1), "message": message}
        for n, message in enumerate(messages)
    ]
    session = session_in(lines(*rows[first:]))
    assert (session.format.name, session.unread, session.messages) == ("pi", (), 4 - first)
