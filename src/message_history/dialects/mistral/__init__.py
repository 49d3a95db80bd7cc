"""The chat messages of Mistral's API, and of the servers that use Mistral's own tokenizers (mistral-common)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects._shared.rules import Rule, checked_name, fields_for
from message_history.dialects._shared.writer import is_prefix
from message_history.dialects.base import Reply
from message_history.dialects.mistral.limits import SERVED
from message_history.dialects.mistral.model_fields import Fields
from message_history.dialects.mistral.parse import MISTRAL, SHARED
from message_history.dialects.mistral.parse import parse as parse_list
from message_history.dialects.mistral.schema import MODELS, RULES, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.dialects.base import Foreign

__all__ = ["Mistral"]


@final
@frozen(kw_only=True)
class Mistral(Fields):
    """Mistral's chat messages; the defaults are for a current model of the hosted API that is not known.

    Open models, whose templates and older validators refuse more, have rows of their own. Without a model, neither
    thinking nor a tool's chunks of any type are a violation; neither is sent.

    Args:
        prefix: whether a message that came with `prefix` may end the list (MS-M04). None where no model is known: it
            may.
        alternate: whether user and assistant must take turns, as chat templates demand (MS-M22).
        one_system: whether all parts of the system prompt must be one message (MS-M22).
        late_system: whether system messages may follow a user message (MS-M03b).
        bridge: whether an assistant message must come between a tool message and a user message (MS-M03a).
        text_with_calls: whether an assistant message may hold text and calls (MS-M09).
        text_lists: whether content may be a list where text is all that it holds.
        thinking: whether thinking is sent back to the model (MS-M10). None where no model is known: a check takes it,
            and an export omits it.
        user_chunks: the types of chunks in user messages (MS-M10).
        assistant_chunks: the types of chunks in assistant messages besides thinking (MS-M10).
        tool_chunks: the types of chunks in tool messages (MS-M10).
        tool_chunks_only: whether others were seen to be refused there.
        audio_beside_system: whether audio may come where there is a system message (MS-M11).
        pair_ids: whether results are matched to calls by id, not by number alone (MS-M06a).
        id_pattern: what an id must look like (MS-M07).
        id_limit: how long it may be.
        name_pattern: what a function's name must look like (MS-M08).
        name_limit: how long it may be.
        limits: what is taken of images (MS-M24, MS-M25).
    """

    name: ClassVar[str] = MISTRAL
    rules: ClassVar[Sequence[Rule]] = RULES
    shared: ClassVar[Mapping[str, frozenset[str]]] = SHARED

    @classmethod
    def for_model(cls, model: str) -> Mistral:
        """Choose the fields for a model of the hosted API.

        Args:
            model: its name there.

        Returns:
            The dialect; the defaults for a model that is not known.
        """
        return cls(**fields_for((*MODELS, *SERVED), checked_name(model)))

    @classmethod
    def for_version(cls, version: int) -> Mistral:
        """Choose the fields for a model that is served with mistral-common 1.12 or newer.

        Args:
            version: the version of the model's tokenizer: 3, 7, 11, 13 or 15.

        Returns:
            The dialect.

        Raises:
            ValueError: for a version that is not known, or that has no use of tools (MS-M21).
        """
        fields = VERSIONS.get(version)
        if fields is None:
            raise ValueError(f"version must be one of {', '.join(map(str, VERSIONS))}, not {version!r:.40}")
        return cls(**fields)

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of Mistral's messages; see `Dialect.parse`."""
        return parse_list(raw, foreign)

    def tool_form(self) -> ToolForm:
        """Return how requests write tools; see `Dialect.tool_form`."""
        from message_history.dialects.openai_chat.tools import ChatForm  # noqa: PLC0415 - few ask

        return ChatForm(self.name_pattern, self.name_limit)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        return Reply.of_choices(response)

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end here: with a message that came as a prefix, where that is taken."""
        return self.prefix is not False and is_prefix(assistant, MISTRAL, *SHARED)

    def sends(self, origin: str, key: str, *, of_message: bool = False) -> bool:
        """Return whether a key is looked at; `prefix` is, whichever dialect it came from; see `Dialect.sends`."""
        prefixed = of_message and origin in self.shared and key == "prefix"
        return prefixed or super().sends(origin, key, of_message=of_message)

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first message."""
        return True
