"""What each target writes of a turn with media, thinking, marks, calls and errors; columns next to a conversation."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from message_history import ImageBlock, MessageHistory, TextBlock
from message_history_compile.columns import check_columns, images_of, with_images, with_lists
from message_history_compile.errors import CannotCompileError
from message_history_compile.targets import TARGETS
from message_history_compile.targets.base import NO_SETTINGS, Sample
from message_history_compile.targets.forms import (
    calls_as_text,
    join_results,
    single_calls,
    system_first,
    system_in_user,
    text_apart,
    user_in_results,
    without_text,
)
from message_history_compile.turns import Call, Turn, turns_of

LINK = ImageBlock({"type": "url", "url": "https://example.org/a.png"})
TYPED = ImageBlock({"type": "url", "url": "https://example.org/a.gif", "media_type": "image/gif"})
BYTES = ImageBlock({"type": "base64", "media_type": "image/gif", "data": "aGk="})
BARE = ImageBlock({"type": "base64", "data": "aGk="})
NAMED = ImageBlock({"type": "file", "file_id": "f"})
CALL = Call("c", "f", {"a": 1}, '{"a": 1}')
OTHER = Call("d", "g", {}, "{}")


def row(target: str, *turns: Turn, **about: Any) -> dict[str, Any]:
    return TARGETS[target].row(Sample(id="i", turns=list(turns), **about), NO_SETTINGS)


def shown(*blocks: Any) -> Turn:
    return Turn("user", "a", parts=(TextBlock("a"), *blocks))


@pytest.mark.parametrize(
    ("target", "block", "written"),
    [
        ("atif", LINK, {"type": "image", "source": {"media_type": "image/png", "path": "https://example.org/a.png"}}),
        ("atif", TYPED, {"type": "image", "source": {"media_type": "image/gif", "path": "https://example.org/a.gif"}}),
        ("atif", BYTES, "an image that is not at a URL"),
        ("openai_chat", LINK, {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
        ("openai_chat", BYTES, {"type": "image_url", "image_url": {"url": "data:image/gif;base64,aGk="}}),
        ("openai_chat", BARE, {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}),
        ("openai_chat", NAMED, "an image that only its provider can find"),
        ("inspect", LINK, {"type": "image", "image": "https://example.org/a.png"}),
        ("inspect", NAMED, "an image that only its provider can find"),
        ("bedrock", BYTES, {"image": {"format": "gif", "source": {"bytes": "aGk="}}}),
        ("bedrock", LINK, "an image that is not there in bytes"),
        ("anthropic", LINK, {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
    ],
)
def test_an_image_is_written_next_to_its_text_or_has_no_form(target: str, block: ImageBlock, written: Any) -> None:
    if isinstance(written, str):
        with pytest.raises(CannotCompileError) as caught:
            row(target, shown(block))
        assert (caught.value.code, caught.value.why) == ("media", written)
        return
    made = row(target, shown(block))
    (message,) = made["steps" if target == "atif" else "input" if target == "inspect" else "messages"]
    text = {"text": "a"} if target == "bedrock" else {"type": "text", "text": "a"}
    assert message["message" if target == "atif" else "content"] == [text, written]


def test_steps_of_atif_have_marks_and_results() -> None:
    turns = (
        Turn("system", "s"),
        Turn("assistant", "a", "r", (CALL,), masked=True),
        Turn("tool", "x", call_id="c", is_error=True, synthetic=True),
        Turn("tool", "y", call_id="d"),
        Turn("assistant", "b", synthetic=True, masked=True),
        Turn("assistant", "c"),
    )
    assert row("atif", *turns, agent="log", tools=[{"t": 1}]) == {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "log", "version": "unknown", "tool_definitions": [{"t": 1}]},
        "steps": [
            {"step_id": 1, "source": "system", "message": "s"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "a",
                "reasoning_content": "r",
                "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {"a": 1}}],
                "extra": {"train": False},
                "observation": {
                    "results": [
                        {
                            "source_call_id": "c",
                            "content": "x",
                            "extra": {"is_error": True, "synthetic": True, "train": False},
                        },
                        {"source_call_id": "d", "content": "y"},
                    ]
                },
            },
            {"step_id": 3, "source": "agent", "message": "b", "extra": {"synthetic": True, "train": False}},
            {"step_id": 4, "source": "agent", "message": "c"},
        ],
    }
    assert row("atif", Turn("user", "q"))["agent"] == {"name": "unknown", "version": "unknown"}


def test_messages_of_inspect_have_thinking_errors_and_marks() -> None:
    turns = (
        Turn("user", "q"),
        Turn("assistant", "a", "r", (CALL,), masked=True),
        Turn("tool", "x", call_id="c", name="f", is_error=True),
        Turn("tool", "y", call_id="d", name="g"),
    )
    thinking = {"type": "reasoning", "reasoning": "r"}
    wanted = [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": [thinking, {"type": "text", "text": "a"}],
            "train": False,
            "tool_calls": [{"id": "c", "function": "f", "arguments": {"a": 1}, "type": "function"}],
        },
        {
            "role": "tool",
            "content": "x",
            "tool_call_id": "c",
            "function": "f",
            "error": {"type": "unknown", "message": "x"},
        },
        {"role": "tool", "content": "y", "tool_call_id": "d", "function": "g"},
    ]
    assert row("inspect", *turns, Turn("assistant", "b", "t")) == {"input": wanted, "target": "b"}
    for last in (Turn("assistant", "b", masked=True), Turn("assistant", "b", calls=(CALL,)), Turn("user", "b")):
        made = row("inspect", *turns, last)
        assert (len(made["input"]), made["target"]) == (5, "")
    assert row("inspect", Turn("assistant", "b"))["target"] == ""


def test_bedrock_and_anthropic_join_what_one_side_says() -> None:
    turns = (
        Turn("system", "s"),
        Turn("user", "q"),
        Turn("assistant", "", "r", (CALL, OTHER)),
        Turn("tool", "", call_id="c", is_error=True),
        Turn("tool", "y", call_id="d"),
        Turn("user", "go"),
        Turn("assistant", "b"),
    )
    tools = [
        {"function": {"name": "f", "description": text, "parameters": {"type": "object"}}} for text in ("", "Does.")
    ]
    made = row("bedrock", *turns, tools=tools)
    schema = {"json": {"type": "object"}}
    assert made["toolConfig"]["tools"] == [
        {"toolSpec": {"name": "f", "inputSchema": schema}},
        {"toolSpec": {"name": "f", "inputSchema": schema, "description": "Does."}},
    ]
    assert made["system"] == [{"text": "s"}]
    assert made["messages"] == [
        {"role": "user", "content": [{"text": "q"}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "r"}}},
                {"toolUse": {"toolUseId": "c", "name": "f", "input": {"a": 1}}},
                {"toolUse": {"toolUseId": "d", "name": "g", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "c", "content": [{"text": ""}], "status": "error"}},
                {"toolResult": {"toolUseId": "d", "content": [{"text": "y"}]}},
                {"text": "go"},
            ],
        },
        {"role": "assistant", "content": [{"text": "b"}]},
    ]
    made = row("anthropic", *turns, tools=tools[:1])
    assert (made["system"], made["tools"]) == (
        "s",
        [{"name": "f", "description": "", "input_schema": {"type": "object"}}],
    )
    assert made["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c", "content": "", "is_error": True},
        {"type": "tool_result", "tool_use_id": "d", "content": "y"},
        {"type": "text", "text": "go"},
    ]
    assert set(row("anthropic", Turn("user", "q"))) == {"messages"}
    assert set(row("bedrock", Turn("user", "q"))) == {"schemaVersion", "messages"}


def test_openai_shortens_what_is_longer_than_40_characters_only() -> None:
    made = row("openai_chat", Turn("assistant", calls=(Call("x" * 40, "f", {}, "{}"), Call("y" * 41, "g", {}, "{}"))))
    (message,) = made["messages"]
    assert [call["id"] for call in message["tool_calls"]] == ["x" * 40, "call_shortened_0"]
    assert (set(message), message["weight"], set(made)) == ({"role", "tool_calls", "weight"}, 1, {"messages"})
    for name, is_taken in (("a" * 64, True), ("a" * 65, False), ("", False)):
        turn = Turn("assistant", calls=(Call("x", name, {}, "{}"),))
        if is_taken:
            row("openai_chat", turn)
        else:
            with pytest.raises(CannotCompileError, match="OpenAI refuses the tool name"):
                row("openai_chat", turn)


def test_changes_of_turns_keep_what_they_do_not_change() -> None:
    one, two = Turn("tool", "x", call_id="c"), Turn("tool", "y", call_id="d", synthetic=True)
    called = Turn("assistant", "a", "r", (CALL, OTHER), parts=(TextBlock("a"), LINK))
    first, second = called._replace(calls=(CALL,)), Turn("assistant", calls=(OTHER,))
    assert single_calls([called, one, two, Turn("user", "u")]) == [first, one, second, two, Turn("user", "u")]
    assert single_calls([called, one, Turn("user", "u")]) == [first, one, second, Turn("user", "u")]
    assert single_calls([first, one]) == [first, one]
    assert join_results([one, two, Turn("user", "u"), Turn("user", "v")], "|") == [
        Turn("tool", "x|y\n\nu\n\nv", call_id="c", synthetic=True)
    ]
    assert user_in_results([Turn("user", "q"), one, Turn("user", "u")]) == [
        Turn("user", "q"),
        one._replace(text="x\n\nu"),
    ]
    assert text_apart([first, one]) == [first._replace(calls=()), first._replace(text="", reasoning=""), one]
    assert text_apart([second]) == [second]
    assert without_text([first, one]) == [first._replace(text=""), one]
    assert system_first([Turn("system", "s"), second, Turn("user", "u")]) == [second, Turn("user", "s\n\nu")]
    assert system_first([Turn("system", "s"), second]) == [Turn("user", "s"), second]
    assert system_first([second]) == [second]


def test_an_image_of_an_assistant_is_a_part_of_its_turn() -> None:
    history = MessageHistory().add_user("q").add_assistant([TextBlock("a"), LINK, TextBlock("b")])
    turns, omissions = turns_of(history)
    assert turns[1].parts == (TextBlock("a"), LINK, TextBlock("b"))
    assert (turns[1].text, omissions) == ("a\n\nb", [])


@pytest.mark.parametrize(
    ("item", "images"),
    [
        ({"images": ["a", "b"]}, ("a", "b")),
        ({"image": "a"}, ("a",)),
        ({"images": [], "image": "b"}, ("b",)),
        ({"images": None}, ()),
        ({}, ()),
        ([1], ()),
    ],
)
def test_images_are_those_of_the_first_column_that_has_some(item: Any, images: tuple[Any, ...]) -> None:
    assert images_of(item) == images


def test_images_are_put_where_users_and_results_say() -> None:
    turns = [
        Turn("user", " <image>a<image> "),
        Turn("assistant", "<image>"),
        Turn("tool", "b<image>"),
        Turn("user", "c"),
    ]
    put = with_images(turns, ["1", "2", "3"])
    urls = [ImageBlock({"type": "url", "url": url}) for url in "123"]
    assert [turn.text for turn in put] == [" a ", "<image>", "b", "c"]
    assert [turn.parts for turn in put] == [
        (urls[0], TextBlock("a"), urls[1]),
        (),
        (TextBlock("b"), urls[2]),
        (),
    ]
    for images in (["1", "2"], ["1"] * 4, ["1", "2", ""], ["1", "2", 3]):
        with pytest.raises(CannotCompileError) as caught:
            with_images(turns, images)
        why = f"the row has {len(images)} images as paths or URLs for 3 places `<image>` in its text"
        assert (caught.value.code, caught.value.why) == ("media", why)


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ('[{"role": "user"}]', True),
        (' [ {"from": "a"}]', True),
        ('[{"role": 1}, {"a": 1}]', False),
        ('[{"role": 1}, 2]', False),
        ('[{"role"', False),
        ("[1]", False),
        (7, False),
    ],
)
def test_only_a_list_of_messages_as_text_becomes_one(text: Any, is_list: bool) -> None:
    item = {"a": 1, "b": text}
    found = with_lists(item)
    assert (found is item) is not is_list
    assert found == ({"a": 1, "b": json.loads(text)} if is_list else item)
    assert with_lists(text) is text


def test_late_system_messages_are_text_of_the_user_before_or_after_them() -> None:
    late = Turn("system", "Hurry.")
    marked = "<system>\nHurry.\n</system>"
    turns = [Turn("system", "s"), Turn("user", "a"), late, Turn("user", "b"), Turn("assistant", "c"), late]
    sample = Sample(id="i", turns=turns)
    joined = Turn("user", f"a\n\n{marked}\n\nb")
    assert system_in_user(sample) == [joined, Turn("assistant", "c"), Turn("user", marked)]
    assert [(each.code.value, each.index, each.detail) for each in sample.omissions] == [
        ("rewritten", place, "a late system message as marked text of the user's turn") for place in (1, 4)
    ]
    plain = Sample(id="i", turns=turns[:2])
    assert (system_in_user(plain), plain.omissions) == ([turns[1]], [])


def test_calls_as_text_have_the_tags_of_hermes() -> None:
    tools = [{"é": 1}, {"b": 2}]
    defined = '<tools>\n{"é": 1}\n{"b": 2}\n</tools>'
    turns = [
        Turn("system", "s"),
        Turn("user", "q"),
        Turn("assistant", "a", calls=(CALL, Call("d", "ü", {"é": 1}, "{}"))),
        Turn("tool", "x", synthetic=True),
        Turn("tool", "y"),
        Turn("user", "u"),
        Turn("assistant", "b"),
    ]
    called = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n'
    called += '<tool_call>\n{"name": "ü", "arguments": {"é": 1}}\n</tool_call>'
    results = "<tool_response>\nx\n</tool_response>\n\n<tool_response>\ny\n</tool_response>\n\nu"
    rest = [
        Turn("user", "q"),
        Turn("assistant", f"a\n{called}"),
        Turn("user", results, synthetic=True),
        Turn("assistant", "b"),
    ]
    assert calls_as_text(turns, tools) == [Turn("system", f"s\n\n{defined}"), *rest]
    assert calls_as_text(turns[1:], tools) == [Turn("system", defined), *rest]
    assert calls_as_text(turns, []) == [turns[0], *rest]


READ: Any = SimpleNamespace(
    file=SimpleNamespace(system="Be short.", entries=({"content": ["one", {"text": "two"}]}, ("three",))), tools=()
)
WITH_TOOLS: Any = SimpleNamespace(file=READ.file, tools=({"name": "f"},))


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"audio": "x"}, "the column `audio`, which no target has a place for"),
        ({"videos": []}, None),
        ({"videos": ["x"], "role": "user"}, None),
        ([1], None),
        ({"tools": "[]"}, None),
        ({"tools": '[{"name": "f"}]'}, "the column `tools` would be lost"),
        ({"functions": "no JSON"}, "the column `functions` would be lost"),
        ({"function": " "}, None),
        ({"function": [1]}, "the column `function` would be lost"),
        ({"system": "Be short. "}, None),
        ({"output": "two", "input": "three", "answer": "one"}, None),
        ({"output": "four"}, "the column `output` would be lost"),
        ({"output": " ", "input": None, "answer": ["x"]}, None),
        ({"chosen": "Human: one\n\nAssistant: two"}, None),
        ({"chosen": "Human: one\n\nAssistant: no"}, "the column `chosen` would be lost"),
        ({"source": "web"}, None),
    ],
    ids=repr,
)
def test_a_column_is_read_or_rejects_its_row(item: Any, why: str | None) -> None:
    check_columns(item, [])
    if why is None:
        check_columns(item, [READ])
        return
    with pytest.raises(CannotCompileError) as caught:
        check_columns(item, [READ])
    assert caught.value.why == why
    assert caught.value.code == ("media" if "place" in why else "column")
    if "unction" in why or "tools" in why:
        check_columns(item, [READ, WITH_TOOLS])


FLAGS = {
    "openai_chat": "learns masks",
    "bedrock": "learns thinking",
    "bedrock-claude": "learns",
    "anthropic": "learns",
    "trl": "learns thinking",
    "chat-template": "learns thinking needs_template",
    "sharegpt-llama-factory": "learns thinking",
    "sharegpt-axolotl": "learns masks thinking",
    "atif": "masks tells thinking",
    "inspect": "masks thinking",
    "parquet": "masks tells thinking arrow",
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_has_a_place_for_what_it_has(name: str) -> None:
    flags = ("learns", "masks", "tells", "thinking", "arrow", "needs_template")
    assert [flag for flag in flags if getattr(TARGETS[name], flag)] == FLAGS[name].split()
