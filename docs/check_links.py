"""Find the links of a built site that lead nowhere, what would be loaded from another host, and Markdown that shows.

python docs/check_links.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

LOADING: Final = {("script", "src"), ("img", "src"), ("source", "srcset"), ("iframe", "src")}
MARKS: Final = ("|---", "**", "](", "```")
"""What a reader sees only where Markdown was not understood."""
CODE: Final = frozenset({"code", "pre", "script", "style"})
RELATIONS: Final = frozenset({"stylesheet", "icon", "preload", "modulepreload"})


class _Page(HTMLParser):
    """The links of a page, what it loads, and where in it a link can lead."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = {""}
        self.shown: list[str] = []
        self._inside = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside += tag in CODE
        found = {name: value or "" for name, value in attrs}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        for name, value in found.items():
            loads = (tag, name) in LOADING
            loads = loads or (tag == "link" and name == "href" and bool(RELATIONS & set(found.get("rel", "").split())))
            if loads:
                self.loads.append(value)
            elif name == "href" and tag == "a":
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag in CODE

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.shown += [mark for mark in MARKS if mark in data]


def broken_links(site: Path) -> list[str]:
    """Find what leads nowhere.

    Args:
        site: the folder of the site.

    Returns:
        A line for each link or file that is missing, for each thing that is loaded from another host, and for each
        mark of Markdown that a reader would see.
    """
    pages = {path.resolve(): _Page(path) for path in sorted(site.rglob("*.html"))}
    wrong: list[str] = []
    for path, page in pages.items():
        wrong += [f"{path.relative_to(site.resolve())}: shows {mark}" for mark in page.shown]
        # What the page for missing pages names counts from wherever it is shown.
        base = site if path.name == "404.html" else path.parent
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    wrong.append(f"{path.relative_to(site.resolve())}: loads {link}")
                continue
            to = site / parts.path.lstrip("/") if parts.path.startswith("/") else base / unquote(parts.path)
            target = path if not parts.path else to.resolve()
            target = target / "index.html" if target.is_dir() else target
            known = pages.get(target)
            anchor_known = known is None or unquote(parts.fragment) in known.anchors
            if not target.exists() or not anchor_known:
                wrong.append(f"{path.relative_to(site.resolve())}: {link} leads nowhere")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = broken_links(Path(sys.argv[1]))
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
