"""Material that lies beside the project on some machines: recorded requests and reported cases.

The project does not need it; tests that use it skip when it is not there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"
needs_material = pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded material is not beside the project")


def rows(name: str) -> list[dict[str, Any]]:
    """Read a corpus file; nothing when it is not there."""
    path = SHARED / "corpus" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def cases(name: str) -> list[dict[str, Any]]:
    """Read a file of cases; nothing when it is not there."""
    path = SHARED / "cases" / f"{name}.json"
    if not path.is_file():
        return []
    found = json.loads(path.read_text())
    return list(found["cases"] if isinstance(found, dict) else found)
