"""Lists with one place changed, so that of places that are alike each gets another change."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, final

from message_history.testing.conformance.examples import places, planted

if TYPE_CHECKING:
    from collections.abc import Iterator

LOST: Final = object()
"""The place is taken out."""
TWICE: Final = object()
"""The item is there twice."""
ANOTHER: Final = object()
"""The object has another key."""
WORDS: Final = "(words)"
VALUES: Final[tuple[Any, ...]] = (
    LOST, None, "", WORDS, 7, [], {}, True, " ", [WORDS], {"type": WORDS}, [{}], False, "a b\ud83d", {"text": WORDS},
    -1, "x" * 70, TWICE, ANOTHER,
)  # fmt: skip


@final
class Changes:
    """The changes that were made so far to places that are alike; there are as many as `VALUES`."""

    def __init__(self) -> None:
        self._tried: dict[Any, int] = defaultdict(int)

    def made_to(self, raw: list[Any], *beside: object, times: int = 1) -> Iterator[tuple[str, list[Any]]]:
        """Change each place of a list so often, as far as there are changes left, and say what was changed.

        Places are alike that have the same keys and kinds on the way to them, and the same that is told `beside`.
        """
        for path, value in [*places(raw)] * times:
            alike = (*beside, type(value), *_kinds(raw, path))
            while self._tried[alike] < len(VALUES):
                self._tried[alike] += 1
                change = VALUES[self._tried[alike] - 1]
                changed = _changed(raw, path, value, change)
                if changed is not None:
                    yield f"{'.'.join(map(str, path))} {_name(change)}", changed
                    break


def _kinds(raw: Any, path: tuple[str | int, ...]) -> Iterator[str]:
    """Give the keys of a place, and the kind of each object on the way to it."""
    held = raw
    for key in path:
        if isinstance(held, dict):
            yield str(held.get("type") or held.get("role") or held.get("part_kind") or held.get("kind") or "")
        yield "*" if isinstance(key, int) else key
        held = held[key]


def _changed(raw: list[Any], path: tuple[str | int, ...], value: Any, change: Any) -> list[Any] | None:
    """Change a place; None where that changes nothing, or cannot be done."""
    if change is ANOTHER:
        return planted(raw, (*path, "another"), WORDS) if isinstance(value, dict) else None
    if change is not LOST and change is not TWICE:
        made = planted(raw, path, copy.deepcopy(change))
        return None if made == raw else made
    made = copy.deepcopy(raw)
    held: Any = made
    for key in path[:-1]:
        held = held[key]
    if change is LOST:
        del held[path[-1]]
    elif isinstance(held, list):
        held.insert(int(path[-1]), copy.deepcopy(value))
    else:
        return None
    return made


def _name(change: Any) -> str:
    named = {id(LOST): "is lost", id(TWICE): "is there twice", id(ANOTHER): "has another key"}
    return named.get(id(change)) or f"is {json.dumps(change)}"
