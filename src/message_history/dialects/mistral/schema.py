"""The rules of Mistral's chat messages, as data: ids as in the catalogue they came from, provider texts verbatim.

The provider publishes its own request validators (mistral-common), one for each version of its tokenizer; the hosted
API answers with their texts, in its own envelope. `{...}` stands for what differs. A rule without an error text
is documented, but nobody has published what the API answers.
"""

from __future__ import annotations

import re
from typing import Any, Final

from message_history.dialects._shared.tables import ModelTable, RuleTable

RULES: Final = RuleTable(__package__)

ID: Final = re.compile("[a-zA-Z0-9]{9}")
ID_LENGTH: Final = 9
ANY_ID: Final = re.compile("(?!null$)[^\ud800-\udfff]+", re.DOTALL)
ANY_ID_LENGTH: Final = 256
"""No limit is documented (MS-M07a); ids beyond this are nobody's."""
NAME: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
ANY_NAME: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
NAME_LIMIT: Final = 64
ANY_NAME_LIMIT: Final = 256

KEYS: Final[dict[str, frozenset[str]]] = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
    "call": frozenset({"id", "type", "function", "index"}),
}
"""The keys that a message of each role, and a call, may hold (types of the `mistralai` SDK 3.7, 2026-09)."""

CHUNKS: Final[dict[str, str]] = {
    "text": "TextChunk",
    "image": "ImageChunk",
    "image_url": "ImageURLChunk",
    "input_audio": "AudioChunk",
    "audio_url": "AudioURLChunk",
    "thinking": "ThinkChunk",
    "document_url": "DocumentURLChunk",
    "file": "FileChunk",
    "reference": "ReferenceChunk",
}
"""What errors call each type of chunk."""

_IMAGES: Final = frozenset({"text", "image_url"})
_AUDIO: Final = frozenset({"text", "image_url", "input_audio"})

_SERVED: Final[dict[str, Any]] = {
    "text_with_calls": True,
    "alternate": False,
    "one_system": False,
    "late_system": True,
    "bridge": False,
    "prefix": True,
    "text_lists": True,
    "thinking": False,
    "tool_chunks": frozenset({"text"}),
    "tool_chunks_only": True,
    "name_pattern": NAME,
    "name_limit": NAME_LIMIT,
}
VERSIONS: Final[dict[int, dict[str, Any]]] = {
    3: {**_SERVED, "text_with_calls": False, "pair_ids": False, "user_chunks": _IMAGES},
    7: {**_SERVED, "pair_ids": False, "user_chunks": _AUDIO, "audio_beside_system": False},
    11: {**_SERVED, "user_chunks": _AUDIO, "thinking": True},
    13: {**_SERVED, "user_chunks": _AUDIO, "thinking": True, "id_pattern": ANY_ID, "id_limit": ANY_ID_LENGTH},
    15: {
        **_SERVED,
        "user_chunks": _AUDIO,
        "tool_chunks": _AUDIO,
        "thinking": True,
        "id_pattern": ANY_ID,
        "id_limit": ANY_ID_LENGTH,
    },
}
"""What mistral-common 1.13 takes, by the version of the tokenizer (its validators, run in serving mode, 2026-09)."""

"""Names of open weights hold `instruct`, or their owner's; those of the hosted API hold neither."""
MODELS: Final = ModelTable(__package__, values={"any_name": ANY_NAME, "plain_name": NAME})
"""What differs by model; a model that no row covers gets the defaults."""
