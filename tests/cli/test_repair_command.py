"""`repair`: a valid list is written, each repair is printed, and the input stays as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from message_history.cli.app import app
from message_history.files import disk
from message_history.files.files import FileForm, read_file
from message_history.files.repaired_lists import repair_file
from message_history.files.written_like import written_like
from message_history.violations import check
from tests.helpers import saved

if TYPE_CHECKING:
    from pathlib import Path

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
QUESTION: dict[str, Any] = {"role": "user", "content": "q"}
BROKEN: list[Any] = [QUESTION, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": "and?"}]


def repair(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["repair", *map(str, arguments)])


def test_a_valid_list_is_written_beside_the_input_and_each_repair_is_printed(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    before = file.read_bytes()
    result = repair(file)
    out = tmp_path / "a.repaired.json"
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"{file}: 1 repair (1 added)",
        "  entry 1: result_stubbed (synthetic): Added a stub for a call without a result: call 'toolu_1' of 'f': "
        "no result is recorded",
        f"  written: {out} (anthropic)",
    ]
    assert result.stderr == ""
    assert file.read_bytes() == before
    written = read_file(out)
    assert check(written.entries, written.dialect()) == []
    assert out.read_bytes() == written_like(repair_file(read_file(file)).data, before)
    assert b"\n" not in out.read_bytes()


def test_a_sound_file_is_written_as_it_is(tmp_path: Path) -> None:
    sound = [QUESTION, {"role": "assistant", "content": [{"type": "text", "text": "é"}]}]
    file = saved(tmp_path / "a.json", sound)
    result = repair(file)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{file}: nothing to repair\n")
    assert (tmp_path / "a.repaired.json").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("name", "value", "form"),
    [
        ("a.json", BROKEN, FileForm.LIST),
        ("a.json", {"model": "m", "messages": BROKEN, "n": [1]}, FileForm.OBJECT),
        ("a.jsonl", None, FileForm.LINES),
        ("session", BROKEN, FileForm.LIST),
        ("my.session.txt", BROKEN, FileForm.LIST),
    ],
)
def test_the_form_of_the_input_is_kept(name: str, value: Any, form: FileForm, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("\n".join(map(json.dumps, BROKEN)) if value is None else json.dumps(value))
    assert repair(file).exit_code == 0
    stem, dot, suffix = name.rpartition(".")
    out = tmp_path / (f"{stem}.repaired.{suffix}" if dot else "session.repaired.json")
    written = read_file(out)
    assert written.form is form
    assert check(written.entries, written.dialect()) == []
    if isinstance(value, dict):
        assert {key: held for key, held in json.loads(out.read_text()).items() if key != "messages"} == {
            "model": "m",
            "n": [1],
        }


def test_an_output_can_be_named(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    out = tmp_path / "fixed.json"
    assert repair(file, "-o", out).exit_code == 0
    assert len(read_file(out).entries) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "fixed.json"]


def test_a_folder_can_be_named_for_one_file_or_several(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    files = [saved(tmp_path / name, BROKEN) for name in ("a.json", "b.json")]
    assert repair(*files, "--output", folder).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["a.repaired.json", "b.repaired.json"]
    assert repair(files[0], "-o", folder, "--force").exit_code == 0


def test_several_files_need_a_folder(tmp_path: Path) -> None:
    files = [saved(tmp_path / name, BROKEN) for name in ("a.json", "b.json")]
    result = repair(*files, "-o", tmp_path / "one.json")
    assert result.exit_code == 2
    assert "-o must name a folder that exists when there are several files" in result.stderr
    assert not (tmp_path / "one.json").exists()


def test_an_output_that_exists_is_overwritten_only_by_force(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    out = tmp_path / "a.repaired.json"
    out.write_text("precious")
    result = repair(file)
    assert result.exit_code == 2
    assert result.stderr == f"{out}: error: the output exists; --force overwrites it\n"
    assert out.read_text() == "precious"
    assert repair(file, "--force").exit_code == 0
    assert out.read_text() != "precious"


@pytest.mark.parametrize("disguise", ["same", "relative", "symlink", "hard link"])
def test_the_input_is_never_overwritten_not_even_by_force(disguise: str, tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    before = file.read_bytes()
    out = tmp_path / "other.json"
    if disguise == "same":
        out = file
    elif disguise == "relative":
        (tmp_path / "x").mkdir()
        out = tmp_path / "x" / ".." / "a.json"
    elif disguise == "symlink":
        out.symlink_to(file)
    else:
        out.hardlink_to(file)
    result = repair(file, "-o", out, "--force")
    assert result.exit_code == 2
    assert "it is not overwritten" in result.stderr
    assert file.read_bytes() == before


def test_another_input_and_another_output_are_never_overwritten_either(tmp_path: Path) -> None:
    first = saved(tmp_path / "a.json", BROKEN)
    second = saved(tmp_path / "a.repaired.json", BROKEN)
    before = second.read_bytes()
    assert repair(first, second, "--force").exit_code == 2
    assert second.read_bytes() == before
    for name in ("x", "y", "out"):
        (tmp_path / name).mkdir()
    same = [saved(tmp_path / folder / "s.json", [QUESTION, {"role": "user", "content": folder}]) for folder in "xy"]
    result = repair(*same, "-o", tmp_path / "out", "--force")
    assert result.exit_code == 2
    assert '"x"' in (tmp_path / "out" / "s.repaired.json").read_text()


def test_an_output_that_cannot_be_written_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    result = repair(file, "-o", tmp_path / "nowhere" / "b.json")
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path}/nowhere/b.json: error: cannot be written: No such file or directory\n"
    assert result.stdout == ""


def test_an_output_that_is_a_folder_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", BROKEN)
    (tmp_path / "a.repaired.json").mkdir()
    result = repair(file, "--force")
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path}/a.repaired.json: error: the output is a folder\n"


def test_a_list_can_be_written_for_a_model(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "q"}])
    result = repair(file, "--to", "openai_chat", "--model", "o1-mini")
    assert result.exit_code == 0
    assert [entry["role"] for entry in read_file(tmp_path / "a.repaired.json").entries] == ["user"]
    without = repair(file, "--model", "o1-mini", "--force")
    assert without.exit_code == 2
    assert "--model needs --to" in without.stderr


def test_another_dialect_can_be_written(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", {"system": "Be brief.", "messages": BROKEN})
    result = repair(file, "--to", "openai_chat")
    assert result.exit_code == 0
    assert result.stdout.endswith("(openai_chat)\n")
    written = json.loads((tmp_path / "a.repaired.json").read_text())
    assert [message["role"] for message in written["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert "system" not in written
    assert repair(file, "--to", "latin").exit_code == 2


def test_a_system_prompt_that_has_no_place_in_the_list_is_written_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, [{"role": "system", "content": "Be brief."}, *BROKEN])))
    result = repair(file)
    out = tmp_path / "a.repaired.json"
    assert result.exit_code == 0
    assert "  the system prompt has no place in the list: written as an object that holds both\n" in result.stdout
    assert json.loads(out.read_text())["system"] == "Be brief."


def test_a_request_gets_a_turn_that_says_to_go_on(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [QUESTION, {"role": "assistant", "content": "a"}])
    assert repair(file).stdout.startswith(f"{file}: nothing to repair\n")
    result = repair(file, "--as-request", "--force")
    assert result.exit_code == 0
    assert "continuation_added (synthetic)" in result.stdout


def test_a_dialect_can_be_named(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "user", "content": "q", "name": "Ann"}])
    assert "nothing to repair" in repair(file).stdout
    assert "withheld" in repair(file, "--dialect", "anthropic", "--force").stdout


def test_lines_that_cannot_be_read_are_reported_and_skipped(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    rows = [*map(json.dumps, BROKEN), '{"role": "assistant", "content": "It is']
    file.write_text("\n".join(rows))
    result = repair(file)
    assert result.exit_code == 1
    assert result.stderr == f"{file}: line 4: skipped: cut off\n"
    assert "  line 2: result_stubbed" in result.stdout
    assert len(read_file(tmp_path / "a.repaired.jsonl").entries) == 3


def test_what_is_kept_in_another_form_is_reported_but_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps([{"role": "user", "content": [{"type": "odd", "n": 0}]}]).replace("0", "1" * 5_000))
    result = repair(file)
    assert result.exit_code == 0
    assert result.stderr == f"{file}: line 1: kept: an integer of 5000 digits is kept as text\n"


def test_a_file_of_which_nothing_is_left_is_exit_code_1(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "user", "content": " "}])
    result = repair(file)
    assert result.exit_code == 1
    assert "error: the provider would refuse this: AN-A1" in result.stderr
    assert json.loads((tmp_path / "a.repaired.json").read_text()) == []


def test_one_file_that_cannot_be_read_does_not_end_the_run(tmp_path: Path) -> None:
    file = saved(tmp_path / "b.json", BROKEN)
    result = repair(tmp_path / "nowhere", tmp_path, file)
    assert result.exit_code == 2
    assert result.stderr.count("error: ") == 2
    assert (tmp_path / "b.repaired.json").exists()


def test_repairs_without_words_show_what_was_removed(tmp_path: Path) -> None:
    file = saved(
        tmp_path / "a.json", [QUESTION, {"role": "assistant", "content": [{"type": "text", "text": ""}, CALL]}]
    )
    assert "  entry 1: blank_text_dropped (lossy): Removed blank text\n" in repair(file).stdout


def test_a_full_disk_leaves_no_half_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = saved(tmp_path / "a.json", BROKEN), tmp_path / "out.json"
    out.write_text("before")
    write = disk._write

    def full(descriptor: int, data: bytes) -> None:
        write(descriptor, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk, "_write", full)
    result = repair(file, "-o", out, "--force")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "out.json"]


def test_a_request_names_the_model_that_it_is_for(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", {"model": "gpt-4o", "messages": [{"role": "user", "content": "q"}]})
    result = repair(file, "--to", "anthropic", "--dialect", "openai_chat", "--model", "claude-opus-4-6")
    assert result.exit_code == 0
    assert json.loads((tmp_path / "a.repaired.json").read_text())["model"] == "claude-opus-4-6"
    assert "to send it, add: max_tokens\n" in result.stdout
