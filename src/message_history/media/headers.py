"""What the first bytes of an image tell, decoded no further than needed: type, size, motion, turn, end."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, final

from attrs import evolve, frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.media.encoded import Encoded


@final
@frozen(kw_only=True)
class Picture:
    """What an image's bytes say."""

    media_type: str
    width: int | None = None  # its width in pixels, as it is stored; None where this is not read
    height: int | None = None
    animated: bool = False  # whether it has more than one picture
    orientation: int = 1  # how it must be turned to be seen upright, as EXIF numbers it; 1 for not at all
    whole: bool = True  # False when its end is missing

    @property
    def side(self) -> int:
        """Return the longer side, 0 where the size is not read."""
        return max(self.width or 0, self.height or 0)

    @property
    def pixels(self) -> int:
        """Return how many pixels there are, 0 where the size is not read."""
        return (self.width or 0) * (self.height or 0)

    @property
    def upright(self) -> tuple[int, int]:
        """Return the width and the height as they are seen, 0 where they are not read."""
        width, height = self.width or 0, self.height or 0
        return (height, width) if self.orientation > 4 else (width, height)


def picture_in(data: Encoded) -> Picture | None:
    """Read what an image's bytes say.

    Returns None when they are not an image of a known format. The cost is the size of the headers; for a GIF
    also its first picture, for a JPEG without an end all of it.
    """
    start = data.at(0, 32)
    for magic, read in _READERS:
        if start.startswith(magic):
            return read(data)
    if start[4:8] == b"ftyp":
        kind = _BRANDS.get(start[8:12])
        return Picture(media_type=kind) if kind is not None else None
    return None


def _png(data: Encoded) -> Picture | None:
    head = data.at(0, 33)
    if len(head) < 26 or head[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", head[16:24])
    picture = Picture(media_type="image/png", width=width, height=height)
    offset, size = 8, len(data)
    while offset + 12 <= size:
        length, kind = struct.unpack(">I4s", data.at(offset, 8))
        if kind == b"IEND":
            return picture
        if kind == b"acTL":
            frames = data.at(offset + 8, 4)
            picture = evolve(picture, animated=frames > b"\0\0\0\1")
        elif kind == b"eXIf":
            picture = evolve(picture, orientation=_orientation(data, offset + 8))
        offset += 12 + length
    return evolve(picture, whole=False)


def _gif(data: Encoded) -> Picture | None:
    head = data.at(0, 13)
    if len(head) < 13:
        return None
    width, height, flags = struct.unpack("<HHB", head[6:11])
    picture = Picture(media_type="image/gif", width=width, height=height)
    offset, pictures = 13 + _colours(flags), 0
    while True:
        mark = data.at(offset, 1)
        if mark == b",":
            pictures += 1
            if pictures == 2:
                return evolve(picture, animated=True)
            inside = data.at(offset + 9, 1)
            end = _behind_pieces(data, offset + 11 + _colours(inside[0])) if inside else None
        elif mark == b"!":
            end = _behind_pieces(data, offset + 2)
        else:
            return picture if pictures else evolve(picture, whole=False)
        if end is None:
            return evolve(picture, whole=False) if pictures < 2 and mark == b"," else picture
        offset = end


def _colours(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_pieces(data: Encoded, offset: int) -> int | None:
    """Find the end of a GIF's chain of pieces; None when it is not there."""
    while True:
        length = data.at(offset, 1)
        if not length:
            return None
        offset += 1 + length[0]
        if length == b"\0":
            return offset


def _webp(data: Encoded) -> Picture | None:
    head = data.at(0, 64)
    if head[8:12] != b"WEBP" or len(head) < 30:
        return None
    whole = struct.unpack("<I", head[4:8])[0] + 8 <= len(data) + 1
    kind = head[12:16]
    picture = Picture(media_type="image/webp", whole=whole)
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        flags = head[20]
        turned = _webp_orientation(data) if flags & 8 else 1
        return evolve(picture, width=width, height=height, animated=bool(flags & 2), orientation=turned)
    if kind == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return evolve(picture, width=(bits & 0x3FFF) + 1, height=(bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", head[26:30])
        return evolve(picture, width=width & 0x3FFF, height=height & 0x3FFF)
    return None


def _webp_orientation(data: Encoded) -> int:
    offset, size = 12, len(data)
    while offset + 8 <= size:
        kind, length = struct.unpack("<4sI", data.at(offset, 8))
        if kind == b"EXIF":
            prefix = 6 if data.at(offset + 8, 6) == _EXIF else 0
            return _orientation(data, offset + 8 + prefix)
        offset += 8 + length + length % 2
    return 1


def _jpeg(data: Encoded) -> Picture | None:
    offset, size, turned = 2, len(data), 1
    while offset + 4 <= size:
        mark, kind, length = struct.unpack(">BBH", data.at(offset, 4))
        if mark != 0xFF:
            return None
        if kind == 0xFF:
            offset += 1
            continue
        if kind == 0xE1 and data.at(offset + 4, 6) == _EXIF:
            turned = _orientation(data, offset + 10)
        elif 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            frame = data.at(offset + 5, 4)
            if len(frame) < 4:
                break
            height, width = struct.unpack(">HH", frame)
            whole = data.last_index(b"\xff\xd9", offset) >= 0
            return Picture(media_type="image/jpeg", width=width, height=height, orientation=turned, whole=whole)
        elif kind in (0xD9, 0xDA):
            return None
        offset += 2 + length
    return Picture(media_type="image/jpeg", orientation=turned, whole=False)


def _bmp(data: Encoded) -> Picture | None:
    head = data.at(0, 26)
    if len(head) < 26:
        return None
    if head[14:18] == b"\x0c\0\0\0":
        width, height = struct.unpack("<HH", head[18:22])
    else:
        width, height = struct.unpack("<ii", head[18:26])
    return Picture(media_type="image/bmp", width=abs(width), height=abs(height))


def _tiff(data: Encoded) -> Picture | None:
    values = _directory(data, 0)
    if not values:
        return None
    turned = values.get(_ORIENTATION, 1)
    return Picture(
        media_type="image/tiff",
        width=values.get(_WIDTH),
        height=values.get(_HEIGHT),
        orientation=turned if 1 <= turned <= 8 else 1,
    )


def _orientation(data: Encoded, base: int) -> int:
    """Read the orientation from EXIF data; 1 when they do not tell."""
    found = _directory(data, base).get(_ORIENTATION, 1)
    return found if 1 <= found <= 8 else 1


def _directory(data: Encoded, base: int) -> dict[int, int]:
    """Read the numbers in the first directory of TIFF data; empty when it has none."""
    head = data.at(base, 8)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(head[:4])
    if order is None or len(head) < 8:
        return {}
    offset = base + struct.unpack(f"{order}I", head[4:])[0]
    counted = data.at(offset, 2)
    if len(counted) < 2:
        return {}
    values: dict[int, int] = {}
    for n in range(min(struct.unpack(f"{order}H", counted)[0], _MOST_ENTRIES)):
        entry = data.at(offset + 2 + 12 * n, 12)
        if len(entry) < 12:
            break
        tag, kind, number = struct.unpack(f"{order}HHI", entry[:8])
        if number == 1 and kind in (3, 4):
            form = "H" if kind == 3 else "I"
            values[tag] = struct.unpack(f"{order}{form}", entry[8 : 10 if kind == 3 else 12])[0]
    return values


_EXIF: Final = b"Exif\0\0"
_ORIENTATION: Final = 0x0112
_WIDTH: Final = 0x0100
_HEIGHT: Final = 0x0101
_MOST_ENTRIES: Final = 1000
_READERS: Final[tuple[tuple[bytes, Callable[[Encoded], Picture | None]], ...]] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"RIFF", _webp),
    (b"BM", _bmp),
    (b"II*\0", _tiff),
    (b"MM\0*", _tiff),
)
_BRANDS: Final = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"heim": "image/heic",
    b"heis": "image/heic",
    b"hevc": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
}
"""Formats whose brand says the type; nothing else of them is read."""
KNOWN: Final = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff", *_BRANDS.values()}
)
"""The types that the first bytes tell."""
