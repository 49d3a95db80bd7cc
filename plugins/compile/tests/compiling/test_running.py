from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.needs import needs_locks, needs_processes

import message_history_compile
from compiling.conversations import agent, bytes_in, crashed, write_lines
from message_history_compile.plan import Plan
from message_history_compile.processes import run_in_processes
from message_history_compile.running import compile_files, run_here
from message_history_compile.shards import compile_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

TRL = Plan(target="trl")


def many(count: int) -> list[dict[str, Any]]:
    return [{**(agent() if n % 2 else crashed()), "id": f"row-{n}"} for n in range(count)]


def rows_in(folder: Path, split: str = "train") -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((folder / split).iterdir())
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def rejected_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rejected.jsonl").read_text(encoding="utf-8").splitlines()]


def test_messages_that_are_rated_bad_are_not_learned_in_lines_nor_in_a_list(tmp_path: Path) -> None:
    rows = [{"messages": agent()["messages"], "label": label} for label in (True, False)]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    for path in (write_lines(tmp_path / "in.jsonl", rows), tmp_path / "list.json"):
        report = compile_files([path], TRL, tmp_path / f"out-{path.name}")
        assert (report.rows, report.rejected) == ({"train": 1}, {"preference": 1})


def test_a_file_of_lines_is_cut_between_lines_and_all_rows_arrive_in_order(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(40))
    report = compile_files([path], TRL, tmp_path / "out", unit_bytes=2000)
    assert report.shards == len(list((tmp_path / "out" / "train").iterdir())) > 3
    assert report.rows == {"train": 40}
    assert [row["id"] for row in rows_in(tmp_path / "out")] == [f"row-{n}" for n in range(40)]
    assert rejected_in(tmp_path / "out") == []
    data = path.read_bytes()
    for row in rows_in(tmp_path / "out"):
        place = row["receipt"]["byte"]
        assert json.loads(data[place:].split(b"\n")[0])["id"] == row["id"]


def test_a_folder_whose_small_files_make_up_a_session_is_one_source(tmp_path: Path) -> None:
    messages = tmp_path / "in" / "session_1" / "agents" / "agent_a" / "messages"
    messages.mkdir(parents=True)
    (messages.parent / "agent.json").write_text("{}")
    for n, (role, words) in enumerate([("user", "What is it?"), ("assistant", "A file.")]):
        message = {"message_id": n, "message": {"role": role, "content": [{"text": words}]}}
        (messages / f"message_{n}.json").write_text(json.dumps(message))
    report = compile_files([tmp_path / "in"], TRL, tmp_path / "out")
    assert report.rows == {"train": 1}
    assert rejected_in(tmp_path / "out") == []
    [row] = rows_in(tmp_path / "out")
    assert [message["content"] for message in row["messages"]] == ["What is it?", "A file."]
    assert row["receipt"]["source"].endswith("session_1")


def test_a_run_that_was_stopped_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", [*many(40), {"no": "conversation"}])
    compile_files([path], TRL, tmp_path / "whole", unit_bytes=2000)

    def stopping(units: Any, plan: Plan, work: str) -> Iterator[Any]:
        for unit in units[:3]:
            yield compile_unit(unit, plan, work)
        # What a killed worker leaves behind.
        (Path(work) / "00005.123").mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_files([path], TRL, tmp_path / "out", unit_bytes=2000, run=stopping)
    assert not (tmp_path / "out" / "manifest.json").exists()
    done: list[int] = []

    def counting(units: Any, plan: Plan, work: str) -> Iterator[Any]:
        done.extend(unit.index for unit in units)
        return run_here(units, plan, work)

    compile_files([path], TRL, tmp_path / "out", unit_bytes=2000, run=counting)
    assert done[0] == 3, "what was done is not done again"
    assert bytes_in(tmp_path / "out") == bytes_in(tmp_path / "whole")


def test_a_run_that_was_stopped_while_it_finished_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "in.jsonl", [*many(10), *many(10)])
    plan = Plan(target="openai_chat", dedupe=True)
    compile_files([path], plan, tmp_path / "whole", unit_bytes=4000)
    with monkeypatch.context() as patched:
        patched.setattr("message_history_compile.finishing._rejected", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            compile_files([path], plan, tmp_path / "out", unit_bytes=4000)
    compile_files([path], plan, tmp_path / "out", unit_bytes=4000)
    assert bytes_in(tmp_path / "out") == bytes_in(tmp_path / "whole")


def test_a_finished_run_is_not_done_again_and_another_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(4))
    first = compile_files([path], TRL, tmp_path / "out")
    assert compile_files([path], TRL, tmp_path / "out", run=lambda *_: pytest.fail("done again")) == first
    with pytest.raises(FileExistsError, match="another run"):
        compile_files([path], Plan(target="openai_chat"), tmp_path / "out")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("", encoding="utf-8")
    with pytest.raises(FileExistsError, match="not empty"):
        compile_files([path], TRL, tmp_path / "other")
    with pytest.raises(FileNotFoundError, match="no such file"):
        compile_files([tmp_path / "nonesuch.jsonl"], TRL, tmp_path / "new")


@needs_locks
def test_a_second_run_into_a_folder_in_which_one_is_at_work_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(10))
    refused = []

    def begin_another(_: object) -> None:
        with pytest.raises(FileExistsError) as caught:
            compile_files([path], TRL, tmp_path / "out", unit_bytes=2000)
        refused.append(str(caught.value))

    compile_files([path], TRL, tmp_path / "out", unit_bytes=2000, on_report=begin_another)
    out = tmp_path / "out"
    assert set(refused) == {f"{out}: another run writes to it now; wait until it has ended, or choose another folder"}
    compile_files([path], TRL, tmp_path / "whole", unit_bytes=2000)
    assert bytes_in(out) == bytes_in(tmp_path / "whole")


def test_without_filelock_a_run_does_its_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "filelock", None)
    path = write_lines(tmp_path / "in.jsonl", many(4))
    assert compile_files([path], TRL, tmp_path / "out").rows == {"train": 4}


def test_nothing_is_skipped_without_a_reason(tmp_path: Path) -> None:
    lines = [json.dumps(agent()), '{"messages": [{"role"', "", json.dumps({"a": 1}), "7", json.dumps(crashed())]
    (tmp_path / "in.jsonl").write_text("\n".join([json.dumps(agent()), *lines]) + "\n", encoding="utf-8")
    (tmp_path / "other.json").write_text('{"name": "a package"}', encoding="utf-8")
    report = compile_files([tmp_path], TRL, tmp_path / "out")
    assert report.rows == {"train": 3}
    assert report.rejected == {"no_conversation": 2, "not_json": 1, "not_recognised": 1}
    reasons = {(Path(each["source"]).name, each["code"]) for each in rejected_in(tmp_path / "out")}
    assert reasons == {("in.jsonl", "not_json"), ("in.jsonl", "no_conversation"), ("other.json", "not_recognised")}


def test_sessions_of_programs_are_compiled_too(tmp_path: Path) -> None:
    report = compile_files(["samples/crashed_session.jsonl", "samples/broken_session.json"], TRL, tmp_path / "out")
    assert report.rows == {"train": 2}
    assert report.repaired == 2
    receipts = [row["receipt"] for row in rows_in(tmp_path / "out")]
    assert receipts[0]["notes"] == [{"line": 10, "detail": "cut off"}]


def test_duplicates_are_rejected_with_their_place(tmp_path: Path) -> None:
    rows = [agent(), crashed(), {**agent(), "id": "another"}]
    path = write_lines(tmp_path / "in.jsonl", rows)
    for unit_bytes in (100, 1_000_000):
        out = tmp_path / f"out{unit_bytes}"
        report = compile_files([path], Plan(target="openai_chat", dedupe=True), out, unit_bytes=unit_bytes)
        assert report.rows == {"train": 2}
        assert report.rejected == {"duplicate": 1}
        (gone,) = rejected_in(out)
        assert json.loads(path.read_bytes()[gone["byte"] :])["id"] == "another"
        assert sum(each.read_text(encoding="utf-8").count("\n") for each in (out / "receipts").iterdir()) == 2


def test_a_split_is_decided_by_the_content_alone(tmp_path: Path) -> None:
    items = [
        {"messages": [{"role": "user", "content": f"{n}?"}, {"role": "assistant", "content": str(n)}]}
        for n in range(300)
    ]
    plan = Plan(target="trl", split=(("test", 0.2),))
    write_lines(tmp_path / "forth.jsonl", items)
    write_lines(tmp_path / "back.jsonl", items[::-1])
    tests = []
    for name in ("forth", "back"):
        report = compile_files([tmp_path / f"{name}.jsonl"], plan, tmp_path / name, unit_bytes=5000)
        assert 30 < report.rows["test"] < 90
        tests.append({row["messages"][1]["content"] for row in rows_in(tmp_path / name, "test")})
    assert tests[0] == tests[1]
    card = (tmp_path / "forth" / "README.md").read_text(encoding="utf-8")
    assert "path: test/*.jsonl" in card


def test_receipts_are_beside_the_rows_where_the_taker_refuses_other_keys(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(4))
    compile_files([path], Plan(target="openai_chat"), tmp_path / "out")
    rows = rows_in(tmp_path / "out")
    written = (tmp_path / "out" / "receipts" / "train-00000.jsonl").read_text(encoding="utf-8")
    receipts = [json.loads(line) for line in written.splitlines()]
    assert len(rows) == len(receipts)
    assert {repair["code"] for repair in receipts[0]["repairs"]} == {
        "result_stubbed",
        "unanswered_call_removed",
    }


def test_what_the_takers_need_is_beside_the_rows(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(4))
    compile_files([path], Plan(target="sharegpt-llama-factory"), tmp_path / "lf")
    written = (tmp_path / "lf" / "dataset_info.json").read_text(encoding="utf-8")
    info = json.loads(written)
    assert written == json.dumps(info, indent=2) + "\n"
    assert info["message_history_train"]["file_name"] == "train"
    compile_files([path], Plan(target="sharegpt-axolotl"), tmp_path / "ax")
    assert "message_field_training: train" in (tmp_path / "ax" / "axolotl.yaml").read_text(encoding="utf-8")


@pytest.mark.heavy
@needs_processes
def test_several_processes_make_the_same_bytes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", many(20))
    compile_files([path], TRL, tmp_path / "one", unit_bytes=3000)
    compile_files([path], TRL, tmp_path / "two", unit_bytes=3000, run=run_in_processes(2))
    assert bytes_in(tmp_path / "one") == bytes_in(tmp_path / "two")


def test_a_line_that_is_too_long_is_rejected_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("message_history_compile.reading.MAX_LINE", 2000)
    long = {"messages": [{"role": "user", "content": "x" * 9000}]}
    path = write_lines(tmp_path / "in.jsonl", [agent(), crashed(), long, agent()])
    report = compile_files([path], TRL, tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 3}, {"too_long": 1})


def test_a_file_that_is_too_large_is_rejected_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("message_history.files.files.MAX_BYTES", 2000)
    (tmp_path / "in.json").write_text(json.dumps([agent()] * 3), encoding="utf-8")
    report = compile_files([tmp_path / "in.json"], TRL, tmp_path / "out")
    assert (report.rows, report.rejected) == ({}, {"unreadable": 1})
    rejected = json.loads((tmp_path / "out" / "rejected.jsonl").read_text(encoding="utf-8"))
    assert rejected["reason"] == (
        "it is larger than 2,000 bytes: write one conversation in each line, as `jq -c '.[]'` does for a list"
    )


def test_the_package_is_imported_without_arrow_and_templates() -> None:
    code = (
        "import sys, message_history_compile as c; c.compile_files; c.Plan(target='trl');"
        "print({'pyarrow', 'message_history_measure', 'datasets', 'ray'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_no_plan_and_no_list_of_paths_is_named(tmp_path: Path) -> None:
    compile_any: Any = compile_files
    with pytest.raises(TypeError, match=r"plan must be a Plan, not str; write Plan\(target=\.\.\.\)"):
        compile_any([tmp_path], "trl", tmp_path / "out")
    for one in (str(tmp_path), tmp_path):
        with pytest.raises(TypeError, match=r"inputs must be a list of paths, not .*; write \[path\]"):
            compile_any(one, Plan(target="trl"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@needs_processes
@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("repair_batch", "pyarrow", "arrow"), ("read_template", "message_history_measure", "templates")],
)
def test_a_package_that_is_missing_is_named_with_its_extra(name: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from message_history_compile import {name}"
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    assert f"{package} is not installed; run: pip install 'message-history-compile[{extra}]'" in ran.stderr


def test_what_is_imported_when_it_is_asked_for_is_listed() -> None:
    assert set(message_history_compile.__all__) <= set(dir(message_history_compile))
