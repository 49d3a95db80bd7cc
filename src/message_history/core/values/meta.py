"""What travels with a block without being its content, and what this library notes about blocks."""

from __future__ import annotations

from itertools import compress, product
from typing import Any, Final, Literal, TypeAlias, final

from attrs import asdict, field, frozen

from message_history.core.values.json_values import EMPTY, MAX_INT, MIN_INT, FrozenDict, thaw, with_whole_pairs
from message_history.core.values.value import Value

StubReason: TypeAlias = Literal[
    "not_recorded", "interrupted", "cancelled", "pending", "proposed", "approved", "denied", "started"
]
MarkKind: TypeAlias = Literal[
    "stub",
    "bootstrap",
    "continuation",
    "quote",
    "renamed",
    "held",
    "state",
    "approval",
    "decided",
    "edited",
    "forgotten",
]
UNRECORDED: Final = ("not_recorded", "interrupted", "proposed")
"""The reasons of stubs that nobody recorded."""
Runner: TypeAlias = Literal["", "client", "provider"]


def plain_text(value: str) -> str:
    """Take the text of what only derives from `str`, whose methods could say anything; the validators see all else."""
    return with_whole_pairs(str.__str__(value)) if isinstance(value, str) else value  # type: ignore[redundant-expr]


def text_as_it_came(value: str | None) -> str | None:
    """Take the text of what only derives from `str`, and change nothing in it; None stays None."""
    return value if value is None or type(value) is str else str.__str__(value)


@final
@frozen(kw_only=True, repr=False, eq=False)
class Decision(Value):
    """What somebody recorded of a call."""

    state: str = field(converter=plain_text)  # the state, in the word of `StubReason`
    by: str = field(default="", converter=plain_text)  # who decided, or which worker holds the call
    at: float | None = None  # when, in seconds since 1970
    until: float | None = None  # until when it holds: a call that was started is unknown from then on
    reason: str = field(default="", converter=plain_text)  # why
    input: FrozenDict | None = None  # the arguments that it runs with, where a person edited those that were proposed


@final
@frozen(kw_only=True, repr=False, eq=False)
class Mark(Value):
    """A note of this library about a block that it made or changed; no provider ever gets it."""

    # `stub` (a result we made), `bootstrap` or `continuation` (a user turn we made), `quote` (the heading of a tool
    # result that is quoted as text), `renamed` (a call whose id was taken), `held` (a call that only the provider has,
    # which a list that goes on from there does not show), `state` (the news that a call of a settled turn has another
    # state), `approval` (a call for which its provider asks a person; the result of one that was approved; a provider's
    # block that holds the result of such a call), `decided` (the result of a call of which more was recorded than its
    # state), `edited` (a text that says that a person edited arguments), `forgotten` (in place of a content that
    # was removed for good).
    kind: MarkKind
    # Why there is a stub, or why a content was removed; for a quote `late` or `second`, or `omitted` when a window
    # took its call; for news of a state the reason that a stub would have; for a call that asks for approval who runs
    # it, `client` or `provider`; for a `bootstrap` the dialect in which the list came that began with the assistant, or
    # with an empty text of the user, where that dialect's providers may take it.
    reason: str = field(default="", converter=plain_text)
    # The call that a quote belongs to, or the id that a renamed call came with.
    tool_use_id: str = field(default="", converter=plain_text)
    name: str = field(default="", converter=plain_text)  # the tool that a quote belongs to
    is_error: bool = False  # whether a quoted result was an error
    blocks: int = 0  # how many blocks after a quote's heading belong to it
    detail: str = field(default="", converter=plain_text)  # the reason that a person gave for denying a call
    # All that was recorded of the call, oldest first, where that is more than `reason` and `detail` say.
    decisions: tuple[Decision, ...] = ()
    # The key of the call that a stub, a quote or news is about; like its place, no part of the value.
    key: str = field(default="", converter=plain_text, eq=False)

    def recorded(self) -> tuple[Decision, ...]:
        """Return all that was recorded of the call that this stub, news, quote or result is about, oldest first."""
        if self.decisions or self.kind not in ("stub", "state") or self.reason in UNRECORDED:
            return self.decisions
        return (Decision(state=self.reason, reason=self.detail),)


def decision_as_json(decision: Decision) -> dict[str, Any]:
    """Write a decision as the saved form has it."""
    input = {"input": thaw(decision.input)} if decision.input is not None else {}
    fields = asdict(decision, recurse=False).items()
    return {key: value for key, value in fields if value not in ("", None) and key != "input"} | input


def mark_as_json(mark: Mark) -> dict[str, Any]:
    """Write a mark as the saved form has it."""
    empty = Mark(kind=mark.kind)
    fields = asdict(mark, recurse=False)
    fields["decisions"] = list(map(decision_as_json, mark.decisions)) or ()
    return {key: value for key, value in fields.items() if key == "kind" or value != getattr(empty, key)}


def is_decided(mark: object) -> bool:
    """Return whether a mark, plain JSON of the saved form, is as it is written, and says only what was decided."""
    if type(mark) is not dict or tuple(mark) not in _DECIDED or mark["kind"] != "decided":
        return False
    found, key = mark["decisions"], mark.get("key", "-")
    return type(found) is list and found != [] and all(map(_is_decision, found)) and type(key) is str and key != ""


def _is_decision(value: object) -> bool:
    if type(value) is not dict or tuple(value) not in _DECISIONS:
        return False
    for key, item in value.items():
        is_time = key in ("at", "until") and type(item) in (float, int) and MIN_INT < item < MAX_INT
        if not is_time and (type(item) is not str or not item or key in ("at", "until")):
            return False
    return True


def decided(mark: dict[str, Any]) -> Mark:
    """Read a mark that `is_decided`."""
    decisions = tuple(Decision(**each) for each in mark["decisions"])
    return Mark(kind="decided", decisions=decisions, key=mark.get("key", ""))


_DECIDED: Final = (("kind", "decisions", "key"), ("kind", "decisions"))
_DECISIONS: Final = frozenset(
    ("state", *compress(("by", "at", "until", "reason"), there)) for there in product((True, False), repeat=4)
)
"""The keys that a decision may have, in the order in which they are written; one with other arguments is rare."""


@final
@frozen(kw_only=True, repr=False, eq=False)
class Meta(Value):
    """What travels with a block without being its content.

    Args:
        extra: the block's keys that we have no field for, by the dialect they came from.
        carried: keys of the message that this block opened, by the dialect they came from.
        mark: what this library says about the block.
        issuer: the dialect that signed or encrypted the block; None when it did not say.
        signature: a provider's signature on a block that is not thinking.
        arguments: the provider's own text of a call's input, sent back unchanged.
        converted: what had to be converted to become JSON; recorded once as a repair, then dropped.
        key: the key of a call that is no longer where it arrived; no part of the value.
    """

    extra: FrozenDict = EMPTY
    carried: FrozenDict = EMPTY
    mark: Mark | None = None
    issuer: str | None = None
    signature: str | None = field(default=None, converter=text_as_it_came)
    arguments: str | None = field(default=None, converter=text_as_it_came)
    converted: tuple[str, ...] = ()
    key: str = field(default="", eq=False)
