"""The names that the files of this dialect share."""

from __future__ import annotations

from typing import Final

from message_history.dialects.kit import RuleTable

TAGGED: Final = "tagged"
RULES: Final = RuleTable(__package__)
ROLES: Final = {"SYSTEM": "system", "USER": "user", "TOOL": "user", "AI": "assistant"}
