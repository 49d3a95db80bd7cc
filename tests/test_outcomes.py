"""A test that every environment skips or leaves out is found, and only that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.needs import needs_processes
from tests.outcomes import FOLDER, RAN, ROOT, never_run

if TYPE_CHECKING:
    from pathlib import Path

FILE = """
import os
import pytest

@pytest.mark.skipif("HERE" not in os.environ, reason="is elsewhere")
def test_elsewhere(): pass

@pytest.mark.skip(reason="nobody has it")
def test_nowhere(): pass

@pytest.mark.heavy
def test_heavy(): pass

@pytest.fixture
def missing(): pytest.skip("has no server")

def test_needs_a_server(missing): pass

@pytest.mark.xfail(strict=True)
def test_fails(): assert not RAN

RAN = 1
"""
WHOLE = "import pytest; pytest.importorskip('nobody_has_this'); "


@needs_processes
@pytest.mark.heavy
def test_what_ran_in_no_run_is_named_with_the_reasons(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.outcomes import record as pytest_configure\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    heavy: takes long\n")
    (tmp_path / "test_some.py").write_text(FILE)
    (tmp_path / "test_whole.py").write_text(WHOLE + "test_never = print\n")
    (tmp_path / "written").mkdir()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        "-m",
        "not heavy",
    ]
    for more in ({}, {"HERE": "1"}):
        environment = {**os.environ, FOLDER: str(tmp_path / "written"), "PYTHONPATH": str(ROOT), **more}
        ended = subprocess.run(
            [*command, str(tmp_path)], cwd=tmp_path, env=environment, check=False, capture_output=True
        )
        assert ended.returncode == 0, ended.stdout
    outcomes = [json.loads(path.read_text()) for path in (tmp_path / "written").iterdir()]
    assert len(outcomes) == 2
    assert never_run(outcomes) == {
        "test_some.py::test_heavy": "left out",
        "test_some.py::test_needs_a_server": "Skipped: has no server",
        "test_some.py::test_nowhere": "Skipped: nobody has it",
        "test_whole.py": "Skipped: could not import 'nobody_has_this': No module named 'nobody_has_this'",
    }


def test_a_file_and_parameters_that_another_run_has_are_no_fault() -> None:
    here = {"tests/test_a.py": "no package", "tests/test_b.py::test_c[NOTSET]": "no values"}
    there = {"tests/test_a.py::test_d": RAN, "tests/test_b.py::test_c[1]": RAN}
    assert sorted(never_run([here])) == sorted(here)
    assert never_run([here, there]) == {}


def test_a_file_that_no_run_collected_is_named() -> None:
    files = ["tests/test_a.py", "tests/test_b.py"]
    assert never_run([{"tests/test_a.py::test_d": RAN}], files) == {"tests/test_b.py": "not collected"}
