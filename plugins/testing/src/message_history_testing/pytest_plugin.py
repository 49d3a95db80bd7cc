"""A pytest fixture: a server that is as strict as the providers.

Enable it with `pytest_plugins = ["message_history_testing.pytest_plugin"]` in `conftest.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from message_history_testing.server import StrictServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def strict_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictServer]:
    """Start a strict server, and set the variables with which the SDKs find it; a refused request fails the test."""
    with StrictServer() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server
    assert not server.refusals, f"the provider would have refused: {server.refusals[0]}"
