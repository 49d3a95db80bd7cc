"""How a run is cut, done, finished and gone on with: each step alone, on a few bytes."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from contextlib import nullcontext
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from compiling.conversations import agent, crashed, write_lines
from message_history.files import disk
from message_history.files.errors import SessionError
from message_history_compile import counting, finishing, running, shards
from message_history_compile.places import DamagedError
from message_history_compile.plan import Plan
from message_history_compile.reading import COPY, Part
from message_history_compile.running import CompileReport, compile_files
from message_history_compile.shards import Unit, UnitReport, compile_unit, plan_units, report_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRL, OPENAI = Plan(target="trl"), Plan(target="openai_chat", dedupe=True)
ROW = b'{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}\n'
SIZE = len(ROW)


def cut(*paths: Path, unit_bytes: int, **more: Any) -> list[list[tuple[str, int, int, str, bool]]]:
    units = plan_units(map(str, paths), unit_bytes, **more)
    assert [unit.index for unit in units] == list(range(len(units)))
    return [[(part.path.rpartition("/")[2], *part[1:]) for part in unit.parts] for unit in units]


@pytest.mark.parametrize(
    ("unit_bytes", "stops"),
    [(1, [1, 2, 3, 4]), (SIZE - 1, [1, 2, 3, 4]), (SIZE, [2, 4]), (SIZE + 1, [2, 4]), (3 * SIZE, [4]), (9 * SIZE, [4])],
)
def test_a_file_of_lines_is_cut_after_the_line_in_which_a_unit_is_full(
    unit_bytes: int, stops: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(ROW * 4)
    starts = [0, *stops[:-1]]
    parts = [("a", start * SIZE, stop * SIZE, "log", False) for start, stop in zip(starts, stops, strict=True)]
    assert [part for unit in cut(path, unit_bytes=unit_bytes) for part in unit] == parts


def test_small_files_share_a_unit_and_what_has_no_lines_stays_whole(tmp_path: Path) -> None:
    one, two, packed, whole, gone = (tmp_path / name for name in ("one", "two", "packed", "whole", "gone"))
    one.write_bytes(ROW * 2)
    two.write_bytes(ROW * 2)
    packed.write_bytes(gzip.compress(ROW * 4))
    whole.write_bytes(b"[" + ROW + b"]")
    folder = tmp_path / "folder"
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "a.json").write_bytes(b"12345")
    (folder / "b.json").write_bytes(b"123")
    (folder / "c.txt").write_bytes(b"1")
    size = packed.stat().st_size
    first, second = (("one", 0, 2 * SIZE, "log", False), ("two", 0, 2 * SIZE, "log", False))
    rest = [
        ("packed", 0, size, "log", True),
        ("whole", 0, SIZE + 2, "", False),
        ("gone", 0, 0, "", False),
        ("folder", 0, 8, "", False),
    ]
    places = (one, two, packed, whole, gone, folder)
    assert cut(*places, unit_bytes=10**6) == [[first, second, *rest]]
    assert cut(*places, unit_bytes=4 * SIZE)[0] == [first, second]
    assert cut(one, two, unit_bytes=4 * SIZE + 1) == [[first, second]]
    assert cut(one, two, unit_bytes=2 * SIZE) == [[first], [second]]
    assert cut(one, two, unit_bytes=10**6, copies=frozenset({str(one)})) == [[("one", 0, 0, COPY, False), second]]
    assert cut(one, unit_bytes=10**6, format_name="messages") == [[("one", 0, 2 * SIZE, "", False)]]
    assert cut(unit_bytes=1) == []


def test_what_a_server_does_not_give_ends_a_run_and_what_is_damaged_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(_: str) -> int:
        raise error

    monkeypatch.setattr(shards, "size_of", failing)
    error: OSError = DamagedError("cut")
    assert plan_units(["s3://bucket/a"], 5) == [Unit(index=0, parts=(Part("s3://bucket/a", 0, 0),))]
    error = OSError("gone")
    assert plan_units(["a"], 5) == [Unit(index=0, parts=(Part("a", 0, 0),))]
    with pytest.raises(OSError, match="gone"):
        plan_units(["s3://bucket/a"], 5)


def unit_of(*paths: Path) -> Unit:
    (unit,) = plan_units(map(str, paths), 10**9)
    return unit


def test_the_report_of_a_unit_counts_what_is_in_its_files(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", [agent(), crashed(), {"no": 1}, agent(), {"no": 2}])
    made = compile_unit(unit_of(source), OPENAI, str(tmp_path / "work"))
    folder = tmp_path / "work" / "00000"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert sorted(files) == [
        "rejected.jsonl", "report.json", "sample.json", "train.digests", "train.jsonl", "train.receipts.jsonl"
    ]  # fmt: skip
    hashed = ("rejected.jsonl", "train.digests", "train.jsonl", "train.receipts.jsonl")
    receipts = [json.loads(line) for line in files["train.receipts.jsonl"].splitlines()]
    codes = Counter(repair["code"] for each in receipts for repair in each["repairs"])
    assert made == UnitReport(
        index=0,
        bytes=source.stat().st_size,
        rows={"train": 3},
        repaired=3,
        rejected={"no_conversation": 2},
        repairs=dict(sorted(codes.items())),
        hashes={name: sha256(files[name]).hexdigest() for name in hashed},
        characters=made.characters,
        lengths=made.lengths,
    )
    assert codes == {"withheld": 2, "result_stubbed": 1, "unanswered_call_removed": 1}
    assert sum(made.lengths.values()) == 3
    assert list(made.characters) == sorted(made.characters) == ["context", "learned"]
    assert [files[name].count(b"\n") for name in hashed] == [2, 3, 3, 3]
    digests = [json.loads(line) for line in files["train.digests"].splitlines()]
    assert [{**each, "row": 0} for each in digests] == [
        {**{key: receipt[key] for key in ("source", "byte", "hash", "label")}, "row": 0} for receipt in receipts
    ]
    assert digests[0]["row"] == digests[2]["row"] != digests[1]["row"]
    assert report_of(tmp_path / "work", 0) == made
    assert report_of(tmp_path / "work", 1) is report_of(source, 0) is None
    assert [each["digest"] for each in json.loads(files["sample.json"])] == sorted({each["row"] for each in digests})


def test_a_unit_that_is_done_is_not_done_again_and_one_that_failed_leaves_no_open_file(tmp_path: Path) -> None:
    source, work = write_lines(tmp_path / "in.jsonl", [agent(), crashed()]), tmp_path / "work"
    made = compile_unit(unit_of(source), TRL, str(work))
    source.unlink()
    assert compile_unit(Unit(index=0, parts=()), TRL, str(work)) == made
    again = write_lines(tmp_path / "in.jsonl", [agent(), crashed()])

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_unit(unit_of(again), TRL, str(tmp_path / "other"), stop)
    assert report_of(tmp_path / "other", 0) is None
    assert compile_unit(unit_of(again), TRL, str(tmp_path / "other")) == made
    assert [each.name for each in (tmp_path / "other").iterdir()] == ["00000"]


@pytest.mark.parametrize("is_done", [True, False])
def test_who_is_slower_takes_the_work_away_unless_nobody_did_it(
    is_done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, work = write_lines(tmp_path / "in.jsonl", [agent(), crashed()]), tmp_path / "work"
    (work / "00000").mkdir(parents=True)
    (work / "00000" / "x").write_bytes(b"")
    looked: list[int] = []

    def done(folder: Path, index: int) -> UnitReport | None:
        looked.append(index)
        return UnitReport(index=7, bytes=0) if is_done and len(looked) > 1 else report_of(folder, index)

    monkeypatch.setattr(shards, "report_of", done)
    if is_done:
        assert compile_unit(unit_of(source), TRL, str(work)).rows == {"train": 2}
    else:
        with pytest.raises(OSError, match="00000"):
            compile_unit(unit_of(source), TRL, str(work))
    assert [each.name for each in work.iterdir()] == ["00000"]


def test_progress_is_told_line_by_line_and_adds_up(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2 + b"\n\n" + ROW * 2)
    read: list[int] = []
    compile_unit(unit_of(path), TRL, str(tmp_path / "a"), read.append)
    assert read == [SIZE, SIZE + 2, SIZE, SIZE]
    whole = tmp_path / "in.json"
    whole.write_bytes(b"[" + ROW[:-1] + b"," + ROW + b"]")
    read.clear()
    compile_unit(unit_of(whole), TRL, str(tmp_path / "b"), read.append)
    assert read == [whole.stat().st_size]


def test_a_run_whose_files_do_not_hold_what_was_counted_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    monkeypatch.setattr(finishing, "_rejected", lambda *_: [b"{}\n"])
    with pytest.raises(counting.CountError, match="it holds 1 lines, and 0 were rejected"):
        compile_files([path], TRL, tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_what_a_unit_wrote_is_on_the_disk_before_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\n" + ROW + b"{}\n" + ROW)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    made = compile_unit(unit_of(path), OPENAI, str(tmp_path / "work"))
    folder = tmp_path / "work" / "00000"
    assert sorted(synced) == sorted((folder / name).stat().st_size for name in made.hashes)
    assert (made.rows, made.rejected, len(synced)) == ({"train": 2}, {"no_conversation": 1}, 4)


@pytest.mark.parametrize(("lost", "why"), [(1, "3 lines"), (-1, "1 lines")])
def test_a_unit_is_counted_again(lost: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    there = counting.lines_in
    monkeypatch.setattr(counting, "lines_in", lambda part: there(part) + lost)
    with pytest.raises(counting.CountError, match=why):
        compile_unit(unit_of(path), TRL, str(tmp_path / "work"))


def test_what_is_made_by_several_units_is_added_up() -> None:
    one = UnitReport(
        index=0, bytes=5, rows={"train": 2, "test": 1}, repaired=1, rejected={"media": 1}, repairs={"x": 2}
    )
    two = UnitReport(index=1, bytes=7, rows={"train": 3}, repaired=2, rejected={"empty": 1}, repairs={"x": 1, "a": 1})
    total = running._total([one, two], Counter({"train": 4, "test": 1}))
    assert total == CompileReport(
        rows={"train": 1},
        repaired=3,
        repairs={"a": 1, "x": 3},
        rejected={"duplicate": 5, "empty": 1, "media": 1},
        bytes=12,
        shards=2,
    )
    assert [list(each) for each in (total.repairs, total.rejected)] == [["a", "x"], ["duplicate", "empty", "media"]]
    assert running._total([two], Counter()).rejected == {"empty": 1}


def test_a_run_tells_what_is_to_be_read_and_what_was_and_goes_on_without_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 4)
    told: list[Any] = []
    read: list[int] = []

    def one(units: Any, plan: Plan, work: str) -> Iterator[UnitReport]:
        yield compile_unit(units[1], plan, work)
        raise KeyboardInterrupt

    options: dict[str, Any] = {"unit_bytes": SIZE, "on_start": told.append, "on_progress": read.append}
    with pytest.raises(KeyboardInterrupt):
        compile_files([path], TRL, tmp_path / "out", run=one, **options)
    assert (told, read) == ([4 * SIZE], [])
    made: list[int] = []
    report = compile_files([path], TRL, tmp_path / "out", on_report=lambda each: made.append(each.index), **options)
    assert (told, made, read) == ([4 * SIZE] * 2, [1, 0], [2 * SIZE, SIZE, SIZE])
    assert report == CompileReport(rows={"train": 4}, bytes=4 * SIZE, shards=2)
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "README.md", "learned.html", "learned.json", "manifest.json", "rejected.jsonl", "train"
    ]  # fmt: skip
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    files = [each["file"] for each in manifest["shards"]]
    assert files == ["train/00000.jsonl", "train/00001.jsonl"]
    assert [each["rows"] for each in manifest["shards"]] == [2, 2]
    for each in manifest["shards"]:
        assert each["sha256"] == sha256((tmp_path / "out" / each["file"]).read_bytes()).hexdigest()
    assert manifest["report"] == {
        "rows": {"train": 4}, "repaired": 0, "repairs": {}, "rejected": {}, "bytes": 4 * SIZE, "shards": 2
    }  # fmt: skip
    assert manifest["run"]["units"][0] == [[str(path), 0, 2 * SIZE, "log", False]]
    assert manifest["run"]["inputs"] == [sha256(ROW * 4).hexdigest()]
    written = (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    assert written == json.dumps(manifest, indent=1) + "\n"
    learned = (tmp_path / "out" / "learned.json").read_text(encoding="utf-8")
    assert learned == json.dumps(json.loads(learned), indent=1) + "\n"
    assert {**manifest["report"], "target": "trl"}.items() <= json.loads(learned).items()
    (tmp_path / "out" / ".work").mkdir()
    assert compile_files([path], TRL, tmp_path / "out", **options) == report
    assert not (tmp_path / "out" / ".work").exists()


def test_what_stands_in_the_folder_decides_whether_a_run_begins(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    out = tmp_path / "deep" / "out"
    work = out / ".work"
    work.mkdir(parents=True)
    assert running._work_folder(out) == work
    (out / "mine").write_bytes(b"")
    with pytest.raises(FileExistsError) as caught:
        compile_files([path], TRL, out)
    assert str(caught.value) == f"{out}: it is not empty; choose a new folder"
    (work / "run.json").write_text('{"plan": 1}')
    with pytest.raises(FileExistsError) as caught:
        compile_files([path], TRL, out)
    assert str(caught.value) == f"{out}: another run was begun there; choose another folder, or remove it"
    (work / "run.json").unlink()
    (out / "mine").unlink()
    assert compile_files([path], TRL, out).rows == {"train": 2}


def test_a_run_that_ended_between_two_looks_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    answers = iter((None, CompileReport(shards=7)))
    monkeypatch.setattr(running, "_made_before", lambda *_: next(answers))
    monkeypatch.setattr(running, "_begin", lambda *_: pytest.fail("done again"))
    assert compile_files([path], TRL, tmp_path / "out").shards == 7


def test_where_there_are_no_locks_a_run_works_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise SessionError("no locks here")

    monkeypatch.setattr(running, "locked", none)
    with running._only_run(tmp_path, tmp_path):
        pass


def test_a_run_elsewhere_is_the_same_run_in_a_folder_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 4)
    told: list[Any] = []

    def publishing(make: Any, out: str, last: str) -> Any:
        told.append((out, last))
        return make(tmp_path / "here")

    monkeypatch.setattr(running, "publish", publishing)
    options: dict[str, Any] = {name: lambda _: told.append(1) for name in ("on_start", "on_report", "on_progress")}
    report = compile_files([path], TRL, "mem://out", unit_bytes=SIZE, **options)
    assert (report.shards, told) == (2, [("mem://out", "manifest.json"), *[1] * 7])
    assert (tmp_path / "here" / "manifest.json").exists()


def test_what_says_that_a_run_goes_on_or_has_ended_is_on_the_disk_and_all_are_for_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    written: dict[str, tuple[bool, bool]] = {}
    replace, locks = disk.replace, []

    def recorded(target: Path, parts: Any, *, sync: bool, private: bool) -> None:
        written[target.name] = (sync, private)
        replace(target, parts, sync=sync, private=private)

    def locked(target: Path, timeout: float) -> nullcontext[None]:
        locks.append((target.name, timeout))
        return nullcontext()

    for module in (running, finishing):
        monkeypatch.setattr(module, "replace", recorded)
    monkeypatch.setattr(running, "locked", locked)
    compile_files([path], TRL, tmp_path / "out")
    lasting = dict.fromkeys(("run.json", "rejected.jsonl", "manifest.json"), (True, False))
    others = dict.fromkeys(("README.md", "learned.html", "learned.json"), (False, False))
    assert (written, locks) == ({**lasting, **others}, [("run.json", 0)])


def test_the_page_of_a_run_adds_up_what_its_units_counted(tmp_path: Path) -> None:
    shown = []
    reports = []
    for n, length in enumerate((3, 20)):
        row = {"messages": [{"role": "user", "content": "q" * length}, {"role": "assistant", "content": f"{n}."}]}
        path = write_lines(tmp_path / f"{n}.jsonl", [row, row])
        unit = Unit(index=n, parts=unit_of(path).parts)
        made = compile_unit(unit, TRL, str(tmp_path / "work"))
        reports.append(evolve(made, tokens={"learned": 2 + n, "context": 1}, token_lengths={"16": 1, "4": n}))
        shown.extend(json.loads((tmp_path / "work" / f"0000{n}" / "sample.json").read_text(encoding="utf-8")))
    counts: dict[str, Any] = {"target": "trl", "rows": {"train": 4}, "repaired": 0, "repairs": {}, "rejected": {}}
    finishing.write_learned(tmp_path, tmp_path / "work", reports, counts)
    assert json.loads((tmp_path / "learned.json").read_text(encoding="utf-8")) == {
        **counts,
        "characters": {"learned": 8, "masked": 0, "synthetic": 0, "context": 46},
        "lengths": {"4": 2, "16": 2},
        "tokens": {"learned": 5, "masked": 0, "synthetic": 0, "context": 2},
        "token_lengths": {"4": 1, "16": 2},
        "sample": sorted(shown, key=lambda each: each["digest"]),
    }


@pytest.mark.parametrize("has_receipts", [True, False])
def test_duplicates_are_taken_out_of_all_that_is_written_of_them(has_receipts: bool, tmp_path: Path) -> None:
    other = ROW.replace(b'"q"', b'"other"')
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW + other + ROW + ROW + b"{}\n" + ROW * 2 + other + other.replace(b"other", b"third"))
    plan = Plan(target="openai_chat" if has_receipts else "trl", dedupe=True)
    report = compile_files([path], plan, tmp_path / "out", unit_bytes=2 * SIZE + 5)
    assert (report.rows, report.rejected) == ({"train": 3}, {"duplicate": 5, "no_conversation": 1})
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert [(each["file"], each["rows"]) for each in manifest["shards"]] == [
        ("train/00000.jsonl", 2), ("train/00002.jsonl", 1)
    ]  # fmt: skip
    for each in manifest["shards"]:
        data = (tmp_path / "out" / each["file"]).read_bytes()
        assert (data.count(b"\n"), sha256(data).hexdigest()) == (each["rows"], each["sha256"])
    receipts = sorted(each.name for each in (tmp_path / "out").glob("receipts/*"))
    assert receipts == (["train-00000.jsonl", "train-00002.jsonl"] if has_receipts else [])
    rejected = [json.loads(line) for line in (tmp_path / "out" / "rejected.jsonl").read_bytes().splitlines()]
    assert [each["code"] for each in rejected].count("duplicate") == 5
    gone = next(each for each in rejected if each["code"] == "duplicate")
    assert (gone["source"], gone["byte"], gone["label"]) == (str(path), 2 * SIZE + 4, "")
    assert gone["reason"] == "a row with the same content came before"
    assert gone["hash"] == sha256(ROW.strip()).hexdigest()
    assert not list((tmp_path / "out").rglob(".*"))


def test_a_shard_is_moved_as_it_is_and_may_have_been_moved_before(tmp_path: Path) -> None:
    source, target = tmp_path / "a.jsonl", tmp_path / "train" / "b.jsonl"
    source.write_bytes(ROW)
    for _ in range(2):
        assert finishing._place(source, target, []) == ""
        assert (source.exists(), target.read_bytes()) == (False, ROW)


def test_a_card_names_the_splits_that_have_rows(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(ROW * 2)
    compile_files([path], Plan(target="bedrock-claude", split=(("test", 0.000001),)), tmp_path / "out")
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: train/*.jsonl\n"
        "dataset_info:\n  features:\n  - name: system\n    dtype: string\n  - name: messages\n    list: json\n---\n"
    )
    assert finishing._card(["a", "b"], "", "parquet") == (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: a\n    path: a/*.parquet\n"
        "  - split: b\n    path: b/*.parquet\n---\n"
    )
    path.write_bytes(b"{}\n" * 2)
    compile_files([path], TRL, tmp_path / "none")
    assert not (tmp_path / "none" / "README.md").exists()
