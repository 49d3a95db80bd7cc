"""Show in the reference how values are made: attrs writes `__init__` at run time, unseen by readers of sources."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator

MAKERS: Final = frozenset({"attrs.frozen", "attrs.define", "frozen", "define"})


class AttrsSignatures(griffe.Extension):
    """Gives each class without an `__init__` in its source the parameters that it takes."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Visit the classes of a package once all of it is known."""
        del kwargs
        for cls in _classes(pkg, set()):
            if "__init__" in cls.members:
                continue
            made = list(_fields(cls) if _maker(cls) is not None else _of_tuple(cls) or _of_new(cls))
            if made:
                made.sort(key=lambda field: field.kind is griffe.ParameterKind.keyword_only)
                cls.set_member(
                    "__init__", griffe.Function("__init__", parameters=griffe.Parameters(*made), returns="None")
                )


def _classes(parent: griffe.Module | griffe.Class, seen: set[str]) -> Iterator[griffe.Class]:
    for member in list(parent.members.values()):
        if member.is_alias or member.path in seen:
            continue
        seen.add(member.path)
        if isinstance(member, griffe.Class):
            yield member
        if isinstance(member, griffe.Module | griffe.Class):
            yield from _classes(member, seen)


def _maker(cls: griffe.Class) -> ast.expr | None:
    """Find the decorator that makes a class an attrs class."""
    for decorator in cls.decorators:
        made = ast.parse(str(decorator.value), mode="eval").body
        name = ast.unparse(made.func if isinstance(made, ast.Call) else made)
        if name in MAKERS:
            return made
    return None


def _fields(cls: griffe.Class) -> Iterator[griffe.Parameter]:
    """Give the parameters of a class and its bases, those of the bases first."""
    maker = _maker(cls)
    if maker is None:
        return
    try:
        for base in reversed(cls.mro()):
            yield from _own_fields(base)
    except ValueError:  # a base that is not known
        pass
    yield from _own_fields(cls)


def _own_fields(cls: griffe.Class) -> Iterator[griffe.Parameter]:
    maker = _maker(cls)
    if maker is None:
        return
    all_by_keyword = _keywords(maker).get("kw_only") == "True"
    for member in cls.members.values():
        if not isinstance(member, griffe.Attribute) or member.annotation is None or "property" in member.labels:
            continue
        if "ClassVar" in str(member.annotation) or "Final" in str(member.annotation):
            continue
        value = ast.parse(str(member.value), mode="eval").body if member.value is not None else None
        options = _keywords(value) if _is_field(value) else {}
        if options.get("init") == "False":
            continue
        default = options.get("default") if _is_field(value) else str(member.value) if value is not None else None
        if "factory" in options:
            default = f"{options['factory']}()"
        by_keyword = all_by_keyword or options.get("kw_only") == "True"
        kind = griffe.ParameterKind.keyword_only if by_keyword else griffe.ParameterKind.positional_or_keyword
        name = member.name.lstrip("_")
        yield griffe.Parameter(name, annotation=member.annotation, kind=kind, default=default)


def _of_tuple(cls: griffe.Class) -> list[griffe.Parameter]:
    """Give the parameters of a named tuple."""
    if "NamedTuple" not in map(str, cls.bases):
        return []
    return [
        griffe.Parameter(each.name, annotation=each.annotation, kind=griffe.ParameterKind.positional_or_keyword)
        for each in cls.members.values()
        if isinstance(each, griffe.Attribute) and each.annotation is not None and "property" not in each.labels
    ]


def _of_new(cls: griffe.Class) -> list[griffe.Parameter]:
    """Give the public parameters of `__new__`, after the class."""
    new = cls.members.get("__new__")
    if not isinstance(new, griffe.Function):
        return []
    return [each for each in list(new.parameters)[1:] if not each.name.startswith("_")]


def _is_field(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in ("field", "attrs.field")


def _keywords(call: ast.expr | None) -> dict[str, str]:
    return (
        {each.arg: ast.unparse(each.value) for each in call.keywords if each.arg} if isinstance(call, ast.Call) else {}
    )
