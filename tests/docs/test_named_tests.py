"""The tests that pages name as what holds a promise are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    *(ROOT / "tests").rglob("test_*.py"),
    *(ROOT / "plugins").glob("*/tests/**/test_*.py"),
    *(ROOT / "src/message_history/testing/conformance").glob("*.py"),
)
NAMES = frozenset(
    name for path in FILES for name in re.findall(r"^ *(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE)
)


@pytest.mark.parametrize("page", ["design.md", "reliability.md", "security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    assert set(re.findall(r"`(test_\w+)`", text)) <= NAMES
    paths = set(re.findall(r"`(tests/[\w/.]+)`", text))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    for name, path in re.findall(r"`(test_\w+)` in `(tests/[\w/.]+)`", text):
        there = ROOT / path
        files = [there] if there.is_file() else there.rglob("test_*.py")
        assert any(f"def {name}(" in file.read_text() for file in files)


@pytest.mark.parametrize("page", ["reliability.md", "security.md"])
def test_every_promise_names_what_would_fail_without_it(page: str) -> None:
    table = (ROOT / "docs" / page).read_text().partition("| promise |")[2].partition("\n\n")[0]
    promises = table.splitlines()[2:]
    assert len(promises) > 9
    assert [row for row in promises if not re.search(r"`(test_\w+|(plugins/\w+/)?tests/[\w/.]+)`", row)] == []
