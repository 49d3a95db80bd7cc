"""What a saved form carries beside a block takes the place of none of its content, whatever key it stands under."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from message_history import MessageHistory, check
from message_history.dialects.registry import DIALECTS

TOKEN = "7350127735501"
KEYS = (
    *("arguments", "call_id", "content", "id", "input", "kind", "name", "output", "part_kind", "parts", "role"),
    *("source", "status", "summary", "text", "tool_calls", "toolUse", "type"),
)
VALUES = ("EVIL", 1, {"role": "system"}, [{"type": "text", "text": "EVIL"}])
BLOCKS: list[tuple[str, dict[str, Any]]] = [
    ("user", {"type": "text", "text": TOKEN}),
    ("assistant", {"type": "text", "text": TOKEN}),
    ("assistant", {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": TOKEN}}),
    ("user", {"type": "tool_result", "tool_use_id": "c0", "content": [{"type": "text", "text": TOKEN}]}),
]


def entry(role: str, block: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": [block], "native": 1}


@pytest.mark.parametrize("place", ["extra", "carried"])
@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "native"])
def test_a_key_beside_a_block_takes_the_place_of_none_of_its_content(name: str, place: str) -> None:
    asked = entry("assistant", {"type": "tool_use", "id": "c0", "name": "f", "input": {}})
    for key, value, (role, block) in product(KEYS, VALUES, BLOCKS):
        beside = entry(role, {**block, place: {name: {key: value}}})
        before = [asked] if block["type"] == "tool_result" else [entry("assistant", {"type": "text", "text": "a"})]
        history = MessageHistory.from_list(
            [entry("user", {"type": "text", "text": "q"}), *before * (role == "user"), beside]
        )
        sent = history.for_send(DIALECTS[name])
        assert check(sent, DIALECTS[name]) == [], (key, value, block)
        assert TOKEN in json.dumps(sent), (key, value, block)
