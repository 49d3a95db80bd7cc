"""Make an image fit: the one file that needs Pillow. The same bytes and bounds give the same image, in any process.

What a decoder gets is bounded before it gets it: the headers say how many pixels there are, and only formats
whose headers are read here are opened. One image is in memory at a time, and where the format can, not in full size.
"""

from __future__ import annotations

import base64
import importlib
import io
import struct
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

    from message_history.media.headers import Picture

MOST_PIXELS: Final = 89_478_485
"""A picture of more pixels is not opened, whatever its file says."""
MOST_DECODED: Final = 33_554_432
"""No more pixels are decoded: in colours with transparency they are 128 MB. A JPEG of more is decoded scaled down."""


@final
@frozen(kw_only=True)
class Bounds:
    """What an image must fit into."""

    types: tuple[str, ...] | None = None  # the media types that it may have
    size: int | None = None  # how many bytes it may have
    side: int | None = None  # how many pixels a side may have
    pixels: int | None = None  # how many pixels it may have


@final
@frozen(kw_only=True)
class Fitted:
    """An image that fits."""

    media_type: str
    data: str  # its bytes in base64
    width: int
    height: int


def can_fit() -> bool:
    try:
        importlib.import_module("PIL.Image")
    except ImportError:
        return False
    return True


def most_pixels(media_type: str) -> int:
    """Return how many pixels an image may have to be opened; only a JPEG can be decoded scaled down."""
    return MOST_PIXELS if media_type == "image/jpeg" else MOST_DECODED


def fit(data: str, picture: Picture, bounds: Bounds) -> Fitted | None:
    """Scale and re-encode an image's first picture, upright, by `_SHARES` and `_QUALITIES`; None where it cannot be."""
    form = _FORMATS.get(picture.media_type)
    if form is None or not 0 < picture.pixels <= most_pixels(picture.media_type):
        return None
    from PIL import Image as Images  # noqa: PLC0415

    try:
        opened = _opened(data, form, picture, bounds)
        return _encoded(opened, picture, bounds, len(data) // 4 * 3) if opened is not None else None
    except (OSError, ValueError, ArithmeticError, LookupError, SyntaxError, EOFError, struct.error):
        return None
    except (Images.DecompressionBombError, Images.DecompressionBombWarning):
        # The application may let Pillow open less than is opened here.
        return None


def _opened(data: str, form: str, picture: Picture, bounds: Bounds) -> Image | None:
    """Decode an image, turned upright and no larger than it may be."""
    from PIL import Image  # noqa: PLC0415

    with Image.open(io.BytesIO(base64.b64decode(data)), formats=(form,)) as image:
        if image.width * image.height > MOST_PIXELS or {image.width, image.height} != {picture.width, picture.height}:
            return None
        if form == "JPEG":
            image.draft(None, _drafted(image, bounds))
        image.load()
        # Pillow turns a TIFF while it loads it. Of the others it would follow what no receiver reads: XMP, and texts.
        width, height = image.size if form == "TIFF" else picture.upright
        shown = _in_plain_colours(image if form == "TIFF" else _turned(image, picture))
        size = _scaled(width, height, bounds)
        if shown.width > size[0] or shown.height > size[1]:
            shown = shown.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
        profile = image.info.get("icc_profile") if image.mode in ("L", "P", "RGB", "RGBA") else None
        shown.info = {"icc_profile": profile} if profile and len(profile) <= _LONGEST_PROFILE else {}
        return shown


def _drafted(image: Image, bounds: Bounds) -> tuple[int, int]:
    """Return the size at which a JPEG is decoded: no smaller than it is wanted, unless that were too many pixels."""
    width, height = _scaled(image.width, image.height, bounds)
    if image.width * image.height > MOST_DECODED:
        return min(width, image.width // 2), min(height, image.height // 2)
    return width, height


def _turned(image: Image, picture: Picture) -> Image:
    from PIL.Image import Transpose  # noqa: PLC0415

    turn = _TURNS.get(picture.orientation)
    return image.transpose(Transpose[turn]) if turn is not None else image


def _in_plain_colours(image: Image) -> Image:
    """Return an image in grey or in colours, with transparency if it has any."""
    transparent = "transparency" in image.info or image.mode in ("LA", "La", "PA", "RGBA", "RGBa")
    if image.mode in ("L", "RGB", "RGBA") and not (transparent and image.mode != "RGBA"):
        return image
    if image.mode.startswith("I") or image.mode == "F":
        low, high = (float(bound) for bound in _extrema(image))
        span = high - low if high > low else 1.0
        return image.convert("F").point(lambda value: value * (255 / span) - low * 255 / span).convert("L")
    return image.convert("RGBA" if transparent else "L" if image.mode == "1" else "RGB")


def _opaque(image: Image) -> Image:
    from PIL import Image as Images  # noqa: PLC0415

    ground = Images.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def _extrema(image: Image) -> Any:
    return (0, 65535) if image.mode.startswith("I;16") else image.getextrema()


def _scaled(width: int, height: int, bounds: Bounds, share: float = 1.0) -> tuple[int, int]:
    """Return the largest size of the same shape within bounds, or a share of it."""
    scale = 1.0
    if bounds.side is not None:
        scale = min(scale, bounds.side / max(width, height))
    if bounds.pixels is not None:
        scale = min(scale, (bounds.pixels / (width * height)) ** 0.5)
    scale *= share
    if scale >= 1.0:
        return width, height
    return max(1, int(width * scale)), max(1, int(height * scale))


def _encoded(image: Image, picture: Picture, bounds: Bounds, before: int) -> Fitted | None:
    """Encode an image: without loss if that fits, else with less and less quality, then smaller."""
    profile = image.info.get("icc_profile")
    if image.mode == "RGBA" and (not _takes(bounds, "WEBP") or image.getchannel("A").getextrema() == (255, 255)):
        image = _opaque(image)
    shrunk = image.width * image.height / picture.pixels
    size = image.width, image.height
    for share in _SHARES:
        width, height = _scaled(*size, Bounds(), share)
        if (width, height) != image.size:
            image = image.resize((width, height), reducing_gap=3.0)
        for form, options in _tries(image, picture, bounds, before * shrunk * share * share):
            written = io.BytesIO()
            image.save(written, format=form, icc_profile=profile, **options)
            if bounds.size is None or written.tell() <= bounds.size:
                return Fitted(
                    media_type=f"image/{form.lower()}",
                    data=base64.b64encode(written.getbuffer()).decode(),
                    width=width,
                    height=height,
                )
        if max(width, height) <= _SMALLEST:
            break
    return None


def _tries(image: Image, picture: Picture, bounds: Bounds, expected: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name the formats to try, from the best to the smallest."""
    with_loss = "WEBP" if image.mode == "RGBA" else "JPEG"
    without = picture.media_type not in ("image/jpeg", "image/webp") or not _takes(bounds, with_loss)
    if without and _takes(bounds, "PNG") and (bounds.size is None or expected <= bounds.size * 1.5):
        yield "PNG", {"compress_level": 6}
    for quality in _QUALITIES if _takes(bounds, with_loss) else ():
        yield with_loss, {"quality": quality, "method": 4} if with_loss == "WEBP" else {"quality": quality}


def _takes(bounds: Bounds, form: str) -> bool:
    return bounds.types is None or f"image/{form.lower()}" in bounds.types


_FORMATS: Final = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
}
_TURNS: Final = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
"""By orientation, as EXIF numbers it."""
_QUALITIES: Final = (92, 80, 60)
_SHARES: Final = (1.0, 0.7, 0.5, 0.35, 0.25, 0.12, 0.06)
_SMALLEST: Final = 64
_LONGEST_PROFILE: Final = 100_000
