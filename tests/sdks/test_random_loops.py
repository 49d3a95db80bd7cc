"""Loops as bad as they come, with the real SDKs against the strict server: nothing is ever refused.

By default a few dozen runs for each SDK; `LOOP_RUNS=1000` makes as many as that says.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from message_history import Message, MessageHistory, ProviderBlock, ToolResultBlock, ToolUseBlock
from message_history.streaming import Accumulator
from message_history_testing import Moody, StrictServer
from tests.needs import needs_sockets
from tests.sdks.clients import CLIENTS, Client, connected

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_sockets

RUNS = int(os.environ.get("LOOP_RUNS", "30"))
RESULTS: tuple[Any, ...] = ("sunny", "", None, {"degrees": 21.5}, ["a", 1], "ünïcode 🎉", "  ")


@pytest.fixture(scope="module")
def server() -> Iterator[StrictServer]:
    with StrictServer() as running:
        yield running


@pytest.mark.parametrize("name", CLIENTS)
def test_no_request_is_refused(name: str, server: StrictServer) -> None:
    seen: set[str] = set()
    asked = len(server.requests)
    with connected(name, server) as client:
        for seed in range(RUNS):
            client.use(client.models[seed % len(client.models)])
            run = Run(client, server, seed)
            try:
                run.go()
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error}") from error
            seen |= run.seen
    assert server.refusals == []
    assert len(server.requests) - asked >= 3 * RUNS
    if RUNS >= 30:
        # Gemini gives calls whole or not at all.
        wanted = {"steered", "cancelled", "late", "duplicate", "missing", "orphan", "streamed", "asked"}
        assert seen >= wanted | ({"cut"} if name != "gemini" else set())


class Run:
    """One conversation.

    Args:
        client: the SDK.
        server: what answers it.
        seed: where all chance comes from.

    Attributes:
        seen: what happened in it.
    """

    def __init__(self, client: Client, server: StrictServer, seed: int) -> None:
        self.chance = Random(seed)
        self.client = client
        server.script = Moody(Random(seed + 1_000_000), pauses=client.dialect.name == "anthropic")
        server.providers[client.dialect.name].repeats_ids = self.chance.random() < 0.3
        self.history = MessageHistory().with_system(self.chance.choice((None, "Be brief."))).add_user("What now?")
        self.running: list[ToolUseBlock] = []
        self.answered: list[ToolUseBlock] = []
        self.seen: set[str] = set()

    def go(self) -> None:
        """Have the conversation."""
        before: list[Any] = []
        for _ in range(self.chance.randint(3, 7)):
            sent = self.history.as_sent(self.client.dialect)
            wire = sent.for_send(self.client.dialect)
            assert wire[: len(before)] == before, "what was sent before has changed"
            self.request(sent)
            added = self.history[len(sent) :]
            grew = bool(added) and self.history[: len(sent)] == tuple(sent)
            # What was sent is settled when a reply came; a paused turn goes on in its last message.
            before = [] if not grew else wire[: -1 if sent[-1].role == "assistant" else None]
            if any(type(block) is ProviderBlock for block in sent[-1].content):
                before = wire[:-1]
            self.running += self.history.awaiting
            self.meddle()
            if self.chance.random() < 0.05:
                self.history, before = self.history.with_system(self.chance.choice((None, "Be kind."))), []
            if self.chance.random() < 0.1:
                self.history = MessageHistory.from_list(self.history.to_list(), open_tail="keep")
        self.seen |= {"missing"} if self.running else set()

    def request(self, sent: MessageHistory) -> None:
        """Ask for a reply, or for a stream of which it may not hear the end; others talk meanwhile."""
        if self.chance.random() < 0.5:
            reply = self.client.ask(sent)
            self.meddle()
            self.seen.add("asked")
            self.history = self.history.add_response(reply, sent=sent)
        else:
            stream = Accumulator(self.client.dialect, sent)
            last = self.chance.choice((None, self.chance.randrange(25)))
            events = self.client.stream(sent)
            for number, event in enumerate(events):
                if number == last:
                    self.seen.add("cancelled")
                    break
                stream.feed(event)
            events.close()
            self.meddle()
            self.seen.add("streamed")
            self.history = stream.added_to(self.history)
        if any(repair.code.value == "incomplete_call_dropped" for repair in self.history.repairs):
            self.seen.add("cut")
        if any(repair.code.value == "late_result_quoted" for repair in self.history.repairs):
            self.seen.add("late")

    def meddle(self) -> None:
        """Let tools finish and the user speak, in any order and more than once."""
        for _ in range(self.chance.randrange(4)):
            kind = self.chance.random()
            result, is_error = self.chance.choice(RESULTS), self.chance.random() < 0.2
            if kind < 0.5 and self.running:
                call = self.running.pop(self.chance.randrange(len(self.running)))
                self.answered.append(call)
                named = call if self.chance.random() < 0.7 else call.id
                self.history = self.history.add_tool_result(named, result, is_error)
            elif kind < 0.65 and self.answered:
                self.seen.add("duplicate")
                self.history = self.history.add_tool_result(self.chance.choice(self.answered), result, is_error)
            elif kind < 0.7:
                self.seen.add("orphan")
                orphan = ToolResultBlock("nobody_called", result, is_error)
                self.history = self.history.add(Message.user(orphan))
            elif kind < 0.9:
                self.seen.add("steered")
                self.history = self.history.add_user(self.chance.choice(("Stop.", "And in Oslo?", " ", "Go on\n")))
