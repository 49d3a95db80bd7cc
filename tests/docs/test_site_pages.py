"""The pages of the documentation site: all are found, every public name is documented, and every example runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from tests.needs import needs_plugins

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
PAGES = sorted(DOCS.rglob("*.md"))
# These need what the quick tests do without, and are run where it is installed; or they are the parts of one program.
NEED_MORE = {DOCS / "sessions.md", *DOCS.glob("adding_a_*.md"), *(DOCS / "integrations").glob("*.md")}
NEED_MORE |= set((DOCS / "dialects").glob("*.md"))  # tests/sdks and tests/integrations run these
MADE = {"changelog.md", "clinic/index.html", "examples/index.md", "decisions/index.md"}
PUBLIC = (
    *("message_history", "message_history.dialects", "message_history.streaming", "message_history.storage"),
    *("message_history.formats", "message_history.formats.kit", "message_history.dialects.kit"),
    *("message_history.media", "message_history.windows", "message_history.explaining"),
)
RUN = ("```python\n", "```console\n$ message-history ")
EXAMPLES = [
    page for page in PAGES if any(block in page.read_text(encoding="utf-8") for block in RUN) and page not in NEED_MORE
]


def paths_in(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    inner = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ()
    return [path for part in inner for path in paths_in(part)]


def test_every_page_is_in_the_navigation() -> None:
    named = paths_in(CONFIG["nav"])
    assert len(set(named)) == len(named)
    there = {page.relative_to(DOCS).as_posix() for page in PAGES if page.parent.name != "decisions"}
    assert there | MADE == set(named)


def test_every_how_to_page_is_in_the_overview() -> None:
    overview = (DOCS / "how-to" / "index.md").read_text(encoding="utf-8")
    assert {page.name for page in (DOCS / "how-to").glob("*.md")} - {"index.md"} == set(
        re.findall(r"\]\(([\w-]+\.md)\)", overview)
    )


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    documented = set(re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE))
    if module in documented:
        return
    names = {path.rpartition(".")[2] for path in documented}
    assert set(import_module(module).__all__) - names == set()


def test_every_name_in_the_reference_exists() -> None:
    for page in (DOCS / "reference").glob("*.md"):
        for path in re.findall(r"^::: ([\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            if "integrations" in path:
                continue
            module, _, name = path.rpartition(".")
            assert name[0].islower() or hasattr(import_module(module), name), path


@pytest.mark.heavy
@needs_plugins
def test_the_examples_of_every_page_print_what_it_says() -> None:
    assert len(EXAMPLES) > 25
    command = [sys.executable, *map(str, (DOCS / "run_examples.py", *EXAMPLES))]
    checked = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_page_is_one_module_for_the_type_checkers_and_keeps_its_lines() -> None:
    sys.path.insert(0, str(DOCS))
    from check_types import LOOKS_AWAY, as_module  # noqa: PLC0415 - a script

    text = "# Page\n\n```python\nx = 1\n```\n\n```text\n1\n```\n\n```python\nprint(x)\n```\n"
    assert as_module(text).split("\n") == ["", "", "", "x = 1", *[""] * 7, "print(x)", ""]
    for line in ("cast(int, x)", "x = 1  # type: ignore[misc]", "y  # pyright: ignore"):
        assert LOOKS_AWAY.search(line)


def test_a_link_that_leads_nowhere_and_a_load_from_elsewhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="a/#one">1</a><a href="a/#two">2</a><a href="https://x.example/">3</a>'
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<h1 id="one">A</h1><a href="../">up</a><a href="../b.md">b</a>'
        '<img src="https://x.example/i.png"><img src="c.png"><p>| a |\n|---|</p>'
        "<pre><code>2**3</code></pre><p>**a**</p>"
    )
    command = [sys.executable, str(DOCS / "check_links.py"), str(tmp_path)]
    checked = subprocess.run(command, check=False, capture_output=True, text=True)
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        "a/index.html: shows |---",
        "a/index.html: shows **",
        "a/index.html: ../b.md leads nowhere",
        "a/index.html: loads https://x.example/i.png",
        "a/index.html: c.png leads nowhere",
        "index.html: a/#two leads nowhere",
    ]
