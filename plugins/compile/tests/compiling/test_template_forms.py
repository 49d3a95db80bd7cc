"""Turns as messages in the form of a chat template."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

pytest.importorskip("message_history_measure")

from message_history_compile.errors import CannotCompileError
from message_history_compile.template_forms import TemplateForm, first_missing, left_out, written_for
from message_history_compile.turns import Call, Turn

INPUT = {"at": "größer"}
TURNS = (
    Turn("user", "q"),
    Turn("assistant", "I look.", calls=(Call("1", "f", INPUT, json.dumps(INPUT)),), reasoning="Hm."),
    Turn("tool", "r", call_id="1", name="f"),
)


@pytest.mark.parametrize(
    ("thinking", "keys", "content"),
    [
        ("reasoning_content", {"reasoning_content": "Hm."}, "I look."),
        ("thought", {"thought": "Hm."}, "I look."),
        ("<think>", {}, "<think>\nHm.\n</think>\n\nI look."),
        (None, {}, "I look."),
    ],
)
def test_thinking_is_where_the_template_shows_it(thinking: str | None, keys: dict[str, str], content: str) -> None:
    message = written_for(TemplateForm(thinking=thinking), TURNS)[1]
    assert message.pop("content") == content
    assert {key: value for key, value in message.items() if key not in ("role", "tool_calls", "train")} == keys


def test_a_form_is_plain_where_nothing_else_is_asked_for() -> None:
    user, assistant, _ = written_for(TemplateForm(), TURNS)
    assert user == {"role": "user", "content": "q", "train": False}
    assert assistant["reasoning_content"] == "Hm."
    assert assistant["tool_calls"][0]["function"]["arguments"] == INPUT
    user, assistant, _ = written_for(TemplateForm(parts=True, text_arguments=True), TURNS)
    assert user["content"] == [{"type": "text", "text": "q"}]
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"at": "größer"}'


@pytest.mark.parametrize(
    ("text", "missing"), [("q I look. f r", None), ("I look. f r", "user message"), ("q I look. f", "result")]
)
def test_the_first_thing_that_a_template_dropped_is_named(text: str, missing: str | None) -> None:
    assert first_missing(TURNS, text) == missing
    assert first_missing(TURNS, text.replace("f", "")) in ("call", missing)


def test_what_else_a_template_dropped_is_told_with_its_place() -> None:
    tools: list[dict[str, Any]] = [{"function": {"name": name}} for name in ("f", "g", "h")]
    found = list(left_out(TURNS, tools, "f"))
    assert [place for place, _ in found] == [1, 0]
    assert found[1][1].endswith(": g, h")
    assert list(left_out(TURNS, tools, "Hm. f g h")) == []


def test_why_there_is_no_row_goes_from_one_process_to_another() -> None:
    error = pickle.loads(pickle.dumps(CannotCompileError("media", "no place")))
    assert (error.code, error.why, str(error)) == ("media", "no place", "no place")
