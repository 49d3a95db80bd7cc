"""The proxy as an ASGI application, in one process: what each request becomes, and what the proxy itself answers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from typing import TYPE_CHECKING, Any, final

import httpx
import pytest

from message_history_healing import Healer, heal_request
from message_history_healing.conversations import Found, MemoryConversations
from message_history_proxy import reports
from message_history_proxy.app import INLINE, METHODS, create_app
from message_history_proxy.reports import Reports
from message_history_proxy.settings import UPSTREAMS, Settings, Upstream
from proxying.test_proxy import BROKEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.applications import Starlette

CHAT: dict[str, Any] = {"model": "gpt-4o", "messages": BROKEN}
SOUND: dict[str, Any] = {"model": "gpt-4o", "messages": BROKEN[:1]}
LOCAL = {name: Upstream(name=name, url=f"http://{name}.test/base/") for name in ("openai", "anthropic")}


def ok(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"{}")


@final
class Asked:
    """A proxy, what its client was made with, and the requests that its upstreams got."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, answer: Callable[[httpx.Request], httpx.Response] = ok, **settings: Any
    ) -> None:
        self.requests: list[httpx.Request] = []
        self.options: dict[str, Any] = {}
        kept = settings.pop("conversations", None)

        async def upstream(request: httpx.Request) -> httpx.Response:
            await request.aread()
            self.requests.append(request)
            made = answer(request)
            return httpx.Response(made.status_code, headers=made.headers, stream=httpx.ByteStream(made.content))

        make = httpx.AsyncClient

        def client(**options: Any) -> httpx.AsyncClient:
            self.options = options
            return make(transport=httpx.MockTransport(upstream), **options)

        with monkeypatch.context() as patched:
            patched.setattr("message_history_proxy.app.httpx.AsyncClient", client)
            self.app: Starlette = create_app(Settings(**{"upstreams": LOCAL, **settings}), kept)

    def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, path, **more)

        return asyncio.run(ask())

    def post(self, body: Any, path: str = "/v1/chat/completions", **more: Any) -> httpx.Response:
        return self("POST", path, json=body, **more)

    def raw(self, scope: dict[str, Any], *received: dict[str, Any]) -> list[Any]:
        """Give the application a scope and what arrives; return what it sends."""
        waiting, sent = [*received], []

        async def receive() -> Any:
            if not waiting:
                await asyncio.Event().wait()
            return waiting.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        return sent


def scope_of(path: str, *headers: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    empty = {"root_path": "", "query_string": b"", "http_version": "1.1"}
    return {"type": "http", "method": "POST", "path": path, "headers": list(headers), **empty, **more}


async def in_parts(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


# What the proxy is made with


def test_its_client_waits_as_the_settings_say_and_follows_no_redirects(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, lambda _: httpx.Response(307, headers={"location": "http://elsewhere.test"}))
    assert asked.options["timeout"] == httpx.Timeout(600.0, connect=10.0, pool=None)
    assert asked.options["limits"].max_connections is None
    assert asked.post(SOUND).status_code == 307
    assert [request.url.host for request in asked.requests] == ["openai.test"]
    asked = Asked(monkeypatch, read_timeout=2.0, connect_timeout=3.0)
    asked.post(SOUND)
    waits = {"connect": 3.0, "read": 2.0, "write": 2.0, "pool": None}
    assert asked.requests[0].extensions["timeout"] == waits


def test_memory_holds_no_more_than_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(**settings: Any) -> tuple[int, int]:
        asked = Asked(monkeypatch, **settings)
        for n in range(5):
            asked.post({**CHAT, "messages": [{"role": "user", "content": f"{n}"}, *BROKEN[1:]]})
        text = asked("GET", "/message-history/metrics").text
        found = [re.search(rf"^message_history_proxy_{name} (.*)$", text, re.MULTILINE) for name in GAUGES]
        number, size = (int(float(each[1])) for each in found if each is not None)
        return number, size

    number, size = held()
    assert (number, size > 1_000) == (5, True)
    assert held(max_conversations=2)[0] == 2
    assert held(max_memory_bytes=size // 2)[0] < 5


GAUGES = ("conversations", "conversations_bytes")


def test_without_following_each_request_is_healed_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    late = [*BROKEN[:2], {"role": "tool", "tool_call_id": "c1", "content": "r"}, BROKEN[2]]
    for follow in (True, False):
        asked = Asked(monkeypatch, follow=follow)
        asked.post(CHAT)
        asked.post({**CHAT, "messages": late})
        sent = [json.loads(request.content)["messages"] for request in asked.requests]
        assert (sent[1] == late) is not follow


@final
class Recording:
    """Conversations that say in which thread they are asked."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self._inner = MemoryConversations()

    def find(self, *arguments: Any) -> Found:
        self.threads.append(threading.get_ident())
        return self._inner.find(*arguments)

    def keep(self, *arguments: Any) -> None:
        self.threads.append(threading.get_ident())
        self._inner.keep(*arguments)


def test_conversations_that_are_shared_are_never_asked_by_the_thread_that_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A database may take its time, and streams go on meanwhile."""
    conversations = Recording()
    asked = Asked(monkeypatch, conversations=conversations, store="sqlite:///not/opened.db")
    assert asked.post(SOUND).status_code == 200
    assert len(conversations.threads) == 2
    assert threading.get_ident() not in conversations.threads


@pytest.mark.parametrize(("size", "inline"), [(1_000, True), (INLINE, True), (INLINE + 1, False), (100_000, False)])
def test_a_large_body_is_healed_in_a_thread(size: int, inline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert INLINE == 32_768
    threads: list[int] = []
    heal = Healer.heal

    def recorded(healer: Healer, *arguments: Any, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return heal(healer, *arguments, **more)

    monkeypatch.setattr(Healer, "heal", recorded)
    asked = Asked(monkeypatch)
    empty = json.dumps(SOUND).encode()
    body = empty + b" " * (size - len(empty))
    asked("POST", "/v1/chat/completions", content=body)
    assert asked.requests[0].content == body
    assert [thread == threading.get_ident() for thread in threads] == [inline]


def test_a_store_of_its_own_is_closed_with_it_and_one_that_was_given_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    store = pytest.importorskip("message_history_proxy.store")
    closed: list[object] = []
    close = store.DatabaseConversations.close

    def recorded(one: Any) -> None:
        closed.append(one)
        close(one)

    monkeypatch.setattr(store.DatabaseConversations, "close", recorded)

    async def live(asked: Asked) -> None:
        async with asked.app.router.lifespan_context(asked.app):
            assert closed == []

    url = f"sqlite:///{tmp_path}/kept.db"
    asyncio.run(live(Asked(monkeypatch, store=url)))
    assert len(closed) == 1
    closed.clear()
    asyncio.run(live(Asked(monkeypatch, conversations=Recording(), store=url)))
    assert closed == []


# What a request becomes


def test_a_request_has_the_path_of_its_upstream_before_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    for path in ("/v1/models", "/v1/models?", "/v1/models?a=%2F&b", "/anthropic/v1/messages?beta=true"):
        asked("GET", path)
    targets = [request.extensions["target"] for request in asked.requests]
    assert targets == [
        b"/base/v1/models", b"/base/v1/models", b"/base/v1/models?a=%2F&b", b"/base/v1/messages?beta=true",
    ]  # fmt: skip
    assert [request.url.host for request in asked.requests] == ["openai.test"] * 3 + ["anthropic.test"]


def test_a_server_that_gives_no_raw_path_gives_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    last = {"type": "http.request", "body": b""}
    for more in ({}, {"raw_path": None}, {"raw_path": b""}, {"raw_path": b"/v1/b%20c"}):
        asked.raw(scope_of("/v1/b c", **more), last)
    targets = [request.extensions["target"] for request in asked.requests]
    assert targets == [b"/base/v1/b c"] * 3 + [b"/base/v1/b%20c"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_goes_through_with_and_without_a_body(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    asked(method, "/v1/files")
    asked(method, "/v1/files", content=b"some")
    asked(method, "/v1/files", content=in_parts(b"so", b"", b"me"))
    assert [request.method for request in asked.requests] == [method] * 3
    assert [request.content for request in asked.requests] == [b"", b"some", b"some"]
    lengths = [request.headers.get("content-length") for request in asked.requests]
    assert lengths[1:] == ["4", None]
    assert "transfer-encoding" not in asked.requests[1].headers
    assert asked.requests[2].headers["transfer-encoding"] == "chunked"


def test_a_body_may_come_in_parts_of_which_some_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    body = json.dumps(SOUND).encode()
    parts = [body[:5], b"", body[5:]]
    more: list[dict[str, Any]] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    ends: list[dict[str, Any]] = [{"type": "http.request"}, {"type": "http.request", "body": b"", "more_body": False}]
    for last in ends:
        for path in ("/v1/chat/completions", "/v1/files"):
            asked.raw(scope_of(path, (b"transfer-encoding", b"chunked")), *more, last)
    assert [request.content for request in asked.requests] == [body] * 4


def test_a_client_that_leaves_before_its_body_is_whole_gets_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    begin: dict[str, Any] = {"type": "http.request", "body": b"{", "more_body": True}
    assert asked.raw(scope_of("/v1/chat/completions"), begin, {"type": "http.disconnect"}) == []
    assert asked.requests == []


def test_what_says_of_a_body_what_it_was_is_left_out_where_it_was_healed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    headers = {"content-md5": "a", "digest": "b", "content-encoding": "identity", "x-other": "c"}
    asked.post(CHAT, headers=headers)
    asked.post(SOUND, headers=headers)
    healed, sound = (request.headers for request in asked.requests)
    assert {name: sound[name] for name in headers} == headers
    assert not {"content-md5", "digest", "content-encoding"} & set(healed)
    assert healed["x-other"] == "c"
    for request in asked.requests:
        assert request.headers["content-length"] == str(len(request.content))


# What the proxy answers


def test_its_health_names_its_upstreams_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Asked(monkeypatch, upstreams=UPSTREAMS)("GET", "/message-history/health")
    assert found.json() == {"status": "ok", "upstreams": sorted(UPSTREAMS)}


def test_its_own_answers_have_their_media_types(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    number = asked.post(CHAT).headers["message-history-request"]
    kinds = {
        path: asked("GET", f"/message-history/{path}").headers["content-type"]
        for path in ("metrics", "repairs", f"repairs/{number}", "health", "repairs/none")
    }
    assert kinds.pop("metrics") == "text/plain; version=0.0.4; charset=utf-8"
    assert {kind.partition(";")[0] for kind in kinds.values()} == {"application/json"}
    none = asked("GET", "/message-history/repairs/none")
    assert (none.status_code, none.json()) == (404, {"error": "no request of this number is kept"})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", ["", "/", "/other", "/repairs/1/2"])
def test_what_is_meant_for_the_proxy_is_answered_by_it_whatever_the_method(
    method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(monkeypatch)
    found = asked(method, f"/message-history{path}")
    assert (found.status_code, asked.requests) == (404, [])
    known = "/health, /metrics, /repairs, /repairs/{request}"
    if method != "HEAD":
        assert found.json() == {"error": f"the paths under /message-history are {known}"}


def test_a_websocket_is_closed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    scope = {**scope_of("/v1/realtime"), "type": "websocket", "subprotocols": []}
    closed = {"type": "websocket.close", "code": 1003, "reason": "websockets are not forwarded"}
    assert Asked(monkeypatch).raw(scope) == [closed]


def refused(found: httpx.Response) -> tuple[int, str, str]:
    error = found.json()
    assert error == {"type": "error", "error": {"type": error["error"]["type"], "message": error["error"]["message"]}}
    assert found.headers["content-type"] == "application/json"
    assert found.headers["content-length"] == str(len(found.content))
    assert found.headers.get("connection") == ("close" if found.status_code in (408, 413) else None)
    return found.status_code, error["error"]["type"], error["error"]["message"]


def counted(asked: Asked, name: str) -> str:
    lines = asked("GET", "/message-history/metrics").text.splitlines()
    return next((line.rpartition(" ")[2] for line in lines if line.startswith(f"message_history_proxy_{name} ")), "")


def test_a_path_of_no_upstream_is_answered_with_those_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, upstreams={name: UPSTREAMS[name] for name in ("xai", "groq")})
    text = "message-history proxy: No upstream has this path; begin it with one of /groq, /xai."
    assert refused(asked.post(CHAT)) == (404, "no_upstream", text)
    assert counted(asked, 'errors_total{reason="no_upstream"}') == "1.0"
    assert asked.requests == []


@pytest.mark.parametrize(
    ("error", "status", "reason", "text"),
    [
        (httpx.ReadTimeout("x"), 504, "upstream_timeout", "The upstream openai did not answer."),
        (httpx.ConnectTimeout("x"), 504, "upstream_timeout", "The upstream openai did not answer."),
        (httpx.ConnectError("x"), 502, "upstream_unreachable", "The upstream openai cannot be reached (ConnectError)."),
        (httpx.ReadError("x"), 502, "upstream_unreachable", "The upstream openai cannot be reached (ReadError)."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_upstream_that_does_not_answer_is_told_by_its_name(
    error: Exception, status: int, reason: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise error

    asked = Asked(monkeypatch, fail)
    for body in (CHAT, SOUND):
        assert refused(asked.post(body)) == (status, reason, f"message-history proxy: {text}")
    assert refused(asked("GET", "/v1/models")) == (status, reason, f"message-history proxy: {text}")
    assert counted(asked, f'errors_total{{reason="{reason}"}}') == "3.0"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_may_be_as_large_as_the_settings_say_and_no_larger(
    chunked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps(SOUND).encode()
    for limit, status in ((len(body), 200), (len(body) - 1, 413), (0, 413)):
        asked = Asked(monkeypatch, max_body_bytes=limit)
        found = asked("POST", "/v1/chat/completions", content=in_parts(body[:9], body[9:]) if chunked else body)
        assert found.status_code == status
        if status == 413:
            text = f"message-history proxy: The body is larger than {limit} bytes (max_body_bytes)."
            assert refused(found) == (413, "body_too_large", text)
            assert asked.requests == []
            assert asked("POST", "/v1/files", content=body).status_code == 200


def test_a_body_that_stalls_is_told_with_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, upload_timeout=0.05)
    part = {"type": "http.request", "body": b"{", "more_body": True}
    head, body = asked.raw(scope_of("/v1/chat/completions"), part)
    found = httpx.Response(head["status"], headers=head["headers"], content=body["body"])
    text = "message-history proxy: The body did not go on for 0.05 seconds (upload_timeout)."
    assert refused(found) == (408, "upload_timeout", text)


# What it counts and says of the requests


def test_the_requests_are_numbered_from_1_and_healed_ones_alone_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch)
    answers = [asked.post(body) for body in (CHAT, SOUND, CHAT)]
    numbers = [each.headers.get("message-history-request") for each in answers]
    assert numbers[1] is None
    assert [re.sub(r"^[0-9a-f]{8}-", "", number or "") for number in numbers] == ["1", "", "3"]
    assert "message-history-request" not in asked("GET", "/v1/models").headers
    listed = [each["request"] for each in asked("GET", "/message-history/repairs").json()["requests"]]
    assert listed == [numbers[2], numbers[0]]


def test_what_happened_is_counted_by_api_status_and_code(monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = iter([200, 200, 200, 400, 422, 429, 201])
    asked = Asked(monkeypatch, lambda _: httpx.Response(next(statuses), content=b"{}"))
    calls = [{**call, "id": "c2"} for call in BROKEN[1]["tool_calls"]]
    two = [BROKEN[0], {**BROKEN[1], "tool_calls": [*BROKEN[1]["tool_calls"], *calls]}, BROKEN[2]]
    for body in (CHAT, {**CHAT, "messages": two}, SOUND, SOUND, SOUND, SOUND):
        asked.post(body)
    asked("GET", "/v1/models")
    wanted = {
        'requests_total{api="openai_chat",status="200"}': "3.0",
        'requests_total{api="openai_chat",status="400"}': "1.0",
        'requests_total{api="openai_chat",status="422"}': "1.0",
        'requests_total{api="openai_chat",status="429"}': "1.0",
        'requests_total{api="other",status="201"}': "1.0",
        'healed_requests_total{api="openai_chat"}': "2.0",
        'repairs_total{code="result_stubbed"}': "3.0",
        'still_refused_total{api="openai_chat"}': "2.0",
        "added_latency_seconds_count": "6.0",
    }
    assert {name: counted(asked, name) for name in wanted} == wanted


def test_what_fails_within_the_proxy_is_counted_and_the_request_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("it quotes a message")

    body = json.dumps(CHAT).encode()
    for name, reason in (("heal", "not_healed"), ("sent", "not_kept")):
        with monkeypatch.context() as patched:
            patched.setattr(Healer, name, fail)
            asked = Asked(monkeypatch)
            assert asked("POST", "/v1/chat/completions", content=body).status_code == 200
        assert (asked.requests[0].content == body) is (name == "heal")
        assert counted(asked, f'errors_total{{reason="{reason}"}}') == "1.0"
    logged = [record.getMessage() for record in caplog.records if record.name == "message_history_proxy"]
    assert "a request was passed on unhealed: RuntimeError" in logged
    assert "what was sent could not be kept: RuntimeError" in logged
    assert "quotes" not in "".join(logged)


def test_a_refusal_is_logged_with_its_rule_or_that_none_is_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
    caplog.set_level("INFO", "message_history_proxy")
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": BROKEN[:1]}
    for status, said in ((400, text), (422, "no"), (404, text)):
        asked = Asked(monkeypatch, lambda _, status=status, said=said: httpx.Response(status, text=said))  # type: ignore[misc]
        found = asked.post(body, "/v1/messages")
        assert (found.status_code, found.text) == (status, said)
        assert ("message-history-rule" in found.headers) is ((status, said) == (400, text))
    logged = [record.getMessage() for record in caplog.records if record.name == "message_history_proxy"]
    first, second = (re.sub(r"^[0-9a-f]{8}-1: ", "", each) for each in logged)
    assert re.fullmatch(r"still refused with 400: AN-\w+", first)
    assert second == "still refused with 422: no rule of messages that is known"


def test_token_counts_are_healed_and_not_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "message_history_proxy")
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    body = {"model": "claude-sonnet-4-5", "messages": [BROKEN[0], {"role": "assistant", "content": [call]}]}
    asked = Asked(monkeypatch)
    assert asked.post(body, "/v1/messages/count_tokens").headers["message-history-repair-count"] == "1"
    assert [record for record in caplog.records if record.name == "message_history_proxy"] == []
    asked.post(body, "/v1/messages")
    assert len([record for record in caplog.records if record.name == "message_history_proxy"]) == 1


# The reports


def test_the_newest_500_reports_are_kept() -> None:
    kept = Reports()
    healed = heal_request(json.dumps(CHAT).encode(), api="openai_chat")
    for n in range(502):
        kept.keep(str(n), healed)
    numbers = [each["request"] for each in kept.newest()]
    assert numbers == [str(n) for n in range(501, 1, -1)]
    assert (kept.report("1"), kept.report("2") is None) == (None, False)


def test_a_report_that_is_larger_than_all_may_be_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    healed = heal_request(json.dumps(CHAT).encode(), api="openai_chat")
    first = Reports()
    first.keep("0", healed)
    size = len(first.report("0") or b"")
    for limit, number in ((1, 1), (size, 1), (2 * size - 1, 1), (2 * size, 2), (3 * size, 3)):
        monkeypatch.setattr(reports, "MAX_BYTES", limit)
        kept = Reports()
        for n in range(5):
            kept.keep(str(n), healed)
        assert [each["request"] for each in kept.newest()] == ["4", "3", "2", "1", "0"][:number]


def test_a_report_says_all_of_each_repair() -> None:
    kept = Reports()
    messages = [*BROKEN[:2], {"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "user", "content": " "}]
    healed = heal_request(json.dumps({**CHAT, "messages": [*BROKEN[:2], *messages]}).encode(), api="openai_chat")
    kept.keep("1", healed)
    report, (short,) = json.loads(kept.report("1") or b""), kept.newest()
    assert [*report] == ["request", "dialect", "repairs", "new", "violations", "still_refused"]
    assert (report["request"], report["dialect"], short["request"]) == ("1", "openai_chat", "1")
    repairs = [(each.code.value, each.severity.value, each.index, each.source) for each in healed.repairs]
    named = ("code", "severity", "message", "entry")
    assert [tuple(each[name] for name in named) for each in report["repairs"]] == repairs
    assert [each["detail"] for each in report["repairs"]] == [each.detail for each in healed.repairs]
    assert [len(each["removed"]) for each in report["repairs"]] == [len(each.removed) for each in healed.repairs]
    assert [len(each["added"]) for each in report["repairs"]] == [len(each.added) for each in healed.repairs]
    assert len(repairs) > 1
    assert report["new"] == report["repairs"]
    assert report["violations"] == [str(each) for each in healed.violations]
    assert (short["still_refused"], report["still_refused"]) == (0, [])
    assert short["repairs"] == short["new"] == reports.codes_of(healed.repairs)
