"""Output on any filesystem that fsspec has: made on this machine, and put there at the end."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from message_history_compile.places import filesystem_of, named

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def publish(make: Callable[[Path], T], out: str, last: str) -> T:
    """Make a folder and put its files to a URL; the file `last`, which says that all is there, at the end.

    The folder is in the user's cache and named by the URL, so that a run that was killed goes on. Raises
    `FileExistsError` when something else is at the URL.
    """
    filesystem, root = filesystem_of(out)
    folder = _cache() / hashlib.sha256(out.encode()).hexdigest()[:16]
    there = f"{root}/{last}"
    is_done = filesystem.exists(there)
    if is_done:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / last).write_bytes(filesystem.cat_file(there))
    elif filesystem.exists(root) and filesystem.find(root) and not (folder / last).exists():
        raise FileExistsError(f"{named(out)}: it is not empty; choose a new folder")
    try:
        made = make(folder)
    except FileExistsError as error:
        if is_done:
            shutil.rmtree(folder)
        raise FileExistsError(str(error).replace(str(folder), named(out))) from None
    if not is_done:
        files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / last)
        for path in [*files, folder / last]:
            target = f"{root}/{path.relative_to(folder).as_posix()}"
            filesystem.makedirs(target.rpartition("/")[0], exist_ok=True)
            filesystem.put_file(str(path), target)
    shutil.rmtree(folder)
    return made


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "message-history-compile"
