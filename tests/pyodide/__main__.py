"""Run the quick tests on the newest CPython, which Pyodide is: `python -m tests.pyodide [ARGUMENTS OF PYTEST...]`.

Pyodide runs in Node. It has no processes, threads, sockets or event loop: tests that need those are skipped by the
marks of `tests/needs.py` and by `plugin.py`, each with a reason. Hypothesis is the last version in pure Python, and
tries few examples.
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
PLUGINS: Final = ("compile", "formats", "healing", "pages", "testing")
"""The distributions that need nothing beyond these; `measure` needs templates, which need a compiled package."""
PLATFORM: Final = ("--python-version", "3.14", "--implementation", "py", "--abi", "none", "--platform", "any")


def main(arguments: list[str]) -> int:
    """Install what is needed into a temporary folder, and run the tests.

    Args:
        arguments: those of pytest; by default all quick tests are run.

    Returns:
        The exit code of pytest.
    """
    # Deep nesting needs a deep stack, of the process and of Node.
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        pyodide = install_from_npm(Path(folder) / "npm", "pyodide", PYODIDE)
        wheels = Path(folder) / "wheels"
        pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
        subprocess.run([*pip, "download", "--dest", wheels, "--only-binary=:all:", *PLATFORM, *WHEELS], check=True)
        plugins = (ROOT / "plugins" / name for name in PLUGINS)
        subprocess.run([*pip, "wheel", "--wheel-dir", wheels, "--no-deps", ROOT, *plugins], check=True)
        raw = map(str, (HERE / "run.mjs", pyodide, ROOT, wheels, *arguments))
        return subprocess.run(["node", "--stack-size=60000", *raw], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
