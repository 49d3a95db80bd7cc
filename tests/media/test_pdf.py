"""How many pages a PDF has, as far as its objects tell."""

from __future__ import annotations

import zlib

import pytest

from message_history.media.pdf import Paper, paper_in
from tests.campaigns.growth import lines_of


def page(number: int) -> bytes:
    """A page that is an object of the file."""
    return b"%d 0 obj\n<< /XObject << /xobj1 9 0 R >> /Type /Page /Parent 1 0 R >>\nendobj\n" % number


def stream(*numbers: int, before: bytes = b"") -> bytes:
    """Pages that are objects in a compressed stream, with an object that is none between them."""
    body, places = b"", []
    for number in numbers:
        for other, thing in ((number + 1000, b"<< /N 1 >>\n"), (number, b"<< /Type /Page /Parent 1 0 R >>\n")):
            places.append(b"%d %d" % (other, len(body)))
            body += thing
    head = b" ".join(places) + b" "
    packed = zlib.compress(head + body)
    recorded = b"<< %s/Type /ObjStm /N %d /First %d /Filter /FlateDecode >>" % (before, len(places), len(head))
    return b"99 0 obj\n" + recorded + b"\nstream\r\n" + packed + b"\nendstream\nendobj\n"


def pages(*objects: bytes) -> int | None:
    tree = b"1 0 obj\n<< /Type /Pages /Count 3 >>\nendobj\n"
    paper = paper_in(b"%PDF-1.7\n" + tree + b"".join(objects) + b"trailer << /Root 1 0 R >>\n%%EOF\n")
    assert paper is not None
    return paper.pages


def test_a_page_that_was_saved_again_is_one() -> None:
    assert pages(page(2), page(3), page(4)) == 3
    assert pages(page(2), page(3), page(4), b"%%EOF\n", page(3), page(4)) == 3
    assert pages(page(2), page(3), b"%%EOF\n", page(3), page(40)) == 3


def test_pages_in_compressed_streams_are_told_by_their_numbers_too() -> None:
    assert pages(stream(2, 3, 4)) == 3
    assert pages(stream(2, 3), stream(3, 4, before=b"/Extends 98 0 R ")) == 3
    assert pages(page(2), page(3), b"%%EOF\n", stream(3, 4)) == 3


def test_pages_without_a_number_are_all_counted() -> None:
    loose = b"<< /Type /Page >>\n"
    assert pages(loose, loose) == 2
    packed = zlib.compress(loose * 3)
    for recorded in (b"/First 18", b"/First 100000000", b""):
        assert pages(b"<< /Type /ObjStm %s >>\nstream\n" % recorded + packed + b"\nendstream\n", loose) == 4
    assert pages(b"<< /Type /ObjStm /First 9 >>\nstream\n" + zlib.compress(b"9" * 9000 + loose)) == 1
    assert pages() is None


@pytest.mark.heavy
def test_a_file_of_nothing_but_pages_is_read_in_one_pass() -> None:
    lines = []
    for count in (2_000, 8_000, 80_000):
        data = b"%PDF-1.4\n" + b"/Type /Page endobj " * count
        assert paper_in(data) == Paper(pages=count)
        lines.append(lines_of(lambda data=data: paper_in(data)))  # type: ignore[misc]
    assert lines[1] < 5 * lines[0]
    assert lines[2] < 50 * lines[0]


@pytest.mark.heavy
def test_a_pdf_whose_streams_unpack_to_millions_of_pages_is_not_counted_to_the_end() -> None:
    leaves = zlib.compress(b"/Type/Page " * 300_000, 9)
    head = b"1 0 obj<</Type/ObjStm/N 1/First 1/Filter/FlateDecode>>stream\n"
    data = b"%PDF-1.5\n" + (head + leaves + b"\nendstream endobj\n") * 20
    assert len(data) < 200_000
    assert lines_of(lambda: paper_in(data)) < 1_500_000
    paper = paper_in(data)
    assert paper is not None
    assert (paper.pages or 0) >= 100_000
    raw = b"%PDF-1.4\n" + b"1 0 obj<</Type/Page>>endobj\n" * 400_000
    assert lines_of(lambda: paper_in(raw)) < 1_500_000
