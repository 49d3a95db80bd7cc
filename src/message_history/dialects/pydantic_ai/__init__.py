"""pydantic-ai: its `ModelMessage` objects, and the JSON that `ModelMessagesTypeAdapter` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, final, overload

from attrs import evolve, frozen

from message_history.dialects._shared.truncated import is_truncated
from message_history.dialects.anthropic import Anthropic
from message_history.dialects.base import Export, Reply
from message_history.dialects.pydantic_ai.model_fields import Fields, WireT
from message_history.dialects.pydantic_ai.objects import model_messages
from message_history.dialects.pydantic_ai.parse import Reader
from message_history.dialects.pydantic_ai.provider_blocks import PYDANTIC_AI
from message_history.dialects.pydantic_ai.schema import RULES
from message_history.media.limits import NO_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic_ai.messages import ModelMessage

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.rules import Rule
    from message_history.dialects.base import Foreign
    from message_history.media.limits import Limits

__all__ = ["PydanticAI"]


@final
@frozen(kw_only=True, init=False)
class PydanticAI(Fields[WireT]):
    """The messages of pydantic-ai; the defaults are for `message_history` and a model that is not known.

    Args:
        objects: whether to give the package's objects, for `agent.run(message_history=...)`, and not their JSON.
            Parts that came without a time then say 1970: objects must have one, and nothing here asks the clock.
        ends_with_response: whether the list may end with a response, as that of a run with a new prompt does. A request
            in the middle of a run may not: a marked request then says to go on.
        binds_thinking: whether signed thinking is omitted once anything before it has changed.
        limits: what is taken of images and documents; the package itself looks at none.
    """

    name: ClassVar[str] = PYDANTIC_AI
    rules: ClassVar[Sequence[Rule]] = RULES
    shared: ClassVar[Mapping[str, frozenset[str]]] = {"gemini": frozenset({"signature"})}

    @overload
    def __init__(
        self: PydanticAI[dict[str, Any]],
        *,
        objects: Literal[False] = False,
        ends_with_response: bool = True,
        binds_thinking: bool = True,
        limits: Limits = NO_LIMITS,
    ) -> None: ...

    @overload
    def __init__(
        self: PydanticAI[ModelMessage],
        *,
        objects: Literal[True],
        ends_with_response: bool = True,
        binds_thinking: bool = True,
        limits: Limits = NO_LIMITS,
    ) -> None: ...

    def __init__(
        self,
        *,
        objects: bool = False,
        ends_with_response: bool = True,
        binds_thinking: bool = True,
        limits: Limits = NO_LIMITS,
    ) -> None:
        self.__attrs_init__(
            objects=objects, ends_with_response=ends_with_response, binds_thinking=binds_thinking, limits=limits
        )

    @classmethod
    def for_model(cls, model: str) -> PydanticAI[dict[str, Any]]:
        """Choose the fields for a model.

        Args:
            model: its name, like `anthropic:claude-opus-4-8`.

        Returns:
            The dialect; the defaults for a model that is not known, which omit thinking after a change.
        """
        return PydanticAI(binds_thinking=Anthropic.for_model(model).binds_thinking)

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read messages of pydantic-ai, objects or JSON; see `Dialect.parse`."""
        return Reader().read(raw, foreign)

    def render(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> Export:
        """Write messages of pydantic-ai; see `Dialect.render`."""
        export = super().render(messages, system)
        return evolve(export, messages=list(model_messages(export.messages))) if self.objects else export

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """Write what `render` does, without its records; see `Dialect.write`."""
        wire, beside = super().write(messages, system)
        return list(model_messages(wire)) if self.objects else wire, beside

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        if response.get("kind") != "response" or not isinstance(response.get("parts"), list | tuple):
            return None
        return Reply([response], is_truncated(response) or response.get("state") in ("interrupted", "incomplete"))

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end here: with a suspended response, or for a run with a new prompt."""
        states = [keys.get("state") for block in assistant.content if (keys := block.carried(PYDANTIC_AI))]
        return self.ends_with_response or states[-1:] == ["suspended"]

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it opens the first request."""
        return True
