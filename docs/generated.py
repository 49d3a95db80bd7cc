"""Write pages that are made from the code, or check that they are current."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["write_or_check", "write_or_check_all"]


def write_or_check(page: Path, fresh: str, script: str, arguments: list[str]) -> int:
    """Write one page, or check it.

    Args:
        page: where it is.
        fresh: what it should say.
        script: what makes it.
        arguments: `--check`, and the page if it is another.

    Returns:
        The exit code: 1 when the page is to be checked, and is stale.
    """
    paths = [Path(argument) for argument in arguments if argument != "--check"]
    return write_or_check_all({paths[0] if paths else page: fresh}, script, check="--check" in arguments)


def write_or_check_all(pages: Mapping[Path, str], script: str, *, check: bool) -> int:
    """Write pages, or check them.

    Args:
        pages: what each should say.
        script: what makes them.
        check: whether to check only.

    Returns:
        The exit code: 1 when the pages are to be checked, and one is stale.
    """
    stale = 0
    for page, fresh in pages.items():
        if page.exists() and page.read_text(encoding="utf-8") == fresh:
            continue
        if check:
            print(f"{page}: STALE; run: python docs/{script}")
            stale = 1
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(fresh, encoding="utf-8")
    return stale
