"""What `check` finds about images and documents, by the rule of each provider; what is exported has nothing of it."""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from message_history import ImageBlock, MessageHistory, ToolUseBlock, check
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses, Portable
from tests.media.headers import as_text, image, jpeg, paper, png

if TYPE_CHECKING:
    from message_history.core.messages.block_base import Block

GIF = b"GIF89a" + bytes([10, 0, 10, 0, 0, 0, 0])
FRAME = b",\0\0\0\0\n\0\n\0\0\x02\x01x\0"
HOSTED = Mistral.for_model("mistral-small-latest")


def anthropic(*sources: dict[str, Any]) -> list[Any]:
    content = [{"type": "image", "source": {"type": "base64", **source}} for source in sources]
    return [{"role": "user", "content": [*content, {"type": "text", "text": "what is it?"}]}]


def given_as(data: bytes | str, media_type: str = "image/png") -> dict[str, str]:
    return {"media_type": media_type, "data": data if isinstance(data, str) else as_text(data)}


def pdf(block: Any) -> list[Any]:
    part = {"type": "document", "source": dict(block.source)}
    return [{"role": "user", "content": [part, {"type": "text", "text": "what is it?"}]}]


def sheet(*images: bytes) -> list[Any]:
    """A document of images."""
    parts = [{"type": "image", "source": {"type": "base64", **given_as(data)}} for data in images]
    part = {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a"}, *parts]}}
    return [{"role": "user", "content": [part, {"type": "text", "text": "what is it?"}]}]


def chat(*images: bytes, kind: str = "png") -> list[Any]:
    parts = [
        {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{as_text(data)}"}} for data in images
    ]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": "what is it?"}]}]


def responses(*images: bytes) -> list[Any]:
    parts = [{"type": "input_image", "image_url": f"data:image/png;base64,{as_text(data)}"} for data in images]
    return [{"role": "user", "content": [*parts, {"type": "input_text", "text": "what is it?"}]}]


def tool_output(data: bytes) -> list[Any]:
    return [
        {"role": "user", "content": "q"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_image", "image_url": f"data:image/png;base64,{as_text(data)}"}],
        },
    ]


def converse(*images: bytes, form: str = "png") -> list[Any]:
    parts = [{"image": {"format": form, "source": {"bytes": data}}} for data in images]
    return [{"role": "user", "content": [*parts, {"text": "what is it?"}]}]


def gemini(*images: bytes) -> list[Any]:
    parts = [{"inlineData": {"mimeType": "image/png", "data": as_text(data)}} for data in images]
    return [{"role": "user", "parts": [*parts, {"text": "what is it?"}]}]


LARGE = png(filler=4_200_000)
ELSEWHERE = {"type": "url", "url": "https://a.example/b.png"}
FOUND: list[tuple[str, Dialect[Any], list[Any], str]] = [
    ("AN-M1", Anthropic(), anthropic(given_as(LARGE)), "image exceeds 5 MB maximum: 5600076 bytes > 5242880 bytes"),
    ("AN-M2", Anthropic(), anthropic(given_as(png(8001, 5))), "image dimensions exceed max allowed size: 8000 pixels"),
    (
        "AN-M3",
        Anthropic(),
        anthropic(given_as(png(2001, 5)), *[given_as(png())] * 20),
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size "
        "for many-image requests: 2000 pixels",
    ),
    ("AN-M4", Anthropic(), anthropic(*[given_as(png())] * 101), "Too much media: 0 document pages + 101 images > 100"),
    ("AN-M4", Anthropic(), anthropic(*[ELSEWHERE] * 101), "Too much media: 0 document pages + 101 images > 100"),
    ("AN-M4", Anthropic(), pdf(paper(101)), "Too much media: 101 document pages + 0 images > 100"),
    ("AN-M5", Anthropic(), anthropic(given_as(jpeg())), "Image does not match the provided media type image/png"),
    ("AN-M5", Anthropic(), anthropic(given_as(png(), "image/bmp")), "Input should be 'image/jpeg', 'image/png'"),
    ("AN-M6", Anthropic(), anthropic(given_as(b"<html>")), "Could not process image"),
    ("AN-M6", Anthropic(), anthropic(given_as(png()[:-12])), "Could not process image"),
    ("AN-M6", Anthropic(), anthropic(given_as("no base64")), "Could not process image"),
    ("AN-M6", Anthropic(), sheet(png(), b"<html>"), "Could not process image"),
    ("AN-M4", Anthropic(), sheet(*[png()] * 101), "Too much media: 0 document pages + 101 images > 100"),
    ("AN-M7", Anthropic(), pdf(paper(encrypted=True)), "Could not process PDF"),
    ("AN-M7", Anthropic(), pdf(evolve(paper(), source={**paper().source, "data": "aGk="})), "Could not process PDF"),
    ("BR-B21", Bedrock(), converse(png(8001, 5)), ""),
    ("BR-B21", Bedrock(), converse(LARGE), ""),
    ("BR-B31", Bedrock(), converse(jpeg()), "The provided image does not match the specified image format."),
    ("BR-B31", Bedrock(), converse(b"<html><body>502</body></html>"), "does not match"),
    ("GM-G28", Gemini(), gemini(jpeg(end=False)), "Unable to process input image."),
    ("GM-G29", Gemini(vertex=True), gemini(png(filler=7_100_000)), ""),
    ("MS-M24", HOSTED, chat(b"<html>"), ""),
    ("MS-M24", Mistral(), chat(b"<html>"), ""),
    ("MS-M24", HOSTED, chat(GIF + FRAME + FRAME + b";", kind="gif"), ""),
    ("MS-M25", HOSTED, chat(*[png()] * 9), ""),
    ("OC-22", OpenAIChat(), chat(b"<html>"), "You uploaded an unsupported image."),
    ("OC-22", OpenAIChat(), chat(GIF + FRAME + FRAME + b";", kind="gif"), "You uploaded an unsupported image."),
    ("OC-23", OpenAIChat(), chat(*[png()] * 501), "below 20 MB in size"),
    ("GQ-03", OpenAIChat.for_provider("groq"), chat(png(6000, 6000)), ""),
    ("XA-03", OpenAIChat.for_provider("xai"), chat(GIF + FRAME + b";", kind="gif"), ""),
    ("OR-29", OpenAIResponses(), responses(b"<html>"), "You uploaded an unsupported image."),
    ("OR-29", OpenAIResponses(), tool_output(b"<html>"), "You uploaded an unsupported image."),
    ("OR-30", OpenAIResponses(), responses(*[png()] * 501), ""),
    ("P-18", Portable(), chat(*[png()] * 6), ""),
]


@pytest.mark.parametrize(
    ("rule", "dialect", "wire", "text"), FOUND, ids=[f"{row[0]}-{n}" for n, row in enumerate(FOUND)]
)
def test_each_rule_is_found_in_the_provider_s_words(
    rule: str, dialect: Dialect[Any], wire: list[Any], text: str
) -> None:
    found = [violation for violation in check(wire, dialect) if violation.rule == rule]
    assert found
    assert text in found[0].error
    assert "{" not in found[0].error.replace("{line}", "")


@pytest.mark.parametrize(
    ("rule", "dialect", "wire", "text"), FOUND, ids=[f"{row[0]}-{n}" for n, row in enumerate(FOUND)]
)
def test_what_is_sent_instead_has_nothing_of_it(
    rule: str, dialect: Dialect[Any], wire: list[Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del rule, text
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    history = MessageHistory.from_list(wire, dialect=dialect)
    export = history.export(dialect)
    assert check(export.messages, dialect) == []
    assert export.repairs


def weighing(count: int) -> bytes:
    return png(filler=count - len(png()))


def turned(make: Any, *sides: tuple[int, int]) -> list[Any]:
    return make(*[png(*each) for each in sides])  # type: ignore[no-any-return]


def typed(*images: bytes) -> list[Any]:
    return anthropic(*map(given_as, images))


GROQ = OpenAIChat.for_provider("groq")
DIRECT = Anthropic.for_model("claude-opus-4-1")
LONG = Anthropic.for_model("claude-opus-4-6")
VERTEX = Gemini(vertex=True)
COUNTS: list[tuple[str, Dialect[Any], Any, int]] = [
    ("AN-M4", Anthropic(), typed, 100),
    ("AN-M4", DIRECT, typed, 100),
    ("AN-M4", LONG, typed, 600),
    ("GM-G29", Gemini(), gemini, 3_600),
    ("GM-G29", VERTEX, gemini, 3_000),
    ("GQ-03", GROQ, chat, 5),
    ("MS-M25", HOSTED, chat, 8),
    ("OC-23", OpenAIChat(), chat, 500),
    ("OR-30", OpenAIResponses(), responses, 500),
    ("P-18", Portable(), chat, 5),
]
BYTES: list[tuple[str, Dialect[Any], Any, int]] = [
    ("AN-M1", Anthropic(), typed, 3_932_160),
    ("AN-M1", DIRECT, typed, 7_864_320),
    ("BR-B21", Bedrock(), converse, 3_750_000),
    ("GM-G29", VERTEX, gemini, 6_999_999),
    ("GQ-03", GROQ, chat, 2_625_000),
    ("P-18", Portable(), chat, 1_875_000),
]
SIDES: list[tuple[str, Dialect[Any], Any, tuple[int, int], int]] = [
    ("AN-M2", Anthropic(), typed, (8000, 1), 1),
    ("AN-M3", Anthropic(), typed, (2000, 1), 21),
    ("BR-B21", Bedrock(), converse, (8000, 1), 1),
    ("GQ-03", GROQ, chat, (7680, 4320), 1),
    ("P-18", Portable(), chat, (8000, 1), 1),
]


@pytest.mark.parametrize(("rule", "dialect", "make", "most"), COUNTS)
def test_as_many_images_as_are_taken_and_not_one_more(rule: str, dialect: Dialect[Any], make: Any, most: int) -> None:
    assert check(make(*[png()] * most), dialect) == []
    assert {found.rule for found in check(make(*[png()] * (most + 1)), dialect)} == {rule}


@pytest.mark.parametrize(("rule", "dialect", "make", "most"), BYTES)
def test_an_image_as_large_as_is_taken_and_not_three_bytes_more(
    rule: str, dialect: Dialect[Any], make: Any, most: int
) -> None:
    assert check(make(weighing(most)), dialect) == []
    assert {found.rule for found in check(make(weighing(most + 3)), dialect)} == {rule}


@pytest.mark.parametrize(("rule", "dialect", "make", "most", "count"), SIDES)
def test_an_image_of_as_many_pixels_as_are_taken_and_not_one_more_a_side(
    rule: str, dialect: Dialect[Any], make: Any, most: tuple[int, int], count: int
) -> None:
    width, height = most
    assert check(turned(make, *[most] * count), dialect) == []
    assert {found.rule for found in check(turned(make, *[(width + 1, height)] * count), dialect)} == {rule}
    assert count == 1 or check(turned(make, *[(width + 1, height)] * (count - 1)), dialect) == []


@pytest.mark.parametrize(
    ("rule", "dialect", "half"), [("GQ-03", GROQ, 1_500_000), ("P-18", Portable(), 1_125_000)], ids=["GQ-03", "P-18"]
)
def test_images_that_are_as_large_together_as_is_taken_and_not_more(
    rule: str, dialect: Dialect[Any], half: int
) -> None:
    assert check(chat(weighing(half), weighing(half)), dialect) == []
    assert [found.rule for found in check(chat(weighing(half), weighing(half + 3)), dialect)] == [rule]


def test_a_document_of_bedrock_has_four_and_a_half_million_bytes_at_most() -> None:
    def paper_of(count: int) -> list[Any]:
        held = {"document": {"format": "txt", "name": "d", "source": {"bytes": b"x" * count}}}
        return [{"role": "user", "content": [held, {"text": "what is it?"}]}]

    assert check(paper_of(4_500_000), Bedrock()) == []
    assert [found.rule for found in check(paper_of(4_500_003), Bedrock())] == ["BR-B21"]


@pytest.mark.parametrize("make", [anthropic, pdf])
def test_what_fits_has_nothing_wrong(make: Any) -> None:
    wire = make(paper(100)) if make is pdf else make(*[given_as(png(8000, 5))] * 20)
    assert check(wire, Anthropic()) == []


DIALECTS = (
    Anthropic(),
    Bedrock(),
    Gemini(),
    HOSTED,
    OpenAIChat(),
    OpenAIResponses(),
    Portable(),
    OpenAIChat.for_provider("xai"),
)
DATA = (
    png(),
    png(9000, 9),
    png(2500, 20),
    png()[:-4],
    jpeg(),
    jpeg(end=False),
    GIF + FRAME + b";",
    b"<html>",
    b"BM" + bytes(30),
)


@st.composite
def media(draw: st.DrawFn) -> Block:
    kind = draw(st.sampled_from(("image", "image", "paper", "url")))
    if kind == "paper":
        return paper(draw(st.integers(0, 60)), encrypted=draw(st.booleans()))
    if kind == "url":
        return ImageBlock({"type": "url", "url": "https://example.com/a.png"})
    media_type = draw(st.sampled_from(("image/png", "image/jpeg", "image/gif", "image/webp", "PNG", "")))
    return image(draw(st.sampled_from(DATA)), media_type)


@given(st.sampled_from(DIALECTS), st.lists(st.lists(media(), max_size=12), max_size=4), st.booleans())
def test_whatever_comes_in_goes_out_as_the_provider_takes_it(
    dialect: Dialect[Any], turns: list[list[Block]], from_tool: bool
) -> None:
    history = MessageHistory()
    for number, blocks in enumerate(turns):
        history = history.add_user([f"look {number}", *blocks])
        history = history.add_assistant([ToolUseBlock(f"call{number:05}", "f", {})] if from_tool else "seen")
        if from_tool:
            history = history.add_tool_result(f"call{number:05}", [*blocks, "done"]).add_assistant("seen")
    history = history.add_user("and?")
    export = history.export(dialect)
    assert check(export.messages, dialect) == []
    before = [block for message in history for block in message.content]
    again = history.export(dialect)
    assert (again.messages, again.repairs) == (export.messages, export.repairs)
    assert [block for message in history for block in message.content] == before


def test_data_that_are_bytes_are_checked_as_such() -> None:
    assert check(converse(png()), Bedrock()) == []
    assert check(converse(base64.b64decode(as_text(png()))), Bedrock()) == []
