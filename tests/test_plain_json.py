"""Files are read the same with the extra `fast` and without it, and lists are sent as the same bytes."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from message_history import MessageHistory, plain_json
from message_history.dialects.registry import DIALECTS
from message_history.files.damaged_json import Decoder, decode_bytes
from message_history.integrations.strategies import histories
from message_history.plain_json import MAX_DIGITS, base64_of, compact_items, compact_json, read_plain, write_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.dialects import Dialect

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.text() | st.none() | st.booleans() | st.integers() | st.floats()
ODD = (
    *("18446744073709551615", "18446744073709551616", "-9223372036854775809", "1" + "0" * 400, "-0", "-0.0", "1e-400"),
    *("9" * MAX_DIGITS, "9" * (MAX_DIGITS + 1), "9" * 5_000, "-" + "9" * (MAX_DIGITS + 1)),
    *("0.1e1", "5e-324", "2.2250738585072011e-308", "123456789012345678901234567890.5", "1e308", "1e999", "-1e999"),
    *("NaN", "[Infinity, -Infinity, 1]", '{"a": NaN}', "nan", "1.", "01", "+1", ".5", "0x1"),
    *('"\\ud800"', '"\\udc80"', '{"\\ud800": 1}', '"\\ud83d\\ude00"', '"\ud800"', '"\udc80"', '"Grüße 世界"'),
    *('"a\tb"', '"a\nb"', '"\x01"', '"\x7f"', '"\\u0000"', '"\\x"', '"\\/"', "'a'", '"'),
    *('{"a": 1, "a": 2}', '{"a": 1, "a": NaN}', '{"": {"": []}}', "{1: 2}", '{"a": 1,}', "[1,]", "[1 2]", "{}", "[]"),
    *("", " ", "  1 ", "\ufeff1", "1\ufeff", "\f1", "1 2", '{"a": 1}{', "tru", "null", "[[[[", "]" * 5, "// a\n1"),
    *(f"{'[' * depth}{']' * depth}" for depth in (10, 300, 5_000)),
    json.dumps([*("x" * 5_000, 10 ** (MAX_DIGITS - 2)), "7" * 9_000]),
    f'["{"x" * 3_500}", {"7" * (MAX_DIGITS + 1)}]',
)


def decoded(written: str | bytes) -> tuple[str, str | None, list[str]]:
    decoder = Decoder()
    # The text of a value tells an integer from a float, and one zero from the other.
    return repr(decoder.value(written)), decoder.failure, decoder.kept


def without_fast(monkeypatch: pytest.MonkeyPatch, read: Callable[[], Any]) -> Any:
    with monkeypatch.context() as context:
        context.setattr(plain_json, "_fast", None)
        return read()


@pytest.mark.parametrize("text", ODD)
def test_odd_json_reads_the_same_with_the_extra_and_without(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgspec")
    assert decoded(text) == without_fast(monkeypatch, lambda: decoded(text))


@given(JSON, st.booleans())
def test_json_reads_the_same_with_the_extra_and_without(value: Any, ascii_only: bool) -> None:
    pytest.importorskip("msgspec")
    text = json.dumps(value, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert decoded(text) == without_fast(monkeypatch, lambda: decoded(text))


@given(JSON)
def test_sound_json_reads_as_python_reads_it(value: Any) -> None:
    text = json.dumps(value)
    assert repr(read_plain(text)) == repr(json.loads(text))
    assert decoded(text) == (repr(json.loads(text)), None, [])


@given(JSON | st.lists(st.floats()) | st.tuples(st.integers(), st.floats()) | st.dictionaries(KEYS, st.none()))
@example("".join(map(chr, (*range(0xD800), *range(0xE000, 0x11000)))))
@example([2**63, 2**64, -(2**63) - 1, 10**400, 1e16, -1e-7, math.inf, {"a": (True, None, math.nan)}])
def test_json_is_written_as_python_writes_it(value: Any) -> None:
    assert write_plain(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@given(histories(), st.sampled_from(list(DIALECTS.values())))
def test_a_list_is_sent_as_the_same_bytes_with_the_extra_and_without(
    history: MessageHistory, dialect: Dialect[Any]
) -> None:
    pytest.importorskip("msgspec")
    saved = history.to_list()
    sent = history.for_send_json(dialect)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(plain_json, "_write", None)
        assert MessageHistory.from_list(saved).for_send_json(dialect) == sent


def test_bytes_are_written_as_base64_and_lone_surrogates_in_ascii() -> None:
    assert compact_json({"a": "\ud800"}) == b'{"a":"\\ud800"}'
    assert compact_json(b"a") == b'"YQ=="'
    assert compact_json([b"a", 1.5]) == b'["YQ==",1.5]'
    with pytest.raises(TypeError, match="cannot hold a set"):
        base64_of({1})
    with pytest.raises(TypeError, match="cannot hold a set"):
        compact_json({"a": {1}})


@pytest.mark.parametrize("items", [[], [1.5], [{"a": "é"}, {"a": "\ud800"}], ["a", b"a", None]])
def test_items_are_written_as_each_is_alone(items: list[Any]) -> None:
    assert compact_items(items) == b",".join(map(compact_json, items))


@pytest.mark.parametrize("value", ["\ud800", {"\udc00": 1}, [1.5, "\udfff"]])
def test_half_of_a_surrogate_is_not_written(value: Any) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_plain(value)


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", "1e999", "9" * (MAX_DIGITS + 1), f'{{"a": {"9" * 9_000}}}'])
def test_a_number_that_readers_read_in_different_ways_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|finite|digits"):
        read_plain(text)


@given(st.integers(0, 3 * MAX_DIGITS), st.integers(0, 3 * MAX_DIGITS), st.integers(MAX_DIGITS - 3, MAX_DIGITS + 3))
def test_an_integer_of_too_many_digits_is_found_wherever_it_stands(before: int, behind: int, digits: int) -> None:
    text = f'["{"x" * before}", {"7" * digits}, "{"x" * behind}"]'
    _, failure, kept = decoded(text)
    assert failure is None
    assert kept == ([f"an integer of {digits} digits is kept as text"] if digits > MAX_DIGITS else [])


def test_long_texts_of_digits_are_no_integers() -> None:
    text = json.dumps(["7" * 20_000, 1.5, math.pi])
    assert decoded(text) == (repr(json.loads(text)), None, [])


@pytest.mark.parametrize(
    "written",
    [
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'{"\xc0\xaf": 1}',
        b"\xef\xbb\xbf1",
        b'"\xe4\xb8\x96"',
        b"1\0",
        b"",
        b"\xff",
        b"NaN",
    ],
)
def test_bytes_read_the_same_with_the_extra_and_without(written: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    as_text = decoded(decode_bytes(written))
    assert decoded(written) == as_text
    assert without_fast(monkeypatch, lambda: decoded(written)) == as_text
