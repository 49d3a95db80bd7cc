"""The steps of the Interactions API, as data: whose side each is on, and which fields it and its content have.

The fields are those of the types of `google-genai` 3.4 (2026-11), which the oracle tests pin.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from message_history.dialects._shared.tables import RuleTable

if TYPE_CHECKING:
    from collections.abc import Mapping

GEMINI_INTERACTIONS: Final = "gemini_interactions"
RULES: Final = RuleTable(__package__)

STEPS: Final[dict[str, frozenset[str]]] = {
    "user_input": frozenset({"type", "content"}),
    "model_output": frozenset({"type", "content", "error"}),
    "thought": frozenset({"type", "signature", "summary"}),
    "function_call": frozenset({"type", "id", "name", "arguments"}),
    "function_result": frozenset({"type", "call_id", "name", "result", "is_error"}),
    "google_search_call": frozenset({"type", "id", "arguments", "search_type", "signature"}),
    "google_search_result": frozenset({"type", "call_id", "result", "is_error", "signature"}),
    "code_execution_call": frozenset({"type", "id", "arguments", "signature"}),
    "code_execution_result": frozenset({"type", "call_id", "result", "is_error", "signature"}),
    "url_context_call": frozenset({"type", "id", "arguments", "signature"}),
    "url_context_result": frozenset({"type", "call_id", "result", "is_error", "signature"}),
    "file_search_call": frozenset({"type", "id", "signature"}),
    "file_search_result": frozenset({"type", "call_id", "signature"}),
    "google_maps_call": frozenset({"type", "id", "arguments", "signature"}),
    "google_maps_result": frozenset({"type", "call_id", "result", "signature"}),
    "retrieval_call": frozenset({"type", "id", "arguments", "retrieval_type", "signature"}),
    "retrieval_result": frozenset({"type", "call_id", "is_error", "signature"}),
    "processing_call": frozenset({"type", "id", "signature"}),
    "processing_result": frozenset({"type", "call_id", "signature"}),
    "tool_search_call": frozenset({"type", "id", "arguments", "signature"}),
    "tool_search_result": frozenset({"type", "call_id", "result", "signature"}),
    "mcp_server_tool_call": frozenset({"type", "id", "name", "server_name", "arguments"}),
    "mcp_server_tool_result": frozenset({"type", "call_id", "name", "server_name", "result"}),
}
"""The fields of each type of step."""

MODEL_STEPS: Final = frozenset(STEPS) - {"user_input", "function_result"}
"""The types of steps that are the assistant's: what the model and the provider's own tools make."""
SERVER_STEPS: Final = MODEL_STEPS - {"model_output", "thought", "function_call"}
"""The types of steps that the provider's own tools make; they are kept whole."""

CONTENT: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"type", "text", "annotations"}),
    "image": frozenset({"type", "data", "uri", "mime_type", "resolution"}),
    "document": frozenset({"type", "data", "uri", "mime_type", "resolution", "processing"}),
    "audio": frozenset({"type", "data", "uri", "mime_type", "channels", "sample_rate", "processing"}),
    "video": frozenset({"type", "data", "uri", "mime_type", "name", "resolution", "processing"}),
}
"""The fields of each type of content."""

NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_.:-]*")
NAME_LIMIT: Final = 64
ID: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
ID_LIMIT: Final = 256
"""No limit is documented; ids beyond this are nobody's."""

TRUNCATED: Final = frozenset(
    {"in_progress", "failed", "cancelled", "incomplete", "budget_exceeded", "queued", "requires_continuation"}
)
"""The statuses of an interaction that ended, or stopped, before the model was done."""


def is_step(data: Mapping[Any, Any]) -> bool:
    """Return whether a raw entry is surely a step of this API; a call of the Responses API has other fields."""
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in STEPS or "role" in data:
        return False
    if kind == "function_call":
        return "call_id" not in data and "id" in data and not isinstance(data.get("arguments"), str)
    if kind == "file_search_call":
        return not data.keys() & {"queries", "results", "status"}
    if kind == "tool_search_call":
        return not data.keys() & {"call_id", "execution", "status"}
    return True
