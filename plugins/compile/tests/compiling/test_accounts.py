"""Every conversation is a row or has a reason, and every column of a row is in one of them."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.needs import needs_processes

from compiling.conversations import agent, compile_all, crashed, reason_of, row_of, write_lines
from compiling.test_command import run
from message_history_compile import counting
from message_history_compile.plan import Plan
from message_history_compile.rows import Rejected
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from pathlib import Path

TRL = Plan(target="trl")
ASKED = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "This."}]
CALLED = [{"from": "human", "value": "Sum?"}, {"from": "gpt", "value": ""}, {"from": "tool", "value": "30"}]


def rejected_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rejected.jsonl").read_text(encoding="utf-8").splitlines()]


def test_images_of_a_row_stand_where_its_text_says() -> None:
    messages = [{"role": "user", "content": "<image>Who are <image>?"}, ASKED[1]]
    item = {"messages": messages, "images": ["a.jpg", "https://example.test/b.png"]}
    assert reason_of(item, "trl") == "media"
    assert row_of(item, "openai_chat")["messages"][0]["content"] == [
        {"type": "image_url", "image_url": {"url": "a.jpg"}},
        {"type": "text", "text": "Who are "},
        {"type": "image_url", "image_url": {"url": "https://example.test/b.png"}},
        {"type": "text", "text": "?"},
    ]
    assert row_of(item, "trl", media="omit")["messages"][0]["content"] == "Who are ?"
    assert reason_of({**item, "images": ["a.jpg"]}, "openai_chat") == "media"
    assert reason_of({**item, "images": [{"bytes": "x"}] * 2}, "openai_chat") == "media"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_images_of_a_file_of_few_rows_are_in_them(count: int, tmp_path: Path) -> None:
    item = {"messages": [{"role": "user", "content": "<image>Who?"}, ASKED[1]], "images": ["a.jpg"]}
    write_lines(tmp_path / "in.jsonl", [item] * count)
    compile_files([tmp_path / "in.jsonl"], Plan(target="openai_chat"), tmp_path / "out")
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "train").iterdir())
    assert text.count('{"type":"image_url","image_url":{"url":"a.jpg"}}') == count


@pytest.mark.parametrize("column", ["audios", "videos"])
def test_sound_and_films_have_no_place(column: str) -> None:
    assert reason_of({"messages": ASKED, column: ["a.mp4"]}, "parquet") == "media"


def test_tools_as_text_are_tools() -> None:
    tool = {"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object"}}}
    assert row_of({"messages": ASKED, "tools": json.dumps([tool])}, "trl")["tools"] == [tool]


@pytest.mark.parametrize("column", ["system_prompt", "output", "functions"])
def test_a_column_that_would_be_lost_rejects_its_row(column: str) -> None:
    (made,) = compile_all({"messages": ASKED, column: "Never mind."}, "trl")
    assert isinstance(made, Rejected)
    assert (made.code, column in made.why) == ("column", True)
    row_of({"messages": ASKED, column: "", "source": "web", "score": 3}, "trl")


def test_a_preference_whose_ends_are_whole_is_not_doubled() -> None:
    other = [ASKED[0], {"role": "assistant", "content": "That."}]
    item = {"prompt": "Which?", "messages": ASKED, "chosen": ASKED, "rejected": other}
    chosen, _ = compile_all(item, "openai_chat", format="preferences")
    assert not isinstance(chosen, Rejected)
    assert [each["content"] for each in chosen.values["messages"]] == ["Which?", "This."]


@pytest.mark.parametrize(
    "written",
    [
        "[add numbers(a=10, b=20.5)]",
        "<tool_call>{'name': 'add numbers', 'arguments': {'a': 10, 'b': 20.5}}</tool_call>",
    ],
)
def test_calls_as_python_writes_them_are_calls(written: str) -> None:
    turns = [CALLED[0], {"from": "gpt", "value": written}, CALLED[2], {"from": "gpt", "value": "It is 30."}]
    row = row_of({"conversations": turns}, "trl", format="sharegpt")
    assert [each["role"] for each in row["messages"]] == ["user", "assistant", "tool", "assistant"]
    function = row["messages"][1]["tool_calls"][0]["function"]
    assert function == {"name": "add numbers", "arguments": {"a": 10, "b": 20.5}}


@pytest.mark.parametrize("written", ["[1, 2]", "[f(a)]", "[f(a=b)]", "[f(a=1)", "I think [f(a=1)]"])
def test_what_is_no_call_keeps_its_text_or_is_rejected(written: str) -> None:
    turns = [CALLED[0], {"from": "gpt", "value": written}, CALLED[2], {"from": "gpt", "value": "It is 30."}]
    assert reason_of({"conversations": turns}, "trl", format="sharegpt") == "joined"


@pytest.mark.parametrize(
    "odd", ['{"spec": {"run": 1}}', '{"messages": [{"role": "weird", "x": 1}]}', "no JSON", "\0\0\0", '{"messages": 3}']
)
def test_one_odd_line_loses_no_other(odd: str, tmp_path: Path) -> None:
    sound = [json.dumps({"messages": ASKED}) for _ in range(200)]
    (tmp_path / "in.jsonl").write_text("\n".join([odd, *sound]) + "\n", encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert report.rows == {"train": 200}
    assert [each["byte"] for each in rejected_in(tmp_path / "out")] == [0]


@pytest.mark.parametrize("others", [1, 3])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_line_that_is_too_long_loses_no_other(
    others: int, is_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("message_history_compile.recognising.HEAD_BYTES", 20_000)
    monkeypatch.setattr("message_history_compile.reading.MAX_LINE", 50_000)
    long = json.dumps({"messages": [{"role": "user", "content": "x" * 90_000}]})
    sound = [json.dumps({"messages": ASKED})] * others
    lines = [long, *sound] if is_first else [*sound, long]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert report.rows == {"train": others}
    assert [each["code"] for each in rejected_in(tmp_path / "out")] == ["too_long"]


def test_a_long_line_of_blanks_is_not_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history_compile.reading.MAX_LINE", 5_000)
    sound = json.dumps({"messages": ASKED}) + "\n"
    (tmp_path / "in.jsonl").write_text(sound * 3 + " " * 9_000 + "\n" + sound, encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 4}, {})


@pytest.mark.parametrize("beside", ["NaN", "1e999", "9" * 4_200, '"\\ud800"', '"a\tb"', "1e16", "[2.5e-7, -0.0]"])
def test_a_line_of_which_readers_differ_is_a_row(beside: str, tmp_path: Path) -> None:
    asked = json.dumps({"messages": ASKED})
    (tmp_path / "in.jsonl").write_text(f'{asked[:-1]}, "score": {beside}}}\n{asked}\n', encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert (report.rows, report.rejected, report.repaired) == ({"train": 2}, {}, 0)


def test_a_row_of_a_list_is_read_with_its_columns(tmp_path: Path) -> None:
    rows = [{"messages": ASKED}, {"messages": ASKED, "videos": ["a.mp4"]}, {"messages": ASKED}]
    (tmp_path / "list.json").write_text(json.dumps(rows), encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 2}, {"media": 1})
    assert rejected_in(tmp_path / "out")[0]["label"] == "item 1"


def test_a_run_that_does_not_add_up_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed(), agent()])
    lost = counting.lines_in
    monkeypatch.setattr(counting, "lines_in", lambda part: lost(part) + 1)
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out")
    assert (code, "4 lines from byte 0 on, and 3 have a row or a reason" in output) == (2, True)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_an_input_that_was_edited_to_the_same_length_is_another(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed()])
    there = path.stat()
    compile_files([path], TRL, tmp_path / "out")
    path.write_bytes(path.read_bytes().replace(b"Paris", b"Milan"))
    os.utime(path, ns=(there.st_atime_ns, there.st_mtime_ns))
    with pytest.raises(FileExistsError, match="another run"):
        compile_files([path], TRL, tmp_path / "out")


def test_a_repaired_copy_is_not_learned_twice(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [agent(), crashed()])
    write_lines(tmp_path / "in.repaired.jsonl", [agent(), crashed()])
    write_lines(tmp_path / "other.repaired.jsonl", [agent(), crashed()])
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 4}, {"repaired_copy": 1})


def test_a_full_disk_is_named_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = write_lines(tmp_path / "in.jsonl", [agent()])
    monkeypatch.setattr("message_history_compile.shards._Writer.add", full)
    code, output = run(path, "--to", "trl", "--out", tmp_path / "out")
    assert (code, "None" in output) == (2, False)
    assert os.strerror(errno.ENOSPC) in output


def test_progress_is_told_within_a_shard(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [crashed()] * 50)
    read: list[int] = []
    compile_files([path], TRL, tmp_path / "out", on_progress=read.append)
    assert (sum(read), len(read) > 40) == (path.stat().st_size, True)


@pytest.mark.heavy
@needs_processes
def test_ctrl_c_ends_the_processes_at_once(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [agent()] * 60_000)
    # Where the tests run in the background, a shell lets them ignore Ctrl-C.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heeds}; from message_history.cli.app import app; app()"
    command = [sys.executable, "-c", code, "compile", "in.jsonl"]
    options = ["--to", "trl", "--out", "out", "--workers", "2", "--shard-mb", "8"]
    with subprocess.Popen([*command, *options], cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True) as ran:
        while not list(tmp_path.glob("out/.work/*/train.jsonl")):
            assert ran.poll() is None
            time.sleep(0.1)
        os.killpg(ran.pid, signal.SIGINT)
        begun = time.monotonic()
        ran.wait(timeout=30)
        assert time.monotonic() - begun < 10
    assert not (tmp_path / "out" / "manifest.json").exists()
