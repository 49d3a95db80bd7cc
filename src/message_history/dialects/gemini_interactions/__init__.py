"""The Interactions API of Google's Gemini models and agents: a list of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

from attrs import frozen

from message_history.dialects._shared.beside import REPEATED, without
from message_history.dialects._shared.held import add_held, held_call
from message_history.dialects._shared.rules import Rule, checked_name
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects.base import Reply
from message_history.dialects.gemini_interactions.model_fields import Fields
from message_history.dialects.gemini_interactions.parse import Reader, is_interaction
from message_history.dialects.gemini_interactions.schema import GEMINI_INTERACTIONS, RULES, TRUNCATED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign

__all__ = ["GeminiInteractions"]


@final
@frozen(kw_only=True)
class GeminiInteractions(Fields):
    """`input` of an interaction, as a list of steps; the system prompt is its `system_instruction`.

    Args:
        continues: whether the list goes on from an interaction that the provider has stored
            (`previous_interaction_id`), whose calls it does not show (GI-15): these are put into the history, marked
            as held, and not sent again.
        prefill: whether the list may end with the model (GI-09).
        unsigned_thoughts: whether thoughts without a signature are sent back (GI-14).
        limits: what is taken of images and documents (GI-08, GI-13).
    """

    name: ClassVar[str] = GEMINI_INTERACTIONS
    rules: ClassVar[Sequence[Rule]] = RULES

    @classmethod
    def for_model(cls, model: str) -> GeminiInteractions:
        """Choose the fields for a model.

        Args:
            model: its name.

        Returns:
            The dialect; no difference between models has been reported yet.
        """
        checked_name(model)
        return cls()

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of steps; see `Dialect.parse`."""
        parsed = Reader().read(raw, foreign)
        if self.continues:
            add_held(parsed, _held_call)
        return parsed

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read an interaction; see `Dialect.reply`. The steps that the request sent are not taken again."""
        if not is_interaction(response):
            return None
        steps = as_sequence(response.get("steps", response.get("outputs"))) or []
        kinds = [(as_mapping(step) or {}).get("type") for step in steps]
        start = max((n + 1 for n, kind in enumerate(kinds) if kind in ("user_input", "function_result")), default=0)
        truncated = response.get("status") in TRUNCATED
        kept = {key: response[key] for key in ("object", "id", "model", "status") if response.get(key) is not None}
        beside = without(response, REPEATED | {"steps" if response.get("steps") is not None else "outputs"})
        return Reply([{**kept, "steps": steps[start:]}], truncated, beside=beside)

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the model."""
        return self.prefill


def _held_call(result: ToolResultBlock) -> ToolUseBlock:
    """Make the call of a result that the provider alone has."""
    name = result.extra(GEMINI_INTERACTIONS).get("name")
    return held_call(result.tool_use_id, name if isinstance(name, str) else "")
