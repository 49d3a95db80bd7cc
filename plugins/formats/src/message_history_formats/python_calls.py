"""Calls as Python writes them: `[look(path="a.txt"), weather(city="Rome")]` of ToolACE, dicts with single quotes."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

_LONGEST: Final = 100_000
_NAME: Final = re.compile(r"(?P<before>[\[,]\s*)(?P<name>[^\s\[\](){},='\"][^\[\](){},='\"]*?)\s*\(")


def python_calls(written: str) -> list[tuple[str, dict[str, Any]]]:
    """Read a text that is nothing but a list of calls with literal arguments by name; an empty list for any other."""
    bare = written.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return []
    names: list[str] = []

    def numbered(found: re.Match[str]) -> str:
        names.append(found["name"])
        return f"{found['before']}_{len(names) - 1}("

    # Names may have spaces, dots and slashes in them, which Python has not.
    tree = _parsed(_NAME.sub(numbered, bare))
    found = [_call(each, names) for each in tree.elts] if isinstance(tree, ast.List) else []
    return [each for each in found if each is not None] if all(found) else []


def literal_of(written: str) -> Any:
    """Read a literal of Python, such as a dict with single quotes; None for any other text."""
    tree = _parsed(written.strip())
    return _value(tree) if isinstance(tree, ast.Dict | ast.List) else None


def _parsed(written: str) -> ast.expr | None:
    try:
        return ast.parse(written, mode="eval").body if len(written) <= _LONGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _call(node: ast.expr, names: list[str]) -> tuple[str, dict[str, Any]] | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        return None
    number = node.func.id.removeprefix("_")
    values = {each.arg: _value(each.value) for each in node.keywords if each.arg is not None}
    if not number.isdigit() or int(number) >= len(names) or len(values) != len(node.keywords):
        return None
    return (
        None
        if any(value is None and not _is_none(node, key) for key, value in values.items())
        else (
            names[int(number)],
            values,
        )
    )


def _is_none(node: ast.Call, key: str) -> bool:
    return any(
        each.arg == key and isinstance(each.value, ast.Constant) and each.value.value is None for each in node.keywords
    )


def _value(node: ast.expr) -> Any:
    try:
        return _plain(ast.literal_eval(node))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


def _plain(value: Any) -> Any:
    """Write what JSON has no type for as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
