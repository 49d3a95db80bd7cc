"""Dialects that find in the files of their folder what writes, checks and describes requests, when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from attrs import frozen

from message_history.dialects.base import Dialect, Export

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.dialects._shared.writer import Changes
    from message_history.violations import Violation

WireT_co = TypeVar("WireT_co", covariant=True)


class Render(Protocol):
    """What the class `Render` of a `render.py` is; one is made for each list."""

    changes: Changes

    def written(self, messages: Sequence[Message], system: Sequence[SystemBlock]) -> tuple[list[Any], Any]:
        """Write a whole conversation, and the system prompt that is sent next to it."""


@cache
def _of_file(package: str, file: str, name: str) -> Any:
    return getattr(import_module(f"{package}.{file}"), name)


@frozen(repr=False, eq=False)
class ByFolder(Dialect[WireT_co]):
    """A dialect with `Render` in `render.py` and `violations` in `check.py`."""

    def _of_folder(self, file: str, name: str) -> Any:
        return _of_file(type(self).__module__, file, name)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """See `Dialect.render`."""
        render: Render = self._of_folder("render", "Render")(self)
        return Export(*render.written(list(messages), system), tuple(render.changes.repairs))

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """Write what `render` does, without its records; see `Dialect.write`."""
        render: Render = self._of_folder("render", "Render")(self)
        render.changes.wanted = False
        return render.written(list(messages), system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """See `Dialect.violations`."""
        found: list[Violation] = self._of_folder("check", "violations")(wire, self)
        return found


@frozen(repr=False, eq=False)
class OfRequests(ByFolder[WireT_co]):
    """A dialect of an API: its render has a `turn` that writes a turn alone, and there is `FORM` in `tools.py`."""

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[WireT_co] | None:
        """See `Dialect.write_turn`."""
        messages = [message for message in (assistant, user) if message is not None]
        written: list[WireT_co] | None = self._of_folder("render", "Render")(self).turn(messages)
        return written

    def tool_form(self) -> ToolForm:
        """See `Dialect.tool_form`."""
        form: ToolForm = self._of_folder("tools", "FORM")
        return form
