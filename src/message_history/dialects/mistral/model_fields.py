"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects._shared.writer import Aliases
from message_history.dialects.base import names_in_order
from message_history.dialects.mistral.limits import LIMITS
from message_history.dialects.mistral.schema import ANY_NAME, ANY_NAME_LIMIT, ID, ID_LENGTH

if TYPE_CHECKING:
    import re

    from mistralai.client.models import ChatCompletionRequestMessageTypedDict  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["ChatCompletionRequestMessageTypedDict"]):
    """The fields of `Mistral`, which says what each means."""

    prefix: bool | None = None
    alternate: bool = False
    one_system: bool = False
    late_system: bool = True
    bridge: bool = False
    text_with_calls: bool = True
    text_lists: bool = False
    thinking: bool | None = None
    user_chunks: frozenset[str] = field(
        default=frozenset({"document_url", "file", "image_url", "input_audio", "text"}), repr=names_in_order
    )
    assistant_chunks: frozenset[str] = field(default=frozenset({"text"}), repr=names_in_order)
    tool_chunks: frozenset[str] = field(default=frozenset({"document_url", "image_url", "text"}), repr=names_in_order)
    tool_chunks_only: bool = False
    audio_beside_system: bool = True
    pair_ids: bool = True
    id_pattern: re.Pattern[str] = ID
    id_limit: int = ID_LENGTH
    name_pattern: re.Pattern[str] = ANY_NAME
    name_limit: int = ANY_NAME_LIMIT
    limits: Limits = LIMITS

    def __attrs_post_init__(self) -> None:
        """Refuse messages that could hold something but no text, and turns that allow system messages between them."""
        if self.alternate and (self.late_system or not self.one_system):
            raise ValueError("alternate needs one_system and late_system=False: a second one breaks the turns")
        for name in ("user_chunks", "assistant_chunks", "tool_chunks"):
            if "text" not in getattr(self, name):
                raise ValueError(f"{name} must hold 'text': what no other chunk takes is written as text")
        Aliases(self.id_pattern, self.id_limit)("")  # This raises where no id fits.
