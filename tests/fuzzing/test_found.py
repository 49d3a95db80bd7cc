"""What fuzzing found, and short inputs at random on each target: guided runs are `python -m tests.fuzzing`."""

from __future__ import annotations

import zipfile
from base64 import b64decode
from random import Random
from zlib import decompress

import pytest

from message_history.files.containers import Archive, Database, UnopenedError, open_container
from tests.fuzzing.targets import TARGETS, archive, database
from tests.needs import needs_processes

FOUND = (
    "UEsDBBQAAAAIACC0d11Dv6ajBAAAAAIAAAALAAAAaGVhZGVyLmpzb26rrgUAUEsDBBQAAAAIACC0d11Vf7jmXQAAAHsAAAAOAAAA"
    "c2FtcGxlcy8xLmpzb24di0EKgDAMBL9ScvbSq18RkaBRhDQtJj1I8e82ZS/D7myDRKp4kcIclgZPZuoEqHqroRhMAfYsRh2HYW8Z"
    "huXMW1Vy4T68iY6Caczn6KVUvzVAP8cpSGVev2/t+QFQSwECFAMUAAAACAAgtHddQ7+mowQAAAACAAAACwAAAAAAAAAAAAAAgAEA"
    "AAAAaGVhZGVyLmpzb25QSwECFAMUAAAACAAgtHddVX+45l0AAAB7AAAADgAAAAAAAAAAAAAAgAEtAAAAc2FtcGxlcy8xLmpzb25Q"
    "SwUGAAAAAAIAAgB1AAAAtgAlAAAAAA=="
)


def mutated(seeds: tuple[bytes, ...], chance: Random) -> bytes:
    """Take one seed, and cut, double, overwrite or join parts of it."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randrange(len(data) + 1), chance.choice((1, 1, 2, 4, 16, 200))
        other = chance.choice(seeds)
        part = chance.choice(
            (
                b"",
                data[at : at + size] * 2,
                chance.randbytes(size),
                other[chance.randrange(len(other)) :][:size],
                b"\xff" * size,
            )
        )
        data[at : at + size] = part
    return bytes(data)


@needs_processes
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("count", [40, pytest.param(5_000, marks=pytest.mark.heavy)])
def test_nothing_but_the_documented_error_comes_of_damaged_bytes(name: str, count: int) -> None:
    run, seeds = TARGETS[name]
    chance = Random(count)
    for seed in seeds:
        run(seed)
    for _ in range(count):
        run(mutated(seeds, chance))


def read_all(data: bytes) -> None:
    found = open_container(data)
    assert isinstance(found, Archive)
    found.values(list(found.names))


def test_the_archive_that_was_found_is_refused() -> None:
    with pytest.raises(UnopenedError):
        read_all(b64decode(FOUND))


def test_an_archive_that_is_packed_in_another_way_has_its_own_errors() -> None:
    data = archive(zipfile.ZIP_LZMA)
    at = data.index(b"header.json") + len(b"header.json") + 4
    with pytest.raises(UnopenedError, match="cannot be unpacked here"):
        read_all(data[:at] + b"\xff" * 9 + data[at + 9 :])


def test_a_row_of_a_schema_that_names_more_bytes_than_there_are_is_refused() -> None:
    with pytest.raises(UnopenedError, match="it is a damaged SQLite database: "):
        open_container(decompress(b64decode("eNoLDvTJLElVSMsvyk0sUTBmYGIAAgcFBQYqAl4gZgThvQyjgJrgPxJgKCHPDACAwxLl")))


def test_a_column_whose_name_is_no_text_is_refused() -> None:
    found = open_container(database("CREATE TABLE t(abc TEXT)").replace(b"abc", b"a\xa0c"))
    assert isinstance(found, Database)
    with pytest.raises(UnopenedError, match="its schema is not text"):
        found.rows("t", "1")
