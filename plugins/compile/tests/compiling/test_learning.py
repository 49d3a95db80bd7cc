"""What the page of a run counts and shows: pieces, lengths, and the rows that are chosen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import ImageBlock, TextBlock
from message_history_compile import learned_page, learning
from message_history_compile.learned_page import page_of
from message_history_compile.learning import Piece, Sampler, count_pieces, pieces_of
from message_history_compile.targets import TARGETS
from message_history_compile.turns import Call, Turn

CALLS = (Call("c", "f", {"a": 1}, '{"a": 1}'), Call("d", "g", {}, "{}"))
PICTURE = ImageBlock.from_url("https://example.org/a.png")


@pytest.mark.parametrize(
    ("turn", "with_masks", "without_masks"),
    [
        (Turn("user", "a"), ("context", "a"), "context"),
        (Turn("user", "a", synthetic=True), ("synthetic", "a"), "synthetic"),
        (Turn("assistant", "a"), ("learned", "a"), "learned"),
        (Turn("assistant", "a", masked=True), ("masked", "a"), "learned"),
        (Turn("assistant", "a", synthetic=True, masked=True), ("synthetic", "a"), "synthetic"),
        (Turn("tool", "a"), ("context", "a"), "context"),
        (Turn("assistant", "a", reasoning="r"), ("learned", "r\na"), "learned"),
        (Turn("assistant", "", reasoning="r"), ("learned", "r"), "learned"),
        (Turn("assistant", "a", "r", CALLS), ("learned", 'r\na\nf({"a": 1})\ng({})'), "learned"),
        (Turn("assistant", "", calls=CALLS[1:]), ("learned", "g({})"), "learned"),
        (Turn("user", "a", parts=(TextBlock("a"), PICTURE)), ("context", "a\n[ImageBlock]"), "context"),
        (Turn("user", "", parts=(PICTURE, PICTURE)), ("context", "[ImageBlock]\n[ImageBlock]"), "context"),
    ],
    ids=repr,
)
def test_a_turn_is_a_piece_of_its_kind_with_all_that_is_shown(
    turn: Turn, with_masks: tuple[str, str], without_masks: str
) -> None:
    kind, text = with_masks
    assert pieces_of([turn], TARGETS["openai_chat"]) == (Piece(turn.role, kind, text),)
    assert pieces_of([turn], TARGETS["trl"]) == (Piece(turn.role, without_masks, text),)


def test_lengths_are_added_by_kind_and_each_row_counts_once() -> None:
    by_kind: dict[str, int] = {}
    lengths: dict[str, int] = {}
    pieces = [Piece("user", "context", "ab"), Piece("assistant", "learned", "c"), Piece("user", "context", "d")]
    count_pieces(pieces, [2, 1, 1], by_kind, lengths)
    count_pieces(pieces[:2], [2, 1], by_kind, lengths)
    count_pieces(pieces, [2, 1, 1], by_kind, lengths)
    count_pieces([], [], by_kind, lengths)
    assert (by_kind, lengths) == ({"context": 8, "learned": 3}, {"4": 2, "2": 1, "0": 1})


def add(sampler: Sampler, digest: str, codes: str = "", kinds: str = "learned") -> None:
    receipt = {"repairs": [{"code": code} for code in codes.split()]}
    sampler.add(digest, "train", receipt, [Piece("assistant", kind, "x") for kind in kinds.split()])


def chosen(sampler: Sampler) -> list[str]:
    return [each["digest"] for each in sampler.values()]


@pytest.mark.parametrize("order", ["abcdefgh", "hgfedcba", "dhbfagce"])
@pytest.mark.parametrize("is_joined", [False, True])
def test_the_rows_of_the_least_hashes_are_chosen_in_any_order(
    order: str, is_joined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "SAMPLE", 3)
    monkeypatch.setattr(learning, "OF_EACH", 1)
    about = {"d": ("x", "learned"), "e": ("x y", "learned"), "f": ("", "masked"), "g": ("", "synthetic masked")}
    about["h"] = ("z", "context")
    samplers = [Sampler(), Sampler()]
    for n, digest in enumerate(order):
        add(samplers[n % 2 if is_joined else 0], digest, *about.get(digest, ("", "learned")))
    samplers[0].join(samplers[1].values())
    assert chosen(samplers[0]) == ["a", "b", "c", "d", "e", "f", "g", "h"]
    plain = Sampler()
    for digest in order:
        add(plain, digest)
        add(plain, digest)
    assert chosen(plain) == ["a", "b", "c"]


def test_so_many_rows_are_chosen_of_all_and_of_each_kind() -> None:
    sampler, repaired = Sampler(), Sampler()
    for n in range(50):
        add(sampler, f"{n:02}")
        add(repaired, f"{n:02}", "x" if n > 40 else "")
    assert chosen(sampler) == [f"{n:02}" for n in range(30)]
    assert chosen(repaired) == [*(f"{n:02}" for n in range(30)), "41", "42"]


def test_a_row_is_shown_with_all_that_says_where_it_is_from() -> None:
    sampler = Sampler()
    receipt = {"repairs": [], "source": "a"}
    sampler.add("00", "test", receipt, [Piece("user", "context", "x" * 5000)])
    piece = {"role": "user", "kind": "context", "characters": 5000, "text": "x" * 4000 + " …"}
    assert sampler.values() == [{"split": "test", "digest": "00", "receipt": receipt, "pieces": [piece]}]


ROW: dict[str, Any] = {
    "split": "train",
    "receipt": {
        "source": "in.jsonl",
        "byte": 1234,
        "label": "item 7",
        "format": "log",
        "dialect": "anthropic",
        "repairs": [],
    },
    "pieces": [{"role": "assistant", "kind": "learned", "characters": 1500, "text": "<b>"}],
}
VALUES: dict[str, Any] = {
    "rows": {"train": 1500, "test": 500},
    "target": "trl",
    "repaired": 1001,
    "rejected": {"media": 1000, "empty": 234},
    "repairs": {},
    "tokens": {},
    "token_lengths": {},
    "characters": {"learned": 1, "masked": 0, "synthetic": 0, "context": 7},
    "lengths": {"4": 2000},
    "sample": [],
}


def page(**values: Any) -> str:
    return page_of({**VALUES, **values}).decode()


def test_the_page_says_how_much_of_what_is_learned() -> None:
    head = "2,000 rows for trl, 1,001 of them repaired, 1,234 conversations rejected. "
    assert f"<p>{head}12.5% of all characters are learned.</p>" in page()
    in_tokens = page(tokens={"learned": 3, "masked": 0, "synthetic": 0, "context": 1}, token_lengths={"4": 1})
    assert f"<p>{head}75.0% of all tokens are learned.</p>" in in_tokens
    assert [text.count("Tokens of your tokenizer") for text in (page(), in_tokens)] == [0, 1]
    assert [text.count("Lengths of rows in tokens") for text in (page(), in_tokens)] == [0, 1]
    none = dict.fromkeys(VALUES["characters"], 0)
    assert "0.0% of all characters are learned." in page(characters=none)
    assert "100.0% of all characters are learned." in page(characters={**none, "learned": 1})


def test_a_table_shows_each_count_beside_the_largest() -> None:
    shown = page()
    assert '<tr><td>train</td><td class="n">1,500</td><td><meter min="0" max="1500" value="1500">' in shown
    assert '<tr><td>test</td><td class="n">500</td><td><meter min="0" max="1500" value="500">' in shown
    assert "<h2>Repairs, by code</h2><p>None.</p>" in shown
    assert '<td class="n">0</td><td><meter min="0" max="1" value="0">' in page(lengths={"0": 0})
    assert '<td class="n">1</td><td><meter min="0" max="1" value="1">' in page(lengths={"0": 1})


def test_a_row_is_shown_with_its_place_its_repairs_and_its_pieces() -> None:
    repair = {"code": "x", "severity": "minor", "detail": "<i>"}
    shown = page(sample=[ROW, {**ROW, "receipt": {**ROW["receipt"], "byte": None, "repairs": [repair]}}])
    assert "<h2>2 rows of them</h2>" in shown
    assert "<summary>train: in.jsonl byte 1,234 (log, anthropic)</summary>" in shown
    assert "<summary>train: in.jsonl item 7 (log, anthropic)</summary>" in shown
    assert '<li class="repair">x (minor): &lt;i&gt;</li>' in shown
    piece = '<div class="piece learned"><b>assistant · learned · 1,500 characters</b><pre>&lt;b&gt;</pre></div>'
    assert shown.count(piece) == 2


def test_rows_that_need_a_look_come_first_and_the_first_are_unfolded() -> None:
    def shown(name: str, kind: str, *repairs: Any) -> dict[str, Any]:
        receipt = {**ROW["receipt"], "source": name, "repairs": list(repairs)}
        return {**ROW, "receipt": receipt, "pieces": [*ROW["pieces"], {**ROW["pieces"][0], "kind": kind}]}

    repair = {"code": "x", "severity": "minor", "detail": ""}
    kinds = {"a": "learned", "b": "masked", "c": "context", "d": "synthetic", "e": "learned"}
    text = page(sample=[*(shown(name, kind) for name, kind in kinds.items()), shown("f", "learned", repair)])
    folds = text.split("<details")[1:]
    assert [fold.partition("train: ")[2][0] for fold in folds] == ["b", "d", "f", "a", "c", "e"]
    assert [fold.startswith(" open") for fold in folds] == [True, True, True, False, False, False]


def test_the_page_names_its_kinds_and_runs_nothing() -> None:
    shown = page()
    for kind, words in learned_page._WORDS.items():
        assert f'<li class="piece {kind}">{words}</li>' in shown
    assert shown.startswith('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">')
    assert "content=\"default-src 'none'; style-src 'sha256-" in shown
    assert shown.endswith("</body></html>\n")
    assert json.dumps(VALUES)
