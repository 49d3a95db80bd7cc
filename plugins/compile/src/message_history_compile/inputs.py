"""What files are beside their names: what they hold, and which of them are copies of others."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from message_history.files.opening import opened

if TYPE_CHECKING:
    from collections.abc import Iterable

_REPAIRED: Final = ".repaired"


def hash_of(path: str) -> str:
    """Hash what a file holds, or the JSON files of a folder; empty for what cannot be read, which a run rejects."""
    found = Path(path)
    try:
        if not found.is_dir():
            with opened(found) as held:
                return hashlib.file_digest(held, "sha256").hexdigest()
        inner = [f"{each.relative_to(found)} {hash_of(str(each))}" for each in sorted(found.rglob("*.json"))]
    except OSError:
        return ""
    return hashlib.sha256("\n".join(inner).encode()).hexdigest()


def repaired_copies(paths: Iterable[str]) -> frozenset[str]:
    """Find the files that `repair` wrote next to one of the others: their conversations would be there twice."""
    by_stem = {(each.parent, each.stem) for each in map(Path, paths)}
    copies = (each for each in map(Path, paths) if each.stem.endswith(_REPAIRED))
    return frozenset(str(each) for each in copies if (each.parent, each.stem.removesuffix(_REPAIRED)) in by_stem)
