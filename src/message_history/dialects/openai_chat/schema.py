"""The rules of Chat Completions, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a message, `{m}` for a part or a call in it. A rule without an error text is documented, but nobody
has published what the API answers. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects._shared.tables import RuleTable

RULES: Final = RuleTable(__package__)

ID: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
ID_LIMIT: Final = 40
"""Reported up to 64 on newer routes; 40 is what every route takes (OC-06)."""
SHORT_ID: Final = re.compile("[a-zA-Z0-9]{9}")
"""What templates of Mistral want, and nobody refuses."""
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
MAX_CALLS: Final = 128
REASONING: Final = "reasoning_content"
"""The key of reasoning for which a message gave no key."""
THINKING: Final = "thinking"
"""The type of a part that holds reasoning, as Cohere has it, and the `reasoning` of who takes it back so."""
OWN_KEY: Final = "as it came"
"""The `reasoning` of unknown hosts: it is sent back under the key that it came under."""
MAX_CACHE_MARKS: Final = 4
"""Claude's own limit, which holds through gateways too."""

PARTS: Final[dict[str, frozenset[str]]] = {
    "user": frozenset({"text", "image_url", "input_audio", "file", "video_url"}),
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "assistant": frozenset({"text", "refusal"}),
    "tool": frozenset({"text"}),
}
"""The parts that a message of each role may hold (the specification, 2026-08; videos are for other hosts)."""
KNOWN_PARTS: Final = frozenset({*PARTS["user"], *PARTS["assistant"], "reasoning_details", "function", "document_url"})
"""The types of parts, and of what is kept like one, that some rule knows."""
MESSAGE_KEYS: Final = frozenset(
    {
        *("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"),
        *("reasoning", "reasoning_content", "reasoning_details", "cache_control", "prefix", "parsed"),
    }
)
"""The keys of an assistant message that some rule knows."""
CALL_KEYS: Final = frozenset(
    {"id", "type", "function", "custom", "index", "args", "cache_control", "extra_content", "thought_signature"}
)
"""The keys of a call that some rule, or a recorded request, knows."""
TEXT_KEYS: Final = frozenset({"type", "text", "part", "refusal", "cache_control", "prompt_cache_breakpoint"})
"""The keys of an assistant's text part that some rule knows."""
_OF_APPLICATIONS: Final = re.compile(
    r"(.*[_-])?(id|ids|uuid|guid|key|at|ts|time|timestamp|date|datetime|created|updated|metadata|meta|status|state|tags?"
    r"|feedback|rating|session|thread|user|username|agent|author|sender|parent|children|siblings|tokens?|usage|cost"
    r"|model|provider|object|logprobs|version|index|order|turn|step|finish_reason|stop_reason|latency|duration)"
)
"""How applications call what they keep with a message, in lower case, and servers what they say of a whole reply."""
_CAMEL: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def is_of_application(key: str) -> bool:
    """Return whether a key has a name that applications give to what they keep with a message."""
    return _OF_APPLICATIONS.fullmatch(_CAMEL.sub("_", key).lower()) is not None
