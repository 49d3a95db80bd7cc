"""The tagged form: a toy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects.kit import Dialect, Export, Parsed, Rule, export_list
from message_history_example.tagged import schema
from message_history_example.tagged.check import violations as find_violations
from message_history_example.tagged.parse import parse as parse_list
from message_history_example.tagged.render import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history import Message, SystemBlock, Violation
    from message_history.dialects.kit import Foreign


@final
@frozen(kw_only=True)
class Tagged(Dialect[dict[str, Any]]):
    """The tagged form; no model of it differs, so there are no fields."""

    name: ClassVar[str] = schema.TAGGED
    rules: ClassVar[Sequence[Rule]] = schema.RULES

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list; see `Dialect.parse`."""
        return parse_list(raw, foreign)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write a list; see `Dialect.render`."""
        return export_list(Writer(), messages, system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what is refused; see `Dialect.violations`."""
        return find_violations(wire)

    def owns(self, entry: Mapping[Any, Any]) -> bool:
        """Return whether an entry says whom it is from; see `Dialect.owns`."""
        speaker = entry.get("speaker")
        return isinstance(speaker, str) and speaker in schema.ROLES

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first entry."""
        return True
