"""A history that is walked over, with a ledger beside it of what became of each call.

The ledger is written apart from the library: it knows of each call only its key and what was done to it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from message_history import CallState, Message, MessageHistory, TextBlock, ToolUseBlock, check
from message_history.dialects import Anthropic, Dialect, OpenAIChat
from tests.campaigns.targets import TARGETS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from message_history.core.turns.calls import CallRecord, Calls

State = CallState


class Known(NamedTuple):
    """What the ledger says of a call.

    Args:
        state: its state.
        result: the text of its result.
        by: who decided, in order.
        until: until when that holds.
    """

    state: CallState
    result: str | None = None
    by: tuple[str, ...] = ()
    until: float | None = None

    def decided(self, state: CallState, by: str, until: float | None = None) -> Known:
        """Return what is known after one more decision."""
        return Known(state, None, (*self.by, by), until)


DIALECTS: Final[tuple[Dialect[Any], ...]] = (Anthropic(), OpenAIChat())


ENDED: Final = 1.0
LATER: Final = 2.0
"""A time at which those that started until `ENDED` hold their calls no more."""
OF_BYTES: Final = ("bedrock", "gemini")
"""Whose SDKs take bytes where JSON has texts."""
EDITED: Final = "[A person edited the arguments of this call.]"
"""What a result tells the model of a decision."""


class Ledger:
    """A history, and what is known of its calls.

    Args:
        chance: where all chance comes from.
        folder: where its sessions are.
        name: the conversation's.
    """

    def __init__(self, chance: random.Random, folder: Path, name: str) -> None:
        self.random = chance
        self.history = MessageHistory(name=name)
        self.ledger: dict[str, Known] = {}
        self.gone: set[str] = set()
        self.older: dict[str, ToolUseBlock] = {}
        """The calls as they were given when they were proposed."""
        self.sends: list[tuple[Dialect[Any], list[Any]]] = []
        """What was sent and may only have grown since, with whom it was sent to."""
        self.described: set[int] = set()
        """The numbers of the messages that came with metadata."""
        self.steps: list[str] = []
        self.name = name
        self.folder = folder
        self.made = 0
        self._read: tuple[MessageHistory | None, Calls | None] = None, None

    # What is checked

    def calls(self) -> Calls:
        """Return the calls of the history; to read them takes longer than most steps."""
        history, found = self._read
        if history is not self.history or found is None:
            found = self.history.calls
            self._read = self.history, found
        return found

    def look(self) -> None:
        """Compare the calls with the ledger."""
        found = agrees(self.calls(), self.ledger, self.gone)
        for call in self.history.awaiting:
            assert call.key in found, "what waits is not known by its key"
        self.look_at_metadata()

    def look_at_metadata(self) -> None:
        """What came with a message is with it as long as its text is there."""
        for message in self.history:
            texts = (block.text for block in message.content if isinstance(block, TextBlock))
            there = {number for text in texts for number in numbers_in(text)} & self.described
            assert told_in(message) == there, "metadata is lost"

    def look_closely(self) -> None:
        """Look at what takes longer."""
        history = self.history
        again = MessageHistory.from_list(history.to_list())
        assert (again, again.calls) == (history, self.calls()), "saved and loaded, it is another"
        self.check_prefixes()
        for dialect in (*DIALECTS, *self.random.sample(TARGETS, 3)):
            wire = history.for_send(dialect)
            if dialect.name not in OF_BYTES:
                assert json.loads(history.for_send_json(dialect)) == wire, dialect.name
            assert not history or check(wire, dialect) == [], dialect.name
        expired = {each.key for each in self.calls().expired(LATER)}
        held = {key for key, known in self.ledger.items() if known.state is State.STARTED and known.until == ENDED}
        assert expired == held - self.gone, "the time of another call is over"
        said = Counter(
            word
            for message in history
            if message.role == "assistant"
            for block in message.content
            if isinstance(block, TextBlock)
            for word in re.findall(r"<\d+>", block.text)
        )
        assert all(times == 1 for times in said.values()), "something was said twice"

    def check_prefixes(self) -> None:
        """What was sent is the beginning of what is sent now."""
        for dialect, sent in self.sends:
            wire = self.history.for_send(dialect)
            assert wire[: len(sent)] == sent, f"what was sent was rewritten: {dialect.name}"

    # What the ledger knows

    def take_new(self) -> None:
        """Enter the calls that are new: nothing is known of them, but that text of the user came behind them."""
        for each in self.calls():
            if each.key not in self.ledger:
                assert each.state in (State.PROPOSED, State.UNKNOWN), f"a new call is {each.state}"
                self.ledger[each.key] = Known(each.state)
                self.older[each.key] = each.call

    def settle(self) -> None:
        """Text of the user, or another reply, leaves nobody to know whether a proposed call has run."""
        for each in self.calls():
            known = self.ledger[each.key]
            if known.state is State.PROPOSED and each.state is State.UNKNOWN:
                self.ledger[each.key] = known._replace(state=State.UNKNOWN)

    def forget(self, missing: set[str]) -> None:
        """Let calls go that were named."""
        self.gone |= missing

    def rewritten(self) -> None:
        """From here on, what was sent is not the beginning any more."""
        self.sends.clear()

    # What is done everywhere

    def number(self) -> int:
        """Make a number that nothing else has."""
        self.made += 1
        return self.made

    def metadata(self, number: int) -> dict[str, Any]:
        """Return what an application keeps with a message, if anything."""
        if self.random.random() < 0.5:
            return {}
        self.described.add(number)
        return {"id": number}

    def some_calls(self, often: int = 0) -> list[ToolUseBlock]:
        """Make calls with ids from zero, some of them doubled; some pay what is `often` paid."""
        counts = range(self.random.choice((1, 1, 1, 2, 3)))
        ids = [f"call_{n if self.random.random() < 0.7 else 0}" for n in counts]
        made = [often if often and self.random.random() < 0.4 else self.number() for _ in ids]
        return [ToolUseBlock(id, "pay", {"amount": amount}) for id, amount in zip(ids, made, strict=True)]

    def some(self) -> CallRecord | None:
        """Choose a call."""
        found = self.calls()
        return self.random.choice(found) if found else None

    def some_of(self, *operations: Callable[[], None], most: int = 2) -> None:
        """Do a few things."""
        for _ in range(self.random.randint(0, most)):
            self.random.choice(operations)()


def agrees(calls: Calls, ledger: Mapping[str, Known], gone: set[str]) -> dict[str, CallRecord]:
    """Hold calls to what a ledger says, and return them by their keys."""
    found = {each.key: each for each in calls}
    assert len(found) == len(calls), "two calls have one key"
    for key, known in ledger.items():
        if key in gone:
            assert key not in found, "a call that was removed is there"
            continue
        assert key in found, "a call is not there any more, and nothing says so"
        each = found[key]
        assert known_of(each) == known, f"{each.call} is {known_of(each)}, and the ledger says {known}"
    assert found.keys() <= ledger.keys(), "a call that nobody proposed"
    return found


def known_of(record: CallRecord) -> Known:
    """Return what a history says of a call."""
    text = record.result.text.removesuffix(f"\n{EDITED}") if record.result is not None else None
    return Known(record.state, text, tuple(each.by for each in record.decisions if each.by), record.until)


def numbers_in(text: str) -> set[int]:
    """Return the number of what was said, which is all of a text."""
    found = re.fullmatch(r"(?:user|text|reply) <?(\d+)>?", text)
    return {int(found[1])} if found else set()


def told_in(message: Message) -> set[int]:
    """Return the numbers in the metadata of a message, each of which came with the text that has it."""
    told: list[int] = []
    start = 0
    for each in message.arrivals:
        texts = (block.text for block in message.content[start : each.end] if isinstance(block, TextBlock))
        here = {number for text in texts for number in numbers_in(text)}
        assert set(each.metadata.values()) <= here, "metadata is another message's"
        told += each.metadata.values()
        start = max(start, each.end)
    assert len(set(told)) == len(told), "metadata is there twice"
    return set(told)
