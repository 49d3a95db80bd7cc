"""Files of programs that go on with them: whatever row is lost, the repaired file is sound and keeps the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from message_history.cli.app import app
from message_history.formats.registry import _own_formats
from other_formats.samples import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

from tests.formats.test_repair_in_place import WRITTEN


def test_these_are_the_programs_whose_files_are_written() -> None:
    written = {"qwen-code", "droid", "kimi-cli", "hermes", "goose", "grok-cli", "cline"}
    assert {each for each in WRITTEN if each not in _own_formats()} == written


def test_a_broken_file_that_is_read_only_is_left_alone_and_the_exit_code_says_so(tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.format == "droid-stream")
    rows = [row for row in sample.data.splitlines(keepends=True) if b"tool_result" not in row]
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(rows))
    result = CliRunner().invoke(app, ["doctor", "--fix", "--in-place", str(tmp_path)])
    assert result.exit_code == 1
    assert "files of the format droid-stream are read, not written" in result.output
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"".join(rows)
