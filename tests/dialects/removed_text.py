"""What repairs hold, to look for something in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from message_history.core.messages.block_base import Block
from message_history.core.values.json_values import thaw
from message_history.dialects.native.render import block_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history import Repair

__all__ = ["removed_text"]


def removed_text(repairs: Iterable[Repair]) -> str:
    """Give all that was taken out, as JSON text."""
    items = [item for repair in repairs for item in repair.removed]
    return json.dumps([block_to_json(item) if isinstance(item, Block) else thaw(item) for item in items])
