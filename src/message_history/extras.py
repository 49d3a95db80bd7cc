"""What to install when a package is missing that only an extra needs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def not_installed(package: str | None, extra: str, of: str = "message-history") -> str:
    """Say how to install a package, as `ModuleNotFoundError` names it, by an extra of a distribution."""
    return f"{package} is not installed; run: pip install '{of}[{extra}]'"


@contextmanager
def needs_extra(extra: str, of: str = "message-history") -> Iterator[None]:
    """Stand around imports of packages that an extra brings, and say how to install one that is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(not_installed(error.name, extra, of), name=error.name) from None
