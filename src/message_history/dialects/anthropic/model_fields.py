"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects.anthropic.limits import LIMITS

if TYPE_CHECKING:
    from anthropic.types import MessageParam  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["MessageParam"]):
    """The fields of `Anthropic`, which says what each means."""

    leading_assistant: bool | None = None
    prefill: bool | None = None
    split_results: bool = True
    system_in_list: bool | None = None
    binds_thinking: bool = True
    unsigned_thinking: bool = False
    blank_beside_calls: bool | None = None
    data_only: bool = False
    limits: Limits = LIMITS
