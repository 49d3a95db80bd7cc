"""What Python has: the reference for all figures. Nothing is checked and nothing is repaired."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cached_property
from itertools import count, cycle, islice
from typing import TYPE_CHECKING, Any

from benchmarks.contenders.base import Case, Contender, folder, next_step, of_coding, pickled
from benchmarks.operations import chain_of
from benchmarks.transcripts import claude_code_lines

if TYPE_CHECKING:
    from benchmarks.transcripts import Raw

__all__ = ["DeepCopy", "Json", "PlainList"]

FORKS = 100


class PlainList(Contender):
    """A plain list of dicts."""

    def append(self) -> Case:
        copies, appends = chain_of(self.size)
        chain = list(islice(cycle(self.first), appends))
        bases: list[Raw] = []

        def before() -> None:
            bases[:] = [list(islice(cycle(self.first), self.size)) for _ in range(copies)]

        def run() -> None:
            for base in bases:
                for message in chain:
                    base.append(message)

        return Case(run, copies * appends, before)

    def build(self) -> Case:
        messages = self.raw

        def run() -> None:
            history: Raw = []
            for message in messages:
                history.append(message)

        return Case(run, self.size)

    def trim(self) -> Case:
        messages = self.raw
        return Case(lambda: messages[self.size // 2 :])

    def fork(self) -> Case:
        messages, more = self.raw, self.turn[0]
        return Case(lambda: [[*messages, more] for _ in range(FORKS)], FORKS)

    def memory(self) -> Case:
        text = json.dumps(self.raw)
        return Case(lambda: json.loads(text), self.size)

    def fork_memory(self) -> Case:
        text, more = json.dumps(self.raw), self.turn[0]

        def run() -> object:
            messages = json.loads(text)
            return messages, [[*messages, more] for _ in range(FORKS)]

        return Case(run, self.size)

    def pickle(self) -> Case:
        return pickled(self.raw)

    def step(self) -> Case:
        messages, numbers = list(self.raw), count()
        path = folder() / "session.jsonl"

        def run() -> None:
            added = next_step(next(numbers))
            messages.extend(added)
            json.dumps(messages)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(f"{json.dumps(message)}\n" for message in added)

        return Case(run)

    coding_append = of_coding("append")
    coding_memory = of_coding("memory")

    @staticmethod
    def sent(raw: Raw) -> list[Any]:
        return list(raw)


class DeepCopy(Contender):
    """`copy.deepcopy` of a list of dicts: what gives a list that is yours to change."""

    def ingest_dicts(self) -> Case:
        messages = self.raw
        return Case(lambda: deepcopy(messages))

    def export(self) -> Case:
        return self.ingest_dicts()

    def export_again(self) -> Case:
        messages, turn = self.raw, self.turn
        return Case(lambda: deepcopy([*messages, *turn]))

    coding_export = of_coding("export")


class Json(Contender):
    """`json.loads` and `json.dumps`."""

    @cached_property
    def text(self) -> str:
        """The transcript as JSON text."""
        return json.dumps(self.raw)

    def ingest_json(self) -> Case:
        return Case(lambda: json.loads(self.text))

    def repair(self) -> Case:
        text = json.dumps(self.damaged)
        return Case(lambda: json.loads(text))

    def export_json(self) -> Case:
        messages = self.raw
        return Case(lambda: json.dumps(messages))

    def export_json_again(self) -> Case:
        messages, turn = self.raw, self.turn
        return Case(lambda: json.dumps([*messages, *turn]))

    def load_lines(self) -> Case:
        """Read the same messages, a line each."""
        return _lines(self.raw)

    def load_claude_code(self) -> Case:
        return _lines(claude_code_lines(self.raw))

    coding_ingest_json = of_coding("ingest_json")
    coding_repair = of_coding("repair")
    coding_export_json_again = of_coding("export_json_again")


def _lines(values: list[Any]) -> Case:
    path = folder() / "lines.jsonl"
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")

    def run() -> list[Any]:
        with path.open("rb") as file:
            return [json.loads(line) for line in file]

    return Case(run)
