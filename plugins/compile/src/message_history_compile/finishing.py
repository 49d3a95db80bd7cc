"""The end of a run: shards go to their places, duplicates are taken out, and what was rejected is one file.

All of it may be done again after it was interrupted: it reads the units' folders, which stay until the end.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from message_history.files.disk import replace
from message_history.files.files import json_bytes
from message_history_compile.learned_page import page_of
from message_history_compile.learning import KINDS, Sampler
from message_history_compile.shards import DIGESTS, RECEIPTS, REJECTED, SAMPLE, unit_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from message_history_compile.plan import Plan
    from message_history_compile.shards import UnitReport

KEPT_BYTES: Final = 16
"""How much of a hash is held: two of 10^12 rows are the same by chance once in 10^14 runs."""
CHUNK: Final = 1024 * 1024


def finish(
    folder: Path, work: Path, reports: Sequence[UnitReport], plan: Plan
) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Put the shards of all units into their places.

    Returns the shards, with their rows and hashes, and how many rows of each split were duplicates; `reports` are in
    the order of the units. Raises `OSError` when it cannot be written. The cost is linear in the number of shards; with
    `dedupe`, in the rows and in the shards that have duplicates.
    """
    suffix = "parquet" if plan.form.arrow else "jsonl"
    seen: set[bytes] = set()
    duplicates: Counter[str] = Counter()
    shards: list[dict[str, Any]] = []
    gone: dict[int, list[bytes]] = {}
    for report in reports:
        source = unit_folder(work, report.index)
        for split, rows in report.rows.items():
            kept = _kept(source / f"{split}.{DIGESTS}", seen) if plan.dedupe else []
            missing = kept.count(False)
            duplicates[split] += missing
            if missing:
                gone.setdefault(report.index, []).extend(_duplicates(source / f"{split}.{DIGESTS}", kept))
            if rows == missing:
                continue
            target = folder / split / f"{report.index:05}.{suffix}"
            hashed = _place(source / f"{split}.{suffix}", target, kept if missing else [])
            receipts = source / f"{split}.{RECEIPTS}.jsonl"
            if plan.form.receipt is None:
                beside = folder / RECEIPTS / f"{split}-{report.index:05}.jsonl"
                _place(receipts, beside, kept if missing else [])
            sha = hashed or report.hashes[f"{split}.{suffix}"]
            shards.append({"file": f"{split}/{target.name}", "rows": rows - missing, "sha256": sha})
    rejected = _rejected(work, reports, gone)
    replace(folder / REJECTED, rejected, sync=True, private=False)
    splits = [split for split in plan.splits if any(shard["file"].startswith(f"{split}/") for shard in shards)]
    for name, text in _beside(plan, splits, suffix).items():
        replace(folder / name, [text.encode()], sync=False, private=False)
    return shards, duplicates


def write_learned(folder: Path, work: Path, reports: Sequence[UnitReport], counts: dict[str, Any]) -> None:
    """Write the page that shows what a model will learn, and its counts as JSON; `counts` are those of the run."""
    sampler = Sampler()
    characters: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    lengths: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    token_lengths: Counter[str] = Counter()
    for report in reports:
        characters.update(report.characters)
        lengths.update(report.lengths)
        tokens.update(report.tokens)
        token_lengths.update(report.token_lengths)
        sampler.join(json.loads((unit_folder(work, report.index) / SAMPLE).read_text(encoding="utf-8")))
    values = {
        **counts,
        "characters": {kind: characters[kind] for kind in KINDS},
        "lengths": {name: lengths[name] for name in sorted(lengths, key=int)},
        "tokens": {kind: tokens[kind] for kind in KINDS} if tokens else {},
        "token_lengths": {name: token_lengths[name] for name in sorted(token_lengths, key=int)},
        "sample": sampler.values(),
    }
    replace(folder / "learned.html", [page_of(values)], sync=False, private=False)
    replace(folder / "learned.json", [json_bytes(values, indent=1) + b"\n"], sync=False, private=False)


def _beside(plan: Plan, splits: Sequence[str], suffix: str) -> dict[str, str]:
    files = dict(plan.form.beside(splits)) if plan.form.beside is not None else {}
    return {"README.md": _card(splits, plan.form.features, suffix), **files} if splits else files


def _card(splits: Sequence[str], features: str, suffix: str) -> str:
    """Write the card from which `datasets.load_dataset` takes a folder's splits and its one schema."""
    paths = "".join(f"  - split: {split}\n    path: {split}/*.{suffix}\n" for split in splits)
    types = f"dataset_info:\n  features:\n{features}" if features else ""
    return f"---\nconfigs:\n- config_name: default\n  data_files:\n{paths}{types}---\n"


def _place(source: Path, target: Path, kept: list[bool]) -> str:
    """Move a file to its place, or copy the rows that are kept.

    Returns the hash of a copy; empty when the file was moved as it is.
    """
    target.parent.mkdir(exist_ok=True)
    if not kept:
        if source.exists():
            source.replace(target)
        return ""
    unfinished = target.with_name(f".{target.name}.unfinished")
    if source.suffix == ".parquet":
        from message_history_compile.arrow import copy_kept  # noqa: PLC0415 - pyarrow is an extra

        copy_kept(source, unfinished, kept)
    else:
        with source.open("rb") as opened, unfinished.open("wb") as written:
            written.writelines(line for line, is_kept in zip(opened, kept, strict=True) if is_kept)
    unfinished.replace(target)
    with target.open("rb") as opened:
        hashed = sha256()
        while chunk := opened.read(CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def _kept(path: Path, seen: set[bytes]) -> list[bool]:
    """Say of each row whether it is the first of its content."""
    kept = []
    with path.open("rb") as opened:
        for line in opened:
            key = bytes.fromhex(json.loads(line)["row"])[:KEPT_BYTES]
            kept.append(key not in seen)
            seen.add(key)
    return kept


def _duplicates(path: Path, kept: list[bool]) -> Iterator[bytes]:
    with path.open("rb") as opened:
        for line, is_kept in zip(opened, kept, strict=True):
            if not is_kept:
                why = {"code": "duplicate", "reason": "a row with the same content came before"}
                yield json.dumps({**json.loads(line), **why}).encode() + b"\n"


def _rejected(work: Path, reports: Iterable[UnitReport], gone: dict[int, list[bytes]]) -> Iterator[bytes]:
    for report in reports:
        path = unit_folder(work, report.index) / REJECTED
        if path.exists():
            with path.open("rb") as opened:
                while chunk := opened.read(CHUNK):
                    yield chunk
        yield from gone.get(report.index, ())
