"""What is read from headers is what Pillow reads, which decodes the whole."""

from __future__ import annotations

import base64
import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history.media.encoded import Encoded, encoded, inline_data
from message_history.media.headers import Picture, picture_in

pytest.importorskip("PIL")
from PIL import Image

from tests.media.pictures import moving, noise, scene, turned, written


def read(data: bytes) -> Picture | None:
    found = encoded(base64.b64encode(data).decode())
    assert found is not None
    return picture_in(found)


FORMS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
STILLS = [
    *((form, mode, size) for form in FORMS for mode in ("RGB", "L") for size in ((1, 1), (7, 300), (640, 480))),
    *((form, "RGBA", (33, 21)) for form in ("PNG", "WEBP", "TIFF")),
    *((form, "P", (33, 21)) for form in ("PNG", "GIF", "BMP")),
    ("JPEG", "CMYK", (33, 21)),
    ("PNG", "1", (33, 21)),
    ("PNG", "I;16", (33, 21)),
]


@pytest.mark.parametrize(("form", "mode", "size"), STILLS)
def test_a_still_picture(form: str, mode: str, size: tuple[int, int]) -> None:
    picture = read(written(scene(*size, mode), form))
    assert picture == Picture(media_type=f"image/{form.lower()}", width=size[0], height=size[1])
    assert picture.pixels == size[0] * size[1]
    assert picture.side == max(size)


@pytest.mark.parametrize("options", [{"progressive": True}, {"quality": 20}, {"icc_profile": b"x" * 200_000}])
def test_jpegs_of_all_sorts(options: dict[str, object]) -> None:
    assert read(written(scene(300, 200), "JPEG", **options)) == Picture(media_type="image/jpeg", width=300, height=200)


def test_webp_in_its_three_forms() -> None:
    kinds = {
        b"VP8 ": written(scene(31, 17), "WEBP"),
        b"VP8L": written(scene(31, 17), "WEBP", lossless=True),
        b"VP8X": written(scene(31, 17), "WEBP", exif=Image.Exif().tobytes()),
    }
    for kind, data in kinds.items():
        assert data[12:16] == kind
        assert read(data) == Picture(media_type="image/webp", width=31, height=17)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_what_moves_is_told_from_what_does_not(form: str) -> None:
    for frames in (1, 2, 4):
        picture = read(moving(form, frames))
        assert picture is not None
        assert picture.animated == (frames > 1)
        assert (picture.width, picture.height, picture.whole) == (30, 20, True)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_how_a_camera_was_held(form: str, orientation: int) -> None:
    picture = read(turned(form, orientation))
    assert picture is not None
    assert (picture.width, picture.height) == (60, 40)
    assert picture.orientation == orientation
    assert picture.upright == ((40, 60) if orientation > 4 else (60, 40))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_that_is_cut_off_is_not_whole(form: str) -> None:
    data = written(noise(120, 90), form)
    whole = read(data)
    assert whole is not None
    assert whole.whole
    for share in (0.3, 0.6, 0.95):
        cut = read(data[: int(len(data) * share)])
        assert cut is not None
        assert not cut.whole, share


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_what_follows_the_end_does_no_harm(form: str) -> None:
    assert read(written(scene(40, 30), form) + b"\0" * 5000) == Picture(
        media_type=f"image/{form.lower()}", width=40, height=30
    )


@pytest.mark.parametrize(
    ("brand", "media_type"), [(b"heic", "image/heic"), (b"mif1", "image/heif"), (b"avif", "image/avif")]
)
def test_formats_of_which_only_the_type_is_read(brand: bytes, media_type: str) -> None:
    assert read(struct.pack(">I4s4s", 24, b"ftyp", brand) + bytes(40)) == Picture(media_type=media_type)


NO_IMAGES = [
    b"x",
    b"not an image at all",
    b"<html><body>502 Bad Gateway</body></html>",
    b'{"error": "not found"}',
    b"%PDF-1.7",
    b"\x89PNG\r\n\x1a\n",
    b"RIFF\x24\0\0\0WAVEfmt ",
    struct.pack(">I4s4s", 24, b"ftyp", b"isom") + bytes(40),
    b"\xff\xd8\xff\xda" + bytes(60),
    b"II*\0" + bytes(4),
]


@pytest.mark.parametrize("data", NO_IMAGES)
def test_what_is_no_image(data: bytes) -> None:
    assert read(data) is None


@given(st.sampled_from(FORMS), st.data())
def test_damage_is_read_without_an_error(form: str, data: st.DataObject) -> None:
    good = bytearray(written(scene(20, 10), form))
    for _ in range(data.draw(st.integers(0, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    picture = read(bytes(good[: data.draw(st.integers(1, len(good)))]))
    assert picture is None or picture.media_type.startswith("image/")


@given(st.binary(min_size=1, max_size=200), st.integers(0, 210), st.integers(0, 210))
def test_pieces_of_base64_are_pieces_of_the_bytes(data: bytes, offset: int, count: int) -> None:
    text = base64.b64encode(data).decode()
    whole = encoded(text)
    assert whole is not None
    assert whole.text is text
    assert len(whole) == len(data)
    assert whole.at(offset, count) == data[offset : offset + count]
    assert whole.decoded() == data


def test_long_data_are_read_across_windows() -> None:
    data = bytes(n * 7 % 251 for n in range(200_000)) + b"\xff\xd9" + bytes(100_000)
    whole = Encoded(base64.b64encode(data).decode())
    for offset in (0, 48 * 1024 - 5, 48 * 1024, 150_000, 299_990):
        assert whole.at(offset, 40) == data[offset : offset + 40]
    assert whole.at(10, 120_000) == data[10:120_010]
    assert whole.last_index(b"\xff\xd9", 0) == data.rfind(b"\xff\xd9")
    assert whole.last_index(b"\xff\xd9", 250_000) == -1


def test_two_bytes_are_found_across_windows() -> None:
    for gap in range(48 * 1024 - 3, 48 * 1024 + 4):
        data = bytes(1000) + b"\xff\xd9" + bytes(gap)
        assert Encoded(base64.b64encode(data).decode()).last_index(b"\xff\xd9", 0) == 1000


@given(st.binary(min_size=1, max_size=60))
def test_base64_in_other_forms_is_mended(data: bytes) -> None:
    text = base64.b64encode(data).decode()
    forms = {text.rstrip("="), base64.urlsafe_b64encode(data).decode(), text[:3] + "\n " + text[3:]}
    for form in forms:
        found = encoded(form)
        assert found is not None
        assert found.text == text


@pytest.mark.parametrize("text", ["", "=", "====", "a", "no base64!", "aGk=aGk=", "é", "<truncated 131368 chars>"])
def test_text_that_is_no_base64(text: str) -> None:
    assert encoded(text) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("data:image/png;base64,aGk=", ("image/png", "aGk=")),
        ("DATA:Image/PNG;name=a.png;BASE64,aGk=", ("image/png", "aGk=")),
        ("data:;base64,aGk=", ("", "aGk=")),
        ("data:text/plain,hi", None),
        ("https://example.com/a.png;base64,aGk=", None),
        ("data:image/png;base64", None),
    ],
)
def test_data_urls(url: str, expected: tuple[str, str] | None) -> None:
    assert inline_data(url) == expected


def test_pillow_agrees_about_what_it_made() -> None:
    for form in FORMS:
        data = written(scene(50, 30), form)
        with Image.open(io.BytesIO(data)) as image:
            assert Image.MIME[str(image.format)] == f"image/{form.lower()}"
