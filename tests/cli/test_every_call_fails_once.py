"""Whatever call to the system fails while a command writes: what was there is whole, and once more works."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from message_history.cli.app import app
from tests.faults import Faults
from tests.needs import needs_pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="failures are those of POSIX"),
]
CALL = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
BROKEN = json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": [CALL]}]).encode()
COMMANDS = {
    "repair": ("repair", "in/a.json", "-o", "out.json", "--force"),
    "doctor": ("doctor", "in", "--fix", "--force"),
    "doctor in place": ("doctor", "in", "--fix", "--in-place"),
    "convert": ("convert", "in/a.json", "--to", "openai_chat", "-o", "out.json", "--force"),
    "show": ("show", "in/a.json", "--html", "out.html", "--force"),
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def run(folder: Path, name: str) -> tuple[int, BaseException | None, str]:
    """Run a command in a folder."""
    before = os.getcwd()  # noqa: PTH109 - what is watched is os
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, COMMANDS[name])
    finally:
        os.chdir(before)
    return done.exit_code, done.exception, done.output


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def prepared(folder: Path) -> Path:
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "a.json").write_bytes(BROKEN)
    return folder


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from there on"])
@pytest.mark.parametrize("name", [pytest.param(each, marks=needs_pages if each == "show" else ()) for each in COMMANDS])
def test_each_call_to_the_system_fails(tmp_path: Path, name: str, lasting: bool) -> None:
    sound = prepared(tmp_path / "sound")
    code = run(sound, name)[0]
    wanted = files(sound)
    assert wanted != {"in/a.json": BROKEN}
    for n in range(2_000):
        folder = prepared(tmp_path / str(n))
        faults = Faults(n, lasting=lasting)
        with faults.injected():
            failed, error, output = run(folder, name)
        # `main` writes what the system says as one line.
        assert error is None or isinstance(error, SystemExit | OSError), f"{faults.failed[0]}, call {n}: {error!r}"
        now = files(folder)
        # The file is as it was, or what it was to become; nothing is half written.
        assert all(content in (BROKEN, wanted.get(path)) for path, content in now.items()), f"{faults.failed}, call {n}"
        assert BROKEN in now.values()
        if not faults.failed:
            assert (failed, now) == (code, wanted)
            assert n > 5
            return
        if failed == code and not lasting:
            assert now == wanted or output.strip()
        run(folder, name)
        again = files(folder)
        assert {path: again.get(path) for path in wanted} == wanted
    pytest.fail("there is no end of calls")
