"""Conversations as agents leave them, with the damage of the field: `python -m benchmarks.damaged_conversations`.

Each is a line of JSON. The same numbers give the same bytes. Texts are made of a small vocabulary, in lengths as agents
have them: short questions, long results.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED: Final = 20_261_122
DAMAGED: Final = 1 / 3
VOCABULARY: Final = (
    "the file test error value returns line class import path config server result data user request response "
    "function module build failed passed index query table update where null true 404 naïve größer 日本語 → retry "
    "expected found missing timeout while for with open read write close"
)
TOOLS: Final[tuple[dict[str, Any], ...]] = tuple(
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Does {name}.",
            "parameters": {"type": "object", "properties": {key: {"type": kind}}, "required": [key]},
        },
    }
    for name, key, kind in (
        ("read_file", "path", "string"),
        ("run", "command", "string"),
        ("search", "query", "string"),
        ("edit", "change", "object"),
    )
)
Messages = list[dict[str, Any]]


def _text(chance: random.Random, words: int) -> str:
    # One slice of a long text costs little; words one by one would cost more than what is measured.
    start = chance.randrange(len(LONG) - words * 7)
    return LONG[start : start + words * 6]


LONG: Final = " ".join(random.Random(SEED).choices(VOCABULARY.split(), k=200_000))


def _chat(chance: random.Random, number: int) -> Messages:
    """Make a sound conversation in the form of Chat Completions."""
    messages: Messages = [{"role": "system", "content": f"You are agent {number % 50}. {_text(chance, 40)}"}]
    for turn in range(chance.randint(1, 4)):
        messages.append({"role": "user", "content": _text(chance, chance.randint(5, 60))})
        for step in range(chance.randint(0, 4)):
            calls = []
            for n in range(1 if chance.random() < 0.8 else 2):
                arguments = {"path": f"src/{_text(chance, 1)}.py", "depth": chance.choice([1, "1", None, [1]])}
                function = {"name": chance.choice(TOOLS)["function"]["name"], "arguments": json.dumps(arguments)}
                calls.append({"id": f"call_{turn}_{step}_{n}", "type": "function", "function": function})
            messages.append({"role": "assistant", "content": chance.choice([None, "I look."]), "tool_calls": calls})
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": _text(chance, chance.randint(10, 400))}
                for call in calls
            ]
        messages.append({"role": "assistant", "content": _text(chance, chance.randint(10, 150))})
    return messages


def _without_a_result(messages: Messages, chance: random.Random) -> None:
    results = [n for n, message in enumerate(messages) if message["role"] == "tool"]
    if results:
        del messages[chance.choice(results)]


def _result_behind(messages: Messages, chance: random.Random) -> None:
    results = [n for n, message in enumerate(messages) if message["role"] == "tool"]
    if results:
        messages.append(messages.pop(chance.choice(results)))


def _orphan(messages: Messages, chance: random.Random) -> None:
    place = chance.randrange(1, len(messages))
    messages.insert(place, {"role": "tool", "tool_call_id": "call_gone", "content": "late"})


def _blank(messages: Messages, chance: random.Random) -> None:
    messages.insert(chance.randrange(1, len(messages)), {"role": "assistant", "content": "  "})


def _twice(messages: Messages, chance: random.Random) -> None:
    place = chance.randrange(1, len(messages))
    messages.insert(place, dict(messages[place]))


def _truncated(messages: Messages, chance: random.Random) -> None:
    del messages[chance.randrange(2, len(messages)) if len(messages) > 2 else len(messages) :]


def _two_of_a_role(messages: Messages, chance: random.Random) -> None:
    messages.insert(chance.randrange(1, len(messages)), {"role": "user", "content": "And quickly."})


def _starts_with_assistant(messages: Messages, chance: random.Random) -> None:
    del chance
    messages.insert(1, {"role": "assistant", "content": "Hello, what can I do?"})


def _broken_arguments(messages: Messages, chance: random.Random) -> None:
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    if calls:
        chance.choice(calls)["function"]["arguments"] = '{"path": "src/a'


DAMAGE: Final[tuple[Callable[[Messages, random.Random], None], ...]] = (
    *(_without_a_result, _result_behind, _orphan, _blank, _twice, _truncated),
    *(_two_of_a_role, _starts_with_assistant, _broken_arguments),
)


def conversation(number: int, damaged: float = DAMAGED) -> bytes:
    """Make a line; one in a thousand is not JSON.

    Args:
        number: its number, from which all of it follows.
        damaged: the share of the conversations that are damaged, in one to three ways.

    Returns:
        The line, with its end.
    """
    chance = random.Random(SEED + number)
    messages = _chat(chance, number)
    if chance.random() < damaged:
        for _ in range(chance.randint(1, 3)):
            chance.choice(DAMAGE)(messages, chance)
    row = {"id": f"conversation-{number}", "messages": messages, "tools": list(TOOLS)}
    line = json.dumps(row, ensure_ascii=False).encode()
    return (line[: len(line) // 2] if chance.random() < 1 / 1000 else line) + b"\n"


def lines(count: int, first: int = 0, damaged: float = DAMAGED) -> Iterator[bytes]:
    """Make lines."""
    return (conversation(number, damaged) for number in range(first, first + count))


def main() -> None:
    """Write a file of conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--damaged", type=float, default=DAMAGED, metavar="SHARE", help="of the conversations")
    chosen = parser.parse_args()
    with chosen.path.open("wb") as opened:
        opened.writelines(lines(chosen.count, chosen.first, chosen.damaged))


if __name__ == "__main__":
    main()
