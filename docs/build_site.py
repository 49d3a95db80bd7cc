"""Build the documentation site, with the reference, the clinic, and every link checked.

python docs/build_site.py FOLDER

It needs the dependency group `docs`, all plug-ins, and npm for the clinic. A warning is an error. The pages are built
from a copy of `docs`, to which the examples, the changelog and what the commands print with `--help` are added.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from check_links import broken_links

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
INSTALL: Final = "pip install --group docs -e . $(printf -- '-e %s ' ./plugins/*/)"
COMMANDS: Final = (
    "check",
    "repair",
    "show",
    "convert",
    "doctor",
    "explain",
    "forget",
    "formats",
    "compile",
    "probe",
    "proxy",
)
MERMAID: Final = "12.3.0"
"""The version of the npm package that draws."""
DRAWING: Final = "```mermaid"
COMMANDS_HERE: Final = re.compile(r"<!-- commands: .* -->")
FIRST_FOUND: Final = "---\nsearch:\n  boost: 4\n---\n\n"
SOURCE_LINK: Final = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|tests|benchmarks|samples)/[^)]*\)")
"""A link to a file that is not a page: its text stays."""
EXAMPLE_LINK: Final = re.compile(r"\]\((?:\.\./)+examples/([\w/]+)\.py\)")
ASKS_GITHUB: Final = ' data-md-component="source"'
"""The theme asks GitHub for the stars of the repository whose link is marked so."""
CARD: Final = "".join(
    f'<meta property="og:{name}" content="{content}">'
    for name, content in (
        ("title", "message-history"),
        ("description", "Your agent's conversation as a value that no provider refuses."),
        ("image", "https://message-history.github.io/message-history/pictures/card.png"),
    )
)
WARNING: Final = re.compile(r"warning:|griffe: ", re.IGNORECASE)


def main(target: Path) -> int:
    """Build it.

    Args:
        target: where to; what is there of an earlier build is replaced.

    Returns:
        The exit code: 1 for a warning, or a link that leads nowhere.
    """
    missing = [name for name in ("npm", str(Path(sys.executable).with_name("zensical"))) if shutil.which(name) is None]
    packages = [path.name for path in (*ROOT.glob("src/*"), *ROOT.glob("plugins/*/src/*")) if path.name.isidentifier()]
    missing += [name for name in packages if find_spec(name) is None]
    if missing:
        print(f"missing: {', '.join(missing)}; install npm, and with this Python: {INSTALL}")
        return 1
    from build_clinic import main as build_clinic  # noqa: PLC0415 - it imports a plug-in

    with tempfile.TemporaryDirectory() as work:
        copy = Path(work)
        shutil.copytree(DOCS, copy / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__", "clinic"))
        shutil.copy(ROOT / "zensical.toml", copy)
        for name in ("src", "plugins"):
            (copy / name).symlink_to(ROOT / name)
        shutil.copy(DOCS / "attrs_signatures.py", copy)
        shutil.copy(ROOT / "CHANGELOG.md", copy / "docs" / "changelog.md")
        (copy / "docs" / "decisions" / "README.md").rename(copy / "docs" / "decisions" / "index.md")
        add_examples(copy / "docs")
        add_commands(copy / "docs" / "reference" / "command-line.md")
        add_drawings(copy)
        build_clinic(copy / "docs" / "clinic")
        built = subprocess.run(  # noqa: S603 - the command is this one
            [Path(sys.executable).with_name("zensical"), "build", "--strict"],
            check=False,
            cwd=copy,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        print(built.stdout)
        if built.returncode or WARNING.search(built.stdout):
            return 1
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(copy / "site", target)
    finish_pages(target)
    broken = broken_links(target)
    print(*broken, sep="\n")
    print(f"{sum(1 for _ in target.rglob('*.html'))} pages, {len(broken)} broken links")
    return 1 if broken else 0


def add_examples(docs: Path) -> None:
    """Make a page of each example, and let the links to the files lead there."""
    listed: list[str] = []
    for path in sorted((ROOT / "examples").rglob("*.py")):
        name = path.relative_to(ROOT / "examples").with_suffix("")
        if path.stem.startswith("__") or "strict_server" in name.parts:
            continue
        code = path.read_text(encoding="utf-8")
        page = docs / "examples" / name.with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {path.name}\n\n```python\n{code}```\n", encoding="utf-8")
        about = code.removeprefix('"""').partition("\n")[0].removesuffix('"""')
        listed.append(f"| [{path.name}]({name.as_posix()}.md) | {about} |")
    table = "\n".join(("| example | |", "|---|---|", *listed))
    (docs / "examples" / "index.md").write_text(f"# Examples\n\n{table}\n", encoding="utf-8")
    for page in docs.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        up = "../" * (len(page.relative_to(docs).parts) - 1)
        text = EXAMPLE_LINK.sub(rf"]({up}examples/\1.md)", text)
        # A task is what most readers search for: its page comes before the places that only name it.
        head = FIRST_FOUND if page.parent.name == "how-to" else ""
        page.write_text(head + SOURCE_LINK.sub(r"\1", text), encoding="utf-8")


def add_commands(page: Path) -> None:
    """Put in what each command prints with `--help`."""
    parts: list[str] = []
    for command in COMMANDS:
        asked = [sys.executable, "-m", "message_history", command, "--help"]
        printed = subprocess.run(asked, check=True, capture_output=True, text=True)  # noqa: S603 - as above
        parts.append(f"## {command}\n\n```text\n{printed.stdout}```\n")
    text = page.read_text(encoding="utf-8")
    filled = COMMANDS_HERE.sub(lambda _: "\n".join(parts), text)
    if filled == text:
        raise SystemExit(f"{page} has no place for the commands")
    page.write_text(filled, encoding="utf-8")


def add_drawings(copy: Path) -> None:
    """Let the pages with drawings load what draws them from the site itself; the theme would load it from elsewhere."""
    from build_clinic import install_from_npm  # noqa: PLC0415 - it imports a plug-in

    docs = copy / "docs"
    drawn = [page for page in docs.rglob("*.md") if DRAWING in page.read_text(encoding="utf-8")]
    script = docs / "scripts" / "mermaid.min.js"
    script.parent.mkdir()
    shutil.copy(install_from_npm(copy / "npm", "mermaid", MERMAID) / "dist" / "mermaid.min.js", script)
    for page in drawn:
        up = "../" * (len(page.relative_to(docs).parts) - 1)
        loading = f'<script src="{up}scripts/mermaid.min.js"></script>'
        page.write_text(f"{page.read_text(encoding='utf-8')}\n{loading}\n", encoding="utf-8")


def finish_pages(site: Path) -> None:
    """Let the link to the repository be a link and no more, and name the card that other sites show of a link."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if ASKS_GITHUB in text:
            finished = text.replace(ASKS_GITHUB, "").replace("</head>", f"{CARD}</head>", 1)
            page.write_text(finished, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
