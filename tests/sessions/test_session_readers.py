"""The session files of other programs: read as the conversation that goes on, and repaired line by line."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, TextBlock, ThinkingBlock, ToolUseBlock, check
from message_history.dialects import Anthropic, OpenAIChat, PydanticAI
from message_history.files.files import UnreadableFileError
from message_history.formats.reading import SessionFile, read_session, session_in
from message_history.integrations.strategies import histories
from message_history.storage import JsonlSession
from tests.sessions.foreign import claude_line, claude_lines, codex_line, codex_lines, rows
from tests.sessions.growing import of_length

HI = claude_line("u1", None, "user", "hi")


def rewound(lines: int, *others: str) -> tuple[tuple[str, int], ...]:
    """Say what is omitted: lines that were rewound, and the other lines by their kinds."""
    counts = Counter({"lines of messages that were rewound or compacted": lines}) + Counter(others)
    return tuple(sorted(counts.items()))


def call(id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]


def result(id: str, text: str = "ok") -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": text}]


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def messages_of(file: SessionFile, n: int = 0) -> list[tuple[str, list[str]]]:
    """Give a conversation as roles, and what is said or called or answered."""
    keys = ("text", "id", "tool_use_id", "thinking")
    return [
        (entry["role"], [next(str(item[key]) for key in keys if key in item) for item in entry["content"]])
        for entry in file.conversations[n].file.entries
    ]


def repaired(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Repair a file; what it gives is sound, and repairing it again changes nothing."""
    data = rows(values)
    before = session_in(data)
    after = before.repair_file()
    assert not after.after.violations()
    assert after.after.format is before.format
    assert after.after.repair_file().data == after.data
    assert not [
        each for _, repairs in after.after.repair_file().repairs for each in repairs if each.severity != "lossless"
    ]
    return list(map(json.loads, after.data.splitlines()))


# Claude Code


def test_a_reply_that_was_written_block_by_block_is_one_message() -> None:
    values = [
        {"type": "summary", "summary": "Listing", "leafUuid": "a3"},
        HI,
        claude_line("a1", "u1", "assistant", [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}], id="m1"),
        claude_line("a2", "a1", "assistant", words("I look."), id="m1"),
        claude_line("a3", "a2", "assistant", call("1"), id="m1"),
        claude_line("u2", "a3", "user", result("1"), toolUseResult={"stdout": "ok"}),
        {"type": "system", "subtype": "turn_duration", "uuid": "s1", "parentUuid": "u2", "sessionId": "session"},
        claude_line("a4", "s1", "assistant", words("Done."), id="m2"),
    ]
    file = session_in(rows(values))
    assert file.format.name == "claude-code"
    assert messages_of(file) == [
        ("user", ["hi"]),
        ("assistant", ["hm", "I look.", "1"]),
        ("user", ["1"]),
        ("assistant", ["Done."]),
    ]
    assert file.conversations[0].file.lines == (2, 3, 6, 8)
    assert not file.violations()
    history = file.conversations[0].file.history()
    assert not history.repairs
    assert [type(block) for block in history[1].content] == [ThinkingBlock, TextBlock, ToolUseBlock]
    assert repaired(values) == values


def parallel(*answered: str) -> list[dict[str, Any]]:
    """Give two parallel calls, each linked to the other; the results hang on their calls."""
    return [
        HI,
        claude_line("a1", "u1", "assistant", call("1"), id="m1"),
        claude_line("a2", "a1", "assistant", call("2"), id="m1"),
        *([claude_line("r1", "a1", "user", result("1"))] if "1" in answered else []),
        *([claude_line("r2", "a2", "user", result("2"))] if "2" in answered else []),
        claude_line("a3", "r2" if "2" in answered else "a2", "assistant", words("Done."), id="m2"),
    ]


def test_parallel_calls_leave_results_beside_the_chain() -> None:
    file = session_in(rows(parallel("1", "2")))
    assert messages_of(file)[1:3] == [("assistant", ["1", "2"]), ("user", ["1", "2"])]
    assert not file.violations()
    for there in ("1", "2"):
        broken = parallel(there)
        assert session_in(rows(broken)).violations()
        new = repaired(broken)
        assert messages_of(session_in(rows(new)))[1:3] == [("assistant", ["1", "2"]), ("user", ["1", "2"])]
        assert len(new) == len(broken) + 1
    assert len(repaired(parallel())) == len(parallel()) + 1


@pytest.mark.parametrize("newest", ["1", "2", "3"])
def test_the_parts_of_a_parallel_reply_keep_the_order_of_the_file(newest: str) -> None:
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    values = [
        HI,
        claude_line("a1", "u1", "assistant", thinking, id="m1"),
        claude_line("a2", "a1", "assistant", words("I look."), id="m1"),
        *(claude_line(f"c{n}", "a2", "assistant", call(n), id="m1") for n in "123"),
        *(claude_line(f"r{n}", f"c{n}", "user", result(n)) for n in "123"),
        claude_line("a3", f"r{newest}", "assistant", words("Done."), id="m2"),
    ]
    file = session_in(rows(values))
    assert messages_of(file)[1] == ("assistant", ["hm", "I look.", "1", "2", "3"])
    assert not file.violations()
    assert repaired(values) == values


def test_a_blank_line_before_thinking_is_not_broken_and_stays() -> None:
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
    values = [
        HI,
        claude_line("a1", "u1", "assistant", words("\n\n"), id="m1"),
        claude_line("a2", "a1", "assistant", thinking, id="m1"),
        claude_line("a3", "a2", "assistant", words("Hello."), id="m1"),
    ]
    file = session_in(rows(values))
    assert not file.violations()
    assert not file.conversations[0].file.history().repairs
    assert repaired(values) == values


def test_what_was_rewound_and_what_only_shows_an_error_is_not_in_the_conversation() -> None:
    values = [
        HI,
        claude_line("a1", "u1", "assistant", call("1"), id="m1"),
        claude_line("e1", "a1", "assistant", words("API Error: 400"), isApiErrorMessage=True),
        claude_line("a2", "u1", "assistant", words("Hello."), id="m2"),
        claude_line("u2", "a2", "user", "and?"),
        claude_line("e2", "u2", "assistant", words("API Error: 500"), isApiErrorMessage=True),
    ]
    assert messages_of(session_in(rows(values))) == [("user", ["hi"]), ("assistant", ["Hello."]), ("user", ["and?"])]
    assert session_in(rows(values)).conversations[0].omitted == rewound(
        1, "errors of the API, and messages without content", "errors of the API, and messages without content"
    )
    assert repaired(values) == values


def test_a_note_of_the_program_without_its_parent_ends_no_conversation() -> None:
    talk = [HI, claude_line("a1", "u1", "assistant", words("Hello."), id="m1")]
    note = claude_line("n1", None, "user", "Caveat: what follows was run by the user.", isMeta=True)
    more = claude_line("n2", "n1", "user", "Another.", isMeta=True)
    title = {"type": "custom-title", "customTitle": "A talk", "sessionId": "session"}
    for values in ([*talk, note, title], [*talk, note, more]):
        assert messages_of(session_in(rows(values))) == [("user", ["hi"]), ("assistant", ["Hello."])]
        assert repaired(values) == values
    # What someone says behind it begins a conversation, and a file may hold nothing else.
    asked = claude_line("u2", "n1", "user", "hi again")
    assert messages_of(session_in(rows([*talk, note, asked]))) == [("user", [note["message"]["content"], "hi again"])]
    assert messages_of(session_in(rows([note, more]))) == [("user", [note["message"]["content"], "Another."])]
    behind = claude_line("n3", "a1", "user", "Another.", isMeta=True)
    assert [role for role, _ in messages_of(session_in(rows([*talk, behind])))] == ["user", "assistant", "user"]


def test_sidechains_are_apart() -> None:
    def side(own: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
        return claude_line(own, parent, role, content, **{**more, "isSidechain": True})

    values = [
        HI,
        claude_line("a1", "u1", "assistant", call("1"), id="m1"),
        side("s1", None, "user", "search"),
        side("s2", "s1", "assistant", call("2"), id="m2"),
        side("t1", None, "user", "search too", agentId="agent"),
        claude_line("r1", "a1", "user", result("1")),
        side("t2", "t1", "assistant", words("nothing"), agentId="agent", id="m3"),
    ]
    file = session_in(rows(values))
    assert [each.label for each in file.conversations] == ["", "sidechain s1", "sidechain agent"]
    assert [len(messages_of(file, n)) for n in range(3)] == [3, 2, 2]
    assert [each.label for each, _ in file.violations()] == ["sidechain s1"]
    (new,) = [value for value in repaired(values) if value not in values]
    assert (new["isSidechain"], new["parentUuid"], new["type"]) == (True, "s2", "user")
    alone = session_in(rows([values[2], values[3]]))
    assert messages_of(alone) == [("user", ["search"]), ("assistant", ["2"])]


def test_a_compacted_conversation_begins_with_its_summary() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "parentUuid": None,
        "logicalParentUuid": "a1",
        "sessionId": "session",
    }
    values = [
        HI,
        claude_line("a1", "u1", "assistant", call("1"), id="m1"),
        boundary,
        claude_line("c1", "b1", "user", "so far: nothing", isCompactSummary=True),
        claude_line("a2", "c1", "assistant", words("go on"), id="m2"),
    ]
    assert messages_of(session_in(rows(values))) == [("user", ["so far: nothing"]), ("assistant", ["go on"])]
    values[2] = {**boundary, "compactMetadata": {"preservedSegment": {"headUuid": "u1", "anchorUuid": "c1"}}}
    values.append(claude_line("u3", "a1", "user", result("1")))
    assert [what for _, what in messages_of(session_in(rows(values)))] == [["so far: nothing", "hi"], ["1"], ["1"]]
    assert repaired(values) == values
    one_by_one = {"preservedMessages": {"anchorUuid": "c1", "uuids": ["u1", "u3"]}}
    values = [values[0], {**boundary, "compactMetadata": one_by_one}, *values[3:4]]
    values += [claude_line("u3", "c1", "user", "kept"), claude_line("a4", "u3", "assistant", words("ok"), id="m3")]
    assert [what for _, what in messages_of(session_in(rows(values)))] == [["so far: nothing", "hi", "kept"], ["ok"]]


def test_lines_that_are_not_linked_at_all_are_read_in_a_row() -> None:
    for key in ("parentUuid", "uuid"):
        values = [{**value, key: None} for value in claude_lines(of_length(7)) if "message" in value]
        file = session_in(rows(values))
        assert file.messages == 7
        assert file.conversations[0].omitted == ()


def test_a_line_that_is_lost_costs_no_other() -> None:
    values = claude_lines(of_length(12))
    data = rows(values).splitlines(keepends=True)
    whole = messages_of(session_in(b"".join(data)))
    for n in range(1, len(data)):
        file = session_in(b"".join([*data[:n], data[n][: len(data[n]) // 2] + b"\n", *data[n + 1 :]]))
        assert [note.line for note in file.notes] == [n + 1]
        found = [what for _, part in messages_of(file) for what in part]
        before = [what for _, part in whole for what in part]
        assert len(found) == len(before) - 1
        after = file.repair_file()
        assert not after.after.violations()
        assert not after.after.notes


def test_a_line_without_an_id_is_given_one_when_a_result_must_follow_it() -> None:
    line = claude_line("u1", None, "assistant", call("1"))
    del line["uuid"]
    after = repaired([line])
    assert [value["parentUuid"] for value in after[1:]] == [value["uuid"] for value in after[:-1]]
    assert [value["message"]["content"][0]["type"] for value in after] == ["text", "tool_use", "tool_result"]


REPLY = claude_line("u2", "u1", "assistant", call("1"))
WHOLE = [HI, REPLY, claude_line("u3", "u2", "user", result("1")), claude_line("u4", "u3", "assistant", words("done"))]


@pytest.mark.parametrize("n", range(4))
@pytest.mark.parametrize("at", [1, 2, 4])
def test_a_line_that_is_there_twice_counts_once(n: int, at: int) -> None:
    twice = [*WHOLE[:at], WHOLE[n], *WHOLE[at:]] if n < at else [*WHOLE, WHOLE[n]]
    file = session_in(rows(twice))
    assert messages_of(file) == messages_of(session_in(rows(WHOLE)))
    assert file.repair_file().data == rows(twice)
    assert session_in(rows(WHOLE + WHOLE)).repair_file().data == rows(WHOLE + WHOLE)


def test_a_copy_does_not_bring_back_what_was_mended() -> None:
    both = claude_line("u2", "u1", "user", [*result("9"), *words("and")])
    after = repaired([HI, both, claude_line("u3", "u2", "assistant", words("x")), both])
    assert [value["uuid"] for value in after] == ["u1", "u2", "u3"]
    assert after[1]["message"]["content"] == words("and")


def test_of_two_lines_with_one_id_the_last_message_counts() -> None:
    other = claude_line("u2", "u1", "assistant", words("again"))
    file = session_in(rows([HI, REPLY, other, {"type": "system", "uuid": "u2", "sessionId": "s"}]))
    assert messages_of(file) == [("user", ["hi"]), ("assistant", ["again"])]


def test_what_a_sidechain_lacks_is_put_into_it() -> None:
    main = [HI, claude_line("u2", "u1", "assistant", words("hello"))]
    side = {**claude_line("s2", "s1", "assistant", call("1")), "isSidechain": True}
    data = rows(main) + b"{spoilt\n" + rows([side])
    file = session_in(data)
    after = file.repair_file()
    assert after.data.startswith(rows(main))
    new = list(map(json.loads, after.data.splitlines()))[2:]
    assert [value["isSidechain"] for value in new] == [True, True, True]
    assert {value["sessionId"] for value in new} == {side["sessionId"]}
    assert messages_of(after.after) == messages_of(file)
    assert after.after.repair_file().data == after.data


THOUGHT_OF = [{"type": "thinking", "thinking": "hm", "signature": "sig"}]


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_reply_that_was_cut_off_behind_its_thinking_can_be_sent_again(goes_on: bool) -> None:
    cut = claude_line("u2", "u1", "assistant", THOUGHT_OF)
    behind = [claude_line("u3", "u2", "user", words("go on"))] * goes_on
    assert [found.rule for _, found in session_in(rows([HI, cut, *behind])).violations()] == ["AN-T8"]
    after = repaired([HI, cut, *behind])
    assert after[1]["message"]["content"][0]["type"] == "text"
    (recorded,) = session_in(rows([HI, cut, *behind])).repair_file().repairs
    assert [
        block.thinking for repair in recorded[1] for block in repair.removed if isinstance(block, ThinkingBlock)
    ] == ["hm"]


@pytest.mark.parametrize(
    "content",
    [
        call("1"),
        [*words("x"), 5],
        [*words("x"), None],
        [*words("x"), {"type": "weird"}],
        THOUGHT_OF,
        ["a", *words("x")],
    ],
    ids=["call", "number", "null", "weird", "thinking", "text"],
)
def test_what_the_user_cannot_say_is_mended(content: list[Any]) -> None:
    repaired([HI, claude_line("u2", "u1", "user", content), claude_line("u3", "u2", "assistant", words("x"))])


# Codex


def user(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def assistant(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def function(id: str) -> dict[str, Any]:
    return {"type": "function_call", "name": "shell", "arguments": '{"a": 1}', "call_id": id}


def output(id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": "ok"}


THOUGHT = {"type": "reasoning", "summary": [], "encrypted_content": "YWJj"}
CUSTOM = {"type": "custom_tool_call", "status": "completed", "call_id": "c", "name": "apply_patch", "input": "***"}
SHELL = {"type": "local_shell_call", "call_id": "s", "status": "completed", "action": {"type": "exec", "command": []}}
DEVELOPER = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "rules"}]}


def rollout(*items: dict[str, Any]) -> list[dict[str, Any]]:
    meta = codex_line({"id": "x", "instructions": None}, "session_meta")
    return [meta, *(item if "payload" in item else codex_line(item) for item in items)]


@pytest.mark.parametrize("old", [False, True], ids=["", "as older versions wrote"])
def test_a_sound_rollout_stays_as_it_is(old: bool) -> None:
    items = [DEVELOPER, user("<environment_context>"), user("hi"), THOUGHT, function("1"), function("2"), output("1")]
    items += [output("2"), SHELL, output("s"), CUSTOM, {**output("c"), "type": "custom_tool_call_output"}]
    items += [{"type": "ghost_snapshot"}, THOUGHT, assistant("done")]
    values = rollout(*items) if not old else [{"id": "x", "timestamp": "t", "instructions": None}, *items]
    file = session_in(rows(values))
    assert file.format.name == "codex"
    assert file.conversations[0].dialect().name == "openai_responses"
    assert len(file.conversations[0].file.entries) == len(items) - old
    assert not file.violations()
    assert file.repair_file().data == rows(values)


@pytest.mark.parametrize(
    ("items", "new"),
    [
        ([DEVELOPER, user("hi"), THOUGHT, function("1")], ["function_call_output"]),
        ([user("hi"), function("1"), user("go on"), assistant("ok")], ["function_call_output"]),
        ([user("hi"), CUSTOM, user("go on"), assistant("ok")], ["custom_tool_call_output"]),
        ([user("hi"), SHELL, user("go on"), assistant("ok")], ["function_call_output"]),
        ([user("hi"), output("9"), assistant("ok")], []),
        ([user("hi"), output("1"), function("1"), assistant("ok")], []),
        ([user("hi"), function("1"), output("1"), output("1"), assistant("ok")], []),
    ],
    ids=["open tail", "in the middle", "custom", "shell", "orphan", "before its call", "twice"],
)
def test_a_broken_rollout_is_mended_item_by_item(items: list[dict[str, Any]], new: list[str]) -> None:
    values = rollout(*items)
    assert session_in(rows(values)).violations()
    after = repaired(values)
    assert [value["payload"]["type"] for value in after if value not in values] == new
    assert after[:2] == values[:2]
    assert len(after) == len(values) + len(new) - (items.count(output("9")) or items.count(output("1")) > 1)


def test_a_compacted_rollout_holds_what_takes_its_place() -> None:
    kept = {"message": "sum", "replacement_history": [user("hi"), output("4"), user("sum")]}
    values = rollout(user("hi"), function("1"), codex_line(kept, "compacted"), assistant("x"), function("2"))
    file = session_in(rows(values))
    assert len(file.conversations[0].file.entries) == 5
    after = repaired(values)
    assert after[:3] == values[:3]
    assert after[3]["payload"]["replacement_history"] == [user("hi"), user("sum")]
    assert after[-1]["payload"]["type"] == "function_call_output"
    plain = session_in(rows(rollout(user("hi"), codex_line({"message": "sum"}, "compacted"), user("more"))))
    assert [entry["content"][0]["text"] for entry in plain.conversations[0].file.entries] == ["sum", "more"]


@pytest.mark.parametrize(
    "kept",
    [{"message": ""}, {"message": "", "replacement_history": [user("")]}, {"replacement_history": [output("9")]}],
    ids=["blank", "blank item", "orphan"],
)
def test_mending_does_not_bring_back_what_was_compacted(kept: dict[str, Any]) -> None:
    values = rollout(user("old"), assistant("older"), codex_line(kept, "compacted"), user("new"), function("1"))
    file = session_in(rows(values))
    after = file.repair_file()
    assert after.after.conversations[0].omitted == file.conversations[0].omitted
    assert file.conversations[0].omitted == rewound(2, "lines of type session_meta")
    assert not after.after.violations()
    assert after.after.repair_file().data == after.data
    assert '"old"' in after.data.decode()
    assert "old" not in str(after.after.conversations[0].file.entries)


def test_a_compaction_that_says_nothing_takes_nothing_back() -> None:
    # Codex cannot read such a line, and skips it.
    file = session_in(rows(rollout(user("hi"), assistant("hello"), codex_line({"summary": "sum"}, "compacted"))))
    assert [entry["role"] for entry in file.conversations[0].file.entries] == ["user", "assistant"]
    assert file.conversations[0].omitted == (("lines of type compacted", 1), ("lines of type session_meta", 1))


def test_what_is_new_in_a_compacted_conversation_stands_in_it() -> None:
    kept = {"replacement_history": [assistant("a"), function("1"), user("b")]}
    after = repaired(rollout(user("old"), codex_line(kept, "compacted"), assistant("c")))
    items = after[-2]["payload"]["replacement_history"]
    assert [item["type"] for item in items] == [
        "message",
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]
    assert after[-1]["payload"] == assistant("c")


def test_items_that_were_written_twice_are_mended() -> None:
    items = [user("hi"), function("1"), output("1"), assistant("x")]
    file = session_in(rows([*rollout(*items), *rollout(*items)]))
    assert {found.rule for _, found in file.violations()} == {"DS-16"}
    after = file.repair_file()
    assert not after.after.violations()
    assert after.after.messages == file.messages
    assert after.after.repair_file().data == after.data


def test_turns_that_were_rolled_back_are_not_in_the_conversation() -> None:
    back = codex_line({"type": "thread_rolled_back", "num_turns": 1}, "event_msg")
    items = [
        user("<environment_context>"),
        user("hi"),
        assistant("x"),
        user("more"),
        function("1"),
        back,
        user("other"),
    ]
    file = session_in(rows(rollout(*items)))
    assert len(file.conversations[0].file.entries) == 4
    others = ("lines of type event_msg thread_rolled_back", "lines of type session_meta")
    assert file.conversations[0].omitted == rewound(2, *others)
    assert file.repair_file().data == rows(rollout(*items))


# Both


@pytest.mark.parametrize(
    "values", [[claude_line("u1", None, "user", result("1"))], rollout(output("1"))], ids=["claude", "codex"]
)
def test_a_session_of_nothing_but_an_orphan_result_says_that_no_message_would_be_left(
    values: list[dict[str, Any]],
) -> None:
    file = session_in(rows(values))
    assert file.violations()
    with pytest.raises(UnreadableFileError, match="once repaired, it would hold no messages"):
        file.repair_file()


@given(histories(max_size=10), st.sets(st.integers(0, 30), max_size=3), st.sampled_from(["claude", "codex"]))
def test_whatever_lines_are_gone_the_rest_is_mended_and_stays(
    history: MessageHistory, gone: set[int], kind: str
) -> None:
    values = claude_lines(history) if kind == "claude" else codex_lines(history)
    kept = [value for n, value in enumerate(values) if n not in gone]
    try:
        before = session_in(rows(kept))
    except UnreadableFileError:
        return  # Nothing that was said is left.
    try:
        after = before.repair_file()
    except UnreadableFileError:
        # Only results of calls that are gone are left.
        assert not any(MessageHistory.from_list(each.file.entries) for each in before.conversations)
        return
    assert not after.after.violations()
    assert after.after.repair_file().data == after.data
    written = list(map(json.loads, after.data.splitlines()))
    held = {json.dumps(value.get("message", value.get("payload"))) for value in written}
    ids = {repair.code.value for _, repairs in after.repairs for repair in repairs}
    if not ids - {"result_stubbed", "result_moved", "messages_joined"}:
        assert all(json.dumps(value.get("message", value.get("payload"))) in held for value in kept)


@given(histories(max_size=10))
def test_a_sound_session_of_another_program_is_read_without_a_repair(history: MessageHistory) -> None:
    closed = history.as_sent()
    for values in (claude_lines(closed), codex_lines(closed)):
        try:
            file = session_in(rows(values))
        except UnreadableFileError:
            assert not history
            continue
        assert not file.violations()
        assert file.repair_file().data == rows(values)


def odd_lines() -> st.SearchStrategy[dict[str, Any]]:
    """Generate lines with the keys of both programs, and values that do not belong there."""
    names: st.SearchStrategy[Any] = st.sampled_from(["a", "b", "c", None, 1, {}, []])
    items = st.one_of(
        st.sampled_from([call("1")[0], result("1")[0], result("2")[0], words("x")[0], "text", "", 5]), names
    )
    contents = st.one_of(st.lists(items, max_size=3), items)
    messages = st.fixed_dictionaries({"role": names}, optional={"content": contents, "id": names})
    payloads = st.one_of(
        st.sampled_from([user("x"), assistant("y"), function("1"), output("1"), output("2"), CUSTOM, SHELL, THOUGHT]),
        st.fixed_dictionaries({"type": names}, optional={"num_turns": names, "role": names, "content": contents}),
        st.fixed_dictionaries({}, optional={"replacement_history": contents, "message": names}),
    )
    kinds = ["user", "assistant", "system", "response_item", "event_msg", "compacted", "session_meta", 5, None]
    segment = st.fixed_dictionaries({"headUuid": names, "anchorUuid": names, "uuids": names})
    return st.fixed_dictionaries(
        {"type": st.sampled_from(kinds)},
        optional={
            "sessionId": names,
            "uuid": names,
            "parentUuid": names,
            "isSidechain": st.booleans(),
            "agentId": names,
            "message": st.one_of(messages, names),
            "payload": st.one_of(payloads, names),
            "compactMetadata": st.fixed_dictionaries({"preservedSegment": segment}),
            "isApiErrorMessage": st.booleans(),
        },
    )


@given(st.lists(odd_lines(), max_size=8))
def test_whatever_the_lines_hold_they_are_read_or_refused(values: list[dict[str, Any]]) -> None:
    try:
        before = session_in(rows(values))
    except UnreadableFileError:
        return
    try:
        after = before.repair_file()
        again = after.after.repair_file()
    except UnreadableFileError as error:
        assert str(error) == "once repaired, it would hold no messages"  # noqa: PT017 - it need not be raised
        return
    assert len(again.after.violations()) <= len(after.after.violations())


# Everything else


def test_our_own_files_are_read_with_what_was_changed(tmp_path: Any) -> None:
    path = tmp_path / "chat.jsonl"
    history = of_length(9).as_sent()
    JsonlSession(path, fsync="never").save(history)
    file = read_session(path)
    assert (file.format.name, file.messages, file.skipped) == ("message-history", len(history), 0)
    assert not file.violations()
    assert file.repair_file().data == path.read_bytes()
    data = path.read_bytes()
    spoilt = session_in(data[:-20])
    assert spoilt.skipped == 1
    again = spoilt.repair_file()
    assert not again.after.notes
    path.write_bytes(again.data)
    assert list(JsonlSession(path, fsync="never").load()) == list(history[: len(history) - 1])


def test_a_log_holds_a_conversation_in_each_line() -> None:
    good: dict[str, Any] = {"messages": [{"role": "user", "content": "q"}], "n": 1}
    made = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    bad = {"messages": [*good["messages"], {"role": "assistant", "content": None, "tool_calls": [made]}]}
    batch = {"custom_id": "1", "body": {"model": "m", **bad}}
    data = rows([good, bad, batch]) + b"oops\n" + rows([{"x": 1}])
    file = session_in(data)
    assert (file.format.name, [each.label for each in file.conversations]) == ("log", ["line 1", "line 2", "line 3"])
    assert [(note.line, note.detail) for note in file.notes][1:] == [(5, "no conversation")]
    assert {each.label for each, _ in file.violations()} == {"line 2", "line 3"}
    after = file.repair_file()
    lines = after.data.splitlines(keepends=True)
    assert lines[0] == rows([good])
    assert json.loads(lines[2])["body"]["model"] == "m"
    assert not check(json.loads(lines[1])["messages"], OpenAIChat())
    assert not after.after.violations()


def test_plain_lists_of_every_dialect_are_read() -> None:
    history = of_length(8).as_sent()
    for dialect in (Anthropic(), OpenAIChat(), PydanticAI()):
        wire = history.for_send(dialect)
        for data in (json.dumps(wire).encode(), rows(wire)):
            file = session_in(data)
            assert file.format.name == "messages"
            assert file.conversations[0].dialect().name == dialect.name
            assert not file.violations()


@pytest.mark.parametrize(
    ("data", "recorded"),
    [
        (b"", "the file is empty"),
        (b"\0\1\2\3", "it is a binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "it is a binary file"),
        ('[{"role": "user"}]'.encode("utf-16"), "it is UTF-16, not UTF-8"),
        (b'{"role": "caf\xe9"}', "it is not UTF-8"),
        (b'{"name": "package"}', "it holds no list of messages"),
        (rows([codex_line({"id": "x"}, "session_meta")]), "it has no messages yet"),
        (rows([{"type": "summary", "summary": "x", "leafUuid": "y"}]), "it has no messages yet"),
    ],
)
def test_what_holds_no_conversation_is_refused_in_one_line(data: bytes, recorded: str) -> None:
    with pytest.raises(UnreadableFileError, match=recorded) as found:
        session_in(data)
    assert "\n" not in str(found.value)
    assert found.value.sound == (b"{" in data and b"\xe9" not in data and b"\xff" not in data)
