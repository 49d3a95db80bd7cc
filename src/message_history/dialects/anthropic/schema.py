"""The rules of the Messages API, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a message, `{m}` for a block in it. A rule without an error text is documented, but nobody has
published what the API answers. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, final

from attrs import frozen

from message_history.dialects._shared.tables import RuleTable, read_table

RULES: Final = RuleTable(__package__)

ID: Final = re.compile("[a-zA-Z0-9_-]+")
SERVER_ID: Final = re.compile("srvtoolu_[a-zA-Z0-9_]+")
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
"""The strict form of 2025; the schema of 2026 takes 200 characters (AN-C8)."""
ID_LIMIT: Final = 256
"""No limit is documented (AN-C7); ids beyond this are nobody's."""

SERVER_TOOLS: Final = {
    "web_search": "web_search_tool_result",
    "web_fetch": "web_fetch_tool_result",
    "code_execution": "code_execution_tool_result",
    "bash_code_execution": "bash_code_execution_tool_result",
    "text_editor_code_execution": "text_editor_code_execution_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
    "tool_search_tool_bm25": "tool_search_tool_result",
    "advisor": "advisor_tool_result",
}
"""The block type of each server tool's result (AN-S4; SDK types, 2026-09)."""

IN_RESULTS: Final = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
IN_USER: Final = frozenset({"text", "image", "document", "tool_result", "search_result", "container_upload"})
OWN_IN_USER: Final = frozenset({"search_result", "container_upload"})
"""The blocks of a user message that only this API knows; they are sent back unchanged."""
OWN_IN_RESULTS: Final = frozenset({"search_result", "tool_reference", "browser_state"})
"""The blocks of a result that only this API knows."""
OF_RESPONSES: Final = frozenset({"id", "stop_reason"})
"""What a response says of itself, and no request."""
TOOL_CHANGES: Final = frozenset({"tool_addition", "tool_removal"})
"""What a system message may hold besides text, with a beta header (AN-A10)."""
IN_ASSISTANT: Final = frozenset(
    {
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_result",
        "mcp_tool_listing",
        "container_upload",
        "compaction",
        "fallback",
        "connector_text",
        *SERVER_TOOLS.values(),
    }
)
NOT_IN_ASSISTANT: Final = (IN_USER | IN_RESULTS | TOOL_CHANGES | {"thinking", "redacted_thinking", "tool_use"}) - {
    "container_upload"
}
"""Types that an assistant message never holds whole: such blocks belong elsewhere, or are modelled."""
FOREIGN: Final = (
    r"(input|output)_(text|image|file|audio)|image_url|(tool|function|custom|server_tool|invalid_tool)[_-]call"
    r"|tool[_-](calls|result)|function|reasoning(_content|_text|\.\w+)?|refusal|summary_text|non_standard|thought|audio"
    r"|video|file|json|source|source-url|step-start|\w+_call(_output)?|.*[^a-z0-9_].*"
)
"""The tags of other APIs and libraries, which this one has never used; compiled when first asked for."""
_BASE64: Final = "[A-Za-z0-9+/]"
SIGNATURE: Final = re.compile(rf"{_BASE64}+={{0,2}}|{_BASE64}*(<[^<>]*>|\[[A-Z_ ]+\]|\.\.\.|\*+){_BASE64}*={{0,2}}")
"""What a signature is made of: base64 text, or what a recording shows in its place (AN-T4)."""
IMAGE_TYPES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MAX_CACHE_MARKS: Final = 4


@final
@frozen(kw_only=True)
class Row:
    """What holds for some models."""

    field: str
    value: bool
    families: frozenset[str]  # the families it holds for; empty for all
    since: tuple[int, ...]
    until: tuple[int, ...]  # the last version that is known to do so
    rule: str  # the rule that says so; its source and date are this row's


@cache
def model_rows() -> tuple[Row, ...]:
    """Return what differs by model; a model that no row covers gets the default of each field."""
    return tuple(
        Row(
            field=row["field"],
            value=row["value"],
            families=frozenset(row.get("families", ())),
            since=tuple(row.get("since", (0, 0))),
            until=tuple(row["until"]),
            rule=row["rule"],
        )
        for row in read_table(__package__, "models")["models"]
    )


def version_of(model: str) -> tuple[str, tuple[int, int]] | None:
    """Read family and version from a name like `claude-opus-4-8`, also within another platform's; else None."""
    found = _NEW_NAME.search(model.lower())
    if found is not None:
        return found["family"], (int(found["major"]), int(found["minor"] or 0))
    found = _OLD_NAME.search(model.lower())
    return ("", (int(found["major"]), int(found["minor"] or 0))) if found is not None else None


_NEW_NAME: Final = re.compile(r"claude-(?P<family>[a-z]+)-(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d)")
_OLD_NAME: Final = re.compile(r"claude-(?P<major>\d)(?:[-.](?P<minor>\d))?(?!\d)")
