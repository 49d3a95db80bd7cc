"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import Factory, evolve, field, frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects.openai_responses.limits import LIMITS
from message_history.dialects.openai_responses.schema import TEXT_LIMIT

if TYPE_CHECKING:
    from openai.types.responses import ResponseInputItemParam  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["ResponseInputItemParam"]):
    """The fields of `OpenAIResponses`, which says what each means."""

    prefill: bool = False
    store: bool | None = None
    continues: bool | None = None
    leading_assistant: bool | None = None
    reasoning: Literal["encrypted", "text"] | None = None
    reasons: bool | None = None
    lone_reasoning: bool = False
    bare_items: bool = True
    checks_ids: bool | None = None
    checks_keys: bool | None = None
    client_metadata: bool | None = None
    needs_status: bool = False
    binds_thinking: bool = False
    interleaved: bool = False
    unique_ids: bool = True
    object_arguments: bool = False
    refusals: bool = False
    developer: bool = False
    images: bool = True
    files: bool = True
    text_limit: int = TEXT_LIMIT
    limits: Limits = field(default=Factory(lambda self: evolve(LIMITS, inspected=self.images), takes_self=True))

    @property
    def pairs_items(self) -> bool:
        """Return whether the server wants reasoning and the item that it led to together."""
        return self.reasoning != "text" and self.store is not False
