"""The Responses API of OpenAI, also as Azure, Bedrock, DeepSeek and vLLM serve it: a list of input items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen

from message_history.core.messages.blocks import ProviderBlock, is_blank
from message_history.dialects._shared.beside import REPEATED, without
from message_history.dialects._shared.held import add_held, add_referred
from message_history.dialects._shared.rules import Rule, checked_name, fields_for
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.base import Reply, of_model
from message_history.dialects.openai_responses.model_fields import Fields
from message_history.dialects.openai_responses.parse import Reader, is_truncated, refers_to_call
from message_history.dialects.openai_responses.schema import MODELS, OPENAI_RESPONSES, RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign

__all__ = ["OpenAIResponses"]

_OF_REPLY: Final = ("object", "id", "model", "status", "incomplete_details")
"""The keys of a response that are read with its items."""


@final
@frozen(kw_only=True)
class OpenAIResponses(Fields):
    """The input items of the Responses API; the defaults are for a model that is not known.

    With the defaults a group of reasoning and what it led to is sent back unchanged, with its ids, where it has
    encrypted content; an id without reasoning before it is omitted, since nothing visible depends on it. Set `store` as
    your requests do: where the server keeps the items, reasoning is sent back by its id alone; where it does not, no
    item depends on another.

    The system prompt is the list's first items, not `instructions`: it goes wherever the list goes.

    Args:
        prefill: whether the list may end with the assistant.
        store: whether the server keeps the items: then ids without content mean something to it (OR-09), and it
            wants reasoning and the item that it led to together (OR-06 to OR-08). None where the request does not
            say: OpenAI and those like it then keep them, and without a model an export risks neither.
        continues: whether the list goes on from a response that the server has kept, whose calls it does not show;
            None to check a list of nothing but outputs as one. Reading such a list, the calls that the server has
            kept are put into the history, marked as held; they and the turn before them are not sent again.
        leading_assistant: whether the list may begin with the assistant. None where no model is known: a list that
            begins so is sent unchanged.
        reasoning: in which form reasoning is sent back: what its issuer encrypted, or the text that it shows (OR-16).
            None where no model is known: each unchanged.
        reasons: whether the model always reasons, so that an id asks for reasoning before it (OR-07). None where no
            model is known: a check takes the id alone, and an export omits it.
        lone_reasoning: whether reasoning may come without the item that it led to (OR-06).
        bare_items: whether reasoning and messages with parts may come without an id (OR-27).
        checks_ids: whether items' ids must be unique, short and begin with their type (OR-11 to OR-14). None where no
            model is known: items that show that another server than OpenAI's made them are taken unchanged.
        checks_keys: whether items may hold the keys of the request's form only (OR-17, OR-32, OR-33). None as for ids.
        client_metadata: whether items may hold what Codex says of them to OpenAI (OR-17). None where no host is known:
            a check takes it, and a list that is written anew does without.
        needs_status: whether every item must say its status (OR-31).
        binds_thinking: whether reasoning is omitted once anything before it has changed; no server is known that asks
            for it.
        interleaved: whether other items may be between a call and its output, and between reasoning and a server
            tool's call (OR-24, OR-08).
        unique_ids: whether call ids must differ in the whole list, not only in a turn (DS-16).
        object_arguments: whether a call's arguments must be a JSON object (HF-07).
        refusals: whether messages may hold refusals (OR-26).
        developer: whether developer messages are taken as such (DS-18).
        images: whether messages and outputs may hold images.
        files: whether they may hold files.
        text_limit: how long one text may be (OR-23).
        limits: what is taken of images (OR-29, OR-30).
    """

    name: ClassVar[str] = OPENAI_RESPONSES
    rules: ClassVar[Sequence[Rule]] = RULES
    shared: ClassVar[Mapping[str, frozenset[str]]] = {"openai_chat": frozenset({"type"})}

    @classmethod
    def for_model(cls, model: str, provider: str | None = None) -> OpenAIResponses:
        """Choose the fields for a model.

        Args:
            model: its name, with or without its provider, like `gpt-5`, `azure/gpt-5` or `deepseek-v4-flash`.
            provider: who serves it, where the name does not tell.

        Returns:
            The dialect; the defaults for a model that is not known.
        """
        name = checked_name(model)
        return cls(**fields_for(MODELS, f"{checked_name(provider, 'provider')}:{name}" if provider else name))

    @classmethod
    def for_provider(cls, name: str) -> OpenAIResponses:
        """Choose the fields for all models of a provider.

        Args:
            name: its name, as for `for_model`.

        Returns:
            The dialect with what all models of the provider take; the defaults for one that is not known.
        """
        return cls.for_model("", name)

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of items; see `Dialect.parse`."""
        reader = Reader()
        parsed = reader.read(raw, foreign)
        if self.continues:
            add_held(parsed, reader.held_call)
        elif reader.has_references:
            add_referred(parsed, reader.held_call, refers_to_call)
        return parsed

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        output = as_sequence(response.get("output"))
        if response.get("object") != "response" or output is None:
            return None
        kept = {key: response[key] for key in _OF_REPLY if key in response}
        beside = without(response, REPEATED | {"output"})
        items = [_of_model(item) for item in output]
        return Reply([{**kept, "output": items}], is_truncated(response), beside=beside)

    def takes_leading_assistant(self) -> bool | None:
        """Return whether the list may begin with the assistant."""
        return self.leading_assistant

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the assistant: with text, or with a picture that is to be changed."""
        return self.prefill and (not is_blank(assistant.text) or _is_picture(assistant.content[-1]))

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first items."""
        return True


def _of_model(item: object) -> object:
    """Return an item of a response; a message without a role that is known is the assistant's."""
    data = as_mapping(item)
    return of_model(data) if data is not None and data.get("type") == "message" else item


def _is_picture(block: Block) -> bool:
    """Return whether a block is a picture that the model made: the wish to change it may come before it."""
    return isinstance(block, ProviderBlock) and block.type == "image_generation_call"
