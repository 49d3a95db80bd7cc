"""Exports with Pillow there: images are made to fit, once, and what was sent is sent again."""

from __future__ import annotations

import base64
import gc
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from message_history import ImageBlock, MessageHistory, RepairCode, TextBlock, ToolUseBlock, check
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses, Portable
from message_history.media import scale_cache as made
from message_history.media.scaling import fit

pytest.importorskip("PIL")
from tests.media.pictures import block, bomb, moving, noise, scene, shown, turned, written

if TYPE_CHECKING:
    from collections.abc import Iterator

DIALECTS: tuple[Dialect[Any], ...] = (
    Anthropic(),
    Anthropic.for_model("claude-opus-4-8"),
    Bedrock.for_model("anthropic.claude-sonnet-4-5-20250929-v1:0"),
    Gemini(),
    Gemini(vertex=True),
    Mistral.for_model("mistral-small-latest"),
    OpenAIChat(),
    OpenAIChat.for_provider("groq"),
    OpenAIChat.for_provider("xai"),
    OpenAIResponses(),
    Portable(),
)
SMALL = Anthropic(limits=evolve(Anthropic().limits, side=100, image_bytes=20_000, many_side=40, many=3, count=8))


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    made._MADE._held.clear()
    made._MADE._size = 0


def images_in(wire: object) -> list[bytes]:
    """The images in an export of any dialect, in order."""
    if isinstance(wire, bytes):
        return [wire]
    if isinstance(wire, dict):
        if isinstance(wire.get("data"), str) and "text" not in wire:
            return [base64.b64decode(wire["data"])]
        return [found for value in wire.values() for found in images_in(value)]
    if isinstance(wire, list):
        return [found for item in wire for found in images_in(item)]
    if isinstance(wire, str) and wire.startswith("data:image"):
        return [base64.b64decode(wire.partition(",")[2])]
    return []


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: f"{dialect.name}-{dialect.limits.count}")
@pytest.mark.parametrize("kind", ["wide", "tiff", "moving", "turned", "heavy"])
def test_every_provider_takes_what_is_sent_instead(dialect: Dialect[Any], kind: str) -> None:
    raw = {
        "wide": lambda: block(written(scene(9000, 60), "PNG")),
        "tiff": lambda: block(written(scene(90, 60), "TIFF"), "image/png"),
        "moving": lambda: block(moving("GIF"), "image/gif"),
        "turned": lambda: block(turned("JPEG", 6), "image/jpeg"),
        "heavy": lambda: block(written(noise(1300, 1000), "BMP"), "image/bmp"),
    }[kind]()
    history = MessageHistory().add_user("q").add_assistant([ToolUseBlock("call00001", "f", {})])
    history = history.add_tool_result("call00001", ["shot", raw]).add_assistant("seen").add_user(["and?", raw])
    export = history.export(dialect)
    assert check(export.messages, dialect) == []
    sent = images_in(export.messages)
    assert sent
    for data in sent:
        shown(base64.b64encode(data).decode())
    # Where a request may hold little, there is only room for the newest.
    assert "left out" not in str(export.messages[-1])


def test_what_was_changed_is_told() -> None:
    wide = block(written(scene(400, 200), "PNG"))
    export = MessageHistory().add_user(["q", wide]).export(SMALL)
    (repair,) = export.repairs
    assert repair.code is RepairCode.REWRITTEN
    assert repair.removed == (wide,)
    assert repair.detail.startswith("an image of 400 x 200 pixels and")
    assert repair.detail.endswith("bytes (AN-M2)")
    assert "image/png of 100 x 50 pixels" in repair.detail
    assert shown(export.messages[0]["content"][1]["source"]["data"]).size == (100, 50)


def test_a_turned_image_is_sent_upright_where_nobody_reads_exif() -> None:
    photo = block(turned("JPEG", 6), "image/jpeg")
    export = MessageHistory().add_user(["q", photo]).export(Anthropic())
    assert shown(export.messages[0]["content"][1]["source"]["data"]).size == (40, 60)
    assert "upright" in export.repairs[0].detail
    assert MessageHistory().add_user(["q", photo]).export(Gemini()).repairs == ()
    plain = block(turned("JPEG", 1), "image/jpeg")
    assert MessageHistory().add_user(["q", plain]).export(Anthropic()).repairs == ()


def test_bombs_are_left_out_with_the_reason() -> None:
    tracemalloc.start()
    export = MessageHistory().add_user(["q", block(bomb())]).export(Anthropic())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    text = export.messages[0]["content"][1]["text"]
    assert text.startswith("[image left out: it has 50000 x 50000 pixels, 8000 are taken on a side; it is not scaled")
    assert export.repairs[0].code is RepairCode.WITHHELD


def test_what_cannot_be_made_small_enough_says_so() -> None:
    dialect = Anthropic(limits=evolve(SMALL.limits, image_bytes=100))
    export = MessageHistory().add_user(["q", block(written(noise(300, 300), "PNG"))]).export(dialect)
    assert export.messages[0]["content"][1]["text"].endswith("; it could not be made to fit]")


def grown(count: int) -> Iterator[MessageHistory]:
    """A conversation that gets an image in each turn, some larger than others."""
    history = MessageHistory()
    for number in range(count):
        size = (60, 30) if number % 3 else (150 + number, 80)
        history = history.add_user([f"look {number}", block(written(scene(*size), "PNG"))])
        yield history
        history = history.add_assistant(f"seen {number}")


def test_what_was_sent_is_sent_again_but_where_a_limit_on_all_is_reached() -> None:
    before: list[Any] = []
    changed = []
    for number, history in enumerate(grown(20)):
        wire = history.for_send(SMALL)
        assert check(wire, SMALL) == []
        if wire[: len(before)] != before:
            changed.append(number)
        before = wire
    # More than three images at the fourth; more than eight at the ninth, and then every third.
    assert changed == [3, 8, 11, 14, 17]


def test_a_large_image_alone_leaves_what_came_before_as_it_was() -> None:
    dialect = Anthropic(limits=evolve(SMALL.limits, many=None, count=None))
    before: list[Any] = []
    for history in grown(8):
        wire = history.for_send(dialect)
        assert wire[: len(before)] == before
        before = wire


def test_of_more_than_a_hundred_images_the_newest_are_sent() -> None:
    history = MessageHistory()
    for number in range(130):
        size = (2100, 4) if number % 10 == 0 else (20, 10)
        history = history.add_user([f"look {number}", block(written(scene(*size), "PNG"))]).add_assistant("seen")
    history = history.add_user("so?")
    export = history.export(Anthropic())
    assert check(export.messages, Anthropic()) == []
    kinds = [message["content"][1]["type"] for message in export.messages[:-1:2]]
    assert kinds == ["text"] * 52 + ["image"] * 78
    sizes = [shown(message["content"][1]["source"]["data"]).size for message in export.messages[104:-1:2]]
    assert max(max(size) for size in sizes) == 2000
    assert {repair.code for repair in export.repairs} == {RepairCode.WITHHELD, RepairCode.REWRITTEN}


def test_many_images_are_scaled_from_what_came_in() -> None:
    pictures = [block(written(scene(160 + n, 90), "PNG")) for n in range(4)]
    history = MessageHistory().add_user(["q", *pictures])
    many = history.for_send(SMALL)[0]["content"][1:]
    alone = Anthropic(limits=evolve(SMALL.limits, side=40, many=None))
    for part, picture in zip(many, pictures, strict=True):
        (single,) = MessageHistory().add_user(["q", picture]).for_send(alone)[0]["content"][1:]
        assert part == single


def test_an_image_is_scaled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def counting(*raw: Any) -> Any:
        counted.append(1)
        return fit(*raw)

    monkeypatch.setattr(made, "fit", counting)
    dialect = Anthropic(limits=evolve(SMALL.limits, many=None))
    data = written(scene(500, 300), "PNG")
    history = MessageHistory().add_user(["q", block(data)])
    first = history.for_send(dialect)
    for _ in range(3):
        history = history.add_assistant("a").add_user(["again", block(data), TextBlock("?")])
        assert history.for_send(dialect)[:1] == first
    assert len(counted) == 1
    again = MessageHistory.from_list(json.loads(json.dumps(history.to_list())))
    assert again.for_send(dialect) == history.for_send(dialect)
    assert len(counted) == 1
    history.for_send(Anthropic(limits=evolve(dialect.limits, side=90)))
    assert len(counted) == 2


def test_what_is_remembered_is_bounded() -> None:
    kept = made._Made(3_000)
    for number in range(100):
        kept.keep((bytes([number]), made.bounds_of(SMALL.limits, number)), made._Known(None))
    assert kept._size <= 3_000
    assert len(kept._held) == 15
    assert kept.get((bytes([99]), made.bounds_of(SMALL.limits, 99))) is not None
    assert kept.get((bytes([1]), made.bounds_of(SMALL.limits, 1))) is None
    kept.keep((bytes([99]), made.bounds_of(SMALL.limits, 99)), made._Known(None))
    assert len(kept._held) == 15


def test_what_is_known_of_a_block_goes_with_it() -> None:
    from message_history.media import inspect as looking  # noqa: PLC0415

    gc.collect()
    before = len(looking._SEEN._held)
    picture = block(written(scene(30, 30), "PNG"))
    history = MessageHistory().add_user(["q", picture])
    history.for_send(SMALL)
    assert len(looking._SEEN._held) == before + 1
    del history, picture
    gc.collect()
    assert len(looking._SEEN._held) == before


def test_memory_stays_within_a_small_multiple_of_one_image() -> None:
    pictures = [block(written(noise(1000, 700 + n), "PNG", compress_level=0)) for n in range(6)]
    one = len(str(pictures[0].source["data"]))
    history = MessageHistory().add_user(["q", *pictures])
    dialect = Anthropic(limits=evolve(SMALL.limits, side=300, many=None))
    gc.collect()
    tracemalloc.start()
    wire = history.for_send(dialect)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - size < 3 * one
    assert len(wire[0]["content"]) == 7


def test_data_are_not_copied_for_an_image_that_fits() -> None:
    picture = block(written(noise(900, 700), "PNG", compress_level=0))
    history = MessageHistory().add_user(["q", picture])
    history.for_send(OpenAIResponses())
    tracemalloc.start()
    wire = history.for_send(Anthropic())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert wire[0]["content"][1]["source"]["data"] is picture.source["data"]
    assert peak < 500_000


def test_an_image_from_a_url_of_data_is_scaled_too() -> None:
    url = "data:image/png;base64," + base64.b64encode(written(scene(300, 200), "PNG")).decode()
    export = MessageHistory().add_user(["q", ImageBlock({"type": "url", "url": url})]).export(SMALL)
    source = export.messages[0]["content"][1]["source"]
    assert (source["type"], shown(source["data"]).size) == ("base64", (100, 66))
