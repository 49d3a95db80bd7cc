"""Which files are read, and what they hold: found on every filesystem, hashed, and compared to find copies."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from message_history.formats.examining import find_files
from message_history_compile.places import CHUNK, SPOOLED, filesystem_of, is_http, is_url, named, open_as_it_is

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

_REPAIRED: Final = ".repaired"
_ENDINGS: Final = re.compile(r"\.((jsonl|ndjson|json)(\.gz|\.zst)?|parquet)$", re.IGNORECASE)
_MARKS: Final = ("ETag", "etag", "md5Hash", "md5", "crc32c", "content_md5", "blob_id", "sha256")
"""What filesystems say of a file's content, so that it need not be read to know whether it is the same."""


def find_inputs(inputs: Iterable[str | PathLike[str]]) -> list[str]:
    """Find the files of all places. Folders are searched, on every filesystem. Raises `FileNotFoundError`."""
    places = [str(each) for each in inputs]
    local, problems = find_files(each for each in places if not is_url(each))
    if problems:
        raise FileNotFoundError(f"{problems[0][0]}: {problems[0][1]}")
    missing = next((path for path in local if not path.exists()), None)
    if missing is not None:
        raise FileNotFoundError(f"{missing}: there is no such file")
    known = set(map(str, local))
    # The library's own search is for sessions, which nobody packs.
    folders = [Path(each) for each in places if not is_url(each) and Path(each).is_dir()]
    more = (str(path) for folder in folders for path in sorted(folder.rglob("*")) if _ENDINGS.search(path.name))
    beside = [path for path in more if path not in known and not _ends_plainly(path) and not Path(path).is_dir()]
    return [*map(str, local), *beside, *(path for each in places if is_url(each) for path in _found_at(each))]


def _ends_plainly(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in (".json", ".jsonl", ".ndjson")


def _found_at(place: str) -> list[str]:
    filesystem, path = filesystem_of(place)
    if is_http(place) or filesystem.isfile(path):
        return [place]
    found = [each for each in filesystem.find(path) if _ENDINGS.search(each)]
    if not found:
        raise FileNotFoundError(f"{named(place)}: no file there can hold conversations")
    return [filesystem.unstrip_protocol(each) for each in sorted(found)]


def hash_of(place: str) -> str:
    """Hash what a file holds, or the JSON files of a folder; empty for what cannot be read, which a run rejects.

    What a filesystem says of the content is taken, where it says it.
    """
    if is_url(place):
        filesystem, path = filesystem_of(place)
        marks = [f"{key} {value}" for key, value in filesystem.info(path).items() if key in _MARKS and value]
        if marks:
            return hashlib.sha256("\n".join(sorted(marks)).encode()).hexdigest()
    found = Path(place)
    try:
        if is_url(place) or not found.is_dir():
            return _hashed(place)
        inner = [f"{each.relative_to(found)} {hash_of(str(each))}" for each in sorted(found.rglob("*.json"))]
    except OSError:
        if is_url(place):
            raise
        return ""
    return hashlib.sha256("\n".join(inner).encode()).hexdigest()


def _hashed(place: str) -> str:
    hashed = hashlib.sha256()
    with open_as_it_is(place) as opened:
        while chunk := opened.read(CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def repaired_copies(paths: Iterable[str]) -> frozenset[str]:
    """Find the files that `repair` wrote next to one of the others: their conversations would be there twice."""
    by_stem = {(each.parent, each.stem) for each in map(Path, paths)}
    copies = (each for each in map(Path, paths) if each.stem.endswith(_REPAIRED))
    return frozenset(str(each) for each in copies if (each.parent, each.stem.removesuffix(_REPAIRED)) in by_stem)


def spooled(folder: Path) -> Path:
    """Copy the standard input to a file that its content names."""
    folder.mkdir(parents=True, exist_ok=True)
    hashed = hashlib.sha256()
    unfinished = folder / f".{SPOOLED}unfinished"
    with unfinished.open("wb") as written:
        while chunk := sys.stdin.buffer.read(CHUNK):
            hashed.update(chunk)
            written.write(chunk)
    return unfinished.replace(folder / f"{SPOOLED}{hashed.hexdigest()[:16]}")
