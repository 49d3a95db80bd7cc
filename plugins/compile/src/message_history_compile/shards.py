"""Work cut into units, each of which writes its shard of the output at one stroke, the same bytes each time."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, final

from attrs import asdict, field, frozen

from message_history.formats.registry import FORMATS
from message_history_compile.counting import check_lines
from message_history_compile.learning import Sampler, count_pieces
from message_history_compile.places import DamagedError, is_parquet, is_stream, is_url, open_input, size_of, skip_line
from message_history_compile.reading import COPY, Part, compile_found, read_part
from message_history_compile.recognising import line_format
from message_history_compile.rows import Rejected, json_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from message_history_compile.plan import Plan
    from message_history_compile.rows import Row

REJECTED: Final = "rejected.jsonl"
REPORT: Final = "report.json"
SAMPLE: Final = "sample.json"
DIGESTS: Final = "digests"
RECEIPTS: Final = "receipts"


Runner: TypeAlias = "Callable[[Sequence[Unit], Plan, str], Iterable[UnitReport]]"
"""Compiles units, in any order, and gives the report of each as it is done."""


@final
@frozen(kw_only=True)
class Unit:
    """A part of the work.

    Args:
        index: its position, which names its shard.
        parts: what to read.
    """

    index: int
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Return how many bytes it reads."""
        return sum(part.stop - part.start for part in self.parts)


@final
@frozen(kw_only=True)
class UnitReport:
    """What became of a unit.

    Args:
        index: the unit's position.
        bytes: how many bytes were read.
        rows: how many rows each split has.
        repaired: how many rows needed repairs.
        rejected: how many conversations were rejected, by reason.
        repairs: how many repairs there were, by code.
        hashes: the SHA-256 of each file, by split.
        characters: how many there are in the rows, by what they are to the trainer.
        lengths: how many rows have so many characters, or up to twice as many.
        tokens: as `characters`, in tokens; empty without a tokenizer.
        token_lengths: as `lengths`, in tokens.
    """

    index: int
    bytes: int
    rows: dict[str, int] = field(factory=dict)
    repaired: int = 0
    rejected: dict[str, int] = field(factory=dict)
    repairs: dict[str, int] = field(factory=dict)
    hashes: dict[str, str] = field(factory=dict)
    characters: dict[str, int] = field(factory=dict)
    lengths: dict[str, int] = field(factory=dict)
    tokens: dict[str, int] = field(factory=dict)
    token_lengths: dict[str, int] = field(factory=dict)


def plan_units(
    paths: Iterable[str], unit_bytes: int, format_name: str | None = None, copies: frozenset[str] = frozenset()
) -> list[Unit]:
    """Cut files into units.

    A unit reads about `unit_bytes`: a file of lines is cut between lines, others stay whole. `copies` are not read.
    """
    chosen = FORMATS[format_name] if format_name is not None else None
    units: list[Unit] = []
    waiting: list[Part] = []
    for path in paths:
        for part in [Part(path, 0, 0, COPY)] if path in copies else _parts_of(path, unit_bytes, chosen):
            waiting.append(part)
            if sum(each.stop - each.start for each in waiting) >= unit_bytes:
                units.append(Unit(index=len(units), parts=tuple(waiting)))
                waiting = []
    return [*units, Unit(index=len(units), parts=tuple(waiting))] if waiting else units


def _parts_of(path: str, unit_bytes: int, chosen: Any) -> Iterable[Part]:
    try:
        if not is_url(path) and Path(path).is_dir():
            yield Part(path, 0, sum(each.stat().st_size for each in Path(path).rglob("*.json")))
            return
        size = size_of(path)
        lines = None if is_parquet(path) else line_format(path, chosen)
    except OSError as error:
        if is_url(path) and not isinstance(error, DamagedError):
            raise
        yield Part(path, 0, 0)
        return
    if lines is None:
        yield Part(path, 0, size)
        return
    if is_stream(path):
        yield Part(path, 0, size, lines.name, to_end=True)
        return
    with open_input(path) as opened:
        start = 0
        while start < size:
            opened.seek(min(start + unit_bytes, size))
            skip_line(opened.readline)
            stop = opened.tell()
            yield Part(path, start, stop, lines.name)
            start = stop


def unit_folder(work: Path, index: int) -> Path:
    """Name the folder of a unit's shard."""
    return work / f"{index:05}"


def report_of(work: Path, index: int) -> UnitReport | None:
    """Return the report of a unit that is done; None when it is not."""
    try:
        return UnitReport(**json.loads((unit_folder(work, index) / REPORT).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None


def compile_unit(unit: Unit, plan: Plan, work: str, on_progress: Callable[[int], None] | None = None) -> UnitReport:
    """Compile one unit, unless it is done.

    A unit may be compiled again, or twice at once: its folder appears at one stroke, and holds the same bytes. `work`
    is the folder that the shards go to. Raises `OSError` when it cannot be written. One conversation is held at a time,
    and for Parquet one group of rows. `on_progress` is called with the number of bytes that were read since its last
    call. Raises `CountError` unless each line is a row, or rejected.
    """
    folder = Path(work)
    done = report_of(folder, unit.index)
    if done is not None:
        return done
    unfinished = folder / f"{unit.index:05}.{os.getpid()}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    writer = _Writer(unfinished, plan, unit)
    try:
        for part in unit.parts:
            _compile_part(part, plan, writer, on_progress)
    except BaseException:
        writer.close()
        raise
    report = writer.finish()
    (unfinished / REPORT).write_text(json.dumps(asdict(report)), encoding="utf-8")
    try:
        unfinished.rename(unit_folder(folder, unit.index))
    except OSError:
        # Somebody else was faster.
        shutil.rmtree(unfinished, ignore_errors=True)
        if report_of(folder, unit.index) is None:
            raise
    return report


def _compile_part(part: Part, plan: Plan, writer: _Writer, on_progress: Callable[[int], None] | None) -> None:
    chosen = FORMATS[plan.format] if plan.format is not None else None
    lines, place, shown = 0, part.start, part.start
    for found in read_part(part, chosen):
        writer.add(compile_found(found, plan))
        if found.source.byte is not None:
            lines += lines == 0 or found.source.byte != place
            if on_progress is not None and place < found.source.byte <= part.stop:
                on_progress(found.source.byte - place)
                shown = found.source.byte
            place = found.source.byte
    if on_progress is not None:
        on_progress(part.stop - shown)
    if part.format in FORMATS:
        check_lines(part, lines)


@final
class _Writer:
    """Writes the files of one shard and counts."""

    def __init__(self, folder: Path, plan: Plan, unit: Unit) -> None:
        self._folder = folder
        self._plan = plan
        self._target = plan.form
        self._unit = unit
        self._files: dict[str, BinaryIO] = {}
        self._tables: dict[str, Any] = {}
        self._hashes: dict[str, Any] = {}
        self._rows: dict[str, int] = {}
        self._rejected: dict[str, int] = {}
        self._repairs: dict[str, int] = {}
        self._repaired = 0
        self._characters: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._token_lengths: dict[str, int] = {}
        self._sampler = Sampler()

    def add(self, found: Row | Rejected) -> None:
        """Write a row, or the reason why there is no row."""
        if isinstance(found, Rejected):
            self._rejected[found.code] = self._rejected.get(found.code, 0) + 1
            self._write(REJECTED, json.dumps(found.values()).encode() + b"\n")
            return
        split = self._plan.split_of(found.digest)
        self._rows[split] = self._rows.get(split, 0) + 1
        self._repaired += bool(found.receipt["repairs"])
        for repair in found.receipt["repairs"]:
            self._repairs[repair["code"]] = self._repairs.get(repair["code"], 0) + 1
        self._look_at(found, split)
        if self._target.arrow:
            self._table(split).add(found.values)
        else:
            self._write(f"{split}.jsonl", found.line)
        if self._target.receipt is None:
            self._write(f"{split}.{RECEIPTS}.jsonl", json_line(found.receipt))
        if self._plan.dedupe:
            known = {key: found.receipt[key] for key in ("source", "byte", "hash", "label")}
            self._write(f"{split}.{DIGESTS}", json.dumps({**known, "row": found.digest}).encode() + b"\n")

    def _look_at(self, row: Row, split: str) -> None:
        count_pieces(row.pieces, [len(piece.text) for piece in row.pieces], self._characters, self._lengths)
        if self._plan.tokenizer is not None:
            from message_history_compile.tokens import token_counts  # noqa: PLC0415 - an extra

            counts = token_counts(self._plan.tokenizer, [piece.text for piece in row.pieces])
            count_pieces(row.pieces, counts, self._tokens, self._token_lengths)
        self._sampler.add(row.digest, split, row.receipt, row.pieces)

    def close(self) -> None:
        """Close the files of a unit that is given up."""
        for opened in self._files.values():
            opened.close()

    def finish(self) -> UnitReport:
        """Close the files."""
        for opened in self._files.values():
            opened.flush()
            os.fsync(opened.fileno())
            opened.close()
        for split, table in self._tables.items():
            table.close()
            self._hashes[f"{split}.parquet"] = sha256((self._folder / f"{split}.parquet").read_bytes())
        (self._folder / SAMPLE).write_text(json.dumps(self._sampler.values()), encoding="utf-8")
        return UnitReport(
            index=self._unit.index,
            bytes=self._unit.size,
            rows=dict(sorted(self._rows.items())),
            repaired=self._repaired,
            rejected=dict(sorted(self._rejected.items())),
            repairs=dict(sorted(self._repairs.items())),
            characters=dict(sorted(self._characters.items())),
            lengths=dict(sorted(self._lengths.items())),
            tokens=dict(sorted(self._tokens.items())),
            token_lengths=dict(sorted(self._token_lengths.items())),
            hashes={name: hashed.hexdigest() for name, hashed in sorted(self._hashes.items())},
        )

    def _write(self, name: str, data: bytes) -> None:
        if name not in self._files:
            self._files[name] = (self._folder / name).open("wb")
            self._hashes[name] = sha256()
        self._files[name].write(data)
        self._hashes[name].update(data)

    def _table(self, split: str) -> Any:
        if split not in self._tables:
            from message_history_compile.arrow import TableFile  # noqa: PLC0415 - pyarrow is an extra

            self._tables[split] = TableFile(self._folder / f"{split}.parquet")
        return self._tables[split]
