"""Each way in, and each reason of rejection with its code and its words."""

from __future__ import annotations

import gzip
import io
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from message_history.files.damaged_json import LineNote
from message_history.files.files import TooLargeError, UnreadableFileError
from message_history.formats import large_files
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from message_history_compile import counting, items, places, reading
from message_history_compile.counting import CountError, check_files, check_lines, lines_in
from message_history_compile.plan import Plan
from message_history_compile.reading import COPY, Found, Part, compile_found, conversations_of, read_part
from message_history_compile.rows import Rejected, Row, Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ASKED, ANSWER = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
ROW = {"messages": [ASKED, ANSWER]}
MASKED = {"messages": [ASKED, {**ANSWER, "weight": 0}]}
LOST = {**ROW, "meta": {"role": "assistant", "weight": 0}}
BAD = {**ROW, "label": False}
NO_PLACE = "it has 1 masks, and its format has no place for one of them"
NONE = "as log: item 0: no conversation"
NOT_PREFERRED = ("preference", "the end that was not preferred")
EMPTY = ("no_conversation", "it holds no messages")


def line(item: Any, end: str = "\n") -> bytes:
    return (json.dumps(item) + end).encode()


def hash_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def told(found: Iterable[Found | Rejected]) -> list[Any]:
    """Tell what was found: the count of messages and whether a mask may be there, or the reason of rejection."""
    return [
        (each.code, each.why) if isinstance(each, Rejected) else (len(each.conversation.file.entries), each.may_mask)
        for each in found
    ]


def labels(found: Iterable[Found | Rejected]) -> list[str]:
    return [each.source.label for each in found]


LINES: list[tuple[bytes, Any]] = [
    (line(ROW), (2, False)),
    (b"\n", None),
    (b"  \t\r\n", None),
    (b"\0\0 \0\n", ("not_json", "a line of NUL bytes")),
    (b'{"messages": [{"role"\n', ("not_json", "cut off")),
    (b"7\n", ("no_conversation", NONE)),
    (line({"a": 1}), ("no_conversation", NONE)),
    (line({"messages": []}), ("no_conversation", "as log: no conversation")),
    (line(ROW, "\r\n"), (2, False)),
    (line(MASKED), (2, True)),
    (line({"messages": json.dumps(MASKED["messages"])}), (2, True)),
    (line(LOST), ("mask_lost", NO_PLACE)),
    (line(BAD), NOT_PREFERRED),
    (line({**ROW, "videos": ["v"]}), ("media", "the column `videos`, which no target has a place for")),
    (line({**ROW, "output": "It is lost."}), ("column", "the column `output` would be lost")),
    (b'{"messages": [{"role": "user", "content": "a\tb"}]}\n', (1, False)),
    (line(ROW, ""), (2, False)),
]


@pytest.mark.parametrize("packed", [False, True])
def test_each_line_is_a_conversation_or_has_a_reason(packed: bool, tmp_path: Path) -> None:
    data = b"".join(each for each, _ in LINES)
    path = tmp_path / "in.jsonl"
    path.write_bytes(gzip.compress(data) if packed else data)
    found = list(read_part(Part(str(path), 0, path.stat().st_size, "log", to_end=packed)))
    assert told(found) == [what for _, what in LINES if what is not None]
    wanted, place = [], 0
    for each, what in LINES:
        if what is not None:
            wanted.append(Source(path=str(path), byte=place, hash=hash_of(each.rstrip(b"\r\n"))))
        place += len(each)
    assert [each.source for each in found] == wanted


@pytest.mark.parametrize("start", [0, 1, 2])
@pytest.mark.parametrize("stop", [0, 1, 2, 3])
def test_a_line_that_begins_before_the_stop_belongs_to_its_part(start: int, stop: int, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(line(ROW) * 3)
    size = len(line(ROW))
    for more, count in ((0, max(0, stop - start)), (1, max(0, min(stop + 1, 3) - start))):
        part = Part(str(path), start * size, stop * size + more, "log")
        assert [each.source.byte for each in read_part(part)] == [n * size for n in range(start, start + count)]
        assert lines_in(part) == count
        check_lines(part, count)
    whole = Part(str(path), start * size, 1, "log", to_end=True)
    assert (len(list(read_part(whole))), lines_in(whole)) == (3 - start, 3 - start)


def test_a_line_up_to_the_limit_is_read_and_a_longer_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", len(line(ROW)))
    path = tmp_path / "in.jsonl"
    longer = b" " + line(ROW)
    blank = b" " * (len(line(ROW)) + 5) + b"\n"
    path.write_bytes(line(ROW) + longer + blank + blank[:-2] + b"x\n" + line(ROW) + line(ROW, "")[:-1] + b"}")
    found = list(read_part(Part(str(path), 0, path.stat().st_size, "log")))
    too_long = ("too_long", f"the line is longer than {len(line(ROW)):,} bytes")
    assert told(found) == [(2, False), too_long, too_long, (2, False), (2, False)]
    assert [each.source.byte for each in found][:2] == [0, len(line(ROW))]
    assert found[1].source == Source(path=str(path), byte=len(line(ROW)))
    path.write_bytes(line(ROW) + b"x" * len(line(ROW)))
    assert told(read_part(Part(str(path), 0, path.stat().st_size, "log"))) == [(2, False), too_long]


WHOLE: list[tuple[str, bytes, str | None, list[Any], list[str]]] = [
    ("one row", line(ROW), None, [(2, False)], [""]),
    ("a list of rows", line([ROW, MASKED]), None, [(2, True), (2, True)], ["item 0", "item 1"]),
    ("a list of rows, after a blank", b" \n" + line([ROW]), None, [(2, True)], ["item 0"]),
    ("a list of one row", line([ROW]), "log", [(2, True)], ["item 0"]),
    ("a list of lists", line([[1], [2]]), "log", [("no_conversation", NONE)] * 2, ["item 0", "item 1"]),
    ("a list of a row and a message", line([ROW, ASKED]), "log", [(2, False)], ["item 0"]),
    ("messages", line([ASKED, ANSWER]), None, [(2, False)], [""]),
    ("messages with a mask", line(MASKED["messages"]), None, [(2, True)], [""]),
    ("no byte", b"", None, [("unreadable", "the file is empty")], [""]),
    ("NUL bytes", b"\0\0\0", None, [("unreadable", "it is a binary file")], [""]),
    ("damaged", b'[{"messages": [', None, [("unreadable", "it is neither JSON nor JSONL (line 1: cut off)")], [""]),
    ("rated bad", line(BAD), None, [NOT_PREFERRED], [""]),
    ("a list with one rated bad", line([ROW, BAD]), None, [(2, True), NOT_PREFERRED], ["item 0", "item 1"]),
    ("a row without a message", line({"messages": []}), None, [EMPTY], [""]),
    ("an empty list", line([]), None, [EMPTY], [""]),
    ("a mask that is lost", line(LOST), "log", [("mask_lost", NO_PLACE)], [""]),
    (
        "a mask that is lost in a list",
        line([LOST, ROW]),
        None,
        [("mask_lost", NO_PLACE), (2, True)],
        ["item 0", "item 1"],
    ),
]


@pytest.mark.parametrize(("name", "data", "chosen", "wanted", "named"), WHOLE, ids=[each[0] for each in WHOLE])
def test_a_file_that_is_read_whole_gives_conversations_or_reasons(
    name: str, data: bytes, chosen: str | None, wanted: list[Any], named: list[str], tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.json"
    path.write_bytes(data)
    own = FORMATS[chosen] if chosen is not None else None
    found = list(read_part(Part(str(path), 0, len(data)), own))
    assert (told(found), labels(found)) == (wanted, named)
    assert {(each.source.path, each.source.byte, each.source.hash) for each in found} == {
        (str(path), None, hash_of(data))
    }


def test_what_cannot_be_opened_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes(gzip.compress(line(ROW) * 9)[:-9])
    gone, folder, cut = str(tmp_path / "gone"), str(tmp_path), str(tmp_path / "cut.jsonl")
    for part, why in (
        (Part(gone, 0, 5), "No such file or directory"),
        (Part(gone, 0, 5, "log"), "No such file or directory"),
        (Part(folder, 0, 5), "this is a folder, not a file; `message-history doctor` checks folders"),
    ):
        assert told(read_part(part)) == [("unreadable", why)]
    (copy,) = read_part(Part(gone, 0, 0, COPY))
    assert told([copy]) == [("repaired_copy", "a repaired copy of a file that is read, and repaired, itself")]
    assert copy.source == Source(path=gone)
    *_, last = read_part(Part(cut, 0, 5, "log", to_end=True))
    assert isinstance(last, Rejected)
    assert (last.code, last.why.partition(":")[0]) == ("unreadable", "it cannot be unpacked to its end")
    (other,) = read_part(Part(str(_written(tmp_path, line({"name": 1}))), 0, 5))
    assert isinstance(other, Rejected)
    assert (other.code, other.why.startswith("not recognised: ")) == ("not_recognised", True)


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "other.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("error", "why"), [(OSError(5, "no disk"), "no disk"), (OSError("so"), "so"), (OSError(), "it cannot be read")]
)
def test_what_fails_here_is_rejected_and_what_fails_elsewhere_ends_the_run(
    error: OSError, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: str) -> Any:
        raise error

    monkeypatch.setattr(reading, "open_input", failing)
    (found,) = read_part(Part("a.jsonl", 0, 5, "log"))
    assert told([found]) == [("unreadable", why)]
    assert found.source == Source(path="a.jsonl")
    with pytest.raises(OSError, match="^" if not str(error) else str(error.args[-1])):
        list(read_part(Part("s3://bucket/a.jsonl", 0, 5, "log")))
    monkeypatch.setattr(reading, "open_input", lambda _: (_ for _ in ()).throw(places.DamagedError("cut")))
    (damaged,) = read_part(Part("s3://key@bucket/a.jsonl", 0, 5, "log"))
    assert (told([damaged]), damaged.source.path) == ([("unreadable", "cut")], "s3://bucket/a.jsonl")


def test_a_large_list_is_read_item_by_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "LARGE", 10)
    monkeypatch.setattr(reading, "content", lambda _: pytest.fail("read whole"))
    path = tmp_path / "in.json"
    data = b"[" + b",".join([line(ROW), line({"messages": json.dumps(MASKED["messages"])}), line({"a": 1})])
    for end, more, label in (
        (b"]", [], []),
        (b",", [("not_json", "the list is cut off or damaged at its item 3")], ["item 3"]),
    ):
        path.write_bytes(data + end)
        found = list(read_part(Part(str(path), 0, path.stat().st_size)))
        none = ("no_conversation", NONE)
        assert told(found) == [(2, True), (2, True), none, *more]
        assert labels(found) == ["item 0", "item 1", "item 2", *label]
        assert {each.source.hash for each in found} == {hash_of(data + end)}


def test_a_large_file_of_lines_is_read_by_them_and_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'"no row"\n' + line(ROW) * 3)
    monkeypatch.setattr(large_files, "STREAMED", 50)
    monkeypatch.setattr(reading, "content", lambda _: pytest.fail("read whole"))
    found = list(read_part(Part(str(path), 0, path.stat().st_size), FORMATS["log"]))
    assert [type(each) is Rejected for each in found] == [True, False, False, False]
    assert [each.source.byte for each in found] == [0, *(9 + n * len(line(ROW)) for n in range(3))]


SPEAKERS = {"assistant": ANSWER, "masked": {**ANSWER, "weight": 0}, "lost": {"meta": {**ANSWER, "weight": 0}}}


@pytest.mark.parametrize(
    ("last", "unread", "wanted"),
    [
        ("assistant", 0, [(2, False)]),
        ("masked", 0, [(2, True)]),
        ("lost", 0, [("mask_lost", NO_PLACE)]),
        ("assistant", 2, [("entry_not_read", "place 3: odd: not read"), ("entry_not_read", "place 4: odd: not read")]),
    ],
)
def test_a_large_session_is_read_by_its_own_reader(
    last: str, unread: int, wanted: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = line(ASKED) + line(SPEAKERS[last])
    path = _written(tmp_path, data)
    own = FORMATS["messages"]
    session = session_in(line([ASKED, SPEAKERS["assistant" if last == "lost" else last]]), chosen=own)
    session = evolve(session, unread=tuple(LineNote(line=n, detail="odd") for n in range(3, 3 + unread)))
    monkeypatch.setattr(
        reading, "streamed_format", lambda place, chosen: own if (place, chosen) == (str(path), own) else None
    )
    monkeypatch.setattr(
        reading, "parts_of", lambda place, chosen: iter([session][: (place, chosen) == (str(path), own)])
    )
    found = list(read_part(Part(str(path), 0, 5), own))
    assert told(found) == [*wanted, *([(2, False)] if unread else [])]
    assert {each.source for each in found} == {Source(path=str(path), hash=hash_of(data))}


def test_a_conversation_without_a_message_has_a_reason_next_to_one_that_has_some() -> None:
    session = session_in(line([ASKED, ANSWER]), chosen=FORMATS["messages"])
    (one,) = session.conversations
    other = evolve(one, file=evolve(one.file, entries=()), origin=evolve(one.origin, label="other"))
    both = evolve(session, conversations=(one, other))
    assert told(reading._read_session(both, Source(), None)) == [(2, False), EMPTY]
    assert labels(reading._read_session(both, Source(), 0)) == ["", "other"]


def test_a_large_list_of_no_rows_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "LARGE", 1)
    (found,) = read_part(Part(str(_written(tmp_path, line([7, 8]))), 0, 5))
    assert isinstance(found, Rejected)
    assert found.code == "not_recognised"


def test_what_cannot_be_read_as_its_format_has_the_words_of_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(error: Exception) -> Any:
        return lambda *_, **__: (_ for _ in ()).throw(error)

    monkeypatch.setattr(reading, "read_as", failing(UnreadableFileError("it is odd")))
    (found,) = conversations_of(ROW, Source(label="x"), FORMATS["log"])
    assert (told([found]), labels([found])) == ([("no_conversation", "it is odd")], ["x"])
    why = "it is large: write one conversation in each line, as `jq -c '.[]'` does for a list"
    monkeypatch.setattr(reading, "content", failing(TooLargeError("it is large")))
    assert told(read_part(Part(str(_written(tmp_path, line(ROW))), 0, 5))) == [("unreadable", why)]


def test_what_was_found_is_compiled_and_what_was_rejected_stays_so() -> None:
    plan = Plan(target="trl")
    (found,) = conversations_of(ROW, Source(), FORMATS["log"])
    assert isinstance(compile_found(found, plan), Row)
    (gone,) = conversations_of(BAD, Source(), FORMATS["log"])
    assert compile_found(gone, plan) is gone
    (bare,) = conversations_of(ROW, Source(), FORMATS["log"], may_mask=False)
    assert not isinstance(bare, Rejected)
    assert Found(bare.conversation, Source()).may_mask is True


def test_a_packed_file_is_never_taken_for_one_that_can_be_divided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.json"
    path.write_bytes(gzip.compress(line(ROW)))
    monkeypatch.setattr(reading, "streamed_format", lambda *_: pytest.fail("packed"))
    assert told(read_part(Part(str(path), 0, 5))) == [(2, False)]


def test_the_one_conversation_of_a_row_has_no_label_and_several_have() -> None:
    source = Source(path="a", byte=3, hash="00")
    (one,) = conversations_of(ROW, source, FORMATS["log"])
    assert one.source == source
    assert [each.source for each in conversations_of(ROW, source, FORMATS["log"], may_mask=False)] == [source]
    (lost,) = conversations_of(LOST, source, FORMATS["log"])
    assert (told([lost]), lost.source) == ([("mask_lost", NO_PLACE)], source)
    (kept,) = conversations_of(LOST, source, FORMATS["log"], may_mask=False)
    assert told([kept]) == [(2, False)]
    (with_image,) = conversations_of({**ROW, "image": "a.png"}, source, FORMATS["log"])
    assert not isinstance(with_image, Rejected)
    assert with_image.images == ("a.png",)


@pytest.mark.parametrize(
    ("keys", "rejected"),
    [
        ({"prompt": "p", "chosen": "c", "rejected": "r"}, 1),
        ({"prompt": "p", "completion": "c", "label": False}, 1),
        ({"prompt": "p", "completion": "c", "label": True}, 0),
        ({"prompt": "p", "completion": "c", "label": 0}, 0),
    ],
)
def test_an_end_that_was_not_preferred_is_rejected_in_lines_and_in_a_whole_file(
    keys: dict[str, Any], rejected: int, tmp_path: Path
) -> None:
    own = FORMATS.get("instructions")
    if own is None:
        pytest.skip("message-history-formats, which reads them, is not installed")
    found = told(conversations_of(keys, Source(), own))
    assert [each == NOT_PREFERRED for each in found].count(True) == rejected
    whole = told(read_part(Part(str(_written(tmp_path, line(keys))), 0, 5), own))
    assert [each == NOT_PREFERRED for each in whole] == [each == NOT_PREFERRED for each in found]


COUNTED = [
    (b"", 0),
    (b"\n\n", 0),
    (b"a", 1),
    (b"a\n", 1),
    (b" \n\t\r\na\n", 1),
    (b"abcdefgh\n", 1),
    (b"        \n", 0),
    (b"       x\nb", 2),
    (b"x       \n \nb\n", 2),
    (b"abc\nd\n", 2),
    (b"abcd\ne\n", 2),
]


@pytest.mark.parametrize(("data", "count"), COUNTED)
def test_lines_are_counted_apart_from_the_work(
    data: bytes, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (counting, places):
        monkeypatch.setattr(module, "CHUNK", 4)
    path = tmp_path / "in"
    path.write_bytes(data)
    part = Part(str(path), 0, len(data), "log")
    assert lines_in(part) == count
    check_lines(part, count)
    for other in (count - 1, count + 1):
        with pytest.raises(CountError) as caught:
            check_lines(part, other)
        assert str(caught.value) == f"{path}: {count} lines from byte 0 on, and {other} have a row or a reason"


def test_lines_that_cannot_be_unpacked_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(gzip.compress(b"a\nb\n")[:-4])
    assert lines_in(Part(str(path), 0, 5, "log", to_end=True)) in (0, 1, 2)


def test_the_files_of_a_run_hold_what_it_counted(tmp_path: Path) -> None:
    rows, rejected = tmp_path / "a.jsonl", tmp_path / "rejected.jsonl"
    rows.write_bytes(b"1\n2\n")
    rejected.write_bytes(b"3\n")
    table = {"file": "a.parquet", "rows": 5}
    check_files(tmp_path, [{"file": "a.jsonl", "rows": 2}, table], rejected, 1)
    for count, gone, why in (
        (3, 1, f"{rows}: it holds 2 rows, and 3 were counted"),
        (2, 0, f"{rejected}: it holds 1 lines, and 0 were rejected"),
    ):
        with pytest.raises(CountError) as caught:
            check_files(tmp_path, [table, {"file": "a.jsonl", "rows": count}], rejected, gone)
        assert str(caught.value) == why


@pytest.mark.parametrize(
    ("text", "limit", "why"),
    [
        ("[1] x", 100, None),
        ('["abcdef"', 9, "the list is cut off or damaged at its item 1"),
        ('["abcdef', 7, "the list is cut off or damaged at its item 0"),
        ('["abcdef', 6, "item 0 of the list is longer than 6 characters, or damaged"),
        ("x", 100, "the list is damaged after its item 0"),
        ("[{} x", 100, "the list is damaged after its item 1"),
        ("[{},]", 100, None),
    ],
)
def test_a_list_is_read_to_its_end_or_where_it_is_damaged(
    text: str, limit: int, why: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "LONGEST", limit)
    read = io.BytesIO(text.encode())
    if why is None:
        list(items.list_items(read))
        return
    with pytest.raises(ValueError, match="item") as caught:
        list(items.list_items(read))
    assert str(caught.value) == why


def test_a_list_is_large_beyond_the_limit_and_its_first_rows_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "HEAD", 2)
    path = tmp_path / "in.json"
    for data, is_list in ((b"[1,2,3]", True), (b"\xef\xbb\xbf  [1,2,3]", True), (b"{}     ", False), (b"", False)):
        path.write_bytes(data)
        monkeypatch.setattr(items, "LARGE", len(data) - 1)
        found = items.rows_of(str(path))
        assert (found is not None) == is_list
        if found is not None:
            assert (found[0], list(found[1])) == ([1, 2], [1, 2, 3])
        monkeypatch.setattr(items, "LARGE", len(data))
        assert items.rows_of(str(path)) is None
    path.write_bytes(b"[1,x")
    monkeypatch.setattr(items, "LARGE", 1)
    found = items.rows_of(str(path))
    assert found is not None
    assert found[0] == [1]
    assert items.rows_of(str(tmp_path)) is None
