"""Strict errors of pyright in examples."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ROOT: Final = Path(__file__).parents[1]
_CONFIG: Final = {
    "typeCheckingMode": "strict",
    "reportMissingModuleSource": False,
    "reportMissingTypeStubs": False,
    # As mypy does, so that a forbidden use that became allowed is found.
    "reportUnnecessaryTypeIgnoreComment": True,
}


def strict_errors(files: Iterable[str], *, without_types: Collection[str]) -> list[str]:
    """Run pyright in its strict mode.

    Args:
        files: the files and folders, from the root of the project.
        without_types: the names of files that use a package which leaves parts of its types out: what is only
            unknown in them is not an error.

    Returns:
        One line for each error.
    """
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "pyrightconfig.json")
        config.write_text(json.dumps({**_CONFIG, "include": [str(Path(_up(folder), file)) for file in files]}))
        command = (sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "--project", config)
        ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=600)
    found = json.loads(ran.stdout)
    assert found["summary"]["filesAnalyzed"], ran.stdout
    return [
        f"{each['file']}:{each['range']['start']['line'] + 1}: {each['message']} ({each.get('rule')})"
        for each in found["generalDiagnostics"]
        if each["severity"] == "error"
        if not (Path(each["file"]).name in without_types and each.get("rule", "").startswith("reportUnknown"))
    ]


def _up(folder: str) -> str:
    """Name the root of the project as seen from a folder; pyright takes no absolute paths."""
    return str(Path(*[".."] * (len(Path(folder).resolve().parts) - 1), *ROOT.parts[1:]))
