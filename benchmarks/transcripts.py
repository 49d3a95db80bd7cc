"""Agent transcripts in the Messages API's form: clean, or with one damage in a hundred messages.

Ten messages repeat: a question, three rounds of two parallel calls and their two results of about 600 characters, the
answers to them, and one more question. Nothing is random; no two transcripts of one size differ.
"""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CYCLE", "DAMAGES", "Raw", "next_turn", "transcript"]

Raw: TypeAlias = list[dict[str, Any]]

CYCLE: Final = 10
RESULT_LENGTH: Final = 600


def transcript(size: int, *, damaged: bool = False) -> Raw:
    """Write a transcript.

    Args:
        size: how many messages.
        damaged: whether each run of a hundred messages, or what there is, has one damage; the size is then about so.

    Returns:
        The messages.
    """
    if not damaged:
        return list(islice(_messages(), size))
    messages: Raw = []
    for number in range(-(-size // CYCLE)):
        cycle = _cycle(number)[: size - number * CYCLE]
        if number % 10 == (5 if size > 5 * CYCLE else 0):
            cycle = DAMAGES[number // 10 % len(DAMAGES)](cycle)
        messages += cycle
    return messages


def next_turn(size: int) -> Raw:
    """Write what comes behind a transcript: a question, two calls and their results.

    Args:
        size: how long the transcript is.

    Returns:
        The three messages.
    """
    return _cycle(-(-size // CYCLE))[:3]


def _messages() -> Iterator[dict[str, Any]]:
    for number in count():
        yield from _cycle(number)


def _cycle(number: int) -> Raw:
    return [
        _user(f"Please look at part {number} of the project and tell me what is wrong with its tests."),
        *_round(f"{number:06}a", "I will read the module and its tests first."),
        *_round(f"{number:06}b", "The fixture looks suspicious; let me see where it is used."),
        _assistant(
            f"The fixture of part {number} leaks its state. I propose to build it anew for each test, as below."
        ),
        _user("Good. Do that, and run the tests of this part again."),
        *_round(f"{number:06}c", "I will make the change and run them."),
        _assistant(
            f"All tests of part {number} pass now. The fixture is built in a function, and nothing else changed."
        ),
    ]


def _round(label: str, text: str) -> Raw:
    first, second = f"toolu_{label}_first", f"toolu_{label}_second"
    calls = [
        {"type": "tool_use", "id": first, "name": "read_file", "input": {"path": f"src/part_{label}.py", "limit": 200}},
        {"type": "tool_use", "id": second, "name": "search", "input": {"pattern": "def test_", "path": "tests"}},
    ]
    results = [_result(first, f"{label}: def check(value): ..."), _result(second, f"tests/test_{label}.py:12: def")]
    return [_assistant(text, *calls), {"role": "user", "content": results}]


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _assistant(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *calls]}


def _result(id: str, line: str) -> dict[str, Any]:
    lines = [f"{number:4} {line}" for number in range(RESULT_LENGTH // (len(line) + 6) + 1)]
    return {"type": "tool_result", "tool_use_id": id, "content": "\n".join(lines)}


def _without_one_result(cycle: Raw) -> Raw:
    return [*cycle[:2], {**cycle[2], "content": cycle[2]["content"][1:]}, *cycle[3:]]


def _without_results(cycle: Raw) -> Raw:
    return [*cycle[:2], *cycle[3:]]


def _without_calls(cycle: Raw) -> Raw:
    return [cycle[0], *cycle[2:]]


def _interrupted(cycle: Raw) -> Raw:
    return [*cycle[:2], _user("Please keep it short."), *cycle[2:]]


def _results_twice(cycle: Raw) -> Raw:
    return [*cycle[:3], cycle[2], *cycle[3:]]


def _blank_answer(cycle: Raw) -> Raw:
    return [cycle[0], _assistant(" "), *cycle[1:]]


DAMAGES: Final[tuple[Callable[[Raw], Raw], ...]] = (
    _without_one_result,
    _interrupted,
    _without_results,
    _results_twice,
    _without_calls,
    _blank_answer,
)
