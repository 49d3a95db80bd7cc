"""Change one thing of the library at a time, and see whether a test notices: `python -m tests.mutants --sample 60`.

Each mutant is one changed node: a comparison, a boolean operator, a condition, a constant, a returned value, or a
statement that is dropped. A sample is drawn by a seed that is printed; the tests that `TESTS` names for a file run in
one process for each mutant, in which the changed module is loaded in place of the file's: nothing is written, so that a
run may be stopped at any time and others may work in the same checkout. Survivors are printed; a test should kill each,
or it is equivalent.

mutmut and cosmic-ray do not: one writes a copy of the checkout with all mutants in it, the other each mutant into the
file itself; neither draws a sample by a seed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import subprocess
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType

ROOT = Path(__file__).parents[1]
CHANGED = "MESSAGE_HISTORY_MUTANT"
"""Set in the environment of a mutant's process: the file, and the number of the change in it."""
LIMIT = 300.0  # seconds that the tests of one mutant may take; a loop without end counts as noticed
TESTS = {
    "src/message_history/core": ("tests/core", "tests/windows", "tests/replies", "tests/following", "tests/vectors"),
    "src/message_history/dialects": ("tests/dialects", "tests/vectors", "tests/test_broken_histories.py"),
    "src/message_history/following": ("tests/following", "plugins/healing"),
    "src/message_history/storage": ("tests/sessions",),
    "src/message_history/files": ("tests/files", "tests/sessions"),
    "src/message_history/formats": ("tests/formats",),
    "plugins/compile/src": ("plugins/compile",),
    "plugins/healing/src": ("plugins/healing",),
    "plugins/proxy/src": ("plugins/proxy",),
    "plugins/testing/src": ("plugins/testing",),
}
"""Which tests judge the files of a folder, those first that find most."""
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def changes_of(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, Any]]:
    """Give each change that can be made: what it is, the node, and the field with its new value."""
    typed = {id(node) for each in ast.walk(tree) if _is_typed_only(each) for node in ast.walk(each)}
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        if isinstance(node, ast.Compare):
            yield "a comparison", node, "ops", [OPPOSITES[type(node.ops[0])](), *node.ops[1:]]
        elif isinstance(node, ast.BoolOp):
            yield "and for or, or the reverse", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield "a condition", node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield "a constant", node, "value", not node.value if isinstance(node.value, bool) else node.value + 1
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield "a returned value", node, "value", ast.Constant(None)
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if not isinstance(node, ast.Module | ast.ClassDef) and isinstance(statements, list):
                for at, statement in enumerate(statements):
                    if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) and not _is_text(statement):
                        yield "a dropped statement", node, name, [*statements[:at], ast.Pass(), *statements[at + 1 :]]


def _is_typed_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def changed(source: str, number: int) -> tuple[ast.Module, str]:
    """Return a module with one change, and where and what that is."""
    tree = ast.parse(source)
    what, node, field, value = next(each for n, each in enumerate(changes_of(tree)) if n == number)
    before = ast.unparse(node).partition("\n")[0]
    line = getattr(node, "lineno", 0)
    old = copy.copy(node)
    setattr(node, field, value)
    if what == "a dropped statement":
        at = next(n for n, (a, b) in enumerate(zip(getattr(old, field), value, strict=True)) if a is not b)
        dropped = getattr(old, field)[at]
        return ast.fix_missing_locations(tree), f"{dropped.lineno}: dropped `{ast.unparse(dropped):.100}`"
    return ast.fix_missing_locations(tree), f"{line}: {what}: `{before:.100}`"


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        del fullname
        source, number = Path(self.path).read_text(encoding="utf-8"), int(os.environ[CHANGED].rpartition(":")[2])
        return compile(source if number < 0 else changed(source, number)[0], self.path, "exec")


class _Finder:
    """Finds the one module that is changed, before anything else does."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        path = os.environ[CHANGED].rpartition(":")[0]
        name = path.partition("src/")[2].removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if fullname != name:
            return None
        whole = path.endswith("__init__.py")
        spec = ModuleSpec(fullname, _Loader(fullname, str(ROOT / path)), origin=path, is_package=whole)
        if whole:
            spec.submodule_search_locations = [str((ROOT / path).parent)]
        return spec


def survives(path: str, number: int) -> bool:
    """Return whether the tests of a file pass with one change in it; with none where the number is negative."""
    tests = next((tests for folder, tests in TESTS.items() if path.startswith(folder)), ("tests",))
    code = "import sys; from tests import mutants; mutants.judge(sys.argv[1:])"
    command = [sys.executable, "-c", code, "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, CHANGED: f"{path}:{number}", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def judge(arguments: list[str]) -> None:
    """Run tests with the change that the environment names."""
    sys.meta_path.insert(0, _Finder())
    import pytest  # noqa: PLC0415 - its plug-ins import the library, which is changed from here on

    sys.exit(pytest.main(arguments))


def sample(paths: Sequence[Path], size: int, seed: int) -> list[tuple[str, int]]:
    """Draw changes from files and folders, each as a path and a number."""
    files = sorted({file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))})
    every = [
        (file.resolve().relative_to(ROOT).as_posix(), number)
        for file in files
        for number, _ in enumerate(changes_of(ast.parse(file.read_text(encoding="utf-8"))))
    ]
    return random.Random(seed).sample(every, min(size, len(every)))


def main() -> int:
    """Judge a sample; fails below the share that must be noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--paths", nargs="+", type=Path, default=[ROOT / "src/message_history/core"])
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--share", type=float, default=0.0, help="of the mutants must be noticed, as 0.95")
    chosen = parser.parse_args()
    drawn = sample(chosen.paths, chosen.sample, chosen.seed)
    sys.stdout.write(f"seed {chosen.seed}: {len(drawn)} mutants\n")
    folders = {next((folder for folder in TESTS if path.startswith(folder)), ""): path for path, _ in drawn}
    failing = [folder for folder, path in folders.items() if not survives(path, -1)]
    if failing:
        sys.stdout.write(f"the tests of {', '.join(failing)} fail or take too long without any change\n")
        return 2
    left = 0
    for path, number in drawn:
        if survives(path, number):
            left += 1
            sys.stdout.write(f"{path}:{changed((ROOT / path).read_text(encoding='utf-8'), number)[1]}\n")
        sys.stdout.flush()
    share = 1 - left / max(1, len(drawn))
    sys.stdout.write(f"seed {chosen.seed}: {len(drawn) - left} of {len(drawn)} were noticed, {share:.1%}\n")
    return 0 if share >= chosen.share else 1


if __name__ == "__main__":
    sys.exit(main())
