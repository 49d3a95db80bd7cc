"""A store remembers what memory does: the same requests go out, whoever opens it and how often."""

from __future__ import annotations

import json
import os
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("sqlalchemy")

from tests.following.growing import Raw, assistant, requests, user
from tests.sessions.databases import REQUIRED, NoServerError, postgresql_server

from healed.test_agents_lists import FORMS
from message_history_healing import Healer, Healing, Route
from message_history_proxy.store import DatabaseConversations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.following.growing import Form

    from message_history.following.digests import EntryDigest
    from message_history_healing.conversations import Found
    from message_history_healing.request import Sent


def failed(error: Exception) -> None:
    raise AssertionError from error


class Reopened:
    """A store that is opened anew each time, as by proxies that are started anew; or by two that take turns."""

    def __init__(self, url: str, proxies: int = 0) -> None:
        self._url, self._clock = url, count()
        self._proxies = [self._open() for _ in range(proxies)]

    def find(self, group: str, known: Sequence[EntryDigest]) -> Found:
        store = self._next()
        try:
            return store.find(group, known)
        finally:
            self._done(store)

    def keep(self, group: str, sent: Sent, found: Found, size: int) -> None:
        store = self._next()
        try:
            store.keep(group, sent, found, size)
        finally:
            self._done(store)

    def close(self) -> None:
        for store in self._proxies:
            store.close()

    def _open(self) -> DatabaseConversations:
        return DatabaseConversations(self._url, lambda: float(next(self._clock)), failed)

    def _next(self) -> DatabaseConversations:
        self._proxies.reverse()
        return self._proxies[0] if self._proxies else self._open()

    def _done(self, store: DatabaseConversations) -> None:
        if not self._proxies:
            store.close()


def assert_both_send_the_same(url: str, proxies: int, form: Form, seeds: Sequence[int]) -> int:
    """Assert that memory and a store send the same, also where two requests are on their way at once."""
    api, model, key, _ = FORMS[form]
    compared = 0
    for seed in seeds:
        chance, reopened = Random(seed), Reopened(url, proxies)
        healers = Healer(), Healer(reopened)
        on_their_way: list[tuple[Healing[bytes], ...]] = []
        for raw in requests(seed, form):
            body = json.dumps({"model": model, key: raw}).encode()
            healings = tuple(healer.heal(body, Route(api), group=str(seed)) for healer in healers)
            in_memory, stored = (healing.request for healing in healings)
            assert stored.body == in_memory.body
            assert stored.repairs == in_memory.repairs
            assert stored.new_repairs == in_memory.new_repairs
            on_their_way.append(healings)
            compared += 1
            while on_their_way and chance.random() < 0.8:
                for healer, healing in zip(healers, on_their_way.pop(0), strict=True):
                    healer.sent(healing)
        reopened.close()
    return compared


@pytest.mark.parametrize("proxies", [0, 2])
@pytest.mark.parametrize("form", FORMS)
def test_what_sqlite_keeps_is_what_memory_keeps(tmp_path: Path, form: Form, proxies: int) -> None:
    assert assert_both_send_the_same(f"sqlite:///{tmp_path}/kept.db", proxies, form, range(12)) > 100


@pytest.mark.parametrize("form", FORMS)
def test_what_postgresql_keeps_is_what_memory_keeps(form: Form) -> None:
    pytest.importorskip("psycopg")
    try:
        with postgresql_server() as url:
            assert assert_both_send_the_same(url, 2, form, range(12, 20)) > 60
    except NoServerError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(str(error))


def test_versions_are_read_as_they_were_written(tmp_path: Path) -> None:
    """A conversation that was edited goes back to the version that it began with, and keeps what was sent then."""
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    broken: Raw = [user("chat", "Go."), {"role": "assistant", "content": None, "tool_calls": [call]}]
    first = [*broken, user("chat", "Well?")]
    second = [*first, assistant("chat", "No."), user("chat", "And?")]
    edited = [*first, assistant("chat", "No."), user("chat", "Or so?")]
    wires = []
    for conversations in (Reopened(f"sqlite:///{tmp_path}/kept.db"), None):
        healer = Healer(conversations)
        for raw in (first, second, edited):
            healing = healer.heal({"model": "gpt-4o", "messages": raw}, Route("openai_chat"))
            healer.sent(healing)
            wires.append(healing.request.body["messages"])
    assert wires[:3] == wires[3:]
    assert wires[2][:-1] == wires[1][:-1]
