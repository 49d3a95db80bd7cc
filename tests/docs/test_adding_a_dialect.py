"""The dialect that `docs/adding_a_dialect.md` builds works: the files are taken from the page and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from tests.distributions import forget_plugins, lay_out
from tests.needs import needs_processes

from message_history import ImageBlock, MessageHistory, RepairCode, check
from message_history.dialects.registry import DIALECTS
from message_history.explaining import explain
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from message_history.integrations.strategies import histories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.dialects import Dialect

PAGE = Path(__file__).parents[2] / "docs" / "adding_a_dialect.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
SAMPLE = json.loads(re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[0])


PACKAGE = "sharegpt_dialect"
FILES = {name: text for name, text in BLOCKS.items() if "/" not in name and name != "pyproject.toml"}
POINTS = tomllib.loads(BLOCKS["pyproject.toml"])["project"]["entry-points"]


def installed(folder: Path) -> Path:
    """Lay the page's distribution out as if it were installed."""
    return lay_out(folder, PACKAGE, POINTS, {f"{PACKAGE}/{name}": text for name, text in FILES.items()})


@pytest.fixture(scope="module")
def sharegpt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dialect[Any]]:
    """Install the page's distribution: that is all."""
    place = str(installed(tmp_path_factory.mktemp("installed")))
    sys.path.insert(0, place)
    forget_plugins()
    yield DIALECTS["sharegpt"]
    sys.path.remove(place)
    forget_plugins()


def test_the_sample_is_found_by_its_shape_and_comes_back_as_it_was(sharegpt: Dialect[Any]) -> None:
    history = MessageHistory.from_list(SAMPLE)
    assert not history.repairs
    assert history.system == "Be brief."
    assert [call.name for message in history for call in message.calls] == ["now"]
    assert history.as_sent().for_send(sharegpt)[:5] == SAMPLE
    assert not check(SAMPLE, sharegpt)
    assert type(sharegpt).__module__ == PACKAGE


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ([], "SG-01"),
        ([{"from": "nobody", "value": "x"}], "SG-02"),
        (SAMPLE[:3], "SG-03"),
        ([SAMPLE[1], SAMPLE[2], SAMPLE[4]], "SG-03"),
        ([SAMPLE[1], SAMPLE[3]], "SG-03"),
    ],
)
def test_a_broken_list_is_found_and_repaired(sharegpt: Dialect[Any], raw: list[Any], rule: str) -> None:
    assert [violation.rule for violation in check(raw, sharegpt)] == [rule]
    wire = MessageHistory.from_list(raw, dialect=sharegpt).for_send(sharegpt)
    assert not wire or not check(wire, sharegpt)


def test_every_export_is_valid_and_comes_back(sharegpt: Dialect[Any]) -> None:
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(sharegpt)
        assert not wire or not check(wire, sharegpt)
        loaded = MessageHistory.from_list(wire, dialect=sharegpt)
        assert loaded.for_send(sharegpt) == wire

    law()


def test_what_has_no_place_is_recorded_and_an_error_text_leads_to_its_rule(sharegpt: Dialect[Any]) -> None:
    history = MessageHistory().add_user([ImageBlock({"type": "url", "url": "https://example.com/a"})])
    assert [repair.code for repair in history.export(sharegpt).repairs] == [
        RepairCode.WITHHELD,
        RepairCode.PLACEHOLDER_ADDED,
    ]
    assert explain("conversations must not be empty", sharegpt)[0].rule.id == "SG-01"


def test_keys_without_a_place_are_recorded(sharegpt: Dialect[Any]) -> None:
    call = {"name": "now", "arguments": {}, "token2": 1}
    raw = [
        {"from": "system", "value": "s", "token0": 1},
        {"from": "human", "value": "q", "token1": 1},
        {"from": "function_call", "value": json.dumps(call)},
        {"from": "observation", "value": "10:30", "token3": 1},
    ]
    history = MessageHistory.from_list(raw, dialect=sharegpt)
    export = history.export(sharegpt)
    recorded = str([repair.removed for repair in export.repairs])
    assert [f"token{n}" in recorded for n in range(4)] == [True] * 4


@pytest.mark.parametrize("odd", [[], {}, None, 7])
def test_lists_of_others_with_odd_values_under_its_key_are_read(sharegpt: Dialect[Any], odd: object) -> None:
    raw: list[Any] = [{"from": odd, "value": "v"}, {"role": "user", "content": "q"}]
    assert not sharegpt.owns(raw[0])
    assert MessageHistory.from_list(raw)[-1].text == "q"


@pytest.mark.parametrize(("text", "readable"), [('{"a": 1}', True), ('{"a', False)])
def test_arguments_that_are_text_are_a_call(sharegpt: Dialect[Any], text: str, readable: bool) -> None:
    value = json.dumps({"name": "now", "arguments": text})
    raw = [SAMPLE[1], {"from": "function_call", "value": value}, SAMPLE[3], SAMPLE[1]]
    history = MessageHistory.from_list(raw, dialect=sharegpt)
    for read in (history, MessageHistory.from_list(history.for_send(sharegpt), dialect=sharegpt)):
        (call,) = read[1].calls
        assert call.readable is readable
        assert call.input == ({"a": 1} if readable else {"_raw": text})


@needs_processes
def test_the_files_are_written_as_those_of_the_project(tmp_path: Path) -> None:
    folder = tmp_path / "src" / PACKAGE
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    config = ["--no-cache", "--config", str(PAGE.parents[1] / "pyproject.toml")]
    config += ["--config", f"lint.isort.known-first-party=['{PACKAGE}']"]
    config += ["--config", "lint.isort.known-third-party=['message_history']"]
    for command in (["check", *config], ["format", "--check", *config]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(folder)], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.heavy
@needs_processes
def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    place = installed(tmp_path)
    file = tmp_path / "test_sharegpt.py"
    file.write_text(BLOCKS["tests/test_sharegpt.py"], encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(place)}
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_plain_messages_among_entries_are_read(sharegpt: Dialect[Any]) -> None:
    raw = [
        SAMPLE[1],
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
    ]
    history = MessageHistory.from_list(raw, dialect=sharegpt)
    assert not history.repairs
    assert [entry["value"] for entry in history.for_send(sharegpt)] == [SAMPLE[1]["value"], "hi", "go"]


def test_the_command_line_checks_its_files(sharegpt: Dialect[Any], tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text(json.dumps(SAMPLE))
    session = session_in(file.read_bytes(), chosen=FORMATS["messages"])
    assert [each.violations(sharegpt) for each in session.conversations] == [[]]
