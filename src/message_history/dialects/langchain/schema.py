"""The messages of langchain-core, as data: whose each is, and whose blocks its content may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from message_history.dialects._shared.sdk_objects import as_mapping
from message_history.dialects._shared.tables import RuleTable

LANGCHAIN: Final = "langchain"
RULES: Final = RuleTable(__package__)
ISSUERS: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "google_genai": "gemini",
    "google_vertexai": "gemini",
}
"""Whose blocks a reply holds, by the `model_provider` of its metadata."""
KINDS: Final = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}


def kind_of(data: Mapping[Any, Any]) -> str:
    """Return whose message a dump is: `user`, `assistant`, `system`, `tool`, or empty for none that is known."""
    kind = data.get("type")
    if not isinstance(kind, str):
        return ""
    kind = kind.removesuffix("MessageChunk").lower()
    if kind == "chat":
        return KINDS.get(str(data.get("role")), "user")
    return "tool" if kind in ("tool", "function") else KINDS.get(kind, "")


def as_message(entry: object) -> Mapping[Any, Any] | None:
    """Read an object of langchain-core, its dump, `messages_to_dict`'s, or a pair of role and text; else None."""
    if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str):
        return {"type": entry[0], "content": entry[1]} if kind_of({"type": entry[0]}) else None
    data = as_mapping(entry)
    if data is not None and isinstance(data.get("data"), Mapping):
        data = {"type": data.get("type"), **data["data"]}
    return data if data is not None and "content" in data and kind_of(data) else None
