"""The benchmarks are what they say: the judge, the transcripts, the ratios, the contenders. No time is asserted."""

from __future__ import annotations

import ast
import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from benchmarks.broken_histories import CASES, as_chat, user_texts
from benchmarks.charts import THEMES, Line, chart
from benchmarks.contenders import CONTENDERS, load
from benchmarks.contenders.base import Case, Contender
from benchmarks.judge import JUDGES, STRICT, lost
from benchmarks.operations import BLOCKS, OPERATIONS, chain_of
from benchmarks.results import Ratio, Speed
from benchmarks.short_histories import SHORT
from benchmarks.targets import TARGETS, Condition, reached
from benchmarks.transcripts import CYCLE, DAMAGES, next_turn, transcript
from benchmarks.validity import agent_run, judged, owed_results
from benchmarks.worker import Worker
from tests.helpers import assistant, user

ROOT = Path(__file__).parents[2]
SIZES = (10, 100, 1_000)
CALL = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "found"}
TEXT = {"type": "text", "text": "words"}


@pytest.mark.parametrize("size", SIZES)
def test_a_transcript_is_valid_and_of_its_size(size: int) -> None:
    raw = transcript(size)
    assert len(raw) == size
    assert STRICT["messages"](raw)
    assert JUDGES["chat"](as_chat(raw))
    assert STRICT["messages"]([*raw, *next_turn(size)])


@pytest.mark.parametrize("size", SIZES)
def test_one_in_a_hundred_is_damaged(size: int) -> None:
    clean, damaged = transcript(size), transcript(size, damaged=True)
    assert abs(len(damaged) - size) <= max(1, size // 100)
    assert not JUDGES["messages"](damaged)
    known = [json.dumps(message) for message in clean]
    cycles = [known[start : start + CYCLE] for start in range(0, size, CYCLE)]
    found = [json.dumps(message) for message in damaged]
    untouched = sum(cycle == found[at : at + CYCLE] for cycle in cycles for at in range(len(found)))
    assert len(cycles) - untouched == max(1, size // 100)


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damage_is_one(damage: Any) -> None:
    clean = transcript(CYCLE)
    before = json.dumps(clean)
    assert not JUDGES["messages"](damage(clean))
    assert json.dumps(clean) == before


def test_results_are_of_about_600_characters() -> None:
    texts = [
        block["content"]
        for message in transcript(100)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert texts
    assert all(550 < len(text) < 700 for text in texts)
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("wire", "today", "everywhere"),
    [
        ([], True, True),
        ([user(TEXT)], True, True),
        ([user(TEXT), assistant(CALL), user(RESULT)], True, True),
        ([user(TEXT), assistant(CALL), user(RESULT, TEXT)], True, True),
        ([assistant(TEXT), user(TEXT)], True, False),
        ([user(TEXT), user(TEXT)], True, False),
        ([user(TEXT), assistant(CALL), user(RESULT), user(TEXT)], True, False),
        ([user(TEXT), assistant(CALL)], False, False),
        ([user(TEXT), assistant(CALL), user(TEXT)], False, False),
        ([user(TEXT), assistant(CALL), user(TEXT, RESULT)], False, False),
        ([user(TEXT), assistant(CALL), user(RESULT, RESULT)], False, False),
        ([user(TEXT), assistant(CALL, CALL), user(RESULT, RESULT)], False, False),
        ([user(TEXT), assistant(CALL), user(TEXT), user(RESULT)], False, False),
        ([user(RESULT)], False, False),
        ([user(CALL), user(RESULT)], False, False),
        ([user({"type": "text", "text": " "})], False, False),
        ([user()], False, False),
    ],
)
def test_the_judge_of_the_messages_api(wire: list[Any], today: bool, everywhere: bool) -> None:
    assert (JUDGES["messages"](wire), STRICT["messages"](wire)) == (today, everywhere)


def test_the_judges_of_the_other_apis() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]}
    tool = {"role": "tool", "tool_call_id": "a", "content": "found"}
    words = {"role": "user", "content": "words"}
    assert JUDGES["chat"]([words, call, tool, words])
    for wrong in ([call], [tool], [call, words, tool], [call, tool, tool], [{"role": "assistant", "content": ""}]):
        assert not JUDGES["chat"](wrong)
    called = {"type": "function_call", "call_id": "a"}
    output = {"type": "function_call_output", "call_id": "a"}
    assert JUDGES["items"]([called, words, output])
    for wrong in ([called], [output], [output, called], [called, output, output], [called, called, output]):
        assert not JUDGES["items"](wrong)


def test_the_judge_uses_nothing_of_the_library() -> None:
    for name in ("judge", "validity", "broken_histories", "short_histories", "transcripts"):
        tree = ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8"))
        names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not any(str(each).startswith("message_history") for each in names)


def test_what_is_lost_is_seen() -> None:
    wire = [user(TEXT, RESULT)]
    assert lost(["words", "found"], wire) == 0
    assert lost(["words", "other", "Wörter"], wire) == 2


def test_a_result_is_owed_to_its_call() -> None:
    other = {**RESULT, "tool_use_id": "b", "content": "other"}
    second = {**RESULT, "content": "again"}
    assert owed_results([assistant(CALL), user(RESULT, other)]) == ["found"]
    assert owed_results([assistant(CALL), user(RESULT), user(second)]) == ["found", "again"]
    assert owed_results([user(RESULT), assistant(CALL)]) == ["found"]
    assert owed_results([user(RESULT), assistant(CALL), user(second)]) == ["again"]
    assert owed_results([user(RESULT)]) == []


def test_agent_runs_steer_and_are_late_and_are_the_same_again() -> None:
    runs = [list(agent_run(seed)) for seed in range(50)]
    assert runs == [list(agent_run(seed)) for seed in range(50)]
    messages = [[message for message in run if message is not None] for run in runs]
    assert all(None in run for run in runs)
    assert sum(JUDGES["messages"](run) for run in messages) < len(runs) / 2
    assert any("And mind" in text for run in messages for text in user_texts(run))


def test_every_operation_has_one_name_and_a_reference_in_its_block() -> None:
    assert sum(map(len, BLOCKS.values())) == len(OPERATIONS)
    for operations in BLOCKS.values():
        names = {operation.name for operation in operations}
        for operation in operations:
            contender, other = operation.reference
            assert other in names
            assert hasattr(load(contender), other)


@pytest.mark.parametrize("size", [10, 100, 1_000, 10_000, 100_000, 1_000_000])
def test_what_is_appended_to_stays_about_as_long(size: int) -> None:
    copies, appends = chain_of(size)
    assert copies >= 1
    assert appends <= max(10, size // 10)


@pytest.mark.parametrize("name", CONTENDERS)
def test_a_contender_does_what_its_operations_say(name: str) -> None:
    try:
        kind = load(name)
    except ImportError as error:
        pytest.skip(str(error))
    contender = kind(10)
    operations = [operation for operation in OPERATIONS if hasattr(contender, operation)]
    assert operations
    for operation in operations:
        case = getattr(contender, operation)()
        if case is None:
            continue  # What it needs besides is not installed.
        if case.before is not None:
            case.before()
        case.run()
        assert case.times >= 1
    if kind.sent is Contender.sent:
        return
    raw = [*transcript(20), *next_turn(20)]
    before = json.dumps(raw)
    wire = kind.sent(raw)
    assert json.dumps(raw) == before
    assert STRICT[kind.form](wire)
    assert lost([*user_texts(raw), *owed_results(raw)], wire) == 0


@pytest.mark.heavy
def test_this_library_is_judged_as_all_others() -> None:
    found = judged(load("message-history"), quick=True)
    assert found["broken"]["whole"] == found["broken"]["lists"] == len(CASES)
    assert found["broken"]["strict"] == len(CASES)
    assert found["short"]["whole"] == found["short"]["lists"] == len(SHORT[::10])
    runs = found["runs"]
    assert runs["valid"] == runs["strict"] == runs["sends"]
    assert runs["rewritten"] == runs["rewritten_json"] == runs["lost_results"] == runs["lost_texts"] == 0
    listed = judged(load("list"), quick=True)
    assert listed["broken"]["whole"] < len(CASES) / 2
    assert 0 < listed["runs"]["valid"] < listed["runs"]["sends"]
    assert judged(load("json"), quick=True) == {}


def test_a_worker_measures_what_a_contender_has() -> None:
    worker = Worker("list")
    worker.open(10)
    assert worker.prepare("export") is None
    assert worker.prepare("trim") is not None
    assert worker.measure("trim") > 0
    assert worker.prepare("memory") == 10
    assert worker.measure("memory") > 100


def test_what_only_the_first_call_takes_is_in_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    took: list[float] = []

    class Importing(Contender):
        def trim(self) -> Case:
            return Case(lambda: took.append(0.001 if took else 0.02))

    monkeypatch.setattr("benchmarks.worker.load", lambda _: Importing)
    monkeypatch.setattr("benchmarks.worker.version_of", lambda _: "1")
    monkeypatch.setattr("benchmarks.worker.process_time", lambda: sum(took))
    worker = Worker("importing")
    worker.open(10)
    worker.prepare("trim")
    before = len(took)
    assert worker.measure("trim") == pytest.approx(0.001)
    assert len(took) - before >= 5


SPEED = Speed(
    {},
    [
        {"operation": "append", "size": 10, "contender": "message-history", "rounds": [2.0, 8.0, 3.0]},
        {"operation": "append", "size": 10, "contender": "list", "rounds": [1.0, 2.0, 1.0]},
        {"operation": "append", "size": 100, "contender": "message-history", "rounds": [5.0, 5.0, 5.0]},
        {"operation": "append", "size": 100, "contender": "list", "rounds": []},
    ],
)


def test_a_ratio_is_of_figures_of_one_round() -> None:
    ours, plain = ("message-history", "append"), ("list", "append")
    assert SPEED.ratio(ours, plain, 10) == Ratio(3.0, 2.0, 4.0)
    assert SPEED.ratio(ours, plain, 100) is None
    assert SPEED.value(ours, 100) == Ratio(5.0, 5.0, 5.0)
    assert SPEED.value(plain, 100) is None
    assert SPEED.sizes(plain) == [10, 100]


@pytest.mark.parametrize(("limit", "at_least", "met"), [(3, False, True), (2.9, False, False), (3.1, True, False)])
def test_a_target_is_met_by_the_median_of_the_worst_size(limit: float, at_least: bool, met: bool) -> None:
    condition = Condition("x", ("message-history", "append"), ("list", "append"), limit, at_least)
    worst = condition.worst(SPEED)
    assert worst == (10, Ratio(3.0, 2.0, 4.0))
    assert condition.meets(worst[1]) is met


def test_what_was_not_measured_is_not_met() -> None:
    target = next(target for target in TARGETS if target.conditions[0].reference == ("list", "append"))
    found = reached(target, SPEED, {})
    assert found.met is None
    assert "3.00 x `list.append` (2.00 to 4.00) at 10" in found.measured
    assert "not measured" in found.measured


@pytest.mark.parametrize("theme", THEMES)
def test_a_chart_is_well_formed_and_names_every_line(theme: str) -> None:
    lines = [Line(f"a < {n}", [(10, 1e-6 * (n + 1)), (10_000, 1.0 + n / 100)]) for n in range(12)]
    drawn = ET.fromstring(chart("Things & more", lines, THEMES[theme]))
    texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "Things & more" in texts
    assert [f"a < {n}" for n in range(12)] == sorted(
        (t for t in texts if t and t.startswith("a <")), key=lambda t: int(t[4:])
    )
    assert {"1 µs", "1 s", "10", "10,000"} <= set(texts)
    labels = sorted(
        float(element.attrib["y"])
        for element in drawn.iter("{http://www.w3.org/2000/svg}text")
        if element.text and element.text.startswith("a <")
    )
    assert all(below - above > 12 for above, below in pairwise(labels))


def test_a_short_figure_is_the_least_of_three_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker("list")
    worker.open(10)
    worker.prepare("append")
    times = iter([0.003, 0.001, 0.002, 0.06, 0.001])
    monkeypatch.setattr("benchmarks.worker._timed", lambda *_, **__: next(times))
    case, calls = worker._cases["append"]
    assert worker.measure("append") == 0.001 / calls / case.times
    assert worker.measure("append") == 0.06 / calls / case.times
