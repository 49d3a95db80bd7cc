"""What the mutation run changes, and that it runs what it changed."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests import mutants
from tests.mutants import changed, changes_of, sample
from tests.needs import needs_processes

SOURCE = "def f(a):\n    b = a and a > 1\n    if b:\n        g(b)\n    return b\n"


def test_every_kind_of_change_is_made_once_and_alone() -> None:
    made = [changed(SOURCE, number) for number, _ in enumerate(changes_of(ast.parse(SOURCE)))]
    texts = [ast.unparse(tree) for tree, _ in made]
    assert len(set(texts)) == len(texts) == 7
    assert ast.unparse(ast.parse(SOURCE)) not in texts
    assert {what.partition(": ")[2].partition(":")[0].partition(" `")[0] for _, what in made} == {
        "a comparison",
        "and for or, or the reverse",
        "a condition",
        "a constant",
        "a returned value",
        "dropped",
    }


def test_what_promises_true_or_false_returns_the_other_and_all_else_none() -> None:
    for kind, other in (("bool", "not a"), ("int", "None")):
        source = f"def f(a) -> {kind}:\n    return a"
        assert ast.unparse(changed(source, 0)[0]) == source.replace("return a", f"return {other}")


def test_a_sample_is_that_of_its_seed() -> None:
    core = [mutants.ROOT / "src/message_history/core/values"]
    assert sample(core, 5, 1) == sample(core, 5, 1) != sample(core, 5, 2)


def test_the_lines_of_a_change_are_those_of_its_statement() -> None:
    assert [mutants.lines_of(SOURCE, number) for number, _ in enumerate(changes_of(ast.parse(SOURCE)))].count(
        range(3, 4)
    ) == 1
    assert {line for number in range(7) for line in mutants.lines_of(SOURCE, number)} == {2, 3, 4, 5}
    header = "@g\ndef f(a=1,\n      b=2):\n    return a\n"
    assert [mutants.lines_of(header, number) for number in range(3)] == [range(4, 5), range(2, 4), range(2, 4)]


@pytest.mark.heavy
@needs_processes
def test_a_change_that_a_test_notices_does_not_survive() -> None:
    """Two tests of keys run, with coverage, and judge some changes; nothing else knows of names of conversations."""
    pytest.importorskip("coverage")
    options = ["--paths", "src/message_history/core/values/keys.py", "--sample", "1000"]
    tests = ["--tests", "tests/core/test_pinned.py"]
    command = [sys.executable, "-m", "tests.mutants", *options, *tests]
    ended = subprocess.run(command, cwd=mutants.ROOT, capture_output=True, text=True, check=True)
    *printed, last = ended.stdout.splitlines()[1:]
    survivors = [line for line in printed if " is equivalent: " not in line]
    assert f"{len(survivors)} left" in last
    assert any("lineage_from_json" in line or "type(dropped)" in line for line in survivors)
    assert not [line for line in survivors if "hexdigest" in line]


def test_what_is_said_to_be_equivalent_is_still_there() -> None:
    for listed, why in mutants.EQUIVALENT.items():
        path, _, said = listed.partition(":")
        places = [mutants.ROOT / "src/message_history" / path, *mutants.ROOT.glob(f"plugins/*/src/{path}")]
        source = next(place for place in places if place.exists()).read_text(encoding="utf-8")
        assert why
        assert source.count(said.split("`")[-2]) == 1
