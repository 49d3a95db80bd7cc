"""The command as a whole: help, version, progress, a missing extra, and `python -m message_history`."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, version
from io import StringIO
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from message_history import plugins
from message_history.cli import main
from message_history.cli.app import COMMANDS, ELSEWHERE, app
from message_history.cli.exit_codes import ExitCode
from message_history.cli.printing import Printer, visible
from message_history.dialects import OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Iterator

BROKEN = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
]


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, timeout=60, env=known
    )


@pytest.mark.heavy
def test_python_dash_m_is_the_same_command(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(BROKEN))
    checked = python("-m", "message_history", "check", str(file))
    assert (checked.returncode, checked.stderr) == (1, "")
    assert checked.stdout == CliRunner().invoke(app, ["check", str(file)]).stdout
    repaired = python("-m", "message_history", "repair", str(file))
    assert (repaired.returncode, repaired.stderr) == (0, "")
    out = tmp_path / "a.repaired.json"
    assert python("-m", "message_history", "check", str(out)).returncode == 0
    shown = python("-m", "message_history", "show", str(file))
    assert shown.returncode == 0
    assert "! entry 1: result_stubbed" in shown.stdout
    assert python("-m", "message_history", "check", str(tmp_path)).returncode == 2


def test_the_commands_print_what_the_library_would_log(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(BROKEN))
    assert python("-m", "message_history", "show", str(file)).stderr == ""


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra_one_line_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['message-history', 'check', 'x']; "
    result = python("-c", code + "from message_history.cli import main; main()")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (f"message-history: {missing} is not installed; run: pip install 'message-history[cli]'\n")


def test_another_missing_module_is_not_taken_for_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "message_history.cli.app", None)
    with pytest.raises(ModuleNotFoundError):
        main()


def test_the_library_needs_neither_click_nor_rich() -> None:
    code = (
        "import sys, message_history, message_history.files.files; print(sorted({'click', 'rich'} & set(sys.modules)))"
    )
    assert python("-c", code).stdout == "[]\n"


def test_the_exit_codes_are_documented() -> None:
    recorded = CliRunner().invoke(app, ["--help"]).stdout
    for code in ExitCode:
        assert re.search(rf"^ +{code.value}  [`\w]", recorded, re.MULTILINE)
    for name in ("check", "repair", "show"):
        assert "exit code is 0" in " ".join(CliRunner().invoke(app, [name, "-h"]).stdout.split())


def test_wrong_usage_is_exit_code_2() -> None:
    for arguments in ([], ["check"], ["repair"], ["show"], ["repair", "x"], ["check", "--loud", "x"]):
        assert CliRunner().invoke(app, arguments).exit_code == 2, arguments


def test_the_version_names_python_and_the_extras_for_reports_of_bugs() -> None:
    shown = CliRunner().invoke(app, ["--version"], prog_name="message-history")
    assert shown.exit_code == 0
    first, system, *extras = shown.stdout.splitlines()
    assert first == f"message-history {version('message-history')}"
    assert python_version() in system
    assert f"  cli: click {version('click')}, rich {version('rich')}" in extras
    named = {line.strip().partition(":")[0] for line in extras}
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    wanted = set(tomllib.loads(text)["project"]["optional-dependencies"]) - {"dev"}
    assert wanted <= named, "an extra that is not named"


def test_what_is_missing_of_an_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from message_history.cli import app as module  # noqa: PLC0415

    monkeypatch.setattr(module, "EXTRAS", {"sql": ("no-such-package",)})
    assert (
        "  sql: not installed"
        in CliRunner().invoke(app, ["--version"], prog_name="message-history").stdout.splitlines()
    )


def test_many_files_have_a_progress_bar_on_a_screen() -> None:
    printer = Printer()
    screen = Console(file=StringIO(), force_terminal=True, width=80, color_system=None)
    printer._out = printer._err = screen
    assert list(printer.progress(["a.json", "b.json", "[c].json"])) == ["a.json", "b.json", "[c].json"]
    drawn = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "0/3" in drawn
    assert "3/3" in drawn
    assert "[c].json" in drawn


def test_one_file_or_no_screen_has_none() -> None:
    printer = Printer()
    screen = Console(file=StringIO(), force_terminal=True, width=80)
    printer._out = printer._err = screen
    assert list(printer.progress(["a.json"])) == ["a.json"]
    assert screen.file.getvalue() == ""  # type: ignore[attr-defined]
    printer._out = printer._err = pipe = Console(file=StringIO(), force_terminal=False)
    assert list(printer.progress(["a.json", "b.json"])) == ["a.json", "b.json"]
    assert pipe.file.getvalue() == ""  # type: ignore[attr-defined]


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps([{"role": "user", "content": "line\n" * 200_000}]))
    with subprocess.Popen(
        [sys.executable, "-m", "message_history", "show", "--full", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("size", [1, 200_000])
def test_an_output_that_takes_no_more_is_one_line_on_the_other(size: int, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps([{"role": "user", "content": "line\n" * size}]))
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "message_history", "show", "--full", str(file)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr == b"message-history: the output cannot be written: No space left on device\n"
    assert done.returncode == 2


def test_what_is_printed_is_visible() -> None:
    assert visible("a\tb\nc") == "a\\tb\\nc"
    assert visible("\0\x1b\x7f\x9b\u202e\ud800é") == "\\x00\\x1b\\x7f\\x9b\\u202e\\ud800é"


def test_the_command_leaves_the_logging_of_its_caller_alone() -> None:
    root = logging.getLogger()
    before = list(root.handlers), root.level
    CliRunner().invoke(app, ["show", "nowhere"])
    assert (list(root.handlers), root.level) == before


@pytest.mark.parametrize(
    ("words", "offered"),
    [("con", "convert"), ("convert --to gemini_i", "gemini_interactions"), ("check --form", "--format")],
)
def test_the_shell_completes_commands_options_and_dialects(
    words: str, offered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"message-history {words}"
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    monkeypatch.setenv("_MESSAGE_HISTORY_COMPLETE", "bash_complete")
    completed = CliRunner().invoke(app, prog_name="message-history", complete_var="_MESSAGE_HISTORY_COMPLETE")
    assert f"plain,{offered}" in completed.stdout.splitlines()


def test_a_module_without_its_package_says_which_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "message_history_measure", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        OpenAIChat.for_template("a.jinja")
    assert str(caught.value).endswith(" is not installed; run: pip install 'message-history[measure]'")
    assert caught.value.name


@click.command("greet")
def greet() -> None:
    """Greet."""
    click.echo("hello")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let another distribution add a command that works, one that cannot be imported, and one of a taken name."""
    entries = {
        "broken": EntryPoint("broken", "no_such_package:greet", plugins.COMMANDS),
        "check": EntryPoint("check", f"{__name__}:greet", plugins.COMMANDS),
        "greet": EntryPoint("greet", f"{__name__}:greet", plugins.COMMANDS),
    }
    monkeypatch.setattr(plugins, "entry_points_of", lambda group: entries if group == plugins.COMMANDS else {})
    plugins.plugin.cache_clear()
    yield
    plugins.plugin.cache_clear()


@pytest.mark.usefixtures("added")
@pytest.mark.filterwarnings("default")
def test_a_command_of_another_distribution_is_listed_and_run() -> None:
    assert CliRunner().invoke(app, ["greet"]).output == "hello\n"
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert re.search(r"^ +greet +Greet\.$", shown, re.MULTILINE)
    assert re.search(r"^ +check +Find what", shown, re.MULTILINE), "our own commands stay ours"
    assert not re.search("^ +broken", shown, re.MULTILINE)


@pytest.mark.usefixtures("added")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("argument", ["--help", "broken"])
def test_a_command_that_cannot_be_imported_is_named_and_hurts_no_other(argument: str) -> None:
    result = CliRunner().invoke(app, [argument])
    assert result.stderr.startswith(
        "no_such_package:greet (message_history.commands: broken) is left out: "
        "ModuleNotFoundError: No module named 'no_such_package'\n"
    )
    assert ("No such command 'broken'" in result.stderr) is (argument == "broken")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_command_that_an_extra_brings_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "entry_points_of", lambda _: {})
    result = CliRunner().invoke(app, [name, "x"])
    assert result.exit_code == 2
    assert f"{name} is not installed; run: pip install 'message-history[{ELSEWHERE[name].extra}]'" in result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_of_each_command_what_its_own_help_says_first(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").partition("\n\n")[0] == COMMANDS[name].sentence


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_help_says_the_same_of_our_commands_elsewhere_and_imports_none(name: str) -> None:
    if name not in plugins.entry_points_of(plugins.COMMANDS):
        pytest.skip("its distribution is not installed")
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert " ".join((command.help or "").partition("\n\n")[0].split()) == ELSEWHERE[name].sentence
    code = (
        "import atexit, sys; sys.argv = ['message-history', '--help']; "
        "atexit.register(lambda: print('imported', [name for name in sys.modules if name.endswith('.command')])); "
        "from message_history.cli import main; main()"
    )
    assert "imported []" in python("-c", code).stdout


def test_the_help_imports_no_command_of_ours() -> None:
    code = (
        "from message_history import plugins; plugins.entry_points_of = lambda group: {}; "
        "import atexit, sys; sys.argv = ['message-history', '--help']; cli = 'message_history.cli.'; "
        "atexit.register(lambda: print([name for name in sys.modules if name.startswith(cli)])); "
        "from message_history.cli import main; main()"
    )
    shown = python("-c", code).stdout
    assert "['message_history.cli.app']" in shown
    assert all(name in shown for name in COMMANDS)


def test_an_option_that_is_missing_is_asked_for_with_its_choices_in_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("[]")
    result = CliRunner().invoke(app, ["convert", str(file)])
    assert result.exit_code == 2
    assert "Missing option '--to'" in result.stderr
    assert "\n\tanthropic," in result.stderr


def test_a_mistyped_command_is_told_the_nearest() -> None:
    ran = CliRunner().invoke(app, ["chek", "x.json"])
    assert ran.exit_code == 2
    assert "Error: No such command 'chek'. Did you mean 'check'?" in ran.stderr
    assert "Did you mean" not in CliRunner().invoke(app, ["zzzz"]).stderr


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one() -> None:
    ran = CliRunner().invoke(app, ["convert", "--to", "openai", "x.json"])
    assert ran.exit_code == 2
    assert "Did you mean 'openai_chat'?" in ran.stderr
    assert "Did you mean" not in CliRunner().invoke(app, ["convert", "--to", "zzzz", "x.json"]).stderr


@pytest.mark.parametrize(
    ("command", "option", "near"),
    [
        ("check", "--jsn", "--json"),
        ("check", "--to", None),  # with its dashes it is near `--json`
        ("check", "--zz", None),
    ],
)
def test_an_option_that_a_command_lacks_is_answered_with_the_nearest(
    command: str, option: str, near: str | None
) -> None:
    ran = CliRunner().invoke(app, [command, option, "x"])
    assert ran.exit_code == 2
    assert ran.stderr.endswith(f"No such option '{option}'.{f' Did you mean {near!r}?' if near else ''}\n")


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app.get_command(click.Context(app), "formats"), "callback", interrupted)
    assert CliRunner().invoke(app, ["formats"]).exit_code == 130


def test_the_sentences_of_help_are_whole() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert "..." not in text.partition("Commands:")[2]
    assert "Find what the provider would refuse in each FILE; nothing is written." in text
