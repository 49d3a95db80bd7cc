"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from attrs import Factory, field, frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects._shared.writer import Aliases
from message_history.dialects.base import names_in_order
from message_history.dialects.openai_chat.limits import limits_for
from message_history.dialects.openai_chat.schema import ID, ID_LIMIT, MAX_CALLS, NAME, OWN_KEY

if TYPE_CHECKING:
    import re

    from openai.types.chat import ChatCompletionMessageParam  # noqa: F401

    from message_history.media import Limits

NO_OUTPUT: Final = "[The tool gave no output.]"


@frozen(kw_only=True)
class Fields(OfRequests["ChatCompletionMessageParam"]):
    """The fields of `OpenAIChat`, which says what each means."""

    provider: str = "openai"
    prefill: bool | None = None
    prefix: bool | None = None
    leading_assistant: bool | None = None
    system_role: Literal["system", "developer", "user"] = "system"
    developer: bool = True
    late_system: bool = True
    one_system: bool = False
    needs_user: bool = False
    alternate: bool = False
    bridge: bool = False
    tools: Literal["messages", "text"] = "messages"
    max_calls: int = MAX_CALLS
    text_with_calls: bool = True
    go_on: bool = True
    thinking_first: bool = False
    call_keys: bool = True
    custom_calls: bool = True
    function_role: bool = True
    null_content: Literal["null", "empty", "emptied", "omit"] = "null"
    content_key: bool = False
    no_content: bool = False
    empty_content: bool = True
    empty_result: str | None = None
    result_names: bool = False
    parts: bool | Literal["always", "joined"] = True
    refusals: bool = True
    images: bool = True
    image_urls: bool = True
    strict_urls: bool = False
    result_images: Literal["refused", "moved", "kept"] | None = None
    audio: bool = True
    videos: bool = True
    files: bool = True
    native: bool = False
    cache_marks: bool = True
    object_arguments: bool = False
    reasoning: str | None = OWN_KEY
    reasoning_required: Literal["never", "calls", "once shown", "always"] = "never"
    refused_keys: frozenset[str] = field(default=frozenset(), repr=names_in_order)
    own_blocks: frozenset[str] = field(default=frozenset({"audio", "reasoning_details"}), repr=names_in_order)
    own_keys: frozenset[str] = field(default=frozenset({"annotations"}), repr=names_in_order)
    result_parts: frozenset[str] = field(default=frozenset(), repr=names_in_order)
    unknown_keys: bool = True
    unknown_parts: bool = True
    unique_ids: bool = False
    id_pattern: re.Pattern[str] = ID
    id_limit: int | None = None
    name_pattern: re.Pattern[str] = NAME
    banned_text: str | None = None
    max_messages: int | None = None
    limits: Limits = field(default=Factory(lambda self: limits_for(self.provider, images=self.images), takes_self=True))

    @property
    def host(self) -> str:
        """Return who serves it; an empty text where no host is known."""
        return "" if self.leading_assistant is None else self.provider

    def __attrs_post_init__(self) -> None:
        """Follow from what one field demands what another must be; refuse what no list could keep."""
        follows = (
            (self.alternate and self.tools == "messages", "bridge", True),
            # None of these has a turn of its own.
            (self.alternate, "leading_assistant", False),
            (self.alternate, "function_role", False),
            (self.alternate or self.one_system or self.tools == "text", "late_system", False),
            (not self.empty_content and self.empty_result is None, "empty_result", NO_OUTPUT),
        )
        for does, name, value in follows:
            if does:
                object.__setattr__(self, name, value)
        contradictions = (
            (self.reasoning is None and self.reasoning_required != "never", "reasoning_required needs reasoning"),
            (self.system_role == "developer" and not self.developer, "system_role='developer' needs developer"),
            (self.tools == "text" and self.result_images == "kept", "result_images='kept' needs tools='messages'"),
            (self.content_key and self.null_content == "omit", "content_key needs a null_content that is not 'omit'"),
            (self.native and not self.empty_content, "native needs empty_content: an image is next to a text"),
        )
        for is_wrong, why in contradictions:
            if is_wrong:
                raise ValueError(f"the fields contradict each other: {why}")
        Aliases(self.id_pattern, self.id_limit or ID_LIMIT)("")  # This raises where no id fits.
