"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import Factory, field, frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects.gemini.limits import LIMITS, VERTEX

if TYPE_CHECKING:
    from google.genai.types import ContentDict  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["ContentDict"]):
    """The fields of `Gemini`, which says what each means."""

    vertex: bool = False
    ids: bool = field(default=Factory(lambda self: not self.vertex, takes_self=True))
    signatures_required: bool | None = None
    prefill: bool | None = None
    media_in_responses: bool | None = None
    server_tools: bool = field(default=Factory(lambda self: not self.vertex, takes_self=True))
    empty_text: bool = field(default=Factory(lambda self: not self.vertex, takes_self=True))
    adjacent: bool = True
    function_role: bool = field(default=Factory(lambda self: not self.vertex, takes_self=True))
    split_calls: bool = field(default=Factory(lambda self: not self.vertex, takes_self=True))
    split_responses: bool = True
    unanswered: bool | None = None
    display_names: bool | None = field(default=Factory(lambda self: self.vertex or None, takes_self=True))
    beside_results: bool = True
    bypass_as_text: bool = True
    limits: Limits = field(default=Factory(lambda self: VERTEX if self.vertex else LIMITS, takes_self=True))
