"""What was changed: one typed record a change, with what was removed inside it. Codes never change their meaning."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias, final

from attrs import frozen

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import (
    ProviderBlock,
    RedactedThinkingBlock,
    SystemBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from message_history.core.messages.media_blocks import DocumentBlock, ImageBlock
from message_history.core.values.json_values import json_text, thaw
from message_history.core.values.validators import set_state_once
from message_history.core.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.core.values.json_values import Frozen


@final
class Severity(StrEnum):
    """How much a repair touches what was there."""

    LOSSLESS = "lossless"
    """Joined, moved, reordered: all of it is still there."""
    SYNTHETIC = "synthetic"
    """Added: something that was not in the input."""
    LOSSY = "lossy"
    """Taken out: it is in the repair's `removed`, but for what was forgotten."""


@final
class RepairCode(StrEnum):
    """What kind of change a repair records."""

    RESULT_MOVED = "result_moved"
    """A result was not next to its call, and was moved there."""
    RESULTS_REORDERED = "results_reordered"
    """Results of one message were put first, in the order of their calls."""
    RESULT_REHOMED = "result_rehomed"
    """A result inside an assistant message was moved to the user message."""
    CALL_REHOMED = "call_rehomed"
    """A call inside a user message, whose result was in the list, was given to the assistant."""
    SYSTEM_REHOMED = "system_rehomed"
    """A system message inside an assistant message was moved to the user message."""
    DUPLICATE_ID_RENAMED = "duplicate_id_renamed"
    """A call had the id of another call of its turn, but another input; it and its result got an id of their own."""
    LATE_RESULT_QUOTED = "late_result_quoted"
    """A result came after its turn had settled with a stub; it is quoted as marked text, the past stays as sent."""
    SECOND_RESULT_QUOTED = "second_result_quoted"
    """Another, different result came for a call that has one; it is quoted as marked text."""
    STUB_REPLACED = "stub_replaced"
    """A real result took the place of a stub that had come in."""
    VALUE_CONVERTED = "value_converted"
    """A value that JSON cannot carry was kept in the nearest JSON form."""
    ROLE_ASSUMED = "role_assumed"
    """An entry with a role that is unknown or missing was taken as the user's."""

    RESULT_STUBBED = "result_stubbed"
    """A call had no result and got a stub: the tool may or may not have run."""
    BOOTSTRAP_ADDED = "bootstrap_added"
    """The conversation began with the assistant; a placeholder user turn was put before it."""
    CONTINUATION_ADDED = "continuation_added"
    """The conversation ended with the assistant and was to be sent; a user turn that says to go on was added."""
    ID_ASSIGNED = "id_assigned"
    """A call or result without an id was given one."""
    RESULT_REPAIRED_ID = "result_repaired_id"
    """A result had an id that no call has, in the position of a call's result; it was given that call's id."""
    NAME_ASSIGNED = "name_assigned"
    """A call without a name was given one."""
    INPUT_ASSIGNED = "input_assigned"
    """A call without an input, whose result was there, was given an empty one."""

    BLANK_TEXT_DROPPED = "blank_text_dropped"
    """Text that holds nothing but white space was dropped."""
    EMPTY_MESSAGE_DROPPED = "empty_message_dropped"
    """A message without content was dropped."""
    LEADING_ASSISTANT_DROPPED = "leading_assistant_dropped"
    """Assistant content before the first user message was dropped."""
    ORPHAN_RESULT_DROPPED = "orphan_result_dropped"
    """A result of no known call was dropped."""
    DUPLICATE_RESULT_DROPPED = "duplicate_result_dropped"
    """A second, equal result of a call was dropped."""
    DUPLICATE_CALL_DROPPED = "duplicate_call_dropped"
    """A second call with the id, name and input of another of its turn was dropped."""
    INJECTED_CALL_DROPPED = "injected_call_dropped"
    """A call inside a user message was dropped: users must not be able to make calls."""
    CALL_WITHOUT_INPUT_DROPPED = "call_without_input_dropped"
    """A call without an input and without a result was dropped."""
    INCOMPLETE_CALL_DROPPED = "incomplete_call_dropped"
    """A call whose input cannot be read, in a truncated reply, was dropped."""
    ENTRY_DROPPED = "entry_dropped"
    """An entry of the list, or a part of one, that is not a message was dropped."""
    CHOICE_PASSED_OVER = "choice_passed_over"
    """A reply held several choices; the first was taken, this one was not."""
    UNANSWERED_CALL_REMOVED = "unanswered_call_removed"
    """A call that has no real result was dropped on request, with its stub."""
    REFUSAL_REMOVED = "refusal_removed"
    """A reply in which the model refused was dropped on request, with what it answered."""
    UNSETTLED_CALL_OMITTED = "unsettled_call_omitted"
    """A call that may still run, or may have run without a result, was in what a window or `rewind` omitted."""
    CONTENT_FORGOTTEN = "content_forgotten"
    """Something was taken out for good on request, by `redact` or `erase`: no repair holds what it was."""

    WITHHELD = "withheld"
    """On export: something that the receiver does not accept was omitted."""
    REWRITTEN = "rewritten"
    """On export: something was put in a form that the receiver accepts."""
    PLACEHOLDER_ADDED = "placeholder_added"
    """On export: something the receiver demands, and that was not there, was added."""

    @property
    def severity(self) -> Severity:
        """Return how much a change of this kind touches what was there."""
        return _SEVERITY[self]


_LOSSLESS: Final = (
    RepairCode.RESULT_MOVED,
    RepairCode.RESULTS_REORDERED,
    RepairCode.RESULT_REHOMED,
    RepairCode.CALL_REHOMED,
    RepairCode.SYSTEM_REHOMED,
    RepairCode.DUPLICATE_ID_RENAMED,
    RepairCode.LATE_RESULT_QUOTED,
    RepairCode.SECOND_RESULT_QUOTED,
    RepairCode.STUB_REPLACED,
    RepairCode.VALUE_CONVERTED,
    RepairCode.ROLE_ASSUMED,
    RepairCode.REWRITTEN,
)
_SYNTHETIC: Final = (
    RepairCode.RESULT_STUBBED,
    RepairCode.BOOTSTRAP_ADDED,
    RepairCode.CONTINUATION_ADDED,
    RepairCode.ID_ASSIGNED,
    RepairCode.RESULT_REPAIRED_ID,
    RepairCode.NAME_ASSIGNED,
    RepairCode.INPUT_ASSIGNED,
    RepairCode.PLACEHOLDER_ADDED,
)
_SEVERITY: Final = {
    code: Severity.LOSSLESS if code in _LOSSLESS else Severity.SYNTHETIC if code in _SYNTHETIC else Severity.LOSSY
    for code in RepairCode
}

Removed: TypeAlias = "Block | Frozen"


@final
@frozen(kw_only=True, repr=False, eq=False)
class Repair(Value):
    """One change.

    Args:
        code: what kind of change.
        index: where in the history it happened.
        source: the entry of the raw list that it came from; None when it did not come from a list.
        removed: what was dropped or replaced: blocks, or raw values that never became one.
        added: what was put in.
        detail: the same in words, with ids and names.
    """

    code: RepairCode
    index: int
    source: int | None = None
    removed: tuple[Removed, ...] = ()
    added: tuple[Block, ...] = ()
    detail: str = ""

    @property
    def severity(self) -> Severity:
        """Return how much the change touches what was there."""
        return self.code.severity

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the calls that the change is about."""
        found = [
            getattr(block, "id", None) or getattr(block, "tool_use_id", None) for block in (*self.removed, *self.added)
        ]
        return tuple(dict.fromkeys([id for id in found if isinstance(id, str)]))

    @property
    def outline(self) -> str:
        """Return the change without any content: place, code, severity, ids and how much; this is what is logged."""
        parts = [f"{self._place}: {self.code.value} ({self.severity.value})"]
        parts += [f"ids {', '.join(f'{id!r:.80}' for id in self.ids)}"] if self.ids else []
        parts += [f"{len(self.removed)} removed"] if self.removed else []
        parts += [f"{len(self.added)} added"] if self.added else []
        return ", ".join(parts)

    @property
    def _place(self) -> str:
        return f"message {self.index}" + (f", entry {self.source}" if self.source is not None else "")

    def __str__(self) -> str:
        done = f"{self._place}: {self.code.value} ({self.severity.value})"
        return f"{done}: {self.detail}" if self.detail else done


set_state_once(Repair, "code")


_ADVICE: Final = {
    RepairCode.RESULT_STUBBED: "add the result of each call in `awaiting` first",
    RepairCode.BOOTSTRAP_ADDED: "begin with a user message",
    RepairCode.LEADING_ASSISTANT_DROPPED: "begin with a user message",
    RepairCode.CONTINUATION_ADDED: "add a user message before you send it",
}
"""What to do where something is missing, rather than wrong in what is added."""


@final
class InvariantError(ValueError):
    """What was to be added breaks a law, and the policy says not to repair it; nothing has changed.

    Args:
        violations: what would have been repaired, all of it.
    """

    def __init__(self, violations: Sequence[Repair]) -> None:
        # The text ends in logs; the violations themselves say what it was.
        found = "; ".join(violation.outline for violation in violations)
        first = _ADVICE.get(violations[0].code, "correct what you add")
        super().__init__(f'{found}; {first}, or allow the repair with Policy(on_violation="repair")')
        self.violations = tuple(violations)

    @property
    def code(self) -> RepairCode:
        """Return the code of the first violation."""
        return self.violations[0].code

    @property
    def index(self) -> int:
        """Return where in the history the first violation is."""
        return self.violations[0].index

    def __reduce__(self) -> tuple[type[InvariantError], tuple[tuple[Repair, ...]]]:
        return InvariantError, (self.violations,)


@final
class UnknownCallError(LookupError):
    """A result or a state was recorded by hand for a call that the history does not have; nothing has changed.

    Args:
        id: the id, or the key, that no call has.
        awaiting: the ids of the calls that wait for a result.
    """

    def __init__(self, id: str, awaiting: Sequence[str]) -> None:
        waiting = f"calls without a result: {', '.join(map(repr, awaiting))}" if awaiting else "no call waits for one"
        super().__init__(f"call: no call of this history has the id or the key {id!r:.80}; {waiting}")
        self.id = id
        self.awaiting = tuple(awaiting)

    def __reduce__(self) -> tuple[type[UnknownCallError], tuple[str, tuple[str, ...]]]:
        return UnknownCallError, (self.id, self.awaiting)


@final
class AmbiguousCallError(LookupError):
    """An id was given that could mean several calls; nothing has changed. Give one of them, or its key.

    Args:
        id: the id.
        calls: the calls that have it and are not settled.
    """

    def __init__(self, id: str, calls: Sequence[ToolUseBlock]) -> None:
        # No inputs: errors end in logs.
        found = "; ".join(f"{call.name!r:.80} in message {call.turn}, with the key {call.key!r}" for call in calls)
        super().__init__(f"call: the id {id!r:.80} could mean {len(calls)} calls: {found}; pass the call, or its key")
        self.id = id
        self.calls = tuple(calls)

    def __reduce__(self) -> tuple[type[AmbiguousCallError], tuple[str, tuple[ToolUseBlock, ...]]]:
        return AmbiguousCallError, (self.id, self.calls)


LONG: Final = 80
"""Texts longer than this are shortened, at a space where there is one."""
_KINDS: Final[dict[type[Block], str]] = {
    ImageBlock: "an image",
    DocumentBlock: "a document",
    ThinkingBlock: "thinking",
    RedactedThinkingBlock: "encrypted thinking",
}


def in_words(value: Removed) -> str:
    """Name a block, or a raw value that never became one, in a few words; a long text is shortened."""
    if isinstance(value, TextBlock | SystemBlock):
        kind = "system text" if isinstance(value, SystemBlock) else "text"
        return f"{kind} {_quoted(value.text)}" if value.text.strip() else f"blank {kind}"
    if isinstance(value, ToolUseBlock):
        return f"call {value.id!r:.80} of {value.name!r:.80}"
    if isinstance(value, ToolResultBlock):
        shown = ", ".join(
            _quoted(part.text) if isinstance(part, TextBlock) else in_words(part) for part in value.content
        )
        return f"result of {value.tool_use_id!r:.80}" + (f": {shown}" if shown else "")
    if isinstance(value, ProviderBlock):
        return f"a block {value.type!r:.80} of {value.dialect}" if value.type else f"a block of {value.dialect}"
    if isinstance(value, Block):
        return _KINDS.get(type(value), "a block")
    return _shortened(json_text(thaw(value)))


def _quoted(text: str) -> str:
    return f'"{_shortened(text)}"'


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= LONG:
        return line
    head, space, _ = line[:LONG].rpartition(" ")
    return f"{head if space and len(head) > LONG // 2 else line[:LONG]}… ({len(text):,} characters)"
