"""The rules of pydantic-ai, as data: what its types refuse, what its agent raises, and what it changes in silence.

Texts are those of pydantic-ai-slim 2.68, produced by running it, with `{...}` for what differs. A rule without a text
is one that the package does not enforce: it drops or invents, or leaves the refusal to the provider.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects._shared.tables import RuleTable

RULES: Final = RuleTable(__package__)

ISSUERS: Final[dict[str, str]] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "google": "gemini",
    "google-cloud": "gemini",
    "google-gla": "gemini",
    "google-vertex": "gemini",
    "mistral": "mistral",
    "openai": "openai_responses",
    "openai-codex": "openai_responses",
    "azure": "openai_responses",
}
"""Who signs what the package's providers return; `google-gla` and `google-vertex` are the names before 2.0."""

PROVIDERS: Final[dict[str, str]] = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "google",
    "mistral": "mistral",
    "openai_responses": "openai",
}
"""The package's name for each of our issuers."""

REASONING_KEYS: Final = ("reasoning_content", "reasoning")
"""The ids of thinking that came from a Chat Completions server: the key that it stood under."""

ID: Final = re.compile("[^\ud800-\udfff]+")
"""Ids are free; only lone surrogates cannot be written."""
