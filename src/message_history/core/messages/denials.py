"""Texts in which other programs say that a call was denied, so that its state is known when their lists are read."""

from __future__ import annotations

import re
from typing import Final

OPENINGS: Final = ("Tool execution was not approved.",)
"""Those that come without a sign that the result is an error."""
REASONED: Final = f"{OPENINGS[0]} Reason: "
"""How such a text begins where this library gave a person's reason to the program."""

# Compiled when first asked for: few results are errors.
_ERRORS: Final = (
    # A coding agent's session files, when a person rejects a call in the terminal.
    r"(?s)The user doesn't want to proceed with this tool use\. The tool use was rejected\b"
    r"(?:.*?the user said:\s*(?P<reason>.*?)(?:\n\nNote: .*)?$)?",
    # The same, by a rule, or when there is nobody to ask.
    r"(?s)Permission to use .{1,2000}? has been denied\b",
    r"(?s)\w+ requested permissions? to .{1,2000}?, but you haven't granted it yet\.",
    r"Tool (?:call )?execution denied\.$",
    # Middleware that asks a person before a call runs.
    r"(?s)User rejected the tool call for `[^`]*` (?:with reason: (?P<reason>.*)"
    r"|with id .* The tool was not executed\. .*)$",
)


def denial_of_text(text: str, *, is_error: bool) -> str | None:
    """Return the reason in a result that says that its call was denied, "" for a person who gave none; else None."""
    if text in OPENINGS:
        return ""
    if text.startswith(REASONED):
        return text.removeprefix(REASONED).strip()
    if is_error:
        for pattern in _ERRORS:
            found = re.match(pattern, text)
            if found is not None:
                return (found.groupdict().get("reason") or "").strip()
    return None
