"""Where the dialects record what they omit, rewrite, add or note, and a list that reaches each of these places.

The lists are in `tests/dialects/golden/records.jsonl`, with what is recorded. `python -m tests.records` writes the
records anew: read the difference. For a new place add a line with a list, and with `[]` as its records.
"""

from __future__ import annotations

import ast
import json
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

from attrs import evolve

import message_history
from message_history import MessageHistory
from message_history.core.messages.parsed import Parsed
from message_history.dialects._shared.writer import Changes
from message_history.dialects.registry import DIALECTS
from message_history.dialects.state import repair_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SRC: Final = Path(message_history.__file__).parent
FILE: Final = Path(__file__).parent / "dialects" / "golden" / "records.jsonl"
RECORDERS: Final[tuple[tuple[type[Any], tuple[str, ...]], ...]] = (
    (Changes, ("omitted", "omitted_keys", "omitted_thinking", "rewritten", "renamed", "added")),
    (Parsed, ("note", "role_assumed", "empty", "dropped")),
)
_NAMES: Final = frozenset(name for _, names in RECORDERS for name in names)


class Place(NamedTuple):
    """One call of a recorder.

    Args:
        path: its file in the package.
        first: its first line.
        last: its last line.
    """

    path: str
    first: int
    last: int

    def holds(self, path: str, line: int) -> bool:
        """Return whether a line of a file is in it."""
        return self.path == path and self.first <= line <= self.last


def places() -> list[Place]:
    """Find each call of a recorder in the dialects."""
    return [
        Place(file.relative_to(SRC).as_posix(), node.lineno, node.end_lineno or 0)
        for file in sorted((SRC / "dialects").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _NAMES
    ]


@contextmanager
def watched(muted: Callable[[str, int], bool] = lambda *_: False) -> Iterator[set[tuple[str, int]]]:
    """Give the file and line of each recorder's caller; those that are muted record nothing."""
    reached: set[tuple[str, int]] = set()

    def watch(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **options: Any) -> None:
            frame = sys._getframe(1)
            path = frame.f_code.co_filename.replace("\\", "/").rpartition("/message_history/")[2]
            reached.add((path, frame.f_lineno))
            if not muted(path, frame.f_lineno):
                real(*arguments, **options)

        return call

    with ExitStack() as stack:
        for kind, names in RECORDERS:
            for name in names:
                stack.enter_context(patch.object(kind, name, watch(getattr(kind, name))))
        yield reached


class Witness(NamedTuple):
    """A list that reaches a place, and what is recorded of it.

    Args:
        how: `read` by `from_list`, `write` as a saved list that is exported, or `reply` by `add_response`.
        raw: the list, or the reply.
        dialect: the name of the dialect; None to find it by shape.
        fields: the fields of the dialect that are not as they are by default.
        records: the repairs.
    """

    how: str
    raw: Any
    dialect: str | None
    fields: dict[str, Any]
    records: list[Any]

    def recorded(self) -> list[Any]:
        """Run it, and return what is recorded now."""
        dialect: Any = None if self.dialect is None else DIALECTS[self.dialect]
        if dialect is not None and self.fields:
            before = {name: getattr(dialect, name) for name in self.fields}
            values = {
                name: frozenset(value) if isinstance(before[name], frozenset) else value
                for name, value in self.fields.items()
            }
            dialect = evolve(dialect, **values)
        if self.how == "reply":
            repairs = MessageHistory().add_user("q").add_response(self.raw, dialect=dialect).repairs
        else:
            history = MessageHistory.from_list(self.raw, dialect=dialect if self.how == "read" else None)
            repairs = history.repairs if dialect is None or self.how == "read" else history.export(dialect).repairs
        return [repair_to_json(repair) for repair in repairs]


def witnesses() -> list[Witness]:
    """Read the lists that reach each place."""
    return [Witness(**json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]


def write(found: list[Witness]) -> None:
    """Write lists with what is recorded of each now."""
    lines = [json.dumps(each._replace(records=each.recorded())._asdict()) for each in found]
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write(witnesses())
