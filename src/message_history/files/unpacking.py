"""Zstandard: unpacked by what is there for it, which is the standard library from Python 3.14 on, or `zstandard`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from message_history.files.budgets import spend, spend_on_json
from message_history.files.containers import UnopenedError, most_unpacked

_UNPACKERS: Final = ("compression.zstd", "backports.zstd", "zstandard")
"""The modules that unpack it; each has a `ZstdDecompressor`."""


def unpacked(data: bytes) -> bytes:
    """Unpack one frame of Zstandard.

    Raises `UnopenedError` when it is damaged or too large, or nothing here unpacks it.
    """
    for name in _UNPACKERS:
        try:
            module = import_module(name)
        except ImportError:
            continue
        return _unpacked(module.ZstdDecompressor(), data)
    raise UnopenedError("it is packed with Zstandard, which Python unpacks from 3.14 on, or with the package zstandard")


def _unpacked(decompressor: Any, data: bytes) -> bytes:
    most = most_unpacked()
    try:
        if hasattr(decompressor, "stream_reader"):
            found = decompressor.stream_reader(data).read(most + 1)
        else:
            found = decompressor.decompress(data, most + 1)
    # Each module has an error of its own.
    except Exception as error:
        raise UnopenedError(f"it is damaged: {error}") from error
    if len(found) > most:
        raise UnopenedError(f"it unpacks to more than {most:,} bytes")
    spend(2 * len(found))
    spend_on_json(found)
    return bytes(found)
