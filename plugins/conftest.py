"""The tests of each distribution here run where it is installed, with the settings of all tests."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tests.conftest import _quiet_about_system_prompts

__all__ = ["_quiet_about_system_prompts"]

SOURCES = Path(__file__).parent.glob("*/src/*")
collect_ignore = [source.parents[1].name for source in SOURCES if find_spec(source.name) is None]
