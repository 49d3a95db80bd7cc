"""Counts that are independent of the work: each line of the input is a row, or it is in `rejected.jsonl`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, final

from message_history_compile.places import BLANK, CHUNK, DamagedError, open_input, skip_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from message_history_compile.reading import Part


@final
class CountError(RuntimeError):
    """What was read is not what was written; the text says where. Nothing of such a run is to be trusted."""


def lines_in(part: Part) -> int:
    """Count the lines of a part of a file that are not blank."""
    count = 0
    with open_input(part.path) as opened, suppress(DamagedError):
        if part.start:
            opened.seek(part.start)
        while part.to_end or opened.tell() < part.stop:
            line = opened.readline(CHUNK)
            if not line:
                break
            is_filled = bool(line.strip(BLANK))
            if not line.endswith(b"\n"):
                is_filled = skip_line(opened.readline) or is_filled
            count += is_filled
    return count


def check_lines(part: Part, written: int) -> None:
    """Raise `CountError` unless as many lines of a part were written, as rows or as rejected, as it has."""
    there = lines_in(part)
    if there != written:
        raise CountError(
            f"{part.path}: {there:,} lines from byte {part.start:,} on, and {written:,} have a row or a reason"
        )


def check_files(folder: Path, shards: Sequence[dict[str, Any]], rejected: Path, expected: int) -> None:
    """Raise `CountError` unless the files of a run hold as many rows as it counted, and as many that were rejected."""
    for shard in shards:
        path = folder / shard["file"]
        if path.suffix == ".jsonl" and (there := _line_feeds(path)) != shard["rows"]:
            raise CountError(f"{path}: it holds {there:,} rows, and {shard['rows']:,} were counted")
    if (there := _line_feeds(rejected)) != expected:
        raise CountError(f"{rejected}: it holds {there:,} lines, and {expected:,} were rejected")


def _line_feeds(path: Path) -> int:
    with path.open("rb") as opened:
        return sum(chunk.count(b"\n") for chunk in _chunks(opened))


def _chunks(opened: Any) -> Iterable[bytes]:
    while chunk := opened.read(CHUNK):
        yield chunk
