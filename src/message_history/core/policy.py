"""What a history does where there is a choice: one frozen value, no global settings."""

from __future__ import annotations

from typing import Literal, final

from attrs import field, frozen
from attrs.validators import in_

from message_history.core.blocks import is_blank
from message_history.core.json_values import short_repr

__all__ = ["Policy"]


def _assistant(_: object, attribute: object, value: object) -> None:
    if not isinstance(value, str) or is_blank(value):
        raise ValueError(
            f"{getattr(attribute, 'name', 'text')} must be a text that is not blank, not {short_repr(value)}"
        )


@final
@frozen(kw_only=True)
class Policy:
    """How a history mends what is added to it.

    Args:
        leading_assistant: what becomes of an assistant message that comes first: `bootstrap` puts a marked placeholder
            user turn before it, `drop` takes it out.
        on_violation: `repair` mends and records; `raise` applies lossless repairs and raises `InvariantError`
            instead of any other.
        stub_text: what a stub says. It must not claim that the tool failed: it may or may not have run.
        bootstrap_text: what the placeholder user turn says.
        continuation_text: what the user turn says that is added where a provider refuses to be sent a conversation
            that ends with the assistant.

    Raises:
        ValueError: for a choice that is none of these, or a blank text.
    """

    leading_assistant: Literal["bootstrap", "drop"] = field(default="bootstrap", validator=in_(("bootstrap", "drop")))
    on_violation: Literal["repair", "raise"] = field(default="repair", validator=in_(("repair", "raise")))
    stub_text: str = field(
        default="[No result is recorded for this call. The tool may or may not have run.]", validator=_assistant
    )
    bootstrap_text: str = field(default="[The conversation began before this point.]", validator=_assistant)
    continuation_text: str = field(default="[Please continue.]", validator=_assistant)
