"""Lists as agents grow and break them, in three forms: nothing is refused by the strict server, nothing rewritten."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.following.growing import Form, versions
from tests.following.prefixes import begins_with
from tests.needs import needs_sockets

from message_history_healing import API, Healer, Route

FORMS: dict[Form, tuple[API, str, str, str]] = {
    "chat": ("openai_chat", "gpt-4o", "messages", "/openai/v1/chat/completions"),
    "anthropic": ("anthropic", "claude-haiku-4-5", "messages", "/anthropic/v1/messages"),
    "responses": ("openai_responses", "gpt-5", "input", "/openai/v1/responses"),
}


@needs_sockets
@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_refused_and_nothing_that_was_sent_is_rewritten(form: Form) -> None:
    api, model, key, path = FORMS[form]
    healer, healed = Healer(), 0
    with pytest.importorskip("message_history_testing").StrictServer() as server:
        provider = server.providers[api]
    for seed in range(40):
        sent: list[Any] = []
        for raw in versions(seed, form):
            healing = healer.heal({"model": model, key: raw}, Route(api))
            healer.sent(healing)
            wire: Any = healing.request.body[key]
            assert provider.refusal(path, {"model": model, key: wire}) is None
            assert begins_with(wire, sent)
            healed += healing.request.is_healed
            sent = wire
    assert healed > 60


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_list_is_never_touched(form: Form) -> None:
    api, model, key, _ = FORMS[form]
    healer = Healer()
    for seed in range(40):
        for raw in versions(seed, form, broken=False):
            body = json.dumps({"model": model, key: raw}).encode()
            healing = healer.heal(body, Route(api))
            healer.sent(healing)
            assert healing.request.body is body
