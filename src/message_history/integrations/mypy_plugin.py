"""A plug-in for mypy that finds histories which are dropped: `history.add(message)` on a line of its own.

In `pyproject.toml`: `[tool.mypy]` with `plugins = ["message_history.integrations.mypy_plugin"]`.
"""

from __future__ import annotations

import ast
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from mypy.errorcodes import ErrorCode
from mypy.plugin import Plugin

from message_history.discarded import methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy.nodes import MypyFile
    from mypy.plugin import MethodContext
    from mypy.types import Type

DISCARDED: Final = ErrorCode("discarded-history", "A history that a method returned is not used", "MessageHistory")
"""The code under which mypy reports one, for `# type: ignore[discarded-history]`."""
_METHODS: Final = {f"message_history.history.MessageHistory.{name}": name for name in methods()}


def plugin(version: str) -> type[Plugin]:
    """Return the plug-in, for mypy."""
    del version
    return _DiscardedHistories


@final
class _DiscardedHistories(Plugin):
    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        name = _METHODS.get(fullname)
        return None if name is None else partial(_check, name)


def _check(name: str, call: MethodContext) -> Type:
    here = call.context
    place = (here.line, here.column, here.end_line, here.end_column)
    if place in _statements(call.api.tree):  # type: ignore[attr-defined]  # the checker has the file
        text = f"The history that {name}() returned is dropped; write history = history.{name}(...)"
        call.api.fail(text, call.context, code=DISCARDED)
    return call.default_return_type


@lru_cache(maxsize=1)
def _statements(file: MypyFile) -> frozenset[tuple[int | None, ...]]:
    """Return where in a file the expressions are that are statements: mypy's own visitors cannot be subclassed."""
    tree = ast.parse(Path(file.path).read_bytes())
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return frozenset((each.lineno, each.col_offset, each.end_lineno, each.end_col_offset) for each in found)
