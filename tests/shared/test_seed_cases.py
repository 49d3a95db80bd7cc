"""Facts from the systems that this one replaces."""

from __future__ import annotations

from typing import Any

import pytest

from message_history import MessageHistory, Policy, check
from message_history.dialects import Anthropic
from tests.shared.material import cases, needs_material

pytestmark = needs_material

OTHERWISE: dict[str, str] = {
    "sd-t11": "the stub has our own text",
    "sd-b07": "another result is quoted, not dropped",
    "z-b05": "another result is quoted, not dropped",
    "tc-b08": "another result is quoted, not dropped",
    "ar-b05": "another result is quoted, not dropped",
    "z-t06": "an unanswered call at the end is stubbed, not dropped",
    "z-t26": "an orphan is dropped and recorded, not turned into text",
    "tc-b03": "the assistant's words after the results are a turn of their own",
    "tc-t05": "the block is of no format that this list's dialect knows",
    "oc-p05-error": "the call is dropped, and so is its message, which held nothing else",
    "oc-p05-aborted": "the call is dropped, and so is its message, which held nothing else",
    "oc-p13": "the same call twice in one turn is one call; its second result is quoted",
    "oc-m04": "an empty reply is dropped, so the user's messages are joined",
    "oc-m06": "the placeholder has our own text",
    "ar-t04": "an answer at the end is kept; a user turn is added for sending",
    "ts-t2": "ids need to be unique within a turn only",
    "ts-b2": "the same call twice in one turn is one call",
    "z-t03": "a leading assistant gets a placeholder user turn",
    "z-t08": "a leading assistant gets a placeholder user turn",
    "z-t22": "a leading assistant gets a placeholder user turn",
    "tc-t03": "a leading assistant gets a placeholder user turn",
    "oc-p11": "the same call twice in one turn is one call",
    "oc-i10": "a history does not know which tools there are",
    "oc-g0": "a later piece of the reply is joined, and the stub comes when the turn settles",
    "oc-g3": "results have no role of their own",
    "oc-i02": "a call without a name is kept as an unknown tool",
}
CASES = [
    pytest.param(case, id=case["id"])
    for case in cases("seed_cases")
    if isinstance(messages := case["input"].get("messages"), list) and all(isinstance(m, dict) for m in messages)
]


def built(case: dict[str, Any], leading: Any = "bootstrap") -> MessageHistory:
    policy = Policy(leading_assistant=leading)
    raw = case["input"]["messages"]
    if not case["input"]["op"].startswith("add"):
        return MessageHistory.from_list(raw, policy=policy)
    return MessageHistory(policy=policy).extend(raw)


def plain(history: MessageHistory) -> list[Any]:
    """Write a history as the cases are written: results as text, stubs as `<STUB>`."""
    told = []
    for message in history.for_send(Anthropic(prefill=True)):
        blocks = []
        for block in message["content"]:
            if block["type"] != "tool_result":
                blocks.append(block)
                continue
            text = "\n".join(part.get("text", "") for part in block.get("content", ()))
            text = "<STUB>" if text == Policy().stub_text else text
            blocks.append({**block, "content": text, "is_error": block.get("is_error", False)})
        told.append({"role": message["role"], "content": blocks})
    return told


def normal(raw: list[Any]) -> list[Any]:
    """Write a case's messages like `plain`."""
    told = []
    for message in raw:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        told.append(
            {
                "role": message["role"],
                "content": [
                    {**b, "is_error": b.get("is_error", False)} if b["type"] == "tool_result" else b for b in blocks
                ],
            }
        )
    return told


@pytest.mark.parametrize("case", CASES)
def test_whatever_the_case_the_outcome_is_valid_and_holds_every_text(case: dict[str, Any]) -> None:
    history = built(case)
    wire = history.for_send()
    assert not wire or not check(wire, Anthropic())
    held = str(wire) + str([repair.removed for repair in history.repairs])
    for message in case["input"]["messages"]:
        content = message.get("content")
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block["text"], str):
                assert repr(block["text"])[1:-1] in held


@pytest.mark.parametrize("case", CASES)
def test_the_facts_of_the_case_hold(case: dict[str, Any]) -> None:
    if case["id"] in OTHERWISE:
        pytest.skip(OTHERWISE[case["id"]])
    outcomes = [plain(built(case)), plain(built(case, "drop"))]
    expected = case["expected"]
    blocks = [block for message in outcomes[0] for block in message["content"]]
    results = [block for block in blocks if block["type"] == "tool_result"]
    facts: dict[str, list[Any]] = {
        "messages": outcomes,
        "length": [len(outcome) for outcome in outcomes],
        "roles": [[message["role"] for message in outcome] for outcome in outcomes],
        "last_role": [outcomes[0][-1]["role"] if outcomes[0] else None],
        "tool_result_ids": [[block["tool_use_id"] for block in results]],
        "tool_result_texts": [[block["content"] for block in results]],
        "stub_ids": [[block["tool_use_id"] for block in results if block["content"] == "<STUB>"]],
        "texts": [[block["text"] for block in blocks if block["type"] == "text"]],
        "tool_use_ids": [[block["id"] for block in blocks if block["type"] == "tool_use"]],
    }
    for fact, candidates in facts.items():
        if fact in expected:
            wanted = normal(expected[fact]) if fact == "messages" else expected[fact]
            assert wanted in candidates, fact
    if "absent_tool_result_ids" in expected:
        assert not set(expected["absent_tool_result_ids"]) & set(facts["tool_result_ids"][0])
    if expected.get("unchanged") is True:
        assert outcomes[0] == normal(case["input"]["messages"])
