"""The Converse API of Amazon Bedrock, for all its families of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen

from message_history.dialects._shared.beside import without
from message_history.dialects._shared.rules import Rule, checked_name, fields_for
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.truncated import is_truncated
from message_history.dialects.anthropic import Anthropic
from message_history.dialects.base import Reply, of_model
from message_history.dialects.bedrock.limits import LIMITS, with_claude
from message_history.dialects.bedrock.model_fields import Fields
from message_history.dialects.bedrock.parse import BEDROCK
from message_history.dialects.bedrock.parse import parse as parse_list
from message_history.dialects.bedrock.schema import MODELS, RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign

__all__ = ["Bedrock"]


@final
@frozen(kw_only=True)
class Bedrock(Fields):
    """Converse messages, as boto3 takes them: media are bytes.

    The defaults are what requests of some family were seen to take, except how a list begins and ends, neighbours of
    one role, lone white space, and most media in results.

    Media may come in as bytes or, as they are in the HTTP request and in saved JSON, as base64 text. The system
    prompt is `export(dialect).system`. A request whose messages hold calls needs a `toolConfig` with tools (BR-B11).

    Args:
        leading_assistant: whether the list may begin with the assistant (BR-B01). None where no model is known: a list
            that begins so is sent unchanged.
        joins_neighbours: whether neighbours of one role are taken as one message (BR-B02). None where no model is
            known: a check takes them, and an export joins them.
        prefill: whether it may end with the assistant (BR-B03). None where no model is known: a check takes it, and an
            export puts a user's turn after it.
        prefill_with_tools: whether it may do so when it holds calls (BR-B03).
        beside_results: what may be in one message with results: block keys, or formats of documents (BR-B15).
        text_with_calls: whether a message may hold text and calls (BR-B15); with signed reasoning, Claude's, it may.
        in_results: which media a result may hold: block keys, or formats of documents (BR-B16). None where no model is
            known: a check takes what some model takes, and an export leaves in place what nearly all do.
        media: which media the model takes at all (BR-B20).
        empty_results: whether a result may be empty (BR-B14), or hold empty text (BR-B05).
        white_space: whether a text may be white space: never, next to another text, or alone too (BR-B05).
        calls_last: whether only calls may follow a call (BR-B32).
        status: whether a result may have a status (BR-B26).
        reasoning: whether signed reasoning is sent back (BR-B23).
        unsigned_reasoning: whether reasoning without a signature does. None where no model is known: a check takes it.
        binds_thinking: whether it is refused once anything before it has changed.
        cache_points: whether the model has a cache (BR-B22).
        cache_ttl: whether a cache point may say how long it lives (BR-B22). None where no model is known: one that
            says so is sent back unchanged.
        citations: whether an answer may come back with its citations.
        server_tools: whether calls and results of the model's own tools are sent back (BR-B30).
        s3: which media may be in S3 (BR-B27).
        s3_in_results: which may be there in results, where these are others.
        max_images: how many images a message may hold (BR-B21).
        max_documents: how many documents a message may hold (BR-B21).
        limits: what is taken of images and documents (BR-B21, BR-B28, BR-B31).
    """

    name: ClassVar[str] = BEDROCK
    rules: ClassVar[Sequence[Rule]] = RULES

    @classmethod
    def for_model(cls, model: str) -> Bedrock:
        """Choose the fields for a model.

        Args:
            model: its id, an inference profile's, or an ARN that holds one.

        Returns:
            The dialect; the defaults for a model that is not known.
        """
        fields = fields_for(MODELS, checked_name(model))
        if "claude" in model.lower():
            claude = Anthropic.for_model(model)
            fields.update(prefill=claude.prefill, binds_thinking=claude.binds_thinking, limits=with_claude(LIMITS))
        return cls(**fields)

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of Converse messages; see `Dialect.parse`."""
        return parse_list(raw, foreign, white_space=self.white_space == "alone")

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        output = as_mapping(response.get("output"))
        message = as_mapping(output.get("message")) if output is not None else None
        if message is None or as_sequence(message.get("content")) is None:
            return None
        beside = without(response, frozenset({"output"}))
        if more := without(output or {}, frozenset({"message"})):
            beside["output"] = more
        cut = {"stopReason": response["stopReason"]} if is_truncated(response) else {}
        return Reply([{**of_model(message), **cut}], beside=beside)

    def takes_cache_marks(self) -> bool:
        """Return whether a request may mark what is to be cached."""
        return self.cache_points

    def mark_cache(self, blocks: list[Any], ttl: str | None) -> bool:
        """Put a cache point after the last block; see `Dialect.mark_cache`."""
        if not blocks or not blocks[-1].keys() & _CACHED or blocks[0].keys() & {"document", "video"}:
            return False
        lasting = {"ttl": ttl} if ttl is not None and self.cache_ttl else {}
        blocks.append({"cachePoint": {"type": "default", **lasting}})
        return True

    def unmark_cache(self, blocks: list[Any]) -> None:
        """Take the cache points out."""
        blocks[:] = [block for block in blocks if "cachePoint" not in block]

    def takes_leading_assistant(self) -> bool | None:
        """Return whether the list may begin with the assistant; see `Dialect.takes_leading_assistant`."""
        return self.leading_assistant

    def allows_prefill_with_calls(self) -> bool:
        """Return whether a list that holds calls may end with the assistant."""
        return self.prefill_with_tools

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the assistant."""
        return bool(self.prefill)


_CACHED: Final = frozenset({"text", "image", "toolResult"})
"""The blocks of a user message that a cache point may follow."""
