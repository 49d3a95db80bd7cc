"""A real browser, and the clinic served on this machine as it would be elsewhere."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
collect_ignore = [] if find_spec("message_history_pages") else ["test_pages_in_a_browser.py", "test_the_clinic.py"]
# Chromium looks for hosts of its own at every start otherwise.
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the group `browser` is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert chromium is not None, "Chromium is not installed; on Debian: apt-get install chromium"
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield opened
        opened.close()


class Visit(NamedTuple):
    """A page that was opened, and what happened on it that should not."""

    page: Page
    requests: list[str]
    """What it asked for."""
    problems: list[str]
    """What its console said, and what it threw."""


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    options = getattr(request, "param", {})
    page = browser.new_page(viewport=options.get("viewport", {"width": 1280, "height": 900}))
    visited = Visit(page, [], [])
    page.on("request", lambda asked: visited.requests.append(asked.url))
    page.on("console", lambda said: visited.problems.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: visited.problems.append(str(error)))
    page.on("dialog", lambda dialog: visited.problems.append(dialog.message))
    yield visited
    page.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the documentation site, which is built first unless it is there already; gives its address."""
    assert browser.is_connected()
    built = os.environ.get("MESSAGE_HISTORY_SITE")
    folder = Path(built) if built else tmp_path_factory.mktemp("built") / "site"
    if built is None:
        subprocess.run([sys.executable, ROOT / "docs" / "build_site.py", folder], check=True, timeout=600)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def clinic(site: str) -> str:
    """Give the address of the clinic."""
    return f"{site}clinic/"
