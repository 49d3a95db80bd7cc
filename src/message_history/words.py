"""What each repair did, and what to do where none helps, in a few words for a reader."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from message_history.core.messages.repairs import RepairCode, Severity, in_words

if TYPE_CHECKING:
    from message_history.core.messages.repairs import Repair

SEVERITIES: Final = {
    Severity.LOSSLESS: "nothing was lost",
    Severity.SYNTHETIC: "something was added",
    Severity.LOSSY: "something was removed",
}
DONE: Final = {Severity.LOSSY: "removed", Severity.SYNTHETIC: "added", Severity.LOSSLESS: "moved or reshaped"}

TITLES: Final = {
    RepairCode.RESULT_MOVED: "Moved a tool result next to its call",
    RepairCode.RESULTS_REORDERED: "Put tool results in the order of their calls",
    RepairCode.RESULT_REHOMED: "Moved a tool result out of an assistant message",
    RepairCode.CALL_REHOMED: "Moved a call out of a user message",
    RepairCode.SYSTEM_REHOMED: "Moved a system message out of an assistant message",
    RepairCode.DUPLICATE_ID_RENAMED: "Renamed a call whose id was taken",
    RepairCode.LATE_RESULT_QUOTED: "Quoted a tool result that came too late",
    RepairCode.SECOND_RESULT_QUOTED: "Quoted a second result of one call",
    RepairCode.STUB_REPLACED: "Replaced a stub with the real result",
    RepairCode.VALUE_CONVERTED: "Converted a value that JSON cannot hold",
    RepairCode.ROLE_ASSUMED: "Took an entry without a known role as the user's",
    RepairCode.RESULT_STUBBED: "Added a stub for a call without a result",
    RepairCode.BOOTSTRAP_ADDED: "Added a user message at the beginning",
    RepairCode.CONTINUATION_ADDED: "Added a user message at the end",
    RepairCode.ID_ASSIGNED: "Gave an id to a call or a result",
    RepairCode.RESULT_REPAIRED_ID: "Gave a result the id of the call that it stands for",
    RepairCode.NAME_ASSIGNED: "Gave a name to a call",
    RepairCode.INPUT_ASSIGNED: "Gave an empty input to a call",
    RepairCode.BLANK_TEXT_DROPPED: "Removed blank text",
    RepairCode.EMPTY_MESSAGE_DROPPED: "Removed an empty message",
    RepairCode.LEADING_ASSISTANT_DROPPED: "Removed what came before the first user message",
    RepairCode.ORPHAN_RESULT_DROPPED: "Removed a result that answers no call",
    RepairCode.DUPLICATE_RESULT_DROPPED: "Removed an equal second result",
    RepairCode.DUPLICATE_CALL_DROPPED: "Removed an equal second call",
    RepairCode.INJECTED_CALL_DROPPED: "Removed a call from a user message",
    RepairCode.CALL_WITHOUT_INPUT_DROPPED: "Removed a call without an input",
    RepairCode.INCOMPLETE_CALL_DROPPED: "Removed a truncated call",
    RepairCode.ENTRY_DROPPED: "Removed an entry that is not a message",
    RepairCode.CHOICE_PASSED_OVER: "Left a second choice of a reply",
    RepairCode.UNANSWERED_CALL_REMOVED: "Removed a call without a result",
    RepairCode.REFUSAL_REMOVED: "Removed a refusal, and what it refused, on request",
    RepairCode.UNSETTLED_CALL_OMITTED: "Left out a call of which nobody knows yet what becomes of it",
    RepairCode.CONTENT_FORGOTTEN: "Forgot something, on request",
    RepairCode.WITHHELD: "Omitted what the provider does not accept",
    RepairCode.REWRITTEN: "Rewrote something in a form that the provider accepts",
    RepairCode.PLACEHOLDER_ADDED: "Added what the provider demands",
}

REASONS: Final = {
    "not_recorded": "no result is recorded",
    "interrupted": "it was interrupted",
    "cancelled": "it was cancelled",
    "pending": "it waits for approval",
    "proposed": "it has not run",
    "approved": "it may run and has not started",
    "denied": "it was denied",
    "started": "it was started",
}
"""What the reason of a stub says."""

_NO_REPAIR: Final = ("Nothing", "None", "The list is not at fault", "The text does not say")
"""How a rule begins what is done about it when a repaired list would not help."""
_WHY_NOT: Final = re.compile(r"(?:Nothing|None)(?: in a render| is possible)?: ")
"""What such a beginning ends with before it says why."""


def detail_of(repair: Repair) -> str:
    """Say in one sentence or less what a repair was about, without the value; nothing where its title says all."""
    if repair.code is RepairCode.RESULT_STUBBED:
        about, _, reason = repair.detail.rpartition(", ")
        return f"{about}: {REASONS[reason]}" if reason in REASONS else repair.detail
    if repair.code is RepairCode.BLANK_TEXT_DROPPED:
        return repair.detail
    return repair.detail or ", ".join(map(in_words, (*repair.removed, *repair.added)))


def instead_of_repair(repair: str) -> str:
    """Say what to do about a rule that no repair of the list helps with; an empty text where one does."""
    if not repair.startswith(_NO_REPAIR):
        return ""
    done = repair.replace("Nothing yet: ", "no repair does that yet: ", 1)
    return _WHY_NOT.sub("no repair of the list helps: ", done, count=1)
