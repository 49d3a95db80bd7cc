"""Files of programs that go on with them: whatever row is lost, the repaired file is sound and keeps the others."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from message_history import RepairCode
from message_history.cli.app import app
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS, _own_formats
from tests.formats.every_sample import SAMPLES
from tests.formats.story import ANSWER, LOOKING, QUESTION, RESULT, lines, value

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITTEN = {name for name, each in FORMATS.items() if each.repair is not None} - {"message-history", "log", "messages"}
ROWS = {
    f"{each.format}-{n}": (each.format, [json.loads(line) for line in each.data.splitlines()])
    for n, each in enumerate(SAMPLES)
    if each.format in WRITTEN and each.data.count(b"\n{") > 2
}
WHOLE = {
    f"{form}-{key}": (form, key, json.loads(data))
    for form, key, data in (
        *((each.format, "messages", each.data) for each in SAMPLES if each.format == "hermes"),
        *((each.format, "conversation", each.data) for each in SAMPLES if each.format == "goose"),
        *(
            (each.format, "messages", each.data)
            for each in SAMPLES
            if each.format in ("cline", "ai-sdk-model") and each.data[:1] == b"{"
        ),
    )
    if data.count(b"\n{") <= 2
}
"""Files that are one object, with the rows under a key."""
LOST_ITEMS = [(name, n) for name, (_, key, whole) in WHOLE.items() for n in range(len(whole[key]))]
LOST = [(name, n) for name, (_, rows) in ROWS.items() for n in range(1, len(rows))]


def laid_out(data: bytes, **how: Any) -> bytes:
    """Write a JSON value in another way."""
    return json.dumps(json.loads(data), **{"ensure_ascii": False, **how}).encode() + b"\n"


def test_these_are_the_programs_whose_files_are_written() -> None:
    written = {"claude-code", "codex", "pi", "gemini-cli", "copilot-cli", "ag-ui", "cohere", "ai-sdk", "ai-sdk-model"}
    assert {each for each in WRITTEN if each in _own_formats()} == written


MARKED: dict[str, Callable[[bytes], bytes]] = {
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda data: BOM_UTF8 + data,
}
LAYOUTS: dict[str, Callable[[bytes], bytes]] = {
    **MARKED,
    "tabs": lambda data: laid_out(data, indent="\t"),
    "four spaces and no last line end": lambda data: laid_out(data, indent=4)[:-1],
    "one line": laid_out,
    "one tight line": lambda data: laid_out(data, separators=(",", ":")),
    "escapes": lambda data: laid_out(data, indent=1, ensure_ascii=True),
}
"""How a program may write the same content: lines, and a whole value."""
TELLING = (QUESTION, LOOKING, RESULT, ANSWER)


def test_a_format_that_is_not_written_says_why() -> None:
    assert all(bool(each.unwritten) == (each.repair is None) for each in FORMATS.values())


@pytest.mark.parametrize(("name", "lost"), LOST)
def test_a_file_that_lost_a_row_is_sound_again_and_keeps_what_was_left(name: str, lost: int) -> None:
    form, rows = ROWS[name]
    is_sound_again(lines(*rows[:lost], *rows[lost + 1 :]), form)


@pytest.mark.parametrize(("name", "lost"), LOST_ITEMS)
def test_a_file_that_is_one_object_is_too(name: str, lost: int) -> None:
    form, key, whole = WHOLE[name]
    is_sound_again(value({**whole, key: whole[key][:lost] + whole[key][lost + 1 :]}), form)
    assert session_in(value(whole), chosen=FORMATS[form]).repair_file().data == value(whole)


def is_sound_again(data: bytes, form: str) -> None:
    """Hold a broken file to be sound once it is repaired, and to keep what was in it."""
    broken = session_in(data, chosen=FORMATS[form])
    repaired = broken.repair_file()
    assert repaired.after.violations() == []
    assert repaired.after.repair_file().data == repaired.data
    if not broken.violations():
        assert repaired.data == broken.data
        return
    assert dict(repaired.repairs)[""]
    removed = str([each.removed for _, found in repaired.repairs for each in found])
    for recorded in TELLING:
        if recorded.encode() in data:
            assert recorded.encode() in repaired.data or recorded in removed


def without_result(rows: list[Any]) -> list[Any]:
    at = next(n for n, row in enumerate(rows) if RESULT in json.dumps(row))
    return rows[:at] + rows[at + 1 :]


def is_laid_out_alike(broken: bytes, form: str, lay: Callable[[bytes], bytes]) -> None:
    """Hold a file that is repaired to be as it would be if it were laid out after that."""
    expected = session_in(broken, chosen=FORMATS[form]).repair_file().data
    assert session_in(lay(broken), chosen=FORMATS[form]).repair_file().data == lay(expected)


@pytest.mark.parametrize("layout", MARKED)
@pytest.mark.parametrize("name", ROWS)
def test_new_lines_are_laid_out_as_the_others(name: str, layout: str) -> None:
    form, rows = ROWS[name]
    is_laid_out_alike(lines(*without_result(rows)), form, MARKED[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", WHOLE)
def test_a_repaired_value_is_laid_out_as_it_was(name: str, layout: str) -> None:
    form, key, whole = WHOLE[name]
    broken = value({**whole, key: without_result(whole[key]), "more": "Größe"})
    is_laid_out_alike(laid_out(broken, indent=2), form, LAYOUTS[layout])


def test_a_list_that_is_laid_out_by_hand_stays_readable(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'[{"role": "user", "content": "hi"},\r\n {"role": "tool", "tool_call_id": "c", "content": "x"}]')
    result = CliRunner().invoke(app, ["repair", str(file), "-o", str(tmp_path / "b.json")])
    assert result.exit_code == 0
    assert (tmp_path / "b.json").read_bytes().startswith(b'[\r\n  {\r\n    "role": "user"')


def test_a_byte_order_mark_stays_at_the_begin_when_a_line_is_put_before_the_first() -> None:
    form, rows = ROWS[next(name for name in ROWS if name.startswith("claude-code"))]
    at = next(n for n, row in enumerate(rows) if RESULT in json.dumps(row))
    after = session_in(BOM_UTF8 + lines(*rows[at:]), chosen=FORMATS[form]).repair_file().data
    assert (after.startswith(BOM_UTF8), after.count(BOM_UTF8)) == (True, 1)


@pytest.mark.parametrize("name", ROWS)
def test_new_rows_are_linked_into_the_conversation(name: str) -> None:
    form, rows = ROWS[name]
    at = next(n for n, row in enumerate(rows) if RESULT in json.dumps(row))
    if LOOKING in json.dumps(rows[at]):
        pytest.skip("calls and results are in one row")
    broken = session_in(lines(*rows[:at], *rows[at + 1 :]), chosen=FORMATS[form])
    if not broken.violations():
        pytest.skip("the program itself adds results that are missing")
    repaired = broken.repair_file()
    made = [json.loads(line) for line in repaired.data.splitlines()]
    for id_key, parent_key in (("id", "parentId"), ("uuid", "parentUuid")):
        linked = [row for row in made if parent_key in row]
        ids = {row[id_key] for row in linked}
        assert len(ids) == len(linked)
        # One root, and the newest row leads back to it over all others.
        by_id: dict[Any, Any] = {row[id_key]: row for row in linked}
        way = []
        row = linked[-1] if linked else None
        while row is not None:
            way.append(row)
            row = by_id.get(row[parent_key])
        messages = [row for row in way if "message" in row]
        assert len(messages) == sum("message" in row for row in linked)


def test_calls_of_a_chat_of_gemini_cli_that_were_cancelled_get_results(tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.format == "gemini-cli")
    whole = json.loads(sample.data)
    del whole["messages"][1]["toolCalls"][0]["result"]
    file = tmp_path / "session-1.json"
    file.write_bytes(value(whole))
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 0
    (call,) = json.loads(file.read_bytes())["messages"][1]["toolCalls"]
    response = call["result"][0]["functionResponse"]
    assert (response["id"], list(response["response"])) == ("c1", ["error"])
    assert (tmp_path / "session-1.json.bak").read_bytes() == value(whole)


def test_a_file_with_an_entry_that_would_be_lost_is_not_written(tmp_path: Path) -> None:
    form, rows = ROWS[next(name for name in ROWS if name.startswith("pi"))]
    content = lines(*rows[:3], *rows[4:], {"type": "brand_new", "id": "x", "parentId": "m3"})
    orphan = {"type": "message", "id": "y", "parentId": "x", "message": {"role": "toolResult", "toolCallId": "gone"}}
    content += lines(orphan)
    session = session_in(content, chosen=FORMATS[form])
    assert session.violations()
    assert session.refusal is not None
    file = tmp_path / "s.jsonl"
    file.write_bytes(content)
    for command in (["repair", str(file)], ["doctor", "--fix", "--in-place", str(tmp_path)]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 1
        assert "an entry would be lost" in result.output
        assert list(tmp_path.iterdir()) == [file]
        assert file.read_bytes() == content


def test_a_result_of_pi_that_names_no_call_is_wrong_and_gets_the_id_of_its_call() -> None:
    form, rows = ROWS[next(name for name in ROWS if name.startswith("pi"))]
    nameless = lines(*rows).replace(b'"toolCallId"', b'"lostId"')
    broken = session_in(nameless, chosen=FORMATS[form])
    assert [found.rule for _, found in broken.violations()] == ["AN-B8"]
    assert [each.code for each in broken.conversations[0].history().repairs] == [RepairCode.ID_ASSIGNED]
    repaired = broken.repair_file()
    assert repaired.after.violations() == []
    assert repaired.after.repair_file().data == repaired.data
