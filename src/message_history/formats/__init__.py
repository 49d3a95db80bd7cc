"""Session files of other programs: recognised, read, repaired and written again, each in its own format."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from message_history.files.conversations import Conversation, Origin
    from message_history.formats.reading import SessionFile, from_file, read_session
    from message_history.formats.values import from_data

__all__ = ["Conversation", "Origin", "SessionFile", "from_data", "from_file", "read_session"]

_PLACES: Final = {
    "Conversation": "files.conversations",
    "Origin": "files.conversations",
    "SessionFile": "formats.reading",
    "from_data": "formats.values",
    "from_file": "formats.reading",
    "read_session": "formats.reading",
}


if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"message_history.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
