"""Images and documents of bytes, files and URLs, and errors that say what is accepted."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from message_history import DocumentBlock, ImageBlock, MessageHistory, check
from message_history.dialects import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses

if TYPE_CHECKING:
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
IMAGE: Any = ImageBlock
DOCUMENT: Any = DocumentBlock
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n"


def test_an_image_is_made_of_a_file_and_its_type_is_read_from_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"  # The name is wrong.
    path.write_bytes(PNG)
    for block in (ImageBlock.from_path(path), ImageBlock.from_path(str(path)), IMAGE.from_bytes(bytearray(PNG))):
        assert dict(block.source) == {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(PNG).decode(),
        }
    history = MessageHistory().add_user([ImageBlock.from_path(path), "What is this?"])
    for dialect in (Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini(), Bedrock()):
        assert not history.export(dialect).repairs
        assert not check(history.for_send(dialect), dialect)


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"BM\x00\x00", "image/bmp"),
        (b"II*\x00", "image/tiff"),
    ],
)
def test_every_kind_of_image_is_known_by_how_it_begins(begins: bytes, kind: str) -> None:
    assert ImageBlock.from_bytes(begins).source["media_type"] == kind


def test_bytes_of_no_kind_are_shown_as_far_as_a_kind_is_told() -> None:
    with pytest.raises(ValueError, match=r"not bytes that begin with b'0123456789ab'; convert it"):
        ImageBlock.from_bytes(b"0123456789abcdef")


def test_a_given_type_is_taken_as_it_is() -> None:
    assert ImageBlock.from_bytes(b"....ftypavif", media_type="image/avif").source["media_type"] == "image/avif"
    assert DocumentBlock.from_bytes(b"PK", media_type="application/zip").source["media_type"] == "application/zip"


def test_documents_are_pdfs_texts_and_those_of_offices(tmp_path: Path) -> None:
    paper, text, office = tmp_path / "a.pdf", tmp_path / "notes.md", tmp_path / "b.docx"
    paper.write_bytes(PDF)
    text.write_bytes(b"\xef\xbb\xbf# Gr\xc3\xbc\xc3\x9fe")
    office.write_bytes(b"PK\x03\x04")
    found = [DocumentBlock.from_path(path) for path in (paper, text, office)]
    assert [block.source["type"] for block in found] == ["base64", "text", "base64"]
    assert found[0].source["media_type"] == "application/pdf"
    assert dict(found[1].source) == {"type": "text", "media_type": "text/plain", "data": "# Grüße"}
    assert str(found[2].source["media_type"]).endswith("wordprocessingml.document")
    assert [block.title for block in found] == ["a.pdf", "notes.md", "b.docx"]
    assert DocumentBlock.from_path(paper, title="The law").title == "The law"
    assert DocumentBlock.from_bytes(PDF).title is None
    history = MessageHistory().add_user([DocumentBlock.from_path(text), "What is this?"])
    assert not check(history.for_send(), Anthropic())


def test_a_url_is_left_to_the_provider() -> None:
    url = "https://example.com/cat.png"
    assert dict(ImageBlock.from_url(url).source) == {"type": "url", "url": url}
    assert DocumentBlock.from_url("gs://bucket/a.pdf", title="A").title == "A"
    assert MessageHistory().add_user(ImageBlock.from_url(url)).for_send()[0]["content"]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: IMAGE.from_bytes(b"<svg/>"), ValueError, "must be a PNG, JPEG, GIF, WebP, BMP or TIFF image"),
        (lambda: IMAGE.from_bytes(b""), ValueError, "data is empty"),
        (lambda: IMAGE.from_bytes("a.png"), TypeError, "must be bytes, not str; a file goes to from_path"),
        (lambda: IMAGE.from_bytes(PNG, media_type="text/html"), ValueError, "begin with 'image/'"),
        (lambda: IMAGE.from_bytes(PNG, media_type=3), ValueError, "begin with 'image/'"),
        (lambda: IMAGE.from_url("cat.png"), ValueError, "must begin with https://.*a file goes to from_path"),
        (lambda: IMAGE.from_url(None), TypeError, "url must be a str"),
        (lambda: DOCUMENT.from_bytes(PNG), ValueError, "use ImageBlock"),
        (lambda: DOCUMENT.from_bytes(b"\xff\x00\x01"), ValueError, "must be a PDF or text in UTF-8"),
        (lambda: DOCUMENT.from_bytes(PDF, media_type="pdf"), ValueError, "such as 'application/pdf', not 'pdf'"),
        (lambda: DOCUMENT.from_bytes(PDF, media_type="image/png"), ValueError, "use ImageBlock for images"),
        (lambda: IMAGE.from_path("no such file.png"), OSError, "no such file.png"),
    ],
)
def test_an_error_says_what_is_accepted(make: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        make()
