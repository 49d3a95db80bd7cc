"""Distributions laid out as if they were installed, with entry points, and plug-ins that are found anew."""

from __future__ import annotations

import sys
from importlib import import_module
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from message_history import dialects, plugins
from message_history.dialects import registry as dialect_registry
from message_history.formats import registry as format_registry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def lay_out(folder: Path, name: str, points: Mapping[str, Mapping[str, str]], files: Mapping[str, str]) -> Path:
    """Write what a distribution installs, its files and its entry points by group; return where to import from."""
    place = folder / name
    about = place / f"{name}-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {at}\n" for key, at in named.items()) for group, named in points.items()
    ]
    (about / "entry_points.txt").write_text("".join(lines))
    for path, text in files.items():
        file = place / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        # Another test may have imported one of this name.
        sys.modules.pop(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."), None)
    return place


def forget_plugins() -> None:
    """Let plug-ins be found anew, and `explain` index their rules."""
    explaining = [import_module(f"message_history.explaining.{name}") for name in ("known", "matching", "topics")]
    modules: list[Any] = [plugins, dialects, dialect_registry, format_registry, *explaining]
    for module in modules:
        for found in vars(module).values():
            if hasattr(found, "cache_clear") and found.__module__ == module.__name__:
                found.cache_clear()
