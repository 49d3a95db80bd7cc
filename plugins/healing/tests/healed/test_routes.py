"""Which paths are of which API, each with its neighbours; and what a healer keeps of a request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history.dialects import OpenAIChat
from message_history_healing import Healer
from message_history_healing.conversations import Found
from message_history_healing.routes import Route, route_of

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
BROKEN: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}],
}
ROUTES: dict[str, tuple[str, str | None, bool]] = {
    "/v1/messages": ("anthropic", None, False),
    "/v1/messages/": ("anthropic", None, False),
    "/v1/messages/count_tokens": ("anthropic", None, True),
    "/v1/messages/count_tokens/": ("anthropic", None, True),
    "/x/v1/messages": ("anthropic", None, False),
    "/models/claude-a:rawPredict": ("anthropic", "claude-a", False),
    "/models/claude-a:streamRawPredict": ("anthropic", "claude-a", False),
    "/model/a.anthropic.b/invoke": ("anthropic", "a.anthropic.b", False),
    "/model/anthropic/invoke-with-response-stream": ("anthropic", "anthropic", False),
    "/chat/completions": ("openai_chat", None, False),
    "/v1/chat/completions/": ("openai_chat", None, False),
    "/responses": ("openai_responses", None, False),
    "/openai/v1/responses/": ("openai_responses", None, False),
    "/models/g:generateContent": ("gemini", "g", False),
    "/models/g:streamGenerateContent": ("gemini", "g", False),
    "/models/g:countTokens": ("gemini", "g", True),
    "/models/g%2Fh:generateContent": ("gemini", "g/h", False),
    "/model/m/converse": ("bedrock", "m", False),
    "/model/m/converse-stream": ("bedrock", "m", False),
    "/model/m%3A0/count-tokens": ("bedrock", "m:0", True),
}
OF_NOBODY = [
    "",
    "/",
    "/v1/message",
    "/v1/messagesx",
    "/v1/messages/count_token",
    "/v1/messages//",
    "/messages",
    "/models/gpt:rawPredict",
    "/models/claude-a:predict",
    "/model/other/invoke",
    "/model/a/anthropic/invoke",
    "/model/anthropic/invoke-async",
    "/chat/completions/1",
    "/chat/completion",
    "/xchat/completions2",
    "/responses/1",
    "/models/:generateContent",
    "/models/g:GenerateContent",
    "/models/g:embedContent",
    "/model//converse",
    "/model/m/converse/",
    "/model/m/n/converse",
]


@pytest.mark.parametrize("mistral", [False, True])
def test_a_path_is_of_one_api(mistral: bool) -> None:
    found = {path: route_of(path, mistral=mistral) for path in ROUTES}
    wanted = {
        path: Route("mistral" if mistral and api == "openai_chat" else api, model, counts)  # type: ignore[arg-type]
        for path, (api, model, counts) in ROUTES.items()
    }
    assert found == wanted
    assert [path for path in OF_NOBODY if route_of(path, mistral=mistral) is not None] == []


class Kept:
    """Conversations that say what they are asked and given."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.sizes: list[int] = []

    def find(self, group: str, _: Any) -> Found:
        self.found.append(group)
        return Found()

    def keep(self, group: str, sent: Any, found: Found, size: int) -> None:
        assert (group, found) == (self.found[-1], Found())
        assert sent.entries
        self.sizes.append(size)


def test_what_was_sent_is_kept_with_its_size_and_what_was_counted_is_not() -> None:
    kept = Kept()
    healer = Healer(kept)
    for body in (BROKEN, json.dumps(BROKEN).encode(), bytearray(json.dumps(BROKEN).encode())):
        healing: Any = healer.heal(body, Route("openai_chat"), group="a")
        healer.sent(healing)
        assert healing.request.is_healed
        size = 1_000 * len(healing.request.sent.entries) if isinstance(body, dict) else len(healing.request.body)
        assert kept.sizes.pop() == size
        healer.sent(healer.heal(body, Route("openai_chat", counts=True)))
        assert kept.sizes == []
    assert kept.found == ["a\nopenai_chat", "\nopenai_chat"] * 3


@pytest.mark.parametrize("body", [{}, {"messages": []}, b"{", {"messages": 7}, {**BROKEN, "conversation": "c"}])
def test_nothing_is_looked_for_or_kept_where_no_list_can_be_known(body: Any) -> None:
    kept = Kept()
    healer = Healer(kept)
    healing = healer.heal(body, Route("openai_chat"))
    healer.sent(healing)
    assert (kept.found, kept.sizes) == ([], [])
    assert healing.request.body is body


def test_what_is_known_of_a_server_holds_for_its_api_alone() -> None:
    known = OpenAIChat(alternate=True)
    for api, dialect in (("openai_chat", known), ("mistral", None), ("anthropic", None)):
        healing = Healer(Kept()).heal({"messages": BROKEN["messages"][:1]}, Route(api), dialect=known)  # type: ignore[arg-type]
        assert (healing.request.dialect == known) is (dialect is not None)
        assert healing.request.dialect.name == api
