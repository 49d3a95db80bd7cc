"""The 18 broken histories of the field, judged by what we did not write."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.broken_histories import CASES, as_chat

from message_history import MessageHistory
from message_history.dialects.registry import DIALECTS
from tests.oracles.test_covered import NEEDED, PAIRS, judges

FORMS = pytest.mark.parametrize("form", [list, as_chat], ids=["typed", "chat"])


@FORMS
@pytest.mark.parametrize(("oracle", "name"), PAIRS)
def test_each_is_accepted_once_it_is_mended(oracle: str, name: str, form: Any) -> None:
    pytest.importorskip(NEEDED[oracle])
    for case in CASES:
        history = MessageHistory.from_list(form(case.messages))
        for dialect, judge in judges(oracle, name, DIALECTS[name]):
            judge(history.for_send(dialect))
