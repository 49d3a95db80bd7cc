"""The tests of each distribution here run where it and what it needs are installed, with the settings of all tests."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.conftest import _quiet_about_system_prompts, pytest_configure

__all__ = ["_quiet_about_system_prompts", "pytest_configure"]

SOURCES = Path(__file__).parent.glob("*/src/*")


def is_missing(package: str) -> bool:
    """Return whether a distribution, or one that it needs, is not installed."""
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(f"{package}."):
            raise
        return True
    return False


collect_ignore = [source.parents[1].name for source in SOURCES if is_missing(source.name)]
