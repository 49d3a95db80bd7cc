"""Parsed JSON is read as the file would be: `from_data` gives all conversations, `from_list` the first."""

from __future__ import annotations

from cProfile import Profile
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import InvariantError, MessageHistory, Policy, RepairCode, ToolResultBlock
from message_history.cli.app import app
from message_history.core.values.json_values import thaw
from message_history.dialects import OpenAIChat
from message_history.formats import from_data
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from tests.formats.samples import SAMPLES
from tests.formats.story import told
from tests.needs import needs_plugins

if TYPE_CHECKING:
    from pathlib import Path

    from tests.formats.story import Sample

JSON = [
    each
    for each in SAMPLES
    if parse_document(each.data).value is not None or any(line.value for line in parse_document(each.data).lines)
]
every_sample = pytest.mark.parametrize("sample", JSON, ids=[f"{each.format}-{n}" for n, each in enumerate(JSON)])


def parsed(sample: Sample) -> Any:
    document = parse_document(sample.data)
    return document.value if document.value is not None else [row for _, row in document.rows()]


@every_sample
def test_a_value_gives_the_conversations_of_its_file(sample: Sample) -> None:
    of_file = session_in(sample.data)
    of_value = from_data(parsed(sample))
    assert [each.history() for each in of_value] == [each.history() for each in of_file.conversations]


@every_sample
def test_a_list_gives_the_first_conversation_of_its_file(sample: Sample) -> None:
    history, expected = MessageHistory.from_list(parsed(sample)), session_in(sample.data).conversations[0].history()
    if sample.format == "mistral-vibe":  # Its messages are those of Chat Completions, with more keys.
        assert told(history) == told(expected)
    else:
        assert history == expected


QUESTION, ANSWER = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}


def test_an_object_with_a_conversation_is_read_and_any_other_refused() -> None:
    history = MessageHistory.from_list({"system": "Be brief.", "messages": [QUESTION, ANSWER]})
    assert [message.text for message in history] == ["q", "a"]
    with pytest.raises(TypeError, match="not dict"):
        MessageHistory.from_list({"level": "info"})


def test_a_value_that_is_neither_an_object_nor_a_list_is_refused() -> None:
    with pytest.raises(TypeError, match="from_file reads a file"):
        from_data("[]")


def test_objects_of_a_framework_are_read_as_their_json() -> None:
    class Message:
        def __init__(self, **fields: Any) -> None:
            vars(self).update(fields)

    call = Message(id="c1", type="function", function=Message(name="f", arguments="{}"))
    raw = [
        Message(id="1", role="user", content="q"),
        Message(id="2", role="assistant", toolCalls=[call]),
        Message(id="3", role="tool", toolCallId="c1", content="r"),
    ]
    history = MessageHistory.from_list(raw)
    assert [(each.name, each.id) for each in history[1].calls] == [("f", "c1")]
    assert [each.text for each in history[2].results] == ["r"]
    assert not history.repairs


def test_records_among_messages_are_each_in_a_repair_and_leave_thinking_alone() -> None:
    record = {"type": "summary", "summary": "Said before."}
    sample = next(each for each in JSON if each.format == "claude-code")
    rows = parsed(sample)
    history = MessageHistory.from_list([*rows, {**record, "leafUuid": "m"}])
    assert {each.code for each in history.repairs} == {RepairCode.ENTRY_DROPPED}
    assert history.repairs[-1].source == len(rows)
    assert history == MessageHistory.from_list(rows)


@pytest.mark.parametrize(
    "raw",
    [
        [{"level": "info", "msg": "started"}, {"level": "warn", "msg": "slow"}],
        [{"type": "session", "cwd": "/tmp", "id": "s", "version": 3}],
        [["nobody", "Hi"], 7, "words"],
        [{"role": "narrator", "content": "It was night."}],
    ],
)
def test_a_list_without_a_message_is_never_empty_without_a_word(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    assert not history
    assert [each.source for each in history.repairs] == list(range(len(raw)))
    assert all(each.removed for each in history.repairs)
    with pytest.raises(InvariantError):
        MessageHistory.from_list(raw, policy=Policy(on_violation="raise"))


@pytest.mark.parametrize(
    "raw",
    [
        [[{"role": "user"}], [{"role": "assistant", "content": "x"}]],
        [{"object": "thread.message", "id": n, "content": [{"type": "text", "text": {"value": n}}]} for n in "ab"],
    ],
)
def test_conversations_in_a_list_are_each_in_a_repair_when_the_first_is_empty(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw)
    assert len(history) or [repair.source for repair in history.repairs if repair.removed] == [0, 1]


@pytest.mark.parametrize(
    "header", [[], [{"type": "session", "version": 3}], [{"type": "session", "version": 3, "id": "s"}]]
)
@pytest.mark.parametrize("named", [False, True])
def test_sessions_of_openclaw_without_ids_and_times_are_read(header: list[Any], *, named: bool) -> None:
    call = {"type": "toolCall", "id": "t", "name": "read", "arguments": {}, "partialJson": '{"pa'}
    said = {"role": "assistant", "content": [{"type": "text", "text": "hi"}, call]}
    messages = [{"type": "message", "message": each} for each in ({"role": "user", "content": "q"}, said)]
    if named:
        header = [{**each, "timestamp": "t"} for each in header]
        messages[0]["id"], messages[1]["id"], messages[1]["parentId"] = "1", "2", "1"
    history = MessageHistory.from_list([*header, *messages])
    assert [message.text for message in history] == ["q", "hi"]
    assert RepairCode.CALL_WITHOUT_INPUT_DROPPED in {repair.code for repair in history.repairs}


@pytest.mark.parametrize(
    ("parents", "is_read"), [((None, "0", "1"), True), (("x", None, None), True), ((None, "0", "0"), False)]
)
def test_messages_in_records_are_read_where_each_follows_the_one_before(parents: Any, is_read: bool) -> None:
    said = [("user", "q"), ("assistant", "a"), ("user", "more")]
    raw = [
        {"type": "message", "id": str(n), "parentId": parent, "message": {"role": role, "content": text}}
        for n, ((role, text), parent) in enumerate(zip(said, parents, strict=True))
    ]
    history = MessageHistory.from_list(raw)
    assert [message.text for message in history] == (["q", "a", "more"] if is_read else [])
    assert [repair.source for repair in history.repairs] == ([] if is_read else [0, 1, 2])


def test_of_several_conversations_the_others_are_each_in_a_repair() -> None:
    first, second = ([{"role": "user", "content": each}, {"role": "assistant", "content": "a"}] for each in "xy")
    history = MessageHistory.from_list([first, second])
    assert history[0].text == "x"
    (repair,) = history.repairs
    assert (repair.code, repair.source) == (RepairCode.ENTRY_DROPPED, 1)
    assert "y" in repr(repair.removed)


def test_doctor_reports_a_session_in_which_no_message_was_found(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'[{"role": "user", "parts": []}, {"role": "assistant", "parts": []}]')
    result = CliRunner().invoke(app, ["doctor", str(tmp_path)])
    assert result.exit_code != 0, result.output


def test_a_result_within_a_result_survives_a_save() -> None:
    inner = ToolResultBlock("x", "inner")
    raw = [
        QUESTION,
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [inner]},
    ]
    history = MessageHistory.from_list(raw)
    assert MessageHistory.from_list(history.to_list()) == history
    assert [each.text for each in history[2].results] == ["inner"]
    assert history.repairs[0].removed == (inner,)


def test_a_name_with_white_space_around_it_is_sent_without_it() -> None:
    call = {"type": "tool_use", "id": "c1", "name": " read ", "input": {}}
    history = MessageHistory.from_list([QUESTION, {"role": "assistant", "content": [call]}])
    assert history.for_send()[1]["content"] == [{**call, "name": "read"}]


CALLED = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USED = {"state": "result", "toolCallId": "c1", "toolName": "f", "args": {}, "result": "r"}


@pytest.mark.parametrize("keys", [{"toolCalls": [CALLED]}, {"toolInvocations": [USED]}])
def test_calls_next_to_text_are_read_though_nothing_else_is_strange(keys: dict[str, Any]) -> None:
    raw = [{"id": "1", "role": "user", "content": "q"}, {"id": "2", "role": "assistant", "content": "a", **keys}]
    history = MessageHistory.from_list(raw)
    assert [call.name for call in history[1].calls] == ["f"]
    assert from_data(raw)[0].history() == history


@needs_plugins
def test_messages_of_a_thread_are_read_in_their_order_and_as_text() -> None:
    raw = [
        {"object": "thread.message", "id": f"msg_{at}", "created_at": at, "role": role, "content": [part]}
        for at, role, part in (
            (2, "assistant", {"type": "text", "text": {"value": "a", "annotations": []}}),
            (1, "user", {"type": "text", "text": {"value": "q", "annotations": []}}),
        )
    ]
    assert [message.text for message in MessageHistory.from_list(raw)] == ["q", "a"]


@pytest.mark.parametrize("listed", [False, True])
def test_a_record_with_what_went_in_and_what_came_out_holds_both(*, listed: bool) -> None:
    record = {"id": "r", "input": [QUESTION], "output": [ANSWER] if listed else ANSWER}
    for value in (record, [record]):
        assert [message.text for message in MessageHistory.from_list(value)] == ["q", "a"]


def test_a_second_conversation_is_in_a_repair_when_the_first_is_a_system_prompt_alone() -> None:
    (repair,) = MessageHistory.from_list([[{"role": "system", "content": "s"}], [QUESTION]]).repairs
    assert (repair.code, repair.source) == (RepairCode.ENTRY_DROPPED, 1)
    assert "q" in repr(repair.removed)


def test_what_no_block_has_a_place_for_is_the_metadata_of_its_message() -> None:
    cited = [{"start": 0, "end": 1, "text": "a", "sources": [{"type": "tool", "id": "c1:0"}]}]
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    raw = [
        QUESTION,
        {"role": "assistant", "tool_plan": "p", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "document", "document": {"id": "d", "data": "r"}}]},
        {**ANSWER, "citations": cited},
    ]
    history = MessageHistory.from_list(raw)
    assert not history.repairs
    assert [each.metadata for each in history[3].arrivals] == [{"citations": cited}]
    assert history[1].arrivals == ()
    assert ANSWER in history.for_send(OpenAIChat())


def test_keys_of_a_prompt_came_before_the_first_message() -> None:
    call = {"id": "2", "role": "assistant", "toolCalls": [CALLED]}
    prompts = [{"id": n, "role": "system", "content": f"prompt {n}"} for n in "st"]
    raw = [*prompts, QUESTION | {"id": "1"}, call, {"role": "tool", "toolCallId": "c1", "content": "r"}]
    history = MessageHistory.from_list(raw, policy=Policy(on_violation="raise"))
    assert [(each.end, each.metadata["id"]) for each in history[0].arrivals] == [(0, "s"), (0, "t"), (1, "1")]
    assert MessageHistory.from_list(history.to_list())[0].arrivals == history[0].arrivals


def test_keys_of_entries_that_are_joined_to_one_message_are_all_kept() -> None:
    thought = {"id": "1", "role": "reasoning", "content": "t", "k": "of the thought"}
    calls = {"id": "2", "role": "assistant", "toolCalls": [CALLED, {**CALLED, "id": "c2", "z": "of the call"}]}
    answers = [{"id": f"{n}", "role": "tool", "toolCallId": f"c{n - 2}", "content": "r", "k": n * 11} for n in (3, 4)]
    history = MessageHistory.from_list([QUESTION | {"id": "0"}, thought, calls, *answers])
    kept = [[each.metadata for each in message.arrivals] for message in history]
    assert kept == [
        [{"id": "0"}],
        [{"id": "1", "k": "of the thought"}, {"id": "2", "toolCalls": [calls["toolCalls"][1]]}],
        [{"id": "3", "k": 33}, {"id": "4", "k": 44}],
    ]


def test_what_became_of_entries_is_looked_through_once() -> None:
    steps = []
    for size in (200, 400):
        blank = [{"role": "user", "content": " ", "k": n} for n in range(size)]
        told = [{"id": "1", "role": "reasoning", "content": f"t{n}", "k": [n] * 9} for n in range(size)]
        looked = Profile()
        looked.runcall(
            MessageHistory.from_list, [QUESTION | {"id": "0"}, *told, *blank, {**ANSWER, "toolCalls": [CALLED]}]
        )
        steps.append(sum(each.callcount for each in looked.getstats() if "left_over.py" in str(each.code)))
    assert 200 < steps[1] < 2.2 * steps[0]


def test_an_entry_of_which_nothing_is_left_is_whole_in_its_repair() -> None:
    said = {"type": "assistant.message", "role": "narrator", "content": [{"type": "text", "text": "x"}], "k": "v"}
    calls = {"id": "2", "role": "assistant", "toolCalls": [CALLED]}
    blank = {"id": "1", "role": "user", "content": " ", "k": "v"}
    answered = {"id": "3", "role": "tool", "toolCallId": "c1", "content": "r"}
    raw = [QUESTION | {"id": "0"}, blank, calls, answered, said]
    history = MessageHistory.from_list(raw)
    assert [message.role for message in history] == ["user", "assistant", "user"]
    held = [(repair.source, thaw(each)) for repair in history.repairs for each in repair.removed]
    assert all((place, raw[place]) in held for place in (1, 4))


@pytest.mark.parametrize("key", ["tool_call_id", "toolCallId"])
def test_results_that_are_joined_and_have_no_calls_are_in_repairs_of_their_own(key: str) -> None:
    raw = [{"id": f"i{n}", "role": "tool", key: f"c{n}", "content": "r", "k": [n]} for n in range(3)]
    repairs = MessageHistory.from_list(raw).repairs
    dropped = [each for each in repairs if each.code is RepairCode.ORPHAN_RESULT_DROPPED]
    assert [each.source for each in dropped] == [0, 1, 2]
    assert [thaw(each.removed[-1]) for each in dropped[1:]] == raw[1:]


def test_joined_results_that_were_converted_are_in_repairs_of_their_own() -> None:
    raw = [{"type": "function_call_output", "call_id": f"c{n}", "output": {"a": [n]}} for n in range(3)]
    repairs = MessageHistory.from_list(raw).repairs
    assert [each.source for each in repairs if each.code is RepairCode.ORPHAN_RESULT_DROPPED] == [0, 1, 2]


def test_a_second_conversation_in_a_list_of_records_is_whole_in_a_repair() -> None:
    first, second = ({"custom_id": n, "params": {"messages": [QUESTION, ANSWER]}} for n in "12")
    history = MessageHistory.from_list([first, second])
    assert [message.text for message in history] == ["q", "a"]
    assert [(each.source, thaw(each.removed[0])) for each in history.repairs] == [(1, second)]


def test_repairs_of_entries_in_another_order_name_their_places() -> None:
    raw = [
        {"id": "m3", "message_type": "assistant_message", "content": "a", "date": "2026-11-01T00:00:03+00:00"},
        {"id": "m2", "message_type": "user_message", "content": " ", "date": "2026-11-01T00:00:02+00:00"},
        {"id": "m1", "message_type": "user_message", "content": "q", "date": "2026-11-01T00:00:01+00:00"},
    ]
    pytest.importorskip("message_history_formats")
    assert {each.source for each in MessageHistory.from_list(raw).repairs} == {1}
