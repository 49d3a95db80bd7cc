"""The pages are current: drawings, lists, examples, and the names of tests that they mention."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.test_named_tests import NAMES
from tests.needs import needs_plugins

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])

REQUEST = 'anthropic.Anthropic().messages.create(model="claude-opus-4-6", max_tokens=9, '


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DOCS / script), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=300)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("script", "page"),
    [
        ("draw_states.py", "design.md"),
        ("draw_states.py", "approvals.md"),
        ("list_codes.py", "repair_codes.md"),
        pytest.param("list_formats.py", "formats.md", marks=needs_plugins),
    ],
)
def test_what_is_generated_is_current(script: str, page: str, tmp_path: Path) -> None:
    checked = run(script, "--check")
    assert checked.returncode == 0, checked.stdout
    copy = tmp_path / page
    shutil.copy(DOCS / page, copy)
    assert run(script, "--check", copy).returncode == 0
    text = copy.read_text(encoding="utf-8")
    stale = re.sub(r"^\| `(\w+)`", r"| `\1_stale`", text, flags=re.MULTILINE)
    assert stale != text
    copy.write_text(stale, encoding="utf-8")
    refused = run(script, "--check", copy)
    assert refused.returncode == 1
    assert "STALE" in refused.stdout
    assert copy.read_text(encoding="utf-8") == stale
    assert run(script, copy).returncode == 0
    assert copy.read_text(encoding="utf-8") == text


@pytest.mark.heavy
def test_the_examples_of_the_readme_print_what_it_says() -> None:
    checked = run("run_examples.py", "README.md")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_drawings_of_a_session_are_what_becomes_of_it(tmp_path: Path) -> None:
    checked = run("draw_session.py", "--check")
    assert checked.returncode == 0, checked.stdout
    assert run("draw_session.py", "--check", tmp_path).returncode == 1


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 935


def test_a_stale_or_failing_example_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for block, why in (
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "STALE"),
        ("```python\nraise ValueError('oops')\n```\n", "STALE"),
        ("```python\nprint(1)\n```\n\nProse.\n\n```text\n1\n```\n", "STALE"),
        ("```console\n$ message-history check samples/broken_session.json; echo $?\n0\n```\n", "STALE"),
        ("```python\nprint(1)\n```\n\n```text\n1\n```\n", "print what it says"),
    ):
        judge(page, block, why)


@needs_plugins
def test_a_request_of_an_example_is_judged_by_the_strict_server(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    refused = f"```python\nimport anthropic\n\n{REQUEST}messages=[])\n```\n"
    taken = refused.replace("[]", '[{"role": "user", "content": "Hi"}]')
    judge(page, refused, "STALE")
    judge(page, taken, "print what it says")


def judge(page: Path, block: str, why: str) -> None:
    page.write_text(f"# Page\n\n{block}", encoding="utf-8")
    checked = run("run_examples.py", page)
    assert why in checked.stdout
    assert checked.returncode == (why == "STALE")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_and_file_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [name for name in re.findall(r"`(test_\w+)`", text) if name not in NAMES] == []
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    named = re.findall(r"`((?:tests|docs|samples|src|\.ci)/[\w./]+)`", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_law_and_every_row_names_its_test() -> None:
    text = (DOCS / "design.md").read_text(encoding="utf-8")
    laws = re.findall(r"^\| L(\d+) .*\| `(test_law_(\d+)_\w+)` \|$", text, re.MULTILINE)
    assert [(int(number), int(named)) for number, _, named in laws] == [(n, n) for n in range(1, 13)]
    rows = text.partition("| what | becomes | test |\n|---|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert len(rows) >= 18
    assert [row for row in rows if not re.search(r"\| `test_row_\w+` \|$", row)] == []


def test_the_readme_has_one_command_for_the_main_job_and_one_for_the_tests() -> None:
    commands = re.findall(r"^```sh\n(python3 -m venv .*)\n```$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 2
    job, tests = commands
    assert " && .venv/bin/message-history repair --force samples/broken_session.json" in job
    assert tests.endswith("&& .venv/bin/pytest")


def test_the_ci_runs_the_readmes_test_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert "README.md" in text.partition("test_command=")[2].partition("\n")[0]
    for tool in ("mypy", "ruff", "docs/run_examples.py README.md"):
        assert tool in text
