"""What becomes of images and documents on their way out, where nothing can be scaled."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from message_history import (
    DocumentBlock,
    ImageBlock,
    Message,
    MessageHistory,
    RepairCode,
    TextBlock,
    ToolUseBlock,
    check,
)
from message_history.core.values.meta import Meta
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, Native, OpenAIChat, OpenAIResponses
from message_history.dialects.portable import Portable
from message_history.media import NO_LIMITS, Limits
from tests.media.headers import as_text, image, jpeg, paper, png

if TYPE_CHECKING:
    from message_history.core.messages.repairs import Repair

STRICT = Limits(
    types=("image/png", "image/jpeg"),
    image_bytes=1000,
    side=100,
    pixels=5000,
    animated=False,
    pdf=True,
    rules={"type": "T", "mismatch": "X", "broken": "B", "bytes": "S", "side": "P", "count": "C", "document": "D"},
)
PROVIDERS: tuple[Dialect[Any], ...] = (
    Anthropic(),
    Bedrock(),
    Gemini(),
    Gemini(vertex=True),
    Mistral(),
    Mistral.for_model("mistral-small-latest"),
    OpenAIChat(),
    OpenAIChat.for_provider("groq"),
    OpenAIChat.for_provider("xai"),
    OpenAIChat.for_provider("vllm"),
    OpenAIResponses(),
    Portable(),
)


@pytest.fixture(autouse=True)
def _no_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)


def exported(*content: Any, limits: Limits = STRICT) -> tuple[list[dict[str, Any]], tuple[Repair, ...]]:
    """The parts of one user message as they are sent, and what was changed."""
    export = MessageHistory().add_user([*content, "what is it?"]).export(Anthropic(limits=limits))
    return export.messages[0]["content"][:-1], export.repairs


def told(repairs: tuple[Repair, ...]) -> list[tuple[RepairCode, str]]:
    return [(repair.code, repair.detail) for repair in repairs]


def omitted(*content: Any, limits: Limits = STRICT) -> str:
    """The text in the place of one block."""
    block = content[0]
    parts, repairs = exported(*content, limits=limits)
    (repair,) = [found for found in repairs if found.removed]
    assert repair.code is RepairCode.WITHHELD
    assert repair.removed == (block,)
    assert repair.added == (TextBlock(parts[0]["text"]),)
    text: str = parts[0]["text"]
    return text


def test_an_image_that_fits_goes_out_as_it_came() -> None:
    parts, repairs = exported(image(png()))
    assert parts[0]["source"] == image(png()).source
    assert repairs == ()


def test_the_media_type_is_what_the_bytes_say() -> None:
    block = image(jpeg(), "image/png")
    parts, repairs = exported(block)
    assert parts[0]["source"]["media_type"] == "image/jpeg"
    assert parts[0]["source"]["data"] == block.source["data"]
    detail = "the media type 'image/png' as 'image/jpeg', which the data is (X)"
    assert told(repairs) == [(RepairCode.REWRITTEN, detail)]
    assert repairs[0].removed == (block,)


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (image(b"<html>"), "[image left out: it is no image]"),
        (image(b"<html>", ""), "[image left out: it is no image]"),
        (image(png()[:-12]), "[image left out: its end is missing]"),
        (image(jpeg(end=False), "image/jpeg"), "[image left out: its end is missing]"),
        (
            ImageBlock({"type": "base64", "media_type": "image/png", "data": "not base64!"}),
            "[image left out: its data is no base64]",
        ),
        (
            image(png(101, 10)),
            "[image left out: it has 101 x 10 pixels, 100 are taken on a side; scaling needs the extra `images`]",
        ),
        (
            image(png(90, 90)),
            "[image left out: it has 90 x 90 pixels, 5000 in all are taken; scaling needs the extra `images`]",
        ),
        (
            image(png(filler=700)),
            "[image left out: it has 1012 bytes, 1000 are taken; scaling needs the extra `images`]",
        ),
        (
            image(b"GIF89a" + bytes([10, 0, 10, 0, 0, 0, 0]) + b",\0\0\0\0\n\0\n\0\0\x02\x01x\0;", "image/gif"),
            "[image left out: the type 'image/gif' cannot be sent here; scaling needs the extra `images`]",
        ),
        (
            image(png(60_000, 60_000)),
            "[image left out: it has 60000 x 60000 pixels, 100 are taken on a side; it has 60000 x 60000 pixels, 5000 "
            "in all are taken; it is not scaled, as more than 33554432 pixels are not opened]",
        ),
        (paper(encrypted=True), "[document left out: it is encrypted]"),
        (evolve(paper(), source={**paper().source, "data": as_text(b"<html>")}), "[document left out: it is no PDF]"),
        (evolve(paper(), source={**paper().source, "data": "*"}), "[document left out: its data is no base64]"),
        (
            paper(40),
            "[document left out: it has 1772 bytes, 500 are taken]",
        ),
    ],
)
def test_what_cannot_be_sent_says_why(block: Any, text: str) -> None:
    assert omitted(block, limits=evolve(STRICT, document_bytes=500)) == text


@pytest.mark.parametrize(
    "dialect",
    [Mistral(), Mistral.for_model("a-new-model"), OpenAIChat.for_provider("vllm")],
    ids=lambda dialect: dialect.name,
)
def test_where_any_format_is_taken_what_is_none_is_left_out_too(dialect: Dialect[Any]) -> None:
    assert dialect.limits.types is None
    for media_type in ("image/png", "PNG", ""):
        export = MessageHistory().add_user(["what is it?", image(b"<html>", media_type)]).export(dialect)
        assert "it is no image" in str(export.messages)
    for other in (image(b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"), image(b"BM" + bytes(40), "image/bmp")):
        export = MessageHistory().add_user(["what is it?", other]).export(dialect)
        assert str(other.source["data"]) in str(export.messages)


@pytest.mark.parametrize("dialect", PROVIDERS, ids=lambda dialect: f"{dialect.name}-{dialect.limits.date}")
def test_an_image_in_a_url_of_data_is_sent_to_everyone(dialect: Dialect[Any]) -> None:
    inline = ImageBlock({"type": "url", "url": f"data:image/png;base64,{as_text(png())}"})
    wire = MessageHistory().add_user(["what is it?", inline]).for_send(dialect)
    assert wire == MessageHistory().add_user(["what is it?", image(png())]).for_send(dialect)


@pytest.mark.parametrize(
    "media_type",
    ["", "application/octet-stream", "Application/PDF", "application/pdf; x=1", "application/x-pdf", "text/plain"],
)
@pytest.mark.parametrize(
    "dialect", [Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini(), Bedrock()], ids=lambda dialect: dialect.name
)
def test_a_pdf_is_sent_as_one_whatever_it_says(dialect: Dialect[Any], media_type: str) -> None:
    wrong = evolve(paper(), source={**paper().source, "media_type": media_type})
    if not media_type:
        del (source := dict(wrong.source))["media_type"]
        wrong = evolve(wrong, source=source)
    plain = MessageHistory().add_user(["what is it?", paper()])
    export = MessageHistory().add_user(["what is it?", wrong]).export(dialect)
    assert export.messages == plain.for_send(dialect)
    if media_type and not dialect.limits.lenient:
        detail = f"the media type {media_type!r} as 'application/pdf', which the data is"
        assert [repair.detail.startswith(detail) for repair in export.repairs if repair.removed == (wrong,)] == [True]


def test_a_locked_pdf_and_a_text_about_pdfs_are_distinguished() -> None:
    locked = paper(encrypted=True)
    wrong = evolve(locked, source={**locked.source, "media_type": "application/octet-stream"})
    assert omitted(wrong) == "[document left out: it is encrypted]"
    about = DocumentBlock({"type": "base64", "media_type": "text/plain", "data": as_text(b"A file begins with %PDF-1")})
    assert exported(about)[0][0]["source"] == {
        "type": "text",
        "media_type": "text/plain",
        "data": "A file begins with %PDF-1",
    }


def test_a_message_of_nothing_else_still_says_something() -> None:
    history = MessageHistory().add_user([image(b"x")])
    assert history.for_send(Anthropic())[0]["content"] == [{"type": "text", "text": "[image left out: it is no image]"}]


def test_an_image_in_a_result_is_looked_at_too() -> None:
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("t", "f", {})])
    history = history.add_tool_result("t", [TextBlock("shot"), image(png(500, 500)), image(png())])
    export = history.export(Anthropic(limits=STRICT))
    content = export.messages[2]["content"][0]["content"]
    assert [part["type"] for part in content] == ["text", "text", "image"]
    assert "500 x 500" in content[1]["text"]
    assert [repair.index for repair in export.repairs] == [2]


def sheet(*images: ImageBlock) -> DocumentBlock:
    """A document of words and images."""
    parts = [{"type": "image", "source": dict(each.source), "cache_control": {"type": "ephemeral"}} for each in images]
    return DocumentBlock({"type": "content", "content": [{"type": "text", "text": "a"}, *parts]}, "sheet")


def test_the_images_in_a_document_are_looked_at_too() -> None:
    raw = sheet(image(b"<html>"), image(jpeg()), image(png()))
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("t", "f", {})])
    history = history.add_tool_result("t", ["shot", raw, image(b"<svg>")]).add_user(["and?", raw])
    export = history.export(Anthropic(limits=STRICT))
    mark = {"cache_control": {"type": "ephemeral"}}
    content = [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "[image left out: it is no image]", **mark},
        {"type": "image", "source": {**image(jpeg()).source, "media_type": "image/jpeg"}, **mark},
        {"type": "image", "source": dict(image(png()).source), **mark},
    ]
    expected = {"type": "document", "source": {"type": "content", "content": content}, "title": "sheet"}
    result, _, document = export.messages[2]["content"]
    assert result["content"][1:] == [expected, {"type": "text", "text": "[image left out: it is no image]"}]
    assert document == expected
    codes = [(repair.index, repair.code, repair.removed) for repair in export.repairs if repair.removed]
    first = [
        (2, RepairCode.WITHHELD, (image(b"<html>"),)),
        (2, RepairCode.REWRITTEN, (image(jpeg()),)),
    ]
    assert codes == [*first, (2, RepairCode.WITHHELD, (image(b"<svg>"),)), *first]
    assert MessageHistory().add_user(["q", sheet(image(png()))]).export(Anthropic(limits=STRICT)).repairs == ()


def test_the_images_in_a_document_count_as_such() -> None:
    limits = evolve(STRICT, count=8)
    raw = sheet(*[image(png(n + 1, 2)) for n in range(3)])
    history = conversation(raw, *[image(png(n + 1, 1)) for n in range(6)])
    assert kinds(history, limits) == "diiiiii"
    parts = history.for_send(Anthropic(limits=limits))[0]["content"][1]["source"]["content"]
    assert [part["type"] for part in parts] == ["text"] * 4
    large = conversation(sheet(image(png(90, 2))), *[image(png(n + 1, 1)) for n in range(8)])
    parts = large.for_send(Anthropic(limits=evolve(STRICT, many=8, many_side=50)))[0]["content"][1]["source"]["content"]
    assert "more than 8 images" in parts[1]["text"]


def test_what_is_known_of_an_image_in_a_document_is_kept() -> None:
    from message_history.media.nested import inside  # noqa: PLC0415

    raw = sheet(image(png()))
    ((number, first),) = inside(raw)
    assert number == 1
    assert inside(raw)[0][1] is first
    odd: list[Any] = [
        None,
        "text",
        {"type": "image"},
        {"type": "image", "source": 3},
        {"source": dict(image(png()).source)},
    ]
    for content in (odd, "text", None, {"type": "image"}):
        assert inside(DocumentBlock({"type": "content", "content": content})) == ()


def test_data_in_another_form_is_put_in_plain_base64() -> None:
    data = as_text(png(filler=1))
    source = {"type": "base64", "media_type": "image/png"}
    for raw in (data[:10] + "\n" + data[10:], data.rstrip("="), f"data:image/png;base64,{data}"):
        parts, repairs = exported(ImageBlock({**source, "data": raw}))
        assert parts[0]["source"] == {**source, "data": data}
        assert [repair.code for repair in repairs] == [RepairCode.REWRITTEN]
    parts, repairs = exported(ImageBlock({"type": "url", "url": f"data:image/jpeg;base64,{data}"}))
    assert parts[0]["source"] == {**source, "data": data}
    assert [repair.code for repair in repairs] == [RepairCode.REWRITTEN]


def test_what_stands_elsewhere_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr("socket.socket", refuse)
    block = ImageBlock({"type": "url", "url": "http://127.0.0.1:9/a.png"})
    parts, repairs = exported(block, ImageBlock({"type": "file", "file_id": "file_1"}))
    assert [part["source"]["type"] for part in parts] == ["url", "file"]
    assert repairs == ()


def test_a_cache_mark_moves_to_the_text_in_the_place() -> None:
    mark = {"type": "ephemeral"}
    block = ImageBlock(
        {"type": "base64", "media_type": "image/png", "data": "x!"},
        meta=Meta(extra={"anthropic": {"cache_control": mark}}),  # type: ignore[arg-type]
    )
    history = MessageHistory.from_list(
        [{"role": "user", "content": [{"type": "image", "source": dict(block.source), "cache_control": mark}]}]
    )
    assert history.for_send(Anthropic())[0]["content"][0]["cache_control"] == mark


# What holds for the whole request


def conversation(*blocks: Any) -> MessageHistory:
    """One image or document a turn."""
    history = MessageHistory()
    for number, block in enumerate(blocks):
        history = history.add_user([f"look {number}", block]).add_assistant(f"seen {number}")
    return history


def kinds(history: MessageHistory, limits: Limits) -> str:
    """Which of them are sent, `i` and `d`, and which are left out, `-`."""
    wire = history.export(Anthropic(limits=limits)).messages
    return "".join(message["content"][1]["type"][0] for message in wire[::2][: len(history) // 2]).replace("t", "-")


def test_of_too_many_the_oldest_are_left_out_in_steps() -> None:
    limits = evolve(STRICT, count=8)
    found = [kinds(conversation(*[image(png(n + 1, 1)) for n in range(count)]), limits) for count in range(7, 14)]
    assert found == ["i" * 7, "i" * 8, "---iiiiii", "---iiiiiii", "---iiiiiiii", "------iiiiii", "------iiiiiii"]


def test_pages_of_documents_count_as_far_as_they_are_known() -> None:
    limits = evolve(STRICT, image_bytes=None, count=8)
    assert kinds(conversation(image(png()), paper(6), image(png())), limits) == "idi"
    assert kinds(conversation(image(png()), paper(6), image(png()), image(png())), limits) == "--ii"
    assert kinds(conversation(image(png()), paper(7, packed=True), image(png())), limits) == "--i"


def test_documents_that_are_text_are_no_pages() -> None:
    notes = [DocumentBlock({"type": "text", "media_type": "text/plain", "data": f"note {n}"}) for n in range(120)]
    sheet = DocumentBlock({"type": "base64", "media_type": "text/csv", "data": as_text(b"1,2")})
    history = MessageHistory().add_user(["look", *notes, sheet])
    wire = history.for_send(Anthropic())
    assert check(wire, Anthropic()) == []
    assert [part["type"] for part in wire[0]["content"][1:]] == ["document"] * 121
    limits = evolve(STRICT, count=8)
    found = kinds(conversation(*notes[:6], *[image(png(n + 1, 1)) for n in range(9)]), limits)
    assert found == "dddddd---iiiiii"


def test_what_has_no_data_here_makes_no_room_for_what_has() -> None:
    limits = evolve(STRICT, image_bytes=None, total_bytes=4000)
    elsewhere = ImageBlock({"type": "url", "url": "https://example.com/a.png"})
    note = DocumentBlock({"type": "text", "media_type": "text/plain", "data": "x" * 5000})
    blocks = [image(png(n + 1, 1, filler=690)) for n in range(5)]
    assert kinds(conversation(elsewhere, note, *blocks), limits) == "id--iii"


def test_of_too_much_the_oldest_are_left_out_in_steps() -> None:
    limits = evolve(STRICT, image_bytes=None, total_bytes=4000)
    blocks = [image(png(n + 1, 1, filler=690)) for n in range(8)]
    found = [kinds(conversation(*blocks[:count]), limits) for count in (3, 4, 5, 6, 7)]
    assert found == ["iii", "iiii", "--iii", "--iiii", "----iii"]
    alone = conversation(image(png(filler=9000)))
    assert kinds(alone, limits) == "-"


def test_what_was_left_out_stays_out_while_there_is_room() -> None:
    limits = evolve(STRICT, count=12, total_bytes=60_000, image_bytes=None)
    gone: set[int] = set()
    changes = 0
    for count in range(1, 60):
        found = kinds(conversation(*[image(png(n + 1, 1)) for n in range(count)]), limits)
        now = {n for n, kind in enumerate(found) if kind == "-"}
        assert now >= gone
        assert found.endswith("i")
        assert found.count("i") <= 12
        changes += now != gone
        gone = now
    assert changes == 12


def test_many_images_must_be_smaller_and_the_oldest_larger_ones_go() -> None:
    limits = evolve(STRICT, pixels=None, many=8, many_side=50, rules={"many": "M"})
    large, small = [image(png(90, n + 1)) for n in range(20)], [image(png(40, n + 1)) for n in range(20)]
    assert kinds(conversation(*large[:8]), limits) == "i" * 8
    assert kinds(conversation(*large[:9]), limits) == "---iiiiii"
    assert kinds(conversation(*large[:11]), limits) == "---iiiiiiii"
    assert kinds(conversation(*large[:12]), limits) == "------iiiiii"
    assert kinds(conversation(*small), limits) == "i" * 20
    assert kinds(conversation(*small[:9], large[0]), limits) == "iiiiiiiii-"
    export = conversation(*small[:9], large[0]).export(Anthropic(limits=limits))
    assert [repair.detail for repair in export.repairs if repair.removed] == [
        "image: a request with more than 8 images takes none larger than 50 pixels a side (M)"
    ]


def test_limits_on_the_whole_touch_nothing_below_them() -> None:
    limits = evolve(STRICT, count=8, many=8, many_side=50, total_bytes=5000, pixels=None)
    history = conversation(*[image(png(90, n + 1)) for n in range(8)]).add_user("so?")
    assert history.export(Anthropic(limits=limits)).repairs == ()


# Every dialect


@pytest.mark.parametrize("dialect", PROVIDERS, ids=lambda dialect: f"{dialect.name}-{dialect.limits.date}")
def test_every_provider_s_export_looks_at_images(dialect: Dialect[Any]) -> None:
    cut = MessageHistory().add_user(["what is it?", image(png()[:-12])]).export(dialect)
    assert "its end is missing" in str(cut.messages)
    assert "its end is missing" in " ".join(repair.detail for repair in cut.repairs)
    wrong = MessageHistory().add_user(["what is it?", image(jpeg(), "image/png")]).export(dialect)
    assert "jpeg" in str(wrong.messages)
    assert any("image/jpeg" in repair.detail for repair in wrong.repairs)


@pytest.mark.parametrize("block", [ImageBlock, DocumentBlock], ids=["image", "document"])
@pytest.mark.parametrize("url", ["", " "])
@pytest.mark.parametrize("dialect", PROVIDERS, ids=lambda dialect: f"{dialect.name}-{dialect.limits.date}")
def test_an_address_that_is_empty_is_never_sent(dialect: Dialect[Any], url: str, block: Any) -> None:
    """Nobody can read what is at no address; the model is told, and the block is in the repairs."""
    at_nothing = block({"type": "url", "url": url})
    export = MessageHistory().add_user(["what is it?", at_nothing]).export(dialect)
    assert "left out" in str(export.messages)
    assert at_nothing in [removed for repair in export.repairs for removed in repair.removed]
    assert f"'{url}'" not in str(export.messages)
    assert not check(export.messages, dialect)


@pytest.mark.parametrize(
    ("dialect", "part", "rule"),
    [
        (OpenAIChat(), {"type": "image_url", "image_url": {"url": ""}}, "OC-26"),
        (OpenAIChat.for_provider("vllm"), {"type": "image_url", "image_url": {"url": " "}}, "OC-26"),
        (OpenAIChat(), {"type": "file"}, "OC-25"),
        (OpenAIChat(), {"type": "file", "file": {"filename": "a.pdf", "file_data": ""}}, "OC-25"),
        (OpenAIResponses(), {"type": "input_image", "image_url": ""}, "OR-41"),
        (OpenAIResponses(), {"type": "input_image", "image_url": "a.png"}, "OR-41"),
        (OpenAIResponses(), {"type": "input_file", "file_url": ""}, "OR-38"),
    ],
)  # fmt: skip
def test_media_at_no_address_are_found_and_not_sent(dialect: Dialect[Any], part: dict[str, Any], rule: str) -> None:
    kind = "input_text" if part["type"].startswith("input") else "text"
    raw = [{"role": "user", "content": [{"type": kind, "text": "q"}, part]}]
    assert [found.rule for found in check(raw, dialect)] == [rule]
    export = MessageHistory.from_list(raw).export(dialect)
    assert not check(export.messages, dialect)
    assert export.repairs


@pytest.mark.parametrize("dialect", PROVIDERS, ids=lambda dialect: f"{dialect.name}-{dialect.limits.date}")
def test_every_limit_says_where_it_comes_from(dialect: Dialect[Any]) -> None:
    assert dialect.limits.source.startswith("https://")
    assert dialect.limits.date
    assert set(dialect.limits.rules.values()) <= {rule.id for rule in dialect.rules}


def test_the_saved_form_is_never_touched() -> None:
    block = image(b"<html>")
    history = MessageHistory().add_user(["q", block, image(png(60_000, 60_000))])
    assert Native().limits == NO_LIMITS
    assert history.export(Native()).repairs == ()
    assert MessageHistory.from_list(history.to_list()) == history


def test_a_model_without_images_gets_its_own_note() -> None:
    dialect = OpenAIChat.for_provider("deepseek")
    assert not dialect.limits.inspected
    history = MessageHistory().add_user(["q", image(png())])
    assert "image left out" in str(history.for_send(dialect))


@pytest.mark.parametrize(
    ("model", "size", "count"),
    [
        ("claude-haiku-4-5", 10 * 1024**2, 100),
        ("claude-opus-4-8", 10 * 1024**2, 600),
        ("anthropic.claude-opus-4-8-v1:0", 5 * 1024**2, 100),
        ("claude-opus-4-8@20260101", 5 * 1024**2, 100),
        ("a-model-of-nobody", 5 * 1024**2, 100),
    ],
)
def test_limits_by_model_and_platform(model: str, size: int, count: int) -> None:
    limits = Anthropic.for_model(model).limits
    assert (limits.image_bytes, limits.count) == (size, count)


def test_what_the_user_sets_holds() -> None:
    dialect = Anthropic(limits=evolve(Anthropic().limits, side=20))
    history = MessageHistory().add_user(["q", image(png(30, 30))])
    assert "20 are taken" in str(history.for_send(dialect))
    assert history.export(Anthropic(limits=NO_LIMITS)).repairs == ()


def test_messages_without_media_are_the_same_objects() -> None:
    from message_history.media import fit_media  # noqa: PLC0415

    messages = [Message.user("q"), Message.assistant("a"), Message.user("look", image(png(500, 5)))]
    sent, repairs = fit_media(messages, STRICT)
    assert [one is other for one, other in zip(sent, messages, strict=True)] == [True, True, False]
    assert len(repairs) == 1


def test_text_only_conversations_do_not_load_what_looks_at_images() -> None:
    import subprocess  # noqa: PLC0415

    program = (
        "import sys; from message_history import MessageHistory\n"
        "MessageHistory().add_user('q').add_assistant('a').add_user('q').for_send()\n"
        "print([name for name in sys.modules if name.startswith(('message_history.media.', 'PIL'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert found == "['message_history.media.fit', 'message_history.media.limits']"
