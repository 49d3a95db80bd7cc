"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
import re
import warnings
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

from message_history import SystemPromptWarning
from tests import outcomes

_slow = (HealthCheck.too_slow, HealthCheck.data_too_large)
# Two runs of one of these profiles try the same examples, wherever they run; the others try new ones each time.
settings.register_profile("default", max_examples=5, derandomize=True, deadline=None, suppress_health_check=_slow)
settings.register_profile("few", max_examples=10, derandomize=True, deadline=None, suppress_health_check=_slow)
settings.register_profile("ci", max_examples=60, derandomize=True, deadline=None, suppress_health_check=_slow)
settings.register_profile("more", max_examples=2_000, deadline=None, suppress_health_check=_slow)
settings.register_profile("deep", max_examples=20_000, deadline=None, suppress_health_check=_slow)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# These have conversations with the strict server, which is a distribution of its own.
collect_ignore = [
    *("sdks/test_examples.py", "sdks/test_pages.py", "sdks/test_random_loops.py", "sdks/test_strict_server.py"),
    *("programs/test_going_on.py", "programs/test_resumed_sessions.py"),
]
if find_spec("message_history_testing"):
    collect_ignore = []


def pytest_configure(config: pytest.Config) -> None:
    """Tell `.ci/run` which tests ran, where it asks, and collect garbage rarely."""
    outcomes.record(config)
    # Tests, and the trees that their assertions are made of, stay: to look at them again takes a tenth of the time.
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names that another run would not have: outcomes of several runs are joined by them."""
    of_one_run = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{6,}", item.nodeid)]
    if of_one_run:
        raise pytest.UsageError(f"an object's address is in the name of a test; give it ids: {of_one_run}")


@pytest.fixture(autouse=True)
def _quiet_about_system_prompts() -> object:
    """Let tests send lists without their system prompt; the warning has a test of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SystemPromptWarning)
        yield
