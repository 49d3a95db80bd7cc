"""Conversations that the tests compile, and shortcuts to compile them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from message_history.formats.registry import FORMATS
from message_history_compile.plan import Plan
from message_history_compile.reading import compile_found, conversations_of
from message_history_compile.rows import Rejected, Row, Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TOOL = {"name": "weather", "description": "Tells.", "input_schema": {"type": "object", "properties": {}}}
FUNCTION: dict[str, Any] = {
    "type": "function",
    "function": {"name": "weather", "description": "Tells.", "parameters": {"type": "object", "properties": {}}},
}


def call(id: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "weather", "input": input}


def result(id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def agent() -> dict[str, Any]:
    """Make a sound conversation with thinking, parallel calls and an error."""
    return {
        "id": "agent-1",
        "system": "Be short.",
        "tools": [TOOL],
        "messages": [
            {"role": "user", "content": "Weather in Paris and Rome?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Two cities.", "signature": "s"},
                    {"type": "text", "text": "I look."},
                    call("toolu_1", city="Paris", days=2),
                    call("toolu_2", city="Rome", days="two"),
                ],
            },
            {"role": "user", "content": [result("toolu_1", "sunny"), result("toolu_2", "no such city", is_error=True)]},
            {"role": "assistant", "content": "Sunny in Paris."},
        ],
    }


def crashed() -> dict[str, Any]:
    """Make a conversation in which a result was lost."""
    return {
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [call("toolu_1", city="Paris")]},
            {"role": "user", "content": "Hello?"},
            {"role": "assistant", "content": "I do not know."},
        ]
    }


def compile_one(item: dict[str, Any], target: str, **choices: Any) -> Row | Rejected:
    (made,) = compile_all(item, target, **choices)
    return made


def compile_all(item: dict[str, Any], target: str, **choices: Any) -> list[Row | Rejected]:
    plan = Plan(target=target, **choices)
    source = Source(path="test.jsonl", byte=0, hash="00ff" * 16)
    return [compile_found(found, plan) for found in conversations_of(item, source, FORMATS[plan.format or "log"])]


def row_of(item: dict[str, Any], target: str, **choices: Any) -> dict[str, Any]:
    made = compile_one(item, target, **choices)
    assert isinstance(made, Row), made
    line = json.loads(made.line)
    assert line == made.values
    return made.values


def reason_of(item: dict[str, Any], target: str, **choices: Any) -> str:
    made = compile_one(item, target, **choices)
    assert isinstance(made, Rejected), made
    return made.code


def codes_of(item: dict[str, Any], target: str, **choices: Any) -> list[str]:
    made = compile_one(item, target, **choices)
    assert isinstance(made, Row), made
    return [repair["code"] for repair in made.receipt["repairs"]]


def write_lines(path: Path, items: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    return path


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
