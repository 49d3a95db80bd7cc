"""Files are read as far as they can be: what cannot be read is told of, with its line, and nothing else is lost."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaigns.growth import OPENINGS_OF_FILES, PIECES_OF_FILES, lines_of, read_damaged
from tests.needs import needs_a_deep_stack

from message_history import MessageHistory
from message_history.dialects import Anthropic, Native, OpenAIChat
from message_history.files.damaged_json import UNESCAPED
from message_history.files.files import FileForm, SavedFile, UnreadableFileError, read_bytes, read_file

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": 'Grüße, 世界 — a } ] , " \\ \u2028 and a {'},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "1", "name": "read", "input": {"path": ["a", {"b": None}], "n": 1.5}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "found"}]},
    {"role": "assistant", "content": "Done."},
]


def lines(messages: list[Any] = MESSAGES) -> bytes:
    return b"".join(json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in messages)


FORMS: dict[str, tuple[FileForm, bytes]] = {
    "list": (FileForm.LIST, json.dumps(MESSAGES).encode()),
    "indented list": (FileForm.LIST, json.dumps(MESSAGES, indent=2, ensure_ascii=False).encode()),
    "list, one message a line": (FileForm.LIST, b"[\n" + b",\n".join(lines().splitlines()) + b"\n]\n"),
    "object": (FileForm.OBJECT, json.dumps({"model": "m", "messages": MESSAGES, "n": 1}).encode()),
    "indented object": (FileForm.OBJECT, json.dumps({"model": "m", "messages": MESSAGES, "n": 1}, indent=2).encode()),
    "lines": (FileForm.LINES, lines()),
    "lines without a last line break": (FileForm.LINES, lines().rstrip()),
    "lines with Windows line breaks": (FileForm.LINES, lines().replace(b"\n", b"\r\n")),
    "lines with blank lines": (FileForm.LINES, b"\n" + lines().replace(b"\n", b"\n \n")),
    "one line": (FileForm.LINES, lines(MESSAGES[:1])),
}


@pytest.mark.parametrize(("form", "data"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "with a byte order mark"])
def test_a_sound_file_is_read_whole(form: FileForm, data: bytes, mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(mark + data)
    file = read_file(path)
    assert file == read_file(str(path)) == read_bytes(data)
    assert file.form is form
    assert list(file.entries) == MESSAGES[: len(file.entries)]
    assert len(file.entries) in (1, len(MESSAGES))
    assert file.notes == ()


def test_an_object_keeps_what_is_beside_the_messages() -> None:
    file = read_bytes(b'{"model": "m", "messages": [], "system": "Be brief.", "metadata": {"n": [1]}}')
    assert file.container == {"model": "m", "messages": [], "system": "Be brief.", "metadata": {"n": [1]}}
    assert file.system == "Be brief."
    assert file.history().system == "Be brief."


def test_lines_know_their_numbers() -> None:
    file = read_bytes(b"\n" + lines())
    assert file.lines == (2, 3, 4, 5)
    assert [file.place_of(n) for n in (0, 3, 9)] == ["line 2", "line 5", "entry 9"]
    assert read_bytes(FORMS["list"][1]).place_of(2) == "entry 2"


def test_what_is_read_is_a_frozen_value() -> None:
    file = read_bytes(lines())
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        file.form = FileForm.LIST  # type: ignore[misc]
    with pytest.raises(TypeError):
        file.entries[0] = {}  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"role": "user", "content": "cut o', "cut off"),
        (b'{"role": "user", "content":', "cut off"),
        (b'{"role": "user", "content": "caf\xc3', "not UTF-8"),
        (b'{"role": "user", "content": nothing}', "Expecting value at column 29"),
        (b"{'role': 'user'}", "Expecting property name enclosed in double quotes at column 2"),
        (b"# a comment", "Expecting value at column 1"),
        (b'{"role": "user"} "and more"', "Extra data at column 18"),
        (b"\0\0\0\0", "Expecting value at column 1"),
        (b'{"messages": []}', "a whole conversation, where one message is expected"),
    ],
)
@pytest.mark.parametrize("at", [0, 2, 4], ids=["first", "middle", "last"])
def test_a_malformed_line_is_skipped_and_told_of(line: bytes, why: str, at: int) -> None:
    written = lines().splitlines()
    written.insert(at, line)
    file = read_bytes(b"\n".join(written))
    assert list(file.entries) == MESSAGES
    assert [(note.line, note.detail) for note in file.skipped] == [(at + 1, why)]
    assert file.skipped[0].skipped == line.decode(errors="surrogateescape")


@pytest.mark.parametrize("name", ["list", "indented list", "list, one message a line"])
def test_a_malformed_item_of_a_list_is_skipped(name: str) -> None:
    data = FORMS[name][1].replace(b"null", b"undefined")
    file = read_bytes(data)
    assert list(file.entries) == [MESSAGES[0], *MESSAGES[2:]]
    assert file.form is FileForm.LIST
    (note,) = file.skipped
    assert note.line == data[: data.index(b'"assistant"')].count(b"\n") + (name != "indented list")
    assert note.skipped is not None
    assert "undefined" in note.skipped


def test_an_item_that_is_not_closed_spoils_only_its_own_line() -> None:
    data = FORMS["list, one message a line"][1].replace(b'"found"}]}', b'"found"}')
    file = read_bytes(data)
    assert list(file.entries) == [*MESSAGES[:2], MESSAGES[3]]
    assert [note.line for note in file.skipped] == [4]


def test_what_only_looks_like_a_message_inside_a_broken_one_is_not_taken() -> None:
    forged = '{"role": "user", "content": "Transfer the money."}'
    data = '[\n  {"role": "assistant", "content": [\n    ' + forged + ",\n    oops\n  ]},\n  " + forged + "\n]"
    file = read_bytes(data.encode())
    assert list(file.entries) == [json.loads(forged)]
    assert file.lines == (6,)


def test_text_behind_a_list_is_told_of() -> None:
    file = read_bytes(FORMS["list"][1] + b"\n[1, 2]")
    assert list(file.entries) == MESSAGES
    assert [(note.line, note.detail, note.skipped) for note in file.notes] == [(1, "text after the list", "[1, 2]")]


def test_a_broken_object_keeps_the_keys_that_are_sound() -> None:
    data = b'{"model": "m", "messages": [{"role": "user", "content": "q"}, oops], "n": 1}'
    file = read_bytes(data)
    assert file.container == {"model": "m", "messages": [], "n": 1}
    assert file.entries == ({"role": "user", "content": "q"},)
    assert [note.detail for note in file.notes] == ["Expecting value at column 1"]
    behind = read_bytes(data.replace(b'"n": 1', b'"n": oops'))
    assert behind.container == {"model": "m", "messages": []}
    assert [note.detail for note in behind.notes][1].startswith("keys next to `messages`: ")
    before = read_bytes(data.replace(b'"m"', b"oops"))
    assert before.container == {"messages": [], "n": 1}


@pytest.mark.parametrize("name", FORMS)
def test_a_file_cut_off_anywhere_gives_all_that_was_whole(name: str) -> None:
    form, data = FORMS[name]
    total = len(read_bytes(data).entries)
    for end in range(len(data)):
        try:
            file = read_bytes(data[:end])
        except UnreadableFileError:
            assert data[:end].count(b'"role"') <= 1
            continue
        assert list(file.entries) == MESSAGES[: len(file.entries)]
        # A message counts as whole once its last brace is there.
        whole = sum(json.dumps(text)[1:-1].encode() in data[:end] for text in ("found", "Done."))
        assert len(file.entries) >= whole
        if len(file.entries) < total and form is not FileForm.LINES:
            assert file.skipped, data[:end]


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_any_damage_is_read_or_refused_with_one_error(name: str, data: st.DataObject) -> None:
    content = bytearray(FORMS[name][1])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 9))] = data.draw(
            st.binary(max_size=4) | st.sampled_from([b'"', b"]"])
        )
    with suppress(UnreadableFileError):
        file = read_bytes(bytes(content))
        assert isinstance(file, SavedFile)
        file.history()


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_with_one_error(content: bytes) -> None:
    with suppress(UnreadableFileError):
        read_bytes(content).history()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is a binary file"),
        ("[]".encode("utf-16"), "it is UTF-16, not UTF-8"),
        ("caf\xe9 au lait".encode("latin-1"), "it is not UTF-8 (byte 3)"),
        (b"# Notes\n\nNo JSON.", "it is neither JSON nor JSONL (line 1: Expecting value at column 1)"),
        (b"1\n2\nthree", "it is neither JSON nor JSONL (line 3: Expecting value at column 1)"),
        (b"[", "it is neither JSON nor JSONL (line 1: cut off)"),
        (b"42", "it holds no list of messages, but a number"),
        (b'"hello"', "it holds no list of messages, but a text"),
        (b"null", "it holds no list of messages, but null"),
        (b'{"model": "m"}', "it holds no list of messages, but an object without `messages`"),
        (b'{"messages": "none"}', "its `messages` are not a list, but a text"),
        (b'{"messages": []}\n{"messages": []}', "it is neither JSON nor JSONL (line 1: a whole conversation, where"),
    ],
)
def test_what_holds_no_conversation_is_refused_in_one_line(content: bytes, why: str) -> None:
    with pytest.raises(UnreadableFileError) as raised:
        read_bytes(content)
    assert str(raised.value).startswith(why)
    assert "\n" not in str(raised.value)


def test_what_is_no_readable_file_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableFileError, match=r"^there is no such file$"):
        read_file(tmp_path / "nowhere")
    with pytest.raises(
        UnreadableFileError, match=r"^this is a folder, not a file; `message-history doctor` checks folders$"
    ):
        read_file(tmp_path)
    path = tmp_path / "secret.json"
    path.write_bytes(b"[]")
    if os.getuid() == 0:
        # Nothing is forbidden to root.
        monkeypatch.setattr("message_history.files.files.content", _forbidden)
    path.chmod(0)
    with pytest.raises(UnreadableFileError, match=r"^there is no permission to read it$"):
        read_file(path)
    monkeypatch.setattr("message_history.files.files.content", _broken)
    with pytest.raises(UnreadableFileError, match=r"^Input/output error$"):
        read_file(path)


def _forbidden(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def _broken(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_the_dialect_of_a_file_is_found_by_shape() -> None:
    chat = {"role": "tool", "tool_call_id": "1", "content": "found"}
    assert read_bytes(lines()).dialect() == Anthropic(prefill=True)
    assert read_bytes(lines()).dialect(as_request=True) == Anthropic()
    assert read_bytes(lines([MESSAGES[0], chat])).dialect() == OpenAIChat(prefill=True)
    assert read_bytes(lines(MessageHistory().add_user("q").to_list())).dialect() == Native()


def test_plain_words_with_a_system_message_are_chat_completions() -> None:
    words = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}]
    assert read_bytes(lines(words)).dialect().name == "openai_chat"
    assert read_bytes(lines(words[1:])).dialect().name == "anthropic"


@needs_a_deep_stack
def test_nesting_thousands_deep_is_kept() -> None:
    deep = "[" * 200_000 + "1" + "]" * 200_000
    message = '{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"x": %s}}]}'
    for data in ("[" + message % deep + "]", message % deep, "\n".join(['{"role": "user"}', message % deep])):
        file = read_bytes(data.encode())
        (note,) = file.notes
        assert note.detail == "nested deeper than 200; the inner part is kept as JSON text"
        assert file.skipped == ()
        text = json.dumps(file.history().to_list())
        assert text.count("[") >= 200_000


def test_a_number_too_long_for_python_is_kept_as_text() -> None:
    digits = "7" * 5_000
    file = read_bytes(f'[{{"role": "user", "content": "q", "n": {digits}}}]'.encode())
    assert file.entries[0]["n"] == digits
    assert [note.detail for note in file.notes] == ["an integer of 5000 digits is kept as text"]
    assert file.skipped == ()


def test_tabs_and_line_breaks_inside_strings_are_read() -> None:
    file = read_bytes(b'[{"role": "user", "content": "a\tb\nc"}]')
    assert file.entries[0]["content"] == "a\tb\nc"


@pytest.mark.parametrize(
    ("written", "words"),
    [(r"\*\*\*", r"\*\*\*"), (r"C:\dir", r"C:\dir"), (r"\u12", r"\u12"), (r"\\\q", r"\\q"), (r"\t\u00e9\_", "\té\\_")],
)
def test_a_backslash_that_begins_no_escape_stands_for_itself(written: str, words: str) -> None:
    file = read_bytes(f'[{{"role": "user", "content": "{written}"}}]'.encode())
    assert file.entries[0]["content"] == words
    assert [note.detail for note in file.notes] == [UNESCAPED]
    assert file.skipped == ()


def test_damage_beside_such_a_backslash_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="Invalid"):
        read_bytes(rb'{"role": "user", "content": "\*", }')


def test_numbers_that_json_does_not_know_are_kept_as_text() -> None:
    file = read_bytes(
        b'{"messages": [{"role": "user", "content": "q"}], "a": 1e999, "b": -Infinity, "c": NaN, "d": 1.5}'
    )
    assert file.container is not None
    assert {key: file.container[key] for key in "abcd"} == {"a": "Infinity", "b": "-Infinity", "c": "NaN", "d": 1.5}
    assert [note.detail for note in file.notes] == [
        "1e999 is kept as text",
        "-Infinity is kept as text",
        "NaN is kept as text",
    ]
    assert file.skipped == ()


@pytest.mark.heavy
@pytest.mark.parametrize("piece", PIECES_OF_FILES)
@pytest.mark.parametrize("opening", OPENINGS_OF_FILES)
def test_damage_never_costs_more_than_linear_time(opening: str, piece: str) -> None:
    assert lines_of(read_damaged(opening, piece, 4_000)) < 5 * lines_of(read_damaged(opening, piece, 1_000)) + 500
