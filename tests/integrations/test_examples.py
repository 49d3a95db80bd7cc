"""The examples and pages of frameworks run as they are, and type checkers accept them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pyright import strict_errors

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "frameworks").glob("[a-z]*.py"))
PAGES = [*sorted((ROOT / "docs" / "integrations").glob("*.md")), ROOT / "docs" / "dialects" / "pydantic_ai.md"]
NEEDS = ("agents", "cattrs", "fastapi", "langgraph", "opentelemetry", "pydantic", "pydantic_ai")
OURS = {"openai_agents": "agents"}
"""The package that one of our integrations is for, where it has another name."""


def needs(path: Path) -> None:
    """Skip what a framework is missing for."""
    text = path.read_text(encoding="utf-8")
    integrations = re.findall(r"^from message_history\.integrations\.(\w+) import", text, re.MULTILINE)
    named = {OURS.get(name, name) for name in integrations}
    for package in NEEDS:
        wanted = package in named or re.search(rf"^(from|import) {package}\b", text, re.MULTILINE)
        if wanted and find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"}
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=600, env=environment)


# It takes as long as three hundred other tests: it is for CI.
LONG = {"hypothesis_test"}
MARKED = [pytest.param(path, id=path.stem, marks=[pytest.mark.heavy] if path.stem in LONG else []) for path in EXAMPLES]


@pytest.mark.parametrize("example", MARKED)
def test_an_example_runs_as_it_says(example: Path) -> None:
    needs(example)
    (command,) = re.findall(r"^`(python|pytest) (examples/frameworks/\w+\.py)`$", example.read_text(), re.MULTILINE)
    assert command[1] == str(example.relative_to(ROOT))
    if command[0] == "pytest":
        ran = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", command[1])
    else:
        ran = run(sys.executable, "-W", "error", command[1])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout
    assert "False" not in ran.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_a_page_print_what_it_says(page: Path) -> None:
    needs(page)
    checked = run(sys.executable, "docs/run_examples.py", str(page))
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_listed_and_every_example_is_on_a_page() -> None:
    index = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"(integrations/{page.name})" not in index] == []
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [example.name for example in EXAMPLES if f"examples/frameworks/{example.name}" not in pages] == []


def test_no_example_casts() -> None:
    for example in EXAMPLES:
        text = example.read_text(encoding="utf-8")
        assert not re.search(r"\bcast\b|type: ignore|pyright: ignore|\bAny\b", text), example.name


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_type_checker_accepts_every_example(checker: str) -> None:
    for package in NEEDS:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if shutil.which(checker, path=str(Path(sys.executable).parent)) is None:
        pytest.skip(f"{checker} is not installed")
    if checker == "pyright":
        # LangGraph leaves parts of its types out, and the SDKs that our types name are not installed here.
        unknown = {"langgraph_agent.py", "hypothesis_test.py"}
        assert strict_errors(["examples/frameworks"], without_types=unknown) == []
    else:
        checked = run(sys.executable, "-m", "mypy", "--strict", "examples/frameworks")
        assert checked.returncode == 0, checked.stdout + checked.stderr
