"""What every target writes of conversations that hold all kinds of things, as it is in `golden/rows.jsonl`.

`python -m compiling.test_golden_rows`, with the tests on the path, writes the file anew; read the difference.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from compiling.conversations import FUNCTION, TOOL, agent, call, compile_all, crashed, result
from message_history_compile.rows import Row
from message_history_compile.targets import TARGETS

GOLDEN: Final = Path(__file__).parent / "golden" / "rows.jsonl"
IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


def chat_call(id: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "weather", "arguments": arguments}}


CONVERSATIONS: Final[dict[str, dict[str, Any]]] = {
    "agent": agent(),
    "crashed": crashed(),
    "pictures": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What?"}, IMAGE, {"type": "text", "text": "?"}]},
            {"role": "assistant", "content": [call("toolu_1")]},
            {"role": "user", "content": [result("toolu_1", [{"type": "text", "text": "seen"}, IMAGE])]},
            {"role": "assistant", "content": "A dot."},
        ],
    },
    "chat": {
        "tools": [FUNCTION],
        "messages": [
            {"role": "system", "content": "One."},
            {"role": "developer", "content": "Two."},
            {"role": "user", "content": "a", "name": "Ann"},
            {"role": "user", "content": "b"},
            {"role": "assistant", "content": "", "tool_calls": [chat_call("call_1", '{"city":"Paris"}')]},
            {"role": "tool", "tool_call_id": "call_1", "content": "sun"},
            {"role": "assistant", "content": "c"},
            {"role": "system", "content": "Three."},
            {"role": "user", "content": "d"},
            {"role": "assistant", "content": None, "tool_calls": [chat_call("call_2", "{}"), chat_call("call_3", "{")]},
            {"role": "tool", "tool_call_id": "call_2", "content": "rain"},
            {"role": "tool", "tool_call_id": "call_9", "content": "nobody asked"},
            {"role": "user", "content": "Well?"},
            {"role": "assistant", "content": "e", "weight": 0},
            {"role": "user", "content": "f"},
            {"role": "assistant", "content": "g"},
        ],
    },
    "reasoned": {
        "id": "r",
        "tools": [TOOL],
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "One.", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                call("t" * 70, a=[1, {"b": None}]),
            ]},
            {"role": "user", "content": [result("t" * 70, ""), {"type": "text", "text": "Go on."}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Two.", "signature": "s"}]},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, {"type": "text", "text": "No."}]},
            {"role": "user", "content": "Thanks."},
        ],
    },
    "asked": {"messages": [{"role": "user", "content": "q"}]},
    "led": {"messages": [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "q"},
                         {"role": "assistant", "content": "a"}]},
}  # fmt: skip
CHOICES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"thinking": False},
    {"synthetic": "mask"},
    {"synthetic": "drop"},
    {"synthetic": "reject"},
    {"media": "omit"},
    {"text_with_calls": False},
    {"single_calls": True},
)
LINES: Final = [name for name, target in TARGETS.items() if not target.needs_template]


def rows_of(target: str) -> list[str]:
    """Write what a target makes of each conversation with each choice; a choice that changes nothing is left out."""
    lines: list[str] = []
    plain: dict[str, Any] = {}
    for (name, item), choice in product(CONVERSATIONS.items(), CHOICES):
        made = compile_all(item, target, **choice)
        rows = [
            {"row": json.loads(one.line), "repairs": one.receipt["repairs"]}
            if isinstance(one, Row)
            else [one.code, one.why]
            for one in made
        ]
        if not choice:
            plain[name] = rows
        if not choice or rows != plain[name]:
            about = {"target": target, "conversation": name, **choice, "rows": rows}
            lines.append(json.dumps(about, ensure_ascii=False, default=str))
    return lines


@pytest.mark.parametrize("target", LINES)
def test_every_row_is_as_it_was(target: str) -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert [json.loads(line) for line in rows_of(target)] == [each for each in golden if each["target"] == target]


if __name__ == "__main__":
    GOLDEN.write_text("".join(f"{line}\n" for target in LINES for line in rows_of(target)), encoding="utf-8")
