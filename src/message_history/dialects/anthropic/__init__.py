"""The Messages API of Anthropic, also as Bedrock and Vertex serve it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen

from message_history.core.messages.message import is_plain
from message_history.dialects._shared.beside import without
from message_history.dialects._shared.rules import Rule, checked_name
from message_history.dialects.anthropic.limits import limits_for
from message_history.dialects.anthropic.model_fields import Fields
from message_history.dialects.anthropic.parse import ANTHROPIC
from message_history.dialects.anthropic.parse import parse as parse_list
from message_history.dialects.anthropic.schema import RULES, model_rows, version_of
from message_history.dialects.base import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.blocks import SystemBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign

__all__ = ["Anthropic"]

_RESPONSE_KEYS: Final = ("id", "stop_reason", "stop_sequence", "container")
"""The keys of a response, besides its content, that a later request may need."""

_ON_BEDROCK: Final = re.compile(r"anthropic\.|bedrock")
"""What Bedrock's names of models have in them."""
_UNSIGNED: Final = re.compile("deepseek")
"""Who signs no thinking. A recorded request to Vercel's gateway gives it back with an empty signature, and was taken
(https://github.com/anomalyco/opencode, vercel-native/continues-messages-deepseek-reasoning-and-tools, 2026-10)."""
_ELSEWHERE: Final = re.compile(r"(gpt-|chatgpt-|o[1-9](-|$)|gemini-)")
"""The names of models that only other providers have."""


@final
@frozen(kw_only=True)
class Anthropic(Fields):
    """The Messages API; the defaults are for a model that is not known.

    Args:
        leading_assistant: whether the list may begin with the assistant (AN-A2). None where no model is known: a list
            that begins so is sent unchanged.
        prefill: whether the list may end with the assistant (AN-A15). None where no model is known: a check takes it,
            and an export puts a user's turn after it.
        split_results: whether the results of one message may come in several user messages (AN-C3).
        system_in_list: whether the list may hold system messages (AN-A9). None where no model is known: a list with
            them is taken, and an export puts what they say into the user's turn; tools that they add or remove stay.
        binds_thinking: whether thinking is refused once anything before it has changed (AN-T12).
        unsigned_thinking: whether thinking without a signature is taken, as by models that sign nothing (AN-T5).
        blank_beside_calls: whether the only text of a message with calls may be white space (AN-B3). None where no
            model is known: a check takes it, and no history holds it.
        data_only: whether images and documents must come as data, not as URLs, as on Bedrock (AN-M12).
        limits: what is taken of images and documents (AN-M1 to AN-M7).
    """

    name: ClassVar[str] = ANTHROPIC
    rules: ClassVar[Sequence[Rule]] = RULES

    @classmethod
    def for_model(cls, model: str) -> Anthropic:
        """Choose the fields for a model.

        Args:
            model: its name.

        Returns:
            The dialect; the defaults for a model that is not known.

        Raises:
            ValueError: for a model of OpenAI or Google: behind a gateway with this API, write `Anthropic()`.
        """
        if _ELSEWHERE.match(checked_name(model)):
            raise ValueError(
                f"model {model!r:.80} is not served by this API; use the dialect of its provider, or Anthropic() for a "
                "gateway that offers it in this form"
            )
        known = version_of(model)
        if known is None:
            return cls(unsigned_thinking=_UNSIGNED.search(model.lower()) is not None)
        family, version = known
        fields = {
            row.field: row.value
            for row in model_rows()
            if row.since <= version <= row.until and (not row.families or family in row.families)
        }
        return cls(**fields, data_only=_ON_BEDROCK.search(model.lower()) is not None, limits=limits_for(model, known))

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of the Messages API; see `Dialect.parse`."""
        return parse_list(raw, foreign)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`."""
        if response.get("role") != "assistant" or not isinstance(response.get("content"), list):
            return None
        if response.get("type") not in (None, "message"):
            return None
        kept = {key: response[key] for key in ("role", "content", *_RESPONSE_KEYS) if response.get(key) is not None}
        return Reply([kept], beside=without(response, frozenset(kept)))

    def write(self, messages: Iterable[Message], system: Sequence[SystemBlock] = ()) -> tuple[list[Any], Any]:
        """See `Dialect.write`; what writes other messages than plain ones is imported where there are any."""
        wire: list[Any] = []
        messages = list(messages)
        other = self._of_folder("plain_writer", "write_common")(messages, wire)
        if other is None and not system and not (wire and wire[-1]["role"] == "assistant"):
            return wire, None
        render = self._of_folder("render", "Render")(self)
        render.changes.wanted = False
        written: tuple[list[Any], Any] = render.written(messages, system, wire)
        return written

    def takes_cache_marks(self) -> bool:
        """Return whether a request may mark what is to be cached."""
        return True

    def mark_cache(self, blocks: list[Any], ttl: str | None) -> bool:
        """Mark the last block; see `Dialect.mark_cache`."""
        if not blocks or blocks[-1].get("type") not in _CACHED:
            return False
        blocks[-1]["cache_control"] = {"type": "ephemeral", **({"ttl": ttl} if ttl is not None else {})}
        return True

    def unmark_cache(self, blocks: list[Any]) -> None:
        """Take the cache marks off blocks, and off those in results."""
        for block in blocks:
            block.pop("cache_control", None)
            if isinstance(block.get("content"), list):
                self.unmark_cache(block["content"])

    def takes_leading_assistant(self) -> bool | None:
        """Return whether the list may begin with the assistant; see `Dialect.takes_leading_assistant`."""
        return self.leading_assistant

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end here: with a paused turn, or where prefill is taken."""
        return bool(self.prefill) or (
            not is_plain(assistant) and self._of_folder("render", "Render")(self).is_paused(assistant)
        )


_CACHED: Final = frozenset({"text", "image", "document", "tool_result"})
"""The blocks of a user message that may be marked."""
