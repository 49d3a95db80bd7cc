"""Every format: its sample is recognised by it alone, read whole, and never written over."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from message_history import from_file
from message_history.cli.app import app
from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.formats.kit.document import parse_document
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, _own_formats
from message_history.testing.conformance import FormatConformance
from message_history.testing.conformance.examples import ODD_VALUES, places, planted
from message_history.testing.conformance.formats import STRANGE
from tests.formats.every_sample import SAMPLES
from tests.formats.story import CHAT, QUESTION, TEXT_ARGUMENTS, Sample, lines, told, value
from tests.needs import needs_a_deep_stack

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"{each.format}-{n}" for n, each in enumerate(SAMPLES)]
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
DATABASES = {
    "message-history-database",
    *("opencode-database", "openclaw-database", "cursor-database", "cursor-agent-database"),
}
WITHOUT_SAMPLE = {"message-history", "opencode-storage", *DATABASES}
"""Our own sessions and databases have tests of their own; a file of opencode's storage holds no conversation."""


def test_every_format_has_a_sample() -> None:
    assert set(_own_formats()) - {each.format for each in SAMPLES} == WITHOUT_SAMPLE
    assert {each.format for each in SAMPLES} <= set(FORMATS)


class TestEveryFormat(FormatConformance):
    @pytest.fixture(autouse=True, params=SAMPLES, ids=NAMES)
    def _of_a_sample(self, request: pytest.FixtureRequest) -> None:
        self.format, self.sample = FORMATS[request.param.format], request.param.data
        self.story = request.param.story


@every_sample
def test_doctor_never_changes_a_sound_file(sample: Sample, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(sample.data)
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == sample.data


@every_sample
def test_doctor_never_loses_an_entry_of_an_unknown_kind(sample: Sample, tmp_path: Path) -> None:
    document = parse_document(sample.data)
    file = tmp_path / "a.jsonl"
    if isinstance(document.value, list):
        file.write_bytes(value([*document.value, STRANGE]))
    else:
        file.write_bytes(sample.data + lines(STRANGE))
    CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert STRANGE["brand_new"]["words"].encode() in file.read_bytes()


@pytest.mark.heavy
@every_sample
def test_a_file_with_any_odd_value_is_read_or_refused(sample: Sample) -> None:
    document = parse_document(sample.data)
    whole = document.value if document.value is not None else [row for _, row in document.rows()]
    leaves = [path for path, held in places(whole) if not held or not isinstance(held, dict | list)]
    for path, odd in product(leaves, ODD_VALUES):
        spoilt = planted(whole, path, odd)
        try:
            for each in session_in(value(spoilt) if document.value is not None else lines(*spoilt)).conversations:
                each.history()
        except UnreadableFileError:
            continue


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_can_be_chosen_by_name_and_never_breaks(name: str) -> None:
    for sample in SAMPLES:
        try:
            session_in(sample.data, chosen=FORMATS[name])
        except UnreadableFileError:
            continue


def test_a_file_that_is_like_a_format_and_not_in_it_is_not_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    content = value([*CHAT, {"role": "user", "body": "Said under a key that no dialect has."}])
    file.write_bytes(content)
    with pytest.raises(NotRecognisedError, match="like messages"):
        from_file(file)
    for command in (["repair", str(file)], ["doctor", "--fix", "--in-place", str(tmp_path)], ["doctor", str(file)]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 1
        assert "not recognised" in result.output
        assert list(tmp_path.iterdir()) == [file]
        assert file.read_bytes() == content


def test_a_text_part_without_text_is_no_message_of_any_format() -> None:
    odd = [{"role": "user", "parts": [{"type": "text", "body": QUESTION}]}]
    with pytest.raises(NotRecognisedError):
        session_in(value(odd))


def test_a_text_part_whose_words_are_under_another_key_is_no_message_of_any_dialect() -> None:
    odd = [{"role": "user", "content": [{"type": "text", "body": QUESTION}]}]
    for data in (value(odd), lines({"messages": odd}, {"messages": odd}), value({"messages": odd})):
        with pytest.raises(NotRecognisedError):
            session_in(data)


def test_the_entry_that_keeps_a_list_from_being_recognised_is_named() -> None:
    odd = {"role": "user", "body": QUESTION}
    for data, place in ((value([*CHAT, odd]), "entry 4"), (lines(*CHAT, odd), "line 5")):
        with pytest.raises(
            NotRecognisedError,
            match=f"but {place} is not a message of any dialect.* `--format messages`, in Python format='messages',",
        ):
            session_in(data)


def test_tools_that_a_request_of_responses_adds_are_no_message_without_content() -> None:
    added = {"role": "developer", "type": "additional_tools", "tools": [{"type": "function", "name": "f"}]}
    asked = {"type": "message", "role": "user", "content": QUESTION}
    session = session_in(lines({"input": [added, asked]}, {"input": [asked]}))
    assert (session.format.name, session.unread) == ("log", ())
    assert told(session.conversations[0].history())[-1] == ("user", QUESTION)


def test_files_that_are_not_recognised_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(value([*CHAT, {"role": "user", "body": "x"}]))
    (tmp_path / "b.json").write_bytes(value({"name": "a package"}))
    result = CliRunner().invoke(app, ["doctor", str(tmp_path)])
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "0 sessions: 1 file not recognised, 1 other file"


def test_a_list_that_is_read_by_name_is_not_written_when_an_entry_would_be_lost(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    content = value([*CHAT[:2], {"role": "user", "body": "Said under a key that no dialect has."}])
    file.write_bytes(content)
    result = CliRunner().invoke(app, ["repair", str(file), "--format", "messages"])
    assert result.exit_code == 1
    assert "an entry would be lost" in result.output
    assert list(tmp_path.iterdir()) == [file]
    (conversation,) = from_file(file, format="messages")
    assert told(conversation.history())[0] == ("user", QUESTION)


def test_the_formats_are_listed() -> None:
    result = CliRunner().invoke(app, ["formats"])
    assert result.exit_code == 0
    assert all(f"{each.name}: " in result.output for each in FORMATS.values())


def test_lines_of_claude_code_and_codex_that_are_no_messages_are_counted() -> None:
    strange = {"type": "tool", "sessionId": "s", "message": {"role": "tool", "content": "Words of an unknown kind."}}
    for name, row, kind in (
        ("claude-code", strange, "lines of type tool"),
        (
            "codex",
            {"type": "event_msg", "payload": {"type": "brand_new", "text": "x"}},
            "lines of type event_msg brand_new",
        ),
    ):
        sample = next(each for each in SAMPLES if each.format == name)
        assert dict(session_in(sample.data + lines(row)).conversations[0].omitted)[kind] == 1


@needs_a_deep_stack
@every_sample
def test_text_that_nests_too_deep_to_be_parsed_is_text(sample: Sample) -> None:
    written = json.dumps(TEXT_ARGUMENTS)[1:-1].encode()
    data = sample.data.replace(written, b"[" * 100_000)
    session = session_in(data, chosen=FORMATS[sample.format])
    assert session.conversations
    assert [conversation.history() for conversation in session.conversations]
