"""What a history does where there is a choice: one frozen value, no global settings."""

from __future__ import annotations

from typing import Final, Literal, final

from attrs import field, frozen

from message_history.core.messages.blocks import is_blank
from message_history.core.messages.message import STUB_OPENINGS
from message_history.core.values.json_values import short_repr
from message_history.core.values.validators import one_of, set_state_once
from message_history.core.values.value import Value


def _check_text(_: object, attribute: object, value: object) -> None:
    if not isinstance(value, str) or is_blank(value):
        raise ValueError(
            f"{getattr(attribute, 'name', 'text')} must be a str that is not blank, not {short_repr(value)}"
        )


@final
@frozen(kw_only=True, repr=False, eq=False)
class Policy(Value):
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
        ValueError: for any other choice, or a blank text.
    """

    leading_assistant: Literal["bootstrap", "drop"] = field(default="bootstrap", validator=one_of("bootstrap", "drop"))
    on_violation: Literal["repair", "raise"] = field(default="repair", validator=one_of("repair", "raise"))
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
    # Whether a stub of this policy may begin unlike those that are known, so that its text has to be looked up.
    has_own_texts: bool = field(init=False, eq=False, repr=False)
    # Derived from the texts: every result that is added is looked up here.
    _reasons: dict[str, str] = field(init=False, eq=False, repr=False)
    _denials: tuple[str, ...] = field(init=False, eq=False, repr=False)

    # The validators, which refuse anything but text, come after the defaults.
    @has_own_texts.default
    def _has_own_texts(self) -> bool:
        return not all(str(getattr(self, name)).startswith(STUB_OPENINGS) for name in ("stub_text", *_FIELDS.values()))

    @_reasons.default
    def _find_reasons(self) -> dict[str, str]:
        own = {str(getattr(self, name)): reason for reason, name in _FIELDS.items()}
        unknown = str(self.stub_text)
        return {**KNOWN_WORDINGS, **own, unknown: own.get(unknown, "not_recorded")}

    @_denials.default
    def _find_denials(self) -> tuple[str, ...]:
        denied = [str(self.denied_text), *(text for text, reason in KNOWN_WORDINGS.items() if reason == "denied")]
        return tuple(f"{text} {WITH_REASON}" for text in dict.fromkeys(denied))

    def stub_content(self, reason: str, detail: str = "") -> str:
        """Return the text of a stub.

        Args:
            reason: why there is no result; see `StubReason`.
            detail: the reason that a person gave for denying the call.

        Returns:
            The text.
        """
        text: str = getattr(self, _FIELDS.get(reason, "stub_text"))
        return f"{text} {WITH_REASON}{detail}" if detail else text

    def reason_of_text(self, text: str) -> tuple[str, str] | None:
        """Return the reason and the detail of the stub that has a text, or None when no stub says that.

        Args:
            text: the whole text of a result.

        Complexity: linear in the text.
        """
        reason = self._reasons.get(text)
        if reason is not None:
            return reason, ""
        if not text.startswith(self._denials):
            return None
        opening = next(filter(text.startswith, self._denials))
        return "denied", text[len(opening) :]


set_state_once(Policy, "on_violation")

WITH_REASON: Final = "Reason: "
_FIELDS: Final = {
    "proposed": "proposed_text",
    "pending": "waiting_text",
    "approved": "approved_text",
    "denied": "denied_text",
    "started": "started_text",
    "cancelled": "cancelled_text",
}
KNOWN_WORDINGS: Final = {
    "[No result is recorded for this call. The tool may or may not have run.]": "not_recorded",
    "[This call has not run yet.]": "proposed",
    "[This call has not run yet. It waits for approval.]": "pending",
    "[This call was approved. It has not run yet.]": "approved",
    "[This call was denied and did not run. Do not repeat it unless you are asked to.]": "denied",
    "[This call was started, and no result is recorded. It may have taken effect: check it.]": "started",
    "[This call was cancelled before it started.]": "cancelled",
}
"""The default texts of stubs, of this version and all before it, with the reason of each. Add, and never
remove: lists that were saved elsewhere hold them without marks."""
DEFAULT_POLICY: Final = Policy()
