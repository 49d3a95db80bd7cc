"""generateContent of Google's Gemini models: the Developer API and Vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from attrs import frozen

from message_history.dialects._shared.beside import REPEATED, beside_content, without
from message_history.dialects._shared.rules import Rule, checked_name, fields_for
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.truncated import is_truncated
from message_history.dialects.base import Reply
from message_history.dialects.gemini.entries import GEMINI
from message_history.dialects.gemini.model_fields import Fields
from message_history.dialects.gemini.parse import Reader
from message_history.dialects.gemini.schema import DEVELOPER_MODELS, MODELS, RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.message import Message
    from message_history.core.messages.parsed import Parsed
    from message_history.dialects.base import Foreign

__all__ = ["Gemini"]

TRUNCATED: Final = frozenset(
    {"blocklist", "language", "malformed_response", "prohibited_content", "recitation", "spii"}
)
"""Finish reasons of this API alone that say that a reply ended before the model was done (SDK types, 2026-09)."""


@final
@frozen(kw_only=True)
class Gemini(Fields):
    """`contents` of generateContent; the defaults are for a model that is not known.

    Args:
        vertex: whether it is sent to Vertex rather than to the Developer API.
        ids: whether calls and responses have ids; Vertex v1 refuses them, v1beta1 does not (GM-G21).
        signatures_required: whether the first call of each step must be signed (GM-G10). None where no model is known:
            a check takes an unsigned one, and an export gives it the value that stands for a signature.
        prefill: whether the list may end with the model (GM-G15). None where no model is known: a check takes it, and
            an export puts a user's turn after it.
        media_in_responses: whether a response may hold images and documents (GM-G24). None where no model is known: a
            list with them is taken, and an export puts them after the responses.
        server_tools: whether server tools' parts and part metadata are sent back (GM-G25).
        empty_text: whether text parts may be empty: Vertex alone refuses them (GM-G04).
        adjacent: whether neighbouring contents may have one role, as all but the first models allow (GM-G16).
        function_role: whether responses may come from the role `function`, as older models take them (GM-G05).
        split_calls: whether the calls of one step may come in several contents (GM-G06).
        split_responses: whether the responses of one step may come in several contents (GM-G07, GM-G08).
        unanswered: whether calls may have no response at all where another content follows them (GM-G08). A history
            answers them all the same. None where no model is known: a check takes such a list.
        display_names: whether media may say what they are called (GM-G22), as on Vertex. None where neither the host
            nor the model is known: a name that came with the media is sent back.
        beside_results: whether other parts may be in one content with the response of a single call (GM-G23, GM-G24).
        bypass_as_text: whether the value that stands for a missing signature may come as its text (GM-G14).
        limits: what is taken of images and documents (GM-G28, GM-G29).
    """

    name: ClassVar[str] = GEMINI
    rules: ClassVar[Sequence[Rule]] = RULES

    @classmethod
    def for_model(cls, model: str, *, vertex: bool = False) -> Gemini:
        """Choose the fields for a model.

        Args:
            model: its name.
            vertex: whether it is served by Vertex rather than by the Developer API.

        Returns:
            The dialect; the defaults for a model that is not known.
        """
        rows = MODELS if vertex else (*MODELS, *DEVELOPER_MODELS)
        return cls(vertex=vertex, **fields_for(rows, checked_name(model)))

    def parse(self, raw: Sequence[Any], foreign: Foreign | None = None) -> Parsed:
        """Read a list of contents; see `Dialect.parse`."""
        return Reader().read(raw, foreign)

    def reply(self, response: Mapping[str, Any]) -> Reply | None:
        """Read a response; see `Dialect.reply`. Of several candidates, the first is taken."""
        candidates = [as_mapping(candidate) for candidate in as_sequence(response.get("candidates")) or ()]
        candidate = candidates[0] if candidates else None
        if candidate is None:
            blocked = response.get("promptFeedback") or response.get("prompt_feedback")
            beside = without(response, REPEATED | {"candidates"})
            return Reply([{"role": "model", "parts": []}], True, beside=beside) if blocked else None
        reason = candidate.get("finishReason") or candidate.get("finish_reason")
        truncated = is_truncated(candidate) or (isinstance(reason, str) and reason.lower() in TRUNCATED)
        content, *others = [_content(found) for found in candidates if found is not None]
        beside = beside_content(without(response, REPEATED), "candidates", candidates, "content")
        return Reply([content], truncated, others, beside)

    def takes_blank_lead(self) -> bool:
        """Return whether the list may begin with an empty text of the user: where empty text is taken."""
        return self.empty_text

    def may_end_with(self, assistant: Message) -> bool:
        """Return whether the list may end with the model."""
        return bool(self.prefill)


def _content(candidate: Mapping[str, Any]) -> dict[str, Any]:
    content = as_mapping(candidate.get("content")) or {}
    return {**content, "role": "model", "parts": content.get("parts") or []}
