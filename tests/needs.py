"""Marks for tests that need what Pyodide, on which they run too, does not have."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest

PYODIDE = sys.platform == "emscripten"

needs_processes = pytest.mark.skipif(PYODIDE or not hasattr(os, "fork"), reason="needs processes")
needs_event_loop = pytest.mark.skipif(PYODIDE, reason="needs an event loop that can be waited for")
needs_locks = pytest.mark.skipif(PYODIDE, reason="needs locks of files")
needs_system_errors = pytest.mark.skipif(PYODIDE, reason="needs the error of a link that leads to itself")
needs_sockets = pytest.mark.skipif(PYODIDE, reason="needs sockets")
needs_named_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
needs_a_deep_stack = pytest.mark.skipif(PYODIDE, reason="needs a deeper stack than WebAssembly's")
needs_plugins = pytest.mark.skipif(
    not all(find_spec(f"message_history_{name}") for name in ("compile", "formats", "healing", "pages", "testing")),
    reason="needs ./plugins/compile, ./plugins/formats, ./plugins/healing, ./plugins/pages and ./plugins/testing",
)
needs_pages = pytest.mark.skipif(not find_spec("message_history_pages"), reason="needs ./plugins/pages")
reads_sources = pytest.mark.skipif(PYODIDE, reason="reads the sources, which are the same everywhere")
