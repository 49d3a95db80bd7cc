"""Chat Completions of OpenAI, and of the many servers that speak it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

from attrs import frozen

from message_history.dialects.base import Dialect, Export, Parsed, Reply, Rule, is_cut_off
from message_history.dialects.openai_chat.check import violations as find_violations
from message_history.dialects.openai_chat.parse import OPENAI_CHAT, Reader
from message_history.dialects.openai_chat.render import Render
from message_history.dialects.openai_chat.rules import ID, ID_LIMIT, MAX_CALLS, RULES
from message_history.dialects.plain import as_mapping, as_sequence

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from openai.types.chat import ChatCompletionMessageParam  # noqa: F401

    from message_history.blocks import SystemBlock
    from message_history.checking import Violation
    from message_history.dialects.base import Foreign
    from message_history.message import Message

__all__ = ["OpenAIChat"]


@final
@frozen(kw_only=True)
class OpenAIChat(Dialect["ChatCompletionMessageParam"]):
    """Chat Completions; the defaults are the strictest of OpenAI's own models.

    Args:
        prefill: whether the list may end with the assistant.
        system_role: the role of system words; `user` where the model takes neither other (OC-17).
        late_system: whether system messages may stand behind the first message.
        one_system: whether there may be only one.
        null_content: how content is written that is not there, beside calls.
        parts: whether content may be a list of text parts.
        images: whether user messages may hold images.
        files: whether user messages may hold files.
        object_arguments: whether a call's arguments must be a JSON object.
        reasoning: the key under which the model takes its reasoning back; None where it must not come.
        reasoning_required: which assistant messages must have it.
        empty_result: what an empty result says; None where it may be empty.
        bridge: whether an assistant message must stand between a tool message and a user message.
        max_calls: how many calls one message may make.
        unique_ids: whether ids must differ in the whole list, not only in a turn.
        id_pattern: what an id must look like.
        id_limit: how long it may be.
        own_blocks: the keys of assistant messages that only this API knows, and takes back.
    """

    name: ClassVar[str] = OPENAI_CHAT
    rules: ClassVar[tuple[Rule, ...]] = RULES

    prefill: bool = False
    system_role: Literal["system", "developer", "user"] = "system"
    late_system: bool = True
    one_system: bool = False
    null_content: Literal["null", "empty", "omit"] = "null"
    parts: bool = True
    images: bool = True
    files: bool = True
    object_arguments: bool = False
    reasoning: str | None = None
    reasoning_required: Literal["never", "calls", "always"] = "never"
    empty_result: str | None = None
    bridge: bool = False
    max_calls: int = MAX_CALLS
    unique_ids: bool = False
    id_pattern: re.Pattern[str] = ID
    id_limit: int = ID_LIMIT
    own_blocks: frozenset[str] = frozenset({"audio"})

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of Chat Completions; see `Dialect.parse`."""
        return Reader(foreign).read(raw)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write a list of Chat Completions; see `Dialect.render`."""
        return Render(self).export(list(messages), system)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what Chat Completions refuses; see `Dialect.violations`."""
        return find_violations(wire, self)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        choices = as_sequence(response.get("choices"))
        choice = as_mapping(choices[0]) if choices else None
        message = as_mapping(choice.get("message")) if choice is not None else None
        if choice is None or message is None:
            return None
        return Reply([message], is_cut_off(choice))

    def may_end_with(self, said: Message) -> bool:
        """Tell whether the list may end with the assistant."""
        del said
        return self.prefill

    def has_system_in_list(self) -> bool:
        """Tell whether the system prompt goes into the list: it is the first message."""
        return True
