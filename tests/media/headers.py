"""Images that are nothing but headers, made without Pillow: nobody looks behind those before an image is opened."""

from __future__ import annotations

import base64
import struct
import zlib

from message_history import DocumentBlock, ImageBlock

__all__ = ["as_text", "image", "jpeg", "paper", "png"]


def png(width: int = 10, height: int = 10, *, filler: int = 0) -> bytes:
    """A PNG of a size, in pixels and about in bytes."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", bytes(filler)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def jpeg(width: int = 10, height: int = 10, *, end: bool = True) -> bytes:
    """A JPEG of a size in pixels."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0"
    return b"\xff\xd8\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame + (b"\xff\xd9" if end else b"")


def as_text(data: bytes) -> str:
    """Bytes in base64."""
    return base64.b64encode(data).decode()


def image(data: bytes, media_type: str = "image/png") -> ImageBlock:
    """An image block."""
    return ImageBlock({"type": "base64", "media_type": media_type, "data": as_text(data)})


def paper(pages: int = 1, *, before: bytes = b"", packed: bool = False, encrypted: bool = False) -> DocumentBlock:
    """A PDF block, as far as its objects tell how many pages it has."""
    objects = b"".join(b"<< /Type /Page /Parent 2 0 R >>\n" for _ in range(pages))
    if packed:
        body = zlib.compress(objects)
        objects = b"<< /Type /ObjStm /N 3 /Filter /FlateDecode /First 20 >>\nstream\r\n" + body + b"\nendstream"
    tree = b"<< /Type /Pages /Count 9 >>"
    trailer = b"trailer << /Encrypt 5 0 R >>" if encrypted else b"trailer << >>"
    data = before + b"%PDF-1.7\n" + tree + objects + trailer
    return DocumentBlock({"type": "base64", "media_type": "application/pdf", "data": as_text(data)}, "report.pdf")
