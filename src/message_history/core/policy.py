"""What a history does where there is a choice: one frozen value, no global settings."""

from __future__ import annotations

from typing import Final, Literal, final

from attrs import field, frozen
from attrs.validators import in_

from message_history.core.blocks import is_blank
from message_history.core.json_values import short_repr

__all__ = ["Policy"]


def _check_text(_: object, attribute: object, value: object) -> None:
    if not isinstance(value, str) or is_blank(value):
        raise ValueError(
            f"{getattr(attribute, 'name', 'text')} must be a text that is not blank, not {short_repr(value)}"
        )


@final
@frozen(kw_only=True)
class Policy:
    """How a history repairs what is added to it.

    Args:
        leading_assistant: what becomes of an assistant message that comes first: `bootstrap` puts a marked placeholder
            user message before it, `drop` drops it.
        on_violation: `repair` repairs and records; `raise` applies lossless repairs and raises `InvariantError`
            instead of any other.
        stub_text: the text of a stub for a call of which nothing is known. It must not claim that the tool failed: it
            may or may not have run.
        proposed_text: the text of a stub for a call that has not run yet.
        waiting_text: the text of a stub for a call that waits for approval.
        approved_text: the text of a stub for a call that was approved and has not started.
        denied_text: the text of a stub for a call that was denied; the reason is added to it.
        started_text: the text of a stub for a call that was started and has no result.
        cancelled_text: the text of a stub for a call that was cancelled before it started.
        bootstrap_text: the text of the placeholder user message.
        continuation_text: the text of the user message that is added where a provider refuses a list that ends with
            an assistant message.

    Raises:
        ValueError: for a choice that is none of these, or a blank text.
    """

    leading_assistant: Literal["bootstrap", "drop"] = field(default="bootstrap", validator=in_(("bootstrap", "drop")))
    on_violation: Literal["repair", "raise"] = field(default="repair", validator=in_(("repair", "raise")))
    stub_text: str = field(
        default="[No result is recorded for this call. The tool may or may not have run.]", validator=_check_text
    )
    proposed_text: str = field(default="[This call has not run yet.]", validator=_check_text)
    waiting_text: str = field(default="[This call has not run yet. It waits for approval.]", validator=_check_text)
    approved_text: str = field(default="[This call was approved. It has not run yet.]", validator=_check_text)
    denied_text: str = field(
        default="[This call was denied and did not run. Do not repeat it unless you are asked to.]",
        validator=_check_text,
    )
    started_text: str = field(
        default="[This call was started, and no result is recorded. It may have taken effect: check it.]",
        validator=_check_text,
    )
    cancelled_text: str = field(default="[This call was cancelled before it started.]", validator=_check_text)
    bootstrap_text: str = field(default="[The conversation began before this point.]", validator=_check_text)
    continuation_text: str = field(default="[Please continue.]", validator=_check_text)

    def stub_content(self, reason: str, detail: str = "") -> str:
        """Return the text of a stub.

        Args:
            reason: why there is no result; see `StubReason`.
            detail: the reason that a person gave for denying the call.

        Returns:
            The text.
        """
        text: str = getattr(self, _FIELDS.get(reason, "stub_text"))
        return f"{text} {REASON_GIVEN}{detail}" if detail else text

    def reason_of_text(self, text: str) -> tuple[str, str] | None:
        """Return the reason and the detail of the stub that has a text, or None when no stub says that.

        Args:
            text: the whole text of a result.

        Complexity: linear in the text.
        """
        for reason, name in (*_FIELDS.items(), ("not_recorded", "stub_text")):
            for wording in (getattr(self, name), getattr(_WORDINGS, name)):
                if text == wording:
                    return reason, ""
                if reason == "denied" and text.startswith(f"{wording} {REASON_GIVEN}"):
                    return reason, text[len(wording) + 1 + len(REASON_GIVEN) :]
        return None


REASON_GIVEN: Final = "Reason: "
_FIELDS: Final = {
    "proposed": "proposed_text",
    "pending": "waiting_text",
    "approved": "approved_text",
    "denied": "denied_text",
    "started": "started_text",
    "cancelled": "cancelled_text",
}
_WORDINGS: Final = Policy()
"""The texts of this version; a text that is changed here goes to a list of earlier wordings, which are known too."""
