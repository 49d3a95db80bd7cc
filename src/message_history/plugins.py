"""What other distributions add to this one: dialects, formats and commands, by entry points."""

from __future__ import annotations

import warnings
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.metadata import EntryPoint

ItemT = TypeVar("ItemT")

DIALECTS: Final = "message_history.dialects"
"""The group whose entry points name a dialect's class."""
FORMATS: Final = "message_history.formats"
"""The group whose entry points name a `Format`, or a module or package in which each `Format` is found."""
COMMANDS: Final = "message_history.commands"
"""The group whose entry points name a command of click."""

READERS: Final[list[Callable[[Any], Any]]] = []
"""What is asked about values that no dialect knows, by `dialects.elsewhere`; the formats, once there is a need."""


class PluginWarning(UserWarning):
    """A dialect, format or command of another distribution that could not be imported, and is left out."""


@cache
def entry_points_of(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted; looked up once, when first asked for."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - `import message_history` does without

    found: dict[str, EntryPoint] = {}
    for each in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        if found.setdefault(each.name, each) is not each:
            _warn(each, f"{found[each.name].value!r} has the same name")
    return MappingProxyType(found)


@cache
def plugin(group: str, name: str) -> Any:
    """Import what an entry point names; None, with a warning, when that fails."""
    return attempt(group, name, entry_points_of(group)[name].load)


def attempt(group: str, name: str, load: Callable[[], ItemT], what: str = "") -> ItemT | None:
    """Import what an entry point names, or one module of it; None, with a warning, when that fails."""
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - whatever it raises, it hurts nothing else
        leave_out(group, name, f"{type(error).__name__}: {error}", what)
        return None


def leave_out(group: str, name: str, why: str, what: str = "") -> None:
    """Warn that what an entry point names, or one module of it, is left out."""
    _warn(entry_points_of(group)[name], why, what)


def _warn(found: EntryPoint, why: str, what: str = "") -> None:
    of = f" of {found.dist.name}" if found.dist else ""
    text = f"{what or found.value}{of} ({found.group}: {found.name}) is left out: {why}"
    warnings.warn(text, PluginWarning, stacklevel=2)
