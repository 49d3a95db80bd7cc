"""What Pillow makes of an image: within its bounds, upright, the same every time, and never a bomb."""

from __future__ import annotations

import base64
import gc
import subprocess
import sys
import tracemalloc
import warnings

import pytest

from message_history import ImageBlock, MessageHistory
from message_history.dialects import Anthropic
from message_history.media.encoded import encoded
from message_history.media.headers import picture_in
from message_history.media.scaling import MOST_PIXELS, Bounds, Fitted, can_fit, fit

pytest.importorskip("PIL")
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.media.pictures import bomb, moving, noise, scene, shown, turned, written


def fitted(data: bytes, **bounds: object) -> Fitted | None:
    whole = encoded(base64.b64encode(data).decode())
    assert whole is not None
    picture = picture_in(whole)
    assert picture is not None
    return fit(whole.text, picture, Bounds(**bounds))  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
@pytest.mark.parametrize("size", [(900, 300), (300, 900), (2000, 3)])
def test_a_large_picture_becomes_as_large_as_it_may_be(form: str, size: tuple[int, int]) -> None:
    found = fitted(written(scene(*size), form), side=200)
    assert found is not None
    assert max(found.width, found.height) == 200
    assert found.width / found.height == pytest.approx(size[0] / size[1], rel=0.02) or min(size) == 3
    image = shown(found.data)
    assert image.size == (found.width, found.height)
    assert found.media_type == Image.MIME[str(image.format)]


def test_a_picture_that_fits_is_as_it_was() -> None:
    image = scene(120, 80)
    found = fitted(written(image, "PNG"), side=200)
    assert found is not None
    assert shown(found.data).tobytes() == image.tobytes()


def test_pixels_in_all_are_bounded_too() -> None:
    found = fitted(written(scene(1000, 500), "PNG"), pixels=50_000)
    assert found is not None
    assert 45_000 < found.width * found.height <= 50_000


@pytest.mark.parametrize(("form", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("JPEG", "RGB"), ("GIF", "RGB")])
@pytest.mark.parametrize("size", [60_000, 20_000, 3_000])
def test_bytes_are_bounded(form: str, mode: str, size: int) -> None:
    image = noise(300, 200)
    if mode == "RGBA":
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    found = fitted(written(image, form), size=size)
    assert found is not None
    assert len(base64.b64decode(found.data)) <= size
    assert shown(found.data).size == (found.width, found.height)


def test_transparency_stays_where_the_receiver_can_show_it() -> None:
    data = written(scene(300, 200, "RGBA"), "PNG")
    kept = fitted(data, side=100)
    assert kept is not None
    assert shown(kept.data).mode == "RGBA"
    flat = fitted(data, side=100, size=2_000, types=("image/jpeg",))
    assert flat is not None
    assert (flat.media_type, shown(flat.data).mode) == ("image/jpeg", "RGB")
    corner = shown(flat.data).getpixel((0, 0))
    assert isinstance(corner, tuple)
    assert min(corner) > 200, "what cannot be seen is white, not black"


@pytest.mark.parametrize("form", ["BMP", "TIFF", "GIF"])
def test_a_format_that_is_not_taken_becomes_one_that_is(form: str) -> None:
    found = fitted(written(scene(40, 30), form), types=("image/png", "image/jpeg"))
    assert found is not None
    assert (found.media_type, found.width, found.height) == ("image/png", 40, 30)
    red = shown(found.data).convert("RGB").getpixel((2, 2))
    assert red == (255, 0, 0)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_turned_picture_is_seen_upright(form: str, orientation: int) -> None:
    # Red is stored top left; where it is seen is what EXIF says about the orientation.
    seen_at = {1: "tl", 2: "tr", 3: "br", 4: "bl", 5: "tl", 6: "tr", 7: "br", 8: "bl"}[orientation]
    found = fitted(turned(form, orientation, 400, 200), side=100)
    assert found is not None
    size = (50, 100) if orientation > 4 else (100, 50)
    assert (found.width, found.height) == size
    image = shown(found.data)
    x = 5 if seen_at[1] == "l" else size[0] - 6
    y = 5 if seen_at[0] == "t" else size[1] - 6
    colour = image.convert("RGB").getpixel((x, y))
    assert isinstance(colour, tuple)
    assert colour[0] > 200 > 100 > colour[1]
    assert image.getexif().get(0x0112, 1) == 1


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'


def described(kind: str) -> bytes:
    """A picture whose orientation stands in a text, where no receiver looks for it."""
    image, info = scene(400, 200), PngInfo()
    exif = Image.Exif()
    exif[0x0112] = 6
    if kind == "JPEG" or kind == "WEBP":
        return written(image, kind, xmp=XMP)
    if kind == "TIFF":
        return written(image, kind, tiffinfo={700: XMP})
    if kind == "PNG":
        info.add_itxt("XML:com.adobe.xmp", XMP.decode())
    else:
        raw = exif.tobytes()
        info.add_text("Raw profile type exif", f"\nexif\n      {len(raw)}\n{raw.hex()}\n")
    return written(image, "PNG", pnginfo=info)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "raw profile", "WEBP"])
def test_only_exif_tells_how_a_picture_is_turned(kind: str) -> None:
    found = fitted(described(kind), side=100)
    assert found is not None
    assert (found.width, found.height) == (100, 50)
    image = shown(found.data).convert("RGB")
    red, blue = image.getpixel((5, 5)), image.getpixel((94, 44))
    assert isinstance(red, tuple)
    assert isinstance(blue, tuple)
    assert red[0] > 200 > 100 > red[2]
    assert blue[2] > 200 > 100 > blue[0]


def test_what_pillow_turns_on_its_own_keeps_its_shape() -> None:
    found = fitted(described("TIFF"), side=100)
    assert found is not None
    assert (found.width, found.height) in ((100, 50), (50, 100))
    image = shown(found.data).convert("RGB")
    assert image.getpixel((5, 5) if found.width == 100 else (44, 5)) == (255, 0, 0)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_of_what_moves_the_first_picture_is_kept(form: str) -> None:
    found = fitted(moving(form), types=("image/png", "image/jpeg"))
    assert found is not None
    image = shown(found.data)
    assert getattr(image, "n_frames", 1) == 1
    colour = image.convert("RGB").getpixel((3, 3))
    assert isinstance(colour, tuple)
    assert colour[0] > 200 > 100 > colour[1]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK", "I;16", "I", "F"])
def test_every_kind_of_colours(mode: str) -> None:
    form = {"CMYK": "JPEG", "F": "TIFF", "I": "TIFF"}.get(mode, "PNG")
    found = fitted(written(scene(300, 200, mode), form), side=50)
    assert found is not None
    assert shown(found.data).mode in ("L", "RGB", "RGBA")


def test_a_profile_of_colours_stays() -> None:
    profile = written(scene(4, 4), "JPEG")[:64]
    found = fitted(written(scene(300, 200), "JPEG", icc_profile=profile), side=50)
    assert found is not None
    assert shown(found.data).info.get("icc_profile") == profile


@pytest.mark.parametrize("data", [bomb(), bomb(70_000, 1_300), bomb(2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_not_opened(data: bytes) -> None:
    tracemalloc.start()
    assert fitted(data, side=100) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize("most", [1_000, 3_000])
def test_an_application_may_refuse_to_open_what_is_no_bomb_here(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    data = written(scene(90, 50), "PNG")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", most)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(data, side=40) is None


def test_a_header_that_lies_is_no_way_round() -> None:
    # The header read here says a few pixels; the frame that the decoder would read says more than may be opened.
    data = bytearray(written(scene(16, 16), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = (65_000).to_bytes(2, "big") * 2
    assert MOST_PIXELS < 65_000 * 65_000
    assert fitted(bytes(data), side=100) is None


@pytest.mark.parametrize("share", [0.3, 0.7])
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_what_cannot_be_decoded_gives_nothing(form: str, share: float) -> None:
    data = written(noise(200, 100), form)
    assert fitted(data[: int(len(data) * share)], side=50) is None
    head, tail = data[: len(data) // 2], data[len(data) // 2 :]
    assert fitted(head + bytes(len(tail)), side=50) is None or form != "PNG"


def test_nothing_is_made_that_the_receiver_does_not_take() -> None:
    assert fitted(written(scene(100, 100), "PNG"), types=("image/heic",)) is None
    assert fitted(written(noise(300, 300), "PNG"), size=50) is None


PROGRAM = """
import sys
from message_history.media.encoded import encoded
from message_history.media.scaling import Bounds, fit
from message_history.media.headers import picture_in
data = encoded(sys.stdin.read())
print(fit(data.text, picture_in(data), Bounds(side=90, size=9000)).data)
"""


def test_the_same_image_is_made_in_every_process() -> None:
    for data in (written(noise(300, 200), "PNG"), turned("JPEG", 6, 500, 300), written(scene(400, 99, "RGBA"), "WEBP")):
        found = fitted(data, side=90, size=9_000)
        assert found is not None
        text = base64.b64encode(data).decode()
        others = [
            subprocess.run(
                [sys.executable, "-c", PROGRAM],
                input=text,
                capture_output=True,
                text=True,
                check=True,
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            ).stdout.strip()
            for seed in ("0", "77")
        ]
        assert others == [found.data] * 2


def test_memory_stays_within_a_small_multiple_of_the_image() -> None:
    assert can_fit()
    data = written(noise(1500, 1000), "PNG", compress_level=0)
    text = base64.b64encode(data).decode()
    whole = encoded(text)
    assert whole is not None
    picture = picture_in(whole)
    assert picture is not None
    gc.collect()
    tracemalloc.start()
    assert fit(text, picture, Bounds(side=800, size=400_000)) is not None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(text)


def test_a_picture_of_many_pixels_in_a_small_file_is_not_opened() -> None:
    data = written(Image.new("L", (9459, 9459)), "PNG", compress_level=9)
    assert len(data) < 400_000
    text = base64.b64encode(data).decode()
    history = MessageHistory().add_user(["q", ImageBlock({"type": "base64", "media_type": "image/png", "data": text})])
    tracemalloc.start()
    export = history.export(Anthropic())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000
    assert [part["type"] for part in export.messages[0]["content"]] == ["text", "text"]
    assert "pixels are not opened" in export.repairs[0].detail


def test_a_large_photograph_is_decoded_scaled_down() -> None:
    found = fitted(written(Image.new("L", (9000, 4600), 90), "JPEG"), side=8000)
    assert found is not None
    assert (found.width, found.height) == (4500, 2300)
