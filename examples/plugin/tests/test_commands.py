"""The commands know the dialect and the format."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = [
    {"speaker": "USER", "text": "What is in a.txt?"},
    {"speaker": "AI", "actions": [{"key": "a1", "do": "read", "with": {}}]},
    {"speaker": "USER", "text": "Well?"},
]
LOG = '{"who": "human", "words": "Hi"}\n{"who": "bot", "words": "Hello."}\n'


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "message_history", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def saved(folder: Path) -> tuple[Path, Path]:
    broken, log = folder / "broken.json", folder / "log.jsonl"
    broken.write_text(json.dumps(BROKEN))
    log.write_text(LOG)
    return broken, log


def test_a_broken_list_is_found_explained_and_repaired(tmp_path: Path) -> None:
    broken, _ = saved(tmp_path)
    checked = run("check", broken)
    assert (checked.returncode, "TG-03: no outcome: a1" in checked.stdout) == (1, True)
    explained = run("explain", "action a1 has no outcome", broken)
    assert "tagged TG-03" in explained.stdout
    repaired = run("repair", broken, "--to", "tagged", "-o", tmp_path / "repaired.json")
    assert repaired.returncode == 0, repaired.stderr
    assert run("check", tmp_path / "repaired.json").returncode == 0


def test_a_log_is_recognised_and_goes_on_in_any_dialect(tmp_path: Path) -> None:
    broken, log = saved(tmp_path)
    told = run("doctor", "--json", broken, log)
    assert (told.returncode, '"toychat"' in told.stdout) == (1, True), told.stdout
    for dialect in ("tagged", "openai_chat"):
        converted = run("convert", log, "--to", dialect, "-o", "-")
        assert (converted.returncode, "Hello." in converted.stdout) == (0, True), converted.stderr
    assert "toychat: Toychat logs" in run("formats").stdout
