"""Every dialect keeps what `DialectConformance` asks of all: a new one is tested here as soon as it is public."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory
from message_history.dialects import Gemini
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance import DialectConformance
from message_history.testing.conformance.dialects import ASSISTANTS


class TestEveryDialect(DialectConformance):
    # What writes objects of a package is tested where that is installed, in `tests/integrations`.
    @pytest.fixture(autouse=True, params=DIALECTS)
    def _of_a_dialect(self, request: pytest.FixtureRequest) -> None:
        self.dialect = DIALECTS[request.param]


ODD: list[Any] = [
    71234567,
    "(odd)",
    ["(odd)"],
    {"unheard": "(odd)"},
    {"role": "martian", "unheard": "(odd)"},
    {"type": "unheard", "of": "(odd)"},
    {"kind": "unheard", "of": "(odd)"},
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", DIALECTS)
def test_an_entry_that_is_no_message_is_kept_or_in_a_repair(name: str, odd: Any) -> None:
    raw = [{"role": "user", "content": "q"}, odd, {"role": "user", "content": "r"}]
    history = MessageHistory.from_list(raw, dialect=DIALECTS[name])
    held = repr(history.to_list()) + repr([(repair.removed, repair.detail) for repair in history.repairs])
    assert "(odd)" in held or "71234567" in held


@pytest.mark.parametrize("role", ASSISTANTS)
def test_the_assistant_goes_by_other_names_over_parts_too(role: str) -> None:
    raw = [{"role": "user", "parts": [{"text": "a"}]}, {"role": role, "parts": [{"text": "a"}]}]
    history = MessageHistory.from_list(raw, dialect=Gemini())
    assert [message.role for message in history] == ["user", "assistant"]
    assert history.repairs == ()
