"""Images of every kind, made with Pillow; what imports this is skipped without it."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from typing import Any

import pytest

from message_history import ImageBlock

pytest.importorskip("PIL")
from PIL import Image


def scene(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """A picture with shapes in it: top left is red, so that it shows how it is turned."""
    image = Image.new("RGB", (width, height), "white")
    image.paste("red", (0, 0, max(1, width // 2), max(1, height // 2)))
    image.paste("blue", (width // 2, height // 2, width, height))
    if mode == "RGBA":
        image.putalpha(Image.linear_gradient("L").resize((width, height)))
        return image
    return image.convert(mode)


def noise(width: int, height: int) -> Image.Image:
    """A picture that no format makes small; the same each time."""
    size = width * height * 3
    state, rows = 1, bytearray()
    while len(rows) < size:
        state = zlib.crc32(struct.pack("<II", state, len(rows)))
        rows += struct.pack("<I", state)
    return Image.frombytes("RGB", (width, height), bytes(rows[:size]))


def written(image: Image.Image, form: str, **options: Any) -> bytes:
    """Write a picture in a format."""
    out = io.BytesIO()
    image.save(out, format=form, **options)
    return out.getvalue()


def turned(form: str, orientation: int, width: int = 60, height: int = 40) -> bytes:
    """A picture with the EXIF tag of a camera that was held another way."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return written(scene(width, height), form, exif=exif)


def moving(form: str, frames: int = 3) -> bytes:
    """A picture that moves."""
    pictures = [Image.new("RGB", (30, 20), colour) for colour in ("red", "green", "blue", "black")[:frames]]
    return written(pictures[0], form, save_all=True, append_images=pictures[1:], duration=100)


def bomb(width: int = 50_000, height: int = 50_000) -> bytes:
    """A PNG of a few hundred bytes whose header claims a picture of many gigabytes."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(100_000))
    chunks = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def block(data: bytes, media_type: str = "image/png") -> ImageBlock:
    """An image block of some bytes."""
    return ImageBlock({"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()})


def shown(data: str) -> Image.Image:
    """The picture that base64 text holds."""
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    image.load()
    return image
