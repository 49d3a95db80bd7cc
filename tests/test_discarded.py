"""A history that a method returned and nobody uses: found by the plug-in for mypy, and in development mode."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from message_history.discarded import methods
from message_history.history import MessageHistory
from tests.needs import needs_processes

FILE = Path(__file__).parent / "typing/discarded_uses.py"
MARKED = {number for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1) if "# dropped" in line}


def test_every_method_that_goes_on_from_a_history_is_watched() -> None:
    assert {"add", "add_user", "add_assistant", "add_tool_result", "add_response", "extend", "record_call"} <= {
        *methods()
    }
    assert not {"from_list", "follow", "export", "to_list"} & {*methods()}


@needs_processes
@pytest.mark.heavy
def test_mypy_finds_what_is_dropped_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = message_history.integrations.mypy_plugin\n")
    command = [sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path)]
    ran = subprocess.run([*command, str(FILE)], capture_output=True, text=True, check=False)
    assert {int(found) for found in re.findall(r":(\d+): error: .*\[discarded-history\]", ran.stdout)} == MARKED, ran
    assert ran.stdout.count("error:") == len(MARKED)


PROGRAM = """
import warnings
from message_history import MessageHistory
history = MessageHistory()
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    longer = history.add_user("Hi")
    kept = [longer.add_assistant("Hello"), history.extend([])]
    print(longer.with_system("x"), (lambda: longer.rewind())())
assert found == [], found
for dropped in ("history.add_user('Hi')", "longer.add_assistant('a').add_user('b')", "longer.rewind()"):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exec(dropped)
    assert len(found) == 1 and "is dropped; write history = " in str(found[0].message), (dropped, found)
"""


@needs_processes
def test_development_mode_warns_where_a_history_is_dropped() -> None:
    ran = subprocess.run([sys.executable, "-X", "dev", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_without_development_mode_nothing_is_wrapped() -> None:
    if not sys.flags.dev_mode:
        assert not hasattr(MessageHistory.add, "__wrapped__")


def test_every_method_that_gives_a_history_says_that_it_is_a_new_one() -> None:
    given = {
        name
        for name, method in inspect.getmembers(MessageHistory, inspect.isfunction)
        if not name.startswith("_") and inspect.signature(method).return_annotation == "MessageHistory"
    }
    assert {"add", "add_user", "add_tool_result", "with_system", "window"} <= given
    assert [name for name in sorted(given) if "new history" not in (getattr(MessageHistory, name).__doc__ or "")] == []
