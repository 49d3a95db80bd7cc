from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.compiling.conversations import agent, crashed, write_lines

from message_history.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["compile", *map(str, arguments)])
    return done.exit_code, done.output


def test_rows_are_written_and_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed()])
    code, output = run(path, "--to", "openai", "--out", tmp_path / "out")
    assert code == 0
    assert "2 rows, 2 of them repaired, 0 rejected" in output
    assert "repaired: result_stubbed: 1" in output
    assert len((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_what_is_rejected_shows_in_the_exit_code(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), {"messages": [{"role": "user", "content": "a"}]}])
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out", "--split", "test=0.5", "--dedupe")
    assert code == 1
    assert "rejected: nothing_to_learn: 1" in output
    rejected = json.loads((tmp_path / "out" / "rejected.jsonl").read_text(encoding="utf-8"))
    assert rejected["reason"] == "it has no assistant message"


def test_wrong_usage_says_what_to_do(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent()])
    code, output = run(path, "--to", "chat-template", "--out", tmp_path / "out")
    assert (code, "--template" in output) == (2, True)
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out", "--split", "test")
    assert (code, "test=0.1" in output) == (2, True)
    code, output = run(tmp_path / "nonesuch", "--to", "trl", "--out", tmp_path / "out")
    assert (code, "no such file" in output) == (2, True)
    assert run(path, "--to", "trl", "--out", tmp_path / "out")[0] == 0
    code, output = run(path, "--to", "openai", "--out", tmp_path / "out")
    assert (code, "another run" in output) == (2, True)
