"""What is held and looked at has limits: a change of one is a choice, and is made here too."""

from __future__ import annotations

from typing import Any

import pytest

from message_history_healing import bodies, conversations, healer, verbatim

LIMITS: dict[Any, dict[str, Any]] = {
    bodies: {"MAX_BODIES": 64, "MAX_BYTES": 64 * 1024 * 1024, "_AGAIN": 2},
    conversations: {"CANDIDATES": 8, "LOOKED_AT": 4_000, "_BASE": 1_000, "_PER_ENTRY": 800},
    healer: {"_GUESS": 1_000},
    verbatim: {"_LONG": 16, "SYSTEM": ("system", "developer")},
}


@pytest.mark.parametrize("module", LIMITS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_limit_is_what_it_was(module: Any) -> None:
    assert {name: getattr(module, name) for name in LIMITS[module]} == LIMITS[module]


def test_so_many_calls_of_litellm_are_under_way() -> None:
    pytest.importorskip("litellm")
    from message_history_healing import litellm  # noqa: PLC0415 - few have it

    assert litellm.MAX_UNDER_WAY == 10_000
