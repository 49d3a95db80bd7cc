"""Agent transcripts in the Messages API's form: clean, or with one damage in a hundred messages.

Ten messages repeat: a question, three rounds of two parallel calls and their two results of about 600 characters, the
answers to them, and one more question. A coding agent's have the same order, with signed thinking before each answer,
nested inputs of calls, results of 2 to 10 kB, and Unicode. Nothing is random; no two transcripts of one size differ.
"""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CYCLE", "DAMAGES", "Raw", "claude_code_lines", "next_turn", "transcript"]

Raw: TypeAlias = list[dict[str, Any]]

CYCLE: Final = 10
RESULT_LENGTH: Final = 600


def transcript(size: int, *, damaged: bool = False, coding: bool = False) -> Raw:
    """Write a transcript.

    Args:
        size: how many messages.
        coding: whether it is a coding agent's.
        damaged: whether each run of a hundred messages, or what there is, has one damage; the size is then about so.

    Returns:
        The messages.
    """
    made = _coding_cycle if coding else _cycle
    if not damaged:
        return list(islice((message for number in count() for message in made(number)), size))
    messages: Raw = []
    for number in range(-(-size // CYCLE)):
        cycle = made(number)[: size - number * CYCLE]
        if number % 10 == (5 if size > 5 * CYCLE else 0):
            cycle = DAMAGES[number // 10 % len(DAMAGES)](cycle)
        messages += cycle
    return messages


def next_turn(size: int, *, coding: bool = False) -> Raw:
    """Write what comes behind a transcript: a question, two calls and their results.

    Args:
        size: how long the transcript is.
        coding: whether it is a coding agent's.

    Returns:
        The three messages.
    """
    return (_coding_cycle if coding else _cycle)(-(-size // CYCLE))[:3]


def claude_code_lines(raw: Raw) -> Raw:
    """Write a transcript as Claude Code keeps a session: a line for each message, in a chain."""
    return [
        {
            "type": message["role"],
            "uuid": f"{number:08x}-0000-4000-8000-000000000000",
            "parentUuid": f"{number - 1:08x}-0000-4000-8000-000000000000" if number else None,
            "sessionId": "5e551000-0000-4000-8000-000000000000",
            "isSidechain": False,
            "userType": "external",
            "cwd": "/project",
            "version": "2.0.0",
            "timestamp": f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
            "message": {"id": f"msg_{number}", "type": "message", "model": "claude-sonnet-4-5", **message}
            if message["role"] == "assistant"
            else message,
        }
        for number, message in enumerate(raw)
    ]


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


def _coding_cycle(number: int) -> Raw:
    thought = f"The fixture of part {number} is shared: each test sees what the one before left in it. " * 6
    return [
        _user(f"Bitte sieh dir Teil {number} an: warum schlägt »test_größe« seit gestern fehl?"),
        *_coding_round(f"{number:06}a", thought, "I will read the module and its tests first …"),
        *_coding_round(f"{number:06}b", thought, "The fixture looks suspicious → let me see where it is used."),
        _thinking(thought, f"The fixture of part {number} leaks its state. I propose to build it anew for each test."),
        _user("Good. Do that, and run the tests of this part again. 👍"),
        *_coding_round(f"{number:06}c", thought, "I will make the change and run them."),
        _thinking(thought, f"All tests of part {number} pass now ✓. Nothing else changed."),
    ]


def _coding_round(label: str, thought: str, text: str) -> Raw:
    first, second = f"toolu_{label}_first", f"toolu_{label}_second"
    path = f"src/part_{label}.py"
    edits = [
        {"old": f"def check_{n}(value):", "new": f"def check_{n}(value: int) -> bool:", "all": False} for n in range(3)
    ]
    edit = {"path": path, "edits": edits, "options": {"format": True, "timeout": 30, "only": None}}
    run = {"command": ["pytest", "-q", path], "env": {"PYTHONUTF8": "1", "LANG": "C.UTF-8"}, "limits": {"seconds": 60}}
    calls = [
        {"type": "tool_use", "id": first, "name": "edit_file", "input": edit},
        {"type": "tool_use", "id": second, "name": "run", "input": run},
    ]
    seed = int(label[:-1]) + ord(label[-1])
    results = [
        _result(first, f"{path}: def check(value: int) -> bool:  # größer als {seed} …", 2_000 + seed * 977 % 8_000),
        _result(second, f"tests/test_{label}.py:12: assert check(12) PASSED", 2_000 + seed * 1_543 % 8_000),
    ]
    return [_thinking(thought, text, *calls), {"role": "user", "content": results}]


def _thinking(thought: str, text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    thinking = {"type": "thinking", "thinking": thought, "signature": "RXJrSUNBZ0lDQWdJ" * 16}
    return {"role": "assistant", "content": [thinking, {"type": "text", "text": text}, *calls]}


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _assistant(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *calls]}


def _result(id: str, line: str, length: int = RESULT_LENGTH) -> dict[str, Any]:
    lines = [f"{number:4} {line}" for number in range(length // (len(line) + 6) + 1)]
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
