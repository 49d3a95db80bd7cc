"""What tests in several folders write the same way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from message_history import MessageHistory, RepairCode

__all__ = ["assistant", "codes", "saved", "user"]


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def codes(history: MessageHistory) -> list[RepairCode]:
    return [repair.code for repair in history.repairs]


def saved(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path
