"""Skips what a test needs and Pyodide has not, where only running it shows that: threads, processes, an event loop.

What a test could not show by itself is marked where it stands, with the markers of `tests/needs.py`.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MISSING = {
    "does not support processes": "no processes here",
    "lacks multiprocessing.synchronize": "no processes here",
    "can't start new thread": "no threads here",
    "is unsupported on this system": "no such function of the system here",
    "stack switching not supported": "no event loop here that can be waited for",
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Skip a test whose fixtures need what is not there."""
    del item
    yield from _skipping()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Skip a test that needs what is not there."""
    del item
    yield from _skipping()


def _skipping() -> Iterator[None]:
    try:
        return (yield)
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSYS:
            pytest.skip("no such function of the system here")
        why = next((why for text, why in MISSING.items() if text in str(error)), None)
        if why is None:
            raise
        pytest.skip(why)
