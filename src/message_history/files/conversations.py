"""One conversation in a file, whatever program wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, final

from attrs import evolve, field, frozen

from message_history.files.files import SavedFile, allow_assistant_tail, refuse_assistant_tail
from message_history.violations import Violation, check

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.dialects import Dialect
    from message_history.history import MessageHistory

_OWN_KEYS: Final = frozenset({"AN-B7"})
"""Rules on unknown keys: a program that keeps its own keys in a message removes them when it sends it."""

_OF_REQUESTS: Final = frozenset({"AN-B4"})
"""Rules on a request's end: a saved conversation that ends with the assistant goes on with a message of the user."""


@final
@frozen(kw_only=True)
class Origin:
    """Where a conversation comes from.

    Args:
        format: the name of the file's format.
        path: the file; empty when only its content is known.
        label: distinguishes the conversation from the others in the file; empty for the main one.
        id: the program's id of it; None when it has none.
        title: the title that the program or a user gave it; None when it has none.
    """

    format: str = ""
    path: str = ""
    label: str = ""
    id: str | None = None
    title: str | None = None


@final
@frozen(kw_only=True)
class Conversation:
    """One conversation in a file.

    Args:
        file: its messages, and where they are.
        origin: where it comes from.
        judged: the ids of the dialect's rules that a saved conversation of this format can break; None for all.
        tools: the definitions of its tools, as they are in the file.
        omitted: what is in the file and not in the conversation, by kind, and how often.
        places: for each entry, the position of what it came from among the items of the file.
        touched: the positions of all that is in an entry, each with that of the entry, where several make one.
    """

    file: SavedFile = field(repr=False)
    origin: Origin = Origin()
    judged: frozenset[str] | None = field(default=None, repr=False)
    tools: tuple[Any, ...] = field(default=(), repr=False)
    omitted: tuple[tuple[str, int], ...] = ()
    places: tuple[int, ...] = field(default=(), repr=False)
    touched: tuple[tuple[int, int], ...] = field(default=(), repr=False)

    @property
    def label(self) -> str:
        """Return what distinguishes it from the others in the file; empty for the main one."""
        return self.origin.label

    @property
    def known(self) -> Dialect[Any] | None:
        """Return its dialect, where the format says which it is."""
        return self.file.known

    @property
    def is_judged(self) -> bool:
        """Return whether violations are found even if no dialect is named."""
        return self.judged is None or bool(self.judged)

    def named(self, path: str) -> str:
        """Name the conversation, by its file and what distinguishes it from the others in it."""
        return f"{path} ({self.label})" if self.label else path

    def dialect(self, *, as_request: bool = False) -> Dialect[Any]:
        """Find the dialect; see `SavedFile.dialect`."""
        return self.file.dialect(as_request=as_request)

    def history(
        self,
        *,
        dialect: Dialect[Any] | None = None,
        policy: Policy | None = None,
        open_tail: Literal["stub", "keep"] = "stub",
    ) -> MessageHistory:
        """Read the conversation; see `SavedFile.history`."""
        return self.file.history(dialect=dialect, policy=policy, open_tail=open_tail)

    def violations(self, dialect: Dialect[Any] | None = None, *, as_request: bool = False) -> list[Violation]:
        """Find what the provider would refuse.

        Args:
            dialect: its dialect; None to find it.
            as_request: False for a conversation that goes on, which may end with the assistant; True for one that is
                sent as it is.

        Returns:
            What is wrong.

        Complexity: linear in the conversation.
        """
        rules = dialect if dialect is not None else self.dialect(as_request=as_request)
        judging = refuse_assistant_tail(rules) if as_request else allow_assistant_tail(rules)
        found = check(self.file.entries, judging)
        if dialect is not None:
            return found
        if not as_request:
            found = [each for each in found if each.rule not in _OF_REQUESTS]
        if not as_request and any(each.rule in _OWN_KEYS and "[" not in each.path for each in found):
            found = [each for each in found if each.rule not in _OWN_KEYS]
        return [each for each in found if self.judged is None or each.rule in self.judged]

    def located_in(self, path: str) -> Conversation:
        """Return the same conversation with the path of its file."""
        return evolve(self, origin=evolve(self.origin, path=path))
