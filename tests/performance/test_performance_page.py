"""The performance page, its charts and the README's table are what the results say. No time is asserted."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.contenders import CONTENDERS
from benchmarks.report import page, pages, summary
from benchmarks.results import Speed, read, with_rounds_of, write, write_beside
from benchmarks.targets import TARGETS
from benchmarks.threads import ONE, TWO, WORK, shared

ROOT = Path(__file__).parents[2]


def test_every_page_and_chart_is_current() -> None:
    for path, text in pages(*read()).items():
        assert path.exists(), path
        assert path.read_text(encoding="utf-8") == text, f"{path}: run python -m benchmarks --pages"
    charts = {path for path in pages(*read()) if path.suffix == ".svg"}
    assert set((ROOT / "docs" / "charts").glob("*.svg")) == charts


def test_other_results_make_another_page() -> None:
    speed, validity = read()
    cells = [{**cell, "rounds": [2 * figure for figure in cell["rounds"]]} for cell in speed.cells]
    assert page(Speed(speed.made, cells), validity) != page(speed, validity)
    assert summary(Speed(speed.made, cells), validity) != summary(speed, validity)
    judged = {**validity["contenders"], "message-history": {**validity["contenders"]["message-history"]}}
    judged["message-history"]["runs"] = {**judged["message-history"]["runs"], "rewritten": 17}
    assert page(speed, {**validity, "contenders": judged}) != page(speed, validity)


def test_a_stale_page_is_told_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text((ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "docs" / "charts").mkdir(parents=True)
    monkeypatch.setattr(report, "ROOT", tmp_path)
    assert command.main(["--check"]) == 1
    assert "STALE" in capsys.readouterr().out
    assert command.main(["--pages"]) == 0
    assert command.main(["--check"]) == 0
    written = tmp_path / "docs" / "performance.md"
    text = written.read_text(encoding="utf-8")
    written.write_text(text.replace("x", "y", 1), encoding="utf-8")
    capsys.readouterr()
    assert command.main(["--check"]) == 1
    assert f"{written}: STALE" in capsys.readouterr().out
    assert command.main(["--pages"]) == 0
    assert written.read_text(encoding="utf-8") == text
    readme.write_text("no place\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no place for the table"):
        command.main(["--check"])


def test_an_unknown_option_is_wrong_usage() -> None:
    assert command.main(["--fast"]) == 2


def test_results_are_read_back(tmp_path: Path) -> None:
    speed, validity = read()
    write({"made": speed.made, "cells": speed.cells}, validity, tmp_path)
    assert read(tmp_path) == (speed, validity)


def test_a_second_run_adds_its_rounds() -> None:
    made = {"rounds": 2, "python": "CPython 3.11.2", "machine": "one", "versions": {"attrs": "1"}, "date": "2026-11-22"}
    key = {"operation": "append", "contender": "list"}
    before = Speed(made, [{**key, "size": 10, "rounds": [1.0, 2.0]}, {**key, "size": 100, "rounds": []}])
    cells = [{**key, "size": size, "rounds": [3.0]} for size in (10, 100, 1_000)]
    later = {**made, "rounds": 1, "date": "2026-11-23"}
    both = with_rounds_of(before, {"made": later, "cells": cells})
    assert both["made"] == {**later, "rounds": 3}
    assert [cell["rounds"] for cell in both["cells"]] == [[1.0, 2.0, 3.0], [], []]
    for name, other in (("python", "CPython 3.13.0"), ("machine", "two"), ("versions", {"attrs": "2"})):
        with pytest.raises(ValueError, match=f"another {name}.*measure without --again"):
            with_rounds_of(before, {"made": {**later, name: other}, "cells": cells})


def test_a_run_with_another_python_adds_its_figures(tmp_path: Path) -> None:
    speed, validity = read()
    assert "With other versions" not in page(Speed(speed.made, speed.cells), validity)
    write({"made": speed.made, "cells": speed.cells}, validity, tmp_path)
    kept = [cell for cell in speed.cells if cell["contender"] in ("message-history", "list") and cell["size"] <= 100]
    write_beside({"made": {**speed.made, "python": "CPython 3.13.0"}, "cells": kept}, tmp_path)
    assert (tmp_path / "python-3.13.json").exists()
    found, _ = read(tmp_path)
    text = page(found, validity).partition("## With other versions of Python")[2].partition("\n## ")[0]
    assert f"| {speed.made['python']} | CPython 3.13.0 |" in text
    assert "| `add(Message)`, any n: x `list.append` | ≤ 25 |" in text
    assert "langgraph" not in text
    assert f"CPython 3.13.0 on {speed.made['date']}." in text


def test_a_run_with_threads_adds_its_table(tmp_path: Path) -> None:
    speed, validity = read()
    assert "With two threads" not in page(Speed(speed.made, speed.cells), validity)
    write({"made": speed.made, "cells": speed.cells}, validity, tmp_path)
    cells = [
        {"operation": name, "size": 10, "contender": contender, "rounds": [seconds, seconds]}
        for name in WORK
        for contender, seconds in ((ONE, 0.002), (TWO, 0.0012))
    ]
    for python in ("CPython 3.14.7t", "CPython 3.14.8"):
        write_beside({"made": {**speed.made, "python": python}, "cells": cells}, tmp_path, "threads")
    assert sorted(path.name for path in tmp_path.glob("threads-*")) == ["threads-3.14.json", "threads-3.14t.json"]
    text = page(read(tmp_path)[0], validity).partition("## With two threads")[2].partition("\n## ")[0]
    assert "| | CPython 3.14.8 | CPython 3.14.7t |" in text
    assert text.count("2.00 ms, 0.60 x (0.60 to 0.60)") == 2 * len(WORK)


@pytest.mark.heavy
def test_both_threads_do_the_work() -> None:
    found = shared(size=20, rounds=1, shortest=0.0)
    assert [(cell["operation"], cell["contender"]) for cell in found["cells"]] == list(product(WORK, (ONE, TWO)))
    assert all(seconds > 0 for cell in found["cells"] for seconds in cell["rounds"])


def test_the_page_has_every_target_and_says_where_others_are_better() -> None:
    speed, validity = read()
    text = page(speed, validity)
    assert [target.operation for target in TARGETS if f"| {target.operation} |" not in text] == []
    assert f"`{speed.made['command']}`" in text
    assert "## Where others are better" in text
    better = text.partition("## Where others are better")[2].partition("\n## ")[0]
    faster = [
        name
        for name in CONTENDERS
        for size in speed.sizes((name, "trim"))
        if name not in ("message-history", "list")
        and (ratio := speed.ratio(("message-history", "trim"), (name, "trim"), size)) is not None
        and ratio.median > 1
    ]
    assert all(f"**{name}** is faster" in better for name in faster)


def test_every_contender_is_named_with_its_version_or_as_skipped() -> None:
    speed, validity = read()
    listed = page(speed, validity).partition("| contender | version |")[2]
    for name, entry in CONTENDERS.items():
        if " to " in name:
            continue
        assert f"| {name} |" in listed
        if entry.package:
            assert (name in speed.made["versions"]) != (name in speed.made["skipped"])
    absent = {**speed.made, "versions": {}, "skipped": {"turnsafe": "No module named 'turnsafe'"}}
    assert "| turnsafe | skipped: No module named 'turnsafe' |" in page(Speed(absent, speed.cells), validity)


def test_every_figure_has_at_least_five_rounds() -> None:
    speed, _ = read()
    timed = [cell for cell in speed.cells if cell["operation"] != "optional packages imported" and "why" not in cell]
    assert len(timed) > 300
    assert all(len(cell["rounds"]) >= 5 for cell in timed)
    assert "on" in speed.made["collector"]
