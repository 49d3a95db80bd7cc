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
BFCL = {"id": "simple_0", "question": [[ASKED]], "function": [{**TOOL, "parameters": {"type": "dict"}}]}
TOOL_BENCH = {
    "id": "Step 2",
    "conversations": [
        {"from": "user", "value": "Sum?"},
        {"from": "assistant", "value": '\nThought: I add.\nAction: sum\nAction Input: {\n "a": 1\n}'},
        {"from": "function", "value": "3"},
        {"from": "assistant", "value": '\nThought: Done.\nAction: Finish\nAction Input: {"final_answer": "3"}'},
    ],
}
PARTS = [
    {"role": "user", "parts": [{"type": "text", "content": "Sum?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "sum", "arguments": {"a": 1}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "3"}]},
]
RANKED = {"prompt": "Sum?", "messages": [ASKED, DONE[-1]], "chosen": [ASKED, DONE[-1]], "rejected": [ASKED, DONE[-1]]}


@pytest.mark.parametrize(
    ("row", "roles", "tools", "rejected"),
    [
        ({"messages": json.dumps(DONE), "patch": ""}, "user assistant tool assistant", 0, {}),
        (TOOLATHLON, "user assistant tool assistant", 1, {}),
        (XLAM, "user assistant", 1, {}),
        (NEMOTRON, "system user assistant", 0, {}),
        (RANKED, "user assistant", 0, {"preference": 2}),
        (TOOL_BENCH, "user assistant tool assistant", 0, {}),
    ],
    ids=["SWE-smith", "Toolathlon", "xLAM", "Nemotron", "UltraFeedback", "ToolBench"],
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


def test_a_call_of_toolbench_is_a_call_with_its_thought(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [TOOL_BENCH, TOOL_BENCH])
    compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    made = json.loads((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()[0])
    (called,) = made["messages"][1]["tool_calls"]
    assert made["messages"][1]["content"] == "Thought: I add."
    assert called["function"] == {"name": "sum", "arguments": {"a": 1}}


def test_questions_without_answers_teach_nothing(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [BFCL, {**BFCL, "id": "multi_turn_0", "question": [[ASKED], [ASKED]]}])
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({}, {"nothing_to_learn": 2})


def test_the_spans_of_a_trace_are_learned_once_with_their_tools(tmp_path: Path) -> None:
    def span(id: str, messages: list[Any], answer: dict[str, Any]) -> dict[str, Any]:
        said = {"gen_ai.input.messages": messages, "gen_ai.output.messages": [answer]}
        said["gen_ai.tool.definitions"] = [{"type": "function", **TOOL}]
        about = [{"key": key, "value": {"stringValue": json.dumps(value)}} for key, value in said.items()]
        return {"traceId": "t", "spanId": id, "name": "chat", "attributes": about}

    last = {"role": "assistant", "parts": [{"type": "text", "content": "It is 3."}], "finish_reason": "stop"}
    spans = [span("a", PARTS[:1], PARTS[1]), span("b", PARTS, last)]
    write_lines(tmp_path / "in.jsonl", [{"resourceSpans": [{"scopeSpans": [{"spans": [each]}]}]} for each in spans])
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 1}, {})
    made = json.loads((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8"))
    assert ([each["role"] for each in made["messages"]], len(made["tools"])) == (
        ["user", "assistant", "tool", "assistant"],
        1,
    )


def glaive(arguments: str) -> dict[str, Any]:
    call = f'<functioncall> {{"name": "sum", "arguments": \'{arguments}\'}} <|endoftext|>'
    chat = f"USER: Sum?\n\n\nASSISTANT: {call}\n\n\nFUNCTION RESPONSE: 3\n\n\nASSISTANT: It is 3. <|endoftext|>\n\n\n"
    return {"system": "SYSTEM: You sum.", "chat": chat}


@pytest.mark.parametrize("written", ['{"a": "it\'s"}', '{"a": "it\\\'s"}'])
def test_an_apostrophe_in_a_call_of_glaive_may_be_escaped(written: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [glaive(written), glaive(written)])
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 2}, {})
    made = json.loads((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert made["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"a": "it's"}


def test_a_parameter_of_xlam_may_be_named_type(tmp_path: Path) -> None:
    """Its parameters were taken for a schema that has a type."""
    named = {"type": {"type": "str", "description": "What for."}}
    row = {**XLAM, "tools": json.dumps([{**TOOL, "parameters": named}])}
    write_lines(tmp_path / "in.jsonl", [row, row])
    compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    made = json.loads((tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert made["tools"][0]["function"]["parameters"] == {"type": "object", "properties": named}


CHAT = json.dumps([ASKED])
LM_EVAL = {"doc_id": 0, "doc": {}, "target": "3", "arguments": {"gen_args_0": {"arg_0": CHAT}}, "resps": [["3"]]}
EVENT = {
    "run_id": "r",
    "event_id": 0,
    "type": "sampling",
    "sample_id": "s",
    "data": {"prompt": [ASKED], "sampled": ["3"]},
}


@pytest.mark.parametrize(
    "rows",
    [
        [LM_EVAL, {**LM_EVAL, "arguments": {"gen_args_0": {"arg_0": [CHAT], "arg_1": {"until": []}}}}],
        [{"spec": {"eval_name": "e"}}, EVENT, {**EVENT, "event_id": 1}, {"final_report": {"accuracy": 1.0}}],
    ],
    ids=["lm-eval", "OpenAI's evals"],
)
def test_a_log_of_an_evaluation_is_read_to_its_end(rows: list[Any], tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", rows)
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({"train": 2}, {})
    for line in (tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines():
        assert [(each["role"], each["content"]) for each in json.loads(line)["messages"]] == [
            ("user", "Sum?"),
            ("assistant", "3"),
        ]


def test_rows_of_one_json_list_are_numbered_from_0(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps([TOOL_BENCH] * 3), encoding="utf-8")
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert report.rows == {"train": 3}
    rows = (tmp_path / "out" / "train" / "00000.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["receipt"]["label"] for row in rows] == ["item 0", "item 1", "item 2"]


@pytest.mark.parametrize(
    ("item", "rejected"),
    [
        *((item, {"not_recognised": 1}) for item in (1, "a", None, {}, {"from": "human"})),
        ([], {"no_conversation": 2}),  # two rows without a message
        ({"role": "user"}, {"empty": 1}),  # one conversation of two messages
    ],
    ids=str,
)
def test_a_list_is_of_rows_or_one_conversation_or_rejected(item: Any, rejected: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps([item, item]), encoding="utf-8")
    report = compile_files([tmp_path], Plan(target="trl"), tmp_path / "out")
    assert (report.rows, report.rejected) == ({}, rejected)
