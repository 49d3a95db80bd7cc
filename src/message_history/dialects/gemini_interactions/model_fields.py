"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects.gemini_interactions.limits import LIMITS

if TYPE_CHECKING:
    from google.genai.interactions import StepParam  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["StepParam"]):
    """The fields of `GeminiInteractions`, which says what each means."""

    continues: bool = False
    prefill: bool = False
    unsigned_thoughts: bool = False
    limits: Limits = LIMITS
