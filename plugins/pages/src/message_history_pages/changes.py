"""A conversation before and after its repair, side by side: what changed, why, and what the provider had said."""

from __future__ import annotations

import json
from collections import defaultdict
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from message_history.core.values.json_values import freeze, thaw
from message_history.markup import Markup, element, join
from message_history_pages.bars import bar
from message_history_pages.comparing import compare
from message_history_pages.marks import repair_note, violation_note
from message_history_pages.page import page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from message_history.core.messages.repairs import Repair
    from message_history.files.files import SavedFile
    from message_history.violations import Violation
    from message_history_pages.comparing import Change

MOST_LINES: Final = 2_000
"""Entries of more lines are shown whole, without marking the lines that changed."""
LONG: Final = 2_000
"""Texts of more characters are shortened: this page shows what changed, and the file holds the rest."""


def changes_page(
    name: str, before: SavedFile, after: SavedFile, violations: Sequence[Violation], repairs: Sequence[Repair]
) -> bytes:
    """Return what a repair changed as a page to read.

    Args:
        name: what the file is called.
        before: what it held.
        after: what it holds repaired.
        violations: what a provider would refuse in it as it was; `index` is the position among the entries.
        repairs: what was changed; `source` is the position among the entries.

    Returns:
        One HTML file. It loads nothing, and nothing in the conversation is run.

    Complexity: O(n log n) in the entries.
    """
    old, new = list(before.entries), list(after.entries)
    changes = list(compare([_key(entry) for entry in old], [_key(entry) for entry in new]))
    notes = _notes(before, violations, repairs, len(old))
    rows = [row for change in changes for row in _rows(change, old, new, notes, before.place_of)]
    facts = [
        f"{len(old):,} entries before, {len(new):,} after",
        f"{len(violations):,} violations before",
        f"{len(repairs):,} repairs",
    ]
    head = element(
        "header",
        element("h1", name),
        element("p", *(element("span", fact, class_="fact") for fact in facts), class_="facts"),
        *notes.get(-1, ()),
    )
    columns = element("div", element("h2", "before"), element("h2", "after"), class_="pair heads")
    if all(change.same for change in changes):
        rows.append(element("p", "Nothing was changed.", class_="empty"))
    body = join((bar(), head, element("main", columns, *rows, id="messages")))
    return page(f"{name}: before and after", body, kind="changes")


def _notes(
    file: SavedFile, violations: Iterable[Violation], repairs: Iterable[Repair], count: int
) -> Mapping[int, list[Markup]]:
    """Say what was wrong with each entry; -1 is the list itself."""
    notes: dict[int, list[Markup]] = defaultdict(list)
    for violation in violations:
        known = violation.index is not None and 0 <= violation.index < count
        notes[violation.index if known and violation.index is not None else -1].append(
            violation_note(violation, file.place_of)
        )
    for repair in repairs:
        known = repair.source is not None and 0 <= repair.source < count
        notes[repair.source if known and repair.source is not None else -1].append(repair_note(repair, file.place_of))
    return notes


def _plain(entry: Any) -> Any:
    """Return an entry as JSON can hold it, however deep it is nested; one text block counts as its text."""
    return _with_texts(thaw(freeze(entry)[0]))


def _with_texts(value: Any) -> Any:
    if isinstance(value, dict):
        match content := value.get("content"):
            case [{"type": "text", "text": str(only), **others}] if not others:
                value["content"] = only
            case list():
                value["content"] = [_with_texts(part) for part in content]
    return value


def _key(entry: Any) -> str:
    return json.dumps(_plain(entry), sort_keys=True)


def _rows(
    change: Change,
    old: Sequence[Any],
    new: Sequence[Any],
    notes: Mapping[int, list[Markup]],
    place_of: Callable[[int], str],
) -> Iterator[Markup]:
    first, last = change.before
    if not change.same:
        marks = [note for entry in range(first, last) for note in notes.get(entry, ())]
        yield _pair(old[first:last], new[slice(*change.after)], marks, f"{place_of(first)}" if first < last else "")
        return
    skipped = 0
    for entry in range(first, last):
        if entry not in notes:
            skipped += 1
            continue
        yield _skipped(skipped)
        skipped = 0
        yield _as_it_was(old[entry], notes[entry], place_of(entry))
    yield _skipped(skipped)


def _skipped(count: int) -> Markup:
    if not count:
        return Markup()
    return element(
        "p", "1 entry is as it was" if count == 1 else f"{count:,} entries are as they were", class_="skipped"
    )


def _as_it_was(entry: Any, marks: Sequence[Markup], place: str) -> Markup:
    """Show an entry that did not change, and that something is said about."""
    lines = _lines(entry)
    return _hunk(place, marks, _code(lines, set(), "both"), len(lines))


def _pair(old: Sequence[Any], new: Sequence[Any], marks: Sequence[Markup], place: str) -> Markup:
    was = [line for entry in old for line in _lines(entry)]
    now = [line for entry in new for line in _lines(entry)]
    gone, come = _changed(was, now)
    sides = element("div", _code(was, gone, "gone"), _code(now, come, "come"), class_="pair")
    return _hunk(place, marks, sides, max(len(was), len(now)))


def _hunk(place: str, marks: Sequence[Markup], code: Markup, lines: int) -> Markup:
    kind = "message hunk marked" if marks else "message hunk"
    return element(
        "section", element("h2", place or "added"), *marks, code, class_=kind, tabindex=-1, data_size=40 * lines
    )


def _lines(entry: Any) -> list[str]:
    return json.dumps(_shortened(_plain(entry)), indent=2, ensure_ascii=False).split("\n")


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONG:
        return f"{value[: LONG // 2]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return [_shortened(item) for item in value] if isinstance(value, list) else value


def _changed(was: Sequence[str], now: Sequence[str]) -> tuple[set[int], set[int]]:
    if len(was) + len(now) > MOST_LINES:
        return set(), set()
    gone, come = set(range(len(was))), set(range(len(now)))
    # A comma after a value comes and goes with what follows it.
    matcher = SequenceMatcher(
        None, [line.rstrip(",") for line in was], [line.rstrip(",") for line in now], autojunk=False
    )
    for one, other, size in matcher.get_matching_blocks():
        gone.difference_update(range(one, one + size))
        come.difference_update(range(other, other + size))
    return gone, come


def _code(lines: Sequence[str], marked: set[int], kind: str) -> Markup:
    if not lines:
        return element("div", element("p", "nothing", class_="empty"), class_=f"side {kind}")
    shown = [element("span", f"{line}\n", class_=kind if n in marked else None) for n, line in enumerate(lines)]
    return element("pre", *shown, class_=f"side {kind}", tabindex=0)
