"""Build the clinic: a static page that runs this library in the reader's browser.

python docs/build_clinic.py FOLDER

Python for the browser comes from the npm package `pyodide`, at the version below; the library and what it needs come
from pip as wheels. All of it is put into FOLDER, from which the page loads it; nothing is loaded from anywhere else.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from message_history_pages.page import script_and_style

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "docs" / "clinic"
PYODIDE: Final = "314.0.7"
"""The version of the npm package: CPython 3.14."""
FETCHED: Final = (".wasm", ".whl", ".zip", ".json")
"""What the page fetches by itself, and counts while it does."""
NEEDED: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
WRITTEN: Final = ("clinic.js", "clinic.css", "clinic.py", "worker.js")


def main(folder: Path) -> None:
    """Build it.

    Args:
        folder: where to; what is there of an earlier build is replaced.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in WRITTEN:
        shutil.copy(SOURCE / name, folder)
    shutil.copy(ROOT / "samples" / "broken_session.json", folder / "sample.json")
    (folder / "index.html").write_text(_page(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(fetch_pyodide(Path(work)), folder / "pyodide")
        wheels = build_wheels(Path(work) / "wheels")
        for wheel in wheels:
            shutil.copy(wheel, folder)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.suffix in FETCHED)
    contents = {"wheels": [wheel.name for wheel in wheels], "version": version("message-history"), "bytes": size}
    (folder / "contents.json").write_text(json.dumps(contents), encoding="utf-8")


def _page() -> str:
    """Give the page; its policy allows the one script and style of the pages that it shows in a frame."""
    page = (SOURCE / "index.html").read_text(encoding="utf-8")
    for name, content in zip(("{script}", "{style}"), script_and_style(), strict=True):
        digest = b64encode(sha256(content.encode()).digest()).decode()
        page = page.replace(name, f"sha256-{digest}")
    return page


def fetch_pyodide(work: Path) -> Path:
    """Install Python for the browser from npm.

    Args:
        work: a folder for it.

    Returns:
        A folder with the files that a browser loads.
    """
    installed = install_from_npm(work / "npm", "pyodide", PYODIDE)
    files = work / "files"
    files.mkdir()
    for name in NEEDED:
        shutil.copy(installed / name, files)
    return files


def install_from_npm(work: Path, package: str, wanted: str) -> Path:
    """Install a package from npm, without its scripts.

    Args:
        work: a folder for it.
        package: its name.
        wanted: its version.

    Returns:
        The package's folder.
    """
    quiet = ("--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
    run("npm", "install", *quiet, "--prefix", work, f"{package}@{wanted}")
    return work / "node_modules" / package


def build_wheels(folder: Path) -> list[Path]:
    """Build wheels of the library, of its other formats and of its pages, and get those of what they need.

    Args:
        folder: where to put them.

    Returns:
        The wheels; all of them are pure Python.
    """
    quiet = ("--quiet", "--disable-pip-version-check")
    sources = (ROOT, ROOT / "plugins" / "formats", ROOT / "plugins" / "pages")
    run(sys.executable, "-m", "pip", "wheel", *quiet, "--wheel-dir", folder, *sources)
    wheels = sorted(folder.glob("*.whl"))
    impure = [wheel.name for wheel in wheels if not wheel.name.endswith("-none-any.whl")]
    if impure:
        raise SystemExit(f"a browser cannot run these wheels: {', '.join(impure)}")
    return wheels


def run(*command: object) -> None:
    """Run a command, and end when it fails."""
    subprocess.run([str(part) for part in command], check=True)  # noqa: S603 - the commands are those above


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
