"""The turns that rows are written from: what is in each, and what is told of what is not."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from message_history import ImageBlock, MessageHistory, TextBlock, ThinkingBlock, ToolUseBlock
from message_history.core.messages.blocks import RedactedThinkingBlock
from message_history.core.messages.message import is_plain
from message_history_compile import masks
from message_history_compile import turns as making
from message_history_compile.targets.forms import short_ids, user_in_results
from message_history_compile.turns import Call, Turn, join_users, turns_of

PICTURE = ImageBlock.from_url("https://example.org/a.png")
THOUGHT, BLANK, HIDDEN = ThinkingBlock("Hm.", "s"), ThinkingBlock("", "s"), RedactedThinkingBlock("x")


@pytest.mark.parametrize(
    ("thinking", "reasoning", "told"),
    [
        (True, "Hm.", [("thinking without a text", (BLANK,)), ("thinking without a text", (HIDDEN,))]),
        (False, "", [("thinking", (THOUGHT,)), ("thinking", (BLANK,)), ("thinking", (HIDDEN,))]),
    ],
)
def test_thinking_is_in_the_row_or_told(thinking: bool, reasoning: str, told: list[object]) -> None:
    history = MessageHistory().with_system("S").add_user("hi").add_assistant([THOUGHT, BLANK, HIDDEN, TextBlock("x")])
    (system, _, reply), omissions = turns_of(history, thinking=thinking)
    assert (system.role, system.text) == ("system", "S")
    assert (reply.text, reply.reasoning, reply.parts) == ("x", reasoning, ())
    assert [(each.detail, each.removed) for each in omissions] == told
    assert {each.index for each in omissions} == {1}


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("order", sorted(set(permutations("aap"))), ids="".join)
def test_a_picture_among_texts_is_a_part_in_its_place(role: str, order: tuple[str, ...]) -> None:
    blocks = [PICTURE if kind == "p" else TextBlock(f"{kind}{n}") for n, kind in enumerate(order)]
    history = MessageHistory().add_user("hi")
    history = MessageHistory().add_user(blocks) if role == "user" else history.add_assistant(blocks)
    turn = turns_of(history)[0][-1]
    assert turn.parts == tuple(blocks)
    assert turn.text == "\n\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def test_texts_alone_are_no_parts() -> None:
    turns, _ = turns_of(MessageHistory().add_user("hi").add_assistant([TextBlock("a"), THOUGHT, TextBlock("b")]))
    assert turns[-1] == Turn("assistant", "a\n\nb", "Hm.")


def test_user_text_after_results_is_in_the_last_of_them() -> None:
    turns = [Turn("tool", "1"), Turn("tool", "2"), Turn("user", "go"), Turn("user", "on"), Turn("assistant", "ok")]
    assert user_in_results([Turn("user", "hi"), *turns]) == [
        Turn("user", "hi"), Turn("tool", "1"), Turn("tool", "2\n\ngo\n\non"), Turn("assistant", "ok"),
    ]  # fmt: skip


def test_without_a_system_prompt_there_is_no_turn_for_one() -> None:
    turns, omissions = turns_of(MessageHistory().add_user("hi"))
    assert (turns, omissions) == ([Turn("user", "hi")], [])


def test_a_turn_of_which_nothing_is_left_is_told_and_its_neighbours_are_joined() -> None:
    history = MessageHistory().add_user("one").add_assistant([HIDDEN]).add_user("two").add_assistant("ok")
    turns, omissions = turns_of(history)
    assert turns == [Turn("user", "one\n\ntwo"), Turn("assistant", "ok")]
    assert [each.detail for each in omissions] == [
        "thinking without a text",
        "a message of the role assistant of which nothing is left",
    ]


def test_neighbours_that_are_no_users_are_not_joined() -> None:
    history = MessageHistory().add_user("hi").add_assistant("a").add_user([HIDDEN]).add_assistant("b")
    turns, omissions = turns_of(history)
    assert turns == [Turn("user", "hi"), Turn("assistant", "a"), Turn("assistant", "b")]
    assert [each.detail for each in omissions] == ["thinking in a user message"]


def test_results_stay_apart_where_a_turn_is_left_out() -> None:
    calls = [ToolUseBlock("a", "f", {}), ToolUseBlock("b", "f", {})]
    history = MessageHistory().add_user("hi").add_assistant(calls).add_tool_result("a", "1").add_tool_result("b", "2")
    turns, _ = turns_of(history.add_assistant([HIDDEN]).add_user("x"))
    assert [(turn.role, turn.text) for turn in turns[2:]] == [("tool", "1"), ("tool", "2"), ("user", "x")]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_users_are_joined_with_all_they_hold(first: bool, second: bool) -> None:
    one, two = (TextBlock("a"), PICTURE), (TextBlock("b"), PICTURE)
    joined = join_users(Turn("user", "a", parts=one * first), Turn("user", "b", parts=two * second))
    assert joined.text == "a\n\nb"
    texts = [part.text for part in joined.parts if isinstance(part, TextBlock)]
    assert (texts, joined.parts.count(PICTURE)) == (["a", "b"] if first or second else [], first + second)


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (False, False)])
def test_users_of_whom_one_is_synthetic_are_so_when_joined(first: bool, second: bool) -> None:
    joined = join_users(Turn("user", "a", synthetic=first), Turn("user", "b", synthetic=second))
    assert joined.synthetic is (first or second)


CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "caf\ud83d\ude00 \ud800"},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"n": 1E5, "m": "\\u00e9"}'}},
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}, "synthetic": True},
        ],
        "weight": 0,
    },
    {"role": "tool", "tool_call_id": "a", "name": "f", "content": [{"type": "text", "text": t} for t in "xy"]},
    {"role": "tool", "tool_call_id": "b", "name": "g", "content": "", "synthetic": True},
    {"role": "assistant", "content": "done", "synthetic": True},
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "RXJr"},
            {"type": "thinking", "thinking": " ", "signature": "RXJr"},
            {"type": "text", "text": "a", "train": False},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"é": [1.5, None]}, "caller": {"type": "direct"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": t} for t in "xy"]},
            {"type": "text", "text": "go", "synthetic": True},
            {"type": "text", "text": "on"},
        ],
    },
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "Ah.", "signature": "RXJr"}]},
]


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("raw", [CHAT, MESSAGES])
def test_a_plain_content_gives_the_turns_of_its_blocks(
    raw: list[dict[str, Any]], thinking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = MessageHistory.from_list(raw)
    assert any(map(is_plain, history))
    found = turns_of(history, thinking=thinking)
    assert {turn.role for turn in found[0]} >= {"user", "assistant", "tool"}
    monkeypatch.setattr(making, "is_plain", lambda _: False)
    monkeypatch.setattr(masks, "is_plain", lambda _: False)
    assert turns_of(history, thinking=thinking) == found


def test_short_ids_are_numbered_in_the_order_of_the_calls_and_results_follow_them() -> None:
    def calls(*ids: str) -> Turn:
        return Turn("assistant", "", calls=tuple(Call(id, "f", {}, "{}") for id in ids))

    turns = [calls("a", "b"), *(Turn("tool", call_id=id) for id in "ba"), calls("a"), Turn("tool", call_id="a")]
    changed = short_ids([*turns, Turn("tool", call_id="b")])
    made = [[call.id for call in turn.calls] or turn.call_id for turn in changed]
    assert made == [
        ["aaaaaaaaa", "aaaaaaaab"], "aaaaaaaab", "aaaaaaaaa", ["aaaaaaaac"], "aaaaaaaac", "b"
    ]  # fmt: skip


@pytest.mark.parametrize("order", sorted(set(permutations(("user", "user", "system", "tool")))))
def test_what_users_tools_and_the_system_say_between_two_replies_stays_in_its_order(order: tuple[str, ...]) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    between = [{"role": role, "content": f"{role} {n}"} for n, role in enumerate(order)]
    between = [{**each, "tool_call_id": "1"} if each["role"] == "tool" else each for each in between]
    reply = {"role": "assistant", "content": None, "tool_calls": [call]}
    history = MessageHistory.from_list([{"role": "user", "content": "q"}, reply, *between])
    turns, omissions = turns_of(history)
    first = [each["content"] for each in between if each["role"] == "tool"]
    words = "\n\n".join(turn.text for turn in turns[2:])
    assert words == "\n\n".join([*first, *(each["content"] for each in between if each["role"] != "tool")])
    assert [turn.role for turn in turns[2:]].count("system") == 1
    assert omissions == []


ASKED = MessageHistory().add_user("q").add_assistant(ToolUseBlock("1", "rm", {"a": 1}))
RENAMED = MessageHistory.from_list(
    [
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"n": n}} for n in "ab"],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": words} for words in "xy"]},
    ]
)
APPROVED = MessageHistory.from_list(
    [
        {"role": "user", "content": "q"},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
    ]
)


def answered(**decision: Any) -> MessageHistory:
    history = ASKED.record_call(ASKED.awaiting[0], "approved", **decision)
    return history.add_tool_result(history.awaiting[0], "gone").add_assistant("so")


@pytest.mark.parametrize("are_plain", [True, False])
@pytest.mark.parametrize(
    ("history", "ours"),
    [
        (answered(by="Ann"), []),
        (answered(input={"a": 2}), ["tool"]),
        (ASKED.add_user("on").add_assistant("so"), ["tool"]),
        (ASKED.record_call(ASKED.awaiting[0], "denied").add_user("on").add_assistant("so"), ["tool"]),
        (MessageHistory.from_list([{"role": "assistant", "content": "so"}]), ["user"]),
        (RENAMED, []),
        (APPROVED, ["tool"]),
    ],
)
def test_what_people_decided_and_what_was_renamed_was_not_written_by_the_library(
    history: MessageHistory, ours: list[str], are_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not are_plain:
        monkeypatch.setattr(making, "is_plain", lambda _: False)
        monkeypatch.setattr(masks, "is_plain", lambda _: False)
    for each in (history, MessageHistory.from_list(history.to_list())):
        turns, _ = turns_of(each)
        assert [turn.role for turn in turns if turn.synthetic] == ours
        assert all(turn.train for turn in turns if turn.role == "assistant")
