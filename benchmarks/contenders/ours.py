"""This library."""

from __future__ import annotations

import json
import logging
from functools import cached_property
from importlib.util import find_spec
from itertools import count, cycle, islice
from typing import TYPE_CHECKING, Any, ClassVar

from benchmarks.contenders.base import Agent, Case, Contender, folder, next_step, of_coding, pickled
from benchmarks.contenders.plain import FORKS
from benchmarks.operations import chain_of
from benchmarks.transcripts import claude_code_lines
from message_history import Message, MessageHistory
from message_history.dialects import (
    Anthropic,
    Bedrock,
    Dialect,
    Gemini,
    Mistral,
    OpenAIChat,
    OpenAIResponses,
    Portable,
    PydanticAI,
)
from message_history.formats import from_file
from message_history.storage import JsonlSession, SqlSession

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = [
    "Ours",
    "ToBedrock",
    "ToGemini",
    "ToMistral",
    "ToOpenAIChat",
    "ToOpenAIResponses",
    "ToPortable",
    "ToPydanticAI",
]

# Repairs are logged: without this they would be printed.
logging.getLogger("message_history").addHandler(logging.NullHandler())


class KeptHistory(Agent):
    """An agent with a history: it keeps the closed value that it sends."""

    def __init__(self, contender: type[Contender]) -> None:
        super().__init__(contender)
        self._history = MessageHistory()

    def add(self, message: dict[str, Any]) -> None:
        self._history = self._history.add(message)

    def send(self) -> list[Any]:
        self._history = self._history.as_sent(Anthropic())
        return self._history.for_send()

    def send_json(self) -> bytes:
        """Give what is sent now, encoded."""
        self._history = self._history.as_sent(Anthropic())
        return self._history.for_send_json(Anthropic())


class Ours(Contender):
    """A `MessageHistory`."""

    agent = KeptHistory

    @cached_property
    def history(self) -> MessageHistory:
        """The transcript as a history."""
        return MessageHistory.from_list(self.raw)

    @cached_property
    def ready(self) -> list[Message]:
        """The first messages of the transcript as ready objects."""
        return list(MessageHistory.from_list(self.first, open_tail="keep"))

    def append(self) -> Case:
        copies, appends = chain_of(self.size)
        return self._appending(copies, list(islice(cycle(self.ready), appends)))

    def append_small(self) -> Case:
        return Ours(10).append()

    def append_dict(self) -> Case:
        copies, appends = chain_of(self.size)
        return self._appending(copies, list(islice(cycle(self.first), appends)))

    def _appending(self, copies: int, chain: list[Message] | Raw) -> Case:
        bases: list[MessageHistory] = []

        def before() -> None:
            bases[:] = [MessageHistory().extend(islice(cycle(self.ready), self.size)) for _ in range(copies)]

        def run() -> None:
            for base in bases:
                history = base
                for message in chain:
                    history = history.add(message)

        return Case(run, copies * len(chain), before)

    def build(self) -> Case:
        messages = list(self.history)

        def run() -> None:
            history = MessageHistory()
            for message in messages:
                history = history.add(message)

        return Case(run, self.size)

    def pieces(self) -> Case:
        question = MessageHistory().add_user("Tell me a long story.")
        messages = [Message.assistant(f"piece {number} ") for number in range(self.size)]

        def run() -> None:
            history = question
            for message in messages:
                history = history.add(message)

        return Case(run, self.size)

    def ingest_json(self) -> Case:
        text = json.dumps(self.raw)
        return Case(lambda: MessageHistory.from_list(json.loads(text)))

    def ingest_dicts(self) -> Case:
        messages = self.raw
        return Case(lambda: MessageHistory.from_list(messages))

    def repair(self) -> Case:
        messages = self.damaged
        return Case(lambda: MessageHistory.from_list(messages))

    def export(self) -> Case:
        return Case(self.history.for_send)

    def export_again(self) -> Case:
        history, turn = self.history, self.turn
        return Case(lambda: history.extend(turn).for_send())

    def export_json(self) -> Case:
        history, dialect = self.history, Anthropic()
        history.for_send_json(dialect)
        return Case(lambda: history.for_send_json(dialect))

    def export_json_again(self) -> Case:
        history, turn, dialect = self.history, self.turn, Anthropic()
        history.for_send_json(dialect)
        return Case(lambda: history.extend(turn).for_send_json(dialect))

    def trim(self) -> Case:
        history = self.history
        return Case(lambda: history.window(max_messages=self.size // 2))

    def trim_first(self) -> Case:
        loaded: list[MessageHistory] = []

        def before() -> None:
            loaded[:] = [MessageHistory.from_list(self.raw)]

        return Case(lambda: loaded[0].window(max_messages=self.size // 2), before=before)

    def fork(self) -> Case:
        history, more = self.history, Message.user(self.turn[0]["content"][0]["text"])
        return Case(lambda: [history.add(more) for _ in range(FORKS)], FORKS)

    def memory(self) -> Case:
        text = json.dumps(self.raw)
        return Case(lambda: MessageHistory.from_list(json.loads(text)), self.size)

    def fork_memory(self) -> Case:
        text, more = json.dumps(self.raw), Message.user(self.turn[0]["content"][0]["text"])

        def run() -> object:
            history = MessageHistory.from_list(json.loads(text))
            return history, [history.add(more) for _ in range(FORKS)]

        return Case(run, self.size)

    def pickle(self) -> Case:
        return pickled(self.history)

    def load_lines(self) -> Case:
        """Read a session of JSON lines."""
        path = folder() / "session.jsonl"
        JsonlSession(path).append(self.history)
        return Case(lambda: JsonlSession(path).load())

    def load_database(self) -> Case | None:
        """Read a session from SQLite; None where SQLAlchemy is not installed."""
        if find_spec("sqlalchemy") is None:
            return None
        url = f"sqlite:///{folder()}/sessions.db"
        SqlSession(url, "one").append(self.history)
        return Case(lambda: SqlSession(url, "one").load())

    def load_claude_code(self) -> Case:
        path = folder() / "session.jsonl"
        lines = claude_code_lines(self.raw)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return Case(lambda: from_file(path)[0].history())  # noqa: PLW0108 - the file is read each time

    def step(self) -> Case:
        """One step of an agent."""
        numbers, dialect = count(), Anthropic()
        session = JsonlSession(folder() / "session.jsonl")
        histories = [self.history]
        session.append(self.history)

        def run() -> None:
            reply, results = next_step(next(numbers))
            history = histories[0].add_response(reply)
            for call, result in zip(history.awaiting, results["content"], strict=True):
                history = history.add_tool_result(call, result["content"])
            history.for_send_json(dialect)
            session.append(history)
            histories[0] = history

        return Case(run)

    coding_append = of_coding("append")
    coding_append_dict = of_coding("append_dict")
    coding_ingest_json = of_coding("ingest_json")
    coding_ingest_dicts = of_coding("ingest_dicts")
    coding_repair = of_coding("repair")
    coding_export = of_coding("export")
    coding_export_json_again = of_coding("export_json_again")
    coding_memory = of_coding("memory")

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        return MessageHistory.from_list(raw).for_send()


class _To(Contender):
    """A history that is written for another provider."""

    dialect: ClassVar[Dialect[Any]]

    def export(self) -> Case:
        history, dialect = MessageHistory.from_list(self.raw), self.dialect
        return Case(lambda: history.for_send(dialect))

    coding_export = of_coding("export")


class ToOpenAIChat(_To):
    dialect = OpenAIChat()


class ToOpenAIResponses(_To):
    dialect = OpenAIResponses()


class ToGemini(_To):
    dialect = Gemini()


class ToMistral(_To):
    dialect = Mistral()


class ToBedrock(_To):
    dialect = Bedrock()


class ToPydanticAI(_To):
    dialect = PydanticAI()


class ToPortable(_To):
    dialect = Portable()
