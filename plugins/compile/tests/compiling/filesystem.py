"""A file system elsewhere, in memory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from message_history_compile import inputs, places, publishing

if TYPE_CHECKING:
    import pytest


class Filesystem:
    """Stands for one of fsspec."""

    def __init__(self, files: dict[str, bytes], about: dict[str, Any] | None = None) -> None:
        self.files, self.about = files, about or {}
        self.put: list[str] = []
        self.folders: list[str] = []

    def isfile(self, path: str) -> bool:
        return path in self.files

    def find(self, path: str) -> list[str]:
        return [each for each in self.files if each.startswith(f"{path}/")]

    def unstrip_protocol(self, path: str) -> str:
        return f"mem://{path}"

    def info(self, _: str) -> dict[str, Any]:
        return self.about

    def open(self, path: str, _: str, **__: Any) -> io.BytesIO:
        return io.BytesIO(self.files[path])

    def exists(self, path: str) -> bool:
        return path in self.files or bool(self.find(path)) or path in self.folders

    def cat_file(self, path: str) -> bytes:
        return self.files[path]

    def makedirs(self, path: str, *, exist_ok: bool) -> None:
        assert exist_ok
        self.folders.append(path)

    def put_file(self, path: str, target: str) -> None:
        assert target.rpartition("/")[0] in self.folders
        self.files[target] = Path(path).read_bytes()
        self.put.append(target)


def use(filesystem: Filesystem, monkeypatch: pytest.MonkeyPatch) -> Filesystem:
    for module in (inputs, places, publishing):
        monkeypatch.setattr(module, "filesystem_of", lambda place: (filesystem, place.partition("://")[2]))
    return filesystem
