"""Chat Completions of OpenAI, and of the many servers that speak it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects.base import Reply
from message_history.dialects.openai_chat import schema
from message_history.dialects.openai_chat.model_fields import Fields
from message_history.dialects.openai_chat.parse import OPENAI_CHAT, Reader
from message_history.dialects.openai_chat.providers import fields_of, fields_of_probe, quoted_by
from message_history.extras import needs_extra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects._shared.rules import Rule
    from message_history.dialects._shared.tools.form import ToolForm
    from message_history.dialects.base import Foreign
    from message_history.violations import Violation

__all__ = ["OpenAIChat"]


@final
@frozen(kw_only=True)
class OpenAIChat(Fields):
    """Chat Completions; the defaults are for a host and a model that are not known.

    What some host was recorded to take is not a violation then, and is sent back unchanged; OpenAI's own refusals are
    quoted, except those that only its own models were seen to make.

    Args:
        provider: whose rules are quoted in violations.
        prefill: whether the list may end with the assistant (OT-02, HF-11, PX-02). None where no host is known: a check
            takes it, and an export puts a user's turn after it.
        prefix: whether a message that came with `prefix` may end the list, and is sent as one there (MI-06, DS-08).
            None where no host is known to: it is omitted.
        leading_assistant: whether the list may begin with the assistant: the placeholder before it is not sent. None
            where no host is known: such a list is sent unchanged.
        system_role: the role of system messages; `user` where the model takes neither other (OC-17, HF-03).
        developer: whether developer messages are known (GW-02).
        late_system: whether system messages may follow the first message (HF-04).
        one_system: whether there may be only one (HF-01, HF-04).
        needs_user: whether there must be a user message (HF-05).
        alternate: whether user and assistant must take turns (DS-07, HF-01, HF-02).
        bridge: whether an assistant message must come between a tool message and a user message (HF-02).
        tools: whether calls and results are messages, or must be written as text (HF-01).
        max_calls: how many calls one message may make (OC-05, HF-06).
        text_with_calls: whether an assistant message may hold text and calls (VX-01, HF-14).
        go_on: whether a user message must come between them where they are two messages.
        thinking_first: whether reasoning inside a text goes first, for a template that cuts off what is before it.
        call_keys: whether calls may hold keys that no documentation has, and get them back.
        custom_calls: whether calls with free text as input are known.
        function_role: whether there may be messages with the role `function`, as there were before tools (OC-24).
        null_content: how missing content is written in messages with calls (KM-02, HF-09, HF-10): `null`; `omit`,
            without the key; `empty`, as an empty text that must be there; or `emptied`, where nobody was seen to
            refuse null and an empty text is sent to be safe.
        content_key: whether every message must have the key (AZ-01, GW-01).
        no_content: whether an assistant message may have neither content nor calls.
        empty_content: whether content may be an empty text (KM-01, XA-02).
        empty_result: what an empty result says; None where it may be empty.
        result_names: whether results must say the name of their tool (HF-16).
        parts: whether content may be a list of text parts (AZ-03, DS-11, OL-05), or must `always` be one (HF-15);
            `joined`, where it may be and texts are sent as one to be safe.
        refusals: whether there is a place for refusals (OC-18).
        images: whether user messages may hold images (DS-11, OC-27).
        image_urls: whether an image may be given as a URL (OL-04).
        strict_urls: whether an image's URL must say where it is or hold it, and a file be a data URL or an id, and no
            recording (OC-25, OC-26, OC-28).
        result_images: whether tool messages may hold images (OC-15): `refused`; `moved`, where nobody was seen to
            refuse them and they are sent after the results to be safe; or `kept`. None where no host is known: a check
            takes them, and an export moves them.
        audio: whether user messages may hold audio (OC-16).
        videos: whether user messages may hold videos, which OpenAI does not take (OC-16).
        files: whether user messages may hold files.
        native: whether arguments are objects and images are next to the text, as in Ollama's own API (OL-01).
        cache_marks: whether parts may carry Claude's cache marks.
        object_arguments: whether a call's arguments must be a JSON object (QW-04, HF-07, OL-03).
        reasoning: the key under which the model takes its reasoning back, `<think>` for inside the content, or
            `thinking` for a part of that type (Cohere); None where it must not come. `as it came`, where no host is
            known, is the key that it came under.
        reasoning_required: which assistant messages must have it (DS-09, KM-05): those with `calls`, or all `once
            shown` in one of them; `always` is both.
        refused_keys: keys that are refused, unless one of them is `reasoning` (GQ-01, CB-01).
        own_blocks: the keys of assistant messages that only this API knows, and takes back.
        own_keys: those that it takes back and that say nothing without their message.
        result_parts: the parts besides text that tool messages may hold and that only this API knows.
        unknown_keys: whether keys of a reply that no rule knows are sent back, to the host that they came from.
        unknown_parts: whether parts of a reply that no rule knows do.
        unique_ids: whether ids must differ in the whole list, not only in a turn (DS-04).
        id_pattern: what an id must look like.
        id_limit: how long it may be (OC-06). None where no host is known: a check takes any, and an export writes at
            most 40 characters.
        name_pattern: what a tool's name must look like.
        banned_text: what no text may say (DS-13).
        max_messages: how many messages there may be (AZ-02); a list that is longer is sent as it is.
        limits: what is taken of images (OC-22, OC-23, GQ-03, XA-03).
    """

    name: ClassVar[str] = OPENAI_CHAT
    rules: ClassVar[Sequence[Rule]] = schema.RULES

    @classmethod
    def for_model(cls, model: str, provider: str | None = None) -> OpenAIChat:
        """Choose the fields for a model.

        Args:
            model: its name; `groq/llama-3.3` and `groq:llama-3.3` say who serves it too.
            provider: who serves it, a provider or a server: `azure`, `deepseek`, `groq`, `vllm`, `ollama` and so on; or
                the address of its API, as `api.deepseek.com`.

        Returns:
            The dialect; for a model and a provider that are not known the defaults, with texts as one and no null.
        """
        return cls(**fields_of(model, provider))

    @classmethod
    def for_provider(cls, name: str) -> OpenAIChat:
        """Choose the fields for all models of a provider.

        Args:
            name: its name, as for `for_model`.

        Returns:
            The dialect with what all models of the provider take; the defaults for one that is not known.
        """
        return cls(**fields_of("", name))

    @classmethod
    def for_template(cls, template: str | PathLike[str] | Mapping[str, Any]) -> OpenAIChat:
        """Measure the fields from a chat template, by rendering small lists with it in a sandbox.

        Args:
            template: its text; a tokenizer's folder; a file `chat_template.jinja`, `tokenizer_config.json` or GGUF; or
                what llama.cpp's `/props` gives.

        Returns:
            The dialect whose lists the template shows as far as it can; `message_history_measure` says what it cannot.

        Raises:
            ModuleNotFoundError: when the distribution is not installed that measures.
            FileNotFoundError: when there is no template.
            ValueError: when it is not a template, or shows not even a user message.

        Complexity: some hundred small renderings, in a separate process; a template is measured once.
        """
        with needs_extra("measure"):
            measuring = import_module("message_history_measure")
        measured: OpenAIChat = measuring.measure_template(template).dialect
        return measured

    @classmethod
    def from_probe(cls, file: str | PathLike[str]) -> OpenAIChat:
        """Read the fields that `message-history probe` wrote of an endpoint.

        Args:
            file: the TOML file.

        Returns:
            The dialect that the endpoint was measured to speak.

        Raises:
            OSError: when the file cannot be read.
            ValueError: when it is not such a file.
        """
        return cls(**fields_of_probe(Path(file)))

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of Chat Completions; see `Dialect.parse`."""
        return Reader().read(raw, foreign)

    def write_turn(self, assistant: Message | None, user: Message | None) -> list[Any] | None:
        """Write a turn without cache marks and media; see `Dialect.write_turn`."""
        if self.unique_ids or self.alternate or self.needs_user or self.system_role == "user" or self.parts == "always":
            return None
        return super().write_turn(assistant, user)

    def violations(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what Chat Completions refuses; see `Dialect.violations`."""
        from message_history.dialects.openai_chat.check import violations  # noqa: PLC0415 - who sends does without

        return violations(wire, self, quoted_by(self.provider))

    def unknown(self, wire: Sequence[Any]) -> list[Violation]:
        """Find what no rule knows in the assistant's messages; see `Dialect.unknown`."""
        from message_history.dialects.openai_chat.check_unknown import unknown  # noqa: PLC0415 - who sends does without

        return unknown(wire, self)

    def returns_unknown(self) -> str | None:
        """Return the host to which what no rule knows is sent back; see `Dialect.returns_unknown`."""
        return self.host if self.unknown_keys or self.unknown_parts else None

    def holds_unknown(self, block: Block) -> bool:
        """Return whether a block came with what no rule knows; see `Dialect.holds_unknown`."""
        from message_history.dialects.openai_chat.unknown import holds_unknown  # noqa: PLC0415 - few replies hold any

        return holds_unknown(block)

    def tool_form(self) -> ToolForm:
        """Return how requests write tools; see `Dialect.tool_form`."""
        from message_history.dialects.openai_chat.schema import NAME_LIMIT  # noqa: PLC0415 - few ask
        from message_history.dialects.openai_chat.tools import OpenAIForm  # noqa: PLC0415

        return OpenAIForm(self.name_pattern, NAME_LIMIT)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        return Reply.of_choices(response)

    def takes_leading_assistant(self) -> bool | None:
        """Return whether the list may begin with the assistant; see `Dialect.takes_leading_assistant`."""
        return False if self.needs_user and self.leading_assistant else self.leading_assistant

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the assistant."""
        from message_history.dialects._shared.writer import is_prefix  # noqa: PLC0415 - few ask

        return bool(self.prefill) or (self.prefix is True and is_prefix(assistant, OPENAI_CHAT))

    def has_system_in_list(self) -> bool:
        """Return whether the system prompt goes into the list: it is the first message."""
        return True
