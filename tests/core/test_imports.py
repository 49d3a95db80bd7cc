"""What an import brings in: only what is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import message_history
import message_history.dialects as front_door
from message_history import storage
from message_history.dialects import Dialect
from message_history.dialects.registry import DIALECTS


def modules_after(code: str) -> set[str]:
    recorded = f"import sys; before = set(sys.modules); {code}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", recorded], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_core_brings_in_attrs_and_one_provider() -> None:
    brought = modules_after("import message_history")
    foreign = {name.partition(".")[0] for name in brought} - sys.stdlib_module_names
    assert foreign <= {"attr", "attrs", "message_history"}
    ours = {name.split(".")[2] for name in brought if name.startswith("message_history.dialects.")}
    assert not ours & (set(DIALECTS) - {"anthropic", "native"})


def test_a_dialect_comes_when_somebody_asks() -> None:
    brought = modules_after("import message_history.dialects as d; d.Gemini()")
    assert "message_history.dialects.gemini.parse" in brought
    assert "message_history.dialects.bedrock" not in brought


def test_every_name_at_the_front_door_leads_to_a_dialect() -> None:
    for name in front_door.__all__:
        found = getattr(front_door, name)
        assert name in dir(front_door)
        if found not in (Dialect, front_door.Export):
            assert isinstance(found(), Dialect)
            assert (found.name in DIALECTS) != found.of_objects
    with pytest.raises(AttributeError, match="Nonesuch"):
        front_door.Nonesuch  # type: ignore[attr-defined]  # noqa: B018


def test_the_dialects_are_a_mapping_that_makes_each_one_once() -> None:
    assert len(DIALECTS) == len(list(DIALECTS)) == len({id(DIALECTS[name]) for name in [*DIALECTS, *DIALECTS]})
    assert "nonesuch" not in DIALECTS
    with pytest.raises(KeyError):
        DIALECTS["nonesuch"]


def test_what_few_calls_need_waits_for_one() -> None:
    brought = modules_after("import message_history")
    assert not brought & {"asyncio", "concurrent.futures", "datetime", "hashlib", "logging", "pathlib", "tomllib"}
    assert not brought & {
        "message_history.core.turns.calls",
        "message_history.core.views.windows",
        "message_history.dialects.anthropic",
    }


def test_who_keeps_one_session_reads_no_formats() -> None:
    brought = modules_after("from message_history.storage import JsonlSession")
    assert "message_history.storage.sessions.jsonl" in brought
    assert not brought & {"asyncio", "message_history.storage.formats", "message_history.storage.databases.session"}


def test_every_name_of_the_storage_leads_somewhere() -> None:
    for name in storage.__all__:
        assert getattr(storage, name).__name__ == name
        assert name in dir(storage)
    with pytest.raises(AttributeError, match="Nonesuch"):
        storage.Nonesuch  # type: ignore[attr-defined]  # noqa: B018


def test_every_name_of_the_package_leads_somewhere() -> None:
    for name in message_history.__all__:
        assert getattr(message_history, name).__name__ == name
        assert name in dir(message_history)
    with pytest.raises(AttributeError, match="Nonesuch"):
        message_history.Nonesuch  # type: ignore[attr-defined]  # noqa: B018
