"""Whom a request goes to, by its path and its headers, and which headers go through."""

from __future__ import annotations

from typing import Any

import pytest

from message_history_healing.routes import Route
from message_history_proxy.forwarding import (
    Target,
    forwarded_request_headers,
    forwarded_response_headers,
    header,
    target_of,
)
from message_history_proxy.settings import UPSTREAMS, Upstream

CHAT = Route("openai_chat")
HOP_BY_HOP = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
]  # fmt: skip
OF_A_REQUEST = ["host", "content-length", "expect"]


def target(path: str, *names: str, upstreams: Any = None, method: str = "POST") -> Target | None:
    known = UPSTREAMS if upstreams is None else {each.name: each for each in upstreams}
    return target_of(known, method, path, [(name.encode(), b"x") for name in names])


def found(path: str, *names: str, **more: Any) -> Target:
    one = target(path, *names, **more)
    assert one is not None
    return one


GUESSED = [
    ("/model/m/converse", (), "bedrock"),
    ("/a/model/m/invoke", (), "bedrock"),
    ("/guardrail/g/version/1/apply", (), "bedrock"),
    ("/a/guardrail", (), "openai"),
    ("/v1beta/models/m:generateContent", (), "gemini"),
    ("/a/v1beta", (), "openai"),
    ("/v1/models", ("x-goog-api-key",), "gemini"),
    ("/v1/messages", (), "anthropic"),
    ("/v1/messages/batches", (), "anthropic"),
    ("/v1/complete", (), "anthropic"),
    ("/a/v1/messages", (), "openai"),
    ("/v1/models", ("anthropic-version",), "anthropic"),
    ("/v1/models", ("x-api-key",), "anthropic"),
    ("/v1/models", ("anthropic-version", "x-api-key"), "anthropic"),
    ("/v1/models", ("authorization",), "openai"),
    ("/v1/models", (), "openai"),
    ("/v1/chat/completions", (), "openai"),
    ("/", (), "openai"),
    # What several providers have is of the first in this order: Bedrock, Google, Anthropic.
    ("/model/m/converse", ("x-goog-api-key", "x-api-key"), "bedrock"),
    ("/v1beta/models", ("anthropic-version", "x-api-key"), "gemini"),
    ("/v1/messages", ("x-goog-api-key",), "gemini"),
]


@pytest.mark.parametrize(("path", "names", "upstream"), GUESSED)
def test_a_path_or_a_header_tells_the_upstream(path: str, names: tuple[str, ...], upstream: str) -> None:
    assert found(path, *names).upstream == UPSTREAMS[upstream]
    assert found(path, *names, method="GET").upstream == UPSTREAMS[upstream]


@pytest.mark.parametrize("name", UPSTREAMS)
@pytest.mark.parametrize(
    ("path", "rest"), [("", "/"), ("/", "/"), ("/v1/files", "/v1/files"), ("/a\nb", "/a\nb"), ("//a", "//a")]
)
def test_the_first_part_of_a_path_names_the_upstream_and_is_taken_off(name: str, path: str, rest: str) -> None:
    one = found(f"/{name}{path}", "x-goog-api-key", "x-api-key")
    assert (one.upstream, one.path) == (UPSTREAMS[name], rest)


def test_a_name_is_the_whole_first_part_of_a_path() -> None:
    for path in ("/openai2/v1/files", "/a/groq/v1/files", "groq/v1/files", "/Groq/v1/files"):
        one = found(path)
        assert (one.upstream, one.path) == (UPSTREAMS["openai"], path)


def test_one_upstream_alone_gets_what_no_path_names_and_one_of_two_does_not() -> None:
    local, other = (Upstream(name=name, url=f"http://{name}.test") for name in ("local", "other"))
    for path, *names in (["/v1/chat/completions"], ["/v1/messages"], ["/v1/models", "x-goog-api-key"]):
        assert found(path, *names, upstreams=[local]).upstream == local
        assert target(path, *names, upstreams=[local, other]) is None
        assert target(path, *names, upstreams=[]) is None
    assert found("/other/v1/models", upstreams=[local, other]).upstream == other


@pytest.mark.parametrize(
    ("url", "path", "sent"),
    [
        ("http://a.test/v1", "/v1/chat/completions", "/chat/completions"),
        ("http://a.test/x/v1", "/v1/models", "/models"),
        ("http://a.test", "/v1/models", "/v1/models"),
        ("http://a.test/v1beta", "/v1/models", "/v1/models"),
        ("http://a.test/v1", "/v1beta/models", "/v1beta/models"),
        ("http://a.test/v1", "/models", "/models"),
        ("http://a.test/v1", "/a/v1/models", "/a/v1/models"),
        ("http://a.test/v1", "/v1/v1/models", "/v1/models"),
    ],
)
def test_an_address_that_ends_with_v1_has_it_once(url: str, path: str, sent: str) -> None:
    for start in ("", "/local"):
        assert found(start + path, upstreams=[Upstream(name="local", url=url)]).path == sent


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "POST"])
def test_only_what_is_posted_has_a_list_of_messages(method: str) -> None:
    assert found("/v1/chat/completions", method=method).route == (CHAT if method == "POST" else None)
    assert found("/v1/embeddings", method=method).route is None


@pytest.mark.parametrize(
    ("name", "provider", "api"),
    [
        ("mistral", None, "mistral"),
        ("local", "mistral", "mistral"),
        ("mistral", "vllm", "mistral"),
        ("local", None, "openai_chat"),
        ("local", "vllm", "openai_chat"),
    ],
)
def test_chat_completions_are_of_mistral_by_the_name_or_the_provider(name: str, provider: str | None, api: str) -> None:
    upstream = Upstream(name=name, url="http://a.test", provider=provider)
    route = found("/v1/chat/completions", upstreams=[upstream]).route
    assert route is not None
    assert route.api == api


@pytest.mark.parametrize("name", HOP_BY_HOP)
@pytest.mark.parametrize("written", [str.lower, str.upper, str.title])
def test_what_belongs_to_one_connection_stays_there(name: str, written: Any) -> None:
    headers = [(b"a", b"1"), (written(name).encode(), b"x"), (b"b", b"2")]
    assert forwarded_request_headers(headers) == forwarded_response_headers(headers) == [(b"a", b"1"), (b"b", b"2")]


@pytest.mark.parametrize("name", OF_A_REQUEST)
def test_what_is_set_anew_for_a_request_is_left_to_a_response(name: str) -> None:
    headers = [(name.title().encode(), b"x"), (b"b", b"2")]
    assert forwarded_request_headers(headers) == [(b"b", b"2")]
    assert forwarded_response_headers(headers) == [(name.encode(), b"x"), (b"b", b"2")]


def test_every_other_header_goes_through_in_its_order_as_often_as_it_came() -> None:
    headers = [(b"Set-Cookie", b"A=1"), (b"X-Te", b" x"), (b"set-cookie", b"b"), (b"Keep", b""), (b"hosts", b"\xff")]
    kept = [(name.lower(), value) for name, value in headers]
    assert forwarded_request_headers(headers) == forwarded_response_headers(headers) == kept


def test_what_the_header_of_the_connection_names_stays_there_too() -> None:
    named = [
        (b"Connection", b"X-A, x-b ,close"),
        (b"x-a", b"1"),
        (b"X-B", b"2"),
        (b"x-c", b"3"),
        (b"connection", b"X-D"),
    ]
    headers = [*named, (b"x-d", b"4"), (b"close", b"5"), (b"via", b"x-c")]
    assert forwarded_request_headers(headers) == [(b"x-c", b"3"), (b"via", b"x-c")]
    assert forwarded_response_headers(headers) == [(b"x-c", b"3"), (b"via", b"x-c")]
    # No other header names any.
    assert forwarded_request_headers([(b"via", b"x-a"), (b"x-a", b"1")]) == [(b"via", b"x-a"), (b"x-a", b"1")]


def test_what_is_dropped_from_a_request_is_dropped_besides() -> None:
    headers = [(b"Content-MD5", b"x"), (b"host", b"h"), (b"te", b"t"), (b"digest", b"d")]
    assert forwarded_request_headers(headers, drop=frozenset({b"content-md5"})) == [(b"digest", b"d")]


def test_of_a_header_that_came_twice_the_first_is_read_and_of_none_nothing() -> None:
    headers = [(b"A", b"\xe9"), (b"a", b"2"), (b"b", b"3")]
    assert [header(headers, name) for name in (b"a", b"b", b"c")] == ["é", "3", ""]
