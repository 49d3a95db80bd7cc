"""Check the types of the examples in the documentation: mypy and pyright, both strict, on each page's Python blocks.

python docs/check_types.py [PAGE...]

All blocks of a page are one module, as they are one program for `run_examples.py`. It needs mypy and pyright, and the
packages that the pages use. No block may cast, or have a checker look away.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
FILES_OF_THEIR_OWN: Final = {
    DOCS / "adding_a_dialect.md": "sharegpt_dialect",
    DOCS / "adding_a_format.md": "message_history_example",
}
"""The blocks of these pages are the files of a distribution, and this is its package."""
FILE: Final = re.compile(r"^```python\n# (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES_CONFIG: Final = """
[tool.pyright]
typeCheckingMode = "strict"
reportMissingModuleSource = false
"""
BLOCK: Final = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LOOKS_AWAY: Final = re.compile(r"\bcast\(|# type: ignore|# pyright:|# noqa")
CONFIG: Final = """
[tool.pyright]
typeCheckingMode = "strict"
reportMissingModuleSource = false
reportMissingTypeStubs = false
# What a page shows need not be used on it, and a private name is one that it tells readers not to use.
reportUnusedFunction = false
reportUnusedClass = false

[[tool.pyright.executionEnvironments]]
root = "without_types"
reportUnknownMemberType = false
"""
WITHOUT_TYPES: Final = {
    DOCS / "integrations" / "langgraph.md": "langgraph",
    DOCS / "dialects" / "bedrock.md": "boto3",
    DOCS / "dialects" / "gemini.md": "google-genai",
}
"""The pages that call methods of a package which leaves parts of their types out, and the package."""


def main(pages: list[Path]) -> int:
    """Check pages.

    Args:
        pages: the pages; all pages with Python blocks if you name none.

    Returns:
        The exit code: 1 when a checker or this script finds something.
    """
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        modules = Path(folder)
        (modules / "without_types").mkdir()
        (modules / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
        names: dict[str, Path] = {}
        chosen = {page.resolve() for page in pages} or {ROOT / "README.md", *DOCS.rglob("*.md")}
        for page in sorted(chosen - FILES_OF_THEIR_OWN.keys()):
            text = page.read_text(encoding="utf-8")
            code = as_module(text)
            if not code.strip():
                continue
            relative = page.resolve().relative_to(ROOT)
            module = "_".join(relative.with_suffix("").parts).replace("-", "_")
            file = f"without_types/{module}.py" if page.resolve() in WITHOUT_TYPES else f"{module}.py"
            names[file] = relative
            (modules / file).write_text(code, encoding="utf-8")
            for number, line in enumerate(code.splitlines(), 1):
                if LOOKS_AWAY.search(line):
                    print(f"{relative}:{number}: a block must not cast or have a checker look away: {line.strip()}")
                    found = 1
        mypy = ("-m", "mypy", "--strict", "--no-error-summary", "--config-file", ROOT / "pyproject.toml")
        pyright = ("-m", "pyright", "--pythonpath", sys.executable, "--project", modules / "pyproject.toml")
        for checker in ((*mypy, *names), pyright) if names else ():
            checked = subprocess.run(  # noqa: S603 - the command is this one
                [sys.executable, *map(str, checker)], check=False, cwd=modules, capture_output=True, text=True
            )
            output = checked.stdout + checked.stderr
            for module, relative in names.items():
                output = output.replace(f"{modules}/{module}", str(relative)).replace(f"{module}:", f"{relative}:")
            if checked.returncode:
                found = 1
                print(output)
        print(f"{len(names)} pages")
    for page in sorted(FILES_OF_THEIR_OWN.keys() & chosen):
        found |= check_files(page)
    return found


def check_files(page: Path) -> int:
    """Check the files of a distribution that a page builds.

    Args:
        page: the page.

    Returns:
        1 when mypy or pyright finds something.
    """
    found, package = 0, FILES_OF_THEIR_OWN[page]
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        (there / "pyproject.toml").write_text(FILES_CONFIG, encoding="utf-8")
        (there / package).mkdir()
        (there / package / "__init__.py").touch()
        for file, code in FILE.findall(page.read_text(encoding="utf-8")):
            # What is in no folder of its own is a module of the package.
            place = there / (file if "/" in file else f"{package}/{file}")
            place.parent.mkdir(exist_ok=True)
            place.write_text(code, encoding="utf-8")
        config = ("--config-file", str(ROOT / "pyproject.toml"))
        mypy = ("mypy", "--strict", "--no-error-summary", *config, ".")
        for checker in (mypy, ("pyright", "--pythonpath", sys.executable)):
            command = [sys.executable, "-m", *checker]
            checked = subprocess.run(command, check=False, cwd=there, capture_output=True, text=True)  # noqa: S603 - as above
            if checked.returncode:
                print(checked.stdout + checked.stderr)
                found = 1
    return found


def as_module(text: str) -> str:
    """Return the Python blocks of a page as one module, each on the lines that it has in the page."""
    lines: list[str] = []
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        lines += [""] * (first - len(lines)) + block[1].splitlines()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
