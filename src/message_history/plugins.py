"""What other distributions add to this one: dialects, formats and commands, by entry points."""

from __future__ import annotations

import warnings
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

DIALECTS: Final = "message_history.dialects"
"""The group whose entry points name a dialect's class."""
FORMATS: Final = "message_history.formats"
"""The group whose entry points name a `Format`, or a module or package in which each `Format` is found."""
COMMANDS: Final = "message_history.commands"
"""The group whose entry points name a command of click."""


class PluginWarning(UserWarning):
    """A dialect, format or command of another distribution that could not be imported, and is left out."""


@cache
def entry_points_of(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted; looked up once, when first asked for."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - `import message_history` does without

    return MappingProxyType({each.name: each for each in sorted(entry_points(group=group), key=lambda each: each.name)})


@cache
def plugin(group: str, name: str) -> Any:
    """Import what an entry point names; None, with a warning, when that fails."""
    found = entry_points_of(group)[name]
    try:
        return found.load()
    except Exception as error:  # noqa: BLE001 - whatever it raises, it hurts nothing else
        of = f" of {found.dist.name}" if found.dist else ""
        warnings.warn(
            f"{found.value!r}{of} ({group}: {name}) is left out, since it cannot be imported: "
            f"{type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=2,
        )
        return None
