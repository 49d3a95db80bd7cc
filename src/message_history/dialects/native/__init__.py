"""Our own versioned saved form: what `to_list` gives, and what sessions and the command line hold, pickles in short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects.base import Dialect, Export
from message_history.dialects.native.check import RULES
from message_history.dialects.native.parse import NATIVE
from message_history.dialects.native.parse import parse as parse_list
from message_history.dialects.native.render import render as render_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.rules import Rule
    from message_history.dialects.base import Foreign
    from message_history.violations import Violation

__all__ = ["Native"]


@final
@frozen
class Native(Dialect[dict[str, Any]]):
    """Our own versioned saved form; it holds all that a history holds."""

    name: ClassVar[str] = NATIVE
    rules: ClassVar[Sequence[Rule]] = RULES

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read our own saved form; see `Dialect.parse`."""
        return parse_list(raw, foreign)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write our own saved form; see `Dialect.render`."""
        return Export(list(render_list(messages, system)))

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what breaks a law; see `Dialect.violations`."""
        from message_history.dialects.native.check import violations  # noqa: PLC0415 - who sends does without

        return violations(wire)

    def sends(self, origin: str, key: str, *, of_message: bool = False) -> bool:
        """Return whether a key is saved: all are."""
        return True

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first entry."""
        return True
