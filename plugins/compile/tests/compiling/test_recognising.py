"""Which format the lines of a file are in, by the smallest files that decide otherwise."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from message_history.formats.registry import FORMATS
from message_history_compile import recognising
from message_history_compile.plan import Plan
from message_history_compile.recognising import format_of, format_of_rows, line_format
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from pathlib import Path

ASKED = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
ROW = {"messages": ASKED}
TEXT = {"messages": json.dumps(ASKED)}
ODD = {"spec": {"run": 1}}
OTHER = {"a": 1}


def lines_of(*items: Any) -> list[bytes]:
    return [json.dumps(item).encode() + b"\n" for item in items]


def name_of(found: Any) -> str | None:
    return None if found is None else found.name


@pytest.mark.parametrize(
    ("items", "name", "with_more", "if_chosen"),
    [
        ([], None, None, None),
        ([ROW], None, "log", None),
        ([OTHER], None, None, None),
        ([ROW, ROW], "log", "log", "log"),
        ([TEXT, TEXT], "log", "log", "log"),
        ([OTHER, OTHER], None, None, "log"),
        ([ROW, OTHER], None, None, "log"),
        ([ROW, ROW, OTHER], "log", "log", "log"),
        ([ODD, ROW], None, None, "log"),
        ([ODD, ROW, ROW], "log", "log", "log"),
        ([ODD, ODD, ROW, ROW], None, None, "log"),
        ([ODD, ODD, ROW, ROW, ROW], "log", "log", "log"),
        ([ODD, ODD, ODD, ROW], None, None, "log"),
        (ASKED, None, None, "log"),
        ([7, ROW, "x"], None, "log", None),
        ([7, 8], None, None, None),
    ],
    ids=repr,
)
def test_the_lines_of_a_file_have_the_format_of_most_of_them(
    items: list[Any], name: str | None, with_more: str | None, if_chosen: str | None, tmp_path: Path
) -> None:
    lines = lines_of(*items)
    assert name_of(format_of(lines)) == name
    assert name_of(format_of(lines, has_more=True)) == with_more
    assert name_of(format_of(lines, FORMATS["exchanges"])) == (if_chosen and "exchanges")
    (tmp_path / "in.jsonl").write_bytes(b"".join(lines))
    assert name_of(line_format(str(tmp_path / "in.jsonl"))) == name
    assert name_of(line_format(str(tmp_path / "in.jsonl"), FORMATS["log"])) == if_chosen
    assert line_format(str(tmp_path / "in.jsonl"), FORMATS["messages"]) is None
    alone = format_of_rows(items)
    assert name_of(alone) == (with_more if len(items) == 1 else name)


@pytest.mark.parametrize(
    ("last", "name"),
    [
        (b"", None),
        (b'{"messages": [{"role"', None),
        (json.dumps(ROW).encode()[:-1], None),
        (b"null", None),
        (json.dumps(ROW).encode(), "log"),
    ],
)
def test_the_last_line_is_looked_at_with_the_others_unless_it_is_cut_off(last: bytes, name: str | None) -> None:
    assert name_of(format_of([*lines_of(ROW), last])) == name
    assert name_of(format_of([*lines_of(ROW, ROW), last])) == "log"


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize(("column", "code"), [("videos", "media"), ("system_prompt", "column")])
@pytest.mark.parametrize("count", [1, 2])
def test_no_column_is_lost_of_one_row_or_of_two_without_a_last_line_feed(
    count: int, end: str, column: str, code: str, tmp_path: Path
) -> None:
    """They were read as one session, of which nobody looked at the columns."""
    rows = [json.dumps({**ROW, column: "Be short."})] * count
    (tmp_path / "in.jsonl").write_bytes(("\n".join(rows) + end).encode())
    report = compile_files([tmp_path / "in.jsonl"], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({}, {code: count})


def test_only_the_first_lines_are_recognised_together(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    monkeypatch.setattr(recognising, "HEAD_LINES", 3)
    monkeypatch.setattr(recognising, "_recognised", lambda data: looked_at.append(data.count(b"\n")))
    assert format_of(lines_of(*[ROW] * 5)) is None
    assert looked_at[0] == 3


def test_so_many_lines_are_looked_at_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    monkeypatch.setattr(recognising, "FURTHER", 4)
    for foreign, name in ((2, "log"), (3, None), (4, None)):
        path.write_bytes(b"".join([b"7\n"] * foreign + lines_of(ROW, ROW, ROW)))
        assert name_of(line_format(str(path))) == name


def test_a_line_that_is_too_long_counts_as_one_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    monkeypatch.setattr(recognising, "HEAD_BYTES", 200)
    for long, name in ((b"x" * 300 + b"\n", "log"), (b"", None)):
        path.write_bytes(long + lines_of(ROW)[0])
        assert name_of(line_format(str(path))) == name


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"abcdef\nx\ny\n", [b"abcdef\n", b"x\n"]),
        (b"abcdefg\nx\n", [b"abcdefg\n"]),
        (b"abcdefgh\nx\n", [None, b"x\n"]),
        (b"abcdefghijklmnopqrst\nx\n", [None, b"x\n"]),
        (b"abcdefghijklmnopqrst\nabcdefghi\nx", [None, None, b"x"]),
        (b"abcdefgh", [None]),
        (b"abcdefg", [b"abcdefg"]),
        (b"a\nb\nc\nd\ne\n", [b"a\n", b"b\n", b"c\n", b"d\n"]),
    ],
)
def test_lines_are_looked_at_until_enough_bytes_were(
    data: bytes, lines: list[bytes | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognising, "HEAD_BYTES", 8)
    assert list(recognising._limited(io.BytesIO(data).readline)) == lines


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        (b'{"messages": "[{\\"role\\": \\"user\\"}]"}\n', b'{"messages": [{"role": "user"}]}\n'),
        (b'{"messages": "[ {\\"role\\": \\"user\\"}]"}\n', b'{"messages": [{"role": "user"}]}\n'),
        (b'{"messages": "[{\\"a\\": 1}]"}\n', None),
        (b'{"messages":  [{"role": "user"}]}\n', None),
        (b'"[{ no JSON\n', None),
    ],
)
def test_a_line_with_messages_as_text_is_one_with_a_list(line: bytes, changed: bytes | None) -> None:
    assert recognising._with_lists(line) == (line if changed is None else changed)
    assert (recognising._with_lists(line) is line) == (changed is None)
