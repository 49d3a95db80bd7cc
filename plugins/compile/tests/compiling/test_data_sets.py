"""Data sets that people train on, each judged by what its own page says of a row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from compiling.conversations import write_lines
from message_history_compile.plan import Plan
from message_history_compile.running import compile_files

if TYPE_CHECKING:
    from pathlib import Path

TOOL = {"name": "sum", "description": "Sums.", "parameters": {"a": {"type": "int", "description": "One."}}}
ASKED = {"role": "user", "content": "Sum?"}
CALL = {"id": "c", "type": "function", "function": {"name": "sum", "arguments": '{"a": 1}'}}
SPOKEN = [ASKED, {"role": "assistant", "content": "", "tool_calls": [CALL]}]
DONE = [*SPOKEN, {"role": "tool", "tool_call_id": "c", "content": "3"}, {"role": "assistant", "content": "It is 3."}]
XLAM = {"query": "Sum?", "answers": '[{"name": "sum", "arguments": {"a": 1}}]', "tools": json.dumps([TOOL])}
TOOLATHLON = {
    "messages": json.dumps(DONE),
    "tool_calls": json.dumps({"tools": [{"type": "function", "function": TOOL}]}),
}
NEMOTRON = {"input": [ASKED], "output": "It is 3.", "system_prompt": "Think.", "category": "math"}
RANKED = {"prompt": "Sum?", "messages": [ASKED, DONE[-1]], "chosen": [ASKED, DONE[-1]], "rejected": [ASKED, DONE[-1]]}


@pytest.mark.parametrize(
    ("row", "roles", "tools", "rejected"),
    [
        ({"messages": json.dumps(DONE), "patch": ""}, "user assistant tool assistant", 0, {}),
        (TOOLATHLON, "user assistant tool assistant", 1, {}),
        (XLAM, "user assistant", 1, {}),
        (NEMOTRON, "system user assistant", 0, {}),
        (RANKED, "user assistant", 0, {"preference": 2}),
    ],
    ids=["SWE-smith", "Toolathlon", "xLAM", "Nemotron", "UltraFeedback"],
)
def test_rows_of_a_data_set_are_learned_whole(
    row: dict[str, Any], roles: str, tools: int, rejected: dict[str, int], tmp_path: Path
) -> None:
    write_lines(tmp_path / "in.jsonl", [row, row])
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 2}, rejected)
    made = json.loads((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert " ".join(each["role"] for each in made["messages"]) == roles
    assert len(made["tools"] or []) == tools
