"""The places that an error text names: `messages[3].tool_calls[0].id` in the list, or a parameter next to it.

Providers, validators and languages write one place in many ways; what they have in common are the keys on the way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT: Final = r"(?:messages?|contents?|input|history)"
_NAMED: Final = r"(?:messages?|contents?|history)"
"""The roots that follow any name: `TodoWrite.input.todos[0]` is an argument of a tool."""
_STEP: Final = r"(?:(?:\.\[?|\[)(?:[\w<>*-]{1,48}|\{\w{1,20}\}|\.{3})\]?|\[\]|\[['\"]\w{1,48}['\"]\])"
_PATH: Final = re.compile(
    rf"""(?<![\w.\]/-])(?:(?:(?:body|\$|\*|\w{{0,40}}request)\.)?{_ROOT}|[\w$*]{{1,40}}\.{_NAMED}){_STEP}{{1,16}}(?![\w(])"""
    r"""(?:['"]\s?:\sproperty\s['"][\w{-]{1,48}\}?)?"""
    rf"""|(?<=['"`])/{_ROOT}/\d{{1,6}}(?:/[\w-]{{1,48}}){{0,16}}"""
    rf"""|\#/{_ROOT}(?:/(?:[\w-]{{1,48}}|\{{\w{{1,20}}\}})){{1,16}}"""
    rf"""|(?<![.\w])(?:body|path)(?:["'\\\]:\[\s,>]|->){{1,16}}{_ROOT}(?!["'\\]{{0,8}}\s?:)"""
    r"""(?:["'\\]{0,8}\s{0,3}(?:,|->)\s{0,8}["'\\]{0,8}(?:\w{1,48}+(?:-\w{1,48}+){0,4}|\{\w{1,20}\})"""
    r"""(?!["'\\]{0,8}\s?:)){0,16}"""
)
"""A path from the root of the list, with dots and brackets, as a JSON pointer, or as a list of keys."""
_INDEXED: Final = re.compile(
    r"[.\[/,>]\s{0,8}\[?(?:\d|\{[a-z]{1,2}\}|[nmxijk*]\b|<|\.\.\.|\])|#/|request\.|\b(?:body|path)\b"
)
"""What tells a path from the end of a sentence, and from a line of a program."""
_FIELD: Final = re.compile(r"(?:body|path)\W{1,16}(?:message|content|history)\W{0,16}")
"""A field of a form that is called like something in a list: the list itself has other names."""
_BEFORE: Final = 80
_BEHIND: Final = 160
"""How far from a place stands what is wrong there."""
_QUOTES: Final = "'\"`"
_STEPS: Final = re.compile(r"\{\w+\}|\w+(?:-\w+)*|<\w+>")
_NO_KEY: Final = re.compile(r"\d+|[\W_]*|\{\w+\}|<\w+>|[nmkxyij]|idx|index")
_OF_NOBODY: Final = frozenset({"body", "dict", "list", "member", "path", "property", "str", "typed-dict"})
"""What validators put between the keys: the member of a union, the base of a path."""
_BLOCKS: Final = "content"
"""The root of a place that begins at the message."""
_PARAMETER: Final = re.compile(
    r"""\bunknown name ['"`\\]+([a-z]\w{0,60})['"`\\]+: cannot find field"""
    r"""|(?:unknown|unsupported|missing required|unrecognized)\s"""
    r"""(?:parameter|argument|value)s?:?\s?['"`\\]+([a-z]\w{0,60})"""
    r"""|invalid ['"`\\]+([a-z]\w{0,60})[\w.\[\]]{0,60}['"`\\]+:"""
    r"""|invalid (?:type|value) for ['"`\\]+([a-z]\w{0,60})"""
    r"""|\bfield["'\\]*+: ['"`\\]+([a-z]\w{0,60})['"`\\]"""
    r"""|\bat ['"`\\]+([a-z]\w{0,60})[\w.\[\]-]{0,200}['"`\\]+ failed to satisfy"""
    r"""|\bloc["'\\]+\s?:\s?[\[(]\s?["'\\]+(?:body["'\\]+\s?,\s?["'\\]+)?(?!body\b)([a-z]\w{0,60})["'\\]"""
    r"""|\btarget type: ([a-z]\w{0,60})[\w.\[\]]{0,200}:"""
    r"""|\bparam["'\\]+\s?:\s?["'\\]+([a-z]\w{0,60})["'\\.\[]"""
    r"""|(?<!\w)\#/([a-z]\w{0,60})"""
    r"""|\bgo struct field \w{1,60}\.([a-z]\w{0,60})"""
    r"""|\bpath["'\\]+\s?:\s?\[\s{0,40}["'\\]+([a-z]\w{0,60})"""
)


@final
@frozen
class Place:
    """A place in the list."""

    keys: tuple[str, ...]  # the keys on the way to it, below the root and without indices
    leaf: str  # the key that it ends with; empty when it ends with an index


def places_of(text: str) -> list[Place]:
    return [_place(path[0]) for path in _PATH.finditer(text) if _is_place(path)]


def surroundings(text: str) -> Iterator[tuple[Place, str]]:
    """Yield each place of the list that a plain text names, with what stands around it."""
    for path in _PATH.finditer(text):
        if _is_place(path):
            yield _place(path[0]), text[max(0, path.start() - _BEFORE) : path.end() + _BEHIND]


def masked(text: str) -> str:
    """Return a plain text without the places of the list that it names: their words do not say what is wrong."""
    return _PATH.sub(lambda path: " " if _is_place(path) else path[0], text)


def parameters_of(text: str) -> list[str]:
    """Return what a plain text names as the parameters that are at fault, each by the first key of its path."""
    return [name for names in _PARAMETER.findall(text) for name in names if name]


def is_root(name: str) -> bool:
    return re.fullmatch(_ROOT, name) is not None


def _is_place(path: re.Match[str]) -> bool:
    if _FIELD.fullmatch(path[0]):
        return False
    quoted = path.start() > 0 and path.string[path.start() - 1] in _QUOTES
    return quoted or _INDEXED.search(path[0]) is not None


def _place(path: str) -> Place:
    steps = [step for step in _STEPS.findall(path) if step not in _OF_NOBODY]
    root = next(number for number, step in enumerate(steps) if is_root(step))
    below = steps[root + 1 :]
    keys = tuple(step for step in below if not _NO_KEY.fullmatch(step))
    leaf = keys[-1] if keys and keys[-1] == below[-1] else ""
    return Place(keys if keys or steps[root] != _BLOCKS else (_BLOCKS,), leaf)
