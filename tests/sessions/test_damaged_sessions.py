"""Session files with damaged, doubled and shuffled lines: no line that can be read is lost, and repairing is final."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history import MessageHistory, RepairCode, ToolUseBlock
from message_history.dialects import Anthropic
from message_history.files.damaged_json import MERGED, UNESCAPED, parted
from message_history.files.files import read_bytes
from message_history.files.own_lines import whole_lines
from message_history.formats.reading import RepairedSession, session_in
from message_history.formats.registry import FORMATS
from message_history.storage import JsonlSession
from tests.campaigns.lists import written
from tests.sessions.foreign import claude_line, claude_lines, codex_lines, rows

if TYPE_CHECKING:
    from pathlib import Path

HISTORY = (
    MessageHistory()
    .add_user("one")
    .add_assistant("two")
    .add_user("three")
    .add_assistant([ToolUseBlock("call_1", "run", {}), ToolUseBlock("call_2", "run", {"a": 1})])
    .add_tool_result("call_1", "four")
    .add_tool_result("call_2", "five")
    .add_user("six")
)


def repaired(data: bytes, form: str) -> tuple[RepairedSession, str]:
    """Repair a file, and give all that it and its repairs hold; repairing it again changes nothing."""
    found = session_in(data, chosen=FORMATS[form]).repair_file()
    assert found.after.violations() == []
    assert found.after.notes == ()
    assert found.after.repair_file().data == found.data
    return found, found.data.decode() + "".join(written(repairs) for _, repairs in found.repairs)


def own(*changes: tuple[int, bytes, bytes]) -> bytes:
    """Write a session of our own in which some lines are other."""
    lines = list(whole_lines(HISTORY))
    for number, old, new in changes:
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new)
    return b"".join(lines)


@pytest.mark.parametrize(
    "change",
    [
        (1, b'"role"', b'"rolf"'),
        (1, b'"content"', b'"cnntent"'),
        (1, b'"user"', b'"User"'),
        (2, b'"at": 1', b'"at": 0'),
        (2, b'"at": 1', b'"at": 2'),
        (3, b'"at": 2', b'"at": 9'),
        (1, b'"at"', b'"ap"'),
        (1, b'"native": 1', b'"nativE": 1'),
        (1, b'{"at": 0, "role": "user", "content": [{"type": "text", "text": "one"}], "native": 1}', b'["one"]'),
    ],
)
def test_a_line_of_our_own_form_that_can_be_read_is_not_lost(change: tuple[int, bytes, bytes]) -> None:
    _, held = repaired(own(change), "message-history")
    assert all(text in held for text in ("one", "two", "three", "four", "five", "six"))


@pytest.mark.parametrize("named", [b"at", b"repairs", b"other"])
def test_a_line_whose_role_and_content_are_both_damaged_is_in_a_repair(named: bytes) -> None:
    entry = {b"at": b"0", b"repairs": b"[]", b"other": b"0"}[named]
    found, held = repaired(
        own((1, b'"role"', b'"rone"'), (1, b'"content"', b'"contenT"'), (1, b'"at": 0', b'"%s": %s' % (named, entry))),
        "message-history",
    )
    assert "one" in held
    assert [repair.code for _, repairs in found.repairs for repair in repairs][:1] == [RepairCode.EMPTY_MESSAGE_DROPPED]


@pytest.mark.parametrize("position", [b'"SECRET"', b'["SECRET"]', b"9" * 30])
def test_a_position_that_is_none_is_not_in_the_report(position: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(own((2, b'"at": 1', b'"at": ' + position), (3, b'"at": 2', b'"at": 0')))
    session = JsonlSession(path)
    assert len(session.load()) == len(HISTORY)
    assert "SECRET" not in str(session.report)
    assert "9" * 30 not in str(session.report)


def test_two_messages_in_one_place_are_both_kept() -> None:
    lines = list(whole_lines(HISTORY))
    lines.insert(2, lines[1].replace(b"one", b"other"))
    found, held = repaired(b"".join(lines), "message-history")
    assert "one" in held
    assert "other" in held
    assert [len(each.file.entries) for each in found.after.conversations] == [5]


def test_an_older_version_of_a_message_behind_the_newer_one_is_left_out() -> None:
    before = MessageHistory().add_user("one")
    lines = [*whole_lines(before.add_user("more")), list(whole_lines(before))[1]]
    found, _ = repaired(b"".join(lines), "message-history")
    assert found.data == b"".join(whole_lines(before.add_user("more")))


def test_a_session_with_a_line_of_another_program_keeps_it_in_a_repair(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(own() + b'{"note": "seven"}\n')
    history = JsonlSession(path).load()
    assert list(history) == list(HISTORY)
    assert "seven" in written(history.repairs)
    assert JsonlSession(path).load() == history


def test_a_second_system_prompt_is_joined_to_the_first() -> None:
    system = {"role": "system", "content": [{"type": "system", "text": "seven"}], "native": 1}
    line = json.dumps(system).encode() + b"\n"
    lines = list(whole_lines(HISTORY.with_system("zero")))
    found, _ = repaired(b"".join((*lines[:2], line, *lines[2:])), "message-history")
    history = found.after.conversations[0].history()
    assert history.system == "zero\n\nseven"


@pytest.mark.parametrize("role", ["User", "urer", "", None, 7])
def test_a_damaged_role_of_codex_is_assumed(role: Any) -> None:
    values = codex_lines(HISTORY)
    values[1]["payload"]["role"] = role
    found, held = repaired(rows(values), "codex")
    assert '"one"' in held
    assert RepairCode.ROLE_ASSUMED in [repair.code for _, repairs in found.repairs for repair in repairs]


@pytest.mark.parametrize("where", ["call", "result", "both"])
def test_a_damaged_id_of_claude_code_is_written_anew_in_both_places(where: str) -> None:
    text = rows(claude_lines(HISTORY)).decode()
    if where in ("call", "both"):
        text = text.replace('"id":"call_1"', '"id":"ca l_1"')
    if where in ("result", "both"):
        text = text.replace('"tool_use_id":"call_1"', '"tool_use_id":"ca l_1"')
    _, held = repaired(text.encode(), "claude-code")
    assert '"four"' in held
    assert "No result is recorded" not in held


@pytest.mark.parametrize("old", ['"type":"tool_use"', '"type":"tool_result"', '"type":"text"', '"text":"four"'])
def test_a_damaged_type_or_key_of_claude_code_is_in_a_repair(old: str) -> None:
    text = rows(claude_lines(HISTORY)).decode()
    for new in (old.replace("t", "T", 1), old.replace("e", "E", 1)):
        _, held = repaired(text.replace(old, new, 1).encode(), "claude-code")
        assert all(f'"{word}"' in held for word in ("one", "two", "three", "four", "five", "six"))


def test_results_of_claude_code_stand_first_whatever_stands_before_their_call() -> None:
    history = MessageHistory().add_user("q").add_assistant("hm").add_user("go")
    history = history.add_assistant("one").add_assistant("two").add_assistant([ToolUseBlock("1", "run", {})])
    values = claude_lines(history.add_tool_result("1", "r"))
    steered = {**values[-1], "uuid": "steered", "parentUuid": values[-1]["parentUuid"]}
    steered["message"] = {"role": "user", "content": [{"type": "text", "text": "wait"}]}
    values[-1] = {**values[-1], "parentUuid": "steered"}
    data = rows([*values[:-1], steered, values[-1]])
    assert session_in(data, chosen=FORMATS["claude-code"]).violations() == []


def merged(data: bytes, number: int, between: bytes = b"") -> bytes:
    """Take the line end behind a line away."""
    lines = data.split(b"\n")
    lines[number : number + 2] = [lines[number] + between + lines[number + 1]]
    return b"\n".join(lines)


@pytest.mark.parametrize("between", [b"", b" ", b"\r"])
@pytest.mark.parametrize("number", [0, 1, 3])
@pytest.mark.parametrize("form", ["message-history", "claude-code", "codex"])
def test_lines_whose_end_is_lost_are_read_and_parted(form: str, number: int, between: bytes) -> None:
    sound = {
        "message-history": own(),
        "claude-code": rows(claude_lines(HISTORY)),
        "codex": rows(codex_lines(HISTORY)),
    }[form]
    found = session_in(merged(sound, number, between), chosen=FORMATS[form])
    assert [(note.line, note.detail, note.skipped) for note in found.notes] == [(number + 1, MERGED, None)]
    assert repaired(merged(sound, number, between), form)[0].data == sound


def test_three_lines_in_one_of_a_session_are_loaded_and_parted_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(merged(merged(own(), 2), 2))
    session = JsonlSession(path)
    assert session.load() == HISTORY
    assert session.report.skipped == 0
    assert not session.report.clean
    assert path.read_bytes() == own()


def test_lines_of_messages_whose_end_is_lost_are_read() -> None:
    data = b"".join(json.dumps(entry).encode() for entry in HISTORY.for_send(Anthropic()))
    saved = read_bytes(data + b"\n")
    assert MessageHistory.from_list(saved.entries) == HISTORY
    assert [note.detail for note in saved.notes] == [MERGED]


@pytest.mark.parametrize(
    "text", ['{"a": 1}{"a"', '{"a": 1}}', '{"a": 1}2', '2{"a": 1}', "1 2", '{"a": 1},{"a": 1}', "[" * 9_999]
)
def test_what_is_not_objects_alone_is_not_parted(text: str) -> None:
    assert parted(text) == []


def test_a_line_with_masked_words_is_read_and_written_as_json() -> None:
    values = [claude_line("u1", None, "user", "hi"), claude_line("a1", "u1", "assistant", "Mail: MASK", id="m1")]
    data = rows(values).replace(b"MASK", b"\\***@***")
    session = session_in(data)
    assert session.conversations[0].file.entries[1]["content"][0]["text"] == "Mail: \\***@***"
    assert (session.skipped, [note.detail for note in session.notes]) == (0, [UNESCAPED])
    repaired = session.repair_file()
    assert [json.loads(line)["uuid"] for line in repaired.data.splitlines()] == ["u1", "a1"]
    assert repaired.data.splitlines()[0] == data.splitlines()[0]
    assert repaired.after.notes == ()
