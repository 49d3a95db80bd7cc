"""The page that shows what a model will learn."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from compiling.conversations import agent, bytes_in, crashed, write_lines
from compiling.test_masks import LEARNED, MASKED, masked
from message_history_compile.learning import LONGEST, OF_EACH, SAMPLE, Piece, bucket
from message_history_compile.plan import Plan
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from pathlib import Path

OPENAI = Plan(target="openai_chat", synthetic="mask")
EVIL = "<script>alert(1)</script>"


class Pieces(HTMLParser):
    """Reads the texts of a page by the class of the element that they stand in."""

    def __init__(self) -> None:
        super().__init__()
        self.classes: list[str] = []
        self.texts: dict[str, str] = {}
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "div":
            self.classes.append(str(dict(attrs)["class"]).removeprefix("piece "))

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self.classes.pop()

    def handle_data(self, data: str) -> None:
        kind = self.classes[-1] if self.classes else ""
        self.texts[kind] = self.texts.get(kind, "") + data


def learned(folder: Path) -> tuple[Pieces, dict[str, Any]]:
    page = Pieces()
    page.feed((folder / "learned.html").read_text(encoding="utf-8"))
    return page, json.loads((folder / "learned.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("length", [0, LONGEST, LONGEST + 1])
def test_a_piece_shows_its_first_4000_characters(length: int) -> None:
    shown = Piece("user", "context", "a" * length).values()
    assert shown["characters"] == length
    assert shown["text"] == "a" * min(length, 4000) + (" …" if length > 4000 else "")


def test_every_piece_is_of_the_class_that_it_is_to_the_trainer(tmp_path: Path) -> None:
    evil = {"messages": [{"role": "user", "content": EVIL}, {"role": "assistant", "content": "No."}]}
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed(), masked(weight=0), evil, {"messages": []}])
    compile_files([path], OPENAI, tmp_path / "out")
    page, values = learned(tmp_path / "out")
    assert (LEARNED in page.texts["learned"], MASKED in page.texts["learned"]) == (True, False)
    assert MASKED in page.texts["masked"]
    assert "No result is recorded" in page.texts["synthetic"]
    assert EVIL in page.texts["context"]
    assert not page.tags & {"script", "iframe", "img", "link", "form"}
    pieces = [piece for row in values["sample"] for piece in row["pieces"]]
    for kind, count in values["characters"].items():
        assert sum(piece["characters"] for piece in pieces if piece["kind"] == kind) == count
    assert sum(values["lengths"].values()) == values["rows"]["train"] == 4
    assert values["rejected"] == {"no_conversation": 1}
    assert "result_stubbed" in page.texts[""]


def test_a_page_has_one_size_and_the_same_bytes_however_the_work_is_cut(tmp_path: Path) -> None:
    rows = [{"messages": [*crashed()["messages"][:-1], {"role": "assistant", "content": f"{n}."}]} for n in range(300)]
    path = write_lines(tmp_path / "in.jsonl", [*rows, *[masked(weight=0)] * 50])
    for name, unit_bytes in (("one", 10_000_000), ("many", 5_000)):
        compile_files([path], OPENAI, tmp_path / name, unit_bytes=unit_bytes)
    one, many = bytes_in(tmp_path / "one"), bytes_in(tmp_path / "many")
    assert one["learned.html"] == many["learned.html"]
    _, values = learned(tmp_path / "one")
    assert SAMPLE <= len(values["sample"]) <= SAMPLE + OF_EACH * len(values["repairs"])


@pytest.mark.parametrize(("length", "name"), [(0, "0"), (1, "1"), (3, "2"), (4, "4"), (1023, "512"), (1024, "1024")])
def test_a_length_is_of_the_power_of_two_below_it(length: int, name: str) -> None:
    assert bucket(length) == name


def test_lengths_are_counted_in_tokens_of_a_tokenizer(tmp_path: Path) -> None:
    tokenizers: Any = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "It": 1, "is": 2}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(tmp_path / "tokenizer.json"))
    said = [{"role": "user", "content": "Which colour is it ?"}, {"role": "assistant", "content": "It is red"}]
    path = write_lines(tmp_path / "in.jsonl", [{"messages": said}] * 3)
    for place in (tmp_path, tmp_path / "tokenizer.json"):
        out = tmp_path / f"out-{place.name}"
        compile_files([path], Plan(target="trl", tokenizer=str(place)), out)
        values = json.loads((out / "learned.json").read_text(encoding="utf-8"))
        assert values["tokens"] == {"learned": 9, "masked": 0, "synthetic": 0, "context": 15}
        assert values["token_lengths"] == {"8": 3}
        assert "37.5% of all tokens are learned" in (out / "learned.html").read_text(encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"name a tokenizer\.json"):
        compile_files([path], Plan(target="trl", tokenizer=str(path.parent / "none")), tmp_path / "no")


def test_the_only_row_with_a_mask_is_shown_first(tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": f"{n}?"}, agent()["messages"][-1]]} for n in range(200)]
    path = write_lines(tmp_path / "in.jsonl", [*rows, masked(weight=0)])
    compile_files([path], OPENAI, tmp_path / "out", unit_bytes=2000)
    page = (tmp_path / "out" / "learned.html").read_text(encoding="utf-8")
    assert MASKED in page[: page.index("</details>")]
