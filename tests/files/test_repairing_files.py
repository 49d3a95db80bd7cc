"""A repaired file has the form of the file, a list that the provider accepts, and a record of every change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dialects.odd_pieces import PIXEL, PNG

from message_history import InvariantError, MessageHistory, Policy, RepairCode, check
from message_history.dialects import Anthropic, Native, OpenAIChat
from message_history.dialects.registry import DIALECTS
from message_history.files.files import FileForm, allow_assistant_tail, read_bytes, read_file
from message_history.files.repaired_lists import located, repair_file
from message_history.integrations.strategies import broken_lists

FOLDER = Path(__file__).parents[2] / "samples"
# The first command of the README writes a repaired sample beside its source.
SAMPLES = sorted(path for path in FOLDER.glob("*.json*") if ".repaired" not in path.suffixes)
CALL: dict[str, Any] = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
DANGLING: list[Any] = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [CALL]}]


def packed(form: FileForm, entries: list[Any], **beside: Any) -> bytes:
    if form is FileForm.LINES:
        return "\n".join(map(json.dumps, entries)).encode()
    return json.dumps({**beside, "messages": entries} if form is FileForm.OBJECT else entries).encode()


@pytest.mark.parametrize("form", FileForm)
def test_the_form_is_kept(form: FileForm) -> None:
    repaired = repair_file(read_bytes(packed(form, DANGLING, model="m", max_tokens=9)))
    again = read_bytes(repaired.data)
    assert repaired.form is again.form is form
    assert [repair.code for repair in repaired.repairs] == [RepairCode.RESULT_STUBBED]
    assert len(again.entries) == 3
    if form is FileForm.OBJECT:
        assert again.container == {"model": "m", "max_tokens": 9, "messages": []}


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("form", FileForm)
def test_every_dialect_can_be_written(name: str, form: FileForm) -> None:
    target = DIALECTS[name]
    system = {"role": "system", "content": "Be brief."}
    repaired = repair_file(read_bytes(packed(form, [system, *DANGLING], model="m")), to=target)
    again = read_bytes(repaired.data)
    assert repaired.dialect == allow_assistant_tail(target)
    assert repaired.violations == ()
    assert check(again.entries, allow_assistant_tail(target)) == []
    assert again.history(dialect=target).system == "Be brief."
    if not target.has_system_in_list():
        assert repaired.form is again.form is FileForm.OBJECT


@pytest.mark.parametrize(
    "system",
    ["Be brief.", [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}], None, ""],
)
def test_a_system_prompt_beside_the_messages_stays_as_it_is(system: Any) -> None:
    data = packed(FileForm.OBJECT, DANGLING, system=system, model="m")
    repaired = repair_file(read_bytes(data))
    written = json.loads(repaired.data)
    assert written["system"] == system
    assert list(written) == ["system", "model", "messages"]
    assert repaired.repairs[0].source == 1


def test_a_system_prompt_beside_the_messages_moves_with_the_dialect() -> None:
    file = read_bytes(packed(FileForm.OBJECT, DANGLING, system="Be brief.", model="m"))
    repaired = repair_file(file, to=OpenAIChat())
    written = json.loads(repaired.data)
    assert "system" not in written
    assert written["messages"][0] == {"role": "system", "content": "Be brief."}
    assert [(repair.code, repair.source) for repair in repaired.repairs] == [(RepairCode.RESULT_STUBBED, 1)]
    back = json.loads(repair_file(read_bytes(repaired.data), to=Anthropic()).data)
    assert back["system"] == "Be brief."


def test_system_prompts_beside_and_in_the_list_are_both_kept() -> None:
    entries = [{"role": "system", "content": "Be kind."}, *DANGLING]
    repaired = repair_file(read_bytes(packed(FileForm.OBJECT, entries, system="Be brief.")))
    written = json.loads(repaired.data)
    assert [part["text"] for part in written["system"]] == ["Be brief.", "Be kind."]


def test_a_conversation_may_end_with_the_assistant_unless_it_is_a_request() -> None:
    file = read_bytes(packed(FileForm.LIST, [DANGLING[0], {"role": "assistant", "content": "a"}]))
    assert repair_file(file).repairs == ()
    assert len(json.loads(repair_file(file).data)) == 2
    sent = repair_file(file, as_request=True)
    assert [repair.code for repair in sent.repairs] == [RepairCode.CONTINUATION_ADDED]
    assert json.loads(sent.data)[-1]["role"] == "user"


def test_a_dialect_can_be_named() -> None:
    words = [{"role": "user", "content": "q", "name": "Ann"}]
    chat = repair_file(read_bytes(packed(FileForm.LIST, words)), dialect=OpenAIChat())
    assert chat.repairs == ()
    assert json.loads(chat.data) == words


def test_the_policy_decides() -> None:
    file = read_bytes(packed(FileForm.LIST, DANGLING))
    with pytest.raises(InvariantError):
        repair_file(file, policy=Policy(on_violation="raise"))
    assert b"No answer." in repair_file(file, policy=Policy(stub_text="No answer.")).data


def test_what_the_export_changes_is_told_too() -> None:
    entries = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}, "?"]}]
    file = read_bytes(packed(FileForm.LIST, [*DANGLING, *entries]).replace(b'"1"', b'"a b"'))
    assert (
        RepairCode.REWRITTEN in {repair.code for repair in repair_file(file).repairs} or repair_file(file).repairs == ()
    )
    odd = repair_file(read_bytes(packed(FileForm.LIST, [{"role": "user", "content": "lone \ud83d"}])))
    assert [repair.code for repair in odd.repairs] == [RepairCode.REWRITTEN]


def test_a_list_of_which_nothing_is_left_is_reported_as_refused() -> None:
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]}
    repaired = repair_file(read_bytes(packed(FileForm.LIST, [orphan])))
    assert json.loads(repaired.data) == []
    assert [violation.rule for violation in repaired.violations] == ["AN-A1"]


def test_lone_surrogates_beside_the_messages_do_not_stop_the_writing() -> None:
    data = packed(FileForm.OBJECT, DANGLING, note="\ud83d", other="é")
    assert json.loads(repair_file(read_bytes(data)).data)["note"] == "\ud83d"
    assert "é".encode() in repair_file(read_bytes(packed(FileForm.OBJECT, DANGLING, other="é"))).data


def test_sources_are_counted_without_what_was_put_first() -> None:
    repairs = MessageHistory.from_list([{"role": "system", "content": ""}, *DANGLING]).repairs
    assert [repair.source for repair in repairs] == [0, 2]
    assert [repair.source for repair in located(repairs, 1)] == [None, 1]
    assert tuple(located(repairs, 0)) == repairs


@pytest.mark.parametrize("form", FileForm)
@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_images_and_unanswered_calls_are_written_in_every_form_for_every_dialect(name: str, form: FileForm) -> None:
    image = {"type": "image", "source": PNG}
    repaired = repair_file(
        read_bytes(packed(form, [{"role": "user", "content": [image]}, DANGLING[1]])), to=DIALECTS[name]
    )
    assert PIXEL.encode() in repaired.data
    twice = repair_file(read_bytes(repaired.data), dialect=repaired.dialect)
    assert twice.data == repaired.data
    assert twice.repairs == ()


# Broken lists are costly to draw, and the laws of what becomes of them are tested elsewhere.
@settings(max_examples=settings().max_examples // 3)
@given(broken_lists(), st.sampled_from(FileForm), st.sampled_from(sorted(DIALECTS)), st.booleans())
def test_mending_gives_what_the_provider_takes_and_mending_again_changes_nothing(
    entries: list[Any], form: FileForm, name: str, as_request: bool
) -> None:
    if form is FileForm.LINES:
        entries = [entry for entry in entries if isinstance(entry, dict)]
    entries.append({"role": "user", "content": "q"})
    file = read_bytes(packed(form, entries))
    repaired = repair_file(file, to=DIALECTS[name], as_request=as_request)
    assert repaired.violations == ()
    again = read_bytes(repaired.data)
    assert check(again.entries, repaired.dialect) == []
    twice = repair_file(again, dialect=repaired.dialect, as_request=as_request)
    assert twice.data == repaired.data
    assert twice.repairs == ()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_samples_are_broken_and_can_be_mended(path: Path) -> None:
    file = read_file(path)
    assert check(file.entries, file.dialect())
    repaired = repair_file(file)
    assert repaired.repairs
    assert repaired.violations == ()


def test_there_are_samples() -> None:
    assert {path.name for path in SAMPLES} >= {"broken_session.json", "crashed_session.jsonl"}


def test_the_native_form_keeps_all_that_a_history_holds() -> None:
    file = read_bytes(packed(FileForm.LINES, DANGLING))
    saved = read_bytes(repair_file(file, to=Native()).data)
    assert saved.history() == file.history()
    assert saved.history().repairs == ()
