"""Run the quick tests on the newest CPython, which Pyodide is: `python -m tests.pyodide [ARGUMENTS OF PYTEST...]`.

Pyodide runs in Node. It has no processes, threads or event loop, so tests that need those are skipped, and only the
folders of `FOLDERS` are run by default: minutes are enough for them. Hypothesis is the last version in pure Python.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from build_clinic import PYODIDE, install_from_npm  # noqa: E402 - the path is set above

WHEELS: Final = ("attrs", "click", "filelock", "hypothesis==6.155.7", "pytest==9.2.0", "rich")
PLATFORM: Final = ("--python-version", "3.14", "--implementation", "py", "--abi", "none", "--platform", "any")
FOLDERS: Final = ("cli", "core", "files", "media", "pages", "storage", "tools", "windows")
NOT_THERE: Final = {
    "files/test_reading_files.py::test_nesting_thousands_deep_is_kept": "the stack is that of WebAssembly",
    "cli/test_command_line.py::test_the_version_names_python_and_the_extras_for_reports_of_bugs": "not installed",
    "cli/test_command_line.py::test_what_is_missing_of_an_extra_is_said": "not installed",
    "cli/test_doctor_command.py::test_several_processes_find_what_one_does": "no processes",
    "cli/test_doctor_command.py::test_what_is_no_file_is_passed_over": "no named pipes",
    "cli/test_repair_command.py::test_the_input_is_never_overwritten_not_even_by_force[hard link]": "no hard links",
}
"""Tests that need what Pyodide does not have, each with what that is."""


def main(arguments: list[str]) -> int:
    """Install what is needed into a temporary folder, and run the tests.

    Args:
        arguments: those of pytest; by default the folders of `FOLDERS`.

    Returns:
        The exit code of pytest.
    """
    chosen = arguments or [f"tests/{name}" for name in FOLDERS]
    chosen += [f"--deselect=tests/{test}" for test in NOT_THERE]
    # Deep nesting needs a deep stack, of the process and of Node.
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        pyodide = install_from_npm(Path(folder) / "npm", "pyodide", PYODIDE)
        wheels = Path(folder) / "wheels"
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
        subprocess.run([*pip, "--dest", wheels, "--only-binary=:all:", *PLATFORM, *WHEELS], check=True)
        raw = map(str, (HERE / "run.mjs", pyodide, ROOT, wheels, *chosen))
        return subprocess.run(["node", "--stack-size=60000", *raw], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
