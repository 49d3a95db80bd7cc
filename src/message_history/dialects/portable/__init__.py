"""The one form that every surveyed chat endpoint accepts: a list of Chat Completions, written with all their limits.

Three kinds of endpoint want more than a form can give: models that must get their reasoning back (DS-09, KM-05),
models without images (DS-11, and OL-04 for images by URL), and templates without a system role or without tools
(OC-17, HF-01, HF-03). `OpenAIChat.for_model` writes for those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen

from message_history.dialects.base import Dialect, Export, Reply
from message_history.dialects.openai_chat import OpenAIChat
from message_history.dialects.openai_chat.limits import PORTABLE
from message_history.dialects.openai_chat.schema import SHORT_ID
from message_history.dialects.portable.schema import RULES, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from openai.types.chat import ChatCompletionMessageParam  # noqa: F401

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.rules import Rule
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.dialects.base import Foreign
    from message_history.media import Limits
    from message_history.violations import Violation

__all__ = ["Portable"]

FORM: Final = OpenAIChat(
    provider="portable",
    prefill=False,
    leading_assistant=False,
    developer=False,
    late_system=False,
    one_system=True,
    needs_user=True,
    alternate=True,
    bridge=True,
    max_calls=1,
    call_keys=False,
    unknown_keys=False,
    unknown_parts=False,
    custom_calls=False,
    function_role=False,
    null_content="empty",
    content_key=True,
    empty_content=False,
    empty_result="[The tool gave no output.]",
    parts=False,
    refusals=False,
    audio=False,
    files=False,
    videos=False,
    cache_marks=False,
    object_arguments=True,
    reasoning=None,
    refused_keys=frozenset(
        {"audio", "function_call", "reasoning", "reasoning_content", "reasoning_details", "refusal", "thinking"}
    ),
    result_images="refused",
    own_blocks=frozenset(),
    own_keys=frozenset(),
    unique_ids=True,
    id_pattern=SHORT_ID,
    id_limit=9,
)
"""Chat Completions with the limits of all."""


@final
@frozen(kw_only=True)
class Portable(Dialect["ChatCompletionMessageParam"]):
    """The form that every surveyed chat endpoint accepts.

    Args:
        limits: what is taken of images (P-18).
    """

    name: ClassVar[str] = "portable"
    rules: ClassVar[Sequence[Rule]] = RULES

    limits: Limits = PORTABLE

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of Chat Completions; see `Dialect.parse`."""
        return FORM.parse(raw, foreign)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write a list of Chat Completions; see `Dialect.render`."""
        return FORM.render(messages, system)

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """Write a list of Chat Completions; see `Dialect.write`."""
        return FORM.write(messages, system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what some endpoint refuses; see `Dialect.violations`."""
        from message_history.dialects.openai_chat.check import violations  # noqa: PLC0415 - who sends does without

        return violations(wire, FORM, quoted())

    def tool_form(self) -> ToolForm:
        """Return how requests write tools; see `Dialect.tool_form`."""
        from message_history.dialects.openai_chat.schema import NAME, NAME_LIMIT  # noqa: PLC0415 - few ask
        from message_history.dialects.openai_chat.tools import ChatForm  # noqa: PLC0415

        return ChatForm(NAME, NAME_LIMIT)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        return FORM.reply(response)

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the assistant: never."""
        return FORM.may_end_with(assistant)

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first message."""
        return FORM.has_system_in_list()

    def sends(self, origin: str, key: str, *, of_message: bool = False) -> bool:
        """Return whether a key is looked at: those of Chat Completions are."""
        return FORM.sends(origin, key, of_message=of_message)
