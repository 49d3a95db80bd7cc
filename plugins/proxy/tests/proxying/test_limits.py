"""What is held, read and waited for has limits: at each of them it is decided, and a change of one is a choice."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from message_history_proxy import app, metrics, refusals, reports, serving
from message_history_proxy.encodings import BodyTooLargeError, CannotReadError, decompressed
from message_history_proxy.metrics import Metrics
from message_history_proxy.own_paths import OwnPaths
from message_history_proxy.refusals import beginning_of, text_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

LIMITS: dict[Any, dict[str, Any]] = {
    app: {"INLINE": 32 * 1024, "DRAIN_SECONDS": 30},
    metrics: {"BOUNDS": (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)},
    refusals: {"REFUSED": (400, 422), "MAX_REFUSAL": 1024 * 1024},
    reports: {"MAX_REPORTS": 500, "MAX_BYTES": 64 * 1024 * 1024, "MAX_HEADER": 1_000, "MAX_EXPLAINED": 16 * 1024},
    serving: {"_WAITING": 2048},
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "identity": bytes,
    "": bytes,
    " , ": bytes,
    "GZip ": gzip.compress,
    "gzip, identity,": gzip.compress,
    "deflate,gzip": lambda data: gzip.compress(zlib.compress(data)),
    "gzip , deflate": lambda data: zlib.compress(gzip.compress(data)),
}


@pytest.mark.parametrize("module", LIMITS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_limit_is_what_it_was(module: Any) -> None:
    assert {name: getattr(module, name) for name in LIMITS[module]} == LIMITS[module]


def test_a_limit_of_the_store_is_what_it_was() -> None:
    pytest.importorskip("sqlalchemy")
    from message_history_proxy import forgetting, store  # noqa: PLC0415 - an extra

    assert (store.MAX_CONVERSATIONS, store._BATCH, store._PRUNE_EVERY, forgetting._PAGE) == (100_000, 400, 256, 100)


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_body_is_decompressed_in_the_reverse_order_of_its_encodings(encoding: str) -> None:
    assert decompressed(PACKERS[encoding](b"some text"), encoding, 1_000) == b"some text"


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "br", "zstd"])
def test_a_body_may_be_as_large_as_the_limit_and_must_be_whole(encoding: str) -> None:
    if encoding == "br":
        packed = pytest.importorskip("brotli").compress(b"x" * 9_000)
    elif encoding == "zstd":
        packed = pytest.importorskip("message_history_proxy.encodings").zstd.compress(b"x" * 9_000)
    else:
        packed = PACKERS[encoding](b"x" * 9_000)
    for limit in (9_000, 9_001):
        assert decompressed(packed, encoding, limit) == b"x" * 9_000
    for limit in (1, 8_999):
        with pytest.raises(BodyTooLargeError):
            decompressed(packed, encoding, limit)
    for broken in (packed[:-1], b"nothing of that kind"):
        with pytest.raises(CannotReadError):
            decompressed(broken, encoding, 10_000)


@pytest.mark.parametrize("encoding", ["compress", "gzip, other", "*"])
def test_an_encoding_that_nothing_here_knows_is_named(encoding: str) -> None:
    with pytest.raises(CannotReadError, match=r"^content-encoding '(compress|other|\*)'$"):
        decompressed(b"x", encoding, 10)


# Refusals


class Chunks(httpx.AsyncByteStream):
    def __init__(self, chunks: list[bytes], error: Exception | None = None) -> None:
        self.chunks, self.error = chunks, error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            yield chunk
        if self.error is not None:
            raise self.error


def begun(chunks: list[bytes], error: Exception | None = None, kind: str = "") -> tuple[bytes, bytes, bool]:
    """Return what is read of a refusal, what comes after it, and whether that was all."""

    async def read() -> tuple[bytes, bytes, bool]:
        response = httpx.Response(400, headers={"content-type": kind} if kind else {}, stream=Chunks(chunks, error))
        found = await beginning_of(response)
        return found.read, b"".join([chunk async for chunk in found.rest]), found.is_whole

    return asyncio.run(read())


def test_a_refusal_is_read_to_its_end_or_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "MAX_REFUSAL", 4)
    assert begun([]) == (b"", b"", True)
    assert begun([b"ab", b"cd"]) == (b"abcd", b"", True)
    assert begun([b"ab", b"cde"]) == (b"abcde", b"", False)
    assert begun([b"abcde", b"fg", b"h"]) == (b"abcde", b"fgh", False)
    for kind in ("text/event-stream", "text/event-stream; charset=utf-8"):
        assert begun([b"a", b"b"], kind=kind) == (b"", b"ab", False)
    assert begun([b"a", b"b"], kind="application/json") == (b"ab", b"", True)


def test_a_refusal_that_breaks_off_breaks_off_behind_what_was_read() -> None:
    with pytest.raises(httpx.ReadError, match=r"^gone$"):
        begun([b"ab"], httpx.ReadError("gone"))


def test_the_text_of_a_refusal_is_decoded_where_it_can_be() -> None:
    packed = httpx.Response(400, headers={"content-encoding": "gzip"}, stream=Chunks([]))
    assert text_in(packed, gzip.compress("é".encode())) == "é"
    assert text_in(packed, b"no gzip") == ""
    assert text_in(httpx.Response(400, stream=Chunks([])), b"a") == "a"


@pytest.mark.parametrize(("length", "kept"), [(1, 1), (1_000, 1_000), (1_001, 1_000)])
def test_a_header_holds_so_much_on_one_line(length: int, kept: int) -> None:
    assert reports._as_header("x" * length) == b"x" * kept
    assert reports._as_header(" a\n\tb  é ") == b"a b ?"


# What the proxy keeps for itself


@pytest.mark.parametrize(
    ("host", "hosts", "answers"),
    [
        ("localhost", "", True),
        ("LocalHost.", "", True),
        ("localhost:1", "", True),
        ("127.0.0.1:80", "", True),
        ("[::1]", "", True),
        ("[::1]:80", "", True),
        ("10.0.0.1", "", True),
        ("", "", False),
        ("", ",", False),
        ("a.test", "", False),
        ("a.test", "b.test", False),
        ("a.test:80", "b.test, A.test ", True),
        ("[a.test]", "", False),
        ("127.0.0.1.a.test", "", False),
        ("::1", "", False),
    ],
)
def test_the_own_paths_answer_to_addresses_and_names_that_are_known(host: str, hosts: str, answers: bool) -> None:
    own = OwnPaths(lambda *_: None, hosts.split(","))  # type: ignore[arg-type]
    why = own._refusal([(b"host", host.encode())])
    assert (why is None) is answers
    assert own._refusal([(b"host", host.encode()), (b"Origin", b"null")]) == (
        "the proxy's own paths are not for web pages; ask without an Origin header"
    )
    if not answers:
        assert "use its address, or name this host in own_hosts" in str(why)


def test_counters_begin_at_0_and_count_with_and_without_labels() -> None:
    counting = Metrics()
    counting.gauge("kept", "Kept.", lambda: 7.0)
    counting.count("store_errors_total")
    counting.count("store_errors_total", 2)
    counting.count("repairs_total", code="a")
    counting.count("repairs_total", 4, code="a")
    counting.added(0.003)
    lines = counting.text().decode().splitlines()
    named: dict[str, Any] = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    values = {name.removeprefix("message_history_proxy_"): float(value) for name, value in named.items()}
    assert values["kept"] == 7.0
    assert values["store_errors_total"] == 3.0
    assert values['repairs_total{code="a"}'] == 5.0
    assert values["added_latency_seconds_count"] == 1.0
    assert values["added_latency_seconds_sum"] == 0.003
    assert (
        values['added_latency_seconds_bucket{le="0.0025"}'],
        values['added_latency_seconds_bucket{le="0.005"}'],
    ) == (
        0.0,
        1.0,
    )
