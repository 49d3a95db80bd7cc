"""Packs values as LangGraph packs its checkpoints, to make databases of it without its packages."""

from __future__ import annotations

import struct
from typing import Any

__all__ = ["checkpoint_of", "message_of", "packed"]

PYDANTIC = 5


class Extension:
    """A value that is packed as an extension."""

    def __init__(self, code: int, value: Any) -> None:
        self.code = code
        self.value = value


def packed(value: Any) -> bytes:
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        written = value.encode()
        return struct.pack(">BI", 0xDB, len(written)) + written
    if isinstance(value, bytes):
        return struct.pack(">BI", 0xC6, len(value)) + value
    if isinstance(value, dict):
        pairs = (packed(key) + packed(each) for key, each in value.items())
        return struct.pack(">BI", 0xDF, len(value)) + b"".join(pairs)
    if isinstance(value, Extension):
        written = packed(value.value)
        return struct.pack(">BIB", 0xC9, len(written), value.code) + written
    return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(packed, value))


def message_of(name: str, **fields: Any) -> Extension:
    """Make a message as LangGraph packs it."""
    return Extension(PYDANTIC, ["langchain_core.messages", name, fields, "model_validate_json"])


def checkpoint_of(**values: Any) -> bytes:
    """Make a checkpoint of the values of its channels."""
    return packed({"v": 4, "id": "1", "channel_values": values})
