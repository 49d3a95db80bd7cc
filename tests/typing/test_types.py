"""mypy accepts the allowed uses and refuses each of the forbidden ones."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def mypy(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, files)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=600)


@pytest.mark.heavy
def test_allowed_uses_pass_and_forbidden_ones_are_errors() -> None:
    """An ignore that is not needed is an error under `--strict`: no forbidden use is in fact allowed."""
    checked = mypy(HERE / "allowed.py", HERE / "forbidden.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.heavy
def test_a_forbidden_use_that_became_allowed_would_be_found(tmp_path: Path) -> None:
    loosened = tmp_path / "loosened.py"
    text = (HERE / "forbidden.py").read_text()
    loosened.write_text(text.replace("history.append(message)", "history.add(message)"))
    assert 'Unused "type: ignore" comment' in mypy(loosened).stdout


def test_every_forbidden_statement_says_what_is_reported() -> None:
    text = (HERE / "forbidden.py").read_text()
    lines = text.splitlines()
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef):
            assert function.body
            for statement in function.body:
                line = lines[statement.lineno - 1]
                assert re.search(r"  # type: ignore\[[a-z, -]+\]$", line), line
