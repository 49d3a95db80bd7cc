"""What the mutation run changes, and that it runs what it changed."""

from __future__ import annotations

import ast

import pytest

from tests import mutants
from tests.mutants import changed, changes_of, sample, survives
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


def test_a_sample_is_that_of_its_seed() -> None:
    core = [mutants.ROOT / "src/message_history/core/values"]
    assert sample(core, 5, 1) == sample(core, 5, 1) != sample(core, 5, 2)


@pytest.mark.heavy
@needs_processes
def test_a_change_that_a_test_notices_does_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "src/message_history/core/values/keys.py"
    source = (mutants.ROOT / path).read_text(encoding="utf-8")
    number = next(
        n
        for n, _ in enumerate(changes_of(ast.parse(source)))
        if "hexdigest()" in changed(source, n)[1].partition(": ")[2]
    )
    monkeypatch.setattr(mutants, "TESTS", {path: ("tests/core/test_pinned.py",)})
    assert survives(path, -1)
    assert not survives(path, number)
