"""What tests in several folders write the same way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory, ToolUseBlock

if TYPE_CHECKING:
    from pathlib import Path

    from message_history import RepairCode

__all__ = ["ASKED", "CALL", "assistant", "codes", "saved", "user"]

CALL: Final = ToolUseBlock("1", "f", {})
ASKED: Final = MessageHistory().add_user("q").add_assistant(CALL)
"""A conversation whose one call waits."""


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def codes(history: MessageHistory) -> list[RepairCode]:
    return [repair.code for repair in history.repairs]


def saved(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path
