"""Transports for SDKs: requests are healed on their way, and what was sent stays as it is."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest

httpx = pytest.importorskip("httpx")

from message_history_healing import Healer  # noqa: E402
from message_history_healing.httpx import AsyncHealingTransport, HealingTransport  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

URL = "https://api.openai.com/v1/chat/completions"
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
BROKEN: list[Any] = [
    {"role": "user", "content": "Read a.txt."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Well?"},
]
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "contents"}


class Upstream:
    """Keeps the requests that reach it."""

    def __init__(self, status: int = 200) -> None:
        self.requests: list[Any] = []
        self.status = status
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: Any) -> Any:
        self.requests.append(request)
        return httpx.Response(self.status, json={"ok": True})

    def messages(self, number: int) -> list[Any]:
        found: list[Any] = json.loads(self.requests[number].content)["messages"]
        return found


def body(messages: list[Any]) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": messages}


def test_a_broken_request_is_healed_and_the_conversation_goes_on() -> None:
    upstream, healed = Upstream(), list[Any]()
    with httpx.Client(transport=HealingTransport(upstream.transport, on_healed=healed.append)) as client:
        response = client.post(URL, json=body(BROKEN), headers={"x-own": "1"})
        client.post(URL, json=body([*BROKEN[:2], RESULT, BROKEN[2], {"role": "assistant", "content": "No."}]))
    assert response.headers["message-history-repairs"] == "result_stubbed=1"
    assert [message["role"] for message in upstream.messages(0)] == ["user", "assistant", "tool", "user"]
    assert upstream.messages(1)[:4] == upstream.messages(0)
    assert upstream.requests[0].headers["x-own"] == "1"
    assert int(upstream.requests[0].headers["content-length"]) == len(upstream.requests[0].content)
    assert len(healed) == 2


def test_the_asynchronous_one_does_the_same() -> None:
    upstream = Upstream()

    async def in_pieces() -> AsyncIterator[bytes]:
        for piece in json.dumps(body(BROKEN)).encode().partition(b":"):
            yield piece

    async def run() -> None:
        async with httpx.AsyncClient(transport=AsyncHealingTransport(upstream.transport)) as client:
            await client.post(URL, json=body(BROKEN))
            await client.get("https://api.openai.com/v1/models")
            await client.post(URL, content=in_pieces(), headers={"content-type": "application/json"})

    asyncio.run(run())
    assert [message["role"] for message in upstream.messages(0)] == ["user", "assistant", "tool", "user"]
    assert upstream.requests[1].method == "GET"
    assert upstream.messages(2) == upstream.messages(0)


def test_a_sound_request_is_sent_byte_for_byte() -> None:
    upstream = Upstream()
    content = json.dumps(body(BROKEN[:1]), indent=2).encode()
    with httpx.Client(transport=HealingTransport(upstream.transport)) as client:
        response = client.post(URL, content=content)
    assert upstream.requests[0].content == content
    assert "message-history-repairs" not in response.headers


def test_what_was_refused_was_not_sent() -> None:
    upstream = Upstream(500)
    with httpx.Client(transport=HealingTransport(upstream.transport)) as client:
        client.post(URL, json=body(BROKEN))
        client.post(URL, json=body([*BROKEN[:2], RESULT, BROKEN[2]]))
    assert upstream.messages(1) == [*BROKEN[:2], RESULT, BROKEN[2]]


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_sdks_take_it(name: str) -> None:
    sdk = pytest.importorskip(name)
    # Newer versions of an SDK use `httpx2`, older ones `httpx`.
    library = __import__("httpx2" if issubclass(sdk.DefaultHttpxClient, _clients("httpx2")) else "httpx")
    transports = importlib.import_module(f"message_history_healing.{library.__name__}")
    requests: list[Any] = []

    def answer(request: Any) -> Any:
        requests.append(json.loads(request.content))
        return library.Response(200, json={})

    client = library.Client(transport=transports.HealingTransport(library.MockTransport(answer)))
    if name == "openai":
        sdk.OpenAI(api_key="k", http_client=client).chat.completions.create(**body(BROKEN))
        assert len(requests[0]["messages"]) == 4
    else:
        calls = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
        sdk.Anthropic(api_key="k", http_client=client).messages.create(
            model="claude-haiku-4-5", max_tokens=9, messages=[BROKEN[0], calls, BROKEN[2]]
        )
        assert requests[0]["messages"][2]["content"][0]["type"] == "tool_result"


def _clients(name: str) -> tuple[Any, ...]:
    try:
        return (importlib.import_module(name).Client,)
    except ImportError:
        return ()


WHOLE = [*BROKEN[:2], RESULT, BROKEN[2]]


def test_a_healer_that_is_passed_is_used_and_each_transport_has_one_of_its_own() -> None:
    healer = Healer()
    for passed, later, is_known in ((healer, healer, True), (None, None, False), (healer, None, False)):
        upstream = Upstream()
        for one, messages in ((passed, BROKEN), (later, WHOLE)):
            with httpx.Client(transport=HealingTransport(upstream.transport, healer=one)) as client:
                client.post(URL, json=body(messages))
        assert (upstream.messages(1) != WHOLE) is is_known


def test_by_default_the_library_sends() -> None:
    for kind, default in ((HealingTransport, "HTTPTransport"), (AsyncHealingTransport, "AsyncHTTPTransport")):
        assert type(kind()._transport).__name__ == default


@pytest.mark.parametrize(
    ("url", "more", "joined"),
    [
        ("https://api.mistral.ai/v1/chat/completions", {}, True),
        ("https://mistral.example.org/v1/chat/completions", {}, True),
        ("https://api.openai.com/v1/chat/completions", {"provider": "mistral"}, True),
        ("https://notmistral.example.org/v1/chat/completions", {}, False),
        ("https://api.openai.com/v1/chat/completions", {}, False),
    ],
)
def test_mistral_is_known_by_its_host_or_by_name(url: str, more: dict[str, Any], joined: bool) -> None:
    healed = list[Any]()
    with httpx.Client(transport=HealingTransport(Upstream().transport, on_healed=healed.append, **more)) as client:
        client.post(url, json=body(BROKEN))
    assert (healed[0].dialect.name == "mistral") is joined


def test_only_posted_requests_that_can_be_read_are_healed() -> None:
    upstream = Upstream()
    packed = gzip.compress(json.dumps(body(BROKEN)).encode())
    with httpx.Client(transport=HealingTransport(upstream.transport)) as client:
        client.put(URL, json=body(BROKEN))
        client.post(URL, content=packed, headers={"content-encoding": "gzip"})
        client.post("https://api.openai.com/v1/embeddings", json=body(BROKEN))
        client.post(URL, json=body(BROKEN), headers={"content-encoding": "identity"})
    assert upstream.messages(0) == upstream.messages(2) == BROKEN
    assert upstream.requests[1].content == packed
    assert len(upstream.messages(3)) == 4


def test_hosts_are_kept_apart() -> None:
    upstream = Upstream()
    with httpx.Client(transport=HealingTransport(upstream.transport)) as client:
        client.post(URL, json=body(BROKEN))
        client.post(URL.replace("api", "eu.api"), json=body(WHOLE))
        client.post(URL, json=body(WHOLE))
    assert upstream.messages(1) == WHOLE
    assert upstream.messages(2) != WHOLE


def test_a_healed_request_is_the_one_that_came_but_for_its_body_and_counts_what_was_repaired() -> None:
    upstream = Upstream()
    orphan = {"role": "tool", "tool_call_id": "c0", "content": "late"}

    def pieces() -> Any:
        yield json.dumps(body([orphan, *BROKEN, {"role": "user", "content": ""}, *BROKEN[1:]])).encode()

    with httpx.Client(transport=HealingTransport(upstream.transport), timeout=17) as client:
        response = client.post(URL, content=pieces(), headers={"X-Own": "1", "content-type": "application/json"})
    sent = upstream.requests[0]
    assert sent.url == URL
    assert "transfer-encoding" not in sent.headers
    assert int(sent.headers["content-length"]) == len(sent.content)
    assert (sent.headers["x-own"], sent.headers["content-type"]) == ("1", "application/json")
    assert sent.extensions["timeout"]["read"] == 17
    counted = dict(each.split("=") for each in response.headers["message-history-repairs"].split(", "))
    assert list(counted) == sorted(counted)
    assert counted["result_stubbed"] == "2"
    assert len(counted) > 1


def test_closing_closes_what_sends() -> None:
    closed: list[str] = []

    class Sender:
        def close(self) -> None:
            closed.append("close")

        async def aclose(self) -> None:
            closed.append("aclose")

    HealingTransport(Sender()).close()  # type: ignore[arg-type]
    asyncio.run(AsyncHealingTransport(Sender()).aclose())  # type: ignore[arg-type]
    assert closed == ["close", "aclose"]


def test_asynchronously_too_what_was_sent_stays() -> None:
    upstream = Upstream()

    async def run() -> None:
        async with httpx.AsyncClient(transport=AsyncHealingTransport(upstream.transport)) as client:
            response = await client.post(URL, json=body(BROKEN))
            assert response.headers["message-history-repairs"] == "result_stubbed=1"
            await client.post(URL, json=body(WHOLE))

    asyncio.run(run())
    assert upstream.messages(1)[:3] == upstream.messages(0)[:3]
