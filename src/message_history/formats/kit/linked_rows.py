"""Rows that name their parent: the conversation is what the newest descends from; the rest was rewound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Numbered = tuple[int, dict[str, Any]]
"""A row with its line number."""


def path_to_newest(rows: Sequence[Numbered], id_key: str, parent_key: str) -> list[Numbered]:
    """Walk from the newest row back to the first; a parent that is not in the file is taken to be the row before."""
    at = {row[id_key]: n for n, (_, row) in enumerate(rows) if isinstance(row.get(id_key), str)}
    path: list[Numbered] = []
    n = len(rows) - 1
    while n >= 0:
        path.append(rows[n])
        parent = rows[n][1].get(parent_key)
        known = at.get(parent, n) if isinstance(parent, str) else n
        if parent is None and parent_key in rows[n][1]:
            break
        # A row that names a later one would lead round in a circle.
        n = known if known < n else n - 1
    return path[::-1]
