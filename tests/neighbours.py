"""What becomes of lists next to known ones, each read, checked and sent by its dialect.

The known ones are whole lists, those of `tests/dialects/pairs`, and those of `tests/records.py`; the saved ones of
these go to every dialect.

What becomes of them is in `tests/dialects/golden/neighbours`, one file for each dialect and one line for each list:
which list it is, what was changed, and then the rules that are broken, the repairs of reading, those of sending, and a
digest of the saved and the sent form, and of the words of all that `check` finds. Of a dialect that writes objects of a
package, what is sent is in another file. `python -m tests.neighbours` writes them anew, with that package: read the
difference. With a dialect, a list and a change, as a line has them, it prints the list and both forms.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from collections import defaultdict
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from attrs import evolve, fields

from message_history import MessageHistory, check
from message_history.dialects._shared.tables import ModelTable
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance.examples import places
from tests.changed_lists import Changes
from tests.dialects.pairs_of_lists import named, pairs
from tests.dialects.whole_lists import URLS, WHOLE
from tests.records import witnesses
from tests.stream_neighbours import stream_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from message_history import Repair
    from message_history.dialects import Dialect
    from message_history.dialects._shared.rules import ModelRow

NAMES: Final = tuple(DIALECTS)
OF_OBJECTS: Final = ("langchain",)
"""Dialects that write objects of a package which few have: what these say is in a file of its own."""
FOLDER: Final = Path(__file__).parent / "dialects" / "golden" / "neighbours"
LONGEST: Final = 1_500
"""How long a list may be as JSON: those that break a rule by their length take long."""
SCALED: Final = frozenset({"AN-M2"})
"""What becomes of a picture that is too large depends on the extra `images`."""
PASSES: Final = 3
"""How many changes are made to each place of a whole list; to those of `OF_OBJECTS` one."""


class Neighbour(NamedTuple):
    """A list with one place changed.

    Args:
        of: which list it was.
        change: the place, and what is there now; empty for the list as it is.
        dialect: the dialect that reads it and gets it.
        raw: the list.
        saved: whether it is a saved form, which the dialect gets alone.
    """

    of: str
    change: str
    dialect: Dialect[Any]
    raw: list[Any]
    saved: bool

    def line(self) -> str:
        """Run it, and say what becomes of it."""
        history = self._read()
        forms: list[Any] = [history.to_list()]
        repairs = [history.repairs]
        if not self.dialect.of_objects:
            sent = history.export(self.dialect)
            forms += [sent.messages, sent.system]
            repairs.append(sent.repairs)
        refused = [] if self.saved else check(self.raw, self.dialect, unknown=True)
        found = [
            f"{each.rule}{_at(each.index)}{each.path and f' {each.path}'}"
            for each in refused
            if each.severity == "refused"
        ]
        forms += [[each.error, each.detail] for each in refused]
        return self._joined(found, *map(_said, repairs), forms=forms)

    def objects(self) -> str:
        """Write it as the objects of a package, which must be installed, and say what becomes of it."""
        sent = self._read().export(self.dialect)
        dumps = [{key: value for key, value in each.model_dump().items() if value} for each in sent.messages]
        return self._joined(_said(sent.repairs), forms=dumps)

    def _joined(self, *parts: list[str], forms: list[Any]) -> str:
        digest = sha256(json.dumps(forms, default=repr).encode()).hexdigest()
        words = [self.of, self.change, *map("; ".join, parts), digest[:8]]
        return "\t".join(words).encode(errors="backslashreplace").decode()

    def _read(self) -> MessageHistory:
        return MessageHistory.from_list(self.raw, dialect=None if self.saved else self.dialect)

    def shown(self) -> str:
        history = self._read()
        sent = history.export(self.dialect)
        forms = {"list": self.raw, "saved": history.to_list(), "sent": sent.messages, "system": sent.system}
        return json.dumps(forms, indent=1, default=repr)


def neighbours(name: str) -> Iterator[Neighbour]:
    """Give the lists of a dialect, and lists next to them.

    Next to a list are itself twice, and lists in which one place is changed. Of places that are alike, each gets
    another change, until every change was made to one of them. To each place of the whole lists several are made.
    """
    changes = Changes()
    for of, dialect, raw in _lists(name):
        saved = of.startswith("write")
        if len(json.dumps(raw, default=repr)) > LONGEST:
            continue
        yield Neighbour(of, "", dialect, raw, saved)
        if saved or (dialect is not _named(name) and not of.endswith(("sound", "refused"))):
            continue
        yield Neighbour(of, "twice", dialect, [*raw, *copy.deepcopy(raw)], saved)
        if of.endswith("refused"):
            continue
        times = PASSES if of.startswith("whole") and name in NAMES else 1
        yield from (
            Neighbour(of, change, dialect, changed, saved) for change, changed in changes.made_to(raw, times=times)
        )


def _lists(name: str) -> Iterator[tuple[str, Dialect[Any], list[Any]]]:
    for n, raw in enumerate(WHOLE[name]):
        yield f"whole {n}", _named(name), raw
    for pair in _pairs():
        if pair.name == name and pair.rule not in SCALED:
            yield f"{pair.rule} sound", pair.dialect, pair.sound
            yield f"{pair.rule} refused", pair.dialect, pair.refused
    for field, value in _fields(name):
        with suppress(ValueError):  # It contradicts other fields.
            dialect = evolve(_named(name), **{field: value})
            lists = [(n, raw) for n, raw in enumerate(WHOLE[name]) if not _has_odd_url(raw)]
            yield from ((f"{field} {_shown(value)} {n}", dialect, raw) for n, raw in lists)
    for other in NAMES:
        for n in range(len(WHOLE[other]) if other != name else 0):
            yield f"write {other} {n}", _named(name), _saved(other, n)
    for n, each in enumerate(_witnesses()):
        if each.how != "reply" and (each.how == "write" or (each.dialect or "anthropic") == name):
            yield f"{each.how} {n}", _named(name), each.raw


def _fields(name: str) -> Iterator[tuple[str, Any]]:
    """Give each field of a dialect with each value that some model or host has, and the dialect does not."""
    given: dict[str, dict[str, Any]] = defaultdict(dict)
    for field in fields(type(_named(name))):
        if "bool" in str(field.type) and field.name != "objects":  # Those are of a package that few have.
            given[field.name] |= {"True": True, "False": False}
        if field.name.startswith("max_"):
            given[field.name] |= {"1": 1, "2": 2}
    for row in _rows(name):
        alone = {known: value for known, value in row.fields.items() if not known.startswith("id_")}
        for known, value in alone.items():  # What an id looks like takes two fields.
            given[known][_shown(value)] = value
    for known, values in sorted(given.items()):
        yield from ((known, value) for _, value in sorted(values.items()) if value != getattr(_named(name), known))


def _rows(name: str) -> Iterator[ModelRow]:
    """Give all rows of the tables of a dialect."""
    for module in ("schema", "rules", "providers"):
        with suppress(ModuleNotFoundError):
            held = vars(import_module(f"message_history.dialects.{name}.{module}")).values()
            yield from (row for table in held if isinstance(table, ModelTable) for row in table)


def _has_odd_url(raw: list[Any]) -> bool:
    return any(value in URLS for _, value in places(raw) if isinstance(value, str))


def _shown(value: Any) -> str:
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


@cache
def _saved(name: str, n: int) -> list[Any]:
    return MessageHistory.from_list(WHOLE[name][n], dialect=_named(name)).to_list()


_named: Final = cache(named)
_pairs: Final = cache(pairs)
_witnesses: Final = cache(witnesses)


def _said(repairs: tuple[Repair, ...]) -> list[str]:
    return [
        re.sub(r"\s", " ", f"{each.code}{_at(each.source)}{_at(each.index)}{each.detail and f' {each.detail}'}")
        for each in repairs
    ]


def _at(index: int | None) -> str:
    return "" if index is None else f"@{index}"


def becoming() -> Mapping[str, Callable[[], list[str]]]:
    """Give what becomes of all lists, by the name of the file that has it."""
    found: dict[str, Callable[[], list[str]]] = {name: partial(_lines, name) for name in NAMES}
    found |= {name: partial(_lines, name, alone=True) for name in OF_OBJECTS}
    found["streams"] = lambda: list(stream_lines())
    return found | {f"{name}_objects": partial(_objects, name) for name in OF_OBJECTS}


def _lines(name: str, *, alone: bool = False) -> list[str]:
    """Say it of each list; alone of those that are only read, as what is read depends on no field."""
    own = _named(name)
    return [each.line() for each in neighbours(name) if not alone or (each.dialect is own and not each.saved)]


def _objects(name: str) -> list[str]:
    return [each.objects() for each in neighbours(name)]


def write() -> None:
    """Write what becomes of all lists now."""
    FOLDER.mkdir(exist_ok=True)
    for name, lines in becoming().items():
        (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        dialect, of, change = sys.argv[1:]
        sys.stdout.write(next(each for each in neighbours(dialect) if (each.of, each.change) == (of, change)).shown())
    else:
        write()
