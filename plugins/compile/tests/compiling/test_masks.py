"""What must not be learned is not learned: through every target and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from compiling.conversations import call, compile_all, compile_one, reason_of, result, row_of
from message_history_compile import Plan, compile_files
from message_history_compile.masks import may_hold_masks
from message_history_compile.rows import Rejected, Row
from message_history_compile.targets import TARGETS

if TYPE_CHECKING:
    from pathlib import Path

LINES = [name for name, target in TARGETS.items() if not target.needs_template]
MASKED, LEARNED, LATER = "It is blue, I guess.", "It is green.", "It is red, no doubt."


def chat(role: str, content: Any, **keys: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **keys}


def masked(*, first: bool = True, **keys: Any) -> dict[str, Any]:
    """Make a conversation of which one reply must not be learned: the first, or the last."""
    last: dict[str, Any] = {} if first else keys
    return {
        "messages": [
            chat("user", "Which colour?"),
            chat("assistant", MASKED if first else LEARNED, **(keys if first else {})),
            chat("user", "Sure?"),
            chat("assistant", LEARNED if first else LATER, **last),
        ]
    }


def learned(target: str, row: dict[str, Any]) -> str:
    """Return the texts that the target's taker learns from a row, by the marks that it reads and no others."""
    if target == "openai_chat":
        said = [each for each in row["messages"] if each["role"] == "assistant" and each.get("weight", 1)]
    elif target == "sharegpt-axolotl":
        said = [each for each in row["conversations"] if each["train"]]
    elif target == "sharegpt-llama-factory":
        said = [each for each in row["conversations"] if each["from"] in ("gpt", "function_call")]
    elif target == "atif":
        steps = [each for each in row["steps"] if each["source"] == "agent"]
        said = [each for each in steps if each.get("extra", {}).get("train", True)]
    elif target == "inspect":
        said = [row["target"]]
    elif target == "parquet":
        said = [each for each in row["messages"] if each["train"]]
    else:
        said = [each for each in row["messages"] if each["role"] == "assistant"]
    return json.dumps(said)


@pytest.mark.parametrize("mask", [{"weight": 0}, {"train": False}, {"loss": False}, {"loss": 0.0}, {"train": "false"}])
@pytest.mark.parametrize("target", LINES)
def test_a_mask_of_the_input_is_kept_or_the_row_is_rejected(target: str, mask: dict[str, Any]) -> None:
    for first in (True, False):
        made = compile_one(masked(first=first, **mask), target)
        if isinstance(made, Rejected):
            assert (made.code, first) == ("no_mask", True)
            continue
        assert (MASKED if first else LATER) not in learned(target, made.values)
        assert LEARNED in learned(target, made.values) or target == "inspect"


def test_a_weight_is_what_it_was() -> None:
    assert [each.get("weight") for each in row_of(masked(weight=0), "openai_chat")["messages"]] == [None, 0, None, 1]


def test_without_a_mask_a_row_ends_before_what_must_not_be_learned() -> None:
    row = row_of(masked(first=False, weight=0), "trl")
    assert [each["content"] for each in row["messages"]] == ["Which colour?", LEARNED]


def test_marks_of_this_library_are_law_too() -> None:
    ours = {"messages": [chat("user", "a"), chat("assistant", "ours", synthetic=True), *masked()["messages"]]}
    assert [each.get("weight") for each in row_of(ours, "openai_chat")["messages"]] == [None, 0, None, 1, None, 1]


@pytest.mark.parametrize("between", [{"weight": 0.5}, {"training_detail": [{"begin_offset": 0, "train": False}]}])
def test_a_mask_that_no_target_can_say_rejects_the_row(between: dict[str, Any]) -> None:
    assert reason_of(masked(**between), "openai_chat") in ("weight", "mask_of_parts")


def test_a_mask_on_what_is_taken_out_stays() -> None:
    content = [{"type": "text", "text": ""}, call("toolu_1")]
    item = {
        "messages": [
            chat("user", "a"),
            chat("assistant", content, weight=0),
            chat("user", [result("toolu_1", "b")]),
            chat("assistant", "c"),
        ]
    }
    assert [each.get("weight") for each in row_of(item, "openai_chat")["messages"]] == [None, 0, None, 1]


def test_a_mask_that_is_not_found_again_rejects_the_row(tmp_path: Path) -> None:
    item = masked()
    item["messages"].append(chat("assistant", [{"type": "text", "text": "b", "role": "critic", "train": False}]))
    item["meta"] = {"role": "assistant", "weight": 0}
    assert reason_of(item, "openai_chat") == "mask_lost"
    path = tmp_path / "one.json"
    path.write_text(json.dumps(item, indent=1), encoding="utf-8")
    assert compile_files([path], Plan(target="openai_chat"), tmp_path / "out").rejected == {"mask_lost": 1}


@pytest.mark.parametrize("second", LINES)
@pytest.mark.parametrize("first", LINES)
@pytest.mark.parametrize("on_first", [True, False])
def test_a_mask_goes_through_every_target_and_back(first: str, second: str, on_first: bool) -> None:
    made = compile_one(masked(first=on_first, weight=0), first)
    if isinstance(made, Rejected):
        return
    form = {"sharegpt-axolotl": "sharegpt", "sharegpt-llama-factory": "sharegpt", "atif": "atif"}.get(first, "log")
    for again in compile_all(json.loads(made.line), second, format=form):
        text = "" if isinstance(again, Rejected) else learned(second, again.values)
        assert (MASKED if on_first else LATER) not in text


def test_nothing_is_merged_across_a_result_that_no_call_has() -> None:
    said = [chat("user", "Sum?"), chat("assistant", "[f(c=1)]"), chat("tool", "30"), chat("assistant", "It is 30")]
    assert reason_of({"messages": said}, "openai_chat") == "joined"
    blank = [chat("user", "Sum?"), chat("assistant", "Wait."), chat("user", " "), chat("assistant", "It is 30")]
    assert reason_of({"messages": blank}, "openai_chat") == "joined"
    orphan = [chat("user", [result("gone", "x")]), *masked()["messages"]]
    assert isinstance(compile_one({"messages": orphan}, "openai_chat"), Row), "no reply stands before it"


def test_nothing_is_merged_across_a_call_that_is_dropped() -> None:
    said = [
        chat("user", "Sum?"),
        chat("assistant", [{"type": "text", "text": "I look."}, call("toolu_1")]),
        chat("user", [{"type": "text", "text": " "}]),
        chat("assistant", "It is 30"),
    ]
    for item in ({"messages": said}, {"messages": [*said[:2], said[3]]}):
        made = compile_one(item, "openai_chat")
        assert isinstance(made, Rejected) or "It is 30" not in json.dumps(made.values["messages"][:2]), made


@pytest.mark.parametrize("key", ["weight", "train", "loss", "trainable", "loss_weight"])
@pytest.mark.parametrize("text", ['{{"{}": 0}}', '{{"{}" \n: 0}}'])
def test_a_mask_is_looked_for_however_its_key_is_escaped(key: str, text: str) -> None:
    inside = json.dumps({"messages": text.format(key)})
    spellings = [text.format(key), inside]
    for n, letter in enumerate(key):
        escaped = f"{key[:n]}\\u{ord(letter):04x}{key[n + 1 :]}"
        spellings += [text.format(escaped), json.dumps({"messages": text.format(escaped)})]
    spellings += [inside.replace('\\"', f"\\u{ord(mark):04{case}}") for mark, case in (('"', "x"), ('"', "X"))]
    spellings += [inside.replace(":", f"\\u003{digit}") for digit in "aA"]
    assert all(may_hold_masks(each.encode()) for each in spellings)


@pytest.mark.parametrize("text", ["caf\u00e9 \x1b[0m", "the weight: 3", "a loss of weight in training"])
def test_a_text_without_such_a_key_is_not_looked_through(text: str) -> None:
    assert not may_hold_masks(json.dumps({"role": "user", "content": text}).encode())
