"""What a contender is: one way to hold a conversation, with a method for each operation that it has."""

from __future__ import annotations

import atexit
import pickle
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from benchmarks.transcripts import next_turn, transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.transcripts import Raw

__all__ = ["Agent", "Case", "Contender", "EncodingAgent", "folder", "next_step", "of_coding", "pickled"]


@dataclass(frozen=True)
class Case:
    """One operation made ready.

    Args:
        run: does it; for memory it gives what is to be held.
        times: how often one call of `run` does it.
        before: called before each call of `run`, outside the measurement.
    """

    run: Callable[[], object]
    times: int = 1
    before: Callable[[], object] | None = None


class Agent:
    """A conversation as an agent keeps it with this contender: by default a plain list that is repaired when sent.

    Args:
        contender: the contender.
    """

    def __init__(self, contender: type[Contender]) -> None:
        self._contender = contender
        self._messages: Raw = []

    def add(self, message: dict[str, Any]) -> None:
        """Take a message.

        Args:
            message: the message, in the Messages API's form.
        """
        self._messages.append(message)

    def send(self) -> list[Any]:
        """Give what is sent now."""
        return self._contender.sent(self._messages)


@runtime_checkable
class EncodingAgent(Protocol):
    """An agent that can also encode what it sends."""

    def send_json(self) -> bytes:
        """Give what is sent now, encoded."""


class Contender:
    """One way to hold a conversation of a size.

    A method with the name of an operation makes it ready; a contender that does not have the operation has no such
    method. Whatever is prepared outside a case is not measured.

    Args:
        size: how many messages the transcript has.
        coding: whether it is a coding agent's.
    """

    form: ClassVar[Literal["messages", "chat", "items"]] = "messages"
    agent: ClassVar[type[Agent]] = Agent

    def __init__(self, size: int, *, coding: bool = False) -> None:
        self.size = size
        self._coding = coding

    @cached_property
    def raw(self) -> Raw:
        """The transcript, in the Messages API's form."""
        return transcript(self.size, coding=self._coding)

    @cached_property
    def first(self) -> Raw:
        """The first messages of the transcript; the longest conversations repeat them."""
        return transcript(min(self.size, 1_000), coding=self._coding)

    @cached_property
    def damaged(self) -> Raw:
        """The transcript with one damage in a hundred messages."""
        return transcript(self.size, damaged=True, coding=self._coding)

    @cached_property
    def turn(self) -> Raw:
        """What comes behind the transcript: a question, two calls and their results."""
        return next_turn(self.size, coding=self._coding)

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        """Give what this contender sends for a list.

        Args:
            raw: the list, in the Messages API's form; it may be broken, and is not changed.

        Returns:
            The list in the form that `form` names.
        """
        raise NotImplementedError


def of_coding(operation: str) -> Callable[[Contender], Case]:
    """Make an operation ready for a coding agent's transcript.

    Args:
        operation: the name of the operation for the other transcript.

    Returns:
        The method.
    """

    def make(contender: Contender) -> Case:
        case: Case = getattr(type(contender)(contender.size, coding=True), operation)()
        return case

    return make


def next_step(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write what one step of an agent adds: a reply with two calls, and their results."""
    ids = [f"toolu_step_{number}_{which}" for which in "ab"]
    calls = [{"type": "tool_use", "id": id, "name": "read_file", "input": {"path": f"src/{id}.py"}} for id in ids]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": f"{id}: def check(value): ...\n" * 20} for id in ids
    ]
    text = {"type": "text", "text": f"Step {number}: I will read both."}
    return {"role": "assistant", "content": [text, *calls]}, {"role": "user", "content": results}


def folder() -> Path:
    """Make a folder that is gone when the process ends."""
    made = TemporaryDirectory()
    atexit.register(made.cleanup)
    return Path(made.name)


def pickled(value: object) -> Case:
    """Make the operation `pickle` ready for a value."""
    return Case(lambda: pickle.loads(pickle.dumps(value)))
