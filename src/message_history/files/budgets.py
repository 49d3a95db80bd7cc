"""How much memory may be made of a file: in proportion to its size, whatever it unpacks to."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_EACH_BYTE: Final = 12
_OF_ALL: Final = 40 * 1024 * 1024
_OBJECT: Final = 300
_LIST: Final = 170
LINE: Final = 600
"""The memory of a line that holds an object, besides the object."""
CONVERSATION: Final = 1_000
_left: ContextVar[list[int] | None] = ContextVar("left", default=None)


@final
class OverBudgetError(Exception):
    """A file would take far more memory than its size suggests."""

    def __init__(self) -> None:
        super().__init__("it would take many times its size in memory: split it, or unpack it and read what is in it")


@contextmanager
def budget(size: int) -> Iterator[None]:
    """Limit the memory for what is read of a file of so many bytes."""
    token = _left.set([_OF_EACH_BYTE * size + _OF_ALL])
    try:
        yield
    finally:
        _left.reset(token)


def left() -> int | None:
    """Return how many bytes may still be made of the file that is read; None where nobody counts."""
    found = _left.get()
    return None if found is None else found[0]


def spend(size: int) -> None:
    """Count bytes that are about to be taken. Raises `OverBudgetError` when they are too many."""
    found = _left.get()
    if found is not None:
        found[0] -= size
        if found[0] < 0:
            raise OverBudgetError


def spend_on_json(data: bytes) -> None:
    """Count the memory of the objects that JSON will become; also of those in texts, which may be read too."""
    spend(_LIST * data.count(b"[") + _OBJECT * data.count(b"{"))
