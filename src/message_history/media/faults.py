"""What keeps an image from being sent as it is, by what its bytes say, in one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from message_history.media.encoded import Encoded, is_masked
from message_history.media.headers import KNOWN
from message_history.media.scaling import Fitted, can_fit, most_pixels

if TYPE_CHECKING:
    from message_history.media.headers import Picture
    from message_history.media.inspect import MediaInfo
    from message_history.media.limits import Limits


def what_is_wrong(look: MediaInfo, limits: Limits) -> str:
    """Say why an image cannot be read at all, whatever type it claims; an empty text when it can."""
    if look.data is None:
        return "its data is no base64"
    if look.picture is None:
        claimed = not look.declared or _full(look.declared) in (KNOWN if limits.types is None else limits.types)
        left = limits.lenient and is_masked(Encoded(look.data).decoded())
        return "it is no image" if claimed and not left else ""
    return "" if look.picture.whole else "its end is missing"


def _full(declared: str) -> str:
    """Complete the media type of an image: `PNG` and `image/jpg` say well enough what is meant."""
    kind = declared.partition(";")[0].strip().lower().removeprefix("image/")
    return f"image/{'jpeg' if kind == 'jpg' else kind}"


def faults_of(data: str, picture: Picture, limits: Limits) -> list[str]:
    """Name what keeps an image from being taken as it is."""
    weight = limits.weight(len(data))
    return [
        fault
        for fault, found in (
            ("type", limits.types is not None and picture.media_type not in limits.types),
            ("animated", picture.animated and not limits.animated),
            ("bytes", limits.image_bytes is not None and weight > limits.image_bytes),
            ("side", limits.side is not None and picture.side > limits.side),
            ("pixels", limits.pixels is not None and picture.pixels > limits.pixels),
        )
        if found
    ]


def words_for(fault: str, data: str, picture: Picture, limits: Limits) -> str:
    size = f"it has {picture.width} x {picture.height} pixels"
    return {
        "type": f"the type {picture.media_type!r} cannot be sent here",
        "animated": "it is animated",
        "bytes": f"it has {limits.weight(len(data))} bytes, {limits.image_bytes} are taken",
        "side": f"{size}, {limits.side} are taken on a side",
        "pixels": f"{size}, {limits.pixels} in all are taken",
    }[fault]


def why_not_fitted(picture: Picture) -> str:
    most = most_pixels(picture.media_type)
    if picture.pixels > most:
        return f"it is not scaled, as more than {most} pixels are not opened"
    return "it could not be made to fit" if can_fit() else "scaling needs the extra `images`"


def fitting_reasons(data: str, picture: Picture, fitted: Fitted) -> str:
    turned = ", upright" if picture.orientation != 1 else ""
    still = ", its first picture" if picture.animated else ""
    return (
        f"an image of {picture.width} x {picture.height} pixels and {len(data) // 4 * 3} bytes as "
        f"{fitted.media_type} of {fitted.width} x {fitted.height} pixels and {len(fitted.data) // 4 * 3} bytes"
        f"{turned}{still}"
    )
