"""Warn, in Python's development mode, where a history that a method returned is dropped at once.

`history.add(message)` on a line of its own changes nothing: it is the append that a list would have had. Imported by
the package with `python -X dev` or `PYTHONDEVMODE=1` alone, so it costs nothing otherwise.
"""

from __future__ import annotations

import dis
import sys
import warnings
from functools import wraps
from inspect import get_annotations, isfunction
from typing import TYPE_CHECKING, Any, Final

from message_history.history import MessageHistory

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_POP: Final = dis.opmap["POP_TOP"]
_CACHE: Final = dis.opmap["CACHE"]


class DiscardedHistoryWarning(UserWarning):
    """A history that a method returned is not used; histories do not change, so nothing was added to any."""


def methods() -> list[str]:
    """Return the names of the methods that return a history which goes on from the one they are called on."""
    found = {name: value for name, value in vars(MessageHistory).items() if isfunction(value) and name[0] != "_"}
    return [name for name, value in found.items() if get_annotations(value).get("return") == "MessageHistory"]


def watch() -> None:
    """Have each of these methods warn where its caller drops what it returns."""
    for name in methods():
        setattr(MessageHistory, name, _watched(getattr(MessageHistory, name)))


def _watched(method: Callable[..., MessageHistory]) -> Callable[..., MessageHistory]:
    @wraps(method)
    def watched(*args: Any, **more: Any) -> MessageHistory:
        found = method(*args, **more)
        if _drops_the_result(sys._getframe(1)):
            name = method.__name__
            text = f"the history that {name}() returned is dropped; write history = history.{name}(...)"
            warnings.warn(text, DiscardedHistoryWarning, stacklevel=2)
        return found

    return watched


def _drops_the_result(frame: FrameType) -> bool:
    """Return whether the next thing that a caller does is to pop what it was given."""
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while code[place] == _CACHE:
        place += 2
    return code[place] == _POP
