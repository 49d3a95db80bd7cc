"""What to install when a package is missing that only an extra needs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def not_installed(package: str | None, extra: str, of: str = "message-history") -> str:
    """Say that a package is missing, and how to install it.

    `package` is as a `ModuleNotFoundError` has it; `extra` is the extra that brings it; `of` is whose.
    """
    return f"{package} is not installed; run: pip install '{of}[{extra}]'"


@contextmanager
def needs_extra(extra: str, of: str = "message-history") -> Iterator[None]:
    """Stand around the imports of packages that an extra brings; they stay in the one file that needs them.

    Raises `ModuleNotFoundError` that says how to install a missing one.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(not_installed(error.name, extra, of), name=error.name) from None
