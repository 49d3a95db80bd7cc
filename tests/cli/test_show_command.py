"""`show`: a readable, coloured transcript, with the repairs marked where they happened."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from message_history import MessageHistory
from message_history.cli.app import app
from tests.helpers import saved
from tests.needs import needs_pages

if TYPE_CHECKING:
    from pathlib import Path

CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.txt"}}
SESSION: dict[str, Any] = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Read it.\nPlease."}, {"type": "text", "text": " "}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, CALL]},
        {"role": "user", "content": "Well?"},
    ],
}


def show(*arguments: object, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(app, ["show", *map(str, arguments)])


def test_a_transcript_marks_each_repair_in_the_message_where_it_happened(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SESSION)
    result = show(file)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "system",
        "  Be brief.",
        "user [0]",
        "  ! entry 0: blank_text_dropped (lossy): Removed blank text",
        "  Read it.",
        "  Please.",
        "assistant [1]",
        "  Yes.",
        "  call toolu_1 read",
        '    {"path": "a.txt"}',
        "user [2]",
        "  ! entry 1: result_stubbed (synthetic): Added a stub for a call without a result: call 'toolu_1' of 'read': "
        "no result is recorded",
        "  error result toolu_1 (made: stub)",
        "    [No result is recorded for this call. The tool may or may not have run.]",
        "  Well?",
    ]
    assert list(tmp_path.iterdir()) == [file]


def test_colours_are_for_screens(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SESSION)
    assert "\x1b[" not in show(file).stdout
    coloured = show(file, FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="").stdout
    assert "\x1b[1;32muser\x1b[0m" in coloured
    assert "\x1b[33mresult_stubbed\x1b[0m" in coloured
    assert "\x1b[31mblank_text_dropped\x1b[0m" in coloured


def test_every_kind_of_block_can_be_shown(tmp_path: Path) -> None:
    entries: list[Any] = [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO" * 1_000}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}, "title": "T"},
                {"type": "search_result", "source": "s", "title": "t", "content": []},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
                {"type": "redacted_thinking", "data": "secret"},
                CALL,
                {**CALL, "id": "toolu_2"},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no such file", "is_error": True},
                {"type": "tool_result", "tool_use_id": "toolu_2"},
            ],
        },
        {"role": "system", "content": "Be kind."},
    ]
    result = show(saved(tmp_path / "a.json", entries))
    assert result.exit_code == 0, result.output
    shown = result.stdout
    assert "  image url https://example.org/a.png\n" in shown
    assert "  image base64 image/png (4,000 characters)\n" in shown
    assert "  document 'T' text text/plain x\n" in shown
    assert "search_result" in shown
    assert "  thinking\n    Hm.\n  thinking (encrypted)\n" in shown
    assert "secret" not in shown
    assert "  error result toolu_1\n    no such file\n  result toolu_2\n" in shown
    assert "  system\n    Be kind.\n" in shown


def test_a_repair_behind_the_last_message_is_shown_at_the_end(tmp_path: Path) -> None:
    file = saved(
        tmp_path / "a.json",
        [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": ""}],
    )
    assert show(file).stdout.splitlines()[-2:][0] == "end"
    assert show(file).stdout.splitlines()[-1].startswith("  ! entry 2: ")


def test_long_texts_are_cut_unless_asked_for(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "user", "content": "x" * 5_000}])
    assert show(file).stdout.endswith("  ... 3,000 more characters; --full shows them\n")
    assert "x" * 5_000 in show(file, "--full").stdout


def test_lines_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"role": "user", "content": "q"}\n{"role": "assis')
    result = show(file)
    assert result.exit_code == 1
    assert result.stderr == f"{file}: line 2: skipped: cut off\n"
    assert result.stdout == "user [0]\n  q\n"


def test_what_cannot_be_read_is_exit_code_2(tmp_path: Path) -> None:
    result = show(tmp_path / "nowhere")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path}/nowhere: error: there is no such file\n"


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "\x1b]0;title\x07", "[bold]markup[/bold] :smile:", "a\rb", "\u202eevil"]
)
def test_contents_cannot_steer_the_terminal(text: str, tmp_path: Path) -> None:
    shown = show(saved(tmp_path / "a.json", [{"role": "user", "content": f"x{text}"}])).stdout
    assert (
        shown
        == "user [0]\n  x"
        + "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
        + "\n"
    )


def test_a_screen_that_knows_only_ascii_is_no_failure(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", [{"role": "user", "content": "é 世界 \ud83d"}])
    result = CliRunner(charset="ascii").invoke(app, ["show", str(file)])
    assert result.exit_code == 0
    assert "\\xe9 \\u4e16\\u754c \\ud83d" in result.stdout
    assert "é 世界 \\ud83d" in show(file).stdout


def test_a_page_without_the_distribution_that_writes_it_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "message_history_pages", None)
    result = show(saved(tmp_path / "a.json", SESSION), "--html", tmp_path / "a.html")
    assert result.exit_code == 2
    assert "--html: message_history_pages is not installed; run: pip install 'message-history[pages]'" in result.stderr
    assert not (tmp_path / "a.html").exists()
    shown = MessageHistory().add_user("<b>")._repr_html_()
    assert shown.startswith("<pre>&lt;MessageHistory: 1 messages&gt;\n")
    assert shown.endswith("run: pip install &#x27;message-history[pages]&#x27;</pre>")


@needs_pages
def test_a_page_is_written_and_never_over_the_file_or_another_unasked(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SESSION)
    out = tmp_path / "a.html"
    result = show(file, "--html", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{file}: written: {out}\n"
    page = out.read_text()
    assert page.startswith("<!DOCTYPE html>")
    for shown in (
        "Be brief.",
        "a.txt",
        "The tool may or may not have run",
        "Removed blank text",
        "the provider answers",
    ):
        assert shown in page
    assert show(file, "--html", out).exit_code == 2
    assert show(file, "--html", out, "--force").exit_code == 0
    before = file.read_bytes()
    refused = show(file, "--html", file, "--force")
    assert refused.exit_code == 2
    assert "this is an input" in refused.stderr
    assert file.read_bytes() == before


@needs_pages
def test_a_page_can_show_what_changed(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SESSION)
    assert show(file, "--diff", "--html", tmp_path / "a.html").exit_code == 0
    page = (tmp_path / "a.html").read_text()
    assert "3 entries before, 3 after" in page
    assert "Added a stub for a call without a result" in page
    assert show(file, "--diff", "--dialect", "anthropic", "--html", tmp_path / "b.html").exit_code == 0
    assert (tmp_path / "b.html").read_text() == page


def test_what_changed_can_be_printed(tmp_path: Path) -> None:
    file = saved(tmp_path / "a.json", SESSION)
    result = show(file, "--diff")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("@@")
    assert [line[0] for line in lines[1:]] == ["-", "+", " ", "-", "+"]
    assert "The tool may or may not have run" in lines[-1]
    assert show(file, "--diff", "--full").exit_code == 2


def test_what_is_left_empty_by_a_repair_has_no_before_and_after(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"role": "user", "content": ""}\n')
    result = show(file, "--diff")
    assert result.exit_code == 1
    assert "it would hold no messages" in result.stderr
