"""What a plan decides, and what tells it from another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from message_history_compile.plan import Plan
from message_history_compile.targets.base import Settings

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "8" + "0" * 63


@pytest.mark.parametrize(
    ("split", "digest", "name"),
    [
        ((), DIGEST, "train"),
        ((("a", 0.5),), DIGEST, "train"),
        ((("a", 0.5),), "7" + "f" * 63, "a"),
        ((("a", 0.25), ("b", 0.25)), "4" + "0" * 63, "b"),
        ((("a", 0.25), ("b", 0.25)), "3" + "f" * 63, "a"),
        ((("a", 0.25), ("b", 0.25)), DIGEST, "train"),
        ((("a", 0.25), ("b", 0.25)), "7" + "f" * 63, "b"),
        ((("a", 1 / 16**12),), "0" * 12 + "f" * 52, "a"),
        ((("a", 1 / 16**12),), "0" * 11 + "1" + "0" * 52, "train"),
    ],
)
def test_the_first_48_bits_of_a_hash_choose_the_split(
    split: tuple[tuple[str, float], ...], digest: str, name: str
) -> None:
    chosen = Plan(target="trl", split=split)
    assert chosen.split_of(digest) == name
    assert chosen.splits == ("train", *(each for each, _ in split))


@pytest.mark.parametrize(
    ("split", "is_taken"),
    [
        ((("test", 0.5), ("check", 0.25)), True),
        ((("test", 0.5), ("check", 0.5)), False),
        ((("test", 0.5), ("check", 0.75)), False),
        ((("test", 0),), False),
        ((("test", 1),), False),
        ((("train", 0.5),), False),
        ((("no name", 0.5),), False),
        ((("a", 0.1), ("", 0.5)), False),
    ],
)
def test_a_split_has_names_and_leaves_something_to_train_on(split: Any, is_taken: bool) -> None:
    if is_taken:
        assert Plan(target="trl", split=split).split == split
    else:
        with pytest.raises(ValueError, match=r"^split "):
            Plan(target="trl", split=split)


def test_a_plan_is_told_from_another_by_each_of_its_choices(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    usual = {
        "target": "trl",
        "settings": [None, []],
        "thinking": True,
        "synthetic": None,
        "media": "reject",
        "text_with_calls": True,
        "single_calls": False,
        "split": [],
        "dedupe": False,
        "tokenizer": None,
        "dialect": None,
        "format": None,
    }
    assert Plan(target="trl").fingerprint() == usual
    settings = Settings(template="x", tokens=(("bos_token", "<s>"),))
    written = Plan(target="chat-template", settings=settings, split=(("test", 0.5),)).fingerprint()
    hashed = hashlib.sha256(b"x").hexdigest()
    about = {"settings": [hashed, [["bos_token", "<s>"]]], "split": [["test", 0.5]]}
    assert written == {**usual, "target": "chat-template", **about}
    empty = Settings(template="")
    assert Plan(target="trl", settings=empty).fingerprint()["settings"] == [hashlib.sha256(b"").hexdigest(), []]


@pytest.mark.parametrize(
    ("target", "synthetic", "drops"),
    [
        ("trl", None, True),
        ("parquet", None, False),
        ("atif", None, False),
        ("atif", "drop", True),
        ("trl", "mask", False),
        ("trl", "reject", False),
    ],
)
def test_calls_without_a_result_are_dropped_where_nothing_marks_them(target: str, synthetic: Any, drops: bool) -> None:
    assert Plan(target=target, synthetic=synthetic).drops_unanswered is drops
