"""The page on adding a format shows the files of `examples/plugin`, whose tests `.ci/run` runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.needs import reads_sources

pytestmark = reads_sources
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding_a_format.md").read_text(encoding="utf-8")
PLUGIN = ROOT / "examples" / "plugin"


def shown(language: str, name: str = "") -> str:
    found: list[str] = re.findall(rf"^```{language}\n{name}(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found[0]


def test_the_page_shows_the_format_and_its_entry_point() -> None:
    package = PLUGIN / "src" / "message_history_example"
    assert shown("python", "# toychat.py\n") == (package / "toychat.py").read_text(encoding="utf-8")
    assert shown("toml") in (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")


def test_the_page_shows_the_test_of_the_format() -> None:
    _, _, test = shown("python", "# test_toychat.py\n").partition("\n\n\n")
    assert test in (PLUGIN / "tests" / "test_conformance.py").read_text(encoding="utf-8")
